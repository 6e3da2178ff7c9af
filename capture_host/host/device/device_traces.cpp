// Traces of a device, and their parameters.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture_host/host/device/device_state.h"

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

// For constant maps and others.
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

// Throws API-TRACE-INPUT if a buffer that was passed to expect_input() is not allocated.
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

// Warns of each consequence once.
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
    // Any queue may execute the trace, so the words must be in place before this call ends.
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
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_queue(queue);
    std::optional<DeviceState::Capturing>& capture = state_->capturing.at(queue);
    if (capture.has_value()) {
        throw HostError{HostRule::kTraceBusyQueue,
                        fmt::format("queue {} captures trace {} already; end it first, or use another queue", queue,
                                    capture->id.value)};
    }
    const TraceId id{next_id()};
    capture = DeviceState::Capturing{id, {}, {}, {}, state_->call.mesh, {}};
    return id;
}

void Device::end_trace_capture(std::uint32_t queue, TraceId trace) {
    const RecordingScope recording{state_->mutex, state_->recorder};
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
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_not_capturing(queue, "executing a trace");
    TraceState& target = state_->trace(trace);
    check_inputs(target);
    state_->check_race(queue, fmt::format("trace {}", trace.value), target.moved ? target.moved->first : target.reads,
                       target.moved ? target.moved->second : target.writes);
    warn(target, state_->warnings);
    if (target.last_queue != queue) {
        // The other queue may still be writing a parameter. The program has not asked for this wait: it orders nothing.
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
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_open();
    const TraceState& target = state_->trace(trace);
    state_->transfers->drain();  // its last execution may be under way; this wait orders nothing for the program
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

namespace {

[[noreturn]] void refuse_parameter(const std::string& message) {
    throw HostError{HostRule::kTraceParameter, message};
}

const CommandInfo* command_of(const TraceState& trace, std::uint32_t word) {
    for (const CommandInfo& command : trace.commands) {
        const std::uint32_t first = command.word + command.argument_word;
        if ((command.argument_count != 0U) && (word >= first) && (word < (first + command.argument_count))) {
            return &command;
        }
    }
    return nullptr;
}

DecodedCommand decode(const DeviceState& state, const TraceState& trace, const CommandInfo& command, std::uint32_t word,
                      std::uint32_t value, const std::string& name) {
    std::vector<std::uint32_t> words{
        trace.words.begin(), trace.words.begin() + command.word + command.argument_word + command.argument_count};
    words.at(word) = value;
    DecodedCommand found;
    const targets::WalkEnd end = targets::for_each_command(
        state.command_set, words,
        [&](std::uint32_t at, const DecodedCommand& decoded) { found = (at == command.word) ? decoded : found; });
    if (!end.is_whole()) {
        refuse_parameter(
            fmt::format("parameter '{}': with the value {} the device does not accept {} of the command at word {}",
                        name, value, end.refused, command.word));
    }
    return found;
}

// Compares the command with another value in one word with the command as it is now.
void prove(const DeviceState& state, const TraceState& trace, const TraceParameter& parameter, std::uint32_t word,
           std::uint32_t value) {
    const CommandInfo& command = *command_of(trace, word);
    const DecodedCommand now = decode(state, trace, command, word, trace.words.at(word), parameter.name);
    const DecodedCommand then = decode(state, trace, command, word, value, parameter.name);
    if ((now.cost_cycles != then.cost_cycles) || (now.core_cycles != then.core_cycles)) {
        refuse_parameter(fmt::format(
            "parameter '{}': the value {} changes what the command at word {} costs, from {} to {} cycles; only "
            "values that leave it as it is can be parameters",
            parameter.name, value, command.word, now.cost_cycles, then.cost_cycles));
    }
    const bool is_address = parameter.kind == TraceParameterKind::kBufferAddress;
    for (std::size_t i = 0U; i < then.extents.view().size(); ++i) {
        const Extent& before = now.extents.view()[i];
        const Extent& after = then.extents.view()[i];
        if (!is_address && ((before.address != after.address) || (before.size_bytes != after.size_bytes))) {
            refuse_parameter(fmt::format(
                "parameter '{}': the value {} changes {} of the command at word {}; declare it as an address",
                parameter.name, value, after.field, command.word));
        }
        if (is_address && !state.is_allocated(after.address, after.size_bytes)) {
            refuse_parameter(fmt::format(
                "parameter '{}': with the value 0x{:08X} the command at word {} touches {} bytes at 0x{:08X} "
                "({}), which are not allocated",
                parameter.name, value, command.word, after.size_bytes, after.address, after.field));
        }
    }
}

void check_value(const TraceParameter& parameter, std::uint32_t value) {
    if ((value < parameter.minimum) || (value > parameter.maximum) || ((value % parameter.alignment) != 0U)) {
        refuse_parameter(fmt::format("parameter '{}' admits the multiples of {} from {} to {}; {} is none",
                                     parameter.name, parameter.alignment, parameter.minimum, parameter.maximum, value));
    }
}

void check_declaration(const DeviceState& state, const TraceState& trace, const TraceParameter& parameter) {
    if (parameter.name.empty() || parameter.words.empty() || (parameter.alignment == 0U) ||
        (parameter.minimum > parameter.maximum)) {
        refuse_parameter(fmt::format(
            "parameter '{}' needs a name, a word, an alignment above 0, and a minimum that is not above its "
            "maximum",
            parameter.name));
    }
    constexpr std::uint32_t kSign = 0x8000'0000U;
    if (((parameter.minimum ^ parameter.maximum) & kSign) != 0U &&
        (parameter.kind == TraceParameterKind::kRuntimeArgument)) {
        refuse_parameter(fmt::format(
            "parameter '{}' goes from {} to {} and so crosses zero as a signed value; declare values of one sign",
            parameter.name, parameter.minimum, parameter.maximum));
    }
    std::vector<std::uint32_t> words_set;
    for (const TraceParameter& other : trace.parameters) {
        if (other.name == parameter.name) {
            refuse_parameter(fmt::format("parameter '{}' has been declared already", parameter.name));
        }
        words_set.insert(words_set.end(), other.words.begin(), other.words.end());
    }
    for (const std::uint32_t word : parameter.words) {
        const CommandInfo* const command = command_of(trace, word);
        if (command == nullptr) {
            refuse_parameter(
                fmt::format("parameter '{}': word {} of the trace is no kernel's argument; argument_words() and "
                            "address_words() give words that are",
                            parameter.name, word));
        }
        const bool is_address = parameter.kind == TraceParameterKind::kBufferAddress;
        const WordSpan words{trace.words.data(), trace.words.size()};
        const std::uint32_t length = command->argument_word + command->argument_count;
        if (state.command_set.patch_kind(words.subspan(command->word, length), word - command->word) !=
            (is_address ? PatchKind::kAddress : PatchKind::kValue)) {
            refuse_parameter(fmt::format(
                "parameter '{}': argument word {} of the command at word {} is not {}; the kernel's arguments "
                "say which are",
                parameter.name, word - command->word - command->argument_word, command->word,
                is_address ? "the address of an operand" : "a value that changes neither extents nor cost"));
        }
        if (std::find(words_set.begin(), words_set.end(), word) != words_set.end()) {
            refuse_parameter(fmt::format("parameter '{}': word {} of the trace is set already", parameter.name, word));
        }
        words_set.push_back(word);
        const auto is_in = [&](std::uint32_t other) { return command_of(trace, other) == command; };
        if (std::count_if(words_set.begin(), words_set.end(), is_in) > std::int64_t{kMaxPatchesPerCommand}) {
            refuse_parameter(fmt::format("parameter '{}': parameters set more than {} words of the command at word {}",
                                         parameter.name, kMaxPatchesPerCommand, command->word));
        }
    }
}

}  // namespace

void Device::declare_parameter(TraceId trace, const TraceParameter& parameter) {
    const Lock lock{state_->mutex};
    state_->check_open();
    TraceState& target = state_->trace(trace);
    check_declaration(*state_, target, parameter);
    for (const std::uint32_t word : parameter.words) {
        check_value(parameter, target.words.at(word));
        for (const std::uint32_t value : {parameter.minimum, parameter.maximum}) {
            check_value(parameter, value);
            prove(*state_, target, parameter, word, value);
        }
    }
    target.parameters.push_back(parameter);
}

void Device::set_parameter(TraceId trace, const std::string& name, std::uint32_t value) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_open();
    TraceState& target = state_->trace(trace);
    const auto parameter = std::find_if(target.parameters.begin(), target.parameters.end(),
                                        [&name](const TraceParameter& candidate) { return candidate.name == name; });
    if (parameter == target.parameters.end()) {
        refuse_parameter(fmt::format("trace {} has no parameter '{}'; declare it first", trace.value, name));
    }
    state_->check_not_capturing(target.last_queue, "setting a parameter");
    check_value(*parameter, value);
    for (const std::uint32_t word : parameter->words) {
        prove(*state_, target, *parameter, word, value);
    }
    // On the queue that executes the trace: in order with its executions.
    for (const std::uint32_t word : parameter->words) {
        const CommandInfo& command = *command_of(target, word);
        const DecodedCommand decoded = decode(*state_, target, command, word, value, name);
        for (const Extent& extent : decoded.extents.view()) {
            (extent.access == Access::kWrite ? target.writes : target.reads)
                .add(extent.address, std::uint64_t{extent.address} + extent.size_bytes);
        }
        target.words.at(word) = value;
        state_->write_words(target.last_queue,
                            static_cast<std::uint32_t>(state_->trace_address(target) + (word * sizeof(value))),
                            {value});
    }
    if (parameter->kind == TraceParameterKind::kBufferAddress) {
        target.moved.emplace();
        (void)targets::for_each_access(
            state_->command_set, target.words, [&target](Access access, std::uint64_t begin, std::uint64_t end) {
                (access == Access::kWrite ? target.moved->second : target.moved->first).add(begin, end);
            });
    }
    state_->finish_call(target.last_queue, false);
}

std::vector<std::uint32_t> Device::argument_words(TraceId trace, std::uint32_t program, KernelHandle kernel,
                                                  std::uint32_t argument) const {
    const Lock lock{state_->mutex};
    const TraceState& target = std::as_const(*state_).trace(trace);
    std::vector<std::uint32_t> words;
    for (const CommandInfo& command : target.commands) {
        if ((command.argument_count > argument) && (command.program == program) && (command.kernel == kernel.index)) {
            words.push_back(command.word + command.argument_word + argument);
        }
    }
    if (words.empty()) {
        refuse_parameter(fmt::format("trace {} has no kernel {} with an argument {} in its program {}", trace.value,
                                     kernel.index, argument, program));
    }
    return words;
}

std::vector<std::uint32_t> Device::address_words(TraceId trace, const BufferPtr& buffer) const {
    const Lock lock{state_->mutex};
    check_buffer(buffer);
    const TraceState& target = std::as_const(*state_).trace(trace);
    std::vector<std::uint32_t> words;
    auto next = target.commands.begin();
    const auto look = [&](std::uint32_t /*at*/, const DecodedCommand& decoded) {
        if ((next == target.commands.end()) || (next->argument_count == 0U)) {
            next += (next == target.commands.end()) ? 0 : 1;
            return;
        }
        const CommandInfo& command = *next++;
        for (const Extent& extent : decoded.extents.view()) {
            if (extent.address != buffer->address()) {
                continue;
            }
            for (std::uint32_t i = 0U; i < command.argument_count; ++i) {
                const std::uint32_t word = command.word + command.argument_word + i;
                if ((target.words.at(word) == buffer->address()) &&
                    (std::find(words.begin(), words.end(), word) == words.end())) {
                    words.push_back(word);
                }
            }
        }
    };
    (void)targets::for_each_command(state_->command_set, target.words, look);
    if (words.empty()) {
        refuse_parameter(fmt::format("no command of trace {} names the address 0x{:08X} of buffer {}", trace.value,
                                     buffer->address(), buffer->id().value));
    }
    return words;
}

}  // namespace pianola::host
