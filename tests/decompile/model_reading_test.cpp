// What a model says that its binary does not compute, or that no kernel computes: never read as something else.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/decompile/defects.h"
#include "tests/tflite/one_import.h"

namespace pianola::decompile {
namespace {

using tflite::OperatorSpec;
using tflite::TensorSpec;

enum OperatorIndex : std::size_t { kDepthwise, kJoin, kSlice };

// A depthwise convolution of x; x behind it, channel by channel; two rows of that.
ModelSpec model_of_parts() {
    constexpr std::int8_t kInt8 = 9;
    constexpr std::int8_t kInt32 = 2;
    ModelSpec model;
    model.contents = {{1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U},
                      tflite::words({9, -9}),
                      tflite::words({0, 1, 0, 0}),
                      tflite::words({1, 3, 4, 4}),
                      tflite::words({1, 1, 1, 1})};
    model.tensors = {TensorSpec{"x", {1, 4, 4, 2}},
                     TensorSpec{"w", {1, 2, 2, 2}, 1U, kInt8, {0.5F, 0.25F}, {0, 0}, 3},
                     TensorSpec{"b", {2}, 2U, kInt32, {}, {}},
                     TensorSpec{"convolved", {1, 4, 4, 2}},
                     TensorSpec{"joined", {1, 4, 4, 4}},
                     TensorSpec{"begin", {4}, 3U, kInt32, {}},
                     TensorSpec{"end", {4}, 4U, kInt32, {}},
                     TensorSpec{"strides", {4}, 5U, kInt32, {}},
                     TensorSpec{"y", {1, 2, 4, 4}}};
    model.operators = {OperatorSpec{4, {0, 1, 2}, {3}, 2U, {{0U, 0, true}, {1U, 1}, {2U, 1}, {3U, 1}}},
                       OperatorSpec{2, {3, 0}, {4}, 10U, {{0U, 3}, {1U, 0, true}}},
                       OperatorSpec{45, {4, 5, 6, 7}, {8}, 32U, {{0U, 0}}}};
    model.inputs = {0};
    model.outputs = {8};
    return model;
}

using Change = std::function<void(ModelSpec&)>;

// The binary of a model against the model after `change`.
std::vector<std::string> differences(const ModelSpec& model, const Change& change) {
    ModelSpec changed = model;
    change(changed);
    return judge(capture::link(tflite::import(model), {}), changed).report.differences;
}

void expect_difference(const ModelSpec& model, const Change& change, const std::string& wanted) {
    EXPECT_EQ(differences(model, change), std::vector<std::string>{wanted});
}

Change option(std::size_t index, tflite::OptionSpec wanted) {
    return [=](ModelSpec& model) {
        for (tflite::OptionSpec& stored : model.operators.at(index).options) {
            if (stored.id == wanted.id) {
                stored = wanted;
                return;
            }
        }
        model.operators.at(index).options.push_back(wanted);
    };
}

// x through the first convolution's filter, the other way round.
Change transposed(std::int32_t padding) {
    return [=](ModelSpec& model) {
        model.operators.front() = {67, {0, 1, 0}, {5}, 49U, {{0U, padding, true}, {1U, 1}, {2U, 1}}};
    };
}

constexpr const char* kWeightsText = "not understood: its weights' zero points, or the dimension of their scales";
constexpr const char* kWindowText = "not understood: its padding, stride or dilation";

TEST(ModelReading, ZeroPointsOfWeightsThatNoKernelTakes) {
    const auto text = [](const char* name) { return std::string{name} + kWeightsText; };
    expect_difference(
        model_of_all(), [](ModelSpec& model) { model.tensors[1].zero_points[2] = 1; }, text("operator 0 (CONV_2D): "));
    expect_difference(
        model_of_parts(), [](ModelSpec& model) { model.tensors[1].zero_points[1] = 1; },
        text("operator 0 (DEPTHWISE_CONV_2D): "));
    expect_difference(
        model_of_all(),
        [](ModelSpec& model) {
            model.tensors[10].scales = {0.125F, 0.125F};
            model.tensors[10].zero_points = {0, 1};
        },
        text("operator 5 (FULLY_CONNECTED): "));
    expect_difference(
        model_of_int16(),
        [](ModelSpec& model) {
            model.tensors[1].scales = {0.125F};
            model.tensors[1].zero_points = {1};
        },
        text("operator 0 (FULLY_CONNECTED): "));
    expect_difference(
        model_of_all(),
        [](ModelSpec& model) {
            transposed(0)(model);
            model.tensors[1].zero_points[2] = 1;
        },
        text("operator 0 (TRANSPOSE_CONV): "));
}

TEST(ModelReading, ScalesAlongAnotherDimension) {
    const auto text = [](const char* name) { return std::string{name} + kWeightsText; };
    expect_difference(
        model_of_all(), [](ModelSpec& model) { model.tensors[1].dimension = 1; }, text("operator 0 (CONV_2D): "));
    expect_difference(
        model_of_parts(), [](ModelSpec& model) { model.tensors[1].dimension = 2; },
        text("operator 0 (DEPTHWISE_CONV_2D): "));
}

TEST(ModelReading, WindowsThatAreNone) {
    const std::string convolution = std::string{"operator 0 (CONV_2D): "} + kWindowText;
    expect_difference(model_of_all(), option(kFirst, {0U, 2, true}), convolution);
    expect_difference(model_of_all(), option(kFirst, {1U, 0}), convolution);
    expect_difference(model_of_all(), option(kFirst, {4U, -1}), convolution);
    expect_difference(model_of_all(), option(kPool, {0U, 2, true}),
                      std::string{"operator 4 (AVERAGE_POOL_2D): "} + kWindowText);
    expect_difference(model_of_all(), transposed(2), std::string{"operator 0 (TRANSPOSE_CONV): "} + kWindowText);
}

TEST(ModelReading, OptionsThatNothingComputes) {
    expect_difference(
        model_of_parts(), option(kDepthwise, {3U, 2}),
        "operator 0 (DEPTHWISE_CONV_2D): not understood: a depth multiplier that does not follow from its channels");
    expect_difference(model_of_all(), option(kFull, {1U, 1, true}),
                      "operator 5 (FULLY_CONNECTED): not understood: weights in another order");
    expect_difference(model_of_parts(), option(kJoin, {1U, 1, true}),
                      "operator 1 (CONCATENATION): not understood: a fused activation");
    expect_difference(
        model_of_parts(), [](ModelSpec& model) { model.contents[4] = tflite::words({1, 0, 1, 1}); },
        "operator 2 (STRIDED_SLICE): not understood: a stride of 0");
}

TEST(ModelReading, BlocksWithoutElements) {
    constexpr std::uint8_t kNoOptions = 0U;
    const auto first = [](const OperatorSpec& wanted) {
        return [=](ModelSpec& model) { model.operators.front() = wanted; };
    };
    const std::string text = ": not understood: a block without elements";
    expect_difference(model_of_parts(), first({26, {0}, {3}, kNoOptions}), "operator 0 (SPACE_TO_DEPTH)" + text);
    expect_difference(model_of_parts(), first({5, {0}, {3}, kNoOptions}), "operator 0 (DEPTH_TO_SPACE)" + text);
    // `begin` as blocks: 0 stands first.
    expect_difference(model_of_parts(), first({38, {0, 5, 5}, {3}}), "operator 0 (SPACE_TO_BATCH_ND)" + text);
    expect_difference(model_of_parts(), first({37, {0, 5, 5}, {3}}), "operator 0 (BATCH_TO_SPACE_ND)" + text);
}

// With `offset`, what a slice ends at counts from where it begins.
TEST(ModelReading, EndsOfSlicesThatCountFromTheirBegins) {
    constexpr std::uint32_t kOffset = 5U;
    const auto from_begin = [](ModelSpec& model) {
        option(kSlice, {kOffset, 1, true})(model);
        model.contents[3] = tflite::words({1, 2, 4, 4});
    };
    EXPECT_EQ(differences(model_of_parts(), from_begin), std::vector<std::string>{});
    ModelSpec model = model_of_parts();
    from_begin(model);
    EXPECT_EQ(differences(model, [](ModelSpec&) {}), std::vector<std::string>{});
    expect_difference(model_of_parts(), option(kSlice, {kOffset, 1, true}),
                      "operator 2 (STRIDED_SLICE): its output has another shape than follows from its operands");
}

// Neither computes the second output.
TEST(ModelReading, OutputsThatNothingGives) {
    ModelSpec model = model_of_twins();
    const capture::Recorder imported = tflite::import(model);
    capture::Recorder recorder;
    for (const capture::Buffer& buffer : imported.buffers()) {
        if (buffer.role == capture::BufferRole::kInput) {
            recorder.add_input(buffer.tensor, buffer.size_bytes);
        } else {
            recorder.add_output(buffer.tensor, buffer.size_bytes);
        }
    }
    recorder.launch(imported.launches().front());
    model.operators.pop_back();
    EXPECT_EQ(judge(capture::link(recorder, {}), model).report.differences,
              std::vector<std::string>{"output 1: nothing in the model gives 'right pooled'"});
}

}  // namespace
}  // namespace pianola::decompile
