#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = RequantizeArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

constexpr std::uint64_t kOperationsPerElement = 2U;

}  // namespace

Status describe_requantize(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const bool accepted =
        check.operand(word_of(offsetof(Arguments, input)), a.count, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), a.count, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted, kOperationsPerElement * a.count);
}

Status compute_requantize(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::int8_t* const input = bound.inputs[0];
    std::int8_t* const output = bound.output;
    const Scale scale{a.multiplier, a.shift};
    const OutputRange range{a.output_zero_point, INT8_MIN, INT8_MAX};
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        output[i] = range.place(scale.apply(input[i] - a.input_zero_point));
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
