// Arithmetic element by element, in int8 or int32.
#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/arithmetic.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

[[nodiscard]] bool is_scalar_accepted(const UnaryArguments& a) noexcept {
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
void compute(const UnaryArguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        store_element<Element>(output, i, result_of<Element>(a.op, load_element<Element>(input, i), a.scalar));
    }
}

}  // namespace

Status describe_unary(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<UnaryArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const UnaryArguments a = arguments_from_words<UnaryArguments>(arguments);
    const std::uint32_t element_bytes = type_bytes(a.type);
    const std::uint64_t size_bytes = bounded_product(a.count, element_bytes);
    const bool accepted =
        check.require(element_bytes != 0U, word_of(offsetof(UnaryArguments, type))) &&
        check.require(is_scalar_accepted(a), word_of(offsetof(UnaryArguments, scalar))) &&
        check.require(is_aligned(a.input, a.type), word_of(offsetof(UnaryArguments, input))) &&
        check.require(is_aligned(a.output, a.type), word_of(offsetof(UnaryArguments, output))) &&
        check.operand(word_of(offsetof(UnaryArguments, input)), size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(UnaryArguments, output)), size_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(UnaryArguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

namespace {

// Which of Work::turns counts the elements of an operation.
[[nodiscard]] constexpr std::size_t term_of(UnaryOp op, std::uint32_t type) noexcept {
    const bool is_int8 = type == kTypeInt8;
    switch (op) {
        case UnaryOp::kNegate:
            return is_int8 ? 1U : 7U;
        case UnaryOp::kAbs:
            return is_int8 ? 2U : 8U;
        case UnaryOp::kRelu:
            return is_int8 ? 3U : 9U;
        case UnaryOp::kAddScalar:
            return is_int8 ? 4U : 10U;
        case UnaryOp::kMulScalar:
        case UnaryOp::kSquare:
            return is_int8 ? 5U : 10U;
        case UnaryOp::kUnspecified:
        case UnaryOp::kCopy:
        default:
            return is_int8 ? 6U : 11U;
    }
}

}  // namespace

void work_unary(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const UnaryArguments a = arguments_from_words<UnaryArguments>(arguments);
    work.operations = a.count;
    work.turns[0] = 1U;
    work.turns[term_of(a.op, a.type)] = a.count;
}

Status compute_unary(WordSpan arguments, const BoundOperands& bound) noexcept {
    const UnaryArguments a = arguments_from_words<UnaryArguments>(arguments);
    if (a.type == kTypeInt8) {
        compute<std::int8_t>(a, bound.inputs[0], bound.output);
    } else {
        compute<std::int32_t>(a, bound.inputs[0], bound.output);
    }
    return Status::kOk;
}

namespace {

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
void compute(const BinaryArguments& a, const std::int8_t* input1, const std::int8_t* input2,
             std::int8_t* output) noexcept {
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        store_element<Element>(
            output, i, result_of<Element>(a.op, load_element<Element>(input1, i), load_element<Element>(input2, i)));
    }
}

}  // namespace

Status describe_binary(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<BinaryArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const BinaryArguments a = arguments_from_words<BinaryArguments>(arguments);
    const std::uint32_t element_bytes = type_bytes(a.type);
    const std::uint64_t size_bytes = bounded_product(a.count, element_bytes);
    const bool accepted =
        check.require(element_bytes != 0U, word_of(offsetof(BinaryArguments, type))) &&
        check.require(is_aligned(a.input1, a.type), word_of(offsetof(BinaryArguments, input1))) &&
        check.require(is_aligned(a.input2, a.type), word_of(offsetof(BinaryArguments, input2))) &&
        check.require(is_aligned(a.output, a.type), word_of(offsetof(BinaryArguments, output))) &&
        check.operand(word_of(offsetof(BinaryArguments, input1)), size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(BinaryArguments, input2)), size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(BinaryArguments, output)), size_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(BinaryArguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

namespace {

constexpr std::size_t kBinaryTerms = 5U;

[[nodiscard]] constexpr std::size_t binary_term_of(BinaryOp op) noexcept {
    switch (op) {
        case BinaryOp::kSubtract:
            return 1U;
        case BinaryOp::kMultiply:
            return 2U;
        case BinaryOp::kMinimum:
        case BinaryOp::kMaximum:
            return 3U;
        case BinaryOp::kEqual:
            return 4U;
        case BinaryOp::kUnspecified:
        case BinaryOp::kAdd:
        default:
            return 0U;
    }
}

}  // namespace

void work_binary(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const BinaryArguments a = arguments_from_words<BinaryArguments>(arguments);
    work.operations = a.count;
    work.turns[0] = 1U;
    work.turns[1U + binary_term_of(a.op) + ((a.type == kTypeInt8) ? 0U : kBinaryTerms)] = a.count;
}

Status compute_binary(WordSpan arguments, const BoundOperands& bound) noexcept {
    const BinaryArguments a = arguments_from_words<BinaryArguments>(arguments);
    if (a.type == kTypeInt8) {
        compute<std::int8_t>(a, bound.inputs[0], bound.inputs[1], bound.output);
    } else {
        compute<std::int32_t>(a, bound.inputs[0], bound.inputs[1], bound.output);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
