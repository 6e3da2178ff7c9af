#include <algorithm>
#include <cmath>
#include <optional>

#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/padding.h"
#include "capture_host/decompile/scales.h"
#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;
using refdev::KernelId;

// The places of a layer's operands, and the width of its sums: 8 bytes, or 4 for int8.
struct LayerRoles {
    std::size_t input{0U};
    std::size_t bias{2U};
    std::uint32_t sum_bytes{refdev::kNarrowSumBytes};
};

// Layers of int16 sum as wide as their bias is; `absent` is the type that a missing bias stands for.
std::uint32_t sum_bytes_of(const Operation& op, std::size_t bias, std::int8_t absent) {
    const std::int8_t type = op.has(bias) ? op.in(bias).type : absent;
    const bool is_wide = is_int16(op.in(0U)) && (type != tflite::kTypeInt32);
    return is_wide ? refdev::kWideSumBytes : refdev::kNarrowSumBytes;
}

// For each channel: bias, mantissa and shift.
Tokens channel_table(const Operation& op, std::size_t channels, bool is_single_precision, const LayerRoles& roles) {
    const std::vector<float>& scales = op.in(1U).quantization.scales;
    const std::vector<std::int64_t> bias =
        op.has(roles.bias) ? op.wide_integers(roles.bias) : std::vector<std::int64_t>(channels, 0);
    if (scales.empty() || (bias.size() != channels) || ((scales.size() != 1U) && (scales.size() != channels))) {
        Operation::not_understood("the number of its biases or scales");
    }
    const float in = scale_of(op.in(roles.input));
    const auto out = static_cast<double>(scale_of(op.out()));
    Tokens table;
    for (std::size_t channel = 0U; channel < channels; ++channel) {
        const float weight = scales.at((scales.size() == 1U) ? 0U : channel);
        const double product = is_single_precision ? static_cast<double>(in * weight)
                                                   : (static_cast<double>(in) * static_cast<double>(weight));
        const Multiplier scale = multiplier_of(product / out);
        append_integer(table, bias[channel], roles.sum_bytes);
        append_integer(table, scale.mantissa, sizeof(scale.mantissa));
        append_integer(table, scale.shift, sizeof(scale.shift));
    }
    return table;
}

// The output is what the layer computes, by the kernel of its input's type.
template <typename Arguments>
void compute_layer(Operation& op, refdev::KernelId int8, refdev::KernelId int16, const Arguments& arguments,
                   const LayerRoles& roles, const std::vector<Tokens>& operands) {
    if (is_int16(op.in(roles.input))) {
        op.compute(int16, refdev::Int16Layer<Arguments>{arguments, roles.sum_bytes}, operands);
    } else {
        op.compute(int8, arguments, operands);
    }
}

constexpr int kSamePadding = 0;
constexpr int kValidPadding = 1;

struct Axis {
    std::uint32_t in{0U};
    std::uint32_t out{0U};
    std::uint32_t filter{0U};
    std::int32_t stride{0};
    std::int32_t dilation{1};
};

void check_window(const Axis& axis, int padding) {
    if (((padding != kSamePadding) && (padding != kValidPadding)) || (axis.stride < 1) || (axis.dilation < 1)) {
        Operation::not_understood("its padding, stride or dilation");
    }
}

// Padding before the input: half of what the windows need beyond it, rounded down.
std::uint32_t pad_before(const Axis& axis, int padding) {
    check_window(axis, padding);
    const std::int64_t in = axis.in;
    const std::int64_t reach = ((std::int64_t{axis.filter} - 1) * axis.dilation) + 1;
    const bool is_same = padding == kSamePadding;
    const std::int64_t out =
        is_same ? ((in + axis.stride - 1) / axis.stride) : ((in - reach + axis.stride) / axis.stride);
    if (out != axis.out) {
        throw Mismatch{"its output does not follow from its window"};
    }
    const std::int64_t needed = ((out - 1) * axis.stride) + reach - in;
    return is_same ? static_cast<std::uint32_t>(std::max<std::int64_t>(needed, 0) / 2) : 0U;
}

const Shape& image(const Tensor& tensor) {
    constexpr std::size_t kRank = 4U;
    if (tensor.shape.size() != kRank) {
        Operation::not_understood("'" + tensor.name + "' is no image");
    }
    return tensor.shape;
}

// One scale, or one for each channel. A zero point goes with one scale, and only to a kernel that takes it.
void check_weights(const Operation& op, std::uint32_t channel_dimension, bool takes_zero_point) {
    const tflite::Quantization& weights = op.in(1U).quantization;
    const bool is_single = weights.scales.size() == 1U;
    const bool is_symmetric = std::all_of(weights.zero_points.begin(), weights.zero_points.end(),
                                          [](std::int32_t zero_point) { return zero_point == 0; });
    if ((!is_single && (weights.dimension != channel_dimension)) ||
        (!is_symmetric && !(is_single && takes_zero_point))) {
        Operation::not_understood("its weights' zero points, or the dimension of their scales");
    }
}

template <typename Arguments, typename Options>
Arguments convolution(const Operation& op, const Options& options) {
    const Shape& in = image(op.in(0U));
    const Shape& filter = image(op.in(1U));
    const Shape& out = image(op.out());
    const Bounds bounds = bounds_of(options.fused_activation_function(), op.out());
    const Axis rows{in[1], out[1], filter[1], options.stride_h(), options.dilation_h_factor()};
    const Axis columns{in[2], out[2], filter[2], options.stride_w(), options.dilation_w_factor()};
    Arguments a{};
    a.batches = in[0];
    a.input_height = in[1];
    a.input_width = in[2];
    a.input_channels = in[3];
    a.output_height = out[1];
    a.output_width = out[2];
    a.filter_height = filter[1];
    a.filter_width = filter[2];
    a.stride_height = static_cast<std::uint32_t>(rows.stride);
    a.stride_width = static_cast<std::uint32_t>(columns.stride);
    a.dilation_height = static_cast<std::uint32_t>(rows.dilation);
    a.dilation_width = static_cast<std::uint32_t>(columns.dilation);
    a.pad_top = pad_before(rows, options.padding());
    a.pad_left = pad_before(columns, options.padding());
    a.input_offset = -zero_point_of(op.in(0U));
    a.output_offset = zero_point_of(op.out());
    a.activation_min = bounds.lowest;
    a.activation_max = bounds.highest;
    return a;
}

// The same of the image without the padding, which the kernel adds.
template <typename Arguments>
Arguments with_padding(Arguments a, const Unpadded& image) {
    a.input_height = image.height;
    a.input_width = image.width;
    a.pad_top += image.top;
    a.pad_left += image.left;
    return a;
}

// Computes a convolution of a padded image either with its PAD or after it.
template <typename Arguments>
void compute_convolution(Operation& op, refdev::KernelId int8, refdev::KernelId int16, const Arguments& arguments,
                         const LayerRoles& roles, const Tokens& table) {
    const std::vector<Tokens> operands{op.bytes(0U), op.bytes(1U), table};
    const std::optional<Unpadded> image = unpadded(op);
    if (!image.has_value()) {
        compute_layer(op, int8, int16, arguments, roles, operands);
        return;
    }
    using Work = Operation::Work<Arguments>;
    const Work with_pad{with_padding(arguments, *image), {image->bytes, op.bytes(1U), table}};
    const Work after_pad{arguments, operands};
    if (is_int16(op.in(0U))) {
        using Wide = refdev::Int16Layer<Arguments>;
        using WideWork = Operation::Work<Wide>;
        op.compute_either(int16, WideWork{Wide{with_pad.arguments, roles.sum_bytes}, with_pad.operands},
                          WideWork{Wide{after_pad.arguments, roles.sum_bytes}, after_pad.operands});
    } else {
        op.compute_either(int8, with_pad, after_pad);
    }
}

void conv_2d(Operation& op) {
    check_weights(op, 0U, false);
    const auto& options = op.options<format::Conv2DOptions>();
    const LayerRoles roles{0U, 2U, sum_bytes_of(op, 2U, options.quantized_bias_type())};
    auto a = convolution<refdev::Conv2dArguments>(op, options);
    a.output_channels = op.out().shape[3];
    a.filter_channels = op.in(1U).shape[3];
    compute_convolution(op, KernelId::kConv2d, KernelId::kConv2dInt16, a, roles,
                        channel_table(op, a.output_channels, false, roles));
}

// Layers of int16 have wide sums with any bias.
LayerRoles wide_roles(const Operation& op, std::size_t input, std::size_t bias) {
    return {input, bias, is_int16(op.in(input)) ? refdev::kWideSumBytes : refdev::kNarrowSumBytes};
}

void depthwise_conv_2d(Operation& op) {
    constexpr std::uint32_t kChannelDimension = 3U;
    check_weights(op, kChannelDimension, false);
    const auto& options = op.options<format::DepthwiseConv2DOptions>();
    const LayerRoles roles = wide_roles(op, 0U, 2U);
    auto a = convolution<refdev::DepthwiseConv2dArguments>(op, options);
    const std::uint32_t channels = op.out().shape[3];
    a.depth_multiplier = channels / a.input_channels;
    if ((std::int64_t{options.depth_multiplier()} * a.input_channels) != channels) {
        Operation::not_understood("a depth multiplier that does not follow from its channels");
    }
    compute_convolution(op, KernelId::kDepthwiseConv2d, KernelId::kDepthwiseConv2dInt16, a, roles,
                        channel_table(op, channels, false, roles));
}

// The input's elements at distances of `rows` and `columns`, with zeros between and after them.
Tokens spread(const Operation& op, std::size_t input, std::uint32_t rows, std::uint32_t columns) {
    const Shape& in = op.in(input).shape;
    const std::size_t bytes = element_bytes_of(op.in(input));
    Tokens zero;
    append_integer(zero, zero_point_of(op.in(input)), bytes);
    Tokens tokens;
    for_each_index({in[0], in[1] * rows, in[2] * columns, in[3]}, [&](const Shape& index) {
        if (((index[1] % rows) == 0U) && ((index[2] % columns) == 0U)) {
            append_element(tokens, op.bytes(input),
                           offset_of(in, {index[0], index[1] / rows, index[2] / columns, index[3]}), bytes);
        } else {
            append(tokens, zero);
        }
    });
    return tokens;
}

// How far the filter reaches before the input: the padding of the convolution from the output to the input.
std::uint32_t reach_before(const Axis& forward, int padding) {
    check_window(forward, padding);
    const std::uint32_t before = (padding == kSamePadding) ? pad_before(forward, padding) : 0U;
    return forward.filter - 1U - before;
}

// Each output adds up the inputs that reach it: a convolution of the spread input, its filter turned half round.
void transpose_conv(Operation& op) {
    check_weights(op, 0U, false);
    const auto& options = op.options<format::TransposeConvOptions>();
    const LayerRoles roles = wide_roles(op, 2U, 3U);
    const Shape& in = image(op.in(roles.input));
    const Shape& filter = image(op.in(1U));
    const Shape& out = image(op.out());
    const Bounds bounds = bounds_of(options.fused_activation_function(), op.out());
    refdev::Conv2dArguments a{};
    a.batches = in[0];
    a.input_height = in[1] * static_cast<std::uint32_t>(options.stride_h());
    a.input_width = in[2] * static_cast<std::uint32_t>(options.stride_w());
    a.input_channels = in[3];
    a.output_height = out[1];
    a.output_width = out[2];
    a.output_channels = out[3];
    a.filter_height = filter[1];
    a.filter_width = filter[2];
    a.filter_channels = filter[3];
    a.stride_height = 1U;
    a.stride_width = 1U;
    a.dilation_height = 1U;
    a.dilation_width = 1U;
    a.pad_top = reach_before({out[1], in[1], filter[1], options.stride_h()}, options.padding());
    a.pad_left = reach_before({out[2], in[2], filter[2], options.stride_w()}, options.padding());
    a.input_offset = -zero_point_of(op.in(roles.input));
    a.output_offset = zero_point_of(op.out());
    a.activation_min = bounds.lowest;
    a.activation_max = bounds.highest;
    Tokens turned;
    for_each_index(filter, [&](const Shape& index) {
        const Shape from{index[0], filter[1] - 1U - index[1], filter[2] - 1U - index[2], index[3]};
        append_element(turned, op.bytes(1U), offset_of(filter, from), 1U);
    });
    compute_layer(op, KernelId::kConv2d, KernelId::kConv2dInt16, a, roles,
                  {spread(op, roles.input, static_cast<std::uint32_t>(options.stride_h()),
                          static_cast<std::uint32_t>(options.stride_w())),
                   turned, channel_table(op, a.output_channels, false, roles)});
}

void check_bias_scale(const Operation& op) {
    constexpr double kMostDifference = 0.02;  // of the output's steps
    const auto product = static_cast<double>(scale_of(op.in(0U)) * scale_of(op.in(1U)));
    const std::vector<float>& stored = op.in(2U).quantization.scales;
    const double bias = stored.empty() ? 0.0 : static_cast<double>(stored.front());
    if (std::fabs(product - bias) > (kMostDifference * static_cast<double>(scale_of(op.out())))) {
        Operation::not_understood("a bias of another scale than its sums have");
    }
}

void fully_connected(Operation& op) {
    const Tensor& weights = op.in(1U);
    if (weights.shape.size() != 2U) {
        Operation::not_understood("weights that are no matrix");
    }
    const auto& options = op.options<format::FullyConnectedOptions>();
    check_weights(op, 0U, !is_int16(op.in(0U)));
    if (options.weights_format() != 0) {
        Operation::not_understood("weights in another order");
    }
    const Shape& out = op.out().shape;
    if (out.empty() || (out.back() != weights.shape[0]) || ((op.in(0U).elements % weights.shape[1]) != 0U)) {
        Operation::not_understood("weights that do not fit its input or output");
    }
    const LayerRoles roles{0U, 2U, sum_bytes_of(op, 2U, options.quantized_bias_type())};
    const Bounds bounds = bounds_of(options.fused_activation_function(), op.out());
    refdev::FullyConnectedArguments a{};
    a.output_depth = weights.shape[0];
    a.input_depth = weights.shape[1];
    a.batches = op.in(0U).elements / a.input_depth;
    a.input_offset = -zero_point_of(op.in(0U));
    a.filter_offset = -zero_point_of(weights);
    a.output_offset = zero_point_of(op.out());
    a.activation_min = bounds.lowest;
    a.activation_max = bounds.highest;
    // With one scale for all weights, the reference multiplies the scales in single precision, and holds the bias to
    // it.
    const bool is_single_precision = weights.quantization.scales.size() == 1U;
    if (is_single_precision && op.has(2U)) {
        check_bias_scale(op);
    }
    compute_layer(op, KernelId::kFullyConnected, KernelId::kFullyConnectedInt16, a, roles,
                  {op.bytes(0U), op.bytes(1U), channel_table(op, a.output_depth, is_single_precision, roles)});
}

void pool(Operation& op, KernelId kernel) {
    const auto& options = op.options<format::Pool2DOptions>();
    const Shape& in = image(op.in(0U));
    const Shape& out = image(op.out());
    const Bounds bounds = bounds_of(options.fused_activation_function(), op.out());
    refdev::Pool2dArguments a{};
    a.batches = in[0];
    a.input_height = in[1];
    a.input_width = in[2];
    a.channels = in[3];
    a.output_height = out[1];
    a.output_width = out[2];
    a.filter_height = static_cast<std::uint32_t>(options.filter_height());
    a.filter_width = static_cast<std::uint32_t>(options.filter_width());
    a.stride_height = static_cast<std::uint32_t>(options.stride_h());
    a.stride_width = static_cast<std::uint32_t>(options.stride_w());
    a.pad_top = pad_before({in[1], out[1], a.filter_height, options.stride_h()}, options.padding());
    a.pad_left = pad_before({in[2], out[2], a.filter_width, options.stride_w()}, options.padding());
    a.activation_min = bounds.lowest;
    a.activation_max = bounds.highest;
    a.type = static_cast<std::uint32_t>(tflite::element_type(op.out().type));
    op.compute(kernel, a, {op.bytes(0U)});
}

void average_pool_2d(Operation& op) {
    pool(op, KernelId::kAveragePool2d);
}

void max_pool_2d(Operation& op) {
    pool(op, KernelId::kMaxPool2d);
}

// More than four dimensions are looked at as fewer: one for each run of those that are all reduced, or all kept.
void set_reduced_dims(const Operation& op, refdev::MeanArguments& a) {
    const Shape& shape = op.in(0U).shape;
    std::uint32_t reduced = 0U;
    for (const std::int32_t axis : op.integers(1U)) {
        const std::size_t at = axis_of(axis, shape.size());
        if (at >= shape.size()) {
            Operation::not_understood("an axis outside the shape");
        }
        reduced |= 1U << at;
    }
    const auto is_reduced = [&](std::size_t axis) { return (reduced >> axis) & 1U; };
    std::size_t at = a.dims.size();
    a.dims = {1U, 1U, 1U, 1U};
    for (std::size_t axis = shape.size(); axis > 0U; --axis) {
        const bool continues =
            (shape.size() > a.dims.size()) && (axis < shape.size()) && (is_reduced(axis - 1U) == is_reduced(axis));
        if (!continues && (at == 0U)) {
            Operation::not_understood("more than four dimensions");
        }
        at -= continues ? 0U : 1U;
        a.dims.at(at) *= shape[axis - 1U];
        a.reduced_axes |= is_reduced(axis - 1U) << at;
    }
}

// A sum is a mean that is not divided. 1 / count is folded into the multiplier, as
// hal/devices/refdev/kernels/arguments.inc says.
void mean_or_sum(Operation& op, bool divides) {
    constexpr std::int32_t kMostFold = 32;
    refdev::MeanArguments a{};
    set_reduced_dims(op, a);
    std::int64_t count = 1;
    for (std::size_t axis = 0U; divides && (axis < a.dims.size()); ++axis) {
        count *= (((a.reduced_axes >> axis) & 1U) != 0U) ? std::int64_t{a.dims.at(axis)} : 1;
    }
    const Multiplier ratio =
        multiplier_of(static_cast<double>(scale_of(op.in(0U))) / static_cast<double>(scale_of(op.out())));
    const std::int32_t fold =
        std::min({static_cast<std::int32_t>(std::ilogb(static_cast<double>(count))), kMostFold, 31 + ratio.shift});
    a.input_zero_point = zero_point_of(op.in(0U));
    a.output_zero_point = zero_point_of(op.out());
    a.multiplier = static_cast<std::int32_t>(
        (std::int64_t{ratio.mantissa} * (std::int64_t{1} << static_cast<std::uint32_t>(fold))) / count);
    a.shift = ratio.shift - fold;
    a.type = static_cast<std::uint32_t>(tflite::element_type(op.out().type));
    op.compute(KernelId::kMean, a, {op.bytes(0U)});
}

void mean(Operation& op) {
    mean_or_sum(op, true);
}

void sum(Operation& op) {
    mean_or_sum(op, false);
}

constexpr std::array<Entry, 8> kLayers{{{format::BuiltinOperator_CONV_2D, conv_2d, kSameType},
                                        {format::BuiltinOperator_DEPTHWISE_CONV_2D, depthwise_conv_2d, kSameType},
                                        {format::BuiltinOperator_TRANSPOSE_CONV, transpose_conv},
                                        {format::BuiltinOperator_FULLY_CONNECTED, fully_connected},
                                        {format::BuiltinOperator_AVERAGE_POOL_2D, average_pool_2d, kMoved},
                                        {format::BuiltinOperator_MAX_POOL_2D, max_pool_2d, kMoved},
                                        {format::BuiltinOperator_MEAN, mean, kSameType},
                                        {format::BuiltinOperator_SUM, sum, kSameType}}};

}  // namespace

Entries layer_operators() {
    return kLayers;
}

}  // namespace pianola::decompile
