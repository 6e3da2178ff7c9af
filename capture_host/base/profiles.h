// Profiles by name, and remedies for a file that needs more than its device's profile has.
//
// The command line, the host API and the Python package use them for rules CAP-*.
#pragma once

#include <string>

#include "pianola/session.h"

namespace pianola::capture {

// nullptr if no profile has that name.
[[nodiscard]] const Capacities* find_profile(const std::string& name) noexcept;

// For a file that a capacity of the device's profile refuses: the smallest profile that takes it, and other remedies,
// as a sentence. Empty for every other rule.
[[nodiscard]] std::string capacity_remedy(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                                          const Trust& trust, const Verdict& verdict);

// The numbers of a refusal, as "found 7, expected or limit 5"; "found at least 7, limit 5" for a capacity, because the
// runtime stops there and does not know the need; "found 64 bytes at 0x80003780" for bytes at fault. Empty if they are
// equal, or if they encode commands.
[[nodiscard]] std::string describe_numbers(const Verdict& verdict);
[[nodiscard]] bool names_commands(Rule rule) noexcept;  // instead of numbers
[[nodiscard]] bool names_bytes(Rule rule) noexcept;     // actual is their address, limit their number

}  // namespace pianola::capture
