// What the importer does with unusual graphs, and what it says about those that it refuses.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "capture_host/tflite/import.h"
#include "tests/tflite/model_builder.h"
#include "tests/tflite/one_import.h"

namespace pianola::tflite {
namespace {

constexpr std::int32_t kRnn = 24;
constexpr std::int32_t kQuantize = 114;
constexpr std::int32_t kRfft2d = 131;

// x -> QUANTIZE -> y
ModelSpec small_model() {
    ModelSpec model;
    model.tensors = {TensorSpec{"x", {1, 4}}, TensorSpec{"y", {1, 4}}};
    model.operators = {OperatorSpec{kQuantize, {0}, {1}}};
    model.inputs = {0};
    model.outputs = {1};
    return model;
}

capture::Recorder import_bytes(const std::vector<std::uint8_t>& file) {
    capture::Recorder recorder;
    import_model(Span<const std::uint8_t>{file.data(), file.size()}, "name", {}, recorder);
    return recorder;
}

std::string refusal(const ModelSpec& model) {
    try {
        static_cast<void>(import(model));
    } catch (const ImportError& error) {
        return error.what();
    }
    return "imported";
}

std::vector<std::string> labels(const capture::Recorder& recorder) {
    std::vector<std::string> result;
    for (const capture::Launch& launch : recorder.launches()) {
        result.push_back(launch.label);
    }
    return result;
}

std::string operand_name(const capture::Recorder& recorder, std::size_t launch, std::size_t operand) {
    return recorder.buffer(recorder.launches().at(launch).operands.at(operand).buffer).name;
}

using Labels = std::vector<std::string>;

TEST(ImportGraph, SmallModel) {
    const capture::Recorder recorder = import(small_model());
    EXPECT_EQ(labels(recorder), Labels{"0 QUANTIZE"});
    ASSERT_EQ(recorder.buffers().size(), 2U);
    EXPECT_EQ(recorder.buffers()[0].role, capture::BufferRole::kInput);
    EXPECT_EQ(recorder.buffers()[1].role, capture::BufferRole::kOutput);
    EXPECT_EQ(recorder.source_name(), "name");
    // count 4, zero points 0, multiplier 1.0 as 2^30 and shift 1
    const std::vector<std::uint32_t> arguments{0U, 0U, 4U, 0U, 1U << 30U, 1U, 0U};
    EXPECT_EQ(recorder.launches()[0].arguments, arguments);
}

TEST(ImportGraph, OldFilesHaveOnlyTheDeprecatedCode) {
    ModelSpec model = small_model();
    model.deprecated_codes = true;
    EXPECT_EQ(labels(import(model)), Labels{"0 QUANTIZE"});
    model.operators[0].code = kRfft2d;
    model.deprecated_codes = false;
    EXPECT_EQ(refusal(model), "operator 0 (RFFT2D): not supported");
}

TEST(ImportGraph, ReshapeOfActivationsNeedsNoCommand) {
    ModelSpec model = small_model();
    model.tensors.push_back(TensorSpec{"z", {4}});
    model.tensors.push_back(TensorSpec{"out", {4}});
    model.operators.push_back(OperatorSpec{kReshape, {1}, {2}});
    model.operators.push_back(OperatorSpec{kQuantize, {2}, {3}});
    model.outputs = {3};
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(labels(recorder), (Labels{"0 QUANTIZE", "2 QUANTIZE"}));
    EXPECT_EQ(operand_name(recorder, 0U, 1U), "y");
    EXPECT_EQ(operand_name(recorder, 1U, 0U), "y");
}

TEST(ImportGraph, ReshapeOfAnInputReadsTheInput) {
    ModelSpec model = small_model();
    model.tensors.push_back(TensorSpec{"flat", {4}});
    model.tensors[1].shape = {4};
    model.operators = {OperatorSpec{kReshape, {0}, {2}}, OperatorSpec{kQuantize, {2}, {1}}};
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(labels(recorder), Labels{"1 QUANTIZE"});
    EXPECT_EQ(operand_name(recorder, 0U, 0U), "x");
}

TEST(ImportGraph, ReshapeToAnOutputIsWrittenThere) {
    ModelSpec model = small_model();
    model.tensors.push_back(TensorSpec{"flat", {4}});
    model.operators.push_back(OperatorSpec{kReshape, {1}, {2}});
    model.outputs = {2};
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(labels(recorder), Labels{"0 QUANTIZE"});
    EXPECT_EQ(operand_name(recorder, 0U, 1U), "flat");
}

TEST(ImportGraph, ReshapeFromInputToOutputIsACopy) {
    ModelSpec model = small_model();
    model.operators = {OperatorSpec{kReshape, {0}, {1}}};
    const capture::Recorder recorder = import(model);
    ASSERT_EQ(labels(recorder), Labels{"output 0"});
    EXPECT_EQ(recorder.launches()[0].kind, CommandKind::kCopy);
    EXPECT_EQ(recorder.launches()[0].arguments, (std::vector<std::uint32_t>{0U, 0U, 4U}));
    EXPECT_EQ(operand_name(recorder, 0U, 0U), "y");
    EXPECT_EQ(operand_name(recorder, 0U, 1U), "x");
}

TEST(ImportGraph, OutputThatIsReadLaterIsACopy) {
    ModelSpec model = small_model();
    model.tensors.push_back(TensorSpec{"z", {1, 4}});
    model.operators.push_back(OperatorSpec{kQuantize, {1}, {2}});
    model.outputs = {1, 2};
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(labels(recorder), (Labels{"0 QUANTIZE", "1 QUANTIZE", "output 0"}));
    EXPECT_EQ(recorder.buffer(recorder.launches()[1].operands[0].buffer).role, capture::BufferRole::kActivation);
}

TEST(ImportGraph, OutputTwiceIsTwoCopiesWithTwoNames) {
    ModelSpec model = small_model();
    model.outputs = {1, 1};
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(labels(recorder), (Labels{"0 QUANTIZE", "output 0", "output 1"}));
    EXPECT_EQ(operand_name(recorder, 1U, 0U), "y");
    EXPECT_EQ(operand_name(recorder, 2U, 0U), "y#2");
}

TEST(ImportGraph, OutputThatIsAnInputOrConstantIsACopy) {
    ModelSpec model = small_model();
    model.contents = {{1U, 2U, 3U}};
    model.tensors.push_back(TensorSpec{"c", {3}, 1U});
    model.outputs = {0, 1, 2};
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(labels(recorder), (Labels{"0 QUANTIZE", "output 0", "output 2"}));
    EXPECT_EQ(recorder.buffer(recorder.launches()[1].operands[1].buffer).role, capture::BufferRole::kInput);
    EXPECT_EQ(recorder.buffer(recorder.launches()[2].operands[1].buffer).role, capture::BufferRole::kConstant);
}

TEST(ImportGraph, ConstantsOfEqualContentsAreStoredOnce) {
    ModelSpec model = small_model();
    model.contents = {{1U, 2U, 3U, 4U}, {1U, 2U, 3U, 4U}};
    model.tensors[0].buffer = 1U;
    model.tensors.push_back(TensorSpec{"c", {1, 4}, 2U});
    model.tensors.push_back(TensorSpec{"in", {1}});
    model.operators = {OperatorSpec{kAdd, {0, 2}, {1}, 11U}};
    model.inputs = {3};
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(recorder.launches()[0].operands[0].buffer, recorder.launches()[0].operands[1].buffer);
}

TEST(ImportGraph, NamesArePrintableAndUnique) {
    ModelSpec model = small_model();
    model.tensors[0].name = "a\n\xFF" + std::string(200U, 'b');
    model.tensors[1].name = model.tensors[0].name;
    const capture::Recorder recorder = import(model);
    EXPECT_EQ(recorder.buffers()[0].tensor.name, "a??" + std::string(125U, 'b'));
    EXPECT_EQ(recorder.buffers()[1].tensor.name, "a??" + std::string(123U, 'b') + "#2");
}

TEST(ImportRefusals, UnsupportedOperatorIsNamedBesideWhatIsWrongWithOthers) {
    ModelSpec model = small_model();
    model.operators[0].inputs = {99};
    model.operators.push_back(OperatorSpec{kRnn, {1}, {1}});
    const std::string first = "operator 0 (QUANTIZE): tensor 99 does not exist\n";
    EXPECT_EQ(refusal(model), first + "operator 1 (RNN): not supported");
    model.operators[1].code = 999;
    EXPECT_EQ(refusal(model), first + "operator 1 (BUILTIN_999): not supported");
}

TEST(ImportRefusals, ErrorCarriesItsParts) {
    ModelSpec model = small_model();
    model.operators[0].code = kRnn;
    try {
        static_cast<void>(import(model));
        FAIL();
    } catch (const ImportError& error) {
        EXPECT_EQ(error.operator_index(), std::optional<std::uint32_t>{0U});
        EXPECT_EQ(error.operator_name(), "RNN");
        EXPECT_EQ(error.missing(), "not supported");
    }
}

TEST(ImportRefusals, Order) {
    ModelSpec model = small_model();
    model.operators.push_back(OperatorSpec{kQuantize, {0}, {1}});
    EXPECT_EQ(refusal(model), "operator 1 (QUANTIZE): writes 'y', which is constant, an input, or written already");
    model.operators = {OperatorSpec{kQuantize, {1}, {1}}};
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): reads 'y' before it is written");
    model.operators = {OperatorSpec{kQuantize, {0}, {0}}};
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): writes 'x', which is constant, an input, or written already");
    model.operators.clear();
    EXPECT_EQ(refusal(model), "graph output 'y' is never written");
}

TEST(ImportRefusals, GraphInputsAndOutputs) {
    ModelSpec model = small_model();
    model.inputs = {0, 0};
    EXPECT_EQ(refusal(model), "graph input 'x' is constant, or an input twice");
    model.inputs = {2};
    EXPECT_EQ(refusal(model), "the graph's inputs name tensor 2, which does not exist");
    model.inputs = {-1};
    EXPECT_EQ(refusal(model), "the graph's inputs name tensor -1, which does not exist");
    model.inputs.clear();
    EXPECT_EQ(refusal(model), "the graph has no inputs");
    model = small_model();
    model.outputs.assign(100U, 1);
    EXPECT_NE(refusal(model).find("graph outputs are not supported"), std::string::npos);
    model = small_model();
    model.contents = {{1U, 2U, 3U, 4U}};
    model.tensors[0].buffer = 1U;
    EXPECT_EQ(refusal(model), "graph input 'x' is constant, or an input twice");
}

TEST(ImportRefusals, OperandsThatDoNotExist) {
    ModelSpec model = small_model();
    model.operators[0].inputs = {2};
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): tensor 2 does not exist");
    model.operators[0].inputs = {-2};
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): names tensor -2");
    model.operators[0].inputs = {-1};
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): its input is missing");
    model.operators[0].inputs = {};
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): 0 inputs are not supported");
    model.operators[0] = OperatorSpec{kQuantize, {0}, {}};
    EXPECT_EQ(refusal(model),
              "operator 0 (QUANTIZE): 0 outputs are not supported; 1 is\ngraph output 'y' is never written");
    model.operators[0] = OperatorSpec{kQuantize, {0}, {-1}};
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): names tensor -1");
    model.operators[0] = OperatorSpec{kQuantize, std::vector<std::int32_t>(65U, 0), {1}};
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): more than 64 operands");
}

TEST(ImportRefusals, Quantisation) {
    const std::string prefix = "operator 0 (QUANTIZE): ";
    const auto with_output = [](std::vector<float> scales, std::vector<std::int64_t> zero_points) {
        ModelSpec model = small_model();
        model.tensors[1].scales = std::move(scales);
        model.tensors[1].zero_points = std::move(zero_points);
        return refusal(model);
    };
    EXPECT_EQ(with_output({}, {}), prefix + "its output has no quantisation");
    EXPECT_EQ(with_output({0.5F}, {}), prefix + "'y': the number of its zero points differs from that of its scales");
    EXPECT_EQ(with_output({0.5F}, {128}), prefix + "'y': its zero point 128 is outside its type");
    EXPECT_EQ(with_output({0.5F}, {-129}), prefix + "'y': its zero point -129 is outside its type");
    for (const float scale :
         {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        EXPECT_EQ(with_output({scale}, {0}), prefix + "'y': one of its scales is not a positive number") << scale;
    }
    EXPECT_EQ(with_output({0.5F, 0.5F}, {0, 0}),
              prefix + "'y': the number of its scales differs from its quantised dimension");
    EXPECT_EQ(with_output({1.0e-30F}, {0}), prefix + "the ratio of its scales is out of range");
}

TEST(ImportRefusals, ScalePerChannelOfAnActivation) {
    ModelSpec model = small_model();
    model.tensors[1].scales.assign(4U, 0.5F);
    model.tensors[1].zero_points.assign(4U, 0);
    model.tensors[1].dimension = 1;
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): more than one scale for its output is not supported");
    model.tensors[1].dimension = 2;
    EXPECT_EQ(refusal(model), "operator 0 (QUANTIZE): 'y': its quantised dimension 2 does not exist");
}

TEST(ImportRefusals, Tensors) {
    const auto with_output = [](const TensorSpec& tensor) {
        ModelSpec model = small_model();
        model.contents = {{1U}};
        model.tensors[1] = tensor;
        return refusal(model);
    };
    const std::string prefix = "operator 0 (QUANTIZE): ";
    EXPECT_EQ(with_output(TensorSpec{"y", {1, -1}}), prefix + "'y': dynamic dimensions are not supported");
    EXPECT_EQ(with_output(TensorSpec{"y", {1, 0}}), prefix + "'y': empty tensors are not supported");
    EXPECT_EQ(with_output(TensorSpec{"y", std::vector<std::int32_t>(9U, 1)}),
              prefix + "'y': more than 8 dimensions are not supported");
    EXPECT_EQ(with_output(TensorSpec{"y", std::vector<std::int32_t>(8U, INT32_MAX)}),
              prefix + "'y': tensors above 67108864 bytes are not supported");
    EXPECT_EQ(with_output(TensorSpec{"y", {4}, 1U}),
              prefix + "'y': its buffer 1 holds 1 bytes where its shape needs 4");
    EXPECT_EQ(with_output(TensorSpec{"y", {4}, 7U}), prefix + "'y': its buffer 7 does not exist");
    EXPECT_EQ(with_output(TensorSpec{"y", {4}, 0U, 0}),
              prefix + "float32 output is not supported; int8, int16, int32, uint8 are");
    EXPECT_EQ(with_output(TensorSpec{"y", {4}, 0U, 4}), prefix + "'y': int64 is not supported");
    EXPECT_EQ(with_output(TensorSpec{"y", {5}}), prefix + "its input and output differ in shape");
    TensorSpec variable{"y", {1, 4}};
    variable.is_variable = true;
    EXPECT_EQ(with_output(variable), prefix + "'y': variable tensors are not supported as outputs");
}

// Whoever writes to it would write outside the memory of the smaller one.
TEST(ImportRefusals, ReshapeToAnotherSize) {
    constexpr std::int32_t kConcatenation = 2;
    ModelSpec model;
    model.tensors = {TensorSpec{"x", {20}}, TensorSpec{"joined", {100}}, TensorSpec{"y", {10}}};
    model.operators = {OperatorSpec{kConcatenation, {0, 0, 0, 0, 0}, {1}}, OperatorSpec{kReshape, {1}, {2}}};
    model.inputs = {0};
    model.outputs = {2};
    EXPECT_EQ(refusal(model), "operator 1 (RESHAPE): its input and output differ in size");
}

TEST(ImportRefusals, TooManyBytesOfActivations) {
    ModelSpec model = small_model();
    model.tensors.clear();
    model.operators.clear();
    for (std::int32_t i = 0; i < 5; ++i) {
        model.tensors.push_back(TensorSpec{"t" + std::to_string(i), {1 << 25}});
        if (i > 0) {
            model.operators.push_back(OperatorSpec{kQuantize, {i - 1}, {i}});
        }
    }
    model.outputs = {4};
    EXPECT_EQ(refusal(model),
              "operator 2 (QUANTIZE): more than 67108864 bytes of activations\n"
              "operator 3 (QUANTIZE): more than 67108864 bytes of activations");
}

TEST(ImportRefusals, Options) {
    ModelSpec model = small_model();
    for (const std::int32_t code : {kAdd, 18, 41}) {  // MUL and SUB
        model.operators = {OperatorSpec{code, {0, 0}, {1}}};
        EXPECT_EQ(refusal(model), "imported") << code;
    }
    model.operators = {OperatorSpec{kAdd, {0, 0}, {1}}};
    model.operators[0].options_type = 1U;  // those of CONV_2D
    EXPECT_EQ(refusal(model), "operator 0 (ADD): its options are missing");
    model.operators[0].options_type = 11U;
    EXPECT_EQ(refusal(model), "imported");
}

// The first graph is the model; others are looked at where an operator names them.
TEST(ImportRefusals, NoGraphAndOtherVersions) {
    ModelSpec model = small_model();
    model.subgraphs = 2U;
    EXPECT_EQ(refusal(model), "imported");
    model.subgraphs = 0U;
    EXPECT_EQ(refusal(model), "the model has no graph");
    model = small_model();
    model.version = 2U;
    EXPECT_EQ(refusal(model), "format version 2 is not supported; 3 is");
}

TEST(ImportRefusals, OtherFiles) {
    const auto what = [](const std::vector<std::uint8_t>& file) {
        try {
            static_cast<void>(import_bytes(file));
        } catch (const ImportError& error) {
            return std::string{error.what()};
        }
        return std::string{"imported"};
    };
    EXPECT_EQ(what({}), "not a TFLite file: it has 0 bytes");
    EXPECT_EQ(what(std::vector<std::uint8_t>(64U, 0U)), "not a TFLite file: the identifier TFL3 is missing");
    std::vector<std::uint8_t> file = build_model(small_model());
    file.resize(file.size() / 2U);
    EXPECT_EQ(what(file), "not a TFLite file: its FlatBuffer is damaged");
}

}  // namespace
}  // namespace pianola::tflite
