#include <cstddef>

#include "capture_host/tflite/operators/operators.h"
#include "capture_host/tflite/operators/window.h"
#include "hal/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kFilterPosition = 1U;

// One row per output channel. The filter's scales are one, or one per channel along `channel_dimension`.
capture::BufferId channel_table(OperatorContext& context, const Int8Tensor& input, const Int8Tensor& output,
                                std::uint32_t channels, std::uint32_t channel_dimension) {
    const Tensor& filter = context.int8_constant(kFilterPosition, "filter");
    const Quantization& quantization = filter.quantization;
    for (const std::int32_t zero_point : quantization.zero_points) {
        context.require(zero_point == 0, "a filter with a zero point is not supported");
    }
    const bool per_channel = quantization.scales.size() > 1U;
    if (per_channel) {
        context.require(quantization.dimension == channel_dimension,
                        "filter scales along another dimension than its channels are not supported");
        context.require(quantization.scales.size() == channels,
                        "the number of filter scales differs from its channels");
    }
    const std::vector<std::int32_t> bias = context.bias(channels);
    std::vector<refdev::ChannelParameters> rows;
    rows.reserve(channels);
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        const float filter_scale = quantization.scales[per_channel ? channel : 0U];
        const FixedPoint scale = context.multiplier(
            static_cast<double>(input.scale) * static_cast<double>(filter_scale) / static_cast<double>(output.scale));
        rows.push_back(refdev::ChannelParameters{bias[channel], scale.multiplier, scale.shift});
    }
    return context.add_channel_table(rows);
}

void require_taps(const OperatorContext& context, std::uint64_t height, std::uint64_t width, std::uint64_t depth) {
    // Each factor is below 2^32 and the first two below 2^15: no overflow.
    context.require((height * width) <= refdev::kMaxTaps, "a filter with so many taps is not supported");
    context.require((height * width * depth) <= refdev::kMaxTaps, "a filter with so many taps is not supported");
}

}  // namespace

void lower_conv_2d(OperatorContext& context) {
    using Arguments = refdev::Conv2dArguments;
    context.require_operands(2U, 3U);
    const auto& options = context.options<Conv2dOptions>();
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    const ImageShape in = image_shape(context, *input.tensor, "input");
    const ImageShape filter = image_shape(context, context.int8_constant(kFilterPosition, "filter"), "filter");
    const ImageShape out = image_shape(context, *output.tensor, "output");
    context.require(in.batches == out.batches, "its input and output differ in batches");
    context.require(filter.batches == out.channels, "its filter and output differ in channels");
    context.require((in.channels % filter.channels) == 0U, "its filter's channels do not divide its input's");
    context.require((out.channels % (in.channels / filter.channels)) == 0U,
                    "its groups do not divide its output's channels");
    require_taps(context, filter.height, filter.width, filter.channels);
    const Window window = window_of(context, options, in, out, filter.height, filter.width);
    const ActivationRange range = context.clamp_range(options.activation, output);
    const capture::BufferId table = channel_table(context, input, output, out.channels, 0U);

    Arguments arguments{};
    arguments.batches = in.batches;
    arguments.input_height = in.height;
    arguments.input_width = in.width;
    arguments.input_channels = in.channels;
    arguments.output_height = out.height;
    arguments.output_width = out.width;
    arguments.output_channels = out.channels;
    arguments.filter_height = filter.height;
    arguments.filter_width = filter.width;
    arguments.filter_channels = filter.channels;
    arguments.stride_height = window.height.stride;
    arguments.stride_width = window.width.stride;
    arguments.dilation_height = window.height.dilation;
    arguments.dilation_width = window.width.dilation;
    arguments.pad_top = window.height.pad_before;
    arguments.pad_left = window.width.pad_before;
    arguments.input_offset = -input.zero_point;
    arguments.output_offset = output.zero_point;
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    context.launch(refdev::KernelId::kConv2d, arguments,
                   {{offsetof(Arguments, input), context.buffer(input), Access::kRead},
                    {offsetof(Arguments, filter), context.input_buffer(kFilterPosition), Access::kRead},
                    {offsetof(Arguments, channel_parameters), table, Access::kRead},
                    {offsetof(Arguments, output), context.buffer(output), Access::kWrite}});
}

void lower_depthwise_conv_2d(OperatorContext& context) {
    using Arguments = refdev::DepthwiseConv2dArguments;
    constexpr std::uint32_t kChannelDimension = 3U;
    context.require_operands(2U, 3U);
    const auto& options = context.options<DepthwiseConv2dOptions>();
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    const ImageShape in = image_shape(context, *input.tensor, "input");
    const ImageShape filter = image_shape(context, context.int8_constant(kFilterPosition, "filter"), "filter");
    const ImageShape out = image_shape(context, *output.tensor, "output");
    context.require(in.batches == out.batches, "its input and output differ in batches");
    context.require(filter.batches == 1U, "more than one filter is not supported");
    context.require(filter.channels == out.channels, "its filter and output differ in channels");
    context.require((out.channels % in.channels) == 0U, "its input's channels do not divide its output's");
    const std::uint32_t depth_multiplier = out.channels / in.channels;
    context.require(std::int64_t{options.depth_multiplier} == std::int64_t{depth_multiplier},
                    "its depth multiplier does not follow from its channels");
    require_taps(context, filter.height, filter.width, 1U);
    const Window window = window_of(context, options.window, in, out, filter.height, filter.width);
    const ActivationRange range = context.clamp_range(options.window.activation, output);
    const capture::BufferId table = channel_table(context, input, output, out.channels, kChannelDimension);

    Arguments arguments{};
    arguments.batches = in.batches;
    arguments.input_height = in.height;
    arguments.input_width = in.width;
    arguments.input_channels = in.channels;
    arguments.output_height = out.height;
    arguments.output_width = out.width;
    arguments.depth_multiplier = depth_multiplier;
    arguments.filter_height = filter.height;
    arguments.filter_width = filter.width;
    arguments.stride_height = window.height.stride;
    arguments.stride_width = window.width.stride;
    arguments.dilation_height = window.height.dilation;
    arguments.dilation_width = window.width.dilation;
    arguments.pad_top = window.height.pad_before;
    arguments.pad_left = window.width.pad_before;
    arguments.input_offset = -input.zero_point;
    arguments.output_offset = output.zero_point;
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    context.launch(refdev::KernelId::kDepthwiseConv2d, arguments,
                   {{offsetof(Arguments, input), context.buffer(input), Access::kRead},
                    {offsetof(Arguments, filter), context.input_buffer(kFilterPosition), Access::kRead},
                    {offsetof(Arguments, channel_parameters), table, Access::kRead},
                    {offsetof(Arguments, output), context.buffer(output), Access::kWrite}});
}

}  // namespace pianola::tflite
