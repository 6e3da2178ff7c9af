#include "capture_host/operators/channel_table.h"

#include <algorithm>

#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::operators {
namespace {

// Little-endian on every host, as on the device.
void store_integer(std::vector<std::uint8_t>& bytes, std::int64_t value, std::uint32_t size_bytes) {
    const auto bits = static_cast<std::uint64_t>(value);
    for (std::uint32_t i = 0U; i < size_bytes; ++i) {
        bytes.push_back(static_cast<std::uint8_t>((bits >> (8U * i)) & 0xFFU));
    }
}

}  // namespace

std::optional<ChannelTable> channel_table(const std::vector<std::int64_t>& bias, float input_scale,
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
        table.push_back(refdev::WideChannelParameters{bias[channel], scale->multiplier, scale->shift});
    }
    return table;
}

std::optional<FixedPoint> common_scale(float input_scale, float filter_scale, float output_scale) {
    const float product = input_scale * filter_scale;
    return quantize_multiplier(static_cast<double>(product) / static_cast<double>(output_scale));
}

std::vector<std::uint8_t> bytes_of(const ChannelTable& table, std::uint32_t sum_bytes) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve((sum_bytes + (2U * sizeof(std::int32_t))) * table.size());
    for (const refdev::WideChannelParameters& channel : table) {
        store_integer(bytes, channel.bias, sum_bytes);
        store_integer(bytes, channel.multiplier, sizeof(channel.multiplier));
        store_integer(bytes, channel.shift, sizeof(channel.shift));
    }
    return bytes;
}

std::vector<std::uint8_t> bytes_of(const std::vector<std::int64_t>& biases, std::uint32_t sum_bytes) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(std::size_t{sum_bytes} * biases.size());
    for (const std::int64_t bias : biases) {
        store_integer(bytes, bias, sum_bytes);
    }
    return bytes;
}

bool fits_wide_sums(std::int64_t bias) {
    // With at most kMaxTaps products of 2^22, a sum stays below 2^47, as the scheme requires.
    constexpr std::int64_t kLargestBias = std::int64_t{1} << 46U;
    return (bias > -kLargestBias) && (bias < kLargestBias);
}

bool fits_wide_sums(const ChannelTable& table) {
    return std::all_of(table.begin(), table.end(), [](const refdev::WideChannelParameters& channel) {
        return fits_wide_sums(channel.bias) && (channel.shift <= refdev::kMaxWideShift);
    });
}

}  // namespace pianola::operators
