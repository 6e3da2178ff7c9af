// Logistic function and hyperbolic tangent of 16 bits, from a table of the logistic one.
//
// Pure functions.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::refdev {

// Computation of a function from the table: its interpolated magnitude is added to one start value for numbers from 0,
// and subtracted from another for negative ones.
struct SigmoidCurve {
    std::uint32_t step_bits;  // from one entry to the next
    std::int32_t beyond;      // the magnitude after the table's end
    std::int32_t start;
    std::int32_t negative_start;
    std::uint32_t dropped_bits;

    // Function of a number in 2^-step_bits of an entry, in steps of 2^-15; the number's magnitude is below 2^31.
    // Entries are unsigned with 16 bits: for any entries, nothing exceeds 32 bits, and results have magnitudes of at
    // most 2^15.
    [[nodiscard]] std::int32_t at(const std::int8_t* table, std::int32_t number) const noexcept {
        const std::int32_t result = (number >= 0)
                                        ? (start + magnitude(table, static_cast<std::uint32_t>(number)))
                                        : (negative_start - magnitude(table, 0U - static_cast<std::uint32_t>(number)));
        return floor_shift_right(result, dropped_bits);
    }

  private:
    [[nodiscard]] std::int32_t magnitude(const std::int8_t* table, std::uint32_t operand) const noexcept {
        const std::uint32_t index = operand >> step_bits;
        if (index >= (kSigmoidTableEntries - 1U)) {
            return beyond;
        }
        const std::int32_t base = load_element<std::uint16_t>(table, index);
        const std::int32_t slope = load_element<std::uint16_t>(table, index + 1U) - base;
        const std::int32_t steps = wrapping_shift_left(1, step_bits);
        const auto offset = static_cast<std::int32_t>(operand & (static_cast<std::uint32_t>(steps) - 1U));
        return (base * steps) + (slope * offset);
    }
};
inline constexpr SigmoidCurve kLogistic{9U, 0x7FFF << 10, 1 << 9, (1 << 25) + (1 << 9) - 1, 10U};
inline constexpr SigmoidCurve kTanh{8U, 0xFFFF << 8, (1 << 7) - (1 << 23), (1 << 23) + (1 << 7) - 1, 8U};

}  // namespace pianola::refdev
