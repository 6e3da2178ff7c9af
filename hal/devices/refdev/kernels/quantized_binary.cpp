#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/arithmetic.h"
#include "hal/devices/refdev/kernels/broadcast.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = QuantizedBinaryArguments;
using Op = QuantizedBinaryOp;

constexpr std::uint64_t kOperationsPerElement = 4U;

[[nodiscard]] constexpr bool gives_bytes(Op op) noexcept {
    return (op >= Op::kEqual) && (op <= Op::kLogicalOr);
}

struct Plan {
    ScaledTerm term1;
    ScaledTerm term2;
    Scale output_scale;
    OutputRange range;

    explicit Plan(const Arguments& a) noexcept
        : term1{a.input1_offset, a.left_shift, Scale{a.input1_multiplier, a.input1_shift}},
          term2{a.input2_offset, a.left_shift, Scale{a.input2_multiplier, a.input2_shift}},
          output_scale{a.output_multiplier, a.output_shift},
          range{a.output_offset, a.activation_min, a.activation_max} {}

    [[nodiscard]] std::int32_t product(std::int32_t element1, std::int32_t element2) const noexcept {
        return wrapping_multiply(element1 + term1.offset, element2 + term2.offset);
    }
    [[nodiscard]] std::int32_t output(std::int32_t value) const noexcept {
        return range.clamp(output_scale.apply(value));
    }
};

[[nodiscard]] constexpr std::int32_t bit_if(bool condition) noexcept {
    return condition ? 1 : 0;
}

// Operations that give a byte.
[[nodiscard]] std::int32_t verdict_of(Op op, const Plan& plan, std::int32_t element1, std::int32_t element2) noexcept {
    const std::int32_t left = plan.term1.value(element1);
    const std::int32_t right = plan.term2.value(element2);
    switch (op) {
        case Op::kEqual:
            return bit_if(left == right);
        case Op::kNotEqual:
            return bit_if(left != right);
        case Op::kGreater:
            return bit_if(left > right);
        case Op::kGreaterEqual:
            return bit_if(left >= right);
        case Op::kLess:
            return bit_if(left < right);
        case Op::kLessEqual:
            return bit_if(left <= right);
        case Op::kLogicalAnd:
            return bit_if((element1 != 0) && (element2 != 0));
        default:
            return bit_if((element1 != 0) || (element2 != 0));
    }
}

// Operations that give an element.
[[nodiscard]] std::int32_t element_of(Op op, const Plan& plan, std::int32_t element1, std::int32_t element2) noexcept {
    switch (op) {
        case Op::kAdd:
            return plan.output(wrapping_add(plan.term1.value(element1), plan.term2.value(element2)));
        case Op::kSubtract:
            return plan.output(wrapping_subtract(plan.term1.value(element1), plan.term2.value(element2)));
        case Op::kMultiply:
            return plan.output(plan.product(element1, element2));
        case Op::kMinimum:
            return smaller_of(element1, element2);
        case Op::kMaximum:
            return larger_of(element1, element2);
        case Op::kSquaredDifference: {
            const std::int32_t difference = wrapping_subtract(plan.term1.value(element1), plan.term2.value(element2));
            return plan.output(wrapping_multiply(difference, difference));
        }
        default:
            return ((element1 + plan.term1.offset) >= 0) ? plan.range.clamp(plan.term1.value(element1))
                                                         : plan.output(plan.product(element1, element2));
    }
}

template <typename Element, typename Result, typename Function>
void compute(const Arguments& a, const BoundOperands& bound, Function function) noexcept {
    const Plan plan{a};
    std::size_t to = 0U;
    for_each_run(a.dims, [&](const BroadcastRun& run) {
        std::size_t at1 = run.start(a.strides1);
        std::size_t at2 = run.start(a.strides2);
        for (std::uint32_t i = 0U; i < a.dims[3]; ++i) {
            store_element<Result>(bound.output, to,
                                  function(a.op, plan, load_element<Element>(bound.inputs[0], at1),
                                           load_element<Element>(bound.inputs[1], at2)));
            to += 1U;
            at1 += a.strides1[3];
            at2 += a.strides2[3];
        }
    });
}

template <typename Element>
void compute(const Arguments& a, const BoundOperands& bound) noexcept {
    if (gives_bytes(a.op)) {
        compute<Element, std::int8_t>(a, bound,
                                      [](const auto&... operands) noexcept { return verdict_of(operands...); });
    } else {
        compute<Element, Element>(a, bound, [](const auto&... operands) noexcept { return element_of(operands...); });
    }
}

}  // namespace

Status describe_quantized_binary(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t word1 = word_of(offsetof(Arguments, input1));
    const std::uint32_t word2 = word_of(offsetof(Arguments, input2));
    const std::uint32_t output_word = word_of(offsetof(Arguments, output));
    const std::uint32_t input_bytes = rescaled_bytes(a.type);
    const std::uint32_t output_bytes = gives_bytes(a.op) ? 1U : input_bytes;
    const BroadcastShape shape1 = broadcast_shape(a.dims, a.strides1);
    const BroadcastShape shape2 = broadcast_shape(a.dims, a.strides2);
    const std::uint64_t outputs = bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3]);
    const bool accepted =
        check.require((a.type == kTypeInt8) || (a.type == kTypeInt16), word_of(offsetof(Arguments, type))) &&
        check.require(shape1.wrong_dimension == kBroadcastRank,
                      word_of(offsetof(Arguments, strides1)) + shape1.wrong_dimension) &&
        check.require(shape2.wrong_dimension == kBroadcastRank,
                      word_of(offsetof(Arguments, strides2)) + shape2.wrong_dimension) &&
        check.require((a.activation_min <= a.activation_max) && type_holds(a.type, a.activation_min, a.activation_max),
                      word_of(offsetof(Arguments, activation_min))) &&
        check.require(is_aligned_to(a.input1, input_bytes), word1) &&
        check.require(is_aligned_to(a.input2, input_bytes), word2) &&
        check.require(is_aligned_to(a.output, output_bytes), output_word) &&
        check.operand(word1, bounded_product(shape1.elements, input_bytes), Access::kRead) &&
        check.operand(word2, bounded_product(shape2.elements, input_bytes), Access::kRead) &&
        check.operand(output_word, bounded_product(outputs, output_bytes), Access::kWrite) &&
        check.output_placed(output_word, (output_bytes == input_bytes) ? LaunchCheck::Placement::kApartOrInPlace
                                                                       : LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

namespace {

// Which of Work::turns counts the elements of an operation.
[[nodiscard]] constexpr std::size_t term_of(Op op) noexcept {
    switch (op) {
        case Op::kAdd:
        case Op::kSubtract:
            return 5U;
        case Op::kMultiply:
            return 6U;
        case Op::kMinimum:
        case Op::kMaximum:
            return 7U;
        case Op::kSquaredDifference:
            return 8U;
        case Op::kPrelu:
            return 9U;
        case Op::kLogicalAnd:
        case Op::kLogicalOr:
            return 10U;
        default:
            return 11U;
    }
}

}  // namespace

void work_quantized_binary(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const BroadcastTurns turns{a.dims};
    work.operations = kOperationsPerElement * turns.elements;
    work.turns[0] = 1U;
    work.turns[1] = turns.outer;
    work.turns[2] = turns.middle;
    work.turns[3] = turns.runs;
    work.turns[4] = (a.type == kTypeInt16) ? turns.elements : 0U;
    work.turns[term_of(a.op)] = turns.elements;
}

Status compute_quantized_binary(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.type == kTypeInt8) {
        compute<std::int8_t>(a, bound);
    } else {
        compute<std::int16_t>(a, bound);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
