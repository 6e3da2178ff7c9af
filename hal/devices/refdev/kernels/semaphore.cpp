#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/kernels.h"

namespace pianola::refdev {
namespace {

using Arguments = SemaphoreArguments;

constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);

[[nodiscard]] std::uint32_t load_word(const std::int8_t* word) noexcept {
    return static_cast<std::uint32_t>(load_element<std::int32_t>(word, 0U));
}

void store_word(std::int8_t* word, std::uint32_t value) noexcept {
    std::memcpy(word, &value, kWordBytes);
}

}  // namespace

Status describe_semaphore(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t address_word = word_of(offsetof(Arguments, address));
    const bool accepted = check.require((a.address % kWordBytes) == 0U, address_word) &&
                          ((a.op == SemaphoreOp::kSet) || check.operand(address_word, kWordBytes, Access::kRead)) &&
                          ((a.op == SemaphoreOp::kWait) || check.operand(address_word, kWordBytes, Access::kWrite));
    return check.finish(accepted);
}

void work_semaphore(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    work.operations = 1U;
    work.turns = {1U, (a.op == SemaphoreOp::kIncrement) ? 1U : 0U};
}

Status compute_semaphore(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.op == SemaphoreOp::kSet) {
        store_word(bound.output, a.value);
        return Status::kOk;
    }
    const std::uint32_t word = load_word(bound.inputs[0]);
    if (a.op == SemaphoreOp::kIncrement) {
        store_word(bound.output, word + a.value);
        return Status::kOk;
    }
    return (word >= a.value) ? Status::kOk : Status::kRefused;
}

}  // namespace pianola::refdev
