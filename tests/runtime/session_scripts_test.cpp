// What a session promises where a binary has more than a step: start and stop, steps that overlap, and what a fault
// does to both.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "tests/proofs/patterns.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kTensorBytes = 4U;

// One input, one output, which is the input.
SmallCase copying_case(void (*script)(SmallCase&), std::uint32_t in_flight) {
    SmallCase small = plain_memory(1U, 1U, 2U);
    small.in_flight = in_flight;
    script(small);
    return small;
}

Bytes pipeline_input(std::uint8_t seed) {
    return {seed, static_cast<std::uint8_t>(seed + 1U), static_cast<std::uint8_t>(seed * 3U), 0x80U};
}

class ScriptBench {
  public:
    explicit ScriptBench(const SmallCase& small, const sim::FaultScript& faults = {})
        : file_{binary_of(small)}, bench_{small_options(faults)} {
        EXPECT_EQ(bench_.load(file_.view()), Status::kOk) << path_text(bench_.verdict);
    }

    // Inputs are kept, because the session does not copy them.
    Status start(const Bytes& input) {
        const Bytes& kept = inputs_.emplace_back(input);
        const std::array<ByteSpan, 1> inputs{ByteSpan{kept.data(), kept.size()}};
        return bench_.session.start(Span<const ByteSpan>{inputs});
    }
    Status submit(const Bytes& input, Bytes& output) { return bench_.submit(inputs_.emplace_back(input), output); }
    Status stop(Bytes& output) {
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        return bench_.session.stop(Span<const MutableByteSpan>{outputs});
    }
    Status finish() { return bench_.session.wait(); }
    Bench& bench() { return bench_; }
    Session& session() { return bench_.session; }

  private:
    std::deque<Bytes> inputs_;
    files::AlignedBytes file_;
    Bench bench_;
};

// Between traces lie zeros of the segment, and the read-back after the set-up looks at them too.
TEST(SessionScripts, SeveralTracesLoadWhateverTheTraceRegionHeld) {
    const SmallCase small = copying_case(script_one_queue, 1U);
    ASSERT_EQ(small.traces.size(), 2U);
    const files::AlignedBytes file{binary_of(small)};
    Bench bench{small_options()};
    const refdev::DeviceSpec spec = small_device();
    std::fill_n(bench.device.memory_at(spec.dram_base, spec.dram_bytes), spec.dram_bytes, std::uint8_t{0xA5U});
    EXPECT_EQ(bench.load(file.view()), Status::kOk) << path_text(bench.verdict);
}

class PipelinedSession : public testing::TestWithParam<std::uint32_t> {};

// Outputs come one submission after their inputs; the epilogue gives the last ones.
TEST_P(PipelinedSession, GivesEveryOutputOnce) {
    ScriptBench scripts{copying_case(script_pattern_two, GetParam())};
    for (std::uint8_t cycle = 0U; cycle < 3U; ++cycle) {
        const auto seed = static_cast<std::uint8_t>(40U * cycle);
        ASSERT_EQ(scripts.start(pipeline_input(seed)), Status::kOk);
        ASSERT_EQ(scripts.finish(), Status::kOk);
        for (std::uint8_t step = 0U; step < 5U; ++step) {
            Bytes output(kTensorBytes);
            ASSERT_EQ(scripts.submit(pipeline_input(static_cast<std::uint8_t>(seed + step + 1U)), output), Status::kOk);
            ASSERT_EQ(scripts.finish(), Status::kOk);
            EXPECT_EQ(output, pipeline_input(static_cast<std::uint8_t>(seed + step)));
        }
        Bytes output(kTensorBytes);
        ASSERT_EQ(scripts.stop(output), Status::kOk);
        ASSERT_EQ(scripts.finish(), Status::kOk);
        EXPECT_EQ(output, pipeline_input(static_cast<std::uint8_t>(seed + 5U)));
    }
    EXPECT_EQ(scripts.session().steps_completed(), 15U);
    EXPECT_EQ(scripts.bench().platform.safe_state_entries(), 0U);
}

TEST_P(PipelinedSession, RefusesCallsOutOfOrder) {
    verifies({"swr~whole-steps~1"});
    ScriptBench scripts{copying_case(script_pattern_two, GetParam())};
    const Bytes input = pipeline_input(1U);
    Bytes output(kTensorBytes, 0x77U);
    Bytes late(kTensorBytes, 0x77U);
    EXPECT_EQ(scripts.submit(input, output), Status::kInvalidState);
    EXPECT_EQ(scripts.stop(output), Status::kInvalidState);
    EXPECT_EQ(scripts.session().poll(), Status::kInvalidState);
    EXPECT_EQ(scripts.start(Bytes(kTensorBytes - 1U)), Status::kInvalidArgument);
    EXPECT_EQ(scripts.session().start({}), Status::kInvalidArgument);
    EXPECT_EQ(scripts.session().reset_state(), Status::kOk);  // every start of a pipeline does what there is to do

    ASSERT_EQ(scripts.start(input), Status::kOk);
    EXPECT_EQ(scripts.start(input), Status::kInvalidState);
    EXPECT_EQ(scripts.submit(input, output), Status::kInvalidState);  // the prologue runs alone
    EXPECT_EQ(scripts.session().unload(), Status::kInvalidState);
    ASSERT_EQ(scripts.finish(), Status::kOk);
    EXPECT_EQ(scripts.start(input), Status::kInvalidState);
    EXPECT_EQ(scripts.stop(output), Status::kInvalidState);  // no step has given the outputs that come before the last
    EXPECT_EQ(scripts.bench().run(input, output), Status::kInvalidState);

    ASSERT_EQ(scripts.submit(input, output), Status::kOk);
    EXPECT_EQ(scripts.stop(late), Status::kInvalidState);  // the epilogue runs alone
    ASSERT_EQ(scripts.finish(), Status::kOk);
    EXPECT_EQ(scripts.session().stop({}), Status::kInvalidArgument);
    ASSERT_EQ(scripts.stop(late), Status::kOk);
    EXPECT_EQ(scripts.submit(input, output), Status::kInvalidState);
    ASSERT_EQ(scripts.finish(), Status::kOk);
    EXPECT_EQ(late, input);
    EXPECT_EQ(scripts.submit(input, output), Status::kInvalidState);
    EXPECT_EQ(scripts.stop(late), Status::kInvalidState);
    EXPECT_EQ(scripts.start(input), Status::kOk);
    EXPECT_EQ(scripts.bench().platform.safe_state_entries(), 0U);
}

// One inference by itself: prologue, step and epilogue.
TEST_P(PipelinedSession, RunsOneInference) {
    ScriptBench scripts{copying_case(script_pattern_two, GetParam())};
    for (std::uint8_t seed = 1U; seed < 5U; ++seed) {
        Bytes output(kTensorBytes);
        ASSERT_EQ(scripts.bench().run(pipeline_input(seed), output), Status::kOk);
        EXPECT_EQ(output, pipeline_input(seed));
    }
    EXPECT_FALSE(scripts.session().has_views());
}

INSTANTIATE_TEST_SUITE_P(StepsInFlight, PipelinedSession, testing::Values(1U, 2U, 16U));

class OverlappingSession : public testing::TestWithParam<std::uint32_t> {};

TEST_P(OverlappingSession, TakesSoManyStepsAndNoMore) {
    verifies({"swr~whole-steps~1"});
    const std::uint32_t at_once = GetParam();
    for (const auto script : {script_pattern_one, script_pattern_two}) {
        const SmallCase small = copying_case(script, at_once);
        ScriptBench scripts{small};
        const bool pipelined = small.pipelined();
        EXPECT_FALSE(scripts.session().has_views());
        ASSERT_EQ(pipelined ? scripts.start(pipeline_input(9U)) : scripts.session().start({}), Status::kOk);
        ASSERT_EQ(scripts.finish(), Status::kOk);
        std::vector<Bytes> outputs(std::size_t{3U} * at_once, Bytes(kTensorBytes));
        Bytes refused(kTensorBytes, 0x77U);
        const auto submit = [&](std::uint32_t step) {
            return scripts.submit(pipeline_input(static_cast<std::uint8_t>(10U + step)), outputs.at(step));
        };
        for (std::uint32_t step = 0U; step < outputs.size(); ++step) {
            if (step >= at_once) {
                EXPECT_EQ(scripts.submit(pipeline_input(1U), refused), Status::kInvalidState) << step;
                EXPECT_EQ(scripts.bench().run(pipeline_input(1U), refused), Status::kInvalidState) << step;
                EXPECT_EQ(scripts.stop(refused), Status::kInvalidState) << step;
                EXPECT_EQ(scripts.session().set_parameters({}), Status::kInvalidState) << step;
                ASSERT_EQ(scripts.finish(), Status::kOk);
            }
            EXPECT_EQ(scripts.session().steps_completed(), (step < at_once) ? 0U : ((step - at_once) + 1U));
            ASSERT_EQ(submit(step), Status::kOk) << step;
        }
        for (std::uint32_t step = 0U; step < at_once; ++step) {
            ASSERT_EQ(scripts.finish(), Status::kOk);
        }
        EXPECT_EQ(scripts.session().poll(), Status::kInvalidState);
        for (std::uint32_t step = 0U; step < outputs.size(); ++step) {
            EXPECT_EQ(outputs.at(step), pipeline_input(static_cast<std::uint8_t>((pipelined ? 9U : 10U) + step)))
                << step;
        }
        EXPECT_EQ(refused, Bytes(kTensorBytes, 0x77U));
    }
}

// A fault withholds the outputs of everything that is under way; what has completed before stays.
TEST_P(OverlappingSession, AFaultWithholdsAllSteps) {
    verifies({"swr~latching~1"});
    const std::uint32_t at_once = GetParam();
    constexpr std::uint32_t kFirst = 4U;  // completions of queues: set-up one, prologue and steps two each
    for (std::uint32_t lost = kFirst; lost < (kFirst + (2U * at_once)); ++lost) {
        sim::FaultScript faults;
        faults.lose_completion = lost;
        ScriptBench scripts{copying_case(script_pattern_two, at_once), faults};
        ASSERT_EQ(scripts.start(pipeline_input(1U)), Status::kOk);
        ASSERT_EQ(scripts.finish(), Status::kOk);
        std::vector<Bytes> outputs(at_once, Bytes(kTensorBytes, 0x77U));
        for (std::uint32_t step = 0U; step < at_once; ++step) {
            ASSERT_EQ(scripts.submit(pipeline_input(static_cast<std::uint8_t>(2U + step)), outputs.at(step)),
                      Status::kOk);
        }
        const std::uint32_t failing = (lost - kFirst) / 2U;
        for (std::uint32_t step = 0U; step < at_once; ++step) {
            if (step <= failing) {
                ASSERT_EQ(scripts.finish(), (step < failing) ? Status::kOk : Status::kTimeout) << lost;
            }
        }
        for (std::uint32_t step = 0U; step < at_once; ++step) {
            const Bytes expected =
                (step < failing) ? pipeline_input(static_cast<std::uint8_t>(1U + step)) : Bytes(kTensorBytes);
            EXPECT_EQ(outputs.at(step), expected) << lost;
        }
        EXPECT_EQ(scripts.session().fault().step, 3U + failing) << "1 was the set-up, 2 the prologue";
        EXPECT_EQ(scripts.session().poll(), Status::kFaultLatched);
        EXPECT_EQ(scripts.start(pipeline_input(1U)), Status::kFaultLatched);
        EXPECT_EQ(scripts.stop(outputs[0]), Status::kFaultLatched);
        EXPECT_EQ(scripts.bench().platform.safe_state_entries(), 1U);
    }
}

INSTANTIATE_TEST_SUITE_P(StepsInFlight, OverlappingSession, testing::Values(2U, 3U, 10U, 16U));

// A binary whose prologue only records events starts by itself in run().
TEST(StartedSession, RunStartsWhereNothingIsTaken) {
    verifies({"swr~whole-steps~1"});
    ScriptBench scripts{copying_case(script_pattern_one, 1U)};
    EXPECT_TRUE(scripts.session().has_views());
    for (std::uint8_t seed = 1U; seed < 5U; ++seed) {
        Bytes output(kTensorBytes);
        ASSERT_EQ(scripts.bench().run(pipeline_input(seed), output), Status::kOk);
        EXPECT_EQ(output, pipeline_input(seed));
    }
    EXPECT_EQ(scripts.start(pipeline_input(1U)), Status::kInvalidState);  // it has
    EXPECT_EQ(scripts.session().stop({}), Status::kOk);
    EXPECT_EQ(scripts.finish(), Status::kOk);
    EXPECT_EQ(scripts.session().start({}), Status::kOk);
}

// Nor does the prologue run for a step that is refused.
TEST(StartedSession, RunRefusesTensorsBeforeItStartsAnything) {
    ScriptBench scripts{copying_case(script_pattern_one, 1U)};
    const std::uint64_t loaded = scripts.bench().device.progress();
    for (const std::uint32_t bytes : {0U, kTensorBytes - 1U, kTensorBytes + 1U}) {
        Bytes output(bytes, 0x77U);
        EXPECT_EQ(scripts.bench().run(pipeline_input(1U), output), Status::kInvalidArgument);
        EXPECT_EQ(output, Bytes(bytes, 0x77U));
        Bytes whole(kTensorBytes, 0x77U);
        EXPECT_EQ(scripts.bench().run(Bytes(bytes), whole), Status::kInvalidArgument);
        EXPECT_EQ(whole, Bytes(kTensorBytes, 0x77U));
    }
    EXPECT_EQ(scripts.bench().device.progress(), loaded);
    EXPECT_EQ(scripts.session().start({}), Status::kOk) << "nothing has started it";
}

TEST(SessionScripts, RunOfAPipelinedBinaryStopsAtTheFirstFault) {
    for (const std::uint32_t lost :
         {0U, 3U, 5U, 7U}) {  // nothing, prologue, step, epilogue; the set-up has the first two
        sim::FaultScript faults;
        faults.lose_completion = lost;
        ScriptBench scripts{copying_case(script_pattern_two, 1U), faults};
        Bytes output(kTensorBytes - 1U);
        EXPECT_EQ(scripts.bench().run(pipeline_input(7U), output), Status::kInvalidArgument);
        output.assign(kTensorBytes, 0x77U);
        const Status status = scripts.bench().run(pipeline_input(7U), output);
        EXPECT_EQ(status, (lost == 0U) ? Status::kOk : Status::kTimeout) << lost;
        if (lost == 0U) {
            EXPECT_EQ(output, pipeline_input(7U));
        } else {
            EXPECT_NE(output, pipeline_input(7U));
        }
    }
}

TEST(SessionScripts, AFirstInputThatIsNotBoundIsNotForgotten) {
    SmallCase small = plain_memory(2U, 1U, 2U);
    script_one_queue(small);
    sim::FaultScript faults;
    faults.refuse_bind = 3U;  // behind weights and traces
    ScriptBench scripts{small, faults};
    const Bytes input = pipeline_input(1U);
    Bytes output(kTensorBytes, 0x77U);
    const std::array<ByteSpan, 2> inputs{ByteSpan{input.data(), input.size()}, ByteSpan{input.data(), input.size()}};
    const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
    EXPECT_EQ(scripts.session().submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}),
              Status::kDeviceFault);
    EXPECT_EQ(scripts.session().fault().stage, FaultStage::kSubmit);
    EXPECT_EQ(output, Bytes(kTensorBytes, 0U));
}

// A step's tensors are given back one by one: one that the device keeps is not forgotten over those that it lets go of.
TEST(SessionScripts, ATensorThatIsNotGivenBackIsNotForgotten) {
    verifies({"swr~bound-memory~1"});
    SmallCase small = plain_memory(2U, 1U, 2U);
    script_one_queue(small);
    // Behind weights and traces: two inputs and an output are bound, and given back in the same order.
    for (const std::uint32_t refused : {6U, 7U, 8U, 9U}) {
        sim::FaultScript faults;
        faults.refuse_bind = refused;
        ScriptBench scripts{small, faults};
        const Bytes input = pipeline_input(1U);
        Bytes output(kTensorBytes, 0x77U);
        const std::array<ByteSpan, 2> inputs{ByteSpan{input.data(), input.size()},
                                             ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        ASSERT_EQ(scripts.session().submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}),
                  Status::kOk);
        const bool is_given_back = refused == 9U;
        EXPECT_EQ(scripts.finish(), is_given_back ? Status::kOk : Status::kDeviceFault) << refused;
        EXPECT_EQ(scripts.session().fault().stage, is_given_back ? FaultStage::kNone : FaultStage::kStep);
        EXPECT_EQ(output == Bytes(kTensorBytes, 0U), !is_given_back);
    }
}

TEST(StartedSession, RunStopsWhereThePrologueFails) {
    sim::FaultScript faults;
    faults.lose_completion = 2U;  // the set-up has the first
    ScriptBench scripts{copying_case(script_pattern_one, 1U), faults};
    Bytes output(kTensorBytes, 0x77U);
    EXPECT_EQ(scripts.bench().run(pipeline_input(1U), output), Status::kTimeout);
    EXPECT_EQ(scripts.session().fault().step, 2U) << "1 was the set-up";
    EXPECT_EQ(output, Bytes(kTensorBytes, 0x77U)) << "no step was submitted";
    EXPECT_EQ(scripts.bench().run(pipeline_input(1U), output), Status::kFaultLatched);
    EXPECT_EQ(scripts.session().steps_completed(), 0U);
}

}  // namespace
}  // namespace pianola::test
