#include <cmath>
#include <cstddef>

#include "capture_host/tflite/operators/filter_table.h"
#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

// In output steps, per step of the bias. The bound, and that a missing scale counts as 0, are the scheme's.
constexpr double kMaxBiasScaleError = 0.02;

// With one filter scale the scheme multiplies the scales in single precision, with one per row in double.
FixedPoint checked_scale(const OperatorContext& context, const QuantizedTensor& input, float filter_scale,
                         const QuantizedTensor& output) {
    const Tensor* const bias = context.optional_input(kBiasPosition);
    if (bias != nullptr) {
        const double exact = static_cast<double>(input.scale) * static_cast<double>(filter_scale);
        const bool is_missing = bias->quantization.scales.empty();
        const double bias_scale = is_missing ? 0.0 : static_cast<double>(bias->quantization.scales.front());
        context.require((std::fabs(exact - bias_scale) / static_cast<double>(output.scale)) <= kMaxBiasScaleError,
                        is_missing ? "its bias has no scale, which is supported where input scale times filter scale "
                                     "is at most 0.02 of its output scale"
                                   : "the scale of its bias differs from input scale times filter scale");
    }
    const std::optional<FixedPoint> scale = operators::common_scale(input.scale, filter_scale, output.scale);
    if (!scale.has_value()) {
        context.refuse("the ratio of its scales is out of range");
    }
    return *scale;
}

capture::BufferId add_channel_table(OperatorContext& context, const QuantizedTensor& input,
                                    const QuantizedTensor& output, const Quantization& filter, std::uint32_t channels,
                                    std::uint32_t sum_bytes) {
    const std::vector<std::int64_t> bias = context.bias(channels, sum_bytes);
    context.require_bias_scales(kBiasPosition, input.scale, filter.scales);
    const bool per_channel = filter.scales.size() > 1U;
    if (per_channel) {
        context.require((filter.dimension == 0U) && (filter.scales.size() == channels),
                        "filter scales along another dimension than its rows are not supported");
        for (const std::int32_t zero_point : filter.zero_points) {
            context.require(zero_point == 0, "a filter with a zero point per row is not supported");
        }
    }
    if (per_channel) {
        return context.add_channel_table(operators::channel_table(bias, input.scale, filter.scales, output.scale),
                                         sum_bytes);
    }
    const FixedPoint common = checked_scale(context, input, filter.scales.front(), output);
    ChannelTable rows;
    rows.reserve(channels);
    for (const std::int64_t start : bias) {
        rows.push_back(refdev::WideChannelParameters{start, common.multiplier, common.shift});
    }
    return context.add_channel_table(rows, sum_bytes);
}

}  // namespace

void lower_fully_connected(OperatorContext& context) {
    context.require_operands(2U, 3U);
    const auto& options = context.options_or_defaults<format::FullyConnectedOptions>();
    context.require(options.weights_format() == 0, "shuffled weights are not supported");
    const QuantizedTensor input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    const Tensor& filter = context.int8_weights(kFilterPosition, "filter");  // or a second input
    const QuantizedTensor output = context.quantized_output({input.tensor->type});
    context.require(filter.shape.size() == 2U, "only a filter of rank 2 is supported");
    const std::uint32_t output_depth = filter.shape[0];
    const std::uint32_t input_depth = filter.shape[1];
    context.require((input.tensor->type == kTypeInt8) || (filter.quantization.zero_points.front() == 0),
                    "a filter with a zero point is not supported with int16");
    context.require(input_depth <= refdev::kMaxTaps, "a filter with so many columns is not supported");
    context.require(!output.tensor->shape.empty() && (output.tensor->shape.back() == output_depth),
                    "its filter and output differ in channels");
    const std::uint32_t batches = output.tensor->elements / output_depth;
    context.require((std::uint64_t{batches} * input_depth) == input.tensor->elements,
                    "its filter does not fit its input");
    Shape expected{batches, output_depth};
    if (options.keep_num_dims()) {
        expected = input.tensor->shape;
        context.require(!expected.empty() && (expected.back() == input_depth), "its filter does not fit its input");
        expected.back() = output_depth;
    }
    context.require(output.tensor->shape == expected, "its output shape does not follow from its keep_num_dims");
    const ActivationRange range = context.clamp_range(options.fused_activation_function(), output);
    const std::uint32_t sum_bytes = sum_bytes_of(context, input, kBiasPosition, options.quantized_bias_type());
    context.require_bias_type(kBiasPosition, options.quantized_bias_type(), sum_bytes);
    const capture::BufferId table =
        add_channel_table(context, input, output, filter.quantization, output_depth, sum_bytes);

    launch_layer(context, {refdev::KernelId::kFullyConnected, refdev::KernelId::kFullyConnectedInt16}, *input.tensor,
                 sum_bytes,
                 operators::fully_connected_arguments(
                     {batches, input_depth, output_depth},
                     {input.zero_point, filter.quantization.zero_points.front(), output.zero_point, range}),
                 {{context.buffer(input)}, {context.input_buffer(kFilterPosition)}, {table}, {context.buffer(output)}});
}

}  // namespace pianola::tflite
