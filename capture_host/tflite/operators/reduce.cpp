#include <algorithm>
#include <array>
#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
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

}  // namespace

void lower_mean(OperatorContext& context) {
    lower_mean_or_sum(context, true);
}

void lower_sum(OperatorContext& context) {
    lower_mean_or_sum(context, false);
}

}  // namespace pianola::tflite
