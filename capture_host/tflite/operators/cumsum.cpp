#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operators.h"
#include "capture_host/tflite/operators/wide_numbers.h"

namespace pianola::tflite {
namespace {

constexpr std::uint32_t kMaxAxis = 1024U;  // of the axis that is summed along: its matrix has as many rows and columns
constexpr std::uint32_t kFractionBits = 19U;  // of the sums: the scheme adds 20 and halves

// The order of the terms that a sum has, and whether its own element is one of them.
struct Terms {
    bool exclusive{false};
    bool reverse{false};

    [[nodiscard]] bool holds(std::uint32_t sum, std::uint32_t term) const {
        return (sum == term) ? !exclusive : ((term < sum) != reverse);
    }
};

// Ones where a sum has a term: a row for each sum, or a column.
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

struct Ends {
    Int8Tensor input;
    Int8Tensor output;
    std::uint32_t outer{1U};
    std::uint32_t axis{1U};
    std::uint32_t inner{1U};
};

Ends ends_of(const OperatorContext& context) {
    context.require_operands(2U, 2U);
    Ends ends{context.int8_input(0U, "input"), context.int8_output()};
    const Shape& shape = ends.input.tensor->shape;
    require_shape(context, AnyTensor{ends.output.index, ends.output.tensor, 1U}, shape);
    const std::vector<std::int32_t> axes = context.int32_constant(1U, "axis", 1U);
    context.require(axes.size() == 1U, "its axis is missing");
    const std::size_t axis = axis_of(context, axes.front(), shape.size());
    ends.outer = product(shape, 0U, axis);
    ends.axis = shape[axis];
    ends.inner = product(shape, axis + 1U, shape.size());
    context.require(ends.axis <= kMaxAxis, "an axis of more than 1024 elements is not supported");
    return ends;
}

// The sums start at minus the zero point, as the scheme's do, and wrap.
void record_start(OperatorContext& context, const Ends& ends, capture::BufferId sums) {
    using Arguments = refdev::FillArguments;
    Arguments arguments{};
    arguments.size_bytes = ends.input.tensor->elements * static_cast<std::uint32_t>(sizeof(std::int32_t));
    arguments.pattern = static_cast<std::uint32_t>(-ends.input.zero_point) << kFractionBits;
    context.launch(refdev::KernelId::kFill, arguments, {{offsetof(Arguments, destination), sums, Access::kWrite}});
}

void record_sums(OperatorContext& context, const Ends& ends, capture::BufferId terms, capture::BufferId triangle,
                 capture::BufferId sums) {
    if (ends.inner == 1U) {
        record_product(context, {terms}, {triangle}, {sums}, {ends.outer, ends.axis, ends.axis}, true);
        return;
    }
    const std::uint32_t step = ends.axis * ends.inner * static_cast<std::uint32_t>(sizeof(std::int32_t));
    for (std::uint32_t i = 0U; i < ends.outer; ++i) {
        record_product(context, {triangle}, {terms, i * step}, {sums, i * step}, {ends.axis, ends.axis, ends.inner},
                       true);
    }
}

}  // namespace

// A product with a triangle of ones, in 32 bits.
void lower_cumsum(OperatorContext& context) {
    constexpr FixedPoint kToFraction{1 << 30, static_cast<std::int32_t>(kFractionBits) + 1};
    const Ends ends = ends_of(context);
    const auto& options = context.options_or_defaults<format::CumsumOptions>();
    const double unit = static_cast<double>(std::int64_t{1} << (kFractionBits + 1U));
    const std::optional<FixedPoint> scale = quantize_fraction((2.0 * static_cast<double>(ends.input.scale)) /
                                                              (unit * static_cast<double>(ends.output.scale)));
    if (!scale.has_value()) {
        context.refuse("the ratio of its scales is out of range");
    }
    const capture::BufferId terms = add_wide(context, ends.input.tensor->elements);
    const capture::BufferId sums = add_wide(context, ends.input.tensor->elements);
    const capture::BufferId ones =
        add_words(context, "sums", triangle(ends.axis, {options.exclusive(), options.reverse()}, ends.inner != 1U));
    record_widening(context, ends.input, ends.input.zero_point, kToFraction, terms);
    record_start(context, ends, sums);
    record_sums(context, ends, terms, ones, sums);
    record_narrowing(context, sums, *scale, ends.output.zero_point, ends.output);
}

}  // namespace pianola::tflite
