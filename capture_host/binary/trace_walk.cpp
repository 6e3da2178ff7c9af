#include "capture_host/binary/trace_walk.h"

#include <algorithm>
#include <cstring>

namespace pianola::targets {

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

bool TraceWalk::next(WordSpan words) noexcept {
    command_.clear();
    if (!is_ok(command_set_->decode(words, state_, command_, error_))) {
        return false;
    }
    if ((command_.length_words == 0U) || (command_.length_words > words.size())) {  // a port that breaks its contract
        error_ = {"length_words", 0U, false, false};
        return false;
    }
    return true;
}

void TraceCost::add(const DecodedCommand& command) {
    if (command.kind != CommandKind::kDispatch) {  // every other command waits for all cores
        cycles_ = std::max(cycles_, last_core_cycles_);
    }
    cycles_ += command.cost_cycles;
    if (command.kind == CommandKind::kDispatch) {
        std::uint64_t& core = core_cycles_[command.core];
        core = std::max(core, cycles_) + command.core_cycles;
        last_core_cycles_ = std::max(last_core_cycles_, core);
    }
}

TraceMeasure measure_trace(const CommandSet& command_set, const Words& words) {
    TraceMeasure measure;
    TraceCost cost;
    measure.words = for_each_command(command_set, words, [&](std::uint32_t /*word*/, const DecodedCommand& command) {
                        cost.add(command);
                        measure.commands += 1U;
                    }).word;
    measure.cycles = cost.cycles();
    return measure;
}

const char* kind_name(CommandKind kind) noexcept {
    switch (kind) {
        case CommandKind::kLaunch:
            return "launch";
        case CommandKind::kDispatch:
            return "dispatch";
        case CommandKind::kCopy:
            return "copy";
        case CommandKind::kFill:
            return "fill";
        case CommandKind::kBarrier:
            return "barrier";
        case CommandKind::kEnd:
            return "end";
        case CommandKind::kUnspecified:
        default:
            return "?";
    }
}

const char* command_name(const Target& target, const DecodedCommand& command) noexcept {
    if ((command.kind == CommandKind::kLaunch) || (command.kind == CommandKind::kDispatch)) {
        const char* const kernel = target.kernel_name(command.kernel_id);
        return (kernel == nullptr) ? "launch" : kernel;
    }
    return kind_name(command.kind);
}

}  // namespace pianola::targets
