#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/windows.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

// A convolution, checked.
struct Convolution {
    const char* name{nullptr};
    KernelId kernel{KernelId::kUnspecified};
    Image in;
    std::uint32_t output_channels{0U};
    std::uint32_t filter_height{0U};
    std::uint32_t filter_width{0U};
    WindowPlan plan;
    CheckedBias bias;
};

[[nodiscard]] KernelId kernel_for(const Tensor& input, KernelId of_int8, KernelId of_int16) {
    return (input.type() == ElementType::kInt16) ? of_int16 : of_int8;
}

void require_shape(bool condition, const char* name, const Tensor& input, const Tensor& weight, const char* rule) {
    if (!condition) {
        throw TensorError{TensorRule::kShape, fmt::format("{}: input_tensor is {} and weight_tensor {}; {}", name,
                                                          to_string(input.shape()), to_string(weight.shape()), rule)};
    }
}

// Enqueues the work. `special` sets the arguments that one kernel has and the other does not.
template <typename Arguments, typename Special>
[[nodiscard]] Tensor convolve(const Convolution& work, const Tensor& input, const Tensor& weight,
                              const LayerQuantization& quantization, const OperationOptions& options,
                              const Special& special) {
    const auto& [name, kernel, in, channels, filter_height, filter_width, plan, bias] = work;
    const TensorSpec spec =
        spec_of_shape(input, {in.batches, plan.height.output, plan.width.output, channels}, input.type());
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    require_apart(name, result, weight);
    Arguments arguments{};
    arguments.input_width = in.width;
    arguments.input_channels = in.channels;
    arguments.output_width = plan.width.output;
    arguments.filter_height = filter_height;
    arguments.filter_width = filter_width;
    arguments.stride_height = plan.height.stride;
    arguments.stride_width = plan.width.stride;
    arguments.dilation_height = plan.height.dilation;
    arguments.dilation_width = plan.width.dilation;
    arguments.pad_left = plan.width.pad_before;
    arguments.input_offset = -quantization.input_zero_point;
    arguments.output_offset = quantization.output_zero_point;
    arguments.activation_min = bias.range.min;
    arguments.activation_max = bias.range.max;
    special(arguments);
    const std::vector<host::CoreCoord> cores = cores_for(result);
    const std::vector<RowShare> shares = shares_of(in, plan, channels, cores.size());
    const KernelId id = kernel;
    return through_one_run(result, options.queue, [&](const Tensor& output) {
        const Tensor image = in_one_run(input, options.queue);
        const Tensor filter = in_one_run(weight, options.queue);
        const Tensor table = table_of(work.bias, work.output_channels, result.device(), options.queue);
        launch_shares<Arguments>(
            work.name, id, image, output, cores, shares, options.queue, [&](const RowShare& share) {
                arguments.batches = share.batches;
                arguments.input_height = share.input_rows;
                arguments.output_height = share.output_rows;
                arguments.pad_top = share.pad_before;
                host::Arguments words = layer_words(arguments, input.type(), work.bias.sum_bytes);
                set_address(words, offsetof(Arguments, filter), filter, run_address(filter));
                set_address(words, offsetof(Arguments, channel_parameters), table, run_address(table));
                return words;
            });
    });
}

}  // namespace

Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, const Windows& windows,
              std::uint32_t groups, const LayerQuantization& quantization, const OperationOptions& options) {
    if (is_distributed(input, weight, bias, options)) {
        return for_each_device(
            "conv2d", [](const auto&... each) { return conv2d(each...); }, input, weight, bias, windows, groups,
            quantization, options);
    }
    using Arguments = refdev::Conv2dArguments;
    const char* const name = "conv2d";
    const Image in = image_of(name, "input_tensor", input);
    require_int8(name, "weight_tensor", weight);
    const Image filter = image_of(name, "weight_tensor", weight);
    require_same_device(name, input, weight);
    if ((groups == 0U) || ((in.channels % groups) != 0U) || ((filter.batches % groups) != 0U)) {
        throw TensorError{TensorRule::kArgument,
                          fmt::format("{}: groups is {}; it divides the input's {} channels and the result's {}", name,
                                      groups, in.channels, filter.batches)};
    }
    require_shape(filter.channels == (in.channels / groups), name, input, weight,
                  "weights are [output channels, height, width, input channels / groups]");
    require_taps(name, filter.height, filter.width, filter.channels);
    const Convolution work{name,
                           kernel_for(input, KernelId::kConv2d, KernelId::kConv2dInt16),
                           in,
                           filter.batches,
                           filter.height,
                           filter.width,
                           plan_of(name, in, filter.height, filter.width, windows),
                           checked_bias(name, input, bias, filter.batches, quantization, false)};
    return convolve<Arguments>(work, input, weight, quantization, options, [&](Arguments& arguments) {
        arguments.output_channels = filter.batches;
        arguments.filter_channels = filter.channels;
    });
}

Tensor depthwise_conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                        const Windows& windows, const LayerQuantization& quantization,
                        const OperationOptions& options) {
    if (is_distributed(input, weight, bias, options)) {
        return for_each_device(
            "depthwise_conv2d", [](const auto&... each) { return depthwise_conv2d(each...); }, input, weight, bias,
            windows, quantization, options);
    }
    using Arguments = refdev::DepthwiseConv2dArguments;
    const char* const name = "depthwise_conv2d";
    const Image in = image_of(name, "input_tensor", input);
    require_int8(name, "weight_tensor", weight);
    const Image filter = image_of(name, "weight_tensor", weight);
    require_same_device(name, input, weight);
    require_shape((filter.batches == 1U) && ((filter.channels % in.channels) == 0U), name, input, weight,
                  "weights are [1, height, width, output channels], a multiple of the input's channels");
    require_taps(name, filter.height, filter.width, 1U);
    const Convolution work{name,
                           kernel_for(input, KernelId::kDepthwiseConv2d, KernelId::kDepthwiseConv2dInt16),
                           in,
                           filter.channels,
                           filter.height,
                           filter.width,
                           plan_of(name, in, filter.height, filter.width, windows),
                           checked_bias(name, input, bias, filter.channels, quantization, false)};
    return convolve<Arguments>(work, input, weight, quantization, options, [&](Arguments& arguments) {
        arguments.depth_multiplier = filter.channels / in.channels;
    });
}

}  // namespace pianola::tensor
