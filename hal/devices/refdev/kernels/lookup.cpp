#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/turns.h"

namespace pianola::refdev {
namespace {

using Arguments = LookupArguments;

constexpr std::uint32_t kEntries = 256U;

// Elements are moved whole; their meaning belongs to the table.
template <typename Element>
void look_up(const std::int8_t* input, const std::int8_t* table, std::int8_t* output, std::uint32_t count) noexcept {
    for (std::size_t i = 0U; i < count; ++i) {
        const std::size_t entry = static_cast<std::uint8_t>(input[i]);
        std::memcpy(output + (i * sizeof(Element)), table + (entry * sizeof(Element)), sizeof(Element));
    }
}

}  // namespace

Status describe_lookup(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t output_word = word_of(offsetof(Arguments, output));
    const bool accepted =
        check.require(is_element_size(a.element_bytes), word_of(offsetof(Arguments, element_bytes))) &&
        check.require(is_aligned_to(a.table, a.element_bytes), word_of(offsetof(Arguments, table))) &&
        check.require(is_aligned_to(a.output, a.element_bytes), output_word) &&
        // A table must not be overwritten while it is read, even if the two have the same size.
        check.require(a.output != a.table, output_word) &&
        check.operand(word_of(offsetof(Arguments, input)), a.count, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, table)), bounded_product(kEntries, a.element_bytes), Access::kRead) &&
        check.operand(output_word, bounded_product(a.count, a.element_bytes), Access::kWrite) &&
        check.output_placed(output_word, LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_lookup(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    work.operations = a.count;
    work.turns = {1U, turns_if(a.element_bytes == sizeof(std::int8_t), a.count),
                  turns_if(a.element_bytes == sizeof(std::int16_t), a.count),
                  turns_if(a.element_bytes == sizeof(std::int32_t), a.count)};
}

Status compute_lookup(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.element_bytes == sizeof(std::int8_t)) {
        look_up<std::int8_t>(bound.inputs[0], bound.inputs[1], bound.output, a.count);
    } else if (a.element_bytes == sizeof(std::int16_t)) {
        look_up<std::int16_t>(bound.inputs[0], bound.inputs[1], bound.output, a.count);
    } else {
        look_up<std::int32_t>(bound.inputs[0], bound.inputs[1], bound.output, a.count);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
