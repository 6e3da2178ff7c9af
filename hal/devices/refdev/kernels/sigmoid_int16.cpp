#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/sigmoid_curve.h"

namespace pianola::refdev {
namespace {

using Arguments = SigmoidInt16Arguments;

constexpr std::uint64_t kOperationsPerElement = 8U;
constexpr std::uint32_t kElementBytes = sizeof(std::int16_t);

void compute(const Arguments& a, const std::int8_t* input, const std::int8_t* table, std::int8_t* output) noexcept {
    const SigmoidCurve curve = (a.op == SigmoidOp::kTanh) ? kTanh : kLogistic;
    const auto shift = static_cast<std::uint32_t>(a.shift);
    const std::int32_t half = (shift > 0U) ? wrapping_shift_left(1, shift - 1U) : 0;
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        // At most 2^15 * (2^15 - 1) + 2^30.
        const std::int32_t operand =
            floor_shift_right((load_element<std::int16_t>(input, i) * a.multiplier) + half, shift);
        store_element<std::int16_t>(output, i, curve.at(table, operand));
    }
}

}  // namespace

Status describe_sigmoid_int16(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t output_word = word_of(offsetof(Arguments, output));
    const bool accepted =
        check.require(is_aligned_to(a.input, kElementBytes), word_of(offsetof(Arguments, input))) &&
        check.require(is_aligned_to(a.table, kElementBytes), word_of(offsetof(Arguments, table))) &&
        check.require(is_aligned_to(a.output, kElementBytes), output_word) &&
        // A table must not be overwritten while it is read, even if the two have the same size.
        check.require(a.output != a.table, output_word) &&
        check.operand(word_of(offsetof(Arguments, input)), bounded_product(a.count, kElementBytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, table)), std::uint64_t{kSigmoidTableEntries} * kElementBytes,
                      Access::kRead) &&
        check.operand(output_word, bounded_product(a.count, kElementBytes), Access::kWrite) &&
        check.output_placed(output_word, LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_sigmoid_int16(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    work.operations = kOperationsPerElement * a.count;
    work.turns = {1U, a.count};
}

Status compute_sigmoid_int16(WordSpan arguments, const BoundOperands& bound) noexcept {
    compute(arguments_from_words<Arguments>(arguments), bound.inputs[0], bound.inputs[1], bound.output);
    return Status::kOk;
}

}  // namespace pianola::refdev
