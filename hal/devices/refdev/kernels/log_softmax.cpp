#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/exponential_row.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/logarithm.h"

namespace pianola::refdev {
namespace {

using Arguments = LogSoftmaxArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

constexpr std::uint64_t kOperationsPerElement = 32U;
constexpr std::uint32_t kDroppedBits = 22U;   // from Q5.26 to the output's four
constexpr std::int32_t kOneInSum = 1 << 19U;  // Q12.19

// Each element is read for the last time before its output is written, so in-place operation is safe.
void compute_row(const Arguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    const DifferenceScale scale{a.input_multiplier, a.input_left_shift, a.diff_min};
    const RowSum row = row_sum(scale, input, a.depth);
    const std::int32_t log_sum = logarithm(larger_of(row.sum, kOneInSum));
    // Lower values would leave Q5.26 when the logarithm is subtracted.
    const std::int32_t lowest = Scale{a.reverse_multiplier, a.reverse_shift}.apply(wrapping_add(log_sum, INT32_MIN));
    const std::int32_t limit = larger_of(wrapping_subtract(a.diff_min, 1), lowest);
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        const std::int32_t difference = input[i] - row.largest;
        std::int32_t result = INT8_MIN;
        if (difference > limit) {
            const std::int32_t logarithm_of_share = wrapping_subtract(scale.apply(difference), log_sum);
            result = clamp_to(rounding_shift_right(logarithm_of_share, kDroppedBits) + INT8_MAX, INT8_MIN, INT8_MAX);
        }
        output[i] = static_cast<std::int8_t>(result);
    }
}

}  // namespace

Status describe_log_softmax(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    const bool accepted =
        check.operand(word_of(offsetof(Arguments, input)), elements, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), elements, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted, kOperationsPerElement * elements);
}

Status compute_log_softmax(WordSpan arguments, const BoundOperands& bound) noexcept {
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
