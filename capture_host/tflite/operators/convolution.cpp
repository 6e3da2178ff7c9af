#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "capture_host/operators/window.h"
#include "capture_host/tflite/operators/filter_table.h"
#include "capture_host/tflite/operators/folded_pad.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

using operators::ImageShape;
using operators::Window;
using operators::WindowAxis;

struct AxisOptions {
    std::int32_t stride{0};
    std::int32_t dilation{0};
};

// Padding schemes, by their numbers in the format.
constexpr std::int8_t kPaddingSame = 0;
constexpr std::int8_t kPaddingValid = 1;

// The values of an operator's options.
struct WindowOptions {
    std::int8_t padding{kPaddingSame};
    AxisOptions height;
    AxisOptions width;
};

WindowAxis axis_of(const OperatorContext& context, std::int8_t padding, const AxisOptions& options, std::uint32_t input,
                   std::uint32_t output, std::uint32_t filter) {
    const auto [stride, dilation] = options;
    constexpr auto kMaxSpatial = static_cast<std::int32_t>(refdev::kMaxSpatial);
    context.require((stride >= 1) && (stride <= kMaxSpatial), "its stride is out of range");
    context.require((dilation >= 1) && (dilation <= kMaxSpatial), "its dilation is out of range");
    context.require((filter >= 1U) && (filter <= refdev::kMaxSpatial), "its filter size is out of range");
    context.require((padding == kPaddingSame) || (padding == kPaddingValid), "its padding scheme is not supported");

    const auto step = static_cast<std::uint64_t>(stride);
    const std::uint64_t reach = operators::window_reach(filter, static_cast<std::uint64_t>(dilation));
    WindowAxis axis{filter, static_cast<std::uint32_t>(stride), static_cast<std::uint32_t>(dilation), 0U};
    if (padding == kPaddingValid) {
        context.require(reach <= input, "its filter is larger than its input");
        context.require(output == operators::windows_inside(input, reach, step),
                        "its output size does not follow from its input");
        return axis;
    }
    context.require(output == operators::windows_same(input, step), "its output size does not follow from its input");
    const std::uint64_t before = operators::padding_same(input, output, reach, step) / 2U;
    context.require(before <= refdev::kMaxSpatial, "its padding is out of range");
    axis.pad_before = static_cast<std::uint32_t>(before);
    return axis;
}

// Dimensions of an image, each within what kernels accept.
ImageShape image_shape(const OperatorContext& context, const Tensor& tensor, const char* what) {
    if (tensor.shape.size() != kImageRank) {
        context.refuse(std::string{what} + " of rank " + std::to_string(tensor.shape.size()) +
                       " is not supported; 4 is");
    }
    const ImageShape shape{tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.shape[3]};
    context.require((shape.height <= refdev::kMaxSpatial) && (shape.width <= refdev::kMaxSpatial),
                    "heights and widths above 32767 are not supported");
    return shape;
}

// Checks the options, and that they map `input` to `output`.
Window window_of(const OperatorContext& context, const WindowOptions& options, const ImageShape& input,
                 const ImageShape& output, std::uint32_t filter_height, std::uint32_t filter_width) {
    return Window{axis_of(context, options.padding, options.height, input.height, output.height, filter_height),
                  axis_of(context, options.padding, options.width, input.width, output.width, filter_width)};
}

void require_taps(const OperatorContext& context, std::uint64_t height, std::uint64_t width, std::uint64_t depth) {
    // Each factor is below 2^32 and the first two below 2^15: no overflow.
    context.require((height * width) <= refdev::kMaxTaps, "a filter with so many taps is not supported");
    context.require((height * width * depth) <= refdev::kMaxTaps, "a filter with so many taps is not supported");
}

// The common part of both kinds.
struct Convolution {
    QuantizedTensor input;
    QuantizedTensor output;
    FoldedPad pad;  // its input is what the kernel reads: the convolution's input if no PAD is folded
    ImageShape in;  // of what the kernel reads
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
    found.pad = folded_pad(context.model(), found.input.index).value_or(FoldedPad{found.input.index, {}, {}});
    found.in.height -= found.pad.height.before + found.pad.height.after;
    found.in.width -= found.pad.width.before + found.pad.width.after;
    context.require(found.in.batches == found.out.batches, "its input and output differ in batches");
    return found;
}

template <typename Options>
Window convolution_window(const OperatorContext& context, const Options& options, const Convolution& convolution) {
    const WindowOptions wanted{options.padding(),
                               {options.stride_h(), options.dilation_h_factor()},
                               {options.stride_w(), options.dilation_w_factor()}};
    const ImageShape padded = image_shape(context, *convolution.input.tensor, "input");
    Window window =
        window_of(context, wanted, padded, convolution.out, convolution.filter.height, convolution.filter.width);
    window.height.pad_before += convolution.pad.height.before;
    window.width.pad_before += convolution.pad.width.before;
    return window;
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
                 {{context.tensor_buffer(convolution.pad.input)},
                  {context.input_buffer(kFilterPosition)},
                  {table},
                  {context.buffer(convolution.output)}});
}

}  // namespace

void lower_conv_2d(OperatorContext& context) {
    const auto& options = context.options<format::Conv2DOptions>();
    const Convolution found = convolution(context);
    const auto& [input, output, pad, in, filter, out] = found;
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
    const auto& [input, output, pad, in, filter, out] = found;
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

namespace {

constexpr std::size_t kInputPosition = 2U;
constexpr std::size_t kTransposeConvBiasPosition = 3U;

// A transposed convolution is a convolution with the filter rotated by 180 degrees, of an input whose elements are
// `stride` apart, with zeros between.
struct DilatedAxis {
    std::uint32_t stride{1U};
    std::uint32_t size{0U};  // of the dilated input
    std::uint32_t pad_before{0U};
};

struct AxisSizes {
    std::uint32_t input{0U};
    std::uint32_t filter{0U};
    std::uint32_t output{0U};
};

DilatedAxis dilated_axis(const OperatorContext& context, std::int8_t padding, std::int32_t stride,
                         const AxisSizes& sizes) {
    constexpr auto kMaxSpatial = static_cast<std::int32_t>(refdev::kMaxSpatial);
    context.require((stride >= 1) && (stride <= kMaxSpatial), "its stride is out of range");
    context.require((padding == kPaddingSame) || (padding == kPaddingValid), "its padding scheme is not supported");
    const auto step = static_cast<std::uint32_t>(stride);
    const std::uint64_t dilated = std::uint64_t{sizes.input} * step;
    context.require(dilated <= refdev::kMaxSpatial, "its input is too large for its stride");
    context.require((padding == kPaddingSame) || (sizes.filter <= sizes.output),
                    "its filter is larger than its output");
    // It is the reverse of a convolution from its output to its input.
    const std::uint64_t windows = (padding == kPaddingSame)
                                      ? operators::windows_same(sizes.output, step)
                                      : operators::windows_inside(sizes.output, sizes.filter, step);
    context.require(windows == sizes.input, "its output size does not follow from its input");
    // The padding is that of the convolution from the output to the input; it is less than the filter.
    const std::uint64_t total =
        (padding == kPaddingSame)
            ? operators::padding_same(sizes.output, operators::windows_same(sizes.output, step), sizes.filter, step)
            : 0U;
    return {step, static_cast<std::uint32_t>(dilated), (sizes.filter - 1U) - static_cast<std::uint32_t>(total / 2U)};
}

// A computed shape is not read: the output has it.
void require_output_shape(const OperatorContext& context, const Tensor& output) {
    if (!context.typed_input(0U, "output shape", {kTypeInt32}).tensor->is_constant) {
        return;
    }
    const std::vector<std::int32_t> sizes = context.int32_constant(0U, "output shape", kImageRank);
    context.require(std::equal(sizes.begin(), sizes.end(), output.shape.begin(), output.shape.end(),
                               [](std::int32_t a, std::uint32_t b) { return std::int64_t{a} == std::int64_t{b}; }),
                    "its output shape operand differs from its output");
}

// The pixels of each output channel in reverse order.
std::vector<std::uint8_t> rotated_filter(const Tensor& filter, const ImageShape& shape) {
    const std::size_t pixels = std::size_t{shape.height} * shape.width;
    std::vector<std::uint8_t> contents(filter.elements);
    for (std::size_t channel = 0U; channel < shape.batches; ++channel) {
        for (std::size_t pixel = 0U; pixel < pixels; ++pixel) {
            const std::size_t from = ((channel * pixels) + pixel) * shape.channels;
            const std::size_t to = ((channel * pixels) + (pixels - 1U - pixel)) * shape.channels;
            for (std::size_t i = 0U; i < shape.channels; ++i) {
                contents[to + i] = filter.contents[from + i];
            }
        }
    }
    return contents;
}

// The input with zeros after each of its rows and columns; unchanged if there are none.
capture::BufferId dilate_input(OperatorContext& context, const QuantizedTensor& input, const ImageShape& in,
                               const DilatedAxis& height, const DilatedAxis& width) {
    const capture::BufferId from = context.buffer(input);
    if ((height.stride == 1U) && (width.stride == 1U)) {
        return from;
    }
    const std::uint64_t gaps = std::uint64_t{width.stride - 1U} * in.channels;
    const std::uint32_t element_bytes = input.tensor->size_bytes / input.tensor->elements;
    const std::uint64_t pixels = std::uint64_t{in.batches} * height.size * width.size;  // below 2^26 * 2^30
    const std::uint64_t pixel_bytes = std::uint64_t{in.channels} * element_bytes;
    context.require(
        (gaps <= kMaxTensorBytes) && (pixels <= kMaxTensorBytes) && ((pixels * pixel_bytes) <= kMaxTensorBytes),
        "its input is too large for its stride");
    refdev::PadArguments arguments{};
    arguments.dims = {in.batches * in.height, 1U, in.width, in.channels};
    arguments.after = {0U, height.stride - 1U, 0U, static_cast<std::uint32_t>(gaps)};
    arguments.element_bytes = element_bytes;
    arguments.value = input.zero_point;
    const capture::BufferId to = context.add_temporary(static_cast<std::uint32_t>(pixels * pixel_bytes));
    context.launch(refdev::KernelId::kPad, arguments, {{from}, {to}});
    return to;
}

}  // namespace

void lower_transpose_conv(OperatorContext& context) {
    context.require_operands(3U, 4U);
    const auto& options = context.options<format::TransposeConvOptions>();
    const QuantizedTensor input = context.quantized_input(kInputPosition, "input", {kTypeInt8, kTypeInt16});
    const Tensor& filter_tensor = context.int8_constant(kFilterPosition, "filter");
    const QuantizedTensor output = context.quantized_output({input.tensor->type});
    const ImageShape in = image_shape(context, *input.tensor, "input");
    const ImageShape filter = image_shape(context, filter_tensor, "filter");
    const ImageShape out = image_shape(context, *output.tensor, "output");
    require_output_shape(context, *output.tensor);
    context.require(in.batches == out.batches, "its input and output differ in batches");
    context.require(filter.channels == in.channels, "its filter and input differ in channels");
    context.require(filter.batches == out.channels, "its filter and output differ in channels");
    // Each factor is below 2^32 and the first two below 2^15: no overflow.
    context.require((std::uint64_t{filter.height} * filter.width * filter.channels) <= refdev::kMaxTaps,
                    "a filter with so many taps is not supported");
    const DilatedAxis height =
        dilated_axis(context, options.padding(), options.stride_h(), {in.height, filter.height, out.height});
    const DilatedAxis width =
        dilated_axis(context, options.padding(), options.stride_w(), {in.width, filter.width, out.width});
    const ActivationRange range = context.clamp_range(options.fused_activation_function(), output);
    const std::uint32_t sum_bytes =
        (input.tensor->type == kTypeInt16) ? refdev::kWideSumBytes : refdev::kNarrowSumBytes;
    context.require_bias_type(kTransposeConvBiasPosition, options.quantized_bias_type(), sum_bytes);
    const capture::BufferId table =
        add_filter_table(context, input, output, out.channels, {0U, kTransposeConvBiasPosition, sum_bytes});
    const capture::BufferId weights = context.add_table("filter", rotated_filter(filter_tensor, filter));

    const refdev::Conv2dArguments arguments = operators::conv2d_arguments(
        {in.batches, height.size, width.size, in.channels}, out, filter.channels,
        {{filter.height, 1U, 1U, height.pad_before}, {filter.width, 1U, 1U, width.pad_before}},
        {input.zero_point, 0, output.zero_point, range});
    launch_layer(context, {refdev::KernelId::kConv2d, refdev::KernelId::kConv2dInt16}, *input.tensor, sum_bytes,
                 arguments,
                 {{dilate_input(context, input, in, height, width)}, {weights}, {table}, {context.buffer(output)}});
}

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
