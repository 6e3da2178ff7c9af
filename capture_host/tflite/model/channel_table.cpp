#include "capture_host/tflite/model/channel_table.h"

namespace pianola::tflite {
namespace {

// Little-endian, as the device has it, on every host.
void store_int32(std::vector<std::uint8_t>& bytes, std::int32_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    for (std::uint32_t shift = 0U; shift < 32U; shift += 8U) {
        bytes.push_back(static_cast<std::uint8_t>((bits >> shift) & 0xFFU));
    }
}

}  // namespace

std::optional<ChannelTable> channel_table(const std::vector<std::int32_t>& bias, float input_scale,
                                          const std::vector<float>& filter_scales, float output_scale) {
    ChannelTable table;
    table.reserve(bias.size());
    for (std::size_t channel = 0U; channel < bias.size(); ++channel) {
        const float filter_scale = filter_scales[(filter_scales.size() > 1U) ? channel : 0U];
        const std::optional<FixedPoint> scale = quantize_multiplier(
            static_cast<double>(input_scale) * static_cast<double>(filter_scale) / static_cast<double>(output_scale));
        if (!scale.has_value()) {
            return std::nullopt;
        }
        table.push_back(refdev::ChannelParameters{bias[channel], scale->multiplier, scale->shift});
    }
    return table;
}

std::optional<FixedPoint> common_scale(float input_scale, float filter_scale, float output_scale) {
    const float product = input_scale * filter_scale;
    return quantize_multiplier(static_cast<double>(product) / static_cast<double>(output_scale));
}

std::vector<std::uint8_t> bytes_of(const ChannelTable& table) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(refdev::kChannelParametersBytes * table.size());
    for (const refdev::ChannelParameters& channel : table) {
        store_int32(bytes, channel.bias);
        store_int32(bytes, channel.multiplier);
        store_int32(bytes, channel.shift);
    }
    return bytes;
}

}  // namespace pianola::tflite
