#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/arithmetic.h"
#include "hal/devices/refdev/kernels/inverse_square_root.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = L2NormalizationArguments;

constexpr std::uint64_t kOperationsPerElement = 4U;
constexpr std::int32_t kOutputFractionBits = 7;

// Each element is read for the last time before its output is written, so in-place operation is safe.
void compute_row(const Arguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    std::int32_t sum = 0;  // of at most 2^15 squares below 2^16
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        const std::int32_t number = input[i] - a.input_zero_point;
        sum = wrapping_add(sum, number * number);
    }
    const RootScale root = inverse_square_root(sum);
    const Scale scale{root.multiplier, root.shift + kOutputFractionBits};
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        output[i] = static_cast<std::int8_t>(clamp_to(scale.apply(input[i] - a.input_zero_point), INT8_MIN, INT8_MAX));
    }
}

}  // namespace

Status describe_l2_normalization(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    const bool accepted =
        check.operand(word_of(offsetof(Arguments, input)), elements, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), elements, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_l2_normalization(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t elements = bounded_product(a.rows, a.depth);
    work.operations = kOperationsPerElement * elements;
    work.turns = {1U, a.rows, elements};
}

Status compute_l2_normalization(WordSpan arguments, const BoundOperands& bound) noexcept {
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
