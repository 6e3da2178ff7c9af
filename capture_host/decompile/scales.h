// Scales: multipliers, shifts and bounds, after TensorFlow Lite's quantisation specification.
//
// The arithmetic of decompile, written anew so that it does not repeat a mistake of the importer.
#pragma once

#include <cstdint>

#include "capture_host/tflite/model/reader.h"

namespace pianola::decompile {

// real = mantissa * 2^(shift - 31), the mantissa between 2^30 and 2^31, or 0.
struct Multiplier {
    std::int32_t mantissa{0};
    std::int32_t shift{0};
};
[[nodiscard]] Multiplier multiplier_of(double real);
inline constexpr Multiplier kUnity{1 << 30, 1};

struct Bounds {
    std::int32_t lowest{0};
    std::int32_t highest{0};
};
[[nodiscard]] Bounds bounds_of_type(std::int8_t type);
// Activations, by their numbers in the format, and what a fused one lets through.
inline constexpr int kRelu = 1;
inline constexpr int kReluN1To1 = 2;
inline constexpr int kRelu6 = 3;
[[nodiscard]] Bounds bounds_of(int activation, const tflite::Tensor& tensor);

}  // namespace pianola::decompile
