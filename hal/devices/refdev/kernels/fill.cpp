#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = FillArguments;

constexpr std::uint32_t kPatternBytes = sizeof(Arguments::pattern);

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

}  // namespace

Status describe_fill(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const bool accepted =
        check.require((a.size_bytes % kPatternBytes) == 0U, word_of(offsetof(Arguments, size_bytes))) &&
        check.require((a.destination % kPatternBytes) == 0U, word_of(offsetof(Arguments, destination))) &&
        check.operand(word_of(offsetof(Arguments, destination)), a.size_bytes, Access::kWrite);
    return check.finish(accepted, 0U);
}

Status compute_fill(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    for (std::uint32_t at = 0U; at < a.size_bytes; at += kPatternBytes) {
        std::memcpy(bound.output + at, &a.pattern, kPatternBytes);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
