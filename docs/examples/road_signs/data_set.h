// Data set: numbered pictures with their true classes.
//
// Training, calibration and the held-out test take from different streams, so no picture is in two of them. Classes
// take turns, so any multiple of kClassCount pictures is balanced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "docs/examples/road_signs/scene.h"

namespace pianola::sample {

enum class Stream : std::uint8_t { kTraining = 1U, kCalibration = 2U, kTest = 3U, kInitialWeights = 4U };

struct Example {
    Image image{};
    std::uint8_t label{0U};  // SignClass
};

[[nodiscard]] Example make_example(std::uint64_t seed, Stream stream, std::uint64_t index);
[[nodiscard]] std::vector<Example> make_examples(std::uint64_t seed, Stream stream, std::size_t count);

// The model reads a picture as int8: value - 128, of scale kInputScale and zero point 0.
inline constexpr float kInputScale = 1.0F / 128.0F;
[[nodiscard]] constexpr std::int8_t to_model_input(std::uint8_t value) noexcept {
    return static_cast<std::int8_t>(static_cast<int>(value) - 128);
}

}  // namespace pianola::sample
