#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/wide_numbers.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "pianola/config.h"

namespace pianola::tflite {
namespace {

// The kernel's dimensions, and which of them are reduced, by bit. Neighbours that are both reduced or both kept are
// joined.
struct Reduction {
    std::array<std::uint32_t, 4> dims{1U, 1U, 1U, 1U};
    std::uint32_t axes{0U};
};

Reduction reduction_of(const OperatorContext& context, const Tensor& input, const std::vector<bool>& goes) {
    std::vector<std::uint32_t> sizes;
    std::vector<bool> reduced;
    for (std::size_t axis = 0U; axis < goes.size(); ++axis) {
        if ((goes.size() > Reduction{}.dims.size()) && (axis > 0U) && (goes[axis] == goes[axis - 1U])) {
            sizes.back() *= input.shape[axis];
        } else {
            sizes.push_back(input.shape[axis]);
            reduced.push_back(goes[axis]);
        }
    }
    Reduction reduction;
    context.require(sizes.size() <= reduction.dims.size(), "a reduction over so many separate axes is not supported");
    const std::size_t front = reduction.dims.size() - sizes.size();
    for (std::size_t i = 0U; i < sizes.size(); ++i) {
        reduction.dims.at(front + i) = sizes[i];
        reduction.axes |= (reduced[i] ? 1U : 0U) << static_cast<std::uint32_t>(front + i);
    }
    return reduction;
}

// A sum is a mean without the division in its scale.
void lower_mean_or_sum(OperatorContext& context, bool divides) {
    context.require_operands(2U, 2U);
    const QuantizedTensor input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    const QuantizedTensor output = context.quantized_output({input.tensor->type});
    std::vector<bool> goes(input.tensor->shape.size(), false);
    for (const std::int32_t axis : context.int32_constant(kAxesPosition, "list of axes", kMaxRank)) {
        goes[axis_of(context, axis, goes.size())] = true;
    }
    context.require(std::count(goes.begin(), goes.end(), true) > 0, "a reduction over no axis is not supported");
    std::uint32_t count = 1U;  // at most the number of elements: no overflow
    for (std::size_t axis = 0U; axis < goes.size(); ++axis) {
        count *= goes[axis] ? input.tensor->shape[axis] : 1U;
    }
    const Reduction reduction = reduction_of(context, *input.tensor, goes);
    context.require(count <= refdev::kMaxTaps, "a reduction over so many elements is not supported");
    const bool keeps = context.options_or_defaults<format::ReducerOptions>().keep_dims();
    require_shape(context, AnyTensor{output.index, output.tensor, 1U}, reduced_shape(input.tensor->shape, goes, keeps));
    const FixedPoint ratio = context.multiplier(static_cast<double>(input.scale) / static_cast<double>(output.scale));
    const FixedPoint scale = divides ? operators::fold_count(ratio, count) : ratio;
    context.launch(refdev::KernelId::kMean,
                   operators::mean_arguments(reduction.dims, reduction.axes, scale, input.affine(), output.affine(),
                                             input.kernel_type()),
                   input, output);
}

using refdev::ReduceOp;

// Whether each axis of the input is reduced. At least one is.
std::vector<bool> reduced_axes(const OperatorContext& context, std::size_t rank) {
    std::vector<bool> reduced(rank, false);
    for (const std::int32_t axis :
         context.int32_constant(kAxesPosition, "list of axes", static_cast<std::uint32_t>(rank))) {
        reduced[axis_of(context, axis, rank)] = true;
    }
    context.require(std::count(reduced.begin(), reduced.end(), true) > 0, "a reduction over no axis is not supported");
    return reduced;
}

// The operand of an extremum as rows and columns.
struct Matrix {
    capture::BufferId buffer{};
    std::uint32_t kept{1U};
    std::uint32_t reduced{1U};
    bool reduces_rows{false};
};

// Kept axes come before the reduced ones, or after them: the input is moved if neither holds.
Matrix matrix_operand(OperatorContext& context, const AnyTensor& input, const std::vector<bool>& reduced) {
    Matrix matrix{context.buffer(input)};
    std::vector<std::size_t> order;
    for (const bool wanted : {false, true}) {
        for (std::size_t axis = 0U; axis < reduced.size(); ++axis) {
            if (reduced[axis] == wanted) {
                order.push_back(axis);
                (wanted ? matrix.reduced : matrix.kept) *= input.tensor->shape[axis];
            }
        }
    }
    matrix.reduces_rows = std::is_sorted(reduced.begin(), reduced.end(), std::greater<>());
    if (!matrix.reduces_rows && !std::is_sorted(order.begin(), order.end())) {
        StridedView view = view_of(input);
        view.permute(order);
        const capture::BufferId from = matrix.buffer;
        matrix.buffer = context.add_temporary(input.tensor->size_bytes);
        record_view(context, view, from, matrix.buffer);
    }
    return matrix;
}

// Records one int32 for each kept element.
void record_reduce(OperatorContext& context, ReduceOp op, const Matrix& matrix, capture::BufferId output) {
    const std::uint32_t rows = matrix.reduces_rows ? matrix.reduced : matrix.kept;
    const std::uint32_t columns = matrix.reduces_rows ? matrix.kept : matrix.reduced;
    context.launch(refdev::KernelId::kReduce,
                   refdev::ReduceArguments{0U, 0U, rows, columns, refdev::kTypeInt8, op, matrix.reduces_rows ? 0U : 1U},
                   {{matrix.buffer}, {output}});
}

// The extremum of bytes, as bytes.
void record_extremum(OperatorContext& context, ReduceOp op, const QuantizedTensor& input,
                     const QuantizedTensor& output) {
    const std::vector<bool> reduced = reduced_axes(context, input.tensor->shape.size());
    const bool keeps = context.options_or_defaults<format::ReducerOptions>().keep_dims();
    require_shape(context, AnyTensor{output.index, output.tensor, 1U},
                  reduced_shape(input.tensor->shape, reduced, keeps));
    const Matrix matrix = matrix_operand(context, AnyTensor{input.index, input.tensor, 1U}, reduced);
    const capture::BufferId wide = add_wide(context, matrix.kept);
    record_reduce(context, op, matrix, wide);
    record_narrowing(context, wide, kExactly, 0, output);
}

void lower_extremum(OperatorContext& context, ReduceOp op) {
    context.require_operands(2U, 2U);
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    context.require_same_quantization(input, output);
    record_extremum(context, op, input, output);
}

void lower_index_of_extremum(OperatorContext& context, ReduceOp op, std::int8_t output_type) {
    context.require_operands(2U, 2U);
    const Int8Tensor input = context.int8_input(0U, "input");
    const QuantizedTensor output = context.typed_output({kTypeInt32});
    const std::vector<bool> reduced = reduced_axes(context, input.tensor->shape.size());
    context.require(context.input(kAxesPosition, "axis").elements == 1U, "more than one axis is not supported");
    context.require_type("output_type", output_type, *output.tensor);
    require_shape(context, AnyTensor{output.index, output.tensor, 1U},
                  reduced_shape(input.tensor->shape, reduced, false));
    const Matrix matrix = matrix_operand(context, AnyTensor{input.index, input.tensor, 1U}, reduced);
    record_reduce(context, op, matrix, context.buffer(output));
}

}  // namespace

void lower_mean(OperatorContext& context) {
    lower_mean_or_sum(context, true);
}

void lower_sum(OperatorContext& context) {
    lower_mean_or_sum(context, false);
}

void lower_reduce_max(OperatorContext& context) {
    lower_extremum(context, ReduceOp::kMaximum);
}

void lower_reduce_min(OperatorContext& context) {
    lower_extremum(context, ReduceOp::kMinimum);
}

// Truth values are bytes of 0 and 1: all are true if the least one is.
void lower_reduce_all(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const QuantizedTensor input = context.typed_input(0U, "input", {kTypeBool});
    const QuantizedTensor output = context.typed_output({kTypeBool});
    record_extremum(context, ReduceOp::kMinimum, input, output);
}

void lower_arg_max(OperatorContext& context) {
    lower_index_of_extremum(context, ReduceOp::kArgMaximum,
                            context.options_or_defaults<format::ArgMaxOptions>().output_type());
}

void lower_arg_min(OperatorContext& context) {
    lower_index_of_extremum(context, ReduceOp::kArgMinimum,
                            context.options_or_defaults<format::ArgMinOptions>().output_type());
}

}  // namespace pianola::tflite
