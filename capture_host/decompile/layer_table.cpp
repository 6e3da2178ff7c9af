#include "capture_host/decompile/layer_table.h"

#include "capture_host/decompile/scales.h"

namespace pianola::decompile {

std::uint32_t sum_bytes_of(const Operation& op, std::size_t bias, std::int8_t absent) {
    const std::int8_t type = op.has(bias) ? op.in(bias).type : absent;
    const bool is_wide = is_int16(op.in(0U)) && (type != tflite::kTypeInt32);
    return is_wide ? refdev::kWideSumBytes : refdev::kNarrowSumBytes;
}

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

}  // namespace pianola::decompile
