// Memory, transfers, workloads and events of a mesh.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "capture_host/host/mesh/mesh_family.h"

namespace pianola::host {
namespace {

// A block of a matrix, one way or the other.
template <typename Copy>
void for_rows(const MeshBuffer& buffer, const MeshBuffer::Part& part, const Copy& copy) {
    const std::uint64_t bytes = buffer.config().shard.row_bytes;
    const std::uint64_t row_bytes = buffer.config().global.value_or(GlobalMatrix{}).row_bytes;
    for (std::uint64_t row = 0U; row < buffer.config().shard.rows; ++row) {
        const std::uint64_t there = ((part.row_begin + row) * row_bytes) + part.column_begin_bytes;
        copy(static_cast<std::ptrdiff_t>(there), static_cast<std::ptrdiff_t>(row * bytes),
             static_cast<std::ptrdiff_t>(bytes));
    }
}

void require_size(const MeshBuffer& buffer, std::uint64_t given) {
    if (given != buffer.size_bytes()) {
        throw HostError{HostRule::kBufferSize, fmt::format("{} bytes are given, the mesh buffer at 0x{:08X} takes {}",
                                                           given, buffer.address(), buffer.size_bytes())};
    }
}

}  // namespace

MeshBufferPtr MeshDevice::allocate(const MeshBufferConfig& config) {
    const FamilyLock lock{family_->mutex};
    check_working();
    std::map<MeshCoordinate, MeshBuffer::Part> parts = plan_parts(shape_, config);
    const std::vector<MeshCoordinate> all = coordinates();
    in_step(all, [&](const std::shared_ptr<Device>& device, std::size_t i) {
        parts.at(all[i]).buffer = device->allocate(config.shard);
    });
    for (auto known = family_->buffers.begin(); known != family_->buffers.end();) {
        known = known->second.expired() ? family_->buffers.erase(known) : std::next(known);
    }
    auto buffer = std::make_shared<MeshBuffer>(config, std::move(parts));
    for (const auto& [place, part] : buffer->parts()) {
        family_->buffers[part.buffer->id().value] = buffer;
    }
    return buffer;
}

void MeshDevice::require_mine(const MeshBuffer& buffer) const {
    for (const auto& [place, part] : buffer.parts()) {
        const std::shared_ptr<Device> owner = part.buffer->device();
        const bool is_mine =
            std::any_of(ids_.begin(), ids_.end(), [&](std::uint32_t id) { return family_->devices.at(id) == owner; });
        if (!is_mine) {
            throw MeshError{MeshRule::kForeign,
                            fmt::format("the buffer at 0x{:08X} belongs to devices that are not part of {}",
                                        buffer.address(), name())};
        }
    }
}

void MeshDevice::deallocate(const MeshBufferPtr& buffer) {
    const FamilyLock lock{family_->mutex};
    check_open();
    require_mine(*buffer);
    for (const auto& [place, part] : buffer->parts()) {
        part.buffer->device()->deallocate(part.buffer);
    }
}

void MeshDevice::write_shard(std::uint32_t queue, const MeshBufferPtr& buffer, const MeshCoordinate& coordinate,
                             ByteSpan bytes, bool blocking) {
    const FamilyLock lock{family_->mutex};
    check_working();
    require_mine(*buffer);
    const BufferPtr& shard = buffer->on(coordinate);
    on(device_id(coordinate), [&](Device& device) { device.enqueue_write(queue, shard, bytes, blocking); });
}

ReadHandle MeshDevice::read_shard(std::uint32_t queue, const MeshBufferPtr& buffer, const MeshCoordinate& coordinate,
                                  bool blocking) {
    const FamilyLock lock{family_->mutex};
    check_open();
    require_mine(*buffer);
    const BufferPtr& shard = buffer->on(coordinate);
    return on(device_id(coordinate), [&](Device& device) { return device.enqueue_read(queue, shard, blocking); });
}

void MeshDevice::write(std::uint32_t queue, const MeshBufferPtr& buffer, ByteSpan bytes, bool blocking,
                       const MeshRange& range) {
    const FamilyLock lock{family_->mutex};
    check_working();
    require_mine(*buffer);
    require_size(*buffer, bytes.size());
    const std::vector<MeshCoordinate> places = coordinates(range);
    const Transferring transferring{*family_, places.size()};
    const auto write_part = [&](const MeshCoordinate& place) {
        const MeshBuffer::Part& part = buffer->parts().at(place);
        if (part.is_used) {
            std::vector<std::uint8_t> shard(buffer->shard_bytes());
            for_rows(*buffer, part, [&](std::ptrdiff_t there, std::ptrdiff_t here, std::ptrdiff_t count) {
                std::copy_n(bytes.data() + there, count, shard.begin() + here);
            });
            write_shard(queue, buffer, place, ByteSpan{shard.data(), shard.size()});
        }
    };
    if (buffer->is_sharded()) {
        std::for_each(places.begin(), places.end(), write_part);
    } else {
        as_replicas([&] {
            std::for_each(places.begin(), places.end(),
                          [&](const MeshCoordinate& place) { write_shard(queue, buffer, place, bytes); });
        });
    }
    if (blocking) {
        finish(queue);
    }
}

std::vector<std::uint8_t> MeshDevice::read(std::uint32_t queue, const MeshBufferPtr& buffer) {
    const FamilyLock lock{family_->mutex};
    check_working();
    require_mine(*buffer);
    if (!buffer->is_sharded()) {
        return read_shard(queue, buffer, buffer->parts().begin()->first, true).data();
    }
    const Transferring transferring{*family_, buffer->parts().size()};
    std::map<MeshCoordinate, ReadHandle> reads;  // all are under way before the first is waited for
    for (const auto& [place, part] : buffer->parts()) {
        if (part.is_used) {
            reads[place] = read_shard(queue, buffer, place);
        }
    }
    std::vector<std::uint8_t> bytes(buffer->size_bytes());
    for (const auto& [place, handle] : reads) {
        on(device_id(place), [&, read = handle](Device& /*device*/) { static_cast<void>(read.data()); });
        const std::vector<std::uint8_t>& shard = handle.data();
        for_rows(*buffer, buffer->parts().at(place),
                 [&](std::ptrdiff_t there, std::ptrdiff_t here, std::ptrdiff_t count) {
                     std::copy_n(shard.begin() + here, count, bytes.begin() + there);
                 });
    }
    return bytes;
}

void MeshDevice::for_programs(const MeshWorkload& workload, const std::function<void(Device&, Program&)>& call) const {
    for (const MeshWorkload::Entry& entry : workload.entries()) {
        static_cast<void>(coordinates(entry.range));  // all ranges are right before the first program is enqueued
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
    const FamilyLock lock{family_->mutex};
    check_working();
    for_programs(workload, [](Device& device, Program& program) { device.compile(program); });
}

void MeshDevice::enqueue_workload(std::uint32_t queue, const MeshWorkload& workload, bool blocking) {
    const FamilyLock lock{family_->mutex};
    check_working();
    if (blocking && is_capturing(queue)) {
        finish(queue);  // which says why that is impossible
    }
    for_programs(workload, [queue](Device& device, Program& program) { device.enqueue_program(queue, program); });
    if (blocking) {
        finish(queue);
    }
}

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

EventId MeshDevice::create_event() {
    const FamilyLock lock{family_->mutex};
    check_working();
    MeshEvent event;
    for (const std::uint32_t id : ids_) {
        event.parts[id] = on(id, [](Device& device) { return device.create_event(); });
    }
    const EventId made{next_id()};
    family_->events[made.value] = std::move(event);
    return made;
}

void MeshDevice::record_event(std::uint32_t queue, EventId event, const MeshRange& range) {
    const FamilyLock lock{family_->mutex};
    check_working();
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
    const FamilyLock lock{family_->mutex};
    check_working();
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
    const FamilyLock lock{family_->mutex};
    check_working();
    const MeshEvent& source = recorded_event(*family_, event, name());
    for (const std::uint32_t id : source.recorded) {
        on(id, [&](Device& device) { device.event_synchronize(source.parts.at(id)); });
    }
}

bool MeshDevice::event_query(EventId event) {
    const FamilyLock lock{family_->mutex};
    check_working();
    const MeshEvent& source = event_of(*family_, event, name());
    bool has_happened = !source.recorded.empty();
    for (const std::uint32_t id : source.recorded) {
        has_happened = on(id, [&](Device& device) { return device.event_query(source.parts.at(id)); }) && has_happened;
    }
    return has_happened;
}

void MeshDevice::finish(std::uint32_t queue) {
    const FamilyLock lock{family_->mutex};
    check_working();
    on_all([queue](Device& device) { device.finish(queue); });
}

void MeshDevice::synchronize() {
    const FamilyLock lock{family_->mutex};
    check_working();
    on_all([](Device& device) { device.synchronize(); });
}

}  // namespace pianola::host
