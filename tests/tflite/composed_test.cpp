// Operators that are several launches of kernels for something else: their arguments and tables, worked out by hand.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "capture_host/tflite/import.h"
#include "capture_host/tflite/model/import_error.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/tflite/model_builder.h"
#include "tests/tflite/one_import.h"

namespace pianola::tflite {
namespace {

using refdev::KernelId;

constexpr std::int32_t kResizeBilinear = 23;
constexpr std::int32_t kArgMax = 56;
constexpr std::int32_t kTransposeConv = 67;
constexpr std::int32_t kSum = 74;
constexpr std::int32_t kReduceMax = 82;
constexpr std::int32_t kBatchMatmul = 126;
constexpr std::int32_t kCumsum = 128;
constexpr std::uint8_t kResizeBilinearOptions = 15U;
constexpr std::uint8_t kReducerOptions = 27U;
constexpr std::uint8_t kTransposeConvOptions = 49U;
constexpr std::uint8_t kBatchMatmulOptions = 101U;
constexpr std::uint8_t kCumsumOptions = 102U;

// What the constant holds that the word at `member_offset` of a launch is the address of.
std::vector<std::uint8_t> constant_at(const capture::Recorder& recorder, std::size_t index, std::size_t member_offset) {
    for (const capture::Operand& operand : recorder.launches().at(index).operands) {
        if (operand.word == refdev::word_of(member_offset)) {
            return recorder.buffer(operand.buffer).contents;
        }
    }
    return {};
}

TensorSpec constant(const char* name, std::vector<std::int32_t> shape, std::uint32_t buffer, std::int8_t type = 9) {
    TensorSpec tensor{name, std::move(shape), buffer, type};
    if (type == kInt32) {
        tensor.scales.clear();
        tensor.zero_points.clear();
    }
    return tensor;
}

TensorSpec activation(const char* name, std::vector<std::int32_t> shape, float scale = 0.5F,
                      std::int64_t zero_point = 0) {
    return TensorSpec{name, std::move(shape), 0U, 9, {scale}, {zero_point}};
}

// One input x, one constant of int32, one output y.
ModelSpec reduction(std::int32_t code, const TensorSpec& input, const std::vector<std::int32_t>& axes,
                    const TensorSpec& output) {
    ModelSpec model;
    model.tensors = {input, constant("axes", {static_cast<std::int32_t>(axes.size())}, 1U, kInt32), output};
    model.contents = {words(axes)};
    model.inputs = {0};
    model.outputs = {2};
    model.operators = {OperatorSpec{code, {0, 1}, {2}}};
    return model;
}

// x: [1, 2, 3, 2], a filter of [1, 2, 3, 2], stride 2 by 1, SAME.
ModelSpec transpose_conv_model() {
    ModelSpec model;
    model.tensors = {constant("size", {4}, 1U, kInt32), constant("w", {1, 2, 3, 2}, 2U),
                     activation("x", {1, 2, 3, 2}, 0.5F, 7), activation("y", {1, 4, 3, 1}, 0.25F, -3)};
    model.contents = {words({1, 4, 3, 1}), {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 12U}};
    model.inputs = {2};
    model.outputs = {3};
    model.operators = {
        OperatorSpec{kTransposeConv, {0, 1, 2}, {3}, kTransposeConvOptions, {{0U, 0, true}, {1U, 1}, {2U, 2}}}};
    return model;
}

TEST(ImportTransposeConv, IsAConvolutionOfTheSpreadInputByTheTurnedFilter) {
    const capture::Recorder recorder = import(transpose_conv_model());
    ASSERT_EQ(kernels_of(recorder), (std::vector<KernelId>{KernelId::kPad, KernelId::kConv2d}));
    const auto pad = launch_at<refdev::PadArguments>(recorder, 0U);
    EXPECT_EQ(pad.dims, (std::array<std::uint32_t, 4>{2U, 1U, 3U, 2U}));
    EXPECT_EQ(pad.before, (std::array<std::uint32_t, 4>{}));
    EXPECT_EQ(pad.after, (std::array<std::uint32_t, 4>{0U, 1U, 0U, 0U}));  // a row behind each
    EXPECT_EQ(pad.value, 7);                                               // which stands for 0
    const auto conv = launch_at<refdev::Conv2dArguments>(recorder, 1U);
    EXPECT_EQ(conv.input_height, 4U);
    EXPECT_EQ(conv.input_width, 3U);
    EXPECT_EQ(conv.output_height, 4U);
    EXPECT_EQ(conv.stride_height, 1U);
    EXPECT_EQ(conv.pad_top, 1U);   // 2 - 1 less (1 * 2 + 2 - 4) / 2 = 0
    EXPECT_EQ(conv.pad_left, 1U);  // 3 - 1 less (2 * 1 + 3 - 3) / 2 = 1
    EXPECT_EQ(conv.input_offset, -7);
    EXPECT_EQ(conv.output_offset, -3);
    EXPECT_EQ(constant_at(recorder, 1U, offsetof(refdev::Conv2dArguments, filter)),
              (std::vector<std::uint8_t>{11U, 12U, 9U, 10U, 7U, 8U, 5U, 6U, 3U, 4U, 1U, 2U}));
}

TEST(ImportTransposeConv, StridesOfOneNeedNoSpread) {
    ModelSpec model = transpose_conv_model();
    model.operators[0].options = {{0U, 1, true}, {1U, 1}, {2U, 1}};
    model.tensors[3].shape = {1, 3, 5, 1};
    model.contents[0] = words({1, 3, 5, 1});
    const capture::Recorder recorder = import(model);
    ASSERT_EQ(kernels_of(recorder), (std::vector<KernelId>{KernelId::kConv2d}));
    const auto conv = launch_at<refdev::Conv2dArguments>(recorder, 0U);
    EXPECT_EQ(conv.pad_top, 1U);
    EXPECT_EQ(conv.pad_left, 2U);
}

TEST(ImportTransposeConv, RefusesWhatItCannotDo) {
    const ModelSpec model = transpose_conv_model();
    const auto options = [](std::int32_t padding, std::int32_t width, std::int32_t height) {
        return [=](ModelSpec& m) { m.operators[0].options = {{0U, padding, true}, {1U, width}, {2U, height}}; };
    };
    const auto output = [](const std::vector<std::int32_t>& shape) {
        return [=](ModelSpec& m) {
            m.tensors[3].shape = shape;
            m.contents[0] = words(shape);
        };
    };
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.contents[0] = words({1, 4, 3, 2}); }),
              "its output shape operand differs from its output");
    EXPECT_EQ(refusal(model, output({1, 5, 3, 1})), "its output size does not follow from its input");
    EXPECT_EQ(refusal(model, options(2, 1, 2)), "its padding scheme is not supported");
    EXPECT_EQ(refusal(model, options(0, 0, 2)), "its stride is out of range");
    EXPECT_EQ(refusal(model, options(0, 32767, 2)), "its input is too large for its stride");
    EXPECT_EQ(refusal(model, output({2, 4, 3, 1})), "its input and output differ in batches");
    EXPECT_EQ(refusal(model, output({1, 4, 3, 2})), "its filter and output differ in channels");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].shape = {1, 2, 6, 1}; }),
              "its filter and input differ in channels");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].zero_points = {1}; }),
              "a filter with a zero point is not supported");
    EXPECT_EQ(refusal(model,
                      [](ModelSpec& m) {
                          m.tensors[1].buffer = 0U;
                          m.inputs = {1, 2};
                      }),
              "a computed filter is not supported; a constant is");
}

ModelSpec matmul_model(std::vector<std::int32_t> left, std::vector<std::int32_t> right,
                       std::vector<std::int32_t> output) {
    ModelSpec model;
    model.tensors = {activation("a", std::move(left), 0.5F, 3), activation("b", std::move(right), 0.25F, -4),
                     activation("y", std::move(output), 0.125F, 1)};
    model.inputs = {0, 1};
    model.outputs = {2};
    model.operators = {OperatorSpec{kBatchMatmul, {0, 1}, {2}, kBatchMatmulOptions, {{1U, 1, true}}}};
    return model;
}

TEST(ImportBatchMatmul, IsOneLayerForEachBatch) {
    const capture::Recorder recorder = import(matmul_model({2, 1, 4, 6}, {3, 5, 6}, {2, 3, 4, 5}));
    ASSERT_EQ(kernels_of(recorder), (std::vector<KernelId>(6U, KernelId::kFullyConnected)));
    const auto layer = launch_at<refdev::FullyConnectedArguments>(recorder, 0U);
    EXPECT_EQ(layer.batches, 4U);
    EXPECT_EQ(layer.input_depth, 6U);
    EXPECT_EQ(layer.output_depth, 5U);
    EXPECT_EQ(layer.input_offset, -3);
    EXPECT_EQ(layer.filter_offset, 4);
    EXPECT_EQ(layer.output_offset, 1);
    for (std::uint32_t batch = 0U; batch < 6U; ++batch) {
        const std::vector<capture::Operand>& operands = recorder.launches().at(batch).operands;
        EXPECT_EQ(operands.at(0).offset_bytes, (batch / 3U) * 24U);
        EXPECT_EQ(operands.at(1).offset_bytes, (batch % 3U) * 30U);
        EXPECT_EQ(operands.at(3).offset_bytes, batch * 20U);
    }
    std::vector<std::int32_t> rows;
    for (std::uint32_t i = 0U; i < 5U; ++i) {
        rows.insert(rows.end(), {0, 1 << 30, 1});  // 0.5 * 0.25 / 0.125 = 1
    }
    EXPECT_EQ(constant_at(recorder, 0U, offsetof(refdev::FullyConnectedArguments, channel_parameters)), words(rows));
}

TEST(ImportBatchMatmul, OneMatrixTakesTheRowsOfAllBatches) {
    ModelSpec model = matmul_model({2, 3, 4, 6}, {6, 5}, {2, 3, 4, 5});
    model.operators[0].options = {};
    const capture::Recorder recorder = import(model);
    ASSERT_EQ(kernels_of(recorder), (std::vector<KernelId>{KernelId::kView, KernelId::kFullyConnected}));
    EXPECT_EQ(launch_at<refdev::FullyConnectedArguments>(recorder, 1U).batches, 24U);
}

TEST(ImportBatchMatmul, OfInt16IsAProductOfMatrices) {
    ModelSpec model = matmul_model({2, 1, 4, 6}, {3, 5, 6}, {2, 3, 4, 5});
    for (TensorSpec& each : model.tensors) {
        each.type = kInt16;
        each.zero_points = {0};
    }
    const capture::Recorder recorder = import(model);
    ASSERT_EQ(kernels_of(recorder), (std::vector<KernelId>(6U, KernelId::kMatmulInt16)));
    const auto product = launch_at<refdev::MatmulInt16Arguments>(recorder, 5U);
    EXPECT_EQ(product.rows, 4U);
    EXPECT_EQ(product.depth, 6U);
    EXPECT_EQ(product.columns, 5U);
    EXPECT_EQ(product.multiplier, 1 << 30);  // 0.5 * 0.25 / 0.125 = 1
    EXPECT_EQ(product.shift, 1);
    const std::vector<capture::Operand>& operands = recorder.launches().back().operands;
    EXPECT_EQ(operands.at(0).offset_bytes, 48U);
    EXPECT_EQ(operands.at(1).offset_bytes, 120U);
    EXPECT_EQ(operands.at(2).offset_bytes, 200U);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].zero_points = {1}; }),
              "a zero point of its input is not supported with int16");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].type = 9; }), "its inputs and output differ in type");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].scales = {0.0005F}; }),
              "the ratio of its scales is out of range");
}

TEST(ImportBatchMatmul, RefusesWhatItCannotDo) {
    const ModelSpec model = matmul_model({2, 1, 4, 6}, {3, 5, 6}, {2, 3, 4, 5});
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].shape = {3, 5, 7}; }),
              "its matrices do not fit each other");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].shape = {2, 2, 4, 6}; }),
              "its shapes cannot be broadcast");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].shape = {6}; }),
              "an input that is no matrix is not supported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].shape = {6, 4, 5}; }),
              "its output shape does not follow from its input");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].scales = {1.0e-30F}; }),
              "the ratio of its scales is out of range");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].type = kInt32; }),
              "int32 input is not supported; int8, int16 are");
}

TEST(ImportSum, IsAMeanThatDoesNotDivide) {
    const ModelSpec model =
        reduction(kSum, activation("x", {2, 3, 4}, 0.5F, 3), {1}, activation("y", {2, 4}, 2.0F, -5));
    const auto mean = only_launch<refdev::MeanArguments>(import(model), KernelId::kMean);
    EXPECT_EQ(mean.reduced_axes, 4U);
    EXPECT_EQ(mean.multiplier, 1 << 30);  // 0.5 / 2 = 2^-2
    EXPECT_EQ(mean.shift, -1);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.contents[0] = words({3}); }), "it names an axis that does not exist");
}

TEST(ImportReduceMax, MovesTheAxesOnlyWhereItMust) {
    const TensorSpec input = activation("x", {2, 3, 4});
    const std::vector<KernelId> in_place{KernelId::kReduce, KernelId::kRescale};
    const std::vector<KernelId> moved{KernelId::kView, KernelId::kReduce, KernelId::kRescale};
    const auto reduce = [&](const std::vector<std::int32_t>& axes, std::vector<std::int32_t> shape,
                            const std::vector<KernelId>& kernels) {
        const bool keeps = shape.size() == input.shape.size();
        ModelSpec model = reduction(kReduceMax, input, axes, activation("y", std::move(shape)));
        model.operators[0].options_type = kReducerOptions;
        model.operators[0].options = {{0U, keeps ? 1 : 0, true}};
        const capture::Recorder recorder = import(model);
        EXPECT_EQ(kernels_of(recorder), kernels);
        return launch_at<refdev::ReduceArguments>(recorder, kernels.size() - 2U);
    };
    const auto first = reduce({0, 1}, {4}, in_place);
    EXPECT_EQ(first.rows, 6U);
    EXPECT_EQ(first.columns, 4U);
    EXPECT_EQ(first.axis, 0U);
    EXPECT_EQ(first.op, refdev::ReduceOp::kMaximum);
    const auto last = reduce({-1}, {2, 3, 1}, in_place);
    EXPECT_EQ(last.rows, 6U);
    EXPECT_EQ(last.columns, 4U);
    EXPECT_EQ(last.axis, 1U);
    const auto middle = reduce({1}, {2, 4}, moved);
    EXPECT_EQ(middle.rows, 8U);
    EXPECT_EQ(middle.columns, 3U);
    EXPECT_EQ(middle.axis, 1U);
    const ModelSpec model = reduction(kReduceMax, input, {1}, activation("y", {2, 4}));
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].scales = {0.25F}; }),
              "different quantisation of input and output is not supported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].shape = {2, 3}; }),
              "its output shape does not follow from its input");
}

TEST(ImportArgMax, IsOneLaunchOverAnEnd) {
    TensorSpec output = activation("y", {2, 3});
    output.type = kInt32;
    const ModelSpec model = reduction(kArgMax, activation("x", {2, 3, 4}), {2}, output);
    const auto a = only_launch<refdev::ReduceArguments>(import(model), KernelId::kReduce);
    EXPECT_EQ(a.op, refdev::ReduceOp::kArgMaximum);
    EXPECT_EQ(a.axis, 1U);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].type = kInt16; }),
              "int16 output is not supported; int32 is");
    EXPECT_EQ(refusal(model,
                      [](ModelSpec& m) {
                          m.tensors[1].shape = {2};
                          m.contents[0] = words({0, 1});
                      }),
              "more than one axis is not supported");
}

ModelSpec cumsum_model(const std::vector<std::int32_t>& shape, std::int32_t axis,
                       const std::vector<OptionSpec>& options) {
    ModelSpec model = reduction(kCumsum, activation("x", shape, 0.5F, 3), {axis}, activation("y", shape, 2.0F, -5));
    model.operators[0].options_type = kCumsumOptions;
    model.operators[0].options = options;
    return model;
}

TEST(ImportCumsum, IsAProductWithATriangle) {
    const capture::Recorder recorder = import(cumsum_model({2, 3}, 1, {}));
    ASSERT_EQ(kernels_of(recorder),
              (std::vector<KernelId>{KernelId::kRescale, KernelId::kFill, KernelId::kMatmul, KernelId::kRescale}));
    EXPECT_EQ(launch_at<refdev::RescaleArguments>(recorder, 0U).input_zero_point, 3);
    EXPECT_EQ(launch_at<refdev::FillArguments>(recorder, 1U).pattern, static_cast<std::uint32_t>(-3 * (1 << 19)));
    const auto product = launch_at<refdev::MatmulArguments>(recorder, 2U);
    EXPECT_EQ(product.m, 2U);
    EXPECT_EQ(product.n, 3U);
    EXPECT_EQ(product.accumulate, 1U);
    EXPECT_EQ(constant_at(recorder, 2U, offsetof(refdev::MatmulArguments, b)), words({1, 1, 1, 0, 1, 1, 0, 0, 1}));
    const auto last = launch_at<refdev::RescaleArguments>(recorder, 3U);
    EXPECT_EQ(last.multiplier, 1 << 30);  // 2 * 0.5 / (2^20 * 2) = 2^-21
    EXPECT_EQ(last.shift, -20);
    EXPECT_EQ(last.output_zero_point, -5);
}

TEST(ImportCumsum, DirectionAndAxisChangeTheTriangle) {
    const capture::Recorder recorder = import(cumsum_model({2, 3, 2}, -2, {{0U, 1, true}, {1U, 1, true}}));
    ASSERT_EQ(recorder.launches().size(), 5U);  // a product for each of the two
    EXPECT_EQ(constant_at(recorder, 2U, offsetof(refdev::MatmulArguments, a)), words({0, 1, 1, 0, 0, 1, 0, 0, 0}));
    EXPECT_EQ(refusal(cumsum_model({1, 1025}, 1, {}), [](ModelSpec&) {}),
              "an axis of more than 1024 elements is not supported");
    EXPECT_EQ(refusal(cumsum_model({2, 3}, 1, {}), [](ModelSpec& m) { m.tensors[2].scales = {1.0e-7F}; }),
              "the ratio of its scales is out of range");
}

ModelSpec resize_model(std::vector<std::int32_t> from, std::int32_t height, std::int32_t width,
                       const std::vector<OptionSpec>& options) {
    const std::vector<std::int32_t> to{from[0], height, width, from[3]};
    ModelSpec model =
        reduction(kResizeBilinear, activation("x", std::move(from)), {height, width}, activation("y", to));
    model.operators[0].options_type = kResizeBilinearOptions;
    model.operators[0].options = options;
    return model;
}

TEST(ImportResizeBilinear, IsTwoProductsWithWeights) {
    const capture::Recorder recorder = import(resize_model({1, 2, 3, 2}, 4, 3, {}));
    ASSERT_EQ(kernels_of(recorder), (std::vector<KernelId>{KernelId::kRescale, KernelId::kMatmul, KernelId::kView,
                                                           KernelId::kMatmul, KernelId::kView, KernelId::kRescale}));
    EXPECT_EQ(constant_at(recorder, 1U, offsetof(refdev::MatmulArguments, a)),
              words({1024, 0, 512, 512, 0, 1024, 0, 1024}));
    EXPECT_EQ(constant_at(recorder, 3U, offsetof(refdev::MatmulArguments, a)),
              words({1024, 0, 0, 0, 1024, 0, 0, 0, 1024}));
    const auto last = launch_at<refdev::RescaleArguments>(recorder, 5U);
    EXPECT_EQ(last.multiplier, INT32_MAX);  // leaves a sum as it is, so that the shift alone rounds
    EXPECT_EQ(last.shift, -20);
}

TEST(ImportResizeBilinear, AlignsCornersOrMiddles) {
    const capture::Recorder corners = import(resize_model({1, 2, 1, 1}, 3, 1, {{2U, 1, true}}));
    EXPECT_EQ(constant_at(corners, 1U, offsetof(refdev::MatmulArguments, a)), words({1024, 0, 512, 512, 0, 1024}));
    const capture::Recorder middles = import(resize_model({1, 2, 1, 1}, 4, 1, {{3U, 1, true}}));
    EXPECT_EQ(constant_at(middles, 1U, offsetof(refdev::MatmulArguments, a)),
              words({1024, 0, 768, 256, 256, 768, 0, 1024}));
}

TEST(ImportResizeBilinear, RefusesWhatItCannotDo) {
    const ModelSpec model = resize_model({1, 2, 3, 2}, 4, 3, {});
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.operators[0].options = {{2U, 1, true}, {3U, 1, true}}; }),
              "corners and middles of pixels cannot both be aligned");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.contents[0] = words({0, 3}); }), "its size is not positive");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].shape = {1, 4, 4, 2}; }),
              "its output shape does not follow from its input");
    // 1024 / 2047 is rounded to 1: 1024 of these steps lead to a second row.
    EXPECT_EQ(refusal(resize_model({1, 1, 1, 1}, 2047, 1, {}), [](ModelSpec&) {}),
              "its rounded scale leads out of its input");
}

}  // namespace
}  // namespace pianola::tflite
