#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/broadcast.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = SelectArguments;

constexpr std::uint64_t kOperationsPerElement = 2U;

// The operands that are read, in the order of their extents.
constexpr std::uint32_t kOperands = 3U;
using OperandStrides = std::array<BroadcastDims, kOperands>;

[[nodiscard]] bool strides_accepted(LaunchCheck& check, const Arguments& a, OperandStrides& strides,
                                    std::array<std::uint64_t, kOperands>& elements) noexcept {
    constexpr std::array<std::size_t, kOperands> kMembers{offsetof(Arguments, condition_strides),
                                                          offsetof(Arguments, strides1), offsetof(Arguments, strides2)};
    strides = {a.condition_strides, a.strides1, a.strides2};
    bool accepted = true;
    for (std::uint32_t i = 0U; accepted && (i < kOperands); ++i) {
        const BroadcastShape shape = broadcast_shape(a.dims, strides[i]);
        elements[i] = shape.elements;
        accepted = check.require(shape.wrong_dimension == kBroadcastRank, word_of(kMembers[i]) + shape.wrong_dimension);
    }
    return accepted;
}

template <typename Element>
void select_elements(const Arguments& a, const BoundOperands& bound) noexcept {
    std::int8_t* output = bound.output;
    for_each_run(a.dims, [&](const BroadcastRun& run) {
        std::size_t condition = run.start(a.condition_strides);
        std::size_t at1 = run.start(a.strides1);
        std::size_t at2 = run.start(a.strides2);
        for (std::uint32_t i = 0U; i < a.dims[3]; ++i) {
            const std::int8_t* const chosen = (bound.inputs[0][condition] != 0)
                                                  ? (bound.inputs[1] + (at1 * sizeof(Element)))
                                                  : (bound.inputs[2] + (at2 * sizeof(Element)));
            // Through a copy, because the output may be either operand itself.
            Element element{};
            std::memcpy(&element, chosen, sizeof(Element));
            std::memcpy(output, &element, sizeof(Element));
            output += sizeof(Element);
            condition += a.condition_strides[3];
            at1 += a.strides1[3];
            at2 += a.strides2[3];
        }
    });
}

}  // namespace

Status describe_select(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    OperandStrides strides{};
    std::array<std::uint64_t, kOperands> elements{};
    const std::uint32_t word1 = word_of(offsetof(Arguments, input1));
    const std::uint32_t word2 = word_of(offsetof(Arguments, input2));
    const std::uint32_t output_word = word_of(offsetof(Arguments, output));
    const std::uint64_t outputs = bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3]);
    const bool accepted =
        check.require(is_element_size(a.element_bytes), word_of(offsetof(Arguments, element_bytes))) &&
        check.require(is_aligned_to(a.input1, a.element_bytes), word1) &&
        check.require(is_aligned_to(a.input2, a.element_bytes), word2) &&
        check.require(is_aligned_to(a.output, a.element_bytes), output_word) &&
        strides_accepted(check, a, strides, elements) &&
        check.operand(word_of(offsetof(Arguments, condition)), elements[0], Access::kRead) &&
        check.operand(word1, bounded_product(elements[1], a.element_bytes), Access::kRead) &&
        check.operand(word2, bounded_product(elements[2], a.element_bytes), Access::kRead) &&
        check.operand(output_word, bounded_product(outputs, a.element_bytes), Access::kWrite) &&
        check.output_placed(output_word, LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_select(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const BroadcastTurns turns{a.dims};
    work.operations = kOperationsPerElement * turns.elements;
    work.turns = {1U,
                  turns.outer,
                  turns.middle,
                  turns.runs,
                  (a.element_bytes == sizeof(std::int8_t)) ? turns.elements : 0U,
                  (a.element_bytes == sizeof(std::int16_t)) ? turns.elements : 0U,
                  (a.element_bytes == sizeof(std::int32_t)) ? turns.elements : 0U};
}

Status compute_select(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.element_bytes == sizeof(std::int8_t)) {
        select_elements<std::int8_t>(a, bound);
    } else if (a.element_bytes == sizeof(std::int16_t)) {
        select_elements<std::int16_t>(a, bound);
    } else {
        select_elements<std::int32_t>(a, bound);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
