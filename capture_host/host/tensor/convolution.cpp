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
    ImageShape in;
    std::uint32_t output_channels{0U};
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

// Enqueues the work. `arguments_of(share, numbers)` makes the kernel's arguments.
template <typename Make>
[[nodiscard]] Tensor convolve(const Convolution& work, const Tensor& input, const Tensor& weight,
                              const LayerQuantization& quantization, const OperationOptions& options,
                              const Make& arguments_of) {
    const auto& [name, kernel, in, channels, plan, bias] = work;
    const TensorSpec spec =
        spec_of_shape(input, {in.batches, plan.output_height, plan.output_width, channels}, input.type());
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    require_apart(name, result, weight);
    const operators::LayerNumbers numbers{quantization.input_zero_point, 0, quantization.output_zero_point, bias.range};
    const std::vector<host::CoreCoord> cores = cores_for(result);
    const std::vector<RowShare> shares = shares_of(in, plan, channels, cores.size());
    return through_one_run(result, options.queue, [&](const Tensor& output) {
        const Tensor image = in_one_run(input, options.queue);
        const Tensor filter = in_one_run(weight, options.queue);
        const Tensor table = table_of(work.bias, work.output_channels, result.device(), options.queue);
        launch_shares(work.name, work.kernel, image, output, cores, shares, options.queue,
                      [&](const RowShare& share, const host::Argument& from, const host::Argument& to) {
                          return layer_words(arguments_of(share, numbers), input.type(), work.bias.sum_bytes,
                                             {from, run_argument(filter), run_argument(table), to});
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
    const char* const name = "conv2d";
    const ImageShape in = image_of(name, "input_tensor", input);
    require_int8(name, "weight_tensor", weight);
    const ImageShape filter = image_of(name, "weight_tensor", weight);
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
                           plan_of(name, in, filter.height, filter.width, windows),
                           checked_bias(name, input, bias, filter.batches, quantization, false)};
    return convolve(
        work, input, weight, quantization, options, [&](const RowShare& share, const operators::LayerNumbers& numbers) {
            return operators::conv2d_arguments(share.input, share.output, filter.channels, share.window, numbers);
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
    const char* const name = "depthwise_conv2d";
    const ImageShape in = image_of(name, "input_tensor", input);
    require_int8(name, "weight_tensor", weight);
    const ImageShape filter = image_of(name, "weight_tensor", weight);
    require_same_device(name, input, weight);
    require_shape((filter.batches == 1U) && ((filter.channels % in.channels) == 0U), name, input, weight,
                  "weights are [1, height, width, output channels], a multiple of the input's channels");
    require_taps(name, filter.height, filter.width, 1U);
    const Convolution work{name,
                           kernel_for(input, KernelId::kDepthwiseConv2d, KernelId::kDepthwiseConv2dInt16),
                           in,
                           filter.channels,
                           plan_of(name, in, filter.height, filter.width, windows),
                           checked_bias(name, input, bias, filter.channels, quantization, false)};
    return convolve(work, input, weight, quantization, options,
                    [](const RowShare& share, const operators::LayerNumbers& numbers) {
                        return operators::depthwise_conv2d_arguments(share.input, share.output, share.window, numbers);
                    });
}

}  // namespace pianola::tensor
