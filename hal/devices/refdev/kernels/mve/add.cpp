// Addition on cores with the vector extension: four elements at once.
#include <arm_mve.h>

#include "hal/devices/refdev/kernels/add_plan.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kLanes = 4U;

// Scale::apply() for shifts from -31 to 0. VQRDMULH is the first rounding, VRSHL the second; it rounds halves up;
// subtracting the sign bit first makes that away from zero, if any bits are dropped.
struct VectorScale {
    std::int32_t multiplier;
    int32x4_t shifts;
    int32x4_t sign_bits;  // all bits if the shift is below 0

    explicit VectorScale(const Scale& scale) noexcept
        : multiplier{scale.multiplier()},
          shifts{vdupq_n_s32(scale.shift())},
          sign_bits{vdupq_n_s32((scale.shift() < 0) ? -1 : 0)} {}

    [[nodiscard]] int32x4_t apply(int32x4_t values) const noexcept {
        constexpr std::int32_t kSign = 31;
        const int32x4_t high = vqrdmulhq_n_s32(values, multiplier);
        return vrshlq_s32(vaddq_s32(high, vandq_s32(vshrq_n_s32(high, kSign), sign_bits)), shifts);
    }
};

struct VectorTerm {
    std::int32_t offset;
    std::int32_t left_shift;
    VectorScale scale;

    explicit VectorTerm(const ScaledTerm& term) noexcept
        : offset{term.offset}, left_shift{static_cast<std::int32_t>(term.left_shift)}, scale{term.scale} {}

    [[nodiscard]] int32x4_t values(int32x4_t elements) const noexcept {
        return scale.apply(vshlq_r_s32(vaddq_n_s32(elements, offset), left_shift));
    }
};

}  // namespace

void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                  std::uint32_t count) noexcept {
    const VectorTerm term1{plan.term1};
    const VectorTerm term2{plan.term2};
    const VectorScale scale{plan.output_scale};
    const OutputRange range = plan.range;
    const auto elements = [&term1, &term2, &scale, &range](int32x4_t first, int32x4_t second) {
        const int32x4_t scaled = scale.apply(vaddq_s32(term1.values(first), term2.values(second)));
        const int32x4_t fitting =
            vminq_s32(vmaxq_s32(scaled, vdupq_n_s32(range.lowest())), vdupq_n_s32(range.highest()));
        return vaddq_n_s32(fitting, range.offset());
    };
    std::uint32_t left = count;
    for (; left >= kLanes; left -= kLanes) {
        vstrbq_s32(output, elements(vldrbq_s32(input1), vldrbq_s32(input2)));
        input1 += kLanes;
        input2 += kLanes;
        output += kLanes;
    }
    if (left != 0U) {
        const mve_pred16_t inside = vctp32q(left);
        vstrbq_p_s32(output, elements(vldrbq_z_s32(input1, inside), vldrbq_z_s32(input2, inside)), inside);
    }
}

}  // namespace pianola::refdev
