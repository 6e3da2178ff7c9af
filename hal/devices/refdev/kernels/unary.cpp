#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/arithmetic.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = UnaryArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

[[nodiscard]] bool is_scalar_accepted(const Arguments& a) noexcept {
    if ((a.op != UnaryOp::kAddScalar) && (a.op != UnaryOp::kMulScalar)) {
        return a.scalar == 0;
    }
    return (a.type != kTypeInt8) || ((a.scalar >= INT8_MIN) && (a.scalar <= INT8_MAX));
}

template <typename Element>
[[nodiscard]] std::int32_t result_of(UnaryOp op, std::int32_t value, std::int32_t scalar) noexcept {
    using Type = Arithmetic<Element>;
    switch (op) {
        case UnaryOp::kNegate:
            return Type::subtract(0, value);
        case UnaryOp::kAbs:
            return (value < 0) ? Type::subtract(0, value) : value;
        case UnaryOp::kRelu:
            return larger_of(value, 0);
        case UnaryOp::kAddScalar:
            return Type::add(value, scalar);
        case UnaryOp::kMulScalar:
            return Type::multiply(value, scalar);
        case UnaryOp::kSquare:
            return Type::multiply(value, value);
        case UnaryOp::kUnspecified:
        case UnaryOp::kCopy:
        default:
            return value;
    }
}

template <typename Element>
void compute(const Arguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        store_element<Element>(output, i, result_of<Element>(a.op, load_element<Element>(input, i), a.scalar));
    }
}

}  // namespace

Status describe_unary(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t element_bytes = type_bytes(a.type);
    const std::uint64_t size_bytes = bounded_product(a.count, element_bytes);
    const bool accepted =
        check.require(element_bytes != 0U, word_of(offsetof(Arguments, type))) &&
        check.require(is_scalar_accepted(a), word_of(offsetof(Arguments, scalar))) &&
        check.require(is_aligned(a.input, a.type), word_of(offsetof(Arguments, input))) &&
        check.require(is_aligned(a.output, a.type), word_of(offsetof(Arguments, output))) &&
        check.operand(word_of(offsetof(Arguments, input)), size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), size_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted, a.count);
}

Status compute_unary(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.type == kTypeInt8) {
        compute<std::int8_t>(a, bound.inputs[0], bound.output);
    } else {
        compute<std::int32_t>(a, bound.inputs[0], bound.output);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
