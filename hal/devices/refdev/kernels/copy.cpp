#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = CopyArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

}  // namespace

Status describe_copy(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const bool accepted =
        check.operand(word_of(offsetof(Arguments, source)), a.size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, destination)), a.size_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, destination)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, 0U);
}

Status compute_copy(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    std::memcpy(bound.output, bound.inputs[0], a.size_bytes);
    return Status::kOk;
}

}  // namespace pianola::refdev
