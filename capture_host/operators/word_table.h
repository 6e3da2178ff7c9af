// Tables of 16-bit numbers between whose entries the device interpolates.
//
// What the importer gives to the kernels sigmoid_int16 and softmax_int16. Pure functions, to the last bit what
// TensorFlow Lite Micro uses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture_host/operators/quantization.h"

namespace pianola::tflite {

// 1 / (1 + exp(-x)) in 16 bits for x from 0 in steps of 1/24: 256 entries, little-endian. Each leans half way to the
// curve's middle between it and the next.
[[nodiscard]] std::vector<std::uint8_t> sigmoid_table();

// What int16 is multiplied by before it is looked up there, and shifted to the right: 3 times 2 to the power of n where
// its scale is that of 2^-12 and n is below `whole_shifts`. nullopt: the scale is 8/3 or above.
[[nodiscard]] std::optional<FixedPoint> sigmoid_scale(float scale, std::int32_t whole_shifts);

// exp(x) for x from -10 to 0 and 1 / (1 + x) for x from 0 to 1, in 15 bits: 513 entries each, little-endian, which lean
// in the same way.
[[nodiscard]] std::vector<std::uint8_t> softmax_tables();

}  // namespace pianola::tflite
