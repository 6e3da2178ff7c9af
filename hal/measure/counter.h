// The core's own counter, where nothing outside counts: one definition for each folder of hal/arch, in counters.
#pragma once

#include <cstdint>

namespace pianola::measure {

// What it counts: "cycles" or "us". Static lifetime.
[[nodiscard]] const char* counter_unit() noexcept;
// Wraps: differences modulo 2^32 are exact, so that no interval between two markers may be as long.
[[nodiscard]] std::uint32_t counter() noexcept;

}  // namespace pianola::measure
