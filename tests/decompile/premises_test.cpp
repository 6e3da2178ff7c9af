// Models that contradict themselves: no binary computes them, whatever bytes theirs moves.
//
// tests/crosscheck/model_changes.py tries the same with random graphs and random changes.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/decompile/said.h"

namespace pianola::decompile {
namespace {

using tflite::OperatorSpec;
using tflite::TensorSpec;

// x, its logistic function, and both side by side.
ModelSpec model_of_curve() {
    constexpr std::int32_t kLogistic = 14;
    constexpr std::int32_t kConcatenation = 2;
    ModelSpec model;
    model.tensors = {TensorSpec{"x", {1, 4}, 0U, 9, {0x1p-8F}, {-128}},
                     TensorSpec{"f", {1, 4}, 0U, 9, {0x1p-8F}, {-128}},
                     TensorSpec{"y", {1, 8}, 0U, 9, {0x1p-8F}, {-128}}};
    model.operators = {OperatorSpec{kLogistic, {0}, {1}}, OperatorSpec{kConcatenation, {0, 1}, {2}, 10U, {{0U, 1}}}};
    model.inputs = {0};
    model.outputs = {2};
    return model;
}

enum TensorIndex : std::size_t { kX, kCurve };

TEST(Premises, ACurveHasOneScale) {
    const std::string said =
        "operator 0 (LOGISTIC): not understood: 'f' has another scale or zero point than such results have";
    expect_said(model_of_curve(), [](ModelSpec& model) { model.tensors[kCurve].scales = {0x1p-7F}; }, said);
    expect_said(model_of_curve(), [](ModelSpec& model) { model.tensors[kCurve].scales = {0x1.000002p-8F}; }, said);
    expect_said(model_of_curve(), [](ModelSpec& model) { model.tensors[kCurve].zero_points = {-127}; }, said);
}

TEST(Premises, NumbersThatAreMovedKeepTheirMeaning) {
    constexpr std::size_t kPooled = 9U;
    expect_said(
        model_of_all(), [](ModelSpec& model) { model.tensors[kPooled].scales = {0x1.c00002p-1F}; },
        "operator 4 (AVERAGE_POOL_2D): not understood: 'less' and 'pooled' differ in quantisation");
    expect_said(
        model_of_curve(),
        [](ModelSpec& model) {
            model.tensors[kX].zero_points = {-127};
            model.inputs = {0};
        },
        "input 0 ('x') has another shape, type or quantisation than the model's 'x'");
}

TEST(Premises, ABiasHasTheScaleOfItsSums) {
    constexpr std::size_t kBias = 11U;
    expect_said(
        model_of_all(), [](ModelSpec& model) { model.tensors[kBias].scales = {0.21875F}; },
        "operator 5 (FULLY_CONNECTED): not understood: a bias of another scale than its sums have");
}

TEST(Premises, ZeroPointsAndScalesAreTheirTypes) {
    constexpr std::size_t kSum = 7U;
    expect_said(
        model_of_all(), [](ModelSpec& model) { model.tensors[kSum].zero_points = {262}; },
        "operator 2 (ADD): not understood: 'sum': its zero point 262 is outside its type");
    expect_said(
        model_of_all(), [](ModelSpec& model) { model.tensors[kSum].scales = {-0.75F}; },
        "operator 2 (ADD): not understood: 'sum': one of its scales is not a positive number");
}

TEST(Premises, ATensorIsWrittenOnceAndBeforeItIsRead) {
    expect_said(
        model_of_curve(), [](ModelSpec& model) { model.operators.push_back(model.operators.front()); },
        "operator 2 (LOGISTIC): not understood: it writes 'f', which is a variable, constant, an input, or written "
        "already");
    expect_said(
        model_of_curve(), [](ModelSpec& model) { std::swap(model.operators[0], model.operators[1]); },
        "operator 0 (CONCATENATION): not understood: it reads 'f', which nothing has written");
    expect_said(
        model_of_curve(), [](ModelSpec& model) { model.tensors[kX].is_variable = true; },
        "not understood: input 'x' of the model is a variable, constant, or an input twice");
}

TEST(Premises, LayersKeepTheirStateInVariablesAndKnowNoZeroPointsOfWeights) {
    constexpr std::size_t kWeights = 2U;
    constexpr std::size_t kMemory = 4U;
    expect_said(
        model_of_states(), [](ModelSpec& model) { model.tensors[kWeights].zero_points = {-1}; },
        "operator 0 (SVDF): not understood: weights of another shape, or with a zero point");
    expect_said(
        model_of_states(), [](ModelSpec& model) { model.tensors[kMemory].is_variable = false; },
        "operator 0 (SVDF): not understood: it reads 'memory1', which nothing has written");
}

TEST(Premises, AShapeFollowsFromWhatSaysIt) {
    const std::string said = "operator 1 (CONCATENATION): its output has another shape than follows from its operands";
    expect_said(model_of_curve(), [](ModelSpec& model) { model.operators[1].options = {{0U, 0}}; }, said);
}

// What a small file can ask for takes no more memory than there is.
TEST(Premises, SizesThatAFileOnlyNamesAreBounded) {
    constexpr std::int8_t kInt32 = 2;
    constexpr std::int32_t kFill = 94;
    constexpr std::int32_t kCumsum = 128;
    const auto fill = [](std::int32_t shape_at) {
        return OperatorSpec{kFill, {shape_at, shape_at + 1}, {shape_at + 2}};
    };
    const auto add_fill = [&](ModelSpec& model, const std::vector<std::int32_t>& shape) {
        model.contents.push_back(tflite::words(shape));
        model.contents.push_back({3U});
        const auto first = static_cast<std::int32_t>(model.tensors.size());
        const auto last = static_cast<std::uint32_t>(model.contents.size());
        model.tensors.push_back(
            TensorSpec{"shape", {static_cast<std::int32_t>(shape.size())}, last - 1U, kInt32, {}, {}});
        model.tensors.push_back(TensorSpec{"value", {}, last});
        model.tensors.push_back(TensorSpec{"filled", shape});
        model.operators.push_back(fill(first));
    };
    expect_said(
        model_of_curve(),
        [&](ModelSpec& model) {
            for (std::uint32_t i = 0U; i < 5U; ++i) {
                add_fill(model, {64, 1024, 1024});
            }
        },
        "not understood: more than 268435456 bytes of tensors that are computed");
    expect_said(
        model_of_curve(),
        [&](ModelSpec& model) {
            add_fill(model, {1, 60000});
            model.contents.push_back(tflite::words({1}));
            const auto from = static_cast<std::int32_t>(model.tensors.size()) - 1;
            model.tensors.push_back(
                TensorSpec{"axis", {1}, static_cast<std::uint32_t>(model.contents.size()), kInt32, {}, {}});
            model.tensors.push_back(TensorSpec{"summed", {1, 60000}});
            model.operators.push_back(OperatorSpec{kCumsum, {from, from + 1}, {from + 2}});
        },
        "operator 3 (CUMSUM): not understood: sums of so many terms");
}

}  // namespace
}  // namespace pianola::decompile
