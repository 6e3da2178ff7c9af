// A PAD and the convolution of its output: a binary computes them in one launch or in two, and both are the model.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/decompile/said.h"
#include "tests/tflite/padded_models.h"

namespace pianola::decompile {
namespace {

using tflite::padded_model;
using tflite::PaddedConvolution;
using tflite::small_layer;

// What decompile says of the binary that the model itself gives.
std::vector<std::string> in_own_binary(const ModelSpec& model) {
    return judge(capture::link(tflite::import(model), {}), model).report.differences;
}

const std::vector<std::string> kNone;

TEST(Padding, OneLaunchIsTheModel) {
    PaddedConvolution layer = small_layer();
    EXPECT_EQ(in_own_binary(padded_model(layer)), kNone);
    layer.pad_code = tflite::kPadV2;
    layer.is_same = true;
    EXPECT_EQ(in_own_binary(padded_model(layer)), kNone);
    layer.is_int16 = true;
    EXPECT_EQ(in_own_binary(padded_model(layer)), kNone);
    layer = small_layer();
    layer.is_depthwise = true;
    layer.output_channels = 4;
    layer.weights.resize(layer.weight_count(), 1);
    layer.bias.push_back(7);
    EXPECT_EQ(in_own_binary(padded_model(layer)), kNone);
}

TEST(Padding, TwoLaunchesAreTheModel) {
    ModelSpec model = padded_model(small_layer());
    model.outputs.push_back(tflite::kPadded);
    EXPECT_EQ(in_own_binary(model), kNone);
    PaddedConvolution layer = small_layer();
    layer.pad_code = tflite::kPadV2;
    model = padded_model(layer);
    model.contents[3] = {9U};
    EXPECT_EQ(in_own_binary(model), kNone);
}

// The other one pads the image itself, by the same numbers.
TEST(Padding, ATwinWithoutAPadIsCountedToo) {
    ModelSpec model = padded_model(small_layer());
    tflite::OperatorSpec twin = model.operators[tflite::kConvolutionAt];
    twin.inputs[0] = tflite::kImage;
    twin.outputs = {tflite::kValue + 1};
    twin.options[0].value = 0;  // SAME
    model.tensors.push_back(model.tensors[tflite::kConvolved]);
    model.tensors.back().name = "twin";
    model.outputs.push_back(tflite::kValue + 1);
    model.operators.push_back(twin);
    EXPECT_EQ(in_own_binary(model), kNone);
    model.outputs.push_back(tflite::kPadded);
    EXPECT_EQ(in_own_binary(model), kNone);
}

// The other one reads the padded image after a RESHAPE, in either order. Its launch is a form of both operators.
TEST(Padding, ATwinAfterAReshapeIsCountedToo) {
    ModelSpec model = padded_model(small_layer());
    tflite::OperatorSpec twin = model.operators[tflite::kConvolutionAt];
    const std::int32_t reshaped = tflite::kValue + 1;
    const std::int32_t convolved = tflite::kValue + 2;
    model.tensors.push_back(model.tensors[tflite::kPadded]);
    model.tensors.back().name = "reshaped";
    model.tensors.push_back(model.tensors[tflite::kConvolved]);
    model.tensors.back().name = "twin";
    twin.inputs[0] = reshaped;
    twin.outputs = {convolved};
    model.operators.push_back({tflite::kReshape, {tflite::kPadded}, {reshaped}});
    model.operators.push_back(twin);
    model.outputs.push_back(convolved);
    EXPECT_EQ(in_own_binary(model), kNone);
    std::swap(model.operators[tflite::kConvolutionAt], model.operators.back());  // the twin first
    std::swap(model.operators[tflite::kConvolutionAt], model.operators[tflite::kConvolutionAt + 1U]);
    EXPECT_EQ(in_own_binary(model), kNone);
}

TEST(Padding, OtherPaddingIsADifference) {
    PaddedConvolution layer = small_layer();
    layer.pad_code = tflite::kPadV2;
    const ModelSpec model = padded_model(layer);
    const std::string said =
        "trace 0, command 0: conv2d: computes what no operator of the model does; nearest is operator 1: ";
    expect_said(
        model, [](ModelSpec& m) { m.contents[0] = tflite::words({0, 0, 2, 0, 1, 1, 0, 0}); },
        said + "argument word 18: 1 in the binary, 2 by the model");
    expect_said(
        model, [](ModelSpec& m) { m.contents[0] = tflite::words({0, 0, 1, 1, 0, 2, 0, 0}); },
        said + "argument word 19: 1 in the binary, 0 by the model");
    // A value that is not 0 has a separate launch, which the binary lacks.
    expect_said(
        model, [](ModelSpec& m) { m.contents[3] = {9U}; }, said + "argument word 5: 4 in the binary, 6 by the model");
}

}  // namespace
}  // namespace pianola::decompile
