#include <cstddef>

#include "capture_host/tflite/operators/filter_table.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/window.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

void require_taps(const OperatorContext& context, std::uint64_t height, std::uint64_t width, std::uint64_t depth) {
    // Each factor is below 2^32 and the first two below 2^15: no overflow.
    context.require((height * width) <= refdev::kMaxTaps, "a filter with so many taps is not supported");
    context.require((height * width * depth) <= refdev::kMaxTaps, "a filter with so many taps is not supported");
}

// The common part of both kinds.
struct Convolution {
    QuantizedTensor input;
    QuantizedTensor output;
    ImageShape in;
    ImageShape filter;
    ImageShape out;
};

Convolution convolution(OperatorContext& context) {
    context.require_operands(2U, 3U);
    Convolution found;
    found.input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    found.output = context.quantized_output({found.input.tensor->type});
    found.in = image_shape(context, *found.input.tensor, "input");
    found.filter = image_shape(context, context.int8_constant(kFilterPosition, "filter"), "filter");
    found.out = image_shape(context, *found.output.tensor, "output");
    context.require(found.in.batches == found.out.batches, "its input and output differ in batches");
    return found;
}

template <typename Options>
Window convolution_window(const OperatorContext& context, const Options& options, const Convolution& convolution) {
    const WindowOptions wanted{options.padding(),
                               {options.stride_h(), options.dilation_h_factor()},
                               {options.stride_w(), options.dilation_w_factor()}};
    return window_of(context, wanted, convolution.in, convolution.out, convolution.filter.height,
                     convolution.filter.width);
}

operators::LayerNumbers numbers_of(const OperatorContext& context, const Convolution& convolution,
                                   std::int8_t activation) {
    return {convolution.input.zero_point, 0, convolution.output.zero_point,
            context.clamp_range(activation, convolution.output)};
}

// `without_bias` as in sum_bytes_of().
template <typename Arguments>
void launch_convolution(OperatorContext& context, const LayerKernels& kernels, const Convolution& convolution,
                        std::uint32_t channel_dimension, std::optional<std::int8_t> without_bias,
                        const Arguments& arguments) {
    const std::uint32_t sum_bytes = sum_bytes_of(context, convolution.input, kBiasPosition, without_bias);
    const capture::BufferId table =
        add_filter_table(context, convolution.input, convolution.output, convolution.out.channels,
                         FilterRoles{channel_dimension, kBiasPosition, sum_bytes});
    launch_layer(context, kernels, *convolution.input.tensor, sum_bytes, arguments,
                 {{context.buffer(convolution.input)},
                  {context.input_buffer(kFilterPosition)},
                  {table},
                  {context.buffer(convolution.output)}});
}

}  // namespace

void lower_conv_2d(OperatorContext& context) {
    const auto& options = context.options<format::Conv2DOptions>();
    const Convolution found = convolution(context);
    const auto& [input, output, in, filter, out] = found;
    context.require(filter.batches == out.channels, "its filter and output differ in channels");
    context.require((in.channels % filter.channels) == 0U, "its filter's channels do not divide its input's");
    context.require((out.channels % (in.channels / filter.channels)) == 0U,
                    "its groups do not divide its output's channels");
    require_taps(context, filter.height, filter.width, filter.channels);
    context.require_bias_type(kBiasPosition, options.quantized_bias_type(),
                              sum_bytes_of(context, found.input, kBiasPosition, options.quantized_bias_type()));
    const Window window = convolution_window(context, options, found);
    const operators::LayerNumbers numbers = numbers_of(context, found, options.fused_activation_function());
    launch_convolution(context, {refdev::KernelId::kConv2d, refdev::KernelId::kConv2dInt16}, found, 0U,
                       options.quantized_bias_type(),
                       operators::conv2d_arguments(in, out, filter.channels, window, numbers));
}

void lower_depthwise_conv_2d(OperatorContext& context) {
    constexpr std::uint32_t kChannelDimension = 3U;
    const auto& options = context.options<format::DepthwiseConv2DOptions>();
    const Convolution found = convolution(context);
    const auto& [input, output, in, filter, out] = found;
    context.require(filter.batches == 1U, "more than one filter is not supported");
    context.require(filter.channels == out.channels, "its filter and output differ in channels");
    context.require((out.channels % in.channels) == 0U, "its input's channels do not divide its output's");
    context.require(std::int64_t{options.depth_multiplier()} == std::int64_t{out.channels / in.channels},
                    "its depth multiplier does not follow from its channels");
    require_taps(context, filter.height, filter.width, 1U);
    const Window window = convolution_window(context, options, found);
    const operators::LayerNumbers numbers = numbers_of(context, found, options.fused_activation_function());
    launch_convolution(context, {refdev::KernelId::kDepthwiseConv2d, refdev::KernelId::kDepthwiseConv2dInt16}, found,
                       kChannelDimension, std::nullopt,
                       operators::depthwise_conv2d_arguments(in, out, window, numbers));
}

}  // namespace pianola::tflite
