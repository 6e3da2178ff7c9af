// The state that a mesh and all its sub-meshes share.
//
// `mutex` guards all members, and all meshes of the family.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "capture_host/host/device/device_state.h"
#include "pianola_host/mesh_device.h"

namespace pianola::host {

struct MeshEvent {
    std::map<std::uint32_t, EventId> parts;  // by device
    std::set<std::uint32_t> recorded;        // by the last record
};

struct MeshTrace {
    std::uint64_t mesh{0U};  // that captured it
    MeshShape shape{1U};
    std::vector<std::uint32_t> ids;          // of the devices that could have programs in it
    std::map<std::uint32_t, TraceId> parts;  // by device; copies as well
    bool is_captured{false};
};

struct MeshFamily {
    std::recursive_mutex mutex;
    bool open{true};
    DeviceOptions options;
    std::vector<std::shared_ptr<Device>> devices;
    std::map<std::uint32_t, std::string> failures;  // by device: its fault
    std::map<std::uint64_t, MeshEvent> events;
    std::map<std::uint64_t, MeshTrace> traces;
    std::vector<std::weak_ptr<MeshDevice>> meshes;               // sub-meshes
    std::map<std::uint64_t, std::weak_ptr<MeshBuffer>> buffers;  // by the id of each device's buffer
    MeshCall call;                // in progress; its mesh is that of each call on a device
    std::uint64_t transfers{0U};  // calls so far that transfer all parts of a tensor
};

// Until the end of its scope, transfers are parts of one call: the outermost one that moves more than one part.
[[nodiscard]] inline TemporaryValue<std::uint64_t> one_transfer(MeshFamily& family, std::size_t parts) {
    if ((family.call.transfer == 0U) && (parts > 1U)) {
        family.transfers += 1U;
        return {family.call.transfer, family.transfers};
    }
    return {family.call.transfer, family.call.transfer};
}

template <typename Call>
auto MeshDevice::on(std::uint32_t id, const Call& call) const {
    check_device(id);
    Device& device = *family_->devices.at(id);
    try {
        const Lock lock{device.state().mutex};
        const TemporaryValue<MeshCall> call_of_mesh{device.state().call,
                                                    {id_, family_->call.replicas, family_->call.transfer}};
        return call(device);
    } catch (const HostError& error) {
        refuse(id, error);
    }
}

template <typename Call>
void MeshDevice::on_all(const Call& call) const {
    for (const std::uint32_t id : ids_) {
        on(id, call);
    }
}

}  // namespace pianola::host
