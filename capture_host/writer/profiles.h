// Profiles by name, and what to do about a file that needs more than its device's has.
//
// Place in the whole: what the command line, the host API and the Python package say of rules CAP-*. Host only.
#pragma once

#include <string>

#include "runtime/session/session.h"

namespace pianola::capture {

// nullptr where there is none of that name.
[[nodiscard]] const Capacities* find_profile(const std::string& name) noexcept;

// Of a file that a capacity of the device's profile refuses: the smallest profile that takes it, and what else helps,
// as a sentence. Empty for every other rule.
[[nodiscard]] std::string capacity_remedy(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                                          const Trust& trust, const Verdict& verdict);

}  // namespace pianola::capture
