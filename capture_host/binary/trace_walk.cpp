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

void QueueTime::wait_for_cores() noexcept {
    now_ = std::max(now_, cores_done_);
    cores_.clear();
    cores_done_ = 0U;
}

QueueTime::Interval QueueTime::execute(CommandKind kind, std::uint64_t cycles, std::uint32_t core,
                                       std::uint64_t core_cycles) {
    if (kind != CommandKind::kDispatch) {
        wait_for_cores();
        now_ += cycles;
        return {};
    }
    now_ += cycles;
    std::uint64_t& free = cores_[core];
    const std::uint64_t begin = std::max(free, now_);
    free = begin + core_cycles;
    cores_done_ = std::max(cores_done_, free);
    return {begin, free};
}

TraceMeasure measure_trace(const CommandSet& command_set, const Words& words) {
    TraceMeasure measure;
    QueueTime time;
    measure.words = for_each_command(command_set, words, [&](std::uint32_t /*word*/, const DecodedCommand& command) {
                        time.execute(command);
                        measure.commands += 1U;
                        if (launches(command)) {
                            measure.kernels.insert(command.kernel_id);
                        }
                    }).word;
    measure.cycles = time.now();
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
    if (launches(command)) {
        const char* const kernel = target.kernel_name(command.kernel_id);
        return (kernel == nullptr) ? "launch" : kernel;
    }
    return kind_name(command.kind);
}

}  // namespace pianola::targets
