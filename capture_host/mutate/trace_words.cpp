#include "capture_host/mutate/trace_words.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/refdev_command_set.h"

namespace pianola::mutate {
namespace {

using refdev::header_word;
using refdev::Opcode;

std::uint32_t cost_of(refdev::KernelId id, const Words& arguments) {
    const refdev::Kernel* const kernel = refdev::find_kernel(static_cast<std::uint32_t>(id));
    refdev::Footprint footprint;
    refdev::ArgumentError error;
    if ((kernel == nullptr) || (arguments.size() != kernel->argument_words) ||
        !is_ok(kernel->describe(WordSpan{arguments.data(), arguments.size()}, footprint, error))) {
        throw std::invalid_argument{"the kernel does not accept these arguments"};
    }
    return static_cast<std::uint32_t>(footprint.cost_cycles);
}

}  // namespace

Words words_of(const std::vector<std::uint8_t>& bytes) {
    Words words(bytes.size() / sizeof(std::uint32_t));
    if (!words.empty()) {
        std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
    }
    return words;
}

std::vector<std::uint8_t> bytes_of(const Words& words) {
    std::vector<std::uint8_t> bytes(words.size() * sizeof(std::uint32_t));
    if (!bytes.empty()) {
        std::memcpy(bytes.data(), words.data(), bytes.size());
    }
    return bytes;
}

TraceMeasure measure_trace(const Words& words) {
    const refdev::RefdevCommandSet command_set;
    TraceMeasure measure;
    std::map<std::uint32_t, std::uint64_t> busy;  // until when, by core
    DecodeState decode_state;
    while (measure.words < words.size()) {
        DecodedCommand command;
        DecodeError error;
        if (!is_ok(command_set.decode(WordSpan{&words[measure.words], words.size() - measure.words}, decode_state,
                                      command, error))) {
            break;
        }
        const bool dispatches = command.kind == CommandKind::kDispatch;
        for (const auto& [core, until] : busy) {
            measure.cycles = dispatches ? measure.cycles : std::max(measure.cycles, until);
        }
        measure.cycles += command.cost_cycles;
        if (dispatches) {
            busy[command.core] = std::max(busy[command.core], measure.cycles) + command.core_cycles;
        } else {
            busy.clear();
        }
        measure.words += command.length_words;
        measure.commands += 1U;
    }
    return measure;
}

Words fill_words(std::uint32_t address, std::uint32_t size_bytes, std::uint32_t value) {
    return {header_word(Opcode::kFill, refdev::kFillWords), address, size_bytes, value};
}

Words copy_words(std::uint32_t destination, std::uint32_t source, std::uint32_t size_bytes) {
    return {header_word(Opcode::kCopy, refdev::kCopyWords), destination, source, size_bytes};
}

Words barrier_words() {
    return {header_word(Opcode::kBarrier, 1U)};
}

Words end_words() {
    return {header_word(Opcode::kEnd, 1U)};
}

Words launch_words(refdev::KernelId kernel, const Words& arguments) {
    const auto length = static_cast<std::uint32_t>(refdev::kLaunchHeadWords + arguments.size());
    Words words{header_word(Opcode::kLaunch, length), static_cast<std::uint32_t>(kernel), cost_of(kernel, arguments)};
    append(words, arguments);
    return words;
}

Words dispatch_words(std::uint32_t core, refdev::KernelId kernel, const Words& arguments) {
    const auto length = static_cast<std::uint32_t>(refdev::kDispatchHeadWords + arguments.size());
    Words words{header_word(Opcode::kDispatch, length), core, static_cast<std::uint32_t>(kernel),
                cost_of(kernel, arguments)};
    append(words, arguments);
    return words;
}

}  // namespace pianola::mutate
