#include <algorithm>

#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/scales.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;
using refdev::BinaryOp;
using refdev::KernelId;

constexpr std::size_t kWordBytes = sizeof(std::int32_t);
constexpr std::int32_t kAlmostOne = INT32_MAX;  // times 2^-31: leaves numbers up to 2^30 as they are

// Truth values have the bytes of int8.
std::uint32_t type_of(const Tensor& tensor) {
    return (tensor.type == tflite::kTypeBool) ? refdev::kTypeInt8
                                              : static_cast<std::uint32_t>(tflite::element_type(tensor.type));
}

refdev::RescaleArguments rescaling(std::uint32_t from, std::uint32_t to, std::int32_t mantissa, std::int32_t shift) {
    refdev::RescaleArguments a{};
    a.input_type = from;
    a.output_type = to;
    a.multiplier = mantissa;
    a.shift = shift;
    a.negative_multiplier = mantissa;
    a.negative_shift = shift;
    const Bounds bounds = bounds_of_type((to == refdev::kTypeInt8)    ? tflite::kTypeInt8
                                         : (to == refdev::kTypeInt16) ? tflite::kTypeInt16
                                                                      : tflite::kTypeInt32);
    a.activation_min = bounds.lowest;
    a.activation_max = bounds.highest;
    return a;
}

Tokens binary(Operation& op, BinaryOp kind, const Tokens& left, const Tokens& right) {
    refdev::BinaryArguments a{};
    a.count = static_cast<std::uint32_t>(left.size() / kWordBytes);
    a.type = refdev::kTypeInt32;
    a.op = kind;
    return op.launch(KernelId::kBinary, a, {left, right}, left.size());
}

// The input, repeated to the size of the output: axes count from the last, and those of size 1 are repeated.
Tokens repeated(const Operation& op, std::size_t input) {
    const Shape& shape = op.in(input).shape;
    const Shape& out = op.out().shape;
    Tokens tokens;
    for_each_index(out, [&](const Shape& index) {
        std::size_t element = 0U;
        for (std::size_t axis = 0U; axis < shape.size(); ++axis) {
            const std::size_t from_last = shape.size() - axis;
            const std::uint32_t at = (from_last <= out.size()) ? index[out.size() - from_last] : 0U;
            element = (element * shape[axis]) + ((shape[axis] == 1U) ? 0U : at);
        }
        append_element(tokens, op.bytes(input), element, kWordBytes);
    });
    return tokens;
}

template <BinaryOp kKind>
void of_two(Operation& op) {
    op.set(binary(op, kKind, repeated(op, 0U), repeated(op, 1U)));
}

template <BinaryOp kKind, typename Options>
void arithmetic(Operation& op) {
    if (op.options<Options>().fused_activation_function() != 0) {
        Operation::not_understood("a fused activation of int32");
    }
    of_two<kKind>(op);
}

// 0 or 1 of 32 bits as a byte; or the opposite.
void set_verdicts(Operation& op, const Tokens& words, bool opposite) {
    Tokens verdicts = words;
    if (opposite) {
        refdev::UnaryArguments less{0U, 0U, op.out().elements, refdev::kTypeInt32, refdev::UnaryOp::kAddScalar, -1};
        verdicts = op.launch(KernelId::kUnary, less, {verdicts}, verdicts.size());
        less.op = refdev::UnaryOp::kAbs;
        less.scalar = 0;
        verdicts = op.launch(KernelId::kUnary, less, {verdicts}, verdicts.size());
    }
    refdev::RescaleArguments a = rescaling(refdev::kTypeInt32, refdev::kTypeInt8, kAlmostOne, 0);
    a.count = op.out().elements;
    op.compute(KernelId::kRescale, a, {verdicts});
}

template <bool kOpposite>
void equal(Operation& op) {
    set_verdicts(op, binary(op, BinaryOp::kEqual, repeated(op, 0U), repeated(op, 1U)), kOpposite);
}

// Whether the larger operand is the first one, or the second; or the opposite.
template <bool kIsFirst, bool kOpposite>
void order(Operation& op) {
    const Tokens first = repeated(op, 0U);
    const Tokens second = repeated(op, 1U);
    const Tokens larger = binary(op, BinaryOp::kMaximum, first, second);
    set_verdicts(op,
                 kIsFirst ? binary(op, BinaryOp::kEqual, first, larger) : binary(op, BinaryOp::kEqual, larger, second),
                 kOpposite);
}

// Casts are from integers and truth values to integers, and from all of these except int32 to float32.
void check_cast(const Operation& op) {
    const std::int8_t from = op.in(0U).type;
    const std::int8_t to = op.out().type;
    const auto is_whole = [](std::int8_t type) {
        return (type == tflite::kTypeInt8) || (type == tflite::kTypeInt16) || (type == tflite::kTypeInt32);
    };
    const bool is_known = (is_whole(from) || (from == tflite::kTypeBool)) &&
                          (is_whole(to) || ((to == tflite::kTypeFloat32) && (from != tflite::kTypeInt32)));
    if (!is_known || (op.in(0U).shape != op.out().shape)) {
        Operation::not_understood("a cast between such types, or to another shape");
    }
}

void cast(Operation& op) {
    check_cast(op);
    const std::size_t from = element_bytes_of(op.in(0U));
    const std::size_t to = element_bytes_of(op.out());
    if (op.out().type == tflite::kTypeFloat32) {
        constexpr std::uint32_t kOne = 0x3F800000U;
        refdev::DequantizeArguments a{};
        a.count = op.out().elements;
        a.type = type_of(op.in(0U));
        a.scale = kOne;
        op.compute(KernelId::kDequantize, a, {op.bytes(0U)});
    } else if (from < to) {
        refdev::RescaleArguments a = rescaling(type_of(op.in(0U)), type_of(op.out()), kAlmostOne, 0);
        a.count = op.out().elements;
        op.compute(KernelId::kRescale, a, {op.bytes(0U)});
    } else {
        Tokens low;
        for (std::size_t i = 0U; i < op.out().elements; ++i) {
            append_element(low, op.bytes(0U), i * (from / to), to);
        }
        op.set(low);
    }
}

// Terms have 19 fraction bits. The sum starts at minus the zero point, as the reference does.
void add_n(Operation& op) {
    constexpr std::int32_t kBits = 19;
    constexpr double kUnit = 1048576.0;  // 2^20
    Tokens sums;
    for (std::size_t i = 0U; i < op.inputs(); ++i) {
        const bool is_alike = (scale_of(op.in(i)) == scale_of(op.in(0U))) &&
                              (zero_point_of(op.in(i)) == zero_point_of(op.in(0U))) &&
                              (op.in(i).shape == op.out().shape);
        if (!is_alike) {
            Operation::not_understood("terms of different scales, zero points or shapes");
        }
        refdev::RescaleArguments a = rescaling(refdev::kTypeInt8, refdev::kTypeInt32, 1 << 30, kBits + 1);
        a.count = op.out().elements;
        a.input_zero_point = (sums.empty() ? 2 : 1) * zero_point_of(op.in(0U));
        const Tokens terms = op.launch(KernelId::kRescale, a, {op.bytes(i)}, a.count * kWordBytes);
        sums = sums.empty() ? terms : binary(op, BinaryOp::kAdd, sums, terms);
    }
    const Multiplier scale = multiplier_of(2.0 * static_cast<double>(scale_of(op.in(0U))) /
                                           (kUnit * static_cast<double>(scale_of(op.out()))));
    refdev::RescaleArguments a = rescaling(refdev::kTypeInt32, refdev::kTypeInt8, scale.mantissa, scale.shift);
    a.count = op.out().elements;
    a.output_zero_point = zero_point_of(op.out());
    op.compute(KernelId::kRescale, a, {sums});
}

constexpr std::array<Entry, 2> kOfAnyType{
    {{format::BuiltinOperator_CAST, cast}, {format::BuiltinOperator_ADD_N, add_n, {Kept::kType, kAllInputs}}}};
// Operators of int32 are computed without scales.
constexpr std::array<std::pair<format::BuiltinOperator, Evaluate>, 11> kOfInt32{
    {{format::BuiltinOperator_ADD, arithmetic<BinaryOp::kAdd, format::AddOptions>},
     {format::BuiltinOperator_SUB, arithmetic<BinaryOp::kSubtract, format::SubOptions>},
     {format::BuiltinOperator_MUL, arithmetic<BinaryOp::kMultiply, format::MulOptions>},
     {format::BuiltinOperator_MAXIMUM, of_two<BinaryOp::kMaximum>},
     {format::BuiltinOperator_MINIMUM, of_two<BinaryOp::kMinimum>},
     {format::BuiltinOperator_EQUAL, equal<false>},
     {format::BuiltinOperator_NOT_EQUAL, equal<true>},
     {format::BuiltinOperator_GREATER_EQUAL, order<true, false>},
     {format::BuiltinOperator_LESS, order<true, true>},
     {format::BuiltinOperator_LESS_EQUAL, order<false, false>},
     {format::BuiltinOperator_GREATER, order<false, true>}}};

}  // namespace

Entries whole_operators() {
    return kOfAnyType;
}

Evaluate evaluation_of_int32(std::int32_t code) {
    const auto* const found =
        std::find_if(kOfInt32.begin(), kOfInt32.end(), [code](const auto& each) { return each.first == code; });
    return (found == kOfInt32.end()) ? nullptr : found->second;
}

}  // namespace pianola::decompile
