// Small models that defects are put into: layers of int8 and of int16, layers with state, and a variable.
#pragma once

#include "tests/tflite/model_builder.h"
#include "tests/tflite/one_import.h"

namespace pianola::decompile {

inline std::vector<std::uint8_t> counted(std::size_t size, std::uint8_t first) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0U; i < size; ++i) {
        bytes[i] = static_cast<std::uint8_t>(first + (7U * i));
    }
    return bytes;
}

// Two convolutions of x; their sum; the first less the sum; a pool; a fully connected layer.
inline tflite::ModelSpec model_of_all() {
    constexpr std::int8_t kInt8 = 9;
    constexpr std::int8_t kInt32 = 2;
    tflite::ModelSpec model;
    model.contents = {counted(54U, 1U), tflite::words({7, -8, 9}), counted(54U, 100U), tflite::words({70, 80, 90}),
                      counted(6U, 3U),  tflite::words({5, 6})};
    const tflite::TensorSpec full{"full", {2, 3}, 5U, kInt8, {0.125F}, {0}};
    model.tensors = {tflite::TensorSpec{"x", {1, 4, 4, 2}, 0U, kInt8, {0.5F}, {-3}},
                     tflite::TensorSpec{"w1", {3, 3, 3, 2}, 1U, kInt8, {0.5F, 0.25F, 0.75F}, {0, 0, 0}},
                     tflite::TensorSpec{"b1", {3}, 2U, kInt32, {}, {}},
                     tflite::TensorSpec{"w2", {3, 3, 3, 2}, 3U, kInt8, {0.25F, 0.125F, 0.5F}, {0, 0, 0}},
                     tflite::TensorSpec{"b2", {3}, 4U, kInt32, {}, {}},
                     tflite::TensorSpec{"a", {1, 4, 4, 3}, 0U, kInt8, {0.25F}, {4}},
                     tflite::TensorSpec{"b", {1, 4, 4, 3}, 0U, kInt8, {0.375F}, {5}},
                     tflite::TensorSpec{"sum", {1, 4, 4, 3}, 0U, kInt8, {0.75F}, {6}},
                     tflite::TensorSpec{"less", {1, 4, 4, 3}, 0U, kInt8, {0.875F}, {7}},
                     tflite::TensorSpec{"pooled", {1, 1, 1, 3}, 0U, kInt8, {0.875F}, {7}},
                     full,
                     tflite::TensorSpec{"bf", {2}, 6U, kInt32, {0.109375F}, {0}},
                     tflite::TensorSpec{"y", {1, 2}, 0U, kInt8, {0.5F}, {8}}};
    model.operators = {tflite::OperatorSpec{3, {0, 1, 2}, {5}, 1U, {{1U, 1}, {2U, 1}, {3U, 1, true}}},
                       tflite::OperatorSpec{3, {0, 3, 4}, {6}, 1U, {{1U, 1}, {2U, 1}}},
                       tflite::OperatorSpec{0, {5, 6}, {7}, 11U, {{0U, 0, true}}},
                       tflite::OperatorSpec{41, {5, 7}, {8}, 28U, {{0U, 0, true}}},
                       tflite::OperatorSpec{1, {8}, {9}, 5U, {{0U, 1, true}, {1U, 4}, {2U, 4}, {3U, 4}, {4U, 4}}},
                       tflite::OperatorSpec{9, {9, 10, 11}, {12}, 8U, {{0U, 0, true}}}};
    model.inputs = {0};
    model.outputs = {12};
    return model;
}

// A fully connected layer of int16 with biases of 64 bits, and the logistic function of what it gives.
inline tflite::ModelSpec model_of_int16() {
    constexpr std::int8_t kInt16 = 7;
    constexpr std::int8_t kInt64 = 4;
    tflite::ModelSpec model;
    model.contents = {counted(12U, 1U), tflite::words({7, 0, 0, -256, -9, -1})};
    model.tensors = {tflite::TensorSpec{"x", {1, 4}, 0U, kInt16, {0.5F}, {0}}, tflite::TensorSpec{"w", {3, 4}, 1U},
                     tflite::TensorSpec{"b", {3}, 2U, kInt64, {}, {}},
                     tflite::TensorSpec{"sum", {1, 3}, 0U, kInt16, {0x1.8p-12F}, {0}},
                     tflite::TensorSpec{"y", {1, 3}, 0U, kInt16, {0x1p-15F}, {0}}};
    model.tensors[1].scales = {0.0078125F, 0.015625F, 0.03125F};
    model.tensors[1].zero_points = {0, 0, 0};
    model.operators = {tflite::OperatorSpec{9, {0, 1, 2}, {3}, 8U}, tflite::OperatorSpec{14, {3}, {4}}};
    model.inputs = {0};
    model.outputs = {4};
    return model;
}

// Two SVDF layers, one behind the other, whose states look alike before the first step.
inline tflite::ModelSpec model_of_states() {
    constexpr std::int8_t kInt32 = 2;
    constexpr std::int32_t kSvdf = 27;
    tflite::ModelSpec model;
    model.contents = {counted(4U, 1U), counted(4U, 90U), tflite::words({10, 20}), counted(4U, 30U)};
    model.tensors = {tflite::TensorSpec{"x", {1, 2}},
                     tflite::TensorSpec{"features1", {2, 2}, 1U},
                     tflite::TensorSpec{"weights1", {2, 2}, 2U},
                     tflite::TensorSpec{"bias", {2}, 3U, kInt32, {0.25F}},
                     tflite::TensorSpec{"memory1", {1, 4}},
                     tflite::TensorSpec{"h", {1, 2}},
                     tflite::TensorSpec{"features2", {2, 2}, 4U},
                     tflite::TensorSpec{"memory2", {1, 4}},
                     tflite::TensorSpec{"y", {1, 2}}};
    for (const std::size_t memory : {4U, 7U}) {
        model.tensors[memory].is_variable = true;
    }
    model.operators = {tflite::OperatorSpec{kSvdf, {0, 1, 2, 3, 4}, {5}, 6U, {{0U, 1, false}}},
                       tflite::OperatorSpec{kSvdf, {5, 6, 2, 3, 7}, {8}, 6U, {{0U, 1, false}}}};
    model.inputs = {0};
    model.outputs = {8};
    return model;
}

// A variable holds the last `rows` inputs, the oldest in front; the output is they and this one.
inline tflite::ModelSpec model_of_last(std::int32_t rows) {
    constexpr std::int8_t kInt32 = 2;
    constexpr std::int8_t kResource = 13;
    tflite::ModelSpec model;
    model.contents = {tflite::words({0, 1, 0}), tflite::words({1, rows + 1, 4}), tflite::words({1, 1, 1})};
    model.tensors = {tflite::TensorSpec{"x", {1, 1, 4}},
                     tflite::TensorSpec{"handle", {}, 0U, kResource, {}, {}},
                     tflite::TensorSpec{"held", {1, rows, 4}},
                     tflite::TensorSpec{"y", {1, rows + 1, 4}},
                     tflite::TensorSpec{"begin", {3}, 1U, kInt32, {}},
                     tflite::TensorSpec{"end", {3}, 2U, kInt32, {}},
                     tflite::TensorSpec{"strides", {3}, 3U, kInt32, {}},
                     tflite::TensorSpec{"last", {1, rows, 4}}};
    model.operators = {tflite::OperatorSpec{142, {}, {1}}, tflite::OperatorSpec{143, {1}, {2}},
                       tflite::OperatorSpec{2, {2, 0}, {3}, 10U, {{0U, 1}}},
                       tflite::OperatorSpec{45, {3, 4, 5, 6}, {7}, 32U, {{0U, 0}}},
                       tflite::OperatorSpec{144, {1, 7}, {}}};
    model.inputs = {0};
    model.outputs = {3};
    return model;
}

inline tflite::ModelSpec model_of_last_twelve() {
    constexpr std::int32_t kRows = 12;
    return model_of_last(kRows);
}

}  // namespace pianola::decompile
