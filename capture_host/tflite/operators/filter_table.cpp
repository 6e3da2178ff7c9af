#include "capture_host/tflite/operators/filter_table.h"

namespace pianola::tflite {

std::uint32_t sum_bytes_of(const OperatorContext& context, const QuantizedTensor& input, std::size_t bias_position,
                           std::optional<std::int8_t> without_bias) {
    if (input.tensor->type != kTypeInt16) {
        return refdev::kNarrowSumBytes;
    }
    if (!without_bias.has_value()) {
        return refdev::kWideSumBytes;
    }
    const Tensor* const bias = context.optional_input(bias_position);
    const std::int8_t type = (bias == nullptr) ? *without_bias : bias->type;
    return (type == kTypeInt32) ? refdev::kNarrowSumBytes : refdev::kWideSumBytes;
}

capture::BufferId add_filter_table(OperatorContext& context, const QuantizedTensor& input,
                                   const QuantizedTensor& output, std::uint32_t channels, const FilterRoles& roles) {
    const Tensor& filter = context.int8_constant(kFilterPosition, "filter");
    const Quantization& quantization = filter.quantization;
    for (const std::int32_t zero_point : quantization.zero_points) {
        context.require(zero_point == 0, "a filter with a zero point is not supported");
    }
    const bool per_channel = quantization.scales.size() > 1U;
    if (per_channel) {
        context.require(quantization.dimension == roles.channel_dimension,
                        "filter scales along another dimension than its channels are not supported");
        context.require(quantization.scales.size() == channels,
                        "the number of filter scales differs from its channels");
    }
    const capture::BufferId table =
        context.add_channel_table(operators::channel_table(context.bias(channels, roles.sum_bytes, roles.bias_position),
                                                           input.scale, quantization.scales, output.scale),
                                  roles.sum_bytes);
    context.require_bias_scales(roles.bias_position, input.scale, quantization.scales);
    return table;
}

}  // namespace pianola::tflite
