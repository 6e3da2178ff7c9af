#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/window.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

void lower_pool_2d(OperatorContext& context, refdev::KernelId kernel) {
    context.require_operands(1U, 1U);
    const auto& options = context.options<format::Pool2DOptions>();
    const QuantizedTensor input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    const QuantizedTensor output = context.quantized_output({input.tensor->type});
    const bool is_int8 = input.tensor->type == kTypeInt8;
    context.require_same_quantization(input, output);
    const ImageShape in = image_shape(context, *input.tensor, "input");
    const ImageShape out = image_shape(context, *output.tensor, "output");
    context.require((in.batches == out.batches) && (in.channels == out.channels),
                    "its input and output differ in batches or channels");
    constexpr auto kMaxSpatial = static_cast<std::int32_t>(refdev::kMaxSpatial);
    context.require((options.filter_height() >= 1) && (options.filter_height() <= kMaxSpatial) &&
                        (options.filter_width() >= 1) && (options.filter_width() <= kMaxSpatial),
                    "its filter size is out of range");
    const auto filter_height = static_cast<std::uint32_t>(options.filter_height());
    const auto filter_width = static_cast<std::uint32_t>(options.filter_width());
    context.require((filter_height * filter_width) <= (is_int8 ? refdev::kMaxTaps : refdev::kMaxSpatial),
                    "a filter with so many taps is not supported");
    const Window window = window_of(context, {options.padding(), {options.stride_h(), 1}, {options.stride_w(), 1}}, in,
                                    out, filter_height, filter_width);
    const ActivationRange range = context.clamp_range(options.fused_activation_function(), output);

    context.launch(kernel, operators::pool2d_arguments(in, out, window, range, input.kernel_type()), input, output);
}

}  // namespace

void lower_average_pool_2d(OperatorContext& context) {
    lower_pool_2d(context, refdev::KernelId::kAveragePool2d);
}

void lower_max_pool_2d(OperatorContext& context) {
    lower_pool_2d(context, refdev::KernelId::kMaxPool2d);
}

}  // namespace pianola::tflite
