// Operators of int16: argument words and tables against values worked out by hand, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capture_host/operators/channel_table.h"
#include "capture_host/operators/function_tables.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/tflite/model_builder.h"
#include "tests/tflite/one_import.h"

namespace pianola::tflite {
namespace {

constexpr std::int8_t kFormatInt32 = 2;
constexpr std::int8_t kFormatInt64 = 4;
constexpr std::int8_t kFormatInt16 = 7;

TensorSpec wide(const char* name, std::vector<std::int32_t> shape, float scale, std::int64_t zero_point = 0) {
    return TensorSpec{name, std::move(shape), 0U, kFormatInt16, {scale}, {zero_point}};
}

// x[1,4,5,2] * filter[2,3,3,2] + bias[2] -> y[1,4,5,2]; SAME, stride 1. The biases are 7 and -2^40.
ModelSpec wide_conv_model() {
    ModelSpec model;
    model.contents = {std::vector<std::uint8_t>(36U, 1U), words({7, 0, 0, -256})};
    TensorSpec filter{"filter", {2, 3, 3, 2}, 1U};
    filter.scales = {0.5F, 0.25F};
    filter.zero_points = {0, 0};
    model.tensors = {wide("x", {1, 4, 5, 2}, 0.5F), filter,
                     TensorSpec{"bias", {2}, 2U, kFormatInt64, {0.25F, 0.125F}, {0, 0}},
                     wide("y", {1, 4, 5, 2}, 0.25F)};
    model.operators = {OperatorSpec{3, {0, 1, 2}, {3}, 1U, {{1U, 1}, {2U, 1}}}};
    model.inputs = {0};
    model.outputs = {3};
    return model;
}

TEST(ImportInt16, ConvolutionWithABiasOf64Bits) {
    const capture::Recorder recorder = import(wide_conv_model());
    const auto arguments = only_launch<refdev::Conv2dInt16Arguments>(recorder, refdev::KernelId::kConv2dInt16);
    EXPECT_EQ(arguments.sum_bytes, 8U);
    EXPECT_EQ(arguments.layer.output_channels, 2U);
    EXPECT_EQ(arguments.layer.filter_channels, 2U);
    EXPECT_EQ(arguments.layer.pad_top, 1U);
    EXPECT_EQ(arguments.layer.activation_min, -32768);
    EXPECT_EQ(arguments.layer.activation_max, 32767);
    // 0.5 * {0.5, 0.25} / 0.25 = {1, 0.5}
    EXPECT_EQ(operand_contents(recorder, 2U), words({7, 0, 1 << 30, 1, 0, -256, 1 << 30, 0}));
}

// As the reference chooses: by the bias, or where there is none, by the options.
TEST(ImportInt16, SumsHaveAsManyBitsAsTheBias) {
    ModelSpec model = wide_conv_model();
    model.contents[1] = words({7, -8});
    model.tensors[2].type = kFormatInt32;
    const capture::Recorder narrow = import(model);
    EXPECT_EQ((only_launch<refdev::Conv2dInt16Arguments>(narrow, refdev::KernelId::kConv2dInt16).sum_bytes), 4U);
    EXPECT_EQ(operand_contents(narrow, 2U), words({7, 1 << 30, 1, -8, 1 << 30, 0}));
    model = wide_conv_model();
    model.operators[0].inputs = {0, 1};
    const capture::Recorder without = import(model);
    EXPECT_EQ((only_launch<refdev::Conv2dInt16Arguments>(without, refdev::KernelId::kConv2dInt16).sum_bytes), 8U);
    EXPECT_EQ(operand_contents(without, 2U), words({0, 0, 1 << 30, 1, 0, 0, 1 << 30, 0}));
    model.operators[0].options.push_back({6U, kFormatInt32, true});
    const capture::Recorder asked = import(model);
    EXPECT_EQ((only_launch<refdev::Conv2dInt16Arguments>(asked, refdev::KernelId::kConv2dInt16).sum_bytes), 4U);
}

TEST(ImportInt16, ConvolutionRefusals) {
    const auto refused = [](const std::function<void(ModelSpec&)>& change) {
        return refusal(wide_conv_model(), change);
    };
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[3].type = 9; }), "int8 output is not supported; int16 is");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[0].zero_points = {1}; }),
              "a zero point of its input is not supported with int16");
    EXPECT_EQ(refused([](ModelSpec& m) { m.contents[1] = words({0, 1 << 14, 0, 0}); }),
              "the ratio of its scales is out of range");
    EXPECT_EQ(refused([](ModelSpec& m) { m.contents[1] = words({0, (1 << 14) - 1, 0, 0}); }), "imported");
    EXPECT_EQ(refused([](ModelSpec& m) { m.tensors[3].scales = {0.001F}; }), "the ratio of its scales is out of range");
}

TEST(ImportInt16, Int64StaysOnTheHost) {
    ModelSpec model = wide_conv_model();
    model.outputs = {3, 2};
    try {
        static_cast<void>(import(model));
        FAIL();
    } catch (const ImportError& error) {
        EXPECT_EQ(error.missing(), "graph output 'bias': int64 is not supported");
    }
    model = wide_conv_model();  // computed, by RESHAPE of the bias
    model.tensors.push_back(TensorSpec{"z", {2, 1}, 0U, kFormatInt64});
    model.operators = {OperatorSpec{22, {2}, {4}}};
    model.outputs = {4};
    EXPECT_EQ(refusal(model, [](ModelSpec&) {}), "'z': int64 is not supported");
}

TEST(ImportInt16, DepthwiseAndFullyConnected) {
    ModelSpec model = wide_conv_model();
    model.tensors[1].shape = {1, 3, 3, 4};
    model.tensors[1].scales = {0.5F};
    model.tensors[1].zero_points = {0};
    model.contents[1] = words({1, 0, 2, 0, 3, 0, 4, 0});
    model.tensors[2] = TensorSpec{"bias", {4}, 2U, kFormatInt64, {0.25F}};
    model.tensors[3].shape = {1, 4, 5, 4};
    model.operators = {OperatorSpec{4, {0, 1, 2}, {3}, 2U, {{1U, 1}, {2U, 1}, {3U, 2}}}};
    const capture::Recorder depthwise = import(model);
    EXPECT_EQ((only_launch<refdev::DepthwiseConv2dInt16Arguments>(depthwise, refdev::KernelId::kDepthwiseConv2dInt16)
                   .layer.depth_multiplier),
              2U);
    EXPECT_EQ(refusal(model,
                      [](ModelSpec& m) {
                          m.contents[1] = words({1, 2, 3, 4});
                          m.tensors[2].type = kFormatInt32;
                      }),
              "int32 bias is not supported; int64 is");

    model = wide_conv_model();
    model.tensors[0] = wide("x", {2, 18}, 0.5F);
    model.tensors[1] = TensorSpec{"filter", {2, 18}, 1U};
    model.tensors[2] = TensorSpec{"bias", {2}, 2U, kFormatInt64, {0.25F}};
    model.tensors[3] = wide("y", {2, 2}, 0.25F);
    model.operators = {OperatorSpec{9, {0, 1, 2}, {3}, 8U}};
    const auto arguments =
        only_launch<refdev::FullyConnectedInt16Arguments>(import(model), refdev::KernelId::kFullyConnectedInt16);
    EXPECT_EQ(arguments.layer.batches, 2U);
    EXPECT_EQ(arguments.sum_bytes, 8U);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].zero_points = {3}; }),
              "a filter with a zero point is not supported with int16");
}

// An operator of one input and one output.
ModelSpec one(std::int32_t code, TensorSpec input, TensorSpec output, std::uint8_t options_type = 0U,
              std::vector<OptionSpec> options = {}) {
    ModelSpec model;
    model.tensors = {std::move(input), std::move(output)};
    model.operators = {OperatorSpec{code, {0}, {1}, options_type, std::move(options)}};
    model.inputs = {0};
    model.outputs = {1};
    return model;
}

TEST(ImportInt16, PoolingAndMeanTakeTheType) {
    const std::vector<OptionSpec> window{{1U, 2}, {2U, 2}, {3U, 2}, {4U, 2}};
    for (const auto& [code, kernel] : std::vector<std::pair<std::int32_t, refdev::KernelId>>{
             {1, refdev::KernelId::kAveragePool2d}, {17, refdev::KernelId::kMaxPool2d}}) {
        const ModelSpec model = one(code, wide("x", {1, 4, 4, 3}, 0.5F), wide("y", {1, 2, 2, 3}, 0.5F), 5U, window);
        const auto arguments = only_launch<refdev::Pool2dArguments>(import(model), kernel);
        EXPECT_EQ(arguments.type, refdev::kTypeInt16);
        EXPECT_EQ(arguments.activation_min, -32768);
    }
    ModelSpec model = one(40, wide("x", {2, 3}, 0.5F), wide("y", {2}, 0.5F), 27U);
    model.contents = {words({1})};
    model.tensors.push_back(TensorSpec{"axes", {1}, 1U, kFormatInt32});
    model.operators[0].inputs = {0, 2};
    EXPECT_EQ((only_launch<refdev::MeanArguments>(import(model), refdev::KernelId::kMean).type), refdev::kTypeInt16);
}

TEST(ImportInt16, SoftmaxOfBothTypes) {
    constexpr std::int32_t kOneAsBits = 0x3F80'0000;
    const std::vector<OptionSpec> beta{{0U, kOneAsBits}};
    const TensorSpec bytes{"x", {2, 5}, 0U, 9, {0.0625F}, {3}};
    const ModelSpec from_bytes = one(25, bytes, wide("y", {2, 5}, 1.0F / 65536.0F, -32768), 9U, beta);
    const auto arguments = only_launch<refdev::SoftmaxArguments>(import(from_bytes), refdev::KernelId::kSoftmax);
    EXPECT_EQ(arguments.output_type, refdev::kTypeInt16);
    EXPECT_EQ(arguments.rows, 2U);
    EXPECT_EQ(refusal(from_bytes, [](ModelSpec& m) { m.tensors[1].zero_points = {0}; }),
              "an output scale other than 1/65536 with zero point -32768 is not supported");

    const ModelSpec from_words =
        one(25, wide("x", {2, 5}, 10.0F / 65535.0F), wide("y", {2, 5}, 1.0F / 32768.0F), 9U, beta);
    const capture::Recorder recorder = import(from_words);
    const auto wide_arguments = only_launch<refdev::SoftmaxInt16Arguments>(recorder, refdev::KernelId::kSoftmaxInt16);
    EXPECT_EQ(wide_arguments.depth, 5U);
    EXPECT_NEAR(std::ldexp(wide_arguments.multiplier, wide_arguments.shift - 31), 1.0, 1.0e-6);
    EXPECT_EQ(operand_contents(recorder, 1U), operators::softmax_tables());
    EXPECT_EQ(refusal(from_words, [](ModelSpec& m) { m.tensors[1].scales = {0.5F}; }),
              "an output scale other than 1/32768 with zero point 0 is not supported");
    EXPECT_EQ(refusal(from_words, [](ModelSpec& m) { m.tensors[1].type = 9; }),
              "int8 output is not supported; int16 is");
}

TEST(ImportInt16, SigmoidsScaleToTheTablesSteps) {
    const auto imported = [](std::int32_t code, float scale) {
        return only_launch<refdev::SigmoidInt16Arguments>(
            import(one(code, wide("x", {7}, scale), wide("y", {7}, 1.0F / 32768.0F))), refdev::KernelId::kSigmoidInt16);
    };
    const float step = 1.0F / 4096.0F;
    EXPECT_EQ(imported(14, step).op, refdev::SigmoidOp::kLogistic);
    EXPECT_EQ(imported(14, step).multiplier, 3);
    EXPECT_EQ(imported(14, step).shift, 0);
    // Twice as much is no case of its own for the logistic function: 6 * 2^12 / 2^12.
    EXPECT_EQ(imported(14, 2.0F * step).multiplier, 24576);
    EXPECT_EQ(imported(14, 2.0F * step).shift, 12);
    EXPECT_EQ(imported(28, 2.0F * step).op, refdev::SigmoidOp::kTanh);
    EXPECT_EQ(imported(28, 2.0F * step).multiplier, 6);
    EXPECT_EQ(imported(28, 2.0F * step).shift, 0);
    // 0.001 * 12288 = 12.288, times 2^11 in the upper half of 15 bits.
    EXPECT_EQ(imported(28, 0.001F).multiplier, 25165);
    EXPECT_EQ(imported(28, 0.001F).shift, 11);
    EXPECT_EQ(refusal(one(14, wide("x", {7}, 2.7F), wide("y", {7}, 1.0F / 32768.0F)), [](ModelSpec&) {}),
              "such a large scale of its input is not supported with int16");
    EXPECT_EQ(refusal(one(28, wide("x", {7}, 0.1F), wide("y", {7}, 0.5F)), [](ModelSpec&) {}),
              "an int16 output scale other than 1/32768 is not supported");
}

TEST(ImportInt16, PreluWidensItsConstant) {
    ModelSpec model = one(54, wide("x", {2, 3}, 0.5F), wide("y", {2, 3}, 0.25F));
    model.contents = {{1U, 0x80U, 0xFFU}};
    model.tensors.push_back(TensorSpec{"alpha", {3}, 1U, 9, {0.125F}, {-2}});
    model.operators[0].inputs = {0, 2};
    const capture::Recorder recorder = import(model);
    const auto arguments = only_launch<refdev::QuantizedBinaryArguments>(recorder, refdev::KernelId::kQuantizedBinary);
    EXPECT_EQ(arguments.type, refdev::kTypeInt16);
    EXPECT_EQ(arguments.input2_offset, 2);
    EXPECT_EQ(operand_contents(recorder, 1U), (std::vector<std::uint8_t>{1U, 0U, 0x80U, 0xFFU, 0xFFU, 0xFFU}));
    EXPECT_EQ(refusal(model,
                      [](ModelSpec& m) {
                          m.tensors[2].buffer = 0U;
                          m.inputs = {0, 2};
                      }),
              "a computed alpha is not supported with int16; a constant is");
}

double entry(const std::vector<std::uint8_t>& table, std::size_t index) {
    return table.at(2U * index) + (256.0 * table.at((2U * index) + 1U));
}

// An entry leans half way to the middle of the curve: by less than its second derivative allows.
TEST(WordTables, AreCloseToTheRealFunctions) {
    const std::vector<std::uint8_t> sigmoid = operators::sigmoid_table();
    ASSERT_EQ(sigmoid.size(), 512U);
    for (std::size_t i = 0U; i < 256U; ++i) {
        EXPECT_NEAR(entry(sigmoid, i), 65536.0 / (1.0 + std::exp(-(static_cast<double>(i) / 24.0))), 3.0) << i;
    }
    const std::vector<std::uint8_t> softmax = operators::softmax_tables();
    ASSERT_EQ(softmax.size(), 2052U);
    for (std::size_t i = 0U; i < 513U; ++i) {
        const double part = static_cast<double>(i) / 512.0;
        EXPECT_NEAR(entry(softmax, i), 32767.0 * std::exp(10.0 * (part - 1.0)), 2.0) << i;
        EXPECT_NEAR(entry(softmax, 513U + i), 32767.0 / (1.0 + part), 2.0) << i;
    }
}

TEST(ChannelTables, RoomForTheProductsOfWideSums) {
    constexpr std::int64_t kBound = std::int64_t{1} << 46U;
    EXPECT_TRUE(operators::fits_wide_sums({{kBound - 1, 1 << 30, 7}, {1 - kBound, 1 << 30, -31}}));
    EXPECT_FALSE(operators::fits_wide_sums({{kBound, 1 << 30, 0}}));
    EXPECT_FALSE(operators::fits_wide_sums({{-kBound, 1 << 30, 0}}));
    EXPECT_FALSE(operators::fits_wide_sums({{0, 1 << 30, 8}}));
}

}  // namespace
}  // namespace pianola::tflite
