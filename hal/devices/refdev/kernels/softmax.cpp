#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/exponential_row.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = SoftmaxArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

constexpr std::uint64_t kOperationsPerElement = 32U;

// The least number represents a probability of 0.
template <typename Output>
constexpr std::int32_t kZero = std::is_same_v<Output, std::int8_t> ? INT8_MIN : INT16_MIN;

// The row's sum as a Q0.31 factor to divide by it, and the right shift that goes with the factor.
struct Reciprocal {
    std::int32_t factor;
    std::uint32_t shift;
};

// `sum` is positive: the largest element adds 1.
template <typename Output>
[[nodiscard]] Reciprocal reciprocal_of(std::int32_t sum) noexcept {
    constexpr std::uint32_t kTop = std::uint32_t{1} << 31U;
    constexpr std::uint32_t kOutputFractionalBits = std::numeric_limits<std::make_unsigned_t<Output>>::digits;
    std::uint32_t mantissa = static_cast<std::uint32_t>(sum);
    std::uint32_t headroom = 0U;
    while ((mantissa < kTop) && (headroom < kRowSumIntegerBits)) {
        mantissa <<= 1U;
        headroom += 1U;
    }
    const std::int32_t factor = one_over_one_plus(static_cast<std::int32_t>(mantissa & (kTop - 1U)));
    return Reciprocal{factor, (kRowSumIntegerBits - headroom) + (31U - kOutputFractionalBits)};
}

template <typename Output>
[[nodiscard]] std::int32_t probability(const Reciprocal& reciprocal, std::int32_t exponential) noexcept {
    constexpr std::uint32_t kWidth = 32U;
    if (reciprocal.shift >= kWidth) {
        return kZero<Output>;  // less than half of the smallest probability
    }
    const std::int32_t quotient =
        rounding_shift_right(rounding_doubling_high_multiply(reciprocal.factor, exponential), reciprocal.shift);
    return clamp_to(quotient + kZero<Output>, kZero<Output>, std::numeric_limits<Output>::max());
}

// Each element is read for the last time before its output is written, so in-place operation is safe.
template <typename Output>
void compute_row(const Arguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    const DifferenceScale scale{a.input_multiplier, a.input_left_shift, a.diff_min};
    const RowSum row = row_sum(scale, input, a.depth);
    const Reciprocal reciprocal = reciprocal_of<Output>(row.sum);
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        const std::int32_t difference = input[i] - row.largest;
        store_element<Output>(output, i,
                              (difference >= a.diff_min)
                                  ? probability<Output>(reciprocal, scale.exponential(difference))
                                  : kZero<Output>);
    }
}

template <typename Output>
void compute(const Arguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    for (std::uint32_t row = 0U; row < a.rows; ++row) {
        compute_row<Output>(a, input, output);
        input += a.depth;
        output += std::size_t{a.depth} * sizeof(Output);
    }
}

}  // namespace

Status describe_softmax(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    const std::uint32_t output_bytes = rescaled_bytes(a.output_type);
    const bool accepted =
        check.require((a.output_type == kTypeInt8) || (a.output_type == kTypeInt16),
                      word_of(offsetof(Arguments, output_type))) &&
        check.require(is_aligned_to(a.output, output_bytes), word_of(offsetof(Arguments, output))) &&
        check.operand(word_of(offsetof(Arguments, input)), elements, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), bounded_product(elements, output_bytes), Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted, kOperationsPerElement * elements);
}

Status compute_softmax(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.output_type == kTypeInt8) {
        compute<std::int8_t>(a, bound.inputs[0], bound.output);
    } else {
        compute<std::int16_t>(a, bound.inputs[0], bound.output);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
