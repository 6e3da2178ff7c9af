// What host tools say of a refusal besides the rule: its numbers, and what to do.
//
// A target has a rule's id and message only.
#pragma once

#include <string>

#include "pianola/session.h"

namespace pianola::capture {

// The numbers of a refusal, as "found 7, expected or limit 5"; "found at least 7, limit 5" for a capacity, because the
// runtime stops there and does not know the need; "found 64 bytes at 0x80003780" for bytes at fault. Empty if they are
// equal, encode commands, or are the id of an absent kernel.
[[nodiscard]] std::string describe_numbers(const Verdict& verdict);
[[nodiscard]] bool names_commands(Rule rule) noexcept;  // instead of numbers
[[nodiscard]] bool names_bytes(Rule rule) noexcept;     // actual is their address, limit their number

// For a file that a capacity of the device's profile refuses: the smallest profile that takes it, and other remedies,
// as a sentence. Empty for every other rule.
[[nodiscard]] std::string capacity_remedy(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                                          const Trust& trust, const Verdict& verdict);

// What helps against a refusal of the file, which was judged for that device and under that trust: a profile or another
// program, the device that the binary names, or the remedy of rules.inc. `why_not` says why the file was not judged for
// the device that it names; empty if it was. Empty for an accepted file.
[[nodiscard]] std::string remedy_of(const Verdict& verdict, ByteSpan file, const DeviceDescription& device,
                                    const CommandSet& command_set, const std::string& why_not, const Trust& trust);

}  // namespace pianola::capture
