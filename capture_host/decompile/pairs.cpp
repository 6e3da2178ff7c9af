#include <algorithm>

#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/scales.h"
#include "capture_host/decompile/shapes.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;
using Arguments = refdev::QuantizedBinaryArguments;
using Op = refdev::QuantizedBinaryOp;
using refdev::KernelId;

// An operand as large as the output: axes count from the last, and one that has a single index repeats it.
Tokens repeated_operand(const Operation& op, std::size_t input) {
    const Shape& shape = op.in(input).shape;
    const Shape& out = op.out().shape;
    if (shape.size() > out.size()) {
        Operation::not_understood("an operand of more dimensions than its output");
    }
    const std::size_t front = out.size() - shape.size();
    Tokens tokens;
    for_each_index(out, [&](const Shape& index) {
        Shape from(shape.size(), 0U);
        for (std::size_t axis = 0U; axis < shape.size(); ++axis) {
            from[axis] = (shape[axis] == 1U) ? 0U : index[front + axis];
        }
        append_element(tokens, op.bytes(input), offset_of(shape, from), element_bytes_of(op.in(input)));
    });
    return tokens;
}

Arguments plain(const Operation& op, Op kind) {
    Arguments a{};
    a.type = is_int16(op.in(0U)) ? refdev::kTypeInt16 : refdev::kTypeInt8;
    a.op = kind;
    a.input1_offset = -zero_point_of(op.in(0U));
    a.input2_offset = -zero_point_of(op.in(1U));
    a.output_offset = zero_point_of(op.out());
    return a;
}

void set(Arguments& a, const Multiplier& first, const Multiplier& second, const Multiplier& output) {
    a.input1_multiplier = first.mantissa;
    a.input1_shift = first.shift;
    a.input2_multiplier = second.mantissa;
    a.input2_shift = second.shift;
    a.output_multiplier = output.mantissa;
    a.output_shift = output.shift;
}

void bound(Arguments& a, const Bounds& bounds) {
    a.activation_min = bounds.lowest;
    a.activation_max = bounds.highest;
}

void compute_pair(Operation& op, const Arguments& a) {
    op.compute(KernelId::kQuantizedBinary, a, {repeated_operand(op, 0U), repeated_operand(op, 1U)});
}

double real(const Tensor& tensor) {
    return static_cast<double>(scale_of(tensor));
}

// Operands are brought to twice the larger scale, with some bits more.
void add(Operation& op) {
    constexpr std::uint32_t kBits8 = 20U;
    constexpr std::uint32_t kBits16 = 15U;
    const bool is_wide = is_int16(op.in(0U));
    const std::uint32_t bits = is_wide ? kBits16 : kBits8;
    const double twice = 2.0 * std::max(real(op.in(0U)), real(op.in(1U)));
    Arguments a = plain(op, Op::kAdd);
    a.left_shift = bits;
    set(a, multiplier_of(real(op.in(0U)) / twice), multiplier_of(real(op.in(1U)) / twice),
        multiplier_of(twice / (static_cast<double>(1U << bits) * real(op.out()))));
    bound(a, bounds_of(op.options<format::AddOptions>().fused_activation_function(), op.out()));
    if (is_wide) {
        compute_pair(op, a);
        return;
    }
    refdev::AddArguments b{};
    b.input1_offset = a.input1_offset;
    b.input1_multiplier = a.input1_multiplier;
    b.input1_shift = a.input1_shift;
    b.input2_offset = a.input2_offset;
    b.input2_multiplier = a.input2_multiplier;
    b.input2_shift = a.input2_shift;
    b.left_shift = a.left_shift;
    b.output_offset = a.output_offset;
    b.output_multiplier = a.output_multiplier;
    b.output_shift = a.output_shift;
    b.activation_min = a.activation_min;
    b.activation_max = a.activation_max;
    op.compute(KernelId::kAdd, b, {repeated_operand(op, 0U), repeated_operand(op, 1U)});
}

// Like a sum, but the reference divides in single precision.
void sub(Operation& op) {
    constexpr std::uint32_t kBits8 = 20U;
    constexpr std::uint32_t kBits16 = 15U;
    const std::uint32_t bits = is_int16(op.in(0U)) ? kBits16 : kBits8;
    const float twice = 2.0F * std::max(scale_of(op.in(0U)), scale_of(op.in(1U)));
    Arguments a = plain(op, Op::kSubtract);
    a.left_shift = bits;
    set(a, multiplier_of(static_cast<double>(scale_of(op.in(0U)) / twice)),
        multiplier_of(static_cast<double>(scale_of(op.in(1U)) / twice)),
        multiplier_of(static_cast<double>(twice / (static_cast<float>(1U << bits) * scale_of(op.out())))));
    bound(a, bounds_of(op.options<format::SubOptions>().fused_activation_function(), op.out()));
    compute_pair(op, a);
}

void mul(Operation& op) {
    Arguments a = plain(op, Op::kMultiply);
    set(a, kUnity, kUnity, multiplier_of(real(op.in(0U)) * real(op.in(1U)) / real(op.out())));
    bound(a, bounds_of(op.options<format::MulOptions>().fused_activation_function(), op.out()));
    compute_pair(op, a);
}

void squared_difference(Operation& op) {
    constexpr std::uint32_t kBits8 = 7U;
    const std::uint32_t bits = is_int16(op.in(0U)) ? 0U : kBits8;
    const double twice = 2.0 * std::max(real(op.in(0U)), real(op.in(1U)));
    Arguments a = plain(op, Op::kSquaredDifference);
    a.left_shift = bits;
    const float unit = static_cast<float>(1U << (2U * bits)) * scale_of(op.out());
    set(a, multiplier_of(real(op.in(0U)) / twice), multiplier_of(real(op.in(1U)) / twice),
        multiplier_of(twice * twice / static_cast<double>(unit)));
    bound(a, bounds_of_type(op.out().type));
    compute_pair(op, a);
}

// Bytes as int16.
Tokens widened(const Tokens& bytes) {
    Tokens tokens;
    for (const Token byte : bytes) {
        if (byte >= kUndefined) {
            Operation::not_understood("an operand of int16 and one of int8 that is computed");
        }
        append_integer(tokens, static_cast<std::int8_t>(static_cast<std::uint8_t>(byte)), sizeof(std::int16_t));
    }
    return tokens;
}

void prelu(Operation& op) {
    Arguments a = plain(op, Op::kPrelu);
    set(a, multiplier_of(real(op.in(0U)) / real(op.out())), kUnity,
        multiplier_of(real(op.in(0U)) * real(op.in(1U)) / real(op.out())));
    bound(a, bounds_of_type(op.out().type));
    const Tokens slopes = repeated_operand(op, 1U);
    const bool is_widened = is_int16(op.in(0U)) && !is_int16(op.in(1U));
    op.compute(KernelId::kQuantizedBinary, a, {repeated_operand(op, 0U), is_widened ? widened(slopes) : slopes});
}

void maximum(Operation& op) {
    compute_pair(op, plain(op, Op::kMaximum));
}

void minimum(Operation& op) {
    compute_pair(op, plain(op, Op::kMinimum));
}

template <Op kKind>
void comparison(Operation& op) {
    constexpr std::uint32_t kBits = 8U;
    Arguments a = plain(op, kKind);
    set(a, kUnity, kUnity, kUnity);
    if (op.in(0U).type != tflite::kTypeBool) {
        a.left_shift = kBits;
        set(a, multiplier_of(real(op.in(0U))), multiplier_of(real(op.in(1U))), kUnity);
    }
    compute_pair(op, a);
}

template <Op kKind>
void connective(Operation& op) {
    compute_pair(op, plain(op, kKind));
}

void select_v2(Operation& op) {
    refdev::SelectArguments a{};
    a.element_bytes = static_cast<std::uint32_t>(element_bytes_of(op.out()));
    op.compute(KernelId::kSelect, a, {repeated_operand(op, 0U), repeated_operand(op, 1U), repeated_operand(op, 2U)});
}

constexpr std::array<Entry, 16> kPairs{
    {{format::BuiltinOperator_ADD, add, kSameTypes, shapes::check_broadcast},
     {format::BuiltinOperator_SUB, sub, kSameTypes, shapes::check_broadcast},
     {format::BuiltinOperator_MUL, mul, kSameTypes, shapes::check_broadcast},
     {format::BuiltinOperator_SQUARED_DIFFERENCE, squared_difference, kSameTypes, shapes::check_broadcast},
     {format::BuiltinOperator_PRELU, prelu, kSameType, shapes::check_broadcast},
     {format::BuiltinOperator_MAXIMUM, maximum, kPairMoved, shapes::check_broadcast},
     {format::BuiltinOperator_MINIMUM, minimum, kPairMoved, shapes::check_broadcast},
     {format::BuiltinOperator_EQUAL, comparison<Op::kEqual>, kTruthOfPair, shapes::check_broadcast},
     {format::BuiltinOperator_NOT_EQUAL, comparison<Op::kNotEqual>, kTruthOfPair, shapes::check_broadcast},
     {format::BuiltinOperator_GREATER, comparison<Op::kGreater>, kTruthOfPair, shapes::check_broadcast},
     {format::BuiltinOperator_GREATER_EQUAL, comparison<Op::kGreaterEqual>, kTruthOfPair, shapes::check_broadcast},
     {format::BuiltinOperator_LESS, comparison<Op::kLess>, kTruthOfPair, shapes::check_broadcast},
     {format::BuiltinOperator_LESS_EQUAL, comparison<Op::kLessEqual>, kTruthOfPair, shapes::check_broadcast},
     {format::BuiltinOperator_LOGICAL_AND, connective<Op::kLogicalAnd>, kTruthOfPair, shapes::check_broadcast},
     {format::BuiltinOperator_LOGICAL_OR, connective<Op::kLogicalOr>, kTruthOfPair, shapes::check_broadcast},
     {format::BuiltinOperator_SELECT_V2, select_v2, {Kept::kNumbers, kSecond | kThird}, shapes::check_broadcast}}};

}  // namespace

Entries pair_operators() {
    return kPairs;
}

}  // namespace pianola::decompile
