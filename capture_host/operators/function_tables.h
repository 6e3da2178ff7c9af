// Tables of functions: of one quantised byte by its 256 values, and of 16-bit numbers for interpolation by the device.
//
// Each function reproduces TensorFlow Lite Micro's reference arithmetic to the last bit. Pure functions; std::nullopt
// if that arithmetic cannot express the scales.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture_host/operators/quantization.h"

namespace pianola::operators {

// Entry i is the value for the byte whose bits are those of i.
using ByteTable = std::array<std::int32_t, 256>;

// 1 / (1 + exp(-x)). The result always has scale 1/256 and zero point -128.
[[nodiscard]] std::optional<ByteTable> logistic_table(const Affine& from);
// The result has scale 1/128 and zero point 0.
[[nodiscard]] std::optional<ByteTable> tanh_table(const Affine& from);
// x * min(max(x + 3, 0), 6) / 6
[[nodiscard]] std::optional<ByteTable> hard_swish_table(const Affine& from, const Affine& to);
// x if x > 0, else exp(x) - 1.
[[nodiscard]] std::optional<ByteTable> elu_table(const Affine& from, const Affine& to);
[[nodiscard]] std::optional<ByteTable> exp_table(const Affine& from, const Affine& to);
[[nodiscard]] std::optional<ByteTable> abs_table(const Affine& from, const Affine& to);
// 1 / sqrt(x). x <= 0 gives the largest result.
[[nodiscard]] std::optional<ByteTable> rsqrt_table(const Affine& from, const Affine& to);
// x rescaled, then clamped.
[[nodiscard]] std::optional<ByteTable> relu_table(const Affine& from, const Affine& to, const ActivationRange& range);
// x if x >= 0, else alpha * x.
[[nodiscard]] std::optional<ByteTable> leaky_relu_table(const Affine& from, const Affine& to, float alpha);
// From int8 or uint8 to either.
[[nodiscard]] std::optional<ByteTable> requantize_table(const Affine& from, bool from_signed, const Affine& to,
                                                        bool to_signed);
// The bytes as they are, clamped.
[[nodiscard]] ByteTable clamp_table(const ActivationRange& range);
// 1 for 0, and 0 for all other values.
[[nodiscard]] ByteTable logical_not_table();

// The low bytes of the entries.
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const ByteTable& table);

// Tables of 16-bit numbers, for the kernels sigmoid_int16 and softmax_int16.

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
