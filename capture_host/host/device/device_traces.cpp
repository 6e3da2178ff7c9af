// Traces of a device.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture_host/host/device/device_state.h"
#include "capture_host/host/program/kernel_words.h"

namespace pianola::host {
namespace {

std::vector<AddressRange> listed(const RangeSet& set) {
    std::vector<AddressRange> list;
    for (const ByteRange& range : set.ranges()) {
        list.push_back({static_cast<std::uint32_t>(range.begin), static_cast<std::uint32_t>(range.end - range.begin)});
    }
    return list;
}

std::uint32_t bytes_of(const std::vector<std::uint32_t>& words) {
    return static_cast<std::uint32_t>(words.size() * sizeof(std::uint32_t));
}

std::uint64_t cost_of(const DeviceState& state, const TraceState& trace) {
    return targets::measure_trace(state.command_set, trace.words).cycles;
}

// The same for maps that may be written and for others.
template <typename Traces>
auto& find_trace(Traces& traces, TraceId id) {
    const auto found = traces.find(id.value);
    if (found == traces.end()) {
        throw HostError{
            HostRule::kTraceUnknown,
            fmt::format("trace {} is not there: it was never captured to its end or loaded here, or has been "
                        "released",
                        id.value)};
    }
    return found->second;
}

// What expect_input() was promised.
void check_inputs(const TraceState& trace) {
    for (const auto& [name, input] : trace.inputs) {
        const std::shared_ptr<Buffer> buffer = input.buffer.lock();
        if ((buffer == nullptr) || !buffer->is_allocated()) {
            throw HostError{
                HostRule::kTraceInput,
                fmt::format("input '{}' of trace {} was buffer {} at 0x{:08X}, which has been deallocated: the "
                            "trace would read whatever lies there; allocate the input at this address again and "
                            "pass it to expect_input, or keep it allocated",
                            name, trace.id.value, input.id.value, input.address)};
        }
    }
}

// Each consequence once.
void warn(TraceState& trace, std::vector<std::string>& warnings) {
    for (const std::string& consequence : trace.consequences) {
        warnings.push_back("executed all the same: " + consequence);
    }
    trace.consequences.clear();
}

}  // namespace

TraceState& DeviceState::trace(TraceId id) {
    return find_trace(traces, id);
}

const TraceState& DeviceState::trace(TraceId id) const {
    return find_trace(traces, id);
}

std::uint32_t DeviceState::trace_address(const TraceState& trace) const {
    return spec.dram_base + (spec.dram_bytes - spec.trace_region_bytes) + trace.region_offset;
}

void DeviceState::write_words(std::uint32_t queue, std::uint32_t address,
                              const std::vector<std::uint32_t>& words) const {
    const std::vector<std::uint8_t> bytes = targets::bytes_of(words);
    transfers->write(queue, address, {bytes.data(), bytes.size()});
}

void DeviceState::replay(std::uint32_t queue, std::uint32_t address, std::size_t word_count) const {
    QueueCommand command;
    command.kind = QueueCommandKind::kReplay;
    command.address = address;
    command.size_bytes = static_cast<std::uint32_t>(word_count * sizeof(std::uint32_t));
    queues->enqueue(queue, command);
}

TraceState& DeviceState::place_trace(TraceState trace) {
    const std::uint64_t bytes = std::uint64_t{trace.words.size()} * sizeof(std::uint32_t);
    const std::optional<std::uint32_t> offset = trace_region.allocate(bytes, kAllocationAlignment, nullptr);
    if (!offset.has_value()) {
        const std::uint64_t need = align_up(trace_region.used_bytes() + bytes, kAllocationAlignment);
        throw HostError{
            HostRule::kTraceRegion,
            fmt::format("creating a trace of {} bytes, but of the trace region's {} bytes {} are in use, and the "
                        "largest gap has {}: open the device with trace_region_size {} or more, or release traces",
                        bytes, trace_region.total_bytes(), trace_region.used_bytes(), trace_region.largest_free_bytes(),
                        std::max<std::uint64_t>(need, trace_region.total_bytes()))};
    }
    trace.region_offset = *offset;
    // Executions may come on any queue, so the words must be there before this call ends.
    write_words(trace.queue, trace_address(trace), trace.words);
    finish_call(trace.queue, true);
    std::vector<std::uint8_t> there(bytes);
    if (!is_ok(sim->device().read_back(trace_address(trace), {there.data(), there.size()})) ||
        (targets::words_of(there) != trace.words)) {
        trace_region.free(*offset);
        throw HostError{HostRule::kDeviceFault, "the trace region does not hold what was written to it"};
    }
    trace.last_queue = trace.queue;
    const std::uint64_t id = trace.id.value;
    return traces[id] = std::move(trace);
}

TraceId Device::begin_trace_capture(std::uint32_t queue) {
    const Lock lock{state_->mutex};
    const RecordingScope recording{state_->recorder};
    state_->check_queue(queue);
    std::optional<DeviceState::Capturing>& capture = state_->capturing.at(queue);
    if (capture.has_value()) {
        throw HostError{HostRule::kTraceBusyQueue,
                        fmt::format("queue {} captures trace {} already; end it first, or use another queue", queue,
                                    capture->id.value)};
    }
    const TraceId id{next_id()};
    capture = DeviceState::Capturing{id, {}, {}, {}, state_->speaker, {}};
    return id;
}

void Device::end_trace_capture(std::uint32_t queue, TraceId trace) {
    const Lock lock{state_->mutex};
    const RecordingScope recording{state_->recorder};
    state_->check_queue(queue);
    auto& capturing = state_->capturing.at(queue);
    if (!capturing.has_value() || (capturing->id != trace)) {
        throw HostError{
            HostRule::kTraceNotCapturing,
            fmt::format("queue {} does not capture trace {}; end a capture on the queue on which it was begun, "
                        "with the id that begin_trace_capture gave, and once",
                        queue, trace.value)};
    }
    const TraceWords words = std::move(capturing->words);
    std::vector<Overwritten> overwritten = std::move(capturing->overwritten);
    RangeSet needs = std::move(capturing->needs);
    capturing.reset();
    if (words.programs().empty()) {
        throw HostError{HostRule::kTraceEmpty,
                        "no program was enqueued between begin_trace_capture and end_trace_capture"};
    }
    TraceState made;
    made.id = trace;
    made.queue = queue;
    made.words = words.finished();
    made.commands = words.commands();
    for (const Assembled& program : words.programs()) {
        made.reads.add(program.reads);
        made.writes.add(program.writes);
    }
    made.programs = program_infos(words);
    made.commands.push_back({static_cast<std::uint32_t>(made.words.size() - 1U),
                             0U,
                             0U,
                             static_cast<std::uint32_t>(words.programs().size()),
                             0U,
                             {}});
    for (const auto& [id, buffer] : state_->buffers) {
        if (touches(made.reads, *buffer) || touches(made.writes, *buffer)) {
            made.buffers.push_back({"", buffer->config(), buffer->offset_, nullptr});
        }
    }
    made.cost_cycles = cost_of(*state_, made);
    made.overwritten = std::move(overwritten);
    made.needs = std::move(needs);
    (void)state_->place_trace(std::move(made));
}

void Device::discard_trace_capture(std::uint32_t queue) {
    const Lock lock{state_->mutex};
    state_->check_queue(queue);
    state_->capturing.at(queue).reset();
}

void Device::execute_trace(std::uint32_t queue, TraceId trace, bool blocking) {
    const Lock lock{state_->mutex};
    const RecordingScope recording{state_->recorder};
    state_->check_not_capturing(queue, "executing a trace");
    TraceState& target = state_->trace(trace);
    check_inputs(target);
    state_->check_race(queue, fmt::format("trace {}", trace.value), target.moved ? target.moved->first : target.reads,
                       target.moved ? target.moved->second : target.writes);
    warn(target, state_->warnings);
    if (target.last_queue != queue) {
        // A parameter may be on its way on the other queue. The program has not asked for this wait: it orders nothing.
        state_->transfers->drain();
        target.last_queue = queue;
    }
    state_->note_access(target.needs, target.writes);
    for (Overwritten& entry : target.overwritten) {
        entry.destroyed = true;
    }
    state_->replay(queue, state_->trace_address(target), target.words.size());
    state_->finish_call(queue, blocking);
    recording([&](CallRecorder& recorder) { recorder.on_replay(queue, trace); });
}

void Device::release_trace(TraceId trace) {
    const Lock lock{state_->mutex};
    const RecordingScope recording{state_->recorder};
    state_->check_open();
    const TraceState& target = state_->trace(trace);
    state_->transfers->drain();  // its last execution may be under way; the program has not asked for this wait
    state_->trace_region.free(target.region_offset);
    state_->traces.erase(trace.value);
}

bool Device::is_capturing(std::uint32_t queue) const {
    const Lock lock{state_->mutex};
    state_->check_queue(queue);
    return state_->capturing.at(queue).has_value();
}

TraceInfo Device::trace_info(TraceId trace) const {
    const Lock lock{state_->mutex};
    const TraceState& target = std::as_const(*state_).trace(trace);
    return {trace,
            target.queue,
            state_->trace_address(target),
            bytes_of(target.words),
            static_cast<std::uint32_t>(target.commands.size()),
            target.cost_cycles,
            target.programs,
            listed(target.reads),
            listed(target.writes)};
}

std::vector<std::uint32_t> Device::read_back_trace(TraceId trace) {
    const Lock lock{state_->mutex};
    state_->check_open();
    const TraceState& target = state_->trace(trace);
    state_->drain();
    std::vector<std::uint8_t> bytes(bytes_of(target.words));
    if (!is_ok(state_->sim->device().read_back(state_->trace_address(target), {bytes.data(), bytes.size()}))) {
        throw HostError{HostRule::kDeviceFault, "the trace region cannot be read back"};
    }
    return targets::words_of(bytes);
}

std::uint32_t Device::trace_region_bytes_used() const {
    const Lock lock{state_->mutex};
    return static_cast<std::uint32_t>(state_->trace_region.used_bytes());
}

void Device::expect_input(TraceId trace, const BufferPtr& buffer, const std::string& name) {
    const Lock lock{state_->mutex};
    state_->check_open();
    TraceState& target = state_->trace(trace);
    check_buffer(buffer);
    for (const AddressRange& run : buffer->runs()) {
        if (!target.reads.contains(run.address, std::uint64_t{run.address} + run.bytes)) {
            throw HostError{
                HostRule::kTraceInput,
                fmt::format("trace {} does not read the {} bytes at 0x{:08X} of buffer {}: it was captured with "
                            "an input at another address; allocate the input where it lay during the capture "
                            "(first fit gives the same address for the same sequence of calls)",
                            trace.value, run.bytes, run.address, buffer->id().value)};
        }
    }
    target.inputs[name] = ExpectedInput{buffer, buffer->id(), buffer->address()};
}

std::vector<NamedBuffer> Device::trace_buffers(TraceId trace) const {
    const Lock lock{state_->mutex};
    std::vector<NamedBuffer> buffers;
    for (const TracedBuffer& traced : std::as_const(*state_).trace(trace).buffers) {
        if (traced.buffer != nullptr) {
            buffers.push_back({traced.name, traced.buffer});
        }
    }
    return buffers;
}

}  // namespace pianola::host
