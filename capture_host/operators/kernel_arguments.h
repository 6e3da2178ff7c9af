// Arguments of the reference device's kernels, from shapes, scales and zero points.
//
// The importer of models and the tensor operations launch the same kernels; both take the arguments from here. All
// addresses are 0: the caller sets them. Pure functions, to the last bit what TensorFlow Lite Micro prepares;
// std::nullopt if the kernels cannot represent a ratio of scales.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "capture_host/operators/quantization.h"
#include "capture_host/operators/window.h"
#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::operators {

// All numbers of one of the device's signed types.
[[nodiscard]] ActivationRange full_range(std::uint32_t type);

// Zero points of a layer with a filter, and the range of its results.
struct LayerNumbers {
    std::int32_t input_zero_point{0};
    std::int32_t filter_zero_point{0};
    std::int32_t output_zero_point{0};
    ActivationRange range{};
};
// Batches, and numbers of each before and after the layer.
struct LayerSizes {
    std::uint32_t batches{1U};
    std::uint32_t input_depth{1U};
    std::uint32_t output_depth{1U};
};
[[nodiscard]] refdev::FullyConnectedArguments fully_connected_arguments(const LayerSizes& sizes,
                                                                        const LayerNumbers& numbers);
// The input's channels are a multiple of the filter's.
[[nodiscard]] refdev::Conv2dArguments conv2d_arguments(const ImageShape& input, const ImageShape& output,
                                                       std::uint32_t filter_channels, const Window& window,
                                                       const LayerNumbers& numbers);
// The output's channels are a multiple of the input's.
[[nodiscard]] refdev::DepthwiseConv2dArguments depthwise_conv2d_arguments(const ImageShape& input,
                                                                          const ImageShape& output,
                                                                          const Window& window,
                                                                          const LayerNumbers& numbers);
[[nodiscard]] refdev::Pool2dArguments pool2d_arguments(const ImageShape& input, const ImageShape& output,
                                                       const Window& window, const ActivationRange& range,
                                                       std::uint32_t type);

// For any operation of the kernel, without dimensions and strides. Operations on the unscaled elements have no scales.
[[nodiscard]] std::optional<refdev::QuantizedBinaryArguments> quantized_binary_arguments(
    refdev::QuantizedBinaryOp op, std::uint32_t type, const Affine& first, const Affine& second, const Affine& output,
    const ActivationRange& range);
// The faster kernel of int8 sums.
[[nodiscard]] refdev::AddArguments add_arguments(const refdev::QuantizedBinaryArguments& sum);

// The number of rows is 0. nullopt if beta * scale is not finite, or 2^-26 or below.
[[nodiscard]] std::optional<refdev::SoftmaxArguments> softmax_arguments(std::uint32_t depth, float beta,
                                                                        float input_scale, std::uint32_t output_type);
[[nodiscard]] std::optional<refdev::SoftmaxInt16Arguments> softmax_int16_arguments(std::uint32_t depth, float beta,
                                                                                   float input_scale);
// nullopt if the scale is 2^-26 or below, or 16 or above.
[[nodiscard]] std::optional<refdev::LogSoftmaxArguments> log_softmax_arguments(std::uint32_t depth, float input_scale);

// The number of elements is 0. nullopt if the scale is 8/3 or above.
[[nodiscard]] std::optional<refdev::SigmoidInt16Arguments> sigmoid_int16_arguments(refdev::SigmoidOp op,
                                                                                   float input_scale);

// Bit i of `reduced_axes`: dimension i is averaged over. `scale` already divides by the number of elements.
[[nodiscard]] refdev::MeanArguments mean_arguments(const std::array<std::uint32_t, 4>& dims, std::uint32_t reduced_axes,
                                                   const FixedPoint& scale, const Affine& input, const Affine& output,
                                                   std::uint32_t type);

// The number of elements is 0. The range is that of the output's type, and negative numbers have the same scale.
[[nodiscard]] refdev::RescaleArguments rescale_arguments(std::uint32_t input_type, std::uint32_t output_type,
                                                         const FixedPoint& scale, std::int32_t input_zero_point = 0,
                                                         std::int32_t output_zero_point = 0);
[[nodiscard]] refdev::RequantizeArguments requantize_arguments(const FixedPoint& scale, std::int32_t input_zero_point,
                                                               std::int32_t output_zero_point);
// For QuantizeArguments and DequantizeArguments, which have the same members. The number of elements is 0.
template <typename Arguments>
[[nodiscard]] Arguments float_conversion_arguments(std::uint32_t type, const Affine& quantized) {
    Arguments arguments{};
    arguments.type = type;
    std::memcpy(&arguments.scale, &quantized.scale, sizeof(arguments.scale));
    arguments.zero_point = quantized.zero_point;
    return arguments;
}

// Product of shape[first] to shape[last - 1], which is at most the number of elements of a tensor: no overflow.
[[nodiscard]] std::uint32_t product(const std::vector<std::uint32_t>& shape, std::size_t first, std::size_t last);
// Takes `count` entries along `axis` for each index of the first `batch_axes` axes.
[[nodiscard]] refdev::TakeArguments take_arguments(const std::vector<std::uint32_t>& shape, std::size_t batch_axes,
                                                   std::size_t axis, std::uint32_t count, std::uint32_t element_bytes);

}  // namespace pianola::operators
