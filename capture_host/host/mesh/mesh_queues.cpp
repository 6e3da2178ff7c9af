// Workloads and events of a mesh.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "capture_host/host/mesh/mesh_family.h"

namespace pianola::host {
namespace {

MeshEvent& event_of(MeshFamily& family, EventId id, const std::string& mesh) {
    const auto found = family.events.find(id.value);
    if (found == family.events.end()) {
        throw MeshError{MeshRule::kForeign, fmt::format("event {} belongs neither to {} nor to a mesh that it is part "
                                                        "of, nor to a part of it; create_event() gives one",
                                                        id.value, mesh)};
    }
    return found->second;
}

MeshEvent& recorded_event(MeshFamily& family, EventId id, const std::string& mesh) {
    MeshEvent& event = event_of(family, id, mesh);
    if (event.recorded.empty()) {
        throw HostError{HostRule::kEventNotRecorded,
                        fmt::format("event {} of {} has not been recorded: waiting for it would never end; record it "
                                    "first",
                                    id.value, mesh)};
    }
    return event;
}

}  // namespace

void MeshWorkload::add_program(const MeshCoordinateRange& range, Program program) {
    for (const Entry& entry : entries_) {
        if (entry.range.intersects(range)) {
            throw MeshError{MeshRule::kOverlap,
                            fmt::format("program '{}' is for {}, and '{}' for {}: {} would have two programs",
                                        program.name(), to_string(range), entry.program.name(), to_string(entry.range),
                                        to_string(entry.range.common(range)))};
        }
    }
    entries_.push_back({range, std::move(program)});
}

Program& MeshWorkload::program(const MeshCoordinateRange& range) {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.range == range; });
    if (found == entries_.end()) {
        throw MeshError{MeshRule::kShape, fmt::format("the workload has no program for {}", to_string(range))};
    }
    return found->program;
}

void MeshDevice::for_programs(const MeshWorkload& workload, const std::function<void(Device&, Program&)>& call) const {
    for (const MeshWorkload::Entry& entry : workload.entries()) {
        static_cast<void>(coordinates(entry.range));  // checks all ranges before the first program is enqueued
    }
    for (const MeshWorkload::Entry& entry : workload.entries()) {
        for (const MeshCoordinate& place : coordinates(entry.range)) {
            const std::shared_ptr<Device> target = device(place);
            Program program = entry.program.copy([&](const BufferPtr& named) -> BufferPtr {
                const auto known = family_->buffers.find(named->id().value);
                const MeshBufferPtr buffer = (known == family_->buffers.end()) ? nullptr : known->second.lock();
                if (buffer != nullptr) {
                    for (const auto& [where, part] : buffer->parts()) {
                        if (part.buffer->device() == target) {
                            return part.buffer;
                        }
                    }
                }
                return named;
            });
            on(device_id(place), [&](Device& device) { call(device, program); });
        }
    }
}

void MeshDevice::compile(const MeshWorkload& workload) {
    const FamilyLock lock = lock_working();
    for_programs(workload, [](Device& device, Program& program) { device.compile(program); });
}

void MeshDevice::enqueue_workload(std::uint32_t queue, const MeshWorkload& workload, bool blocking) {
    const FamilyLock lock = lock_working();
    if (blocking && is_capturing(queue)) {
        finish(queue);  // throws the reason why that is impossible
    }
    for_programs(workload, [queue](Device& device, Program& program) { device.enqueue_program(queue, program); });
    if (blocking) {
        finish(queue);
    }
}

EventId MeshDevice::create_event() {
    const FamilyLock lock = lock_working();
    MeshEvent event;
    for (const std::uint32_t id : ids_) {
        event.parts[id] = on(id, [](Device& device) { return device.create_event(); });
    }
    const EventId made{next_id()};
    family_->events[made.value] = std::move(event);
    return made;
}

void MeshDevice::record_event(std::uint32_t queue, EventId event, const MeshRange& range) {
    const FamilyLock lock = lock_working();
    MeshEvent& target = event_of(*family_, event, name());
    std::set<std::uint32_t> recorded;
    for (const MeshCoordinate& place : coordinates(range)) {
        const std::uint32_t id = device_id(place);
        if (target.parts.count(id) == 0U) {
            throw MeshError{MeshRule::kForeign,
                            fmt::format("event {} was created for a mesh without device {} of {}; create one here",
                                        event.value, to_string(place), name())};
        }
        on(id, [&](Device& device) { device.record_event(queue, target.parts.at(id)); });
        recorded.insert(id);
    }
    target.recorded = std::move(recorded);
}

void MeshDevice::wait_for_event(std::uint32_t queue, EventId event) {
    const FamilyLock lock = lock_working();
    const MeshEvent& source = recorded_event(*family_, event, name());
    bool waits = false;
    for (const std::uint32_t id : ids_) {
        if (source.recorded.count(id) != 0U) {
            on(id, [&](Device& device) { device.wait_for_event(queue, source.parts.at(id)); });
            waits = true;
        }
    }
    if (!waits) {
        throw MeshError{MeshRule::kForeign,
                        fmt::format("event {} was recorded on no device of {}: a wait here would wait for nothing",
                                    event.value, name())};
    }
}

void MeshDevice::event_synchronize(EventId event) {
    const FamilyLock lock = lock_working();
    const MeshEvent& source = recorded_event(*family_, event, name());
    for (const std::uint32_t id : source.recorded) {
        on(id, [&](Device& device) { device.event_synchronize(source.parts.at(id)); });
    }
}

bool MeshDevice::event_query(EventId event) {
    const FamilyLock lock = lock_working();
    const MeshEvent& source = event_of(*family_, event, name());
    bool has_happened = !source.recorded.empty();
    for (const std::uint32_t id : source.recorded) {
        has_happened = on(id, [&](Device& device) { return device.event_query(source.parts.at(id)); }) && has_happened;
    }
    return has_happened;
}

void MeshDevice::finish(std::uint32_t queue) {
    const FamilyLock lock = lock_working();
    on_all([queue](Device& device) { device.finish(queue); });
}

void MeshDevice::synchronize() {
    const FamilyLock lock = lock_working();
    on_all([](Device& device) { device.synchronize(); });
}

}  // namespace pianola::host
