#include "pianola_host/mesh_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "capture_host/host/mesh/mesh_family.h"

namespace pianola::host {

MeshPtr open_mesh(const MeshShape& shape, const DeviceOptions& options) {
    auto family = std::make_shared<MeshFamily>();
    family->options = options;
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 0U; id < shape.mesh_size(); ++id) {
        family->devices.push_back(open_device(options));
        ids.push_back(id);
    }
    // The constructor is private: meshes are shared, because tensors point back to them.
    return MeshPtr{new MeshDevice{shape, std::move(ids), std::move(family), nullptr}};
}

MeshDevice::MeshDevice(MeshShape shape, std::vector<std::uint32_t> ids, std::shared_ptr<MeshFamily> family,
                       MeshPtr parent)
    : id_{next_id()},
      shape_{std::move(shape)},
      ids_{std::move(ids)},
      family_{std::move(family)},
      parent_{std::move(parent)} {}

std::string MeshDevice::name() const {
    return fmt::format("mesh {} ({})", id_, to_string(shape_));
}

const DeviceOptions& MeshDevice::options() const {
    return family_->options;
}

bool MeshDevice::is_open() const {
    const FamilyLock lock{family_->mutex};
    return family_->open && open_ && ((parent_ == nullptr) || parent_->is_open());
}

void MeshDevice::check_open() const {
    if (!open_) {
        throw MeshError{MeshRule::kClosed, fmt::format("{} has been closed; open one", name())};
    }
    for (MeshPtr above = parent_; above != nullptr; above = above->parent_) {
        if (!above->open_) {
            throw MeshError{MeshRule::kClosed,
                            fmt::format("{} is part of {}, which has been closed; open one", name(), above->name())};
        }
    }
}

MeshCoordinate MeshDevice::coordinate_of(std::uint32_t id) const {
    const auto place = std::find(ids_.begin(), ids_.end(), id) - ids_.begin();
    return MeshCoordinate::at(shape_, static_cast<std::uint32_t>(place));
}

void MeshDevice::check_device(std::uint32_t id) const {
    check_open();
    const auto failure = family_->failures.find(id);
    if (failure != family_->failures.end()) {
        throw MeshError{
            MeshRule::kFailed,
            fmt::format("device {} of {} has failed: {}. The mesh takes no more work; what its other devices hold can "
                        "be read, remaining() makes a mesh of them, or close it and open another",
                        to_string(coordinate_of(id)), name(), failure->second)};
    }
}

MeshDevice::FamilyLock MeshDevice::lock_open() const {
    FamilyLock lock{family_->mutex};
    check_open();
    return lock;
}

MeshDevice::FamilyLock MeshDevice::lock_working() const {
    FamilyLock lock = lock_open();
    for (const std::uint32_t id : ids_) {
        check_device(id);
    }
    return lock;
}

void MeshDevice::refuse(std::uint32_t id, const HostError& error) const {
    const std::string text{error.what() + std::strlen(error.rule_id()) + std::strlen(": ")};
    if ((error.rule() == HostRule::kDeviceFault) || (error.rule() == HostRule::kDeviceStalled)) {
        family_->failures[id] = error.what();
        // Captures without this device are of no use.
        for (const std::uint32_t each : ids_) {
            for (std::uint32_t queue = 0U; queue < family_->options.num_command_queues; ++queue) {
                family_->devices[each]->discard_trace_capture(queue);
            }
        }
        check_device(id);
    }
    throw HostError{error.rule(), fmt::format("device {} of {}: {}", to_string(coordinate_of(id)), name(), text)};
}

void MeshDevice::close() {
    const FamilyLock lock{family_->mutex};
    if (!is_open()) {
        open_ = false;
        return;
    }
    open_ = false;
    if (parent_ == nullptr) {
        family_->open = false;
        for (const std::shared_ptr<Device>& device : family_->devices) {
            try {
                device->close();
            } catch (const HostError&) {
                continue;  // it has failed, and is closed all the same
            }
        }
        return;
    }
    std::vector<TraceId> own;
    for (const auto& [id, trace] : family_->traces) {
        if (trace.mesh == id_) {
            own.push_back(TraceId{id});
        }
    }
    open_ = true;  // once more, for its own calls
    for (const TraceId trace : own) {
        if (failed().empty()) {
            release_trace(trace);
        }
    }
    open_ = false;
}

std::uint32_t MeshDevice::device_id(const MeshCoordinate& coordinate) const {
    const FamilyLock lock{family_->mutex};
    return ids_.at(coordinate.index_in(shape_));
}

std::shared_ptr<Device> MeshDevice::device(const MeshCoordinate& coordinate) const {
    const FamilyLock lock = lock_open();
    return family_->devices.at(device_id(coordinate));
}

std::vector<MeshCoordinate> MeshDevice::coordinates(const MeshRange& range) const {
    const FamilyLock lock{family_->mutex};
    const MeshCoordinateRange all{shape_};
    if (range.has_value() && !all.contains(*range)) {
        throw MeshError{MeshRule::kShape, fmt::format("{} lies outside of {}, whose last device is {}",
                                                      to_string(*range), name(), to_string(all.end()))};
    }
    return range.value_or(all).coordinates();
}

DeviceGrid MeshDevice::grid() const {
    const FamilyLock lock = lock_open();
    DeviceGrid all;
    for (const std::uint32_t id : ids_) {
        all.devices.push_back(family_->devices.at(id));
    }
    all.columns = shape_[shape_.dims() - 1U];
    all.rows = shape_.mesh_size() / all.columns;
    return all;
}

MeshPtr MeshDevice::part(const MeshShape& shape, const std::vector<MeshCoordinate>& coordinates) {
    std::vector<std::uint32_t> ids;
    for (const MeshCoordinate& coordinate : coordinates) {
        ids.push_back(device_id(coordinate));
    }
    MeshPtr made{new MeshDevice{shape, std::move(ids), family_, shared_from_this()}};
    const auto has_gone = [](const std::weak_ptr<MeshDevice>& each) { return each.expired(); };
    family_->meshes.erase(std::remove_if(family_->meshes.begin(), family_->meshes.end(), has_gone),
                          family_->meshes.end());
    family_->meshes.push_back(made);
    return made;
}

MeshPtr MeshDevice::create_submesh(const MeshShape& shape, const std::optional<MeshCoordinate>& offset) {
    const FamilyLock lock = lock_open();
    const MeshCoordinate first = offset.value_or(MeshCoordinate::zero(shape.dims()));
    if ((shape.dims() != shape_.dims()) || (first.dims() != shape_.dims())) {
        throw MeshError{MeshRule::kShape, fmt::format("a part of {} has {} dimensions, not {} at {}", name(),
                                                      shape_.dims(), to_string(shape), to_string(first))};
    }
    std::vector<std::uint32_t> last;
    for (std::size_t i = 0U; i < shape.dims(); ++i) {
        if ((first[i] >= shape_[i]) || (shape[i] > (shape_[i] - first[i]))) {
            throw MeshError{MeshRule::kShape,
                            fmt::format("{} at {} does not fit {}", to_string(shape), to_string(first), name())};
        }
        last.push_back((first[i] + shape[i]) - 1U);
    }
    return part(shape, MeshCoordinateRange{first, MeshCoordinate{std::move(last)}}.coordinates());
}

std::vector<MeshPtr> MeshDevice::create_submeshes(const MeshShape& shape) {
    const FamilyLock lock = lock_open();
    std::vector<std::uint32_t> tiles;
    for (std::size_t i = 0U; i < shape.dims(); ++i) {
        if ((shape.dims() != shape_.dims()) || ((shape_[i] % shape[i]) != 0U)) {
            throw MeshError{MeshRule::kShape,
                            fmt::format("{} cannot be divided into parts of {}", name(), to_string(shape))};
        }
        tiles.push_back(shape_[i] / shape[i]);
    }
    std::vector<MeshPtr> made;
    for (const MeshCoordinate& tile : MeshCoordinateRange{MeshShape{tiles}}.coordinates()) {
        std::vector<std::uint32_t> offset = tile.values();
        std::transform(offset.begin(), offset.end(), shape.sizes().begin(), offset.begin(), std::multiplies<>{});
        made.push_back(create_submesh(shape, MeshCoordinate{std::move(offset)}));
    }
    return made;
}

std::vector<MeshPtr> MeshDevice::submeshes() const {
    const FamilyLock lock{family_->mutex};
    std::vector<MeshPtr> open;
    for (const std::weak_ptr<MeshDevice>& each : family_->meshes) {
        MeshPtr mesh = each.lock();
        if ((mesh != nullptr) && (mesh->parent_.get() == this) && mesh->is_open()) {
            open.push_back(std::move(mesh));
        }
    }
    return open;
}

void MeshDevice::reshape(const MeshShape& shape) {
    const FamilyLock lock = lock_open();
    if (shape.mesh_size() != shape_.mesh_size()) {
        throw MeshError{MeshRule::kShape, fmt::format("{} has {} devices, {} would have {}", name(), shape_.mesh_size(),
                                                      to_string(shape), shape.mesh_size())};
    }
    if (!submeshes().empty()) {
        throw MeshError{MeshRule::kShape, fmt::format("{} has sub-meshes; close them before reshaping it", name())};
    }
    shape_ = shape;
}

std::vector<MeshCoordinate> MeshDevice::failed() const {
    const FamilyLock lock{family_->mutex};
    std::vector<MeshCoordinate> places;
    for (std::uint32_t i = 0U; i < ids_.size(); ++i) {
        if (family_->failures.count(ids_[i]) != 0U) {
            places.push_back(MeshCoordinate::at(shape_, i));
        }
    }
    return places;
}

MeshPtr MeshDevice::remaining() {
    const FamilyLock lock = lock_open();
    std::vector<MeshCoordinate> others = coordinates();
    const auto has_failed = [this](const MeshCoordinate& place) {
        return family_->failures.count(device_id(place)) != 0U;
    };
    others.erase(std::remove_if(others.begin(), others.end(), has_failed), others.end());
    if (others.empty()) {
        throw MeshError{MeshRule::kFailed, fmt::format("every device of {} has failed; open another", name())};
    }
    return part(MeshShape{1U, static_cast<std::uint32_t>(others.size())}, others);
}

void MeshDevice::with_device(const MeshCoordinate& coordinate, const std::function<void(Device&)>& call) const {
    const FamilyLock lock{family_->mutex};
    on(device_id(coordinate), call);
}

void MeshDevice::in_step(const std::vector<MeshCoordinate>& coordinates,
                         const std::function<void(const std::shared_ptr<Device>&, std::size_t)>& call) {
    const FamilyLock lock = lock_working();
    std::vector<std::shared_ptr<Device>> devices;
    for (const MeshCoordinate& coordinate : coordinates) {
        devices.push_back(device(coordinate));
    }
    Lockstep lockstep{devices};
    for (std::size_t i = 0U; i < devices.size(); ++i) {
        lockstep.next_device();
        on(device_id(coordinates[i]), [&](Device& /*device*/) { call(devices[i], i); });
    }
}

void MeshDevice::as_one_transfer(std::size_t parts, const std::function<void()>& call) {
    const FamilyLock lock{family_->mutex};
    const TemporaryValue<std::uint64_t> transfer = one_transfer(*family_, parts);
    call();
}

void MeshDevice::as_replicas(const std::function<void()>& call) {
    const FamilyLock lock{family_->mutex};
    const TemporaryValue<std::uint64_t> replicas{family_->call.replicas, next_id()};
    call();
}

std::string visualize(const MeshDevice& mesh) {
    const std::vector<MeshCoordinate> failed = mesh.failed();
    std::string table = fmt::format("{}{}\n", mesh.name(), mesh.is_open() ? "" : ", closed");
    for (const MeshCoordinate& place : MeshCoordinateRange{mesh.shape()}.coordinates()) {
        const bool has_failed = std::find(failed.begin(), failed.end(), place) != failed.end();
        table +=
            fmt::format("{:10} device {}{}\n", to_string(place), mesh.device_id(place), has_failed ? ", failed" : "");
    }
    return table;
}

}  // namespace pianola::host
