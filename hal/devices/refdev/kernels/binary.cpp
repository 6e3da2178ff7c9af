#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/arithmetic.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = BinaryArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

template <typename Element>
[[nodiscard]] std::int32_t result_of(BinaryOp op, std::int32_t left, std::int32_t right) noexcept {
    using Type = Arithmetic<Element>;
    switch (op) {
        case BinaryOp::kSubtract:
            return Type::subtract(left, right);
        case BinaryOp::kMultiply:
            return Type::multiply(left, right);
        case BinaryOp::kMinimum:
            return smaller_of(left, right);
        case BinaryOp::kMaximum:
            return larger_of(left, right);
        case BinaryOp::kEqual:
            return (left == right) ? 1 : 0;
        case BinaryOp::kUnspecified:
        case BinaryOp::kAdd:
        default:
            return Type::add(left, right);
    }
}

template <typename Element>
void compute(const Arguments& a, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output) noexcept {
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        store_element<Element>(
            output, i, result_of<Element>(a.op, load_element<Element>(input1, i), load_element<Element>(input2, i)));
    }
}

}  // namespace

Status describe_binary(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t element_bytes = type_bytes(a.type);
    const std::uint64_t size_bytes = bounded_product(a.count, element_bytes);
    const bool accepted =
        check.require(element_bytes != 0U, word_of(offsetof(Arguments, type))) &&
        check.require(is_aligned(a.input1, a.type), word_of(offsetof(Arguments, input1))) &&
        check.require(is_aligned(a.input2, a.type), word_of(offsetof(Arguments, input2))) &&
        check.require(is_aligned(a.output, a.type), word_of(offsetof(Arguments, output))) &&
        check.operand(word_of(offsetof(Arguments, input1)), size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, input2)), size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), size_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted, a.count);
}

Status compute_binary(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.type == kTypeInt8) {
        compute<std::int8_t>(a, bound.inputs[0], bound.inputs[1], bound.output);
    } else {
        compute<std::int32_t>(a, bound.inputs[0], bound.inputs[1], bound.output);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
