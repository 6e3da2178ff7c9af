// ScaledTerm: one quantised operand on its way to a scale that it shares with another.
//
// Place in the whole: shared by the element-wise kernels that compare or add operands of different scales.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::refdev {

struct ScaledTerm {
    std::int32_t offset;
    std::uint32_t left_shift;
    Scale scale;

    [[nodiscard]] constexpr std::int32_t value(std::int32_t element) const noexcept {
        return scale.apply(wrapping_shift_left(element + offset, left_shift));
    }
};

}  // namespace pianola::refdev
