#include "hal/kernels/argument_words.h"
#include "hal/kernels/exponential.h"
#include "hal/kernels/kernels.h"
#include "hal/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = SoftmaxArguments;

constexpr std::uint32_t kSumIntegerBits = 12U;  // the row's sum is in Q12.19

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

constexpr std::uint64_t kOperationsPerElement = 32U;

// The row's sum as a Q0.31 factor to divide by it, and the right shift that goes with the factor.
struct Reciprocal {
    std::int32_t factor;
    std::uint32_t shift;
};

// exp(element - largest) in Q0.31.
[[nodiscard]] std::int32_t exp_of_difference(const Arguments& a, std::int32_t difference) noexcept {
    const std::int32_t shifted = wrapping_shift_left(difference, static_cast<std::uint32_t>(a.input_left_shift));
    return exp_of_negative<5U>(rounding_doubling_high_multiply(shifted, a.input_multiplier));
}

// `sum` is positive: the largest element adds 1.
[[nodiscard]] Reciprocal reciprocal_of(std::int32_t sum) noexcept {
    constexpr std::uint32_t kTop = std::uint32_t{1} << 31U;
    constexpr std::uint32_t kOutputFractionalBits = 8U;
    std::uint32_t mantissa = static_cast<std::uint32_t>(sum);
    std::uint32_t headroom = 0U;
    while ((mantissa < kTop) && (headroom < kSumIntegerBits)) {
        mantissa <<= 1U;
        headroom += 1U;
    }
    const std::int32_t factor = one_over_one_plus(static_cast<std::int32_t>(mantissa & (kTop - 1U)));
    return Reciprocal{factor, (kSumIntegerBits - headroom) + (31U - kOutputFractionalBits)};
}

[[nodiscard]] std::int8_t probability(const Reciprocal& reciprocal, std::int32_t exponential) noexcept {
    constexpr std::uint32_t kWidth = 32U;
    if (reciprocal.shift >= kWidth) {
        return INT8_MIN;  // less than half of the smallest probability
    }
    const std::int32_t quotient =
        rounding_shift_right(rounding_doubling_high_multiply(reciprocal.factor, exponential), reciprocal.shift);
    return static_cast<std::int8_t>(clamp_to(quotient + INT8_MIN, INT8_MIN, INT8_MAX));
}

// Each element is read for the last time before its output is written: in place is safe.
void compute_row(const Arguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    std::int32_t largest = INT8_MIN;
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        largest = larger_of(largest, input[i]);
    }
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        const std::int32_t difference = input[i] - largest;
        if (difference >= a.diff_min) {
            sum = wrapping_add(sum, rounding_shift_right(exp_of_difference(a, difference), kSumIntegerBits));
        }
    }
    const Reciprocal reciprocal = reciprocal_of(sum);
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        const std::int32_t difference = input[i] - largest;
        output[i] = (difference >= a.diff_min) ? probability(reciprocal, exp_of_difference(a, difference))
                                               : static_cast<std::int8_t>(INT8_MIN);
    }
}

}  // namespace

Status describe_softmax(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t size_bytes = bounded_product(a.rows, a.depth);
    const bool accepted =
        check.operand(word_of(offsetof(Arguments, input)), size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), size_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted, kOperationsPerElement * size_bytes);
}

Status run_softmax(WordSpan arguments, const DeviceMemory& memory) noexcept {
    BoundOperands bound;
    const Status status = bind_operands(describe_softmax, arguments, memory, bound);
    if (!is_ok(status)) {
        return status;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::int8_t* input = bound.inputs[0];
    std::int8_t* output = bound.output;
    for (std::uint32_t row = 0U; row < a.rows; ++row) {
        compute_row(a, input, output);
        input += a.depth;
        output += a.depth;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
