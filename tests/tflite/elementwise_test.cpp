// Element-wise operators: tables, argument words worked out by hand, broadcasting, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "capture_host/operators/function_tables.h"
#include "capture_host/tflite/import.h"
#include "capture_host/tflite/model/import_error.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/tflite/model_builder.h"
#include "tests/tflite/one_import.h"

namespace pianola::tflite {
namespace {

TensorSpec tensor(const char* name, std::vector<std::int32_t> shape, float scale = 0.5F, std::int64_t zero_point = 0,
                  std::int8_t type = kInt8) {
    return TensorSpec{name, std::move(shape), 0U, type, {scale}, {zero_point}};
}

// One operator; all tensors but the last are inputs of the graph.
ModelSpec one_operator(std::int32_t code, std::vector<TensorSpec> tensors, std::uint8_t options_type = 0U,
                       const std::vector<OptionSpec>& options = {}) {
    ModelSpec model;
    const auto last = static_cast<std::int32_t>(tensors.size()) - 1;
    for (std::int32_t i = 0; i < last; ++i) {
        model.inputs.push_back(i);
    }
    model.outputs = {last};
    model.tensors = std::move(tensors);
    model.operators = {OperatorSpec{code, model.inputs, model.outputs, options_type, options}};
    return model;
}

using operators::abs_table;
using operators::ActivationRange;
using operators::Affine;
using operators::ByteTable;
using operators::elu_table;
using operators::exp_table;
using operators::hard_swish_table;
using operators::leaky_relu_table;
using operators::logistic_table;
using operators::relu_table;
using operators::requantize_table;
using operators::rsqrt_table;
using operators::tanh_table;

using Shape4 = std::array<std::uint32_t, 4>;
using Pair = refdev::QuantizedBinaryArguments;

Pair pair_of(const ModelSpec& model) {
    return only_launch<Pair>(import(model), refdev::KernelId::kQuantizedBinary);
}

constexpr std::int32_t kMul = 18;
constexpr std::int32_t kSub = 41;
constexpr std::uint8_t kMulOptions = 21U;
constexpr std::uint8_t kSubOptions = 28U;

ModelSpec mul_model() {
    return one_operator(
        kMul, {tensor("a", {1, 4, 5, 3}, 0.5F, -3), tensor("b", {3}, 0.25F, 7), tensor("y", {1, 4, 5, 3}, 0.125F, 5)},
        kMulOptions, {{0U, 1, true}});
}

TEST(ImportMul, ArgumentsByHand) {
    const Pair a = pair_of(mul_model());
    EXPECT_EQ(a.op, refdev::QuantizedBinaryOp::kMultiply);
    EXPECT_EQ(a.type, refdev::kTypeInt8);
    EXPECT_EQ(a.dims, (Shape4{1U, 1U, 20U, 3U}));  // dimensions along which b is repeated are one
    EXPECT_EQ(a.strides1, (Shape4{0U, 0U, 3U, 1U}));
    EXPECT_EQ(a.strides2, (Shape4{0U, 0U, 0U, 1U}));
    EXPECT_EQ(a.input1_offset, 3);
    EXPECT_EQ(a.input2_offset, -7);
    EXPECT_EQ(a.output_offset, 5);
    EXPECT_EQ(a.output_multiplier, 1 << 30);  // 0.5 * 0.25 / 0.125 = 1
    EXPECT_EQ(a.output_shift, 1);
    EXPECT_EQ(a.activation_min, 5);  // RELU
    EXPECT_EQ(a.activation_max, 127);
}

TEST(ImportMul, BroadcastsUpToFourDimensionsThatDiffer) {
    ModelSpec model = mul_model();
    model.tensors[0].shape = {2, 3, 1, 4, 5, 6};
    model.tensors[1].shape = {7, 1, 1, 6};
    model.tensors[2].shape = {2, 3, 7, 4, 5, 6};
    const Pair a = pair_of(model);
    EXPECT_EQ(a.dims, (Shape4{6U, 7U, 20U, 6U}));
    EXPECT_EQ(a.strides1, (Shape4{120U, 0U, 6U, 1U}));
    EXPECT_EQ(a.strides2, (Shape4{0U, 6U, 0U, 1U}));
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].shape = {2, 1, 7, 4, 1, 6}; }),
              "broadcasting along so many dimensions is not supported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].shape = {7, 1, 1, 5}; }),
              "its shapes cannot be broadcast");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].shape = {1}; }),
              "its output does not follow from its inputs");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].type = kInt16; }),
              "int16 input is not supported; int8 is");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].type = kUint8; }),
              "uint8 input is not supported; int8, int16 are");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].scales = {1.0e-30F}; }),
              "the ratio of its scales is out of range");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.operators[0].options = {{0U, 4, true}}; }),
              "fused activation TANH is not supported; RELU, RELU_N1_TO_1 and RELU6 are");
}

TEST(ImportSub, Int16ShiftsBy15AndRoundsInSinglePrecision) {
    const ModelSpec model = one_operator(
        kSub, {tensor("a", {6}, 0.1F, 0, kInt16), tensor("b", {6}, 0.3F, 0, kInt16), tensor("y", {6}, 0.2F, 0, kInt16)},
        kSubOptions);
    const Pair a = pair_of(model);
    EXPECT_EQ(a.op, refdev::QuantizedBinaryOp::kSubtract);
    EXPECT_EQ(a.type, refdev::kTypeInt16);
    EXPECT_EQ(a.left_shift, 15U);
    EXPECT_EQ(a.activation_min, -32768);
    EXPECT_EQ(a.activation_max, 32767);
    const auto mantissa = [](float real) {
        int exponent = 0;
        return static_cast<std::int32_t>(std::lround(std::frexp(static_cast<double>(real), &exponent) * 0x1p31));
    };
    EXPECT_EQ(a.input1_multiplier, mantissa(0.1F / (2.0F * 0.3F)));
    EXPECT_EQ(a.input1_shift, -2);
    EXPECT_EQ(a.input2_multiplier, 1 << 30);
    EXPECT_EQ(a.output_multiplier, mantissa((2.0F * 0.3F) / (32768.0F * 0.2F)));
    EXPECT_EQ(a.output_shift, -13);
}

TEST(ImportCompare, TermsHaveTheInputsScales) {
    ModelSpec model =
        one_operator(62, {tensor("a", {6}, 0.25F, 1), tensor("b", {6}, 0.5F, -1), tensor("y", {6}, 1.0F, 0, kBool)});
    const Pair a = pair_of(model);
    EXPECT_EQ(a.op, refdev::QuantizedBinaryOp::kGreaterEqual);
    EXPECT_EQ(a.left_shift, 8U);
    EXPECT_EQ(a.input1_multiplier, 1 << 30);
    EXPECT_EQ(a.input1_shift, -1);
    EXPECT_EQ(a.input2_shift, 0);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].scales = {1.0F}; }),
              "an input scale of 1 and above is not supported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].type = kInt8; }), "int8 output is not supported; bool is");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].type = kInt16; }),
              "int16 input is not supported; int8 is");
    for (const auto& [code, op] :
         std::vector<std::pair<std::int32_t, refdev::QuantizedBinaryOp>>{{71, refdev::QuantizedBinaryOp::kEqual},
                                                                         {72, refdev::QuantizedBinaryOp::kNotEqual},
                                                                         {61, refdev::QuantizedBinaryOp::kGreater},
                                                                         {58, refdev::QuantizedBinaryOp::kLess},
                                                                         {63, refdev::QuantizedBinaryOp::kLessEqual}}) {
        model.operators[0].code = code;
        EXPECT_EQ(pair_of(model).op, op);
    }
}

TEST(ImportLogical, OnlyBool) {
    for (const auto& [code, op] : std::vector<std::pair<std::int32_t, refdev::QuantizedBinaryOp>>{
             {86, refdev::QuantizedBinaryOp::kLogicalAnd}, {84, refdev::QuantizedBinaryOp::kLogicalOr}}) {
        const ModelSpec model =
            one_operator(code, {tensor("a", {2, 3}, 1.0F, 0, kBool), tensor("b", {3}, 1.0F, 0, kBool),
                                tensor("y", {2, 3}, 1.0F, 0, kBool)});
        const Pair a = pair_of(model);
        EXPECT_EQ(a.op, op);
        EXPECT_EQ(a.strides2, (Shape4{0U, 0U, 0U, 1U}));
        EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].type = kInt8; }),
                  "int8 input is not supported; bool is");
    }
    const capture::Recorder recorder =
        import(one_operator(87, {tensor("a", {3}, 1.0F, 0, kBool), tensor("y", {3}, 1.0F, 0, kBool)}));
    const auto a = only_launch<refdev::LookupArguments>(recorder, refdev::KernelId::kLookup);
    EXPECT_EQ(a.count, 3U);
    const auto table = recorder.buffer(recorder.launches().front().operands.at(1U).buffer).contents;
    ASSERT_EQ(table.size(), 256U);
    EXPECT_EQ(table[0], 1U);
    EXPECT_EQ(table[1], 0U);
    EXPECT_EQ(table[255], 0U);
}

TEST(ImportExtremum, TakesElementsOfOneQuantisation) {
    const ModelSpec model =
        one_operator(55, {tensor("a", {4}, 0.5F, 2), tensor("b", {4}, 0.5F, 2), tensor("y", {4}, 0.5F, 2)});
    EXPECT_EQ(pair_of(model).op, refdev::QuantizedBinaryOp::kMaximum);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].zero_points = {1}; }),
              "different quantisation of input and output is not supported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.operators[0].code = 57; }), "imported");
}

TEST(ImportPrelu, RescalesBothSides) {
    const ModelSpec model = one_operator(
        54, {tensor("x", {2, 3}, 0.5F, 1), tensor("alpha", {3}, 0.125F, -2), tensor("y", {2, 3}, 0.25F, 3)});
    const Pair a = pair_of(model);
    EXPECT_EQ(a.op, refdev::QuantizedBinaryOp::kPrelu);
    EXPECT_EQ(a.input1_multiplier, 1 << 30);  // 0.5 / 0.25 = 2
    EXPECT_EQ(a.input1_shift, 2);
    EXPECT_EQ(a.output_shift, -1);  // 0.5 * 0.125 / 0.25 = 0.25
    EXPECT_EQ(a.left_shift, 0U);
}

TEST(ImportSquaredDifference, Shifts) {
    ModelSpec model = one_operator(99, {tensor("a", {4}, 0.5F, 2), tensor("b", {4}, 0.5F, 2), tensor("y", {4}, 1.0F)});
    const Pair a = pair_of(model);
    EXPECT_EQ(a.op, refdev::QuantizedBinaryOp::kSquaredDifference);
    EXPECT_EQ(a.left_shift, 7U);
    EXPECT_EQ(a.output_shift, -13);  // 1 / 2^14
    for (TensorSpec& each : model.tensors) {
        each.type = kInt16;
        each.zero_points = {0};
    }
    EXPECT_EQ(pair_of(model).left_shift, 0U);
}

TEST(ImportSelect, ThreeOperandsOfAnyType) {
    const ModelSpec model =
        one_operator(123, {tensor("c", {2, 1}, 1.0F, 0, kBool), tensor("a", {2, 3}, 0.5F, 0, kInt16),
                           tensor("b", {3}, 0.5F, 0, kInt16), tensor("y", {2, 3}, 0.5F, 0, kInt16)});
    const auto a = only_launch<refdev::SelectArguments>(import(model), refdev::KernelId::kSelect);
    EXPECT_EQ(a.dims, (Shape4{1U, 1U, 2U, 3U}));
    EXPECT_EQ(a.condition_strides, (Shape4{0U, 0U, 1U, 0U}));
    EXPECT_EQ(a.strides1, (Shape4{0U, 0U, 3U, 1U}));
    EXPECT_EQ(a.strides2, (Shape4{0U, 0U, 0U, 1U}));
    EXPECT_EQ(a.element_bytes, 2U);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[2].scales = {0.25F}; }),
              "different quantisation of input and output is not supported");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].type = kInt8; }),
              "int8 condition is not supported; bool is");
    EXPECT_EQ(refusal(model,
                      [](ModelSpec& m) {
                          for (std::size_t i = 1U; i < m.tensors.size(); ++i) {
                              m.tensors[i].scales = {-0.5F};
                          }
                      })
                  .substr(0U, 4U),
              "'a':");
}

TEST(ImportActivation, Int16HasTwoScalesAndABoundInstead) {
    float alpha = 0.25F;
    std::int32_t alpha_bits = 0;
    std::memcpy(&alpha_bits, &alpha, sizeof(alpha_bits));
    ModelSpec model = one_operator(98, {tensor("x", {9}, 0.5F, 0, kInt16), tensor("y", {9}, 0.25F, 0, kInt16)}, 75U,
                                   {{0U, alpha_bits}});
    const auto leaky = only_launch<refdev::RescaleArguments>(import(model), refdev::KernelId::kRescale);
    EXPECT_EQ(leaky.count, 9U);
    EXPECT_EQ(leaky.input_type, refdev::kTypeInt16);
    EXPECT_EQ(leaky.multiplier, 1 << 30);  // 2
    EXPECT_EQ(leaky.shift, 2);
    EXPECT_EQ(leaky.negative_multiplier, 1 << 30);  // 0.5
    EXPECT_EQ(leaky.negative_shift, 0);
    EXPECT_EQ(leaky.activation_min, -32768);
    model.operators = {OperatorSpec{21, {0}, {1}}};  // RELU6
    model.tensors[1].scales = {0.5F};
    const auto relu6 = only_launch<refdev::RescaleArguments>(import(model), refdev::KernelId::kRescale);
    EXPECT_EQ(relu6.multiplier, 1 << 30);  // 1
    EXPECT_EQ(relu6.shift, 1);
    EXPECT_EQ(relu6.activation_min, 0);
    EXPECT_EQ(relu6.activation_max, 12);
    model.operators = {OperatorSpec{101, {0}, {1}}};  // ABS
    EXPECT_EQ(only_launch<refdev::RescaleArguments>(import(model), refdev::KernelId::kRescale).negative_multiplier,
              -(1 << 30));
}

TEST(ImportActivation, Int16OfANegativeSlopeIsRoundedBeforeItsSignChanges) {
    const float alpha = -0.25F;
    std::int32_t alpha_bits = 0;
    std::memcpy(&alpha_bits, &alpha, sizeof(alpha_bits));
    const capture::Recorder recorder = import(one_operator(
        98, {tensor("x", {9}, 0.5F, 0, kInt16), tensor("y", {9}, 0.25F, 0, kInt16)}, 75U, {{0U, alpha_bits}}));
    ASSERT_EQ(recorder.launches().size(), 2U);
    const auto rounded = launch_at<refdev::RescaleArguments>(recorder, 0U);
    EXPECT_EQ(rounded.output_type, refdev::kTypeInt32);
    EXPECT_EQ(rounded.negative_multiplier, 1 << 30);  // 0.5
    EXPECT_EQ(rounded.negative_shift, 0);
    EXPECT_EQ(rounded.activation_min, INT32_MIN);
    const auto negated = launch_at<refdev::RescaleArguments>(recorder, 1U);
    EXPECT_EQ(negated.input_type, refdev::kTypeInt32);
    EXPECT_EQ(negated.output_type, refdev::kTypeInt16);
    EXPECT_EQ(negated.multiplier, 1 << 30);  // 1
    EXPECT_EQ(negated.shift, 1);
    EXPECT_EQ(negated.negative_multiplier, -(1 << 30));
    EXPECT_EQ(negated.negative_shift, 1);
    EXPECT_EQ(negated.activation_max, INT16_MAX);
}

TEST(ImportActivation, Refusals) {
    const ModelSpec logistic = one_operator(14, {tensor("x", {4}), tensor("y", {4}, 1.0F / 256.0F, -128)});
    EXPECT_EQ(refusal(logistic, [](ModelSpec&) {}), "imported");
    EXPECT_EQ(refusal(logistic, [](ModelSpec& m) { m.tensors[1].zero_points = {0}; }),
              "an output scale other than 1/256 with zero point -128 is not supported");
    EXPECT_EQ(refusal(logistic, [](ModelSpec& m) { m.tensors[0].type = kInt16; }),
              "its input and output differ in type");
    EXPECT_EQ(refusal(logistic, [](ModelSpec& m) { m.tensors[0].scales = {1.0e-30F}; }),
              "the ratio of its scales is out of range");
    EXPECT_EQ(refusal(logistic, [](ModelSpec& m) { m.tensors[1].shape = {5}; }),
              "its input and output differ in shape");
    const ModelSpec tanh = one_operator(28, {tensor("x", {4}), tensor("y", {4}, 1.0F / 128.0F, 0)});
    EXPECT_EQ(refusal(tanh, [](ModelSpec&) {}), "imported");
    EXPECT_EQ(refusal(tanh, [](ModelSpec& m) { m.tensors[1].zero_points = {1}; }),
              "an output scale other than 1/128 with zero point 0 is not supported");
}

// Below 2^-15 the reference's shifts leave its 16 bits; a scale that has no inverse in single precision gives no steps.
TEST(ImportActivation, ScalesThatTheSchemeCannotExpress) {
    EXPECT_TRUE(hard_swish_table({0.1F, 56}, {26.0F, 110}).has_value());
    EXPECT_FALSE(hard_swish_table({0.000469365F, 56}, {26.4176F, 110}).has_value());
    EXPECT_FALSE(elu_table({1.0F, 0}, {1.0e-39F, 0}).has_value());
    EXPECT_FALSE(exp_table({1.0F, 0}, {1.0e-39F, 0}).has_value());
}

TEST(ImportVerdicts, InputsOfTwoTypes) {
    const ModelSpec equal = one_operator(71, {tensor("a", {4}), tensor("b", {4}), tensor("y", {4}, 1.0F, 0, kBool)});
    EXPECT_EQ(refusal(equal, [](ModelSpec&) {}), "imported");
    EXPECT_EQ(refusal(equal, [](ModelSpec& m) { m.tensors[1].type = kBool; }), "bool input is not supported; int8 is");
}

TEST(ImportQuantize, KernelsByType) {
    const auto model = [](std::int8_t from, std::int8_t to) {
        return one_operator(114, {tensor("x", {4}, 0.5F, 0, from), tensor("y", {4}, 0.25F, 0, to)});
    };
    const auto quantize =
        only_launch<refdev::QuantizeArguments>(import(model(kFloat32, kInt16)), refdev::KernelId::kQuantize);
    EXPECT_EQ(quantize.type, refdev::kTypeInt16);
    EXPECT_EQ(quantize.scale, 0x3E80'0000U);
    const auto rescale =
        only_launch<refdev::RescaleArguments>(import(model(kInt32, kInt16)), refdev::KernelId::kRescale);
    EXPECT_EQ(rescale.input_type, refdev::kTypeInt32);
    EXPECT_EQ(rescale.output_type, refdev::kTypeInt16);
    EXPECT_EQ(rescale.multiplier, 1 << 30);
    EXPECT_EQ(rescale.shift, 2);
    EXPECT_EQ(rescale.negative_shift, 2);
    const auto wide = only_launch<refdev::RescaleArguments>(import(model(kInt8, kInt32)), refdev::KernelId::kRescale);
    EXPECT_EQ(wide.activation_min, INT32_MIN);
    EXPECT_EQ(wide.activation_max, INT32_MAX);
    static_cast<void>(only_launch<refdev::LookupArguments>(import(model(kUint8, kInt8)), refdev::KernelId::kLookup));
    static_cast<void>(only_launch<refdev::LookupArguments>(import(model(kInt8, kUint8)), refdev::KernelId::kLookup));
    static_cast<void>(
        only_launch<refdev::RequantizeArguments>(import(model(kInt8, kInt8)), refdev::KernelId::kRequantize));
    EXPECT_EQ(refusal(model(kInt16, kUint8), [](ModelSpec&) {}), "uint8 output of this input is not supported");
    EXPECT_EQ(refusal(model(kUint8, kInt16), [](ModelSpec&) {}), "int16 output is not supported; int8 is");
    EXPECT_EQ(refusal(model(kFloat32, kInt32), [](ModelSpec&) {}),
              "int32 output is not supported; int8, int16, uint8 are");
    EXPECT_EQ(refusal(model(kFloat32, kInt8), [](ModelSpec& m) { m.tensors[1].scales = {0x1p-125F}; }),
              "a scale below 2^-124 is not supported");
    EXPECT_EQ(refusal(model(kUint8, kInt8), [](ModelSpec& m) { m.tensors[0].zero_points = {256}; }),
              "'x': its zero point 256 is outside its type");
}

TEST(ImportDequantize, BytesAndInt16) {
    const ModelSpec model = one_operator(6, {tensor("x", {4}, 0.5F, 200, kUint8), tensor("y", {4}, 1.0F, 0, kFloat32)});
    const auto a = only_launch<refdev::DequantizeArguments>(import(model), refdev::KernelId::kDequantize);
    EXPECT_EQ(a.type, refdev::kTypeUint8);
    EXPECT_EQ(a.zero_point, 200);
    EXPECT_EQ(a.scale, 0x3F00'0000U);
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[0].type = kInt32; }),
              "int32 input is not supported; int8, int16, uint8 are");
    EXPECT_EQ(refusal(model, [](ModelSpec& m) { m.tensors[1].type = kInt8; }),
              "int8 output is not supported; float32 is");
}

// Every table is the real function to within a step, for the scheme rounds twice; goldens say that it is exact.
TEST(ByteTables, AreCloseToTheRealFunctions) {
    const Affine from{0.05F, 3};
    const Affine to{0.04F, -7};
    const auto check = [&](const std::optional<ByteTable>& table, const Affine& scale,
                           const std::function<double(double)>& function, double error) {
        ASSERT_TRUE(table.has_value());
        for (std::int32_t value = -128; value <= 127; ++value) {
            const double x = static_cast<double>(from.scale) * (value - from.zero_point);
            const double real = (function(x) / static_cast<double>(scale.scale)) + scale.zero_point;
            ASSERT_NEAR(table->at(static_cast<std::uint8_t>(value)), std::clamp(real, -128.0, 127.0), error) << value;
        }
    };
    check(logistic_table(from), {1.0F / 256.0F, -128}, [](double x) { return 1.0 / (1.0 + std::exp(-x)); }, 0.6);
    check(tanh_table(from), {1.0F / 128.0F, 0}, [](double x) { return std::tanh(x); }, 0.6);
    check(
        hard_swish_table(from, to), to, [](double x) { return x * std::min(std::max(x + 3.0, 0.0), 6.0) / 6.0; }, 1.1);
    check(elu_table(from, to), to, [](double x) { return (x < 0.0) ? (std::exp(x) - 1.0) : x; }, 0.8);
    check(exp_table(from, to), to, [](double x) { return std::exp(x); }, 0.6);
    check(abs_table(from, to), to, [](double x) { return std::abs(x); }, 0.8);
    check(
        relu_table(from, to, ActivationRange{to.zero_point, 127}), to, [](double x) { return std::max(x, 0.0); }, 0.8);
    check(leaky_relu_table(from, to, -0.3F), to, [](double x) { return (x < 0.0) ? (-0.3 * x) : x; }, 0.8);
    check(requantize_table(from, true, to, true), to, [](double x) { return x; }, 0.8);
    check(rsqrt_table(from, to), to, [](double x) { return (x > 0.0) ? (1.0 / std::sqrt(x)) : 1.0e9; }, 0.6);
}

TEST(ByteTables, ScalesThatTheArithmeticHasNotAreNone) {
    EXPECT_FALSE(logistic_table({1.0e-30F, 0}).has_value());
    EXPECT_FALSE(hard_swish_table({1.0F, 0}, {1.0e-3F, 0}).has_value());  // the output's shift would be to the left
    EXPECT_FALSE(abs_table({1.0e30F, 0}, {1.0e-3F, 0}).has_value());
}

}  // namespace
}  // namespace pianola::tflite
