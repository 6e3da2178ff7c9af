// Models that contradict themselves, of the operators on whole numbers: premises_test.cpp says more.
#include <utility>

#include "tests/decompile/said.h"

namespace pianola::decompile {
namespace {

using tflite::model_of;
using tflite::OperatorSpec;
using tflite::plain;
using tflite::TensorSpec;

constexpr std::int8_t kInt32 = 2;
constexpr std::int8_t kInt8 = 9;

TEST(WholePremises, WholeNumbersHaveNoFusedActivation) {
    constexpr std::int32_t kAdd = 0;
    constexpr std::uint8_t kAddOptions = 11U;
    const ModelSpec model = model_of(OperatorSpec{kAdd, {0, 1}, {2}, kAddOptions},
                                     {plain("a", {4}, kInt32), plain("b", {4}, kInt32), plain("y", {4}, kInt32)});
    expect_said(
        model, [](ModelSpec& changed) { changed.operators[0].options = {{0U, 1, true}}; },
        "operator 0 (ADD): not understood: a fused activation of int32");
}

TEST(WholePremises, AnOperandOfHigherRankThanTheOutputIsUnderstood) {
    constexpr std::int32_t kAdd = 0;
    constexpr std::uint8_t kAddOptions = 11U;
    const ModelSpec model =
        model_of(OperatorSpec{kAdd, {0, 1}, {2}, kAddOptions},
                 {plain("a", {1, 1, 4}, kInt32), plain("b", {4}, kInt32), plain("y", {1, 1, 4}, kInt32)});
    EXPECT_EQ(judge(capture::link(tflite::import(model), {}), model).report.differences, std::vector<std::string>{});
}

TEST(WholePremises, TermsOfASumAreAlike) {
    constexpr std::int32_t kAddN = 106;
    ModelSpec model = model_of(OperatorSpec{kAddN, {0, 1}, {2}}, {TensorSpec{"a", {4}, 0U, kInt8, {0.5F}, {3}},
                                                                  TensorSpec{"b", {4}, 1U, kInt8, {0.5F}, {3}},
                                                                  TensorSpec{"y", {4}, 0U, kInt8, {1.0F}, {0}}});
    model.inputs = {0};
    model.contents = {{1U, 2U, 3U, 4U}};
    const std::string said = "operator 0 (ADD_N): not understood: terms of different scales, zero points or shapes";
    expect_said(model, [](ModelSpec& changed) { changed.tensors[1].scales = {0.25F}; }, said);
    expect_said(model, [](ModelSpec& changed) { changed.tensors[1].zero_points = {2}; }, said);
    expect_said(model, [](ModelSpec& changed) { changed.tensors[1].shape = {2, 2}; }, said);
}

TEST(WholePremises, ReducedAxesAreInTheShape) {
    constexpr std::int32_t kMean = 40;
    ModelSpec model = model_of(OperatorSpec{kMean, {0, 1}, {2}, 27U},
                               {TensorSpec{"x", {2, 3, 1, 1}, 0U, kInt8, {0.5F}, {3}}, plain("axes", {2}, kInt32),
                                TensorSpec{"y", {2, 1}, 0U, kInt8, {0.5F}, {3}}});
    model.inputs = {0};
    model.tensors[1].buffer = 1U;
    model.contents = {{1U, 0U, 0U, 0U, 2U, 0U, 0U, 0U}};
    expect_said(
        model, [](ModelSpec& changed) { changed.contents[0][4] = 4U; },
        "operator 0 (MEAN): not understood: an axis outside the shape");
}

}  // namespace
}  // namespace pianola::decompile
