#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = MatmulInt16Arguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

constexpr std::uint32_t kElementBytes = sizeof(std::int16_t);

// At most kMaxTaps products of 2^30: below 2^47, which WideScale takes.
[[nodiscard]] std::int64_t sum_of_products(const std::int8_t* left, const std::int8_t* right,
                                           std::uint32_t depth) noexcept {
    std::int64_t sum = 0;
    for (std::uint32_t i = 0U; i < depth; ++i) {
        sum += std::int64_t{load_element<std::int16_t>(left, i)} * load_element<std::int16_t>(right, i);
    }
    return sum;
}

}  // namespace

Status describe_matmul_int16(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t left_word = word_of(offsetof(Arguments, left));
    const std::uint32_t right_word = word_of(offsetof(Arguments, right));
    const std::uint32_t output_word = word_of(offsetof(Arguments, output));
    const std::uint64_t elements = bounded_product(a.rows, a.columns);
    const bool accepted =
        check.require(is_aligned_to(a.left, kElementBytes), left_word) &&
        check.require(is_aligned_to(a.right, kElementBytes), right_word) &&
        check.require(is_aligned_to(a.output, kElementBytes), output_word) &&
        check.operand(left_word, bounded_product(a.rows, a.depth, kElementBytes), Access::kRead) &&
        check.operand(right_word, bounded_product(a.columns, a.depth, kElementBytes), Access::kRead) &&
        check.operand(output_word, bounded_product(elements, kElementBytes), Access::kWrite) &&
        check.output_placed(output_word, LaunchCheck::Placement::kApart);
    return check.finish(accepted, elements * a.depth);  // below 2^48
}

Status compute_matmul_int16(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const WideScale scale{a.multiplier, a.shift};
    const std::size_t row_bytes = std::size_t{a.depth} * kElementBytes;
    const std::int8_t* left = bound.inputs[0];
    std::size_t index = 0U;
    for (std::uint32_t row = 0U; row < a.rows; ++row) {
        const std::int8_t* right = bound.inputs[1];
        for (std::uint32_t column = 0U; column < a.columns; ++column) {
            const std::int32_t scaled = scale.apply(sum_of_products(left, right, a.depth));
            store_element<std::int16_t>(bound.output, index, clamp_to(scaled, INT16_MIN, INT16_MAX));
            index += 1U;
            right += row_bytes;
        }
        left += row_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
