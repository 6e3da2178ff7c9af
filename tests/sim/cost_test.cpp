// Virtual time: a step takes exactly the cycles that the plan has proved, in every mode.
#include <gtest/gtest.h>

#include <array>

#include "tests/models/replay.h"
#include "tests/tflite/shared_models.h"

namespace pianola::sim {
namespace {

constexpr std::array<const char*, 4> kModels{"ad01_int8", "kws_ref_model", "hello_world_int8", "str_ww_ref_model"};
constexpr std::uint32_t kSteps = 5U;

TEST(Cost, AStepTakesTheCyclesThatWereProved) {
    if (tflite::models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    for (const char* const model : kModels) {
        for (const std::uint32_t queues : {1U, 2U}) {
            for (const Threading threading : {Threading::kInProcess, Threading::kThreaded}) {
                SimOptions options;
                options.threading = threading;
                replay::Player player{
                    replay::capture_model(tflite::models_dir() / model / "model.tflite", replay::with_queues(queues)),
                    options};
                for (std::uint32_t step = 0U; step < kSteps; ++step) {
                    const std::uint64_t before = player.device().now_cycles();
                    (void)player.run(player.seeded_inputs(step + 1U));
                    ASSERT_EQ(player.device().now_cycles() - before, player.plan().step.cycles)
                        << model << " step " << step;
                }
                EXPECT_EQ(player.session().steps_completed(), kSteps);
                EXPECT_EQ(player.platform().watchdog_services(), kSteps);
            }
        }
    }
}

// With two queues the events order the work: the trace starts after the inputs are there, the outputs leave after it.
TEST(Cost, EventsOrderTwoQueues) {
    if (tflite::models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    SimOptions options;
    options.keep_log = true;
    replay::Player player{
        replay::capture_model(tflite::models_dir() / "kws_ref_model" / "model.tflite", replay::with_queues(2U)),
        options};
    player.device().clear_log();
    (void)player.run(player.seeded_inputs(1U));
    std::uint64_t inputs_written = 0U;
    std::uint64_t trace_started = 0U;
    std::uint64_t trace_ended = 0U;
    std::uint64_t output_started = 0U;
    for (const refdev::ExecutedCommand& command : player.device().log(1U)) {
        inputs_written = (command.opcode == refdev::Opcode::kWrite) ? command.end_cycles : inputs_written;
        output_started = (command.opcode == refdev::Opcode::kRead) ? command.start_cycles : output_started;
    }
    for (const refdev::ExecutedCommand& command : player.device().log(0U)) {
        trace_started = (command.opcode == refdev::Opcode::kReplay) ? command.start_cycles : trace_started;
        trace_ended = (command.opcode == refdev::Opcode::kEnd) ? command.end_cycles : trace_ended;
    }
    EXPECT_GT(inputs_written, 0U);
    EXPECT_GE(trace_started, inputs_written);
    EXPECT_GT(trace_ended, trace_started);
    EXPECT_GE(output_started, trace_ended);
}

}  // namespace
}  // namespace pianola::sim
