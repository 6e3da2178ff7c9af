// Profiles by name, and what to do about a file that needs more than its device's has.
//
// What the command line, the host API and the Python package say of rules CAP-*.
#pragma once

#include <string>

#include "pianola/session.h"

namespace pianola::capture {

// nullptr where there is none of that name.
[[nodiscard]] const Capacities* find_profile(const std::string& name) noexcept;

// Of a file that a capacity of the device's profile refuses: the smallest profile that takes it, and what else helps,
// as a sentence. Empty for every other rule.
[[nodiscard]] std::string capacity_remedy(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                                          const Trust& trust, const Verdict& verdict);

// The numbers of a refusal, as "found 7, expected or limit 5"; "found at least 7, limit 5" of a capacity, because the
// runtime stops where it is exceeded and does not know the need; "found 64 bytes at 0x80003780" of bytes at fault.
// Empty where they are equal, and where they stand for commands and mean nothing by themselves.
[[nodiscard]] std::string describe_numbers(const Verdict& verdict);
[[nodiscard]] bool names_commands(Rule rule) noexcept;  // in place of numbers
[[nodiscard]] bool names_bytes(Rule rule) noexcept;     // actual is their address, limit how many there are

}  // namespace pianola::capture
