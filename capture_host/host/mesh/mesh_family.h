// What a mesh and all its sub-meshes share.
//
// Behind MeshDevice; `mutex` guards all of it, and all meshes of the family.
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
    std::map<std::uint32_t, std::string> failures;  // by device: what it has reported
    std::map<std::uint64_t, MeshEvent> events;
    std::map<std::uint64_t, MeshTrace> traces;
    std::vector<std::weak_ptr<MeshDevice>> meshes;               // sub-meshes
    std::map<std::uint64_t, std::weak_ptr<MeshBuffer>> buffers;  // by the id of each device's buffer
    std::uint64_t replicas{0U};                                  // of the call that gives all the same bytes
    std::uint64_t call{0U};                                      // that transfers all parts of a tensor; 0: none
    std::uint64_t calls{0U};                                     // such calls so far
};

using FamilyLock = std::lock_guard<std::recursive_mutex>;

// While it lives, calls on a device are those of a mesh.
class Speaking {
  public:
    Speaking(Device& device, std::uint64_t mesh, const MeshFamily& family)
        : state_{device.state()},
          before_{state_.speaker},
          replicas_before_{state_.replicas},
          call_before_{state_.mesh_call} {
        state_.speaker = mesh;
        state_.replicas = family.replicas;
        state_.mesh_call = family.call;
    }
    ~Speaking() {
        state_.speaker = before_;
        state_.replicas = replicas_before_;
        state_.mesh_call = call_before_;
    }
    Speaking(const Speaking&) = delete;
    Speaking& operator=(const Speaking&) = delete;

  private:
    DeviceState& state_;
    std::uint64_t before_;
    std::uint64_t replicas_before_;
    std::uint64_t call_before_;
};

// While it lives, transfers are parts of one call, the outermost one; unless that moves one part alone.
class Transferring {
  public:
    Transferring(MeshFamily& family, std::size_t parts) : family_{family}, before_{family.call} {
        if ((before_ == 0U) && (parts > 1U)) {
            family_.calls += 1U;
            family_.call = family_.calls;
        }
    }
    ~Transferring() { family_.call = before_; }
    Transferring(const Transferring&) = delete;
    Transferring& operator=(const Transferring&) = delete;

  private:
    MeshFamily& family_;
    std::uint64_t before_;
};

// While it lives, what is written are replicas of one call.
class Replicating {
  public:
    explicit Replicating(MeshFamily& family) : family_{family}, before_{family.replicas} {
        family_.replicas = next_id();
    }
    ~Replicating() { family_.replicas = before_; }
    Replicating(const Replicating&) = delete;
    Replicating& operator=(const Replicating&) = delete;

  private:
    MeshFamily& family_;
    std::uint64_t before_;
};

template <typename Call>
auto MeshDevice::on(std::uint32_t id, const Call& call) const {
    check_device(id);
    Device& device = *family_->devices.at(id);
    try {
        const Lock lock{device.state().mutex};
        const Speaking speaking{device, id_, *family_};
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
