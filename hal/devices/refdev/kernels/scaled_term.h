// ScaledTerm: conversion of one quantised operand to a scale shared with another.
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
