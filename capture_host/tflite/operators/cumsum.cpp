#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/wide_numbers.h"

namespace pianola::tflite {
namespace {

constexpr std::uint32_t kMaxAxis = 1024U;  // of the summed axis: its matrix has as many rows and columns

// The order of a sum's terms, and whether its own element is one of them.
struct Terms {
    bool exclusive{false};
    bool reverse{false};

    [[nodiscard]] bool holds(std::uint32_t sum, std::uint32_t term) const {
        return (sum == term) ? !exclusive : ((term < sum) != reverse);
    }
};

// A matrix with ones for the terms of a sum: a row for each sum, or a column.
std::vector<std::int32_t> triangle(std::uint32_t size, const Terms& terms, bool sums_are_rows) {
    std::vector<std::int32_t> matrix;
    matrix.reserve(std::size_t{size} * size);
    for (std::uint32_t row = 0U; row < size; ++row) {
        for (std::uint32_t column = 0U; column < size; ++column) {
            const bool one = sums_are_rows ? terms.holds(row, column) : terms.holds(column, row);
            matrix.push_back(one ? 1 : 0);
        }
    }
    return matrix;
}

struct CumsumOperands {
    Int8Tensor input;
    Int8Tensor output;
    std::uint32_t outer{1U};
    std::uint32_t axis{1U};
    std::uint32_t inner{1U};
};

CumsumOperands cumsum_operands(const OperatorContext& context) {
    context.require_operands(2U, 2U);
    CumsumOperands operands{context.int8_input(0U, "input"), context.int8_output()};
    const Shape& shape = operands.input.tensor->shape;
    require_shape(context, AnyTensor{operands.output.index, operands.output.tensor, 1U}, shape);
    const std::vector<std::int32_t> axes = context.int32_constant(1U, "axis", 1U);
    context.require(axes.size() == 1U, "its axis is missing");
    const std::size_t axis = axis_of(context, axes.front(), shape.size());
    operands.outer = product(shape, 0U, axis);
    operands.axis = shape[axis];
    operands.inner = product(shape, axis + 1U, shape.size());
    context.require(operands.axis <= kMaxAxis, "an axis of more than 1024 elements is not supported");
    return operands;
}

// The sums start at minus the zero point, as the scheme's do, and wrap.
void record_start(OperatorContext& context, const CumsumOperands& operands, capture::BufferId sums) {
    const auto size_bytes = operands.input.tensor->elements * static_cast<std::uint32_t>(sizeof(std::int32_t));
    const std::uint32_t start = static_cast<std::uint32_t>(-operands.input.zero_point) << kSumFractionBits;
    context.launch(refdev::KernelId::kFill, refdev::FillArguments{0U, size_bytes, start}, {{sums}});
}

void record_sums(OperatorContext& context, const CumsumOperands& operands, capture::BufferId terms,
                 capture::BufferId triangle, capture::BufferId sums) {
    if (operands.inner == 1U) {
        record_product(context, {terms}, {triangle}, {sums}, {operands.outer, operands.axis, operands.axis}, true);
        return;
    }
    const std::uint32_t step = operands.axis * operands.inner * static_cast<std::uint32_t>(sizeof(std::int32_t));
    for (std::uint32_t i = 0U; i < operands.outer; ++i) {
        record_product(context, {triangle}, {terms, i * step}, {sums, i * step},
                       {operands.axis, operands.axis, operands.inner}, true);
    }
}

}  // namespace

// A product with a triangle of ones, in 32 bits.
void lower_cumsum(OperatorContext& context) {
    const CumsumOperands operands = cumsum_operands(context);
    const auto& options = context.options_or_defaults<format::CumsumOptions>();
    const FixedPoint scale = sum_scale(context, operands.input.scale, operands.output.scale);
    const capture::BufferId terms = add_wide(context, operands.input.tensor->elements);
    const capture::BufferId sums = add_wide(context, operands.input.tensor->elements);
    const capture::BufferId ones = add_words(
        context, "sums", triangle(operands.axis, {options.exclusive(), options.reverse()}, operands.inner != 1U));
    record_widening(context, operands.input, operands.input.zero_point, kToSumFraction, terms);
    record_start(context, operands, sums);
    record_sums(context, operands, terms, ones, sums);
    record_narrowing(context, sums, scale, operands.output.zero_point, operands.output);
}

}  // namespace pianola::tflite
