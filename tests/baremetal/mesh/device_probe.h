// Device probe: sees every command that a device of one core executes, and may do something to the core.
//
// It is linked (option --wrap) around ExecutionLog::append(), which the device's firmware calls once for each command:
// the firmware itself is the product's, and has no hook.
#pragma once

#include <cstdint>

namespace pianola::baremetal {

inline constexpr std::uint32_t kDevices = 2U;

// Behind its next command each device waits until the other one stands behind a command, too: a core that served both
// devices would wait for ever. `round` is larger from call to call.
void ask_for_meeting(std::uint32_t round) noexcept;
// The last meeting that the device has come to.
[[nodiscard]] std::uint32_t last_meeting(std::uint32_t device) noexcept;

// Commands that the device has executed since start-up.
[[nodiscard]] std::uint32_t executed_commands(std::uint32_t device) noexcept;

// After `commands` more commands the device's core never does anything again.
void stop_device_after(std::uint32_t device, std::uint32_t commands) noexcept;

}  // namespace pianola::baremetal
