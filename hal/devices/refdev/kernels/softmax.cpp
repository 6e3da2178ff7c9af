// Softmax over rows, and its logarithm.
//
// Source of the algorithm of logarithms: gemmlowp's logarithm of numbers from 1, a rational function around the fourth
// root of 1/2, of the number scaled near it by a power of two and possibly the square root of 1/2. Constants are the
// named real numbers, rounded. Qm.n is a 32-bit number with m integer and n fractional bits.
#include <cstdint>

#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/exponential.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/turns.h"

namespace pianola::refdev {
namespace {

// exp(element - largest) of the elements of a row. Defined for all operands.
struct DifferenceScale {
    std::int32_t multiplier;
    std::int32_t left_shift;
    std::int32_t least;  // differences below count as exp(...) = 0

    // Difference to the largest element, Q5.26.
    [[nodiscard]] std::int32_t apply(std::int32_t difference) const noexcept {
        const std::int32_t shifted = wrapping_shift_left(difference, static_cast<std::uint32_t>(left_shift));
        return rounding_doubling_high_multiply(shifted, multiplier);
    }
    // exp() of it, Q0.31.
    [[nodiscard]] std::int32_t exponential(std::int32_t difference) const noexcept {
        const std::uint32_t kept = (difference >= least) ? UINT32_MAX : 0U;
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(exp_of_negative<5U>(apply(difference))) & kept);
    }
};

[[nodiscard]] std::int32_t largest_of(const std::int8_t* input, std::uint32_t depth) noexcept {
    std::int32_t largest = INT8_MIN;
    for (std::uint32_t i = 0U; i < depth; ++i) {
        largest = larger_of(largest, input[i]);
    }
    return largest;
}

// A row's sum is in Q12.19: at least 1, as long as the row is at most 4095.
constexpr std::uint32_t kRowSumIntegerBits = 12U;

[[nodiscard]] std::int32_t sum_with(std::int32_t sum, std::int32_t exponential) noexcept {
    return wrapping_add(sum, rounding_shift_right(exponential, kRowSumIntegerBits));
}

// Of the first elements of a row, which are needed twice.
constexpr std::uint32_t kKeptExponentials = 64U;
using Exponentials = std::array<std::int32_t, kKeptExponentials>;

// Leading zero bits of a positive number.
[[nodiscard]] constexpr std::int32_t leading_zeros(std::int32_t value) noexcept {
    std::int32_t zeros = 1;
    std::uint32_t rest = static_cast<std::uint32_t>(value) << 1U;
    while ((rest < (std::uint32_t{1} << 31U)) && (zeros < 31)) {
        rest <<= 1U;
        zeros += 1;
    }
    return zeros;
}

// Argument of the rational function: a number from the square root of 1/2 to 1 in Q0.31, and the extracted power of two
// in Q6.25.
struct ReducedNumber {
    std::int32_t mantissa;
    std::int32_t power;
};

// `value` is 1 and above, in Q12.19.
[[nodiscard]] constexpr ReducedNumber reduced(std::int32_t value) noexcept {
    constexpr std::int32_t kIntegerBits = 12;
    constexpr std::int32_t kHalfSqrt2 = 1518500250;  // Q0.31
    constexpr std::int32_t kQuarter = 1 << 23;       // Q6.25
    constexpr std::int32_t kOne = 1 << 25;           // Q6.25
    const std::int32_t zeros = leading_zeros(value);
    const std::int32_t whole = wrapping_shift_left(value, static_cast<std::uint32_t>(zeros - 1));
    const std::int32_t reduced_by_root = saturating_shift_left(rounding_doubling_high_multiply(whole, kHalfSqrt2), 1U);
    const std::int32_t power_by_root = ((kIntegerBits - zeros) * kOne) + kQuarter;
    const std::int32_t other_zeros = leading_zeros(rounding_doubling_high_multiply(value, kHalfSqrt2)) - 1;
    const std::int32_t other =
        (other_zeros > 0) ? saturating_shift_left(value, static_cast<std::uint32_t>(other_zeros)) : value;
    const std::int32_t other_power = ((kIntegerBits - other_zeros) * kOne) - kQuarter;
    return ReducedNumber{smaller_of(reduced_by_root, other), larger_of(power_by_root, other_power)};
}

// log(value), in Q5.26, of a value of 1 and above in Q12.19.
[[nodiscard]] constexpr std::int32_t logarithm(std::int32_t value) noexcept {
    constexpr std::int32_t kLog2 = 1488522236;      // Q0.31, as all of these
    constexpr std::int32_t kCentre = 1805811301;    // 2^(-1/4)
    constexpr std::int32_t kCube = 117049297;       // 11/240 * 2^(1/4)
    constexpr std::int32_t kConstant = 1057819769;  // 2 / 2^(1/4) - 2^(1/4)
    constexpr std::int32_t kTwentieth = 127690142;  // 2^(1/4) / 20
    constexpr std::int32_t kQuarter = 638450708;    // 2^(1/4) / 4
    constexpr std::uint32_t kNumeratorBits = 6U;
    const ReducedNumber number = reduced(value);
    const std::int64_t sum = static_cast<std::int64_t>(number.mantissa) + kCentre;
    const std::int32_t p = static_cast<std::int32_t>((sum + 1) / 2);
    const std::int32_t q = wrapping_shift_left(wrapping_subtract(number.mantissa, kCentre), 1U);
    const std::int32_t q2 = rounding_doubling_high_multiply(q, q);
    const std::int32_t numerator =
        wrapping_add(rounding_doubling_high_multiply(q, number.mantissa),
                     rounding_doubling_high_multiply(rounding_doubling_high_multiply(q, q2), kCube));
    const std::int32_t series =
        wrapping_add(wrapping_add(kConstant, q), rounding_doubling_high_multiply(kTwentieth, q2));
    const std::int32_t denominator =
        wrapping_add(rounding_doubling_high_multiply(p, series), rounding_doubling_high_multiply(kQuarter, q));
    const std::int32_t quotient = rounding_doubling_high_multiply(rounding_shift_right(numerator, kNumeratorBits),
                                                                  one_over_one_plus(denominator));
    return saturating_shift_left(wrapping_add(rounding_doubling_high_multiply(number.power, kLog2), quotient), 1U);
}

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
void compute_row(const SoftmaxArguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    const DifferenceScale scale{a.input_multiplier, a.input_left_shift, a.diff_min};
    const std::int32_t largest = largest_of(input, a.depth);
    const std::uint32_t kept = (a.depth < kKeptExponentials) ? a.depth : kKeptExponentials;
    Exponentials exponentials;  // NOLINT(pianola-misra-11.6.1): DEV-039
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < kept; ++i) {
        exponentials[i] = scale.exponential(input[i] - largest);
        sum = sum_with(sum, exponentials[i]);
    }
    for (std::uint32_t i = kept; i < a.depth; ++i) {
        sum = sum_with(sum, scale.exponential(input[i] - largest));
    }
    const Reciprocal reciprocal = reciprocal_of<Output>(sum);
    for (std::uint32_t i = 0U; i < kept; ++i) {
        store_element<Output>(output, i, probability<Output>(reciprocal, exponentials[i]));
    }
    for (std::uint32_t i = kept; i < a.depth; ++i) {
        store_element<Output>(output, i, probability<Output>(reciprocal, scale.exponential(input[i] - largest)));
    }
}

template <typename Output>
void compute_rows(const SoftmaxArguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    for (std::uint32_t row = 0U; row < a.rows; ++row) {
        compute_row<Output>(a, input, output);
        input += a.depth;
        output += std::size_t{a.depth} * sizeof(Output);
    }
}

}  // namespace

Status describe_softmax(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<SoftmaxArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const SoftmaxArguments a = arguments_from_words<SoftmaxArguments>(arguments);
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    const std::uint32_t output_bytes = rescaled_bytes(a.output_type);
    const bool accepted =
        check.require((a.output_type == kTypeInt8) || (a.output_type == kTypeInt16),
                      word_of(offsetof(SoftmaxArguments, output_type))) &&
        check.require(is_aligned_to(a.output, output_bytes), word_of(offsetof(SoftmaxArguments, output))) &&
        check.operand(word_of(offsetof(SoftmaxArguments, input)), elements, Access::kRead) &&
        check.operand(word_of(offsetof(SoftmaxArguments, output)), bounded_product(elements, output_bytes),
                      Access::kWrite) &&
        check.output_placed(word_of(offsetof(SoftmaxArguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_softmax(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const SoftmaxArguments a = arguments_from_words<SoftmaxArguments>(arguments);
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    work.operations = kOperationsPerElement * elements;
    const bool is_short = a.output_type == kTypeInt8;
    const std::uint64_t kept = a.rows * std::uint64_t{(a.depth < kKeptExponentials) ? a.depth : kKeptExponentials};
    work.turns = {1U, a.rows, kept, elements - kept, turns_if(!is_short, elements)};
}

Status compute_softmax(WordSpan arguments, const BoundOperands& bound) noexcept {
    const SoftmaxArguments a = arguments_from_words<SoftmaxArguments>(arguments);
    if (a.output_type == kTypeInt8) {
        compute_rows<std::int8_t>(a, bound.inputs[0], bound.output);
    } else {
        compute_rows<std::int16_t>(a, bound.inputs[0], bound.output);
    }
    return Status::kOk;
}

namespace {

constexpr std::uint32_t kDroppedBits = 22U;   // from Q5.26 to the output's four
constexpr std::int32_t kOneInSum = 1 << 19U;  // Q12.19

// Each element is read for the last time before its output is written, so in-place operation is safe.
void compute_row(const LogSoftmaxArguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    const DifferenceScale scale{a.input_multiplier, a.input_left_shift, a.diff_min};
    const std::int32_t largest = largest_of(input, a.depth);
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        sum = sum_with(sum, scale.exponential(input[i] - largest));
    }
    const std::int32_t log_sum = logarithm(larger_of(sum, kOneInSum));
    // Lower values would leave Q5.26 when the logarithm is subtracted.
    const std::int32_t lowest = Scale{a.reverse_multiplier, a.reverse_shift}.apply(wrapping_add(log_sum, INT32_MIN));
    const std::int32_t limit = larger_of(wrapping_subtract(a.diff_min, 1), lowest);
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        const std::int32_t difference = input[i] - largest;
        std::int32_t result = INT8_MIN;
        if (difference > limit) {
            const std::int32_t logarithm_of_share = wrapping_subtract(scale.apply(difference), log_sum);
            result = clamp_to(rounding_shift_right(logarithm_of_share, kDroppedBits) + INT8_MAX, INT8_MIN, INT8_MAX);
        }
        output[i] = static_cast<std::int8_t>(result);
    }
}

}  // namespace

Status describe_log_softmax(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<LogSoftmaxArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const LogSoftmaxArguments a = arguments_from_words<LogSoftmaxArguments>(arguments);
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    const bool accepted =
        check.operand(word_of(offsetof(LogSoftmaxArguments, input)), elements, Access::kRead) &&
        check.operand(word_of(offsetof(LogSoftmaxArguments, output)), elements, Access::kWrite) &&
        check.output_placed(word_of(offsetof(LogSoftmaxArguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_log_softmax(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const LogSoftmaxArguments a = arguments_from_words<LogSoftmaxArguments>(arguments);
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    work.operations = kOperationsPerElement * elements;
    work.turns = {1U, a.rows, elements};
}

Status compute_log_softmax(WordSpan arguments, const BoundOperands& bound) noexcept {
    const LogSoftmaxArguments a = arguments_from_words<LogSoftmaxArguments>(arguments);
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
