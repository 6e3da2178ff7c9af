// Parameters of output channels, computed from scales.
//
// Convolutions and fully connected layers, of the importer and of tensor operations, read them with their filters. Pure
// functions, to the last bit what TensorFlow Lite Micro prepares; std::nullopt if the kernels cannot represent a ratio
// of scales.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture_host/operators/quantization.h"
#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::operators {

// Wide enough for every kernel.
using ChannelTable = std::vector<refdev::WideChannelParameters>;

// One row per channel, which is an element of `bias`. `filter_scales` has one scale, or one per channel.
[[nodiscard]] std::optional<ChannelTable> channel_table(const std::vector<std::int64_t>& bias, float input_scale,
                                                        const std::vector<float>& filter_scales, float output_scale);

// The scheme multiplies the scales of a fully connected layer in single precision if its filter has one scale.
[[nodiscard]] std::optional<FixedPoint> common_scale(float input_scale, float filter_scale, float output_scale);

// The table in device memory: ChannelParameters for sums of 4 bytes, whose biases have 32 bits, and
// WideChannelParameters for sums of 8.
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const ChannelTable& table, std::uint32_t sum_bytes);
// Biases in device memory, without other parameters beside them.
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const std::vector<std::int64_t>& biases,
                                                 std::uint32_t sum_bytes = refdev::kNarrowSumBytes);

// Whether the kernels' wide sums hold a bias, or those of a table, with room for the products.
[[nodiscard]] bool fits_wide_sums(std::int64_t bias);
[[nodiscard]] bool fits_wide_sums(const ChannelTable& table);

}  // namespace pianola::operators
