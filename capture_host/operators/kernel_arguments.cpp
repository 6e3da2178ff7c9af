#include "capture_host/operators/kernel_arguments.h"

#include <algorithm>

#include "capture_host/operators/function_tables.h"

namespace pianola::operators {
namespace {

// How the kernel scales two operands and their result.
struct BinaryScaling {
    FixedPoint first{0, 0};
    FixedPoint second{0, 0};
    FixedPoint output{0, 0};
    std::uint32_t left_shift{0U};
};

std::optional<BinaryScaling> all_of(const std::optional<FixedPoint>& first, const std::optional<FixedPoint>& second,
                                    const std::optional<FixedPoint>& output, std::uint32_t left_shift) {
    if (!first.has_value() || !second.has_value() || !output.has_value()) {
        return std::nullopt;
    }
    return BinaryScaling{*first, *second, *output, left_shift};
}

double power_of_two(std::uint32_t exponent) {
    return static_cast<double>(1U << exponent);
}

// A multiplier of 1 and above is refused.
std::optional<BinaryScaling> add_scaling(double first, double second, double output, std::uint32_t left_shift) {
    const double twice_largest = 2.0 * std::max(first, second);
    return all_of(quantize_fraction(first / twice_largest), quantize_fraction(second / twice_largest),
                  quantize_fraction(twice_largest / (power_of_two(left_shift) * output)), left_shift);
}

// A difference divides in single precision, a sum in double.
std::optional<BinaryScaling> subtract_scaling(float first, float second, float output, std::uint32_t left_shift) {
    const float twice_largest = 2.0F * std::max(first, second);
    const auto steps = static_cast<float>(power_of_two(left_shift));
    return all_of(quantize_fraction(static_cast<double>(first / twice_largest)),
                  quantize_fraction(static_cast<double>(second / twice_largest)),
                  quantize_fraction(static_cast<double>(twice_largest / (steps * output))), left_shift);
}

// The output's multiplier may be 1 and above.
std::optional<BinaryScaling> squared_difference_scaling(float first, float second, float output,
                                                        std::uint32_t left_shift) {
    const double twice_largest = 2.0 * static_cast<double>(std::max(first, second));
    const auto steps = static_cast<float>(power_of_two(2U * left_shift));
    return all_of(quantize_fraction(static_cast<double>(first) / twice_largest),
                  quantize_fraction(static_cast<double>(second) / twice_largest),
                  quantize_multiplier((twice_largest * twice_largest) / static_cast<double>(steps * output)),
                  left_shift);
}

std::optional<BinaryScaling> binary_scaling(refdev::QuantizedBinaryOp op, bool is_int16, float first, float second,
                                            float output) {
    using Op = refdev::QuantizedBinaryOp;
    constexpr std::uint32_t kSumShift = 20U;
    constexpr std::uint32_t kSumShift16 = 15U;
    constexpr std::uint32_t kSquareShift = 7U;
    constexpr std::uint32_t kCompareShift = 8U;
    const auto [a, b, result] =
        std::array{static_cast<double>(first), static_cast<double>(second), static_cast<double>(output)};
    const double product = a * b / result;
    switch (op) {
        case Op::kAdd:
            return add_scaling(a, b, result, is_int16 ? kSumShift16 : kSumShift);
        case Op::kSubtract:
            return subtract_scaling(first, second, output, is_int16 ? kSumShift16 : kSumShift);
        case Op::kMultiply:
            return all_of(kUnity, kUnity, quantize_multiplier(product), 0U);
        case Op::kSquaredDifference:
            return squared_difference_scaling(first, second, output, is_int16 ? 0U : kSquareShift);
        case Op::kPrelu:
            return all_of(quantize_multiplier(a / result), kUnity, quantize_multiplier(product), 0U);
        case Op::kEqual:
        case Op::kNotEqual:
        case Op::kGreater:
        case Op::kGreaterEqual:
        case Op::kLess:
        case Op::kLessEqual:
            return all_of(quantize_fraction(a), quantize_fraction(b), kUnity, kCompareShift);
        case Op::kMinimum:
        case Op::kMaximum:
        case Op::kLogicalAnd:
        case Op::kLogicalOr:
        case Op::kUnspecified:
            break;
    }
    return BinaryScaling{};
}

// The members that convolutions and pooling have.
template <typename Arguments>
Arguments window_arguments(const ImageShape& input, const ImageShape& output, const Window& window,
                           const ActivationRange& range) {
    Arguments arguments{};
    arguments.batches = input.batches;
    arguments.input_height = input.height;
    arguments.input_width = input.width;
    arguments.output_height = output.height;
    arguments.output_width = output.width;
    arguments.filter_height = window.height.filter;
    arguments.filter_width = window.width.filter;
    arguments.stride_height = window.height.stride;
    arguments.stride_width = window.width.stride;
    arguments.pad_top = window.height.pad_before;
    arguments.pad_left = window.width.pad_before;
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    return arguments;
}

template <typename Arguments>
Arguments convolution_arguments(const ImageShape& input, const ImageShape& output, const Window& window,
                                const LayerNumbers& numbers) {
    auto arguments = window_arguments<Arguments>(input, output, window, numbers.range);
    arguments.input_channels = input.channels;
    arguments.dilation_height = window.height.dilation;
    arguments.dilation_width = window.width.dilation;
    arguments.input_offset = -numbers.input_zero_point;
    arguments.output_offset = numbers.output_zero_point;
    return arguments;
}

}  // namespace

ActivationRange full_range(std::uint32_t type) {
    switch (type) {
        case refdev::kTypeInt8:
            return {INT8_MIN, INT8_MAX};
        case refdev::kTypeInt16:
            return kInt16Range;
        default:
            return {INT32_MIN, INT32_MAX};
    }
}

refdev::FullyConnectedArguments fully_connected_arguments(const LayerSizes& sizes, const LayerNumbers& numbers) {
    refdev::FullyConnectedArguments arguments{};
    arguments.batches = sizes.batches;
    arguments.input_depth = sizes.input_depth;
    arguments.output_depth = sizes.output_depth;
    arguments.input_offset = -numbers.input_zero_point;
    arguments.filter_offset = -numbers.filter_zero_point;
    arguments.output_offset = numbers.output_zero_point;
    arguments.activation_min = numbers.range.min;
    arguments.activation_max = numbers.range.max;
    return arguments;
}

refdev::Conv2dArguments conv2d_arguments(const ImageShape& input, const ImageShape& output,
                                         std::uint32_t filter_channels, const Window& window,
                                         const LayerNumbers& numbers) {
    auto arguments = convolution_arguments<refdev::Conv2dArguments>(input, output, window, numbers);
    arguments.output_channels = output.channels;
    arguments.filter_channels = filter_channels;
    return arguments;
}

refdev::DepthwiseConv2dArguments depthwise_conv2d_arguments(const ImageShape& input, const ImageShape& output,
                                                            const Window& window, const LayerNumbers& numbers) {
    auto arguments = convolution_arguments<refdev::DepthwiseConv2dArguments>(input, output, window, numbers);
    arguments.depth_multiplier = output.channels / input.channels;
    return arguments;
}

refdev::Pool2dArguments pool2d_arguments(const ImageShape& input, const ImageShape& output, const Window& window,
                                         const ActivationRange& range, std::uint32_t type) {
    auto arguments = window_arguments<refdev::Pool2dArguments>(input, output, window, range);
    arguments.channels = input.channels;
    arguments.type = type;
    return arguments;
}

std::optional<refdev::QuantizedBinaryArguments> quantized_binary_arguments(refdev::QuantizedBinaryOp op,
                                                                           std::uint32_t type, const Affine& first,
                                                                           const Affine& second, const Affine& output,
                                                                           const ActivationRange& range) {
    const std::optional<BinaryScaling> scaling =
        binary_scaling(op, type == refdev::kTypeInt16, first.scale, second.scale, output.scale);
    if (!scaling.has_value()) {
        return std::nullopt;
    }
    refdev::QuantizedBinaryArguments arguments{};
    arguments.type = type;
    arguments.op = op;
    arguments.input1_offset = -first.zero_point;
    arguments.input1_multiplier = scaling->first.multiplier;
    arguments.input1_shift = scaling->first.shift;
    arguments.input2_offset = -second.zero_point;
    arguments.input2_multiplier = scaling->second.multiplier;
    arguments.input2_shift = scaling->second.shift;
    arguments.left_shift = scaling->left_shift;
    arguments.output_offset = output.zero_point;
    arguments.output_multiplier = scaling->output.multiplier;
    arguments.output_shift = scaling->output.shift;
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    return arguments;
}

refdev::AddArguments add_arguments(const refdev::QuantizedBinaryArguments& sum) {
    return {sum.input1,
            sum.input2,
            sum.output,
            sum.dims,
            sum.strides1,
            sum.strides2,
            sum.input1_offset,
            sum.input1_multiplier,
            sum.input1_shift,
            sum.input2_offset,
            sum.input2_multiplier,
            sum.input2_shift,
            sum.left_shift,
            sum.output_offset,
            sum.output_multiplier,
            sum.output_shift,
            sum.activation_min,
            sum.activation_max};
}

std::optional<refdev::SoftmaxArguments> softmax_arguments(std::uint32_t depth, float beta, float input_scale,
                                                          std::uint32_t output_type) {
    const std::optional<SoftmaxScaling> scaling = softmax_scaling(beta, input_scale);
    if (!scaling.has_value()) {
        return std::nullopt;
    }
    return refdev::SoftmaxArguments{
        0U, 0U, 0U, depth, scaling->multiplier, scaling->left_shift, scaling->diff_min, output_type};
}

std::optional<refdev::SoftmaxInt16Arguments> softmax_int16_arguments(std::uint32_t depth, float beta,
                                                                     float input_scale) {
    const std::optional<FixedPoint> scale = softmax_int16_scale(beta, input_scale);
    if (!scale.has_value()) {
        return std::nullopt;
    }
    return refdev::SoftmaxInt16Arguments{0U, 0U, 0U, 0U, depth, scale->multiplier, scale->shift};
}

std::optional<refdev::LogSoftmaxArguments> log_softmax_arguments(std::uint32_t depth, float input_scale) {
    const std::optional<LogSoftmaxScaling> scaling = log_softmax_scaling(input_scale);
    if (!scaling.has_value()) {
        return std::nullopt;
    }
    const auto& [differences, reverse] = *scaling;
    return refdev::LogSoftmaxArguments{0U,
                                       0U,
                                       0U,
                                       depth,
                                       differences.multiplier,
                                       differences.left_shift,
                                       differences.diff_min,
                                       reverse.multiplier,
                                       reverse.shift};
}

std::optional<refdev::SigmoidInt16Arguments> sigmoid_int16_arguments(refdev::SigmoidOp op, float input_scale) {
    const std::optional<FixedPoint> scale = sigmoid_scale(input_scale, (op == refdev::SigmoidOp::kTanh) ? 2 : 1);
    if (!scale.has_value()) {
        return std::nullopt;
    }
    return refdev::SigmoidInt16Arguments{0U, 0U, 0U, 0U, op, scale->multiplier, scale->shift};
}

refdev::MeanArguments mean_arguments(const std::array<std::uint32_t, 4>& dims, std::uint32_t reduced_axes,
                                     const FixedPoint& scale, const Affine& input, const Affine& output,
                                     std::uint32_t type) {
    return {0U, 0U, dims, reduced_axes, input.zero_point, output.zero_point, scale.multiplier, scale.shift, type};
}

refdev::RescaleArguments rescale_arguments(std::uint32_t input_type, std::uint32_t output_type, const FixedPoint& scale,
                                           std::int32_t input_zero_point, std::int32_t output_zero_point) {
    const ActivationRange range = full_range(output_type);
    refdev::RescaleArguments arguments{};
    arguments.input_type = input_type;
    arguments.output_type = output_type;
    arguments.input_zero_point = input_zero_point;
    arguments.multiplier = scale.multiplier;
    arguments.shift = scale.shift;
    arguments.negative_multiplier = scale.multiplier;
    arguments.negative_shift = scale.shift;
    arguments.output_zero_point = output_zero_point;
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    return arguments;
}

refdev::RequantizeArguments requantize_arguments(const FixedPoint& scale, std::int32_t input_zero_point,
                                                 std::int32_t output_zero_point) {
    return {0U, 0U, 0U, input_zero_point, scale.multiplier, scale.shift, output_zero_point};
}

std::uint32_t product(const std::vector<std::uint32_t>& shape, std::size_t first, std::size_t last) {
    std::uint32_t result = 1U;
    for (std::size_t i = first; i < last; ++i) {
        result *= shape.at(i);
    }
    return result;
}

refdev::TakeArguments take_arguments(const std::vector<std::uint32_t>& shape, std::size_t batch_axes, std::size_t axis,
                                     std::uint32_t count, std::uint32_t element_bytes) {
    return {0U,
            0U,
            0U,
            product(shape, 0U, batch_axes),
            product(shape, batch_axes, axis),
            shape.at(axis),
            count,
            product(shape, axis + 1U, shape.size()) * element_bytes};
}

}  // namespace pianola::operators
