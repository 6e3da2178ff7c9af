// What becomes of variables and of layers with state: memory that outlives steps, and its first contents; or a refusal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/tflite/flat_device.h"
#include "tests/tflite/one_import.h"

namespace pianola::tflite {
namespace {

constexpr std::int32_t kSvdf = 27;
constexpr std::int32_t kCallOnce = 129;
constexpr std::int32_t kVarHandle = 142;
constexpr std::int32_t kReadVariable = 143;
constexpr std::int32_t kAssignVariable = 144;
constexpr std::int8_t kResource = 13;

// Gives what the step before was given.
ModelSpec delay() {
    ModelSpec model;
    model.tensors = {TensorSpec{"x", {1, 4}}, TensorSpec{"handle", {}, 0U, kResource, {}, {}}, TensorSpec{"y", {1, 4}}};
    for (const std::size_t tensor : {0U, 2U}) {
        model.tensors[tensor].zero_points = {-7};
    }
    model.operators = {OperatorSpec{kVarHandle, {}, {1}}, OperatorSpec{kReadVariable, {1}, {2}},
                       OperatorSpec{kAssignVariable, {1, 0}, {}}};
    model.inputs = {0};
    model.outputs = {2};
    return model;
}

// An SVDF layer of two filters that remember two steps.
ModelSpec svdf() {
    ModelSpec model;
    model.tensors = {TensorSpec{"x", {1, 3}},           TensorSpec{"features", {2, 3}, 1U},
                     TensorSpec{"weights", {2, 2}, 2U}, TensorSpec{"bias", {2}, 3U, kInt32, {0.25F}},
                     TensorSpec{"memory", {1, 4}},      TensorSpec{"y", {1, 2}}};
    model.tensors[4].is_variable = true;
    model.operators = {OperatorSpec{kSvdf, {0, 1, 2, 3, 4}, {5}, 6U, {{0U, 1, false}}}};
    model.inputs = {0};
    model.outputs = {5};
    model.contents = {{1U, 2U, 3U, 4U, 5U, 6U}, {1U, 2U, 3U, 4U}, words({10, 20})};
    return model;
}

std::string why_not(ModelSpec model, const std::function<void(ModelSpec&)>& change) {
    change(model);
    try {
        static_cast<void>(import(model));
    } catch (const ImportError& error) {
        return error.what();
    }
    return "imported";
}

std::size_t only(const capture::Recorder& recorder, capture::BufferRole role) {
    std::size_t found = recorder.buffers().size();
    for (std::size_t i = 0U; i < recorder.buffers().size(); ++i) {
        found = (recorder.buffers()[i].role == role) ? i : found;
    }
    EXPECT_LT(found, recorder.buffers().size());
    return found;
}

TEST(ImportState, AVariableIsTheNumberZeroAndThenWhatWasAssigned) {
    const capture::Recorder recorder = import(delay());
    FlatDevice device{recorder};
    device.reset();
    std::vector<std::uint8_t> before(4U, static_cast<std::uint8_t>(-7));
    for (std::uint8_t step = 0U; step < 5U; ++step) {
        const std::vector<std::uint8_t> given{step, 1U, static_cast<std::uint8_t>(100U - step), 0x80U};
        std::copy(given.begin(), given.end(), device.bytes(only(recorder, capture::BufferRole::kInput)));
        device.run();
        const std::uint8_t* const output = device.bytes(only(recorder, capture::BufferRole::kOutput));
        EXPECT_EQ(std::vector<std::uint8_t>(output, output + 4), before) << static_cast<int>(step);
        before = given;
    }
}

// Each byte, of every type, as the reference fills memory.
TEST(ImportState, AVariableOfWiderTypesIsItsZeroPointByteByByte) {
    constexpr std::int8_t kUint8 = 3;
    ModelSpec model = delay();
    for (const std::size_t tensor : {0U, 2U}) {
        model.tensors[tensor].type = kUint8;
        model.tensors[tensor].zero_points = {128};
    }
    const capture::Recorder recorder = import(model);
    FlatDevice device{recorder};
    device.reset();
    device.run();
    const std::uint8_t* const output = device.bytes(only(recorder, capture::BufferRole::kOutput));
    EXPECT_EQ(std::vector<std::uint8_t>(output, output + 4), std::vector<std::uint8_t>(4U, 0x80U));
}

// By hand: with all scales 1/2, a filter's result is its sum / 2, and the output's (bias + sums) / 2.
TEST(ImportState, AnSvdfLayerRemembers) {
    const capture::Recorder recorder = import(svdf());
    FlatDevice device{recorder};
    device.reset();
    std::uint8_t* const input = device.bytes(only(recorder, capture::BufferRole::kInput));
    const auto step = [&](std::uint8_t first) {
        std::copy_n(std::vector<std::uint8_t>{first, 0U, 0U}.begin(), 3U, input);
        device.run();
        const std::uint8_t* const output = device.bytes(only(recorder, capture::BufferRole::kOutput));
        return std::vector<int>{output[0], output[1]};
    };
    EXPECT_EQ(step(4U), (std::vector<int>{(10 + (2 * 2)) / 2, (20 + (4 * 8)) / 2}));
    EXPECT_EQ(step(2U), (std::vector<int>{(10 + (1 * 2) + (2 * 1)) / 2, (20 + (3 * 8) + (4 * 4)) / 2}));
    EXPECT_EQ(step(0U), (std::vector<int>{(10 + (1 * 1) + 1) / 2, (20 + (3 * 4)) / 2}));
}

TEST(ImportState, RefusesWhatItCannotKeep) {
    EXPECT_EQ(why_not(delay(), [](ModelSpec& model) { model.inputs = {0, 1}; }),
              "graph input 'handle': a variable is not supported");
    EXPECT_EQ(why_not(delay(), [](ModelSpec& model) { model.outputs = {2, 1}; }),
              "graph output 'handle': a variable is not supported");
    EXPECT_EQ(why_not(delay(), [](ModelSpec& model) { model.operators[0].code = kAdd; }),
              "operator 0 (ADD): 'handle': resource is not supported\n"
              "operator 1 (READ_VARIABLE): its handle is no VAR_HANDLE's\n"
              "operator 2 (ASSIGN_VARIABLE): its handle is no VAR_HANDLE's");
    EXPECT_EQ(why_not(delay(), [](ModelSpec& model) { model.tensors[2].shape = {1, 5}; }),
              "operator 2 (ASSIGN_VARIABLE): a variable of several types or sizes is not supported");
    EXPECT_EQ(why_not(delay(), [](ModelSpec& model) { model.tensors[1].type = kInt32; }),
              "operator 0 (VAR_HANDLE): a handle that is no resource is not supported");
    EXPECT_EQ(why_not(svdf(), [](ModelSpec& model) { model.tensors[4].is_variable = false; }),
              "operator 0 (SVDF): reads 'memory' before it is written");
    EXPECT_EQ(why_not(svdf(),
                      [](ModelSpec& model) {
                          model.tensors.push_back(TensorSpec{"z", {1, 2}});
                          model.operators.push_back(model.operators[0]);
                          model.operators[1].outputs = {6};
                      }),
              "operator 1 (SVDF): 'memory': a variable tensor of two operators is not supported");
    EXPECT_EQ(why_not(svdf(),
                      [](ModelSpec& model) {
                          model.tensors.push_back(TensorSpec{"kept", {1, 3}});
                          model.tensors.back().is_variable = true;
                          model.operators[0].inputs[0] = 6;
                      }),
              "operator 0 (SVDF): reads 'kept' before it is written");
    EXPECT_EQ(why_not(svdf(), [](ModelSpec& model) { model.operators[0].outputs = {4}; }),
              "operator 0 (SVDF): 'memory': variable tensors are not supported as outputs");
    EXPECT_EQ(why_not(svdf(), [](ModelSpec& model) { model.tensors[4].shape = {1, 6}; }),
              "operator 0 (SVDF): the shape of its memory or output does not follow from its operands");
    EXPECT_EQ(why_not(svdf(), [](ModelSpec& model) { model.operators[0].options[0].value = 0; }),
              "operator 0 (SVDF): only operands of rank 2 are supported");
    EXPECT_EQ(why_not(svdf(), [](ModelSpec& model) { model.tensors[1].zero_points = {1}; }),
              "operator 0 (SVDF): weights with several scales or a zero point are not supported");
}

// The delay, whose variable is 5, 6, 7 and 8 at first.
ModelSpec initialised_delay() {
    ModelSpec model = delay();
    model.operators.insert(model.operators.begin(), OperatorSpec{kCallOnce, {}, {}, 103U, {{0U, 1}}});
    model.contents = {{5U, 6U, 7U, 8U}};
    ModelSpec graph;
    graph.tensors = {TensorSpec{"inner", {}, 0U, kResource, {}, {}}, TensorSpec{"start", {1, 4}, 1U}};
    graph.tensors[1].zero_points = {-7};
    graph.operators = {OperatorSpec{kVarHandle, {}, {0}}, OperatorSpec{kAssignVariable, {0, 1}, {}}};
    model.more_graphs = {graph};
    return model;
}

TEST(ImportState, AGraphSaysWhatAVariableIsAtFirst) {
    const capture::Recorder recorder = import(initialised_delay());
    FlatDevice device{recorder};
    device.reset();
    device.run();
    const std::uint8_t* const output = device.bytes(only(recorder, capture::BufferRole::kOutput));
    EXPECT_EQ(std::vector<std::uint8_t>(output, output + 4), (std::vector<std::uint8_t>{5U, 6U, 7U, 8U}));
}

// What is refused in the captured graph is refused in one that initialises variables, in the same words.
TEST(ImportState, RefusesGraphsThatInitialiseVariablesOtherwise) {
    const auto refused = [](const std::function<void(ModelSpec&)>& change) {
        return refusal(initialised_delay(), [&](ModelSpec& model) { change(model.more_graphs[0]); });
    };
    const std::string assign = "its graph has ASSIGN_VARIABLE: ";
    const std::string handle = "its graph has VAR_HANDLE: ";
    EXPECT_EQ(refused([](ModelSpec&) {}), "imported");
    EXPECT_EQ(refused([](ModelSpec& g) { g.inputs = {1}; }), "graph 1 has 1 inputs and 0 outputs; none are supported");
    EXPECT_EQ(refused([](ModelSpec& g) { g.outputs = {99, 0}; }),
              "graph 1 has 0 inputs and 2 outputs; none are supported");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[0].inputs = {1}; }), handle + "1 inputs are not supported");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[0].inputs = {99}; }), handle + "tensor 99 does not exist");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[0].inputs = {-1}; }), handle + "1 inputs are not supported");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[0].outputs = {99}; }), handle + "tensor 99 does not exist");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators = {OperatorSpec{kVarHandle, {}, {}}}; }),
              handle + "0 outputs are not supported; 1 is");
    EXPECT_EQ(refused([](ModelSpec& g) {
                  g.tensors.push_back(TensorSpec{"more", {}, 0U, kResource, {}, {}});
                  g.operators = {OperatorSpec{kVarHandle, {}, {0, 2}}};
              }),
              handle + "2 outputs are not supported; 1 is");
    EXPECT_EQ(refused([](ModelSpec& g) { g.tensors[0] = TensorSpec{"inner", {1}, 0U, kInt32}; }),
              handle + "a handle that is no resource is not supported");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[0].outputs = {1}; }),
              handle + "writes 'start', which is constant, an input, or written already");
    EXPECT_EQ(refused([](ModelSpec& g) {
                  g.tensors[0].shape = {1, 4};
                  g.tensors[0].buffer = 1U;
              }),
              handle + "'inner': contents of a variable are not supported");
    EXPECT_EQ(refused([](ModelSpec& g) { std::swap(g.operators[0], g.operators[1]); }),
              assign + "reads 'inner' before it is written");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[1].inputs = {1, 1}; }), assign + "its handle is no VAR_HANDLE's");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[1].inputs = {-1, 1}; }), assign + "its handle is no VAR_HANDLE's");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[1].inputs = {0, 1, 1}; }), assign + "3 inputs are not supported");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[1].inputs = {0}; }), assign + "1 inputs are not supported");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[1].inputs = {0, 99}; }), assign + "tensor 99 does not exist");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[1].inputs = {99, 1}; }), assign + "tensor 99 does not exist");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[1].inputs = {0, -1}; }), assign + "its value is missing");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[1].inputs = {0, 0}; }),
              assign + "'inner': resource is not supported");
    EXPECT_EQ(refused([](ModelSpec& g) { g.tensors[1].buffer = 0U; }), assign + "reads 'start' before it is written");
    EXPECT_EQ(refused([](ModelSpec& g) { g.tensors[1].scales = {0.5F, 0.5F}; }),
              assign + "'start': the number of its zero points differs from that of its scales");
    EXPECT_EQ(refused([](ModelSpec& g) {
                  g.tensors.push_back(TensorSpec{"z", {1}});
                  g.operators[1].outputs = {2};
              }),
              assign + "1 outputs are not supported; 0 are");
    EXPECT_EQ(refused([](ModelSpec& g) { g.operators[1].code = kReadVariable; }),
              "its graph has READ_VARIABLE; assignments to variables are supported");
    EXPECT_EQ(refusal(initialised_delay(), [](ModelSpec& model) { model.operators[0].options = {}; }),
              "graph 0 has 1 inputs and 1 outputs; none are supported");
}

}  // namespace
}  // namespace pianola::tflite
