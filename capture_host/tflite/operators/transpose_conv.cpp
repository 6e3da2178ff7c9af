#include <algorithm>
#include <cstddef>

#include "capture_host/tflite/operators/filter_table.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/window.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kInputPosition = 2U;
constexpr std::size_t kTransposeConvBiasPosition = 3U;

// A transposed convolution is a convolution with the filter rotated by 180 degrees, of an input whose elements are
// `stride` apart, with zeros between.
struct SpreadAxis {
    std::uint32_t stride{1U};
    std::uint32_t size{0U};  // of the input, spread
    std::uint32_t pad_before{0U};
};

struct AxisSizes {
    std::uint32_t input{0U};
    std::uint32_t filter{0U};
    std::uint32_t output{0U};
};

SpreadAxis spread_axis(const OperatorContext& context, std::int8_t padding, std::int32_t stride,
                       const AxisSizes& sizes) {
    constexpr auto kMaxSpatial = static_cast<std::int32_t>(refdev::kMaxSpatial);
    context.require((stride >= 1) && (stride <= kMaxSpatial), "its stride is out of range");
    context.require((padding == kPaddingSame) || (padding == kPaddingValid), "its padding scheme is not supported");
    const auto step = static_cast<std::uint32_t>(stride);
    const std::uint64_t spread = std::uint64_t{sizes.input} * step;
    context.require(spread <= refdev::kMaxSpatial, "its input is too large for its stride");
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
    return {step, static_cast<std::uint32_t>(spread), (sizes.filter - 1U) - static_cast<std::uint32_t>(total / 2U)};
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
std::vector<std::uint8_t> turned(const Tensor& filter, const ImageShape& shape) {
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
capture::BufferId spread_input(OperatorContext& context, const QuantizedTensor& input, const ImageShape& in,
                               const SpreadAxis& height, const SpreadAxis& width) {
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
    const SpreadAxis height =
        spread_axis(context, options.padding(), options.stride_h(), {in.height, filter.height, out.height});
    const SpreadAxis width =
        spread_axis(context, options.padding(), options.stride_w(), {in.width, filter.width, out.width});
    const ActivationRange range = context.clamp_range(options.fused_activation_function(), output);
    const std::uint32_t sum_bytes =
        (input.tensor->type == kTypeInt16) ? refdev::kWideSumBytes : refdev::kNarrowSumBytes;
    context.require_bias_type(kTransposeConvBiasPosition, options.quantized_bias_type(), sum_bytes);
    const capture::BufferId table =
        add_filter_table(context, input, output, out.channels, {0U, kTransposeConvBiasPosition, sum_bytes});
    const capture::BufferId weights = context.add_table("filter", turned(filter_tensor, filter));

    const refdev::Conv2dArguments arguments = operators::conv2d_arguments(
        {in.batches, height.size, width.size, in.channels}, out, filter.channels,
        {{filter.height, 1U, 1U, height.pad_before}, {filter.width, 1U, 1U, width.pad_before}},
        {input.zero_point, 0, output.zero_point, range});
    launch_layer(context, {refdev::KernelId::kConv2d, refdev::KernelId::kConv2dInt16}, *input.tensor, sum_bytes,
                 arguments,
                 {{spread_input(context, input, in, height, width)}, {weights}, {table}, {context.buffer(output)}});
}

}  // namespace pianola::tflite
