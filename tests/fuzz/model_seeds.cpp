// Models of a few operators: seeds for the importer.
#include "tests/fuzz/seeds.h"
#include "tests/tflite/model_builder.h"

namespace pianola::fuzz {
namespace {

using tflite::ModelSpec;
using tflite::OperatorSpec;
using tflite::TensorSpec;

// Numbers of TensorFlow Lite's schema.
constexpr std::int32_t kAdd = 0;
constexpr std::int32_t kAveragePool = 1;
constexpr std::int32_t kConv = 3;
constexpr std::int32_t kFullyConnected = 9;
constexpr std::int32_t kReshape = 22;
constexpr std::int32_t kSoftmax = 25;
constexpr std::int32_t kPad = 34;
constexpr std::int32_t kMean = 40;
constexpr std::int32_t kQuantize = 114;
constexpr std::uint8_t kConvOptions = 1U;
constexpr std::uint8_t kPoolOptions = 5U;
constexpr std::uint8_t kFullyConnectedOptions = 8U;
constexpr std::uint8_t kSoftmaxOptions = 9U;
constexpr std::uint8_t kAddOptions = 11U;
constexpr std::int8_t kInt32 = 2;

std::vector<std::uint8_t> counted(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    for (std::size_t i = 0U; i < count; ++i) {
        bytes[i] = static_cast<std::uint8_t>((i * 37U) + 11U);
    }
    return bytes;
}

std::vector<std::uint8_t> words(const std::vector<std::int32_t>& values) {
    std::vector<std::uint8_t> bytes;
    for (const std::int32_t value : values) {
        for (std::uint32_t i = 0U; i < 4U; ++i) {
            bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> (8U * i)));
        }
    }
    return bytes;
}

// x -> operator -> y
ModelSpec one_operator(const OperatorSpec& op, std::vector<std::int32_t> from, std::vector<std::int32_t> to) {
    ModelSpec model;
    model.tensors = {TensorSpec{"x", std::move(from)}, TensorSpec{"y", std::move(to)}};
    model.operators = {op};
    model.inputs = {0};
    model.outputs = {1};
    return model;
}

ModelSpec quantize() {
    return one_operator({kQuantize, {0}, {1}}, {1, 4}, {1, 4});
}

ModelSpec dense() {
    ModelSpec model = one_operator({kFullyConnected, {0, 2, 3}, {1}, kFullyConnectedOptions}, {1, 4}, {1, 3});
    model.tensors.push_back(TensorSpec{"filter", {3, 4}, 1U});
    model.tensors.push_back(TensorSpec{"bias", {3}, 2U, kInt32, {0.25F}, {0}});
    model.contents = {counted(12U), words({1, -2, 3})};
    return model;
}

ModelSpec convolution() {
    ModelSpec model =
        one_operator({kConv, {0, 2, 3}, {1}, kConvOptions, {{1U, 1}, {2U, 1}}}, {1, 4, 4, 1}, {1, 4, 4, 2});
    model.tensors.push_back(TensorSpec{"filter", {2, 3, 3, 1}, 1U, 9, {0.5F, 0.25F}, {0, 0}});
    model.tensors.push_back(TensorSpec{"bias", {2}, 2U, kInt32, {0.25F, 0.125F}, {0, 0}});
    model.contents = {counted(18U), words({7, -7})};
    return model;
}

ModelSpec pool_and_softmax() {
    ModelSpec model =
        one_operator({kAveragePool, {0}, {2}, kPoolOptions, {{0U, 1, true}, {1U, 2}, {2U, 2}, {3U, 2}, {4U, 2}}},
                     {1, 4, 4, 1}, {1, 4});
    model.tensors.push_back(TensorSpec{"pooled", {1, 2, 2, 1}});
    model.tensors.push_back(TensorSpec{"flat", {1, 4}});
    model.tensors[1].scales = {1.0F / 256.0F};
    model.tensors[1].zero_points = {-128};
    model.operators.emplace_back(kReshape, std::vector<std::int32_t>{2}, std::vector<std::int32_t>{3});
    model.operators.emplace_back(kSoftmax, std::vector<std::int32_t>{3}, std::vector<std::int32_t>{1}, kSoftmaxOptions,
                                 std::vector<tflite::OptionSpec>{{0U, 0x3F80'0000}});
    return model;
}

ModelSpec add_pad_mean() {
    ModelSpec model = one_operator({kAdd, {0, 0}, {2}, kAddOptions}, {1, 2, 2, 1}, {1, 1});
    model.tensors.push_back(TensorSpec{"sum", {1, 2, 2, 1}});
    model.tensors.push_back(TensorSpec{"padded", {1, 4, 4, 1}});
    model.tensors.push_back(TensorSpec{"paddings", {4, 2}, 1U, kInt32, {}, {}});
    model.tensors.push_back(TensorSpec{"axes", {2}, 2U, kInt32, {}, {}});
    model.operators.emplace_back(kPad, std::vector<std::int32_t>{2, 4}, std::vector<std::int32_t>{3});
    model.operators.emplace_back(kMean, std::vector<std::int32_t>{3, 5}, std::vector<std::int32_t>{1});
    model.contents = {words({0, 0, 1, 1, 1, 1, 0, 0}), words({1, 2})};
    return model;
}

}  // namespace

std::vector<Seed> importer_seeds() {
    return {{"quantize.tflite", build_model(quantize())},
            {"dense.tflite", build_model(dense())},
            {"convolution.tflite", build_model(convolution())},
            {"pool_and_softmax.tflite", build_model(pool_and_softmax())},
            {"add_pad_mean.tflite", build_model(add_pad_mean())}};
}

}  // namespace pianola::fuzz
