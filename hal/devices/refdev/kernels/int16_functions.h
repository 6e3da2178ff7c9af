// Functions of int16 by interpolation between the entries of tables.
//
// Tables are in device memory and may have any contents: every result is defined.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::refdev {

// A table of 513 entries over the range of int16, `value` being in that range: 128 steps from one entry to the next,
// halves upwards.
[[nodiscard]] inline std::int32_t interpolated(const std::int8_t* table, std::int32_t value) noexcept {
    constexpr std::uint32_t kStepBits = 7U;
    constexpr std::int32_t kSteps = 1 << kStepBits;
    const auto from_lowest = static_cast<std::uint32_t>(value - INT16_MIN);
    const std::uint32_t index = from_lowest >> kStepBits;
    const auto offset = static_cast<std::int32_t>(from_lowest % static_cast<std::uint32_t>(kSteps));
    const std::int32_t base = load_element<std::int16_t>(table, index);
    const std::int32_t slope = load_element<std::int16_t>(table, index + 1U) - base;
    return base + floor_shift_right((slope * offset) + (kSteps / 2), kStepBits);
}

}  // namespace pianola::refdev
