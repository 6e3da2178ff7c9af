// Sample: a small road-sign classifier that this project makes from a seed only.
//
// It gives the README, the tests and readers a real int8 model whose origin, licence and accuracy can be checked: it
// draws its pictures, trains, quantises and writes, and gives the same bytes on every machine with IEEE arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "docs/examples/road_signs/data_set.h"
#include "docs/examples/road_signs/trainer.h"

namespace pianola::sample {

inline constexpr std::size_t kTestPictures = 256U;
inline constexpr std::size_t kSinglePictures = 8U;

struct Sample {
    std::vector<std::uint8_t> model;  // .tflite
    std::vector<Example> test;        // held out
    std::size_t macs{0U};
    std::size_t parameters{0U};
    double float_accuracy{0.0};  // on the test pictures, 0 to 1
    double int8_estimate{0.0};   // the same, rounding to int8 after each layer, but in float; replay gives the real one
};

[[nodiscard]] std::vector<Example> make_test_examples(std::uint64_t seed);

[[nodiscard]] Sample make_sample(const TrainingPlan& plan, const std::function<void(const Progress&)>& report);

// Makes the directory if need be and stores all files, the model last. Throws files::FileError.
void store_sample(const Sample& sample, const std::filesystem::path& directory);

}  // namespace pianola::sample
