// Softmax of int16, by interpolation between the entries of tables. These are in device memory and may have any
// contents: every result is defined.
#include <cstdint>

#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

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

constexpr std::uint64_t kOperationsPerElement = 16U;
constexpr std::size_t kElementBytes = sizeof(std::int16_t);

// The factor by which exponentials become probabilities, and the right shift that goes with it.
struct Factor {
    std::int32_t multiplier;
    std::uint32_t shift;
};

// exp(element - largest) in Q0.15, by the table's range of [-10, 0].
[[nodiscard]] std::int32_t exp_of_difference(const Scale& scale, const std::int8_t* table,
                                             std::int32_t difference) noexcept {
    constexpr std::int32_t kLowest = INT16_MIN - INT16_MAX;
    return interpolated(table, clamp_to(scale.apply(difference), kLowest, 0) + INT16_MAX);
}

// 1 / sum, the sum in Q16.15, by the table of 1 / (1 + x). The largest element alone gives a sum of about 2^15; a
// smaller sum comes from a damaged table.
[[nodiscard]] Factor factor_of(std::int32_t sum, const std::int8_t* table) noexcept {
    constexpr std::uint32_t kTop = std::uint32_t{1} << 30U;
    constexpr std::uint32_t kRounding = std::uint32_t{1} << 13U;
    constexpr std::uint32_t kDroppedBits = 14U;
    constexpr std::uint32_t kWidth = 30U;
    constexpr std::int32_t kMiddle = (1 << 15) + (1 << 16);
    constexpr std::int32_t kLeastSum = 2;
    std::uint32_t mantissa = static_cast<std::uint32_t>(larger_of(sum, kLeastSum));
    std::uint32_t shift = kWidth;
    while ((mantissa < kTop) && (shift > 1U)) {
        mantissa <<= 1U;
        shift -= 1U;
    }
    const auto shifted = static_cast<std::int32_t>((mantissa + kRounding) >> kDroppedBits);
    return Factor{interpolated(table, clamp_to(shifted - kMiddle, INT16_MIN, INT16_MAX)), shift};
}

// Each element is read for the last time before its output is written, which keeps its exponential: in place is safe.
void compute_row(const SoftmaxInt16Arguments& a, const std::int8_t* input, const std::int8_t* tables,
                 std::int8_t* output) noexcept {
    const Scale scale{a.multiplier, a.shift};
    std::int32_t largest = INT16_MIN;
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        largest = larger_of(largest, load_element<std::int16_t>(input, i));
    }
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        const std::int32_t exponential =
            exp_of_difference(scale, tables, load_element<std::int16_t>(input, i) - largest);
        store_element<std::int16_t>(output, i, exponential);
        sum = wrapping_add(sum, exponential);
    }
    const Factor factor = factor_of(sum, tables + (kSoftmaxTableEntries * kElementBytes));
    const std::int32_t half = wrapping_shift_left(1, factor.shift - 1U);
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        const std::int32_t product = load_element<std::int16_t>(output, i) * factor.multiplier;
        const std::int64_t rounded = floor_shift_right(std::int64_t{product} + half, factor.shift);
        store_element<std::int16_t>(output, i, clamp_to(static_cast<std::int32_t>(rounded), 0, INT16_MAX));
    }
}

}  // namespace

Status describe_softmax_int16(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<SoftmaxInt16Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const SoftmaxInt16Arguments a = arguments_from_words<SoftmaxInt16Arguments>(arguments);
    const std::uint32_t output_word = word_of(offsetof(SoftmaxInt16Arguments, output));
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    const bool accepted =
        check.require(is_aligned_to(a.input, kElementBytes), word_of(offsetof(SoftmaxInt16Arguments, input))) &&
        check.require(is_aligned_to(a.tables, kElementBytes), word_of(offsetof(SoftmaxInt16Arguments, tables))) &&
        check.require(is_aligned_to(a.output, kElementBytes), output_word) &&
        // Tables must not be overwritten while they are read, even if they have the same size.
        check.require(a.output != a.tables, output_word) &&
        check.operand(word_of(offsetof(SoftmaxInt16Arguments, input)), bounded_product(elements, kElementBytes),
                      Access::kRead) &&
        check.operand(word_of(offsetof(SoftmaxInt16Arguments, tables)),
                      std::uint64_t{kSoftmaxTables} * kSoftmaxTableEntries * kElementBytes, Access::kRead) &&
        check.operand(output_word, bounded_product(elements, kElementBytes), Access::kWrite) &&
        check.output_placed(output_word, LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_softmax_int16(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const SoftmaxInt16Arguments a = arguments_from_words<SoftmaxInt16Arguments>(arguments);
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    work.operations = kOperationsPerElement * elements;
    work.turns = {1U, a.rows, elements};
}

Status compute_softmax_int16(WordSpan arguments, const BoundOperands& bound) noexcept {
    const SoftmaxInt16Arguments a = arguments_from_words<SoftmaxInt16Arguments>(arguments);
    const std::size_t row_bytes = std::size_t{a.depth} * kElementBytes;
    for (std::size_t row = 0U; row < a.rows; ++row) {
        compute_row(a, bound.inputs[0] + (row * row_bytes), bound.inputs[1], bound.output + (row * row_bytes));
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
