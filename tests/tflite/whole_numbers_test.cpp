// Operators on shapes, indices and truth values: which launches they are, and what is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/tflite/model/import_error.h"
#include "tests/tflite/model_builder.h"
#include "tests/tflite/one_import.h"

namespace pianola::tflite {
namespace {

using refdev::KernelId;

constexpr KernelId kCopyCommand = KernelId::kUnspecified;  // no kernel
constexpr std::int32_t kCast = 53;
constexpr std::int32_t kGreater = 61;
constexpr std::int32_t kGreaterEqual = 62;
constexpr std::int32_t kShape = 77;
constexpr std::int32_t kNotEqual = 72;
constexpr std::int32_t kAddN = 106;
constexpr std::int32_t kReduceAll = 140;
constexpr std::uint8_t kAddOptions = 11U;

TEST(ImportShape, IsAConstant) {
    const ModelSpec model =
        model_of(OperatorSpec{kShape, {0}, {1}}, {TensorSpec{"x", {2, 3, 4}}, plain("y", {3}, kInt32)});
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(kernels_of(recorder), (std::vector<KernelId>{kCopyCommand}));
    std::vector<std::vector<std::uint8_t>> constants;
    for (const capture::Buffer& buffer : recorder.buffers()) {
        if (!buffer.contents.empty()) {
            constants.push_back(buffer.contents);
        }
    }
    EXPECT_EQ(constants, (std::vector<std::vector<std::uint8_t>>{words({2, 3, 4})}));
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].shape = {2}; }),
              "its output shape does not follow from its input");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].type = kInt16; }),
              "int16 output is not supported; int32 is");
}

TEST(ImportWholeNumbers, BroadcastBeforeTheyAreAdded) {
    const ModelSpec model = model_of(OperatorSpec{kAdd, {0, 1}, {2}, kAddOptions},
                                     {plain("a", {2, 3}, kInt32), plain("b", {3}, kInt32), plain("y", {2, 3}, kInt32)});
    const capture::Recorder recorder = import(model);
    ASSERT_EQ(kernels_of(recorder), (std::vector<KernelId>{KernelId::kView, KernelId::kBinary}));
    const auto sum = launch_at<refdev::BinaryArguments>(recorder, 1U);
    EXPECT_EQ(sum.count, 6U);
    EXPECT_EQ(sum.type, refdev::kTypeInt32);
    EXPECT_EQ(sum.op, refdev::BinaryOp::kAdd);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.operators[0].options = {{0U, 1, true}}; }),
              "a fused activation is not supported with int32");
    EXPECT_EQ(refusal(model,
                      [](ModelSpec& m) {
                          m.tensors[1].scales = {0.5F};
                          m.tensors[1].zero_points = {0};
                      }),
              "int32 with a scale is not supported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].type = kBool; }), "its operands differ in type");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].shape = {2}; }), "its shapes cannot be broadcast");
}

// a >= b: the larger one is a. a > b: not that the larger one is b.
TEST(ImportWholeNumbers, AreCompared) {
    const auto kernels = [](std::int32_t code) {
        return kernels_of(import(model_of(OperatorSpec{code, {0, 1}, {2}},
                                          {plain("a", {4}, kInt32), plain("b", {4}, kInt32), plain("y", {4}, kBool)})));
    };
    EXPECT_EQ(kernels(kGreaterEqual),
              (std::vector<KernelId>{KernelId::kBinary, KernelId::kBinary, KernelId::kRescale}));
    EXPECT_EQ(kernels(kGreater), (std::vector<KernelId>{KernelId::kBinary, KernelId::kBinary, KernelId::kUnary,
                                                        KernelId::kUnary, KernelId::kRescale}));
    EXPECT_EQ(kernels(kNotEqual),
              (std::vector<KernelId>{KernelId::kBinary, KernelId::kUnary, KernelId::kUnary, KernelId::kRescale}));
}

TEST(ImportCast, WidensCutsAndCopies) {
    const auto cast = [](std::int8_t from, std::int8_t to) {
        return model_of(OperatorSpec{kCast, {0}, {1}}, {plain("x", {4}, from), plain("y", {4}, to)});
    };
    EXPECT_EQ(kernels_of(import(cast(kInt8, kInt32))), (std::vector<KernelId>{KernelId::kRescale}));
    EXPECT_EQ(kernels_of(import(cast(kBool, kInt16))), (std::vector<KernelId>{KernelId::kRescale}));
    EXPECT_EQ(kernels_of(import(cast(kInt32, kInt8))), (std::vector<KernelId>{KernelId::kView}));
    EXPECT_EQ(kernels_of(import(cast(kBool, kInt8))), (std::vector<KernelId>{kCopyCommand}));
    EXPECT_EQ(only_launch<refdev::DequantizeArguments>(import(cast(kInt16, kFloat32)), KernelId::kDequantize).scale,
              0x3F800000U);
    const auto unchanged = [](ModelSpec& /*model*/) {};
    EXPECT_EQ(refusal(cast(kInt32, kFloat32), unchanged), "int32 to float32 is not supported");
    EXPECT_EQ(refusal(cast(kFloat32, kInt8), unchanged),
              "float32 input is not supported; int8, int16, int32, bool are");
    EXPECT_EQ(refusal(cast(kInt8, kBool), unchanged), "bool output is not supported; int8, int16, int32, float32 are");
}

// The reference starts its sums at minus the zero point.
TEST(ImportAddN, TakesTheZeroPointOnceMore) {
    const ModelSpec model =
        model_of(OperatorSpec{kAddN, {0, 1, 2}, {3}},
                 {TensorSpec{"a", {4}, 0U, kInt8, {0.5F}, {3}}, TensorSpec{"b", {4}, 0U, kInt8, {0.5F}, {3}},
                  TensorSpec{"c", {4}, 0U, kInt8, {0.5F}, {3}}, TensorSpec{"y", {4}, 0U, kInt8, {2.0F}, {-5}}});
    const capture::Recorder recorder = import(model);
    ASSERT_EQ(kernels_of(recorder), (std::vector<KernelId>{KernelId::kRescale, KernelId::kRescale, KernelId::kBinary,
                                                           KernelId::kRescale, KernelId::kBinary, KernelId::kRescale}));
    EXPECT_EQ(launch_at<refdev::RescaleArguments>(recorder, 0U).input_zero_point, 6);
    EXPECT_EQ(launch_at<refdev::RescaleArguments>(recorder, 1U).input_zero_point, 3);
    const auto last = launch_at<refdev::RescaleArguments>(recorder, 5U);
    EXPECT_EQ(last.multiplier, 1 << 30);
    EXPECT_EQ(last.shift, -20);  // 2 * 0.5 / (2^20 * 2) is 2^-21
    EXPECT_EQ(last.output_zero_point, -5);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].scales = {0.25F}; }),
              "inputs of several scales are not supported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].shape = {2}; }),
              "its output shape does not follow from its input");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[3].scales = {1e-8F}; }),
              "the ratio of its scales is out of range");
}

TEST(ImportReduceAll, IsTheLeastTruthValue) {
    ModelSpec model = model_of(OperatorSpec{kReduceAll, {0, 1}, {2}},
                               {plain("x", {2, 3}, kBool), plain("axes", {1}, kInt32), plain("y", {2}, kBool)});
    model.inputs = {0};
    model.tensors[1].buffer = 1U;
    model.contents = {words({1})};
    const capture::Recorder recorder = import(model);
    ASSERT_EQ(kernels_of(recorder), (std::vector<KernelId>{KernelId::kReduce, KernelId::kRescale}));
    EXPECT_EQ(launch_at<refdev::ReduceArguments>(recorder, 0U).op, refdev::ReduceOp::kMinimum);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].type = kInt8; }), "int8 input is not supported; bool is");
}

// Its list of lengths is empty, and so is the tensor that holds it.
TEST(ImportReshape, ToAScalar) {
    ModelSpec model = model_of(OperatorSpec{kReshape, {0, 1}, {2}},
                               {TensorSpec{"x", {1, 1}}, plain("shape", {0}, kInt32), TensorSpec{"y", {}}});
    model.inputs = {0};
    EXPECT_EQ(kernels_of(import(model)), (std::vector<KernelId>{kCopyCommand}));  // to the output
    model.operators[0].inputs = {1, 0};
    model.inputs = {0};
    EXPECT_THROW(static_cast<void>(import(model)), ImportError);
}

}  // namespace
}  // namespace pianola::tflite
