// Tables of 16-bit numbers; the device interpolates between the entries.
//
// Used by the kernels sigmoid_int16 and softmax_int16. Pure functions, to the last bit what TensorFlow Lite Micro uses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture_host/operators/quantization.h"

namespace pianola::operators {

// 1 / (1 + exp(-x)) in 16 bits for x from 0 in steps of 1/24: 256 entries, little-endian. Each is moved half way to the
// curve's middle between it and the next.
[[nodiscard]] std::vector<std::uint8_t> sigmoid_table();

// The multiplier and right shift of int16 before it is looked up there: 3 * 2^n if the scale is 2^(n - 12) and n is
// below `whole_shifts`. nullopt if the scale is 8/3 or above.
[[nodiscard]] std::optional<FixedPoint> sigmoid_scale(float scale, std::int32_t whole_shifts);

// exp(x) for x from -10 to 0 and 1 / (1 + x) for x from 0 to 1, in 15 bits: 513 entries each, little-endian, moved in
// the same way.
[[nodiscard]] std::vector<std::uint8_t> softmax_tables();

}  // namespace pianola::operators
