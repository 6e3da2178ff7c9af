// Traces of a mesh.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/mesh/mesh_family.h"

namespace pianola::host {

MeshTrace& MeshDevice::trace(TraceId id) const {
    const auto found = family_->traces.find(id.value);
    if (found == family_->traces.end()) {
        throw HostError{HostRule::kTraceUnknown,
                        fmt::format("trace {} is not one of {} or of a mesh that shares its devices, or has been "
                                    "released",
                                    id.value, name())};
    }
    return found->second;
}

bool MeshDevice::is_capturing(std::uint32_t queue) const {
    const FamilyLock lock{family_->mutex};
    check_open();
    return std::any_of(ids_.begin(), ids_.end(),
                       [&](std::uint32_t id) { return family_->devices.at(id)->is_capturing(queue); });
}

TraceId MeshDevice::begin_trace_capture(std::uint32_t queue) {
    const FamilyLock lock{family_->mutex};
    check_working();
    for (const std::uint32_t id : ids_) {
        if (on(id, [queue](Device& device) { return device.is_capturing(queue); })) {
            on(id, [queue](Device& device) { static_cast<void>(device.begin_trace_capture(queue)); });  // says why not
        }
    }
    MeshTrace made;
    made.mesh = id_;
    made.shape = shape_;
    made.ids = ids_;
    for (const std::uint32_t id : ids_) {
        made.parts[id] = on(id, [queue](Device& device) { return device.begin_trace_capture(queue); });
    }
    const TraceId id{next_id()};
    family_->traces[id.value] = std::move(made);
    return id;
}

// What was captured, and what is being captured.
void MeshDevice::give_up(MeshTrace& trace, std::uint32_t queue) const {
    for (const auto& [id, part] : trace.parts) {
        Device& device = *family_->devices.at(id);
        device.discard_trace_capture(queue);
        try {
            device.release_trace(part);
        } catch (const HostError&) {
            continue;  // it was not there yet
        }
    }
}

void MeshDevice::end_trace_capture(std::uint32_t queue, TraceId id) {
    const FamilyLock lock{family_->mutex};
    check_working();
    MeshTrace& ended = trace(id);
    if ((ended.mesh != id_) || ended.is_captured || !is_capturing(queue)) {
        throw HostError{HostRule::kTraceNotCapturing,
                        fmt::format("queue {} of {} does not capture trace {}; end a capture on the mesh and the queue "
                                    "on which it was begun, and once",
                                    queue, name(), id.value)};
    }
    std::map<std::uint32_t, TraceId> parts;
    for (const auto& [device_id, part] : ended.parts) {
        try {
            on(device_id, [&, trace_id = part](Device& device) { device.end_trace_capture(queue, trace_id); });
            parts[device_id] = part;
        } catch (const HostError& error) {
            if (error.rule() != HostRule::kTraceEmpty) {
                give_up(ended, queue);
                family_->traces.erase(id.value);
                throw;
            }
        }
    }
    if (parts.empty()) {
        family_->traces.erase(id.value);
        throw HostError{
            HostRule::kTraceEmpty,
            fmt::format("no program was enqueued on {} between begin_trace_capture and end_trace_capture", name())};
    }
    ended.parts = std::move(parts);
    ended.is_captured = true;
}

// The trace of a device that stands at `place` of a mesh of the trace's shape.
TraceId MeshDevice::part_of(MeshTrace& trace, std::uint32_t queue, std::uint32_t id, std::uint32_t place) const {
    const auto part = trace.parts.find(id);
    if (part != trace.parts.end()) {
        return part->second;
    }
    const bool has_captured = std::find(trace.ids.begin(), trace.ids.end(), id) != trace.ids.end();
    const auto source = trace.parts.find(trace.ids.at(has_captured ? 0U : place));
    if (has_captured || (source == trace.parts.end())) {
        return {};  // no program of the trace is for it
    }
    Device& from = *family_->devices.at(source->first);
    const TraceId copy = on(id, [&](Device& device) { return device.copy_trace(queue, from, source->second); });
    trace.parts[id] = copy;
    return copy;
}

void MeshDevice::execute_trace(std::uint32_t queue, TraceId id, bool blocking, const MeshRange& range) {
    const FamilyLock lock{family_->mutex};
    check_working();
    MeshTrace& target = trace(id);
    const std::vector<MeshCoordinate> places = coordinates(range);
    const auto has_captured = [&](std::uint32_t device) {
        return std::find(target.ids.begin(), target.ids.end(), device) != target.ids.end();
    };
    const auto count = static_cast<std::size_t>(std::count_if(ids_.begin(), ids_.end(), has_captured));
    const bool is_part = count == ids_.size();
    const bool is_sibling = (count == 0U) && (target.shape == shape_);
    if (!target.is_captured || (!is_part && !is_sibling)) {
        throw MeshError{
            MeshRule::kTrace,
            fmt::format("{} cannot execute trace {}, which {} mesh {} ({}): {} of {} devices have captured it. The "
                        "mesh itself can, parts of it, and meshes of its shape without any of its devices",
                        name(), id.value, target.is_captured ? "was captured on" : "is being captured on", target.mesh,
                        to_string(target.shape), count, ids_.size())};
    }
    std::vector<std::pair<std::uint32_t, TraceId>> parts;  // all are there before the first is executed
    for (const MeshCoordinate& place : places) {
        const std::uint32_t device = device_id(place);
        parts.emplace_back(device, part_of(target, queue, device, place.index_in(shape_)));
    }
    for (const auto& [device_id, part] : parts) {
        if (part.valid()) {
            on(device_id, [&, trace_id = part](Device& device) { device.execute_trace(queue, trace_id); });
        }
    }
    if (blocking) {
        finish(queue);
    }
}

void MeshDevice::release_trace(TraceId id) {
    const FamilyLock lock{family_->mutex};
    check_open();
    const MeshTrace& released = trace(id);
    if (!released.is_captured) {
        throw HostError{HostRule::kTraceUnknown, fmt::format("trace {} is being captured; end it first", id.value)};
    }
    for (const auto& [device_id, part] : released.parts) {
        if (family_->failures.count(device_id) == 0U) {
            family_->devices.at(device_id)->release_trace(part);
        }
    }
    family_->traces.erase(id.value);
}

std::optional<TraceInfo> MeshDevice::trace_info(TraceId id, const MeshCoordinate& coordinate) const {
    const FamilyLock lock{family_->mutex};
    check_open();
    const MeshTrace& shown = trace(id);
    const std::uint32_t device = device_id(coordinate);
    const auto part = shown.parts.find(device);
    if (!shown.is_captured || (part == shown.parts.end())) {
        return std::nullopt;
    }
    return family_->devices.at(device)->trace_info(part->second);
}

}  // namespace pianola::host
