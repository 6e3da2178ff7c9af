// Outputs that are written in parts, and parts that nobody reads, from a model to its replay: what the planner, the
// linker and the runtime's proof make of them.
#include <gtest/gtest.h>

#include "tests/models/replay.h"
#include "tests/tflite/model_builder.h"

namespace pianola {
namespace {

using replay::Bytes;
using replay::Tensors;

Tensors replayed(const tflite::ModelSpec& model, const Tensors& inputs) {
    const Bytes file = tflite::build_model(model);
    capture::Recorder recorder;
    tflite::import_model(ByteSpan{file.data(), file.size()}, "parts", {}, recorder);
    sim::SimOptions options;
    options.check_accesses = true;
    replay::Player player{capture::capture_workload(recorder, {}).file, options};
    const Tensors outputs = player.run(inputs);
    EXPECT_EQ(player.device().access_violations(), 0U);
    return outputs;
}

// Seven rows of one element: two launches write one buffer; the axis between makes 3 inputs go through a temporary.
TEST(Parts, JoinsOfMoreThanOneLaunch) {
    for (const std::int32_t axis : {0, 1}) {
        tflite::ModelSpec model;
        Tensors inputs;
        std::vector<std::int32_t> operands;
        const bool is_outermost = axis == 0;
        for (std::uint8_t i = 0U; i < 7U; ++i) {
            model.tensors.push_back({"x" + std::to_string(i), {is_outermost ? 1 : 2, 1}});
            operands.push_back(i);
            inputs.push_back(is_outermost ? Bytes{i} : Bytes{i, static_cast<std::uint8_t>(i + 10U)});
        }
        model.tensors.push_back(
            {"y", is_outermost ? std::vector<std::int32_t>{7, 1} : std::vector<std::int32_t>{2, 7}});
        model.operators = {tflite::OperatorSpec{2, operands, {7}, 10U, {{0U, axis}}}};
        model.inputs = operands;
        model.outputs = {7};
        const Bytes expected = is_outermost ? Bytes{0U, 1U, 2U, 3U, 4U, 5U, 6U}
                                            : Bytes{0U, 1U, 2U, 3U, 4U, 5U, 6U, 10U, 11U, 12U, 13U, 14U, 15U, 16U};
        EXPECT_EQ(replayed(model, inputs), Tensors{expected}) << axis;
    }
}

TEST(Parts, ASplitWhoseSecondOutputIsNotRead) {
    tflite::ModelSpec model;
    model.contents = {{1U, 0U, 0U, 0U}};
    model.tensors = {{"x", {2, 3}}, {"axis", {}, 1U, 2, {}, {}}, {"a", {2, 1}}, {"b", {2, 1}}, {"c", {2, 1}}};
    model.operators = {tflite::OperatorSpec{49, {1, 0}, {2, 3, 4}, 35U, {{0U, 3}}}};
    model.inputs = {0};
    model.outputs = {4, 2};
    EXPECT_EQ(replayed(model, {{1U, 2U, 3U, 4U, 5U, 6U}}), (Tensors{{3U, 6U}, {1U, 4U}}));
}

}  // namespace
}  // namespace pianola
