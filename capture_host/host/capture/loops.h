// Finds the loop of a program that has no marks.
//
// Used by discovery.h. Calls are compared by their shapes first, then by their results (data_flow.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "capture_host/host/capture/data_flow.h"

namespace pianola::host {

using Calls = std::vector<Call>;

struct Loop {
    std::size_t first{0U};   // index of its first call
    std::size_t period{0U};  // calls of a turn
    std::size_t turns{0U};
    std::size_t before{0U};  // calls before it that are like the end of a turn
    std::size_t after{0U};   // calls after it that are like the beginning of a turn

    // Index of the first call after it.
    [[nodiscard]] std::size_t end() const noexcept { return first + (period * turns); }
};

[[nodiscard]] bool is_program(const Call& call);
[[nodiscard]] bool has(const Calls& calls, std::size_t first, std::size_t count, CallKind kind);
[[nodiscard]] Calls part(const Calls& calls, std::size_t first, std::size_t count);
// The data flow of the calls, device by device; equal for turns that compute the same.
[[nodiscard]] std::vector<std::uint64_t> flow_of(const Calls& calls, const CommandSet& command_set);
// A number for each call, equal for calls of one shape on one device.
[[nodiscard]] std::vector<std::size_t> shapes_of(const Calls& calls, const CommandSet& command_set);

// The loop that covers most calls, with a program and a read in each turn; among equals, the one with the shortest
// turns. One entry for each possible beginning of its turns, the likeliest first; empty if there is no loop.
[[nodiscard]] std::vector<Loop> loops_of(const Calls& calls, const CommandSet& command_set);
// The loop with several turns joined into one, for buffers that alternate. It begins where `loop` does and may end some
// turns earlier. Without turns if they do not compute the same.
[[nodiscard]] Loop unrolled(const Calls& calls, const Loop& loop, const CommandSet& command_set);

// Whether a buffer holds one input in one turn and another input in another turn: the inputs cannot be told apart.
[[nodiscard]] bool has_exchanged_inputs(const Calls& calls, const Loop& loop);

// The first difference between the first turn of the loop and the first turn that does not compute the same.
[[nodiscard]] std::string turn_difference(const Calls& calls, const Loop& loop, const CommandSet& command_set);
// The first difference between two apparent turns of a program in which no calls repeat; empty if there are no two
// ranges of calls with a write, a program and a read.
[[nodiscard]] std::string stretch_difference(const Calls& calls, const CommandSet& command_set);

}  // namespace pianola::host
