// Computes argument words of a long short-term memory layer from its scales.
//
// Pure functions, to the last bit what TensorFlow Lite Micro prepares.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::operators {

struct LstmScales {
    float input{1.0F};
    float hidden{1.0F};
    float cell{1.0F};
    float cell_clip{0.0F};  // 0: none
    std::array<float, refdev::kLstmGates> input_weights{};
    std::array<float, refdev::kLstmGates> hidden_weights{};
};

// Which scale is out of range; words after it are left unchanged.
enum class LstmScaling : std::uint8_t { kAccepted, kRatioOutOfRange, kCellOutOfRange };

// Sets multipliers, shifts and the clip, for the type in `arguments`.
[[nodiscard]] LstmScaling set_lstm_scales(const LstmScales& scales, refdev::LstmArguments& arguments);

// A gate's weights, row by row, and the start values of its sums.
struct LstmGate {
    std::vector<std::uint8_t> input_weights;   // int8[units][input_depth]
    std::vector<std::uint8_t> hidden_weights;  // int8[units][units]
    std::vector<std::int64_t> bias;            // [units]
};

// The kernel's constants in device memory. Sizes must match. Biases have 64 bits for int16.
struct LstmConstants {
    std::vector<std::uint8_t> weights;
    std::vector<std::uint8_t> parameters;
};
[[nodiscard]] LstmConstants lstm_constants(const std::array<LstmGate, refdev::kLstmGates>& gates, std::uint32_t type);

}  // namespace pianola::operators
