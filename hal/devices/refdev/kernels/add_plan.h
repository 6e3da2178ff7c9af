// Parameters shared by all elements of an addition, and the inner loop.
#pragma once

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/scaled_term.h"

namespace pianola::refdev {

struct AddPlan {
    ScaledTerm term1;
    ScaledTerm term2;
    Scale output_scale;
    OutputRange range;

    explicit AddPlan(const AddArguments& a) noexcept
        : term1{a.input1_offset, a.left_shift, Scale{a.input1_multiplier, a.input1_shift}},
          term2{a.input2_offset, a.left_shift, Scale{a.input2_multiplier, a.input2_shift}},
          output_scale{a.output_multiplier, a.output_shift},
          range{a.output_offset, a.activation_min, a.activation_max} {}

    [[nodiscard]] std::int8_t element(std::int32_t input1, std::int32_t input2) const noexcept {
        return range.place(output_scale.apply(wrapping_add(term1.value(input1), term2.value(input2))));
    }
};

// Element by element; the output is disjoint from each input, or in place of it. Scales shift to the right.
void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                  std::uint32_t count) noexcept;

namespace scalar {

inline void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                         std::uint32_t count) noexcept {
    const AddPlan p = plan;  // a copy: stores of int8 may alias it
    for (std::uint32_t i = 0U; i < count; ++i) {
        output[i] = p.element(input1[i], input2[i]);
    }
}

}  // namespace scalar

}  // namespace pianola::refdev
