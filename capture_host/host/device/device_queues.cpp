// Transfers, programs and events on a device's queues, and races between them.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/device/device_state.h"

namespace pianola::host {
namespace {

void refuse_blocking(const DeviceState& state, std::uint32_t queue, bool blocking) {
    if (blocking) {
        state.check_not_capturing(queue, "a blocking call");
    }
}

std::string capturer_name(std::uint64_t mesh) {
    return (mesh == 0U) ? std::string{"the device by itself"} : fmt::format("mesh {}", mesh);
}

EventState& event_of(DeviceState& state, EventId event) {
    const auto found = state.events.find(event.value);
    if (found == state.events.end()) {
        throw HostError{HostRule::kEventUnknown,
                        fmt::format("event {} is not one of this device's; create_event() gives one", event.value)};
    }
    return found->second;
}

const EventState& recorded_event(DeviceState& state, EventId event) {
    const EventState& found = event_of(state, event);
    if (!found.recorded) {
        throw HostError{
            HostRule::kEventNotRecorded,
            fmt::format("event {} has not been recorded: waiting for it would never end; record it on the other "
                        "queue first",
                        event.value)};
    }
    return found;
}

}  // namespace

void Device::enqueue_write(std::uint32_t queue, const BufferPtr& buffer, ByteSpan host_row_major, bool blocking) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_not_capturing(queue, "a write");
    check_buffer(buffer);
    if (host_row_major.size() != buffer->size_bytes()) {
        throw HostError{
            HostRule::kBufferSize,
            fmt::format("{} bytes are given, buffer {} holds {} ({} rows of {})", host_row_major.size(),
                        buffer->id().value, buffer->size_bytes(), buffer->config().rows, buffer->config().row_bytes)};
    }
    const RangeSet addresses = addresses_of(*buffer);
    state_->check_race(queue, fmt::format("the write of buffer {}", buffer->id().value), {}, addresses);
    state_->note_access({}, addresses);
    state_->transfers->write(queue, *buffer, host_row_major);
    state_->finish_call(queue, blocking);
    recording([&](CallRecorder& recorder) { recorder.on_write(queue, *buffer, host_row_major); });
}

ReadHandle Device::enqueue_read(std::uint32_t queue, const BufferPtr& buffer, bool blocking) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_not_capturing(queue, "a read");
    check_buffer(buffer);
    const RangeSet addresses = addresses_of(*buffer);
    state_->check_race(queue, fmt::format("the read of buffer {}", buffer->id().value), addresses, {});
    state_->note_access(addresses, {});
    const std::shared_ptr<ReadHandle::State> read = state_->transfers->read(queue, *buffer);
    read->clock = state_->race_clock(queue);
    state_->queues->ring(queue);
    if (blocking) {
        state_->queues->wait(queue, read->token);
        state_->transfers->collect();
        state_->complete(read->clock);
    }
    const ReadHandle handle{read};
    recording([&](CallRecorder& recorder) { recorder.on_read(queue, *buffer, handle); });
    return handle;
}

bool ReadHandle::is_ready() const {
    if (state_ == nullptr) {
        return false;
    }
    const std::shared_ptr<Device> device = state_->device.lock();
    if (device == nullptr) {
        return state_->ready;
    }
    const Lock lock{device->state().mutex};
    if (!state_->ready && state_->failure.empty()) {
        device->state().transfers->collect();
    }
    if (state_->ready) {
        device->state().complete(state_->clock);
    }
    return state_->ready;
}

const std::vector<std::uint8_t>& ReadHandle::data() const {
    if (state_ == nullptr) {
        throw HostError{HostRule::kBufferUnknown, "this handle belongs to no read; use what enqueue_read() returned"};
    }
    const std::shared_ptr<Device> device = state_->device.lock();
    if (device != nullptr) {
        const Lock lock{device->state().mutex};
        if (!state_->ready && !state_->failure.empty()) {
            throw HostError{HostRule::kDeviceFault, "the read was not completed: " + state_->failure};
        }
        if (device->is_open()) {
            device->state().queues->wait(state_->queue, state_->token);
            device->state().transfers->collect();
            device->state().complete(state_->clock);
        }
    }
    if (!state_->ready) {
        throw HostError{HostRule::kDeviceClosed, "the device has gone before the read was completed"};
    }
    state_->seen = true;
    return state_->data;
}

bool ReadHandle::is_seen() const noexcept {
    return (state_ != nullptr) && state_->seen;
}

void Device::compile(Program& program) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_open();
    check_structure(state_->spec, program.state());
    state_->place_local_memory(program.state(), shared_from_this());
    if (state_->cache_enabled) {
        state_->compiled.insert(structure_digest(program.state()));
    }
}

void DeviceState::Capturing::append(const Assembled& program) {
    words.append(program);
    for (const ByteRange& range : program.reads.ranges()) {
        for (const ByteRange& needed : writes.missing(range.begin, range.end)) {
            needs.add(needed.begin, needed.end);
        }
    }
    writes.add(program.writes);
    const auto is_written = [&program](const Overwritten& candidate) {
        const BufferPtr owned = candidate.buffer.lock();
        return (owned == nullptr) || touches(program.writes, *owned);
    };
    overwritten.erase(std::remove_if(overwritten.begin(), overwritten.end(), is_written), overwritten.end());
}

void Device::enqueue_program(std::uint32_t queue, Program& program, bool blocking) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_queue(queue);
    refuse_blocking(*state_, queue, blocking);
    check_structure(state_->spec, program.state());
    const std::optional<DeviceState::Capturing>& current = state_->capturing.at(queue);
    if (current.has_value() && (current->mesh != state_->call.mesh)) {
        throw HostError{HostRule::kTraceOwner,
                        fmt::format("program '{}' would become part of trace {}, which {} captures on queue {}; end "
                                    "that capture before, or use another queue",
                                    program.name(), current->id.value, capturer_name(current->mesh), queue)};
    }
    if (state_->compiled.count(structure_digest(program.state())) == 0U) {
        if (state_->capturing.at(queue).has_value()) {
            throw HostError{
                HostRule::kProgramNotCompiled,
                fmt::format("program '{}' has not been compiled, and a trace cannot load new binaries; run or "
                            "compile() it once before begin_trace_capture",
                            program.name())};
        }
        compile(program);
    }
    state_->place_local_memory(program.state(), shared_from_this());
    const Assembled assembled =
        assemble(state_->spec, program.state(), *this,
                 [this](std::uint32_t address, std::uint32_t bytes) { return state_->is_allocated(address, bytes); });
    std::optional<DeviceState::Capturing>& capture = state_->capturing.at(queue);
    if (capture.has_value()) {
        state_->queues->pay_dispatch();
        capture->append(assembled);
        return;
    }
    TraceWords words;
    words.append(assembled);
    const std::vector<std::uint32_t> finished = words.finished();
    const std::uint64_t bytes = finished.size() * sizeof(std::uint32_t);
    if (bytes > state_->options.dispatch_area_bytes) {
        throw HostError{
            HostRule::kProgramSize,
            fmt::format("program '{}' takes {} bytes of commands, the dispatch area has {}; open the device with "
                        "a larger dispatch_area_bytes, or split the program",
                        program.name(), bytes, state_->options.dispatch_area_bytes)};
    }
    state_->check_race(queue, fmt::format("program '{}'", program.name()), assembled.reads, assembled.writes);
    state_->note_access(assembled.reads, assembled.writes);
    // One area per queue is enough: a queue writes it again only after the previous replay.
    const std::uint32_t area = state_->dispatch_base + (queue * state_->options.dispatch_area_bytes);
    state_->write_words(queue, area, finished);
    state_->replay(queue, area, finished.size());
    state_->queues->pay_dispatch();
    state_->finish_call(queue, blocking);
    recording([&](CallRecorder& recorder) { recorder.on_program(queue, assembled); });
}

bool Device::fits(const Program& program) const {
    const Lock lock{state_->mutex};
    state_->check_open();
    if (surely_fits(state_->spec, program.state(), state_->options.dispatch_area_bytes)) {
        return true;
    }
    check_structure(state_->spec, program.state());
    TraceWords words;
    words.append(assemble(state_->spec, program.state(), *this, [this](std::uint32_t address, std::uint32_t bytes) {
        return state_->is_allocated(address, bytes);
    }));
    return ((words.finished().size() * sizeof(std::uint32_t)) <= state_->options.dispatch_area_bytes) &&
           fits_proof(state_->spec, program.state(), words.programs().front());
}

std::size_t Device::program_cache_entries() const {
    const Lock lock{state_->mutex};
    return state_->compiled.size();
}

void Device::clear_program_cache() {
    const Lock lock{state_->mutex};
    state_->compiled.clear();
}

void Device::set_program_cache_enabled(bool enabled) {
    const Lock lock{state_->mutex};
    state_->cache_enabled = enabled;
    if (!enabled) {
        state_->compiled.clear();
    }
}

EventId Device::create_event() {
    const Lock lock{state_->mutex};
    state_->check_open();
    const EventId id{next_id()};
    state_->events[id.value] = EventState{};
    return id;
}

void Device::record_event(std::uint32_t queue, EventId event) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_not_capturing(queue, "recording an event");
    EventState& target = event_of(*state_, event);
    // One counter per queue serves all events: it counts the queue's records, and wraps.
    state_->records.at(queue) += 1U;
    QueueCommand command;
    command.kind = QueueCommandKind::kRecordEvent;
    command.event = queue;
    command.value = state_->records.at(queue);
    state_->queues->enqueue(queue, command);
    target = EventState{true, queue, command.value, state_->queues->notify(queue), state_->race_clock(queue)};
    state_->finish_call(queue, false);
    recording([&](CallRecorder& recorder) { recorder.on_record_event(queue, event); });
}

void Device::wait_for_event(std::uint32_t queue, EventId event) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_not_capturing(queue, "waiting for an event");
    const EventState& source = recorded_event(*state_, event);
    if (source.queue != queue) {  // a queue need not wait for itself
        QueueCommand command;
        command.kind = QueueCommandKind::kWaitEvent;
        command.event = source.queue;
        command.value = source.value;
        state_->queues->enqueue(queue, command);
        state_->follow(queue, source.clock);
        state_->finish_call(queue, false);
    }
    recording([&](CallRecorder& recorder) { recorder.on_wait_event(queue, event); });
}

void Device::event_synchronize(EventId event) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_open();
    for (std::uint32_t queue = 0U; queue < state_->spec.queue_count; ++queue) {
        state_->check_not_capturing(queue, "synchronising with an event");
    }
    const EventState& source = recorded_event(*state_, event);
    state_->queues->wait(source.queue, source.token);
    state_->transfers->collect();
    state_->complete(source.clock);
}

bool Device::event_query(EventId event) {
    const Lock lock{state_->mutex};
    state_->check_open();
    const EventState& source = event_of(*state_, event);
    const bool has_happened = source.recorded && state_->queues->is_complete(source.queue, source.token);
    if (has_happened) {
        state_->complete(source.clock);
    }
    return has_happened;
}

}  // namespace pianola::host
