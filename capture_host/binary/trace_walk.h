// TraceWalk: the commands of a trace, one after the other.
//
// The one place on the host that decodes commands. All code that shows, draws, measures or changes a trace uses it,
// whatever the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture_host/base/range_set.h"
#include "hal/host/target.h"

namespace pianola::targets {

using Words = std::vector<std::uint32_t>;

// The words of a trace segment, and back. Bytes after the last whole word are left out.
[[nodiscard]] Words words_of(const std::vector<std::uint8_t>& bytes);
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const Words& words);
inline void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

class TraceWalk {
  public:
    explicit TraceWalk(const CommandSet& command_set) noexcept : command_set_{&command_set} {}

    // Decodes the command that `words` begins with. False if it is invalid: error() says why, and the walk ends.
    bool next(WordSpan words) noexcept;
    [[nodiscard]] const DecodedCommand& command() const noexcept { return command_; }
    [[nodiscard]] const DecodeError& error() const noexcept { return error_; }

  private:
    const CommandSet* command_set_;
    DecodeState state_;
    DecodedCommand command_;
    DecodeError error_;
};

// Where a walk over a whole trace ended.
struct WalkEnd {
    std::size_t word{0U};          // after the last valid command
    const char* refused{nullptr};  // the invalid field of the next command; nullptr if there is none
    [[nodiscard]] bool is_whole() const noexcept { return refused == nullptr; }
};

// Calls visit(index of its first word, command) for every command, up to the first invalid one.
template <typename Visit>
WalkEnd for_each_command(const CommandSet& command_set, WordSpan words, Visit visit) {
    TraceWalk walk{command_set};
    WalkEnd end;
    while (end.word < words.size()) {
        if (!walk.next(words.subspan(end.word, words.size() - end.word))) {
            end.refused = walk.error().field;
            return end;
        }
        visit(static_cast<std::uint32_t>(end.word), walk.command());
        end.word += walk.command().length_words;
    }
    return end;
}
template <typename Visit>
WalkEnd for_each_command(const CommandSet& command_set, const Words& words, Visit visit) {
    return for_each_command(command_set, WordSpan{words.data(), words.size()}, visit);
}

// Calls visit(begin, end) for the runs of bytes of an extent. Runs that touch are one.
template <typename Visit>
void for_each_run(const Extent& extent, Visit visit) {
    const bool is_dense = extent.inner.stride_bytes == extent.size_bytes;
    const std::uint64_t bytes = std::uint64_t{extent.size_bytes} * (is_dense ? extent.inner.count : 1U);
    for (std::uint64_t i = 0U; i < extent.outer.count; ++i) {
        for (std::uint64_t k = 0U; k < (is_dense ? 1U : extent.inner.count); ++k) {
            const std::uint64_t begin =
                extent.address + (i * extent.outer.stride_bytes) + (k * extent.inner.stride_bytes);
            visit(begin, begin + bytes);
        }
    }
}

// Calls visit(access, begin, end) for the runs of bytes that a command reads, then for those that it writes.
template <typename Visit>
void for_each_access(const DecodedCommand& command, Visit visit) {
    for (const Access access : {Access::kRead, Access::kWrite}) {
        for (const Extent& extent : command.extents.view()) {
            if (extent.access == access) {
                for_each_run(extent, [&](std::uint64_t begin, std::uint64_t end) { visit(access, begin, end); });
            }
        }
    }
}

// The same for every command of a trace, up to the first invalid one.
template <typename Visit>
WalkEnd for_each_access(const CommandSet& command_set, const Words& words, Visit visit) {
    return for_each_command(command_set, words, [&visit](std::uint32_t /*word*/, const DecodedCommand& command) {
        for_each_access(command, visit);
    });
}

// Bytes of device memory that something reads and writes.
struct AccessedBytes {
    host::RangeSet reads;
    host::RangeSet writes;

    void add(Access access, std::uint64_t begin, std::uint64_t end) {
        (access == Access::kWrite ? writes : reads).add(begin, end);
    }
    void add(const DecodedCommand& command) {
        for_each_access(command,
                        [this](Access access, std::uint64_t begin, std::uint64_t end) { add(access, begin, end); });
    }
};

// The time of a queue that executes commands, in cycles: dispatches run in parallel on their cores, and every other
// command waits for all of them.
class QueueTime {
  public:
    struct Interval {
        std::uint64_t begin{0U};
        std::uint64_t end{0U};
    };

    [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
    void wait_until(std::uint64_t cycles) noexcept { now_ = std::max(now_, cycles); }
    void wait_for_cores() noexcept;
    void advance(std::uint64_t cycles) noexcept { now_ += cycles; }
    // `cycles` of the queue itself. Returns when the core is busy with it; only of a dispatch.
    Interval execute(CommandKind kind, std::uint64_t cycles, std::uint32_t core, std::uint64_t core_cycles);
    void execute(const DecodedCommand& command) {
        (void)execute(command.kind, command.cost_cycles, command.core, command.core_cycles);
    }

  private:
    std::uint64_t now_{0U};
    std::uint64_t cores_done_{0U};
    std::map<std::uint32_t, std::uint64_t> cores_;  // when each core is free
};

// Whether the command is a launch or a dispatch of a kernel.
[[nodiscard]] constexpr bool launches(const DecodedCommand& command) noexcept {
    return (command.kind == CommandKind::kLaunch) || (command.kind == CommandKind::kDispatch);
}

// Measures of the commands before the first invalid one.
struct TraceMeasure {
    std::size_t words{0U};
    std::uint32_t commands{0U};
    std::uint64_t cycles{0U};
    std::set<std::uint32_t> kernels;  // that they launch
};
[[nodiscard]] TraceMeasure measure_trace(const CommandSet& command_set, const Words& words);

// The name of a command: a launch by its kernel.
[[nodiscard]] const char* kind_name(CommandKind kind) noexcept;
[[nodiscard]] const char* command_name(const Target& target, const DecodedCommand& command) noexcept;

}  // namespace pianola::targets
