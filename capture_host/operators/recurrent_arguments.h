// Arguments of the kernels with memory from step to step: SVDF and long short-term memory layers.
//
// Pure functions, to the last bit what TensorFlow Lite Micro prepares.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture_host/operators/quantization.h"
#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::operators {

struct SvdfSizes {
    std::uint32_t batches{1U};
    std::uint32_t input_depth{1U};
    std::uint32_t filters{1U};
    std::uint32_t length{1U};  // of the memory, in steps
    std::uint32_t rank{1U};    // filters of each unit
    std::uint32_t type{0U};    // of the memory
};
struct SvdfScales {
    Affine input;
    float features{1.0F};
    Affine memory;
    float weights{1.0F};
    Affine output;
};
// The layer's two kernels, which run one after the other; addresses are 0.
struct SvdfArguments {
    refdev::SvdfFeatureArguments feature{};
    refdev::SvdfTimeArguments time{};
};
// nullopt if a ratio of scales is out of range.
[[nodiscard]] std::optional<SvdfArguments> svdf_arguments(const SvdfSizes& sizes, const SvdfScales& scales);

// `shape` is the input's, of rank 3. Scales and addresses are 0.
[[nodiscard]] refdev::LstmArguments lstm_arguments(const std::vector<std::uint32_t>& shape, bool time_major,
                                                   std::uint32_t units, std::uint32_t type);

struct LstmScales {
    Affine input;
    Affine hidden;
    float cell{1.0F};
    float cell_clip{0.0F};  // 0: none
    std::array<float, refdev::kLstmGates> input_weights{};
    std::array<float, refdev::kLstmGates> hidden_weights{};
};

// Which scale is out of range; words after it are left unchanged.
enum class LstmScaling : std::uint8_t { kAccepted, kRatioOutOfRange, kCellOutOfRange };

// Sets offsets, multipliers, shifts and the clip, for the type in `arguments`.
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
