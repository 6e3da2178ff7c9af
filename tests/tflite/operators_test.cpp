// Each operator's argument words and channel tables against values worked out by hand, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "capture_host/tflite/import.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/tflite/model_builder.h"
#include "tests/tflite/one_import.h"

namespace pianola::tflite {
namespace {

// x[1,4,5,2] * filter[3,3,3,2] + bias[3] -> y[1,4,5,3]; SAME, stride 1, RELU.
ModelSpec conv_model() {
    ModelSpec model;
    model.contents = {std::vector<std::uint8_t>(54U, 1U), words({7, -8, 9})};
    TensorSpec filter{"filter", {3, 3, 3, 2}, 1U};
    filter.scales = {0.5F, 0.25F, 0.75F};
    filter.zero_points = {0, 0, 0};
    const TensorSpec bias{"bias", {3}, 2U, kInt32, {0.25F, 0.125F, 0.375F}, {0, 0, 0}};
    model.tensors = {TensorSpec{"x", {1, 4, 5, 2}, 0U, 9, {0.5F}, {-3}}, filter, bias,
                     TensorSpec{"y", {1, 4, 5, 3}, 0U, 9, {0.25F}, {4}}};
    model.operators = {OperatorSpec{3, {0, 1, 2}, {3}, 1U, {{1U, 1}, {2U, 1}, {3U, 1, true}}}};
    model.inputs = {0};
    model.outputs = {3};
    return model;
}

TEST(Conv2d, ArgumentsAndChannels) {
    const capture::Recorder recorder = import(conv_model());
    const auto arguments = only_launch<refdev::Conv2dArguments>(recorder, refdev::KernelId::kConv2d);
    EXPECT_EQ(arguments.batches, 1U);
    EXPECT_EQ(arguments.input_height, 4U);
    EXPECT_EQ(arguments.input_width, 5U);
    EXPECT_EQ(arguments.input_channels, 2U);
    EXPECT_EQ(arguments.output_height, 4U);
    EXPECT_EQ(arguments.output_width, 5U);
    EXPECT_EQ(arguments.output_channels, 3U);
    EXPECT_EQ(arguments.filter_height, 3U);
    EXPECT_EQ(arguments.filter_width, 3U);
    EXPECT_EQ(arguments.filter_channels, 2U);
    EXPECT_EQ(arguments.stride_height, 1U);
    EXPECT_EQ(arguments.dilation_width, 1U);
    EXPECT_EQ(arguments.pad_top, 1U);
    EXPECT_EQ(arguments.pad_left, 1U);
    EXPECT_EQ(arguments.input_offset, 3);
    EXPECT_EQ(arguments.output_offset, 4);
    EXPECT_EQ(arguments.activation_min, 4);
    EXPECT_EQ(arguments.activation_max, 127);
    // 0.5 * {0.5, 0.25, 0.75} / 0.25 = {1, 0.5, 1.5}
    EXPECT_EQ(operand_contents(recorder, 2U), words({7, 1 << 30, 1, -8, 1 << 30, 0, 9, 1610612736, 1}));
}

TEST(Conv2d, OneScaleServesAllChannelsAndBiasMayBeAbsent) {
    ModelSpec model = conv_model();
    model.tensors[1].scales = {0.5F};
    model.tensors[1].zero_points = {0};
    model.operators[0].inputs = {0, 1, -1};
    EXPECT_EQ(operand_contents(import(model), 2U), words({0, 1 << 30, 1, 0, 1 << 30, 1, 0, 1 << 30, 1}));
    model.operators[0].inputs = {0, 1};
    EXPECT_EQ(operand_contents(import(model), 2U), words({0, 1 << 30, 1, 0, 1 << 30, 1, 0, 1 << 30, 1}));
}

TEST(Conv2d, StridesAndDilationFollowTheirNames) {
    ModelSpec model = conv_model();
    // Reaches 5 rows and 3 columns. Rows: ceil(4 / 2) = 2, (2 - 1) * 2 + 5 - 4 = 3, one above. Columns: ceil(5 / 3) =
    // 2, (2 - 1) * 3 + 3 - 5 = 1, none to the left.
    model.operators[0].options = {{1U, 3}, {2U, 2}, {5U, 2}};
    model.tensors[3].shape = {1, 2, 2, 3};
    const capture::Recorder recorder = import(model);
    const auto arguments = only_launch<refdev::Conv2dArguments>(recorder, refdev::KernelId::kConv2d);
    EXPECT_EQ(arguments.stride_width, 3U);
    EXPECT_EQ(arguments.stride_height, 2U);
    EXPECT_EQ(arguments.dilation_width, 1U);
    EXPECT_EQ(arguments.dilation_height, 2U);
    EXPECT_EQ(arguments.pad_top, 1U);
    EXPECT_EQ(arguments.pad_left, 0U);
    EXPECT_EQ(arguments.activation_min, -128);
}

TEST(Conv2d, ValidPadding) {
    ModelSpec model = conv_model();
    model.operators[0].options.push_back({0U, 1, true});
    model.tensors[3].shape = {1, 2, 3, 3};
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(only_launch<refdev::Conv2dArguments>(recorder, refdev::KernelId::kConv2d).pad_top, 0U);
    model.tensors[0].shape = {1, 2, 5, 2};
    EXPECT_EQ(refusal(model, [](ModelSpec&) {}), "its filter is larger than its input");
}

TEST(Conv2d, Refusals) {
    const auto refused = [](const std::function<void(ModelSpec&)>& change) { return refusal(conv_model(), change); };
    EXPECT_EQ(refused([](ModelSpec& m) { m.operators[0].options = {}; }), "its stride is out of range");
    EXPECT_EQ(refused([](ModelSpec& m) { m.operators[0].options[0].value = 40'000; }), "its stride is out of range");
    EXPECT_EQ(refused([](ModelSpec& m) { m.operators[0].options.push_back({4U, -1}); }),
              "its dilation is out of range");
    EXPECT_EQ(refused([](ModelSpec& m) { m.operators[0].options.push_back({0U, 2, true}); }),
              "its padding scheme is not supported");
    EXPECT_EQ(refused([](ModelSpec& m) { m.operators[0].options[2].value = 4; }),
              "fused activation TANH is not supported; RELU, RELU_N1_TO_1 and RELU6 are");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[3].shape = {1, 4, 4, 3}; }),
              "its output size does not follow from its input");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[3].shape = {2, 4, 5, 3}; }),
              "its input and output differ in batches");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[3].shape = {1, 4, 5, 4}; }),
              "its filter and output differ in channels");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[0].shape = {1, 4, 5, 3}; }),
              "its filter's channels do not divide its input's");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[0].shape = {1, 4, 5, 4}; }),
              "its groups do not divide its output's channels");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[0].shape = {4, 5, 2}; }), "input of rank 3 is not supported; 4 is");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[1].zero_points[2] = 1; }),
              "a filter with a zero point is not supported");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[1].dimension = 1; }),
              "filter scales along another dimension than its channels are not supported");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[1].scales = {}; }), "its filter has no quantisation");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[2] = TensorSpec{"bias", {12}, 2U}; }),
              "int8 bias is not supported; int32 is");
    EXPECT_EQ(refused([](ModelSpec& m) {
                  m.contents[1] = words({1, 2});
                  m.tensors[2] = TensorSpec{"bias", {2}, 2U, kInt32};
              }),
              "the size of its bias differs from its channels");
    EXPECT_EQ(refused([](ModelSpec& m) {
                  m.tensors[1].buffer = 0U;
                  m.inputs = {0, 1};
              }),
              "a computed filter is not supported; a constant is");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[3].scales = {1.0e-12F}; }),
              "the ratio of its scales is out of range");
}

TEST(DepthwiseConv2d, DepthMultiplier) {
    ModelSpec model = conv_model();
    model.contents[0].assign(36U, 1U);
    model.contents[1] = words({1, 2, 3, 4});
    model.tensors[1] = TensorSpec{"filter", {1, 3, 3, 4}, 1U};
    model.tensors[2] = TensorSpec{"bias", {4}, 2U, kInt32, {0.25F}, {0}};
    model.tensors[3].shape = {1, 4, 5, 4};
    model.operators[0] = OperatorSpec{4, {0, 1, 2}, {3}, 2U, {{1U, 1}, {2U, 1}, {3U, 2}, {4U, 3, true}}};
    const capture::Recorder recorder = import(model);
    const auto arguments = only_launch<refdev::DepthwiseConv2dArguments>(recorder, refdev::KernelId::kDepthwiseConv2d);
    EXPECT_EQ(arguments.depth_multiplier, 2U);
    EXPECT_EQ(arguments.activation_min, 4);
    EXPECT_EQ(arguments.activation_max, 28);  // 6 / 0.25 + 4
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.operators[0].options[2].value = 1; }),
              "its depth multiplier does not follow from its channels");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].shape = {1, 4, 5, 3}; }),
              "its input's channels do not divide its output's");
}

// x[2,3] * filter[4,3] -> y[2,4]
ModelSpec fully_connected_model() {
    ModelSpec model;
    model.contents = {std::vector<std::uint8_t>(12U, 1U), words({1, 2, 3, 4})};
    model.tensors = {TensorSpec{"x", {2, 3}, 0U, 9, {0.1F}, {1}}, TensorSpec{"filter", {4, 3}, 1U, 9, {0.2F}, {5}},
                     TensorSpec{"bias", {4}, 2U, kInt32, {0.02F}}, TensorSpec{"y", {2, 4}, 0U, 9, {0.3F}, {2}}};
    model.operators = {OperatorSpec{9, {0, 1, 2}, {3}, 8U}};
    model.inputs = {0};
    model.outputs = {3};
    return model;
}

TEST(FullyConnected, OneScaleIsMultipliedInSinglePrecision) {
    const capture::Recorder recorder = import(fully_connected_model());
    const auto arguments = only_launch<refdev::FullyConnectedArguments>(recorder, refdev::KernelId::kFullyConnected);
    EXPECT_EQ(arguments.batches, 2U);
    EXPECT_EQ(arguments.input_depth, 3U);
    EXPECT_EQ(arguments.output_depth, 4U);
    EXPECT_EQ(arguments.input_offset, -1);
    EXPECT_EQ(arguments.filter_offset, -5);
    EXPECT_EQ(arguments.output_offset, 2);
    // In single precision 0.1 * 0.2 is 0x3CA3D70B = 10737419 * 2^-29, and 0.3 is 10066330 * 2^-25, so that the ratio is
    // 10737419 / 161061280 = 0.0666666663..; in double precision the product would be another number.
    const auto expected = static_cast<std::int32_t>(std::lround((10737419.0 / 161061280.0) * 17179869184.0));  // 2^34
    EXPECT_EQ(operand_contents(recorder, 2U),
              words({1, expected, -3, 2, expected, -3, 3, expected, -3, 4, expected, -3}));
}

// A product of two tensors, as models have it that were converted with one batch.
TEST(FullyConnected, FilterMayBeComputed) {
    ModelSpec model = fully_connected_model();
    model.tensors[1].buffer = 0U;
    model.inputs = {0, 1};
    const capture::Recorder recorder = import(model);
    const auto arguments = only_launch<refdev::FullyConnectedArguments>(recorder, refdev::KernelId::kFullyConnected);
    EXPECT_EQ(arguments.filter_offset, -5);
    const capture::Operand& filter = recorder.launches().front().operands.at(1U);
    EXPECT_TRUE(recorder.buffer(filter.buffer).contents.empty());
}

TEST(FullyConnected, OptionsThatAreMissingAreTheirDefaults) {
    ModelSpec model = fully_connected_model();
    model.operators[0].options.clear();
    const std::vector<std::uint32_t> expected = import(model).launches().front().arguments;
    model.operators[0].options_type = 0U;
    EXPECT_EQ(import(model).launches().front().arguments, expected);
}

// The scheme takes a missing scale for 0, and compares it in steps of the output.
TEST(FullyConnected, ABiasWithoutAScale) {
    const auto with_output_scale = [](float scale) {
        return refusal(fully_connected_model(), [scale](ModelSpec& m) {
            m.tensors[2].scales = {};
            m.tensors[2].zero_points = {};
            m.tensors[3].scales = {scale};
        });
    };
    const double step = static_cast<double>(fully_connected_model().tensors[0].scales[0]) *
                        static_cast<double>(fully_connected_model().tensors[1].scales[0]);
    EXPECT_EQ(with_output_scale(static_cast<float>(step * 51.0)), "imported");
    EXPECT_EQ(with_output_scale(static_cast<float>(step * 49.0)),
              "its bias has no scale, which is supported where input scale times filter scale is at most 0.02 of its "
              "output scale");
}

TEST(FullyConnected, Refusals) {
    const auto refused = [](const std::function<void(ModelSpec&)>& change) {
        return refusal(fully_connected_model(), change);
    };
    EXPECT_EQ(refused([](ModelSpec&) {}), "imported");
    EXPECT_EQ(refused([](ModelSpec& m) { m.operators[0].options = {{1U, 1, true}}; }),
              "shuffled weights are not supported");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[2].scales = {0.03F}; }),
              "the scale of its bias differs from input scale times filter scale");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[0].shape = {2, 2}; }), "its filter does not fit its input");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[3].shape = {4, 2}; }), "its filter and output differ in channels");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[1].shape = {2, 2, 3}; }), "only a filter of rank 2 is supported");
    EXPECT_EQ(refused([](ModelSpec& m) {
                  m.tensors[1].scales.assign(4U, 0.2F);
                  m.tensors[1].zero_points = {0, 0, 0, 1};
              }),
              "a filter with a zero point per row is not supported");
    EXPECT_EQ(refused([](ModelSpec& m) {
                  m.tensors[1].scales.assign(3U, 0.2F);
                  m.tensors[1].zero_points.assign(3U, 0);
                  m.tensors[1].dimension = 1;
              }),
              "filter scales along another dimension than its rows are not supported");
}

ModelSpec pool_model() {
    ModelSpec model;
    model.tensors = {TensorSpec{"x", {1, 5, 4, 2}}, TensorSpec{"y", {1, 3, 2, 2}}};
    model.operators = {OperatorSpec{17, {0}, {1}, 5U, {{1U, 2}, {2U, 2}, {3U, 2}, {4U, 3}}}};
    model.inputs = {0};
    model.outputs = {1};
    return model;
}

TEST(Pool2d, ArgumentsAndRefusals) {
    const capture::Recorder recorder = import(pool_model());
    const auto arguments = only_launch<refdev::Pool2dArguments>(recorder, refdev::KernelId::kMaxPool2d);
    EXPECT_EQ(arguments.channels, 2U);
    EXPECT_EQ(arguments.filter_width, 2U);
    EXPECT_EQ(arguments.filter_height, 3U);
    EXPECT_EQ(arguments.pad_top, 1U);   // (3 - 1) * 2 + 3 - 5 = 2
    EXPECT_EQ(arguments.pad_left, 0U);  // (2 - 1) * 2 + 2 - 4 = 0
    EXPECT_EQ(refusal(pool_model(), [](ModelSpec& m) { m.operators[0].options[2].value = 0; }),
              "its filter size is out of range");
    EXPECT_EQ(refusal(pool_model(), [](ModelSpec& m) { m.tensors[1].zero_points = {1}; }),
              "different quantisation of input and output is not supported");
    EXPECT_EQ(refusal(pool_model(), [](ModelSpec& m) { m.tensors[1].shape = {1, 3, 2, 1}; }),
              "its input and output differ in batches or channels");
    EXPECT_EQ(refusal(pool_model(), [](ModelSpec& m) { m.operators[0].code = 1; }), "imported");
}

TEST(Add, BroadcastStrides) {
    ModelSpec model;
    model.tensors = {TensorSpec{"a", {2, 3, 4}}, TensorSpec{"b", {3, 1}}, TensorSpec{"y", {2, 3, 4}}};
    model.operators = {OperatorSpec{0, {0, 1}, {2}, 11U}};
    model.inputs = {0, 1};
    model.outputs = {2};
    const capture::Recorder recorder = import(model);
    const std::vector<std::uint32_t> expected{1U, 2U, 3U, 4U, 0U, 12U, 4U, 1U, 0U, 0U, 1U, 0U};
    const std::vector<std::uint32_t>& words = recorder.launches().front().arguments;
    EXPECT_EQ(std::vector<std::uint32_t>(words.begin() + 3, words.begin() + 15), expected);
    const auto arguments = only_launch<refdev::AddArguments>(recorder, refdev::KernelId::kAdd);
    EXPECT_EQ(arguments.input1_multiplier, 1 << 30);  // 0.5 / (2 * 0.5) = 0.5
    EXPECT_EQ(arguments.input1_shift, 0);
    EXPECT_EQ(arguments.output_multiplier, 1 << 30);  // 1.0 / (2^20 * 0.5) = 2^-19
    EXPECT_EQ(arguments.output_shift, -18);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].shape = {2, 1}; }), "its shapes cannot be broadcast");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].shape = {2, 3, 5}; }),
              "its output does not follow from its inputs");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].shape = {1, 1, 2, 3, 4}; }),
              "its output does not follow from its inputs");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].scales = {1.0e-7F}; }),
              "the ratio of its scales is out of range");
}

TEST(Mean, AxesCountFromEitherEnd) {
    ModelSpec model;
    model.contents = {words({1, -1})};
    model.tensors = {TensorSpec{"x", {2, 3, 4}}, TensorSpec{"axes", {2}, 1U, kInt32}, TensorSpec{"y", {2}}};
    model.operators = {OperatorSpec{40, {0, 1}, {2}}};
    model.inputs = {0};
    model.outputs = {2};
    const capture::Recorder recorder = import(model);
    const auto arguments = only_launch<refdev::MeanArguments>(recorder, refdev::KernelId::kMean);
    EXPECT_EQ(arguments.dims[0], 1U);
    EXPECT_EQ(arguments.dims[3], 4U);
    EXPECT_EQ(arguments.reduced_axes, 0b1100U);
    EXPECT_EQ(arguments.multiplier, 715827882);  // 2^30 * 2^3 / 12
    EXPECT_EQ(arguments.shift, -2);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.contents[0] = words({1, 3}); }),
              "it names an axis that does not exist");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.contents[0] = words({1, 1}); }),
              "its output shape does not follow from its input");
    EXPECT_EQ(refusal(model,
                      [](ModelSpec& m) {
                          m.contents[0] = words({0, 1, 2, 0, 1, 2, 0, 1, 2});
                          m.tensors[1].shape = {9};
                      }),
              "its list of axes has 9 elements, which is too many");
}

// As groups of channels are normalised: neighbours that go or stay together are one dimension.
TEST(Mean, OfMoreThanFourDimensions) {
    ModelSpec model;
    model.contents = {words({1, 2, 4})};
    model.tensors = {TensorSpec{"x", {2, 3, 4, 5, 6}}, TensorSpec{"axes", {3}, 1U, kInt32},
                     TensorSpec{"y", {2, 1, 1, 5, 1}}};
    model.operators = {OperatorSpec{40, {0, 1}, {2}, 27U, {{0U, 1, true}}}};
    model.inputs = {0};
    model.outputs = {2};
    const auto arguments = only_launch<refdev::MeanArguments>(import(model), refdev::KernelId::kMean);
    EXPECT_EQ(arguments.dims, (std::array<std::uint32_t, 4>{2U, 12U, 5U, 6U}));
    EXPECT_EQ(arguments.reduced_axes, 0b1010U);
    EXPECT_EQ(refusal(model,
                      [](ModelSpec& m) {
                          m.contents[0] = words({1, 3});
                          m.tensors[1].shape = {2};
                          m.tensors[2].shape = {2, 1, 4, 1, 6};
                      }),
              "a reduction over so many separate axes is not supported");
}

TEST(Softmax, RowsAndRefusals) {
    ModelSpec model;
    const std::int32_t one = 0x3F80'0000;  // 1.0F
    model.tensors = {TensorSpec{"x", {2, 3, 4}, 0U, 9, {0.0625F}},
                     TensorSpec{"y", {2, 3, 4}, 0U, 9, {0.00390625F}, {-128}}};
    model.operators = {OperatorSpec{25, {0}, {1}, 9U, {{0U, one}}}};
    model.inputs = {0};
    model.outputs = {1};
    const capture::Recorder recorder = import(model);
    const auto arguments = only_launch<refdev::SoftmaxArguments>(recorder, refdev::KernelId::kSoftmax);
    EXPECT_EQ(arguments.rows, 6U);
    EXPECT_EQ(arguments.depth, 4U);
    EXPECT_EQ(arguments.diff_min, -248);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.operators[0].options = {}; }), "its beta is out of range");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].scales = {1000.0F}; }), "imported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].zero_points = {0}; }),
              "an output scale other than 1/256 with zero point -128 is not supported");
}

TEST(Pad, RanksBelowFourAreAlignedAtTheEnd) {
    ModelSpec model;
    model.contents = {words({1, 2, 0, 3})};
    model.tensors = {TensorSpec{"x", {2, 3}, 0U, 9, {0.5F}, {-7}}, TensorSpec{"paddings", {2, 2}, 1U, kInt32},
                     TensorSpec{"y", {5, 6}, 0U, 9, {0.5F}, {-7}}};
    model.operators = {OperatorSpec{34, {0, 1}, {2}}};
    model.inputs = {0};
    model.outputs = {2};
    const capture::Recorder recorder = import(model);
    const auto arguments = only_launch<refdev::PadArguments>(recorder, refdev::KernelId::kPad);
    const std::vector<std::uint32_t> expected{1U, 1U, 2U, 3U, 0U, 0U, 1U, 0U, 0U, 0U, 2U, 3U};
    const std::vector<std::uint32_t>& words_of_launch = recorder.launches().front().arguments;
    EXPECT_EQ(std::vector<std::uint32_t>(words_of_launch.begin() + 2, words_of_launch.begin() + 14), expected);
    EXPECT_EQ(arguments.value, -7);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.contents[0] = words({1, 2, -1, 4}); }),
              "negative paddings are not supported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.contents[0] = words({1, 2, 0, 2}); }),
              "its output size does not follow from its input");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.contents[0] = words({1, 2, INT32_MAX, INT32_MAX}); }),
              "its output size does not follow from its input");
}

}  // namespace
}  // namespace pianola::tflite
