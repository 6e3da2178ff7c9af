#include <algorithm>
#include <numeric>

#include "capture_host/decompile/premises.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;

// Outputs are parts along an axis.
void check_parts(const Operation& op, std::size_t input, std::size_t axis, const Sizes& lengths) {
    if (lengths.size() != op.outputs()) {
        Operation::not_understood("another number of parts than it has outputs");
    }
    for (std::size_t i = 0U; i < lengths.size(); ++i) {
        Sizes part = input_shape(op, input);
        part.at(axis) = lengths[i];
        require_shape(op, part, i);
    }
}

void check_split(const Operation& op) {
    const Sizes whole = input_shape(op, 1U);
    const std::size_t axis = axis_of(op.integer(0U), whole.size());
    const auto parts = static_cast<std::int64_t>(op.outputs());
    if ((parts == 0) || ((whole.at(axis) % parts) != 0)) {
        Operation::not_understood("parts that do not divide its input");
    }
    check_parts(op, 1U, axis, Sizes(op.outputs(), whole[axis] / parts));
}

// Of the sizes, one may be -1: what is left.
void check_split_v(const Operation& op) {
    const std::vector<std::int32_t> said = op.integers(1U);
    const Sizes whole = input_shape(op);
    const std::size_t axis = axis_of(op.integer(2U), whole.size());
    Sizes lengths(said.begin(), said.end());
    const auto open = std::find(lengths.begin(), lengths.end(), -1);
    if (open != lengths.end()) {
        *open = 0;
        *open = whole.at(axis) - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    }
    if (std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) != whole.at(axis)) {
        Operation::not_understood("sizes that do not add up to its input");
    }
    check_parts(op, 0U, axis, lengths);
}

void check_unpacked(const Operation& op) {
    Sizes part = input_shape(op);
    const std::size_t axis = axis_of(op.options<format::UnpackOptions>().axis(), part.size());
    if (part.at(axis) != static_cast<std::int64_t>(op.outputs())) {
        Operation::not_understood("another number of parts than it has outputs");
    }
    part.erase(part.begin() + static_cast<std::ptrdiff_t>(axis));
    for (std::size_t i = 0U; i < op.outputs(); ++i) {
        require_shape(op, part, i);
    }
}

// The dimension of that number, counted from the last.
std::int64_t size_at(const Shape& shape, std::size_t from_last) {
    return (from_last < shape.size()) ? std::int64_t{shape[shape.size() - 1U - from_last]} : 1;
}

// Dimensions of 1 come again as often as another operand's; those in front may be left out.
void check_broadcast(const Operation& op) {
    const Shape& have = op.out().shape;
    std::size_t rank = have.size();
    for (std::size_t i = 0U; i < op.inputs(); ++i) {
        rank = std::max(rank, op.in(i).shape.size());
    }
    for (std::size_t axis = 0U; axis < rank; ++axis) {
        std::int64_t size = 1;
        for (std::size_t i = 0U; i < op.inputs(); ++i) {
            size = std::max(size, size_at(op.in(i).shape, axis));
        }
        for (std::size_t i = 0U; i < op.inputs(); ++i) {
            const std::int64_t own = size_at(op.in(i).shape, axis);
            if ((own != 1) && (own != size)) {
                Operation::not_understood("operands that do not fit each other");
            }
        }
        if (size_at(have, axis) != size) {
            throw Mismatch{"its output has another shape than follows from its operands"};
        }
    }
}

struct Check {
    format::BuiltinOperator code;
    void (*check)(const Operation& op);
};
constexpr std::array<Check, 19> kChecks{{{format::BuiltinOperator_SPLIT, check_split},
                                         {format::BuiltinOperator_SPLIT_V, check_split_v},
                                         {format::BuiltinOperator_UNPACK, check_unpacked},
                                         {format::BuiltinOperator_ADD, check_broadcast},
                                         {format::BuiltinOperator_SUB, check_broadcast},
                                         {format::BuiltinOperator_MUL, check_broadcast},
                                         {format::BuiltinOperator_SQUARED_DIFFERENCE, check_broadcast},
                                         {format::BuiltinOperator_MAXIMUM, check_broadcast},
                                         {format::BuiltinOperator_MINIMUM, check_broadcast},
                                         {format::BuiltinOperator_PRELU, check_broadcast},
                                         {format::BuiltinOperator_EQUAL, check_broadcast},
                                         {format::BuiltinOperator_NOT_EQUAL, check_broadcast},
                                         {format::BuiltinOperator_LESS, check_broadcast},
                                         {format::BuiltinOperator_LESS_EQUAL, check_broadcast},
                                         {format::BuiltinOperator_GREATER, check_broadcast},
                                         {format::BuiltinOperator_GREATER_EQUAL, check_broadcast},
                                         {format::BuiltinOperator_LOGICAL_AND, check_broadcast},
                                         {format::BuiltinOperator_LOGICAL_OR, check_broadcast},
                                         {format::BuiltinOperator_SELECT_V2, check_broadcast}}};

}  // namespace

void require_shape(const Operation& op, const Sizes& wanted, std::size_t output) {
    const Shape& have = op.out(output).shape;
    if (!std::equal(wanted.begin(), wanted.end(), have.begin(), have.end())) {
        throw Mismatch{"its output has another shape than follows from its operands"};
    }
}

void check_shape(const Operation& op) {
    const std::optional<Sizes> shape = shape_of(op);
    if (shape.has_value()) {
        require_shape(op, *shape);
    }
    for (const Check& each : kChecks) {
        if (each.code == op.code()) {
            each.check(op);
        }
    }
}

}  // namespace pianola::decompile
