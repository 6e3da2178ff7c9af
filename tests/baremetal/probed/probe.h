// Probe: sees every command that a device core executes, and may do something to the core.
//
// It is linked (option --wrap) around ExecutionLog::append(), which the device's firmware calls once for each command,
// and around board::wait_for_signal(): the firmware itself is the product's, and has no hook. State lies in memory that
// all cores see.
#pragma once

#include <cstdint>

namespace pianola::baremetal {

// After `commands` more commands of `queue`, the core that serves it never does anything again.
void stop_core_after(std::uint32_t queue, std::uint32_t commands) noexcept;

// From now on each device core calls this behind every command that it executes. nullptr: none.
void call_after_commands(void (*action)() noexcept) noexcept;

// From now on notes the order in which cores do what they do.
void start_recording() noexcept;
// The ECU core looks at the device: part of that order.
void note_look() noexcept;

// What was noted since start_recording().
struct Order {
    std::uint32_t events{0U};
    std::uint32_t preemptions{0U};
    std::uint64_t hash{0U};
    bool complete{false};  // false: more than there was room for
};
[[nodiscard]] Order recorded_order() noexcept;

}  // namespace pianola::baremetal
