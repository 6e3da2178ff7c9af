// Parameters of a device's traces.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture_host/host/device/device_state.h"

namespace pianola::host {
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

// One value in one word, against what the command does now.
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
    const Lock lock{state_->mutex};
    const RecordingScope recording{state_->recorder};
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
