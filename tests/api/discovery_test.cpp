// Captures without declarations and without marks: what is found, and what it computes in another process's device.
#include <fmt/format.h>

#include "tests/api/capture_support.h"
#include "tests/api/trace_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::CapturedWorkload;
using host::HostRule;
using host::Program;
using host::WorkloadCapture;

constexpr std::uint32_t kBytes = 64U;
constexpr std::uint32_t kTurns = 6U;

class Discovery : public ::testing::Test {
  protected:
    [[nodiscard]] BufferPtr buffer() const { return device_->allocate(flat(kBytes)); }
    void write(const BufferPtr& to, std::uint32_t seed, std::uint32_t queue = 0U) const {
        device_->enqueue_write(queue, to, view(pattern(kBytes, seed)));
    }
    void add(const BufferPtr& from, const BufferPtr& to, int constant, std::uint32_t queue = 0U) const {
        Program program = constant_program(from, to, constant);
        device_->enqueue_program(queue, program);
    }
    void zeros(const BufferPtr& to) const { device_->enqueue_write(0U, to, view(Bytes(kBytes))); }
    void multiply(const BufferPtr& left, const BufferPtr& right, const BufferPtr& to) const {
        Program program{"product"};
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({0U, 0U}));
        program.set_runtime_args(kernel, {0U, 0U},
                                 {host::BufferArgument{left, {}, 0U}, host::BufferArgument{right, {}, 0U},
                                  host::BufferArgument{to, {}, 0U}});
        program.set_common_runtime_args(kernel, {kBytes, 1U, 3U});
        device_->enqueue_program(0U, program);
    }
    // It computes input + constant.
    void expect_adds(const CapturedWorkload& workload, int constant, std::uint32_t steps) const {
        EXPECT_EQ(workload.steps, steps);
        expect_verified(workload, device_->spec());
        expect_model(workload, device_->spec(), kBytes,
                     [constant](const Bytes& input) { return plus(input, constant); });
    }

    std::shared_ptr<host::Device> device_{host::open_device(small_device(2U))};
};

TEST_F(Discovery, ALoopIsAStepItsWritesInputsAndItsReadsOutputs) {
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    WorkloadCapture capture{device_};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        write(input, i);
        add(input, output, 3);
        (void)read(*device_, output);
    }
    const CapturedWorkload workload = capture.end();
    expect_adds(workload, 3, kTurns);
    ASSERT_EQ(workload.manifest.inputs.size(), 1U);
    EXPECT_EQ(workload.manifest.inputs.front().name, "input 0");
    EXPECT_EQ(workload.manifest.outputs.front().name, "output 0");
    EXPECT_EQ(workload.manifest.inputs.front().shape, (std::vector<std::uint32_t>{1U, kBytes}));
}

TEST_F(Discovery, WhatIsWrittenInFrontOfTheLoopIsSetUp) {
    const BufferPtr weights = buffer();
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    WorkloadCapture capture{device_};
    write(weights, 77U);
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        write(input, i);
        Program program{"sum"};
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({0U, 0U}));
        program.set_runtime_args(kernel, {0U, 0U},
                                 {host::BufferArgument{input, {}, 0U}, host::BufferArgument{weights, {}, 0U},
                                  host::BufferArgument{output, {}, 0U}});
        program.set_common_runtime_args(kernel, {kBytes, 1U, 1U});
        device_->enqueue_program(0U, program);
        (void)read(*device_, output);
    }
    const CapturedWorkload workload = capture.end();
    EXPECT_EQ(workload.steps, kTurns);
    EXPECT_EQ(workload.manifest.inputs.size(), 1U);
    host::compare_to_capture(workload, device_->spec());
}

// What was written there before, and given back, is of no matter.
TEST_F(Discovery, SetUpInMemoryThatWasWrittenBefore) {
    for (const std::uint32_t bytes : {kBytes, 2U * kBytes, 3U * kBytes}) {
        const BufferPtr input = buffer();
        const BufferPtr output = buffer();
        BufferPtr before = device_->allocate(flat(bytes));
        WorkloadCapture capture{device_};
        device_->enqueue_write(0U, before, view(pattern(bytes, 1U)));
        const std::uint32_t address = before->address();
        before.reset();
        const BufferPtr weights = device_->allocate(flat(2U * kBytes));
        ASSERT_EQ(weights->address(), address);
        device_->enqueue_write(0U, weights, view(Bytes(2U * kBytes, 1U)));
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            write(input, i);
            multiply(input, weights, output);
            (void)read(*device_, output);
        }
        expect_adds(capture.end(), 0, kTurns);
    }
}

// The natural loop: everything is taken anew in every turn, and kept.
TEST_F(Discovery, NewMemoryInEveryTurnIsTheSameStep) {
    std::vector<BufferPtr> kept;
    WorkloadCapture capture{device_};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        const BufferPtr input = buffer();
        const BufferPtr middle = buffer();
        const BufferPtr output = buffer();
        write(input, i);
        add(input, middle, 2);
        add(middle, output, 5);
        (void)read(*device_, output);
        kept.insert(kept.end(), {input, output});  // what lies between is given back, and taken again
    }
    const CapturedWorkload workload = capture.end();
    expect_adds(workload, 7, kTurns);
    EXPECT_EQ(workload.manifest.inputs.size(), 1U);
}

// Old and new result change places, and each turn goes on from the one before.
TEST_F(Discovery, BuffersThatTakeTurnsAreAStepOfTwoTurns) {
    const std::array<BufferPtr, 2> state{buffer(), buffer()};
    WorkloadCapture capture{device_};
    write(state[1], 1U);
    for (std::uint32_t i = 0U; i < 8U; ++i) {
        add(state.at((i + 1U) % 2U), state.at(i % 2U), 1);
        (void)read(*device_, state.at(i % 2U));
    }
    try {
        const CapturedWorkload workload = capture.end();
        ADD_FAILURE() << "a step that goes on from what set-up wrote was accepted";
    } catch (const host::HostError& error) {
        EXPECT_NE(std::string{error.what()}.find("API-"), std::string::npos) << error.what();
    }
}

// Input buffers take turns.
TEST_F(Discovery, InputsThatTakeTurns) {
    const std::array<BufferPtr, 3> inputs{buffer(), buffer(), buffer()};
    const BufferPtr output = buffer();
    WorkloadCapture capture{device_};
    for (std::uint32_t i = 0U; i < 9U; ++i) {
        write(inputs.at(i % 3U), i);
        add(inputs.at(i % 3U), output, -4);
        (void)read(*device_, output);
    }
    expect_adds(capture.end(), -4, 9U);
}

TEST_F(Discovery, AProgramWithoutALoopIsOneStep) {
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    WorkloadCapture capture{device_};
    write(input, 5U);
    add(input, output, 9);
    (void)read(*device_, output);
    expect_adds(capture.end(), 9, 1U);
}

TEST_F(Discovery, TwoQueuesAndTheirEvents) {
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    const host::EventId taken = device_->create_event();
    const host::EventId written = device_->create_event();
    WorkloadCapture capture{device_};
    device_->record_event(0U, taken);
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        device_->wait_for_event(1U, taken);
        write(input, i, 1U);
        device_->record_event(1U, written);
        device_->wait_for_event(0U, written);
        add(input, output, 1);
        device_->record_event(0U, taken);
        (void)device_->enqueue_read(0U, output);
    }
    expect_adds(capture.end(), 1, kTurns);
}

// The host writes the next input while the device works on the one before.
TEST_F(Discovery, APipelineHasPrologueAndEpilogue) {
    const BufferPtr input = buffer();
    const BufferPtr middle = buffer();
    const BufferPtr output = buffer();
    WorkloadCapture capture{device_};
    write(input, 0U);
    add(input, middle, 1);
    for (std::uint32_t i = 1U; i < kTurns; ++i) {
        write(input, i);
        add(middle, output, 1);
        add(input, middle, 1);
        (void)read(*device_, output);
    }
    add(middle, output, 1);
    (void)read(*device_, output);
    const CapturedWorkload workload = capture.end();
    EXPECT_EQ(script_kinds(workload), (std::vector<ScriptKind>{ScriptKind::kSetup, ScriptKind::kPrologue,
                                                               ScriptKind::kStep, ScriptKind::kEpilogue}));
    expect_adds(workload, 2, kTurns - 1U);
}

// On zeros a step gives the same with the weights that the host wrote and with those that the program made of them.
TEST_F(Discovery, AProgramThatChangesWeightsInFrontOfTheLoopIsNotForgotten) {
    const BufferPtr weights = buffer();
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    for (const bool is_marked : {false, true}) {
        WorkloadCapture capture{device_};
        write(weights, 3U);
        add(weights, weights, 1);
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            if (is_marked) {
                capture.begin_step();
            }
            zeros(input);
            multiply(input, weights, output);
            (void)read(*device_, output);
        }
        expect_rule(HostRule::kCaptureContent, "changed by a program in front of the first step",
                    [&] { (void)capture.end(); });
    }
}

// Zeros hide what follows: the outputs are right, whatever the weights are.
TEST_F(Discovery, SetUpThatAProgramReadsBeforeItIsWrittenAnewIsRefused) {
    const BufferPtr weights = buffer();
    const BufferPtr state = buffer();
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    WorkloadCapture capture{device_};
    write(weights, 3U);
    add(weights, state, 1);
    write(weights, 4U);
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        zeros(input);
        multiply(input, state, output);
        multiply(output, weights, output);
        (void)read(*device_, output);
    }
    expect_rule(HostRule::kCaptureContent, "program 'add constant' on queue 0 (call 2) in the prologue reads what",
                [&] { (void)capture.end(); });
}

TEST_F(Discovery, ConstantsThatOneStepWritesTwiceAreRefused) {
    for (const bool is_constant : {false, true}) {
        const BufferPtr weights = buffer();
        const BufferPtr input = buffer();
        const std::array<BufferPtr, 2> outputs{buffer(), buffer()};
        WorkloadCapture capture{device_};
        if (is_constant) {
            capture.declare_constant(weights, "weights");
        } else {
            capture.declare_input(input, tensor("x", kBytes));
        }
        zeros(input);
        for (std::uint32_t i = 0U; i < 2U; ++i) {
            write(weights, i);
            multiply(input, weights, outputs.at(i));
        }
        (void)read(*device_, outputs[0]);
        (void)read(*device_, outputs[1]);
        expect_rule(HostRule::kCaptureContent, "with the last contents of each buffer", [&] { (void)capture.end(); });
    }
}

// Turns that are alike use the first one's memory in the binary; what is behind them looks at the last one's.
TEST_F(Discovery, AnEpilogueThatLooksAtALaterTurnsMemoryIsRefused) {
    for (const bool is_marked : {false, true}) {
        const BufferPtr zero = buffer();
        const BufferPtr input = buffer();
        const BufferPtr output = buffer();
        const std::array<BufferPtr, 2> middles{buffer(), buffer()};
        WorkloadCapture capture{device_};
        zeros(zero);
        if (is_marked) {
            capture.begin_prologue();
        }
        add(zero, middles[0], 3);
        add(zero, middles[1], 3);
        zeros(input);
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            if (is_marked) {
                capture.begin_step();
            }
            add(input, middles.at(i % 2U), 3);
            add(middles.at(i % 2U), output, 1);
            zeros(input);
            (void)read(*device_, output);
        }
        if (is_marked) {
            capture.begin_epilogue();
        }
        add(middles[1], output, 1);
        (void)read(*device_, output);
        expect_rule(HostRule::kCaptureContent, "in the epilogue reads what", [&] { (void)capture.end(); });
    }
}

// One write too many in front and one read too many behind make no pipeline of a loop, and an input's buffer may have
// brought the weights.
TEST_F(Discovery, ATurnThatAnswersItsOwnInputIsNoPipeline) {
    for (const bool is_staging : {false, true}) {
        const BufferPtr weights = buffer();
        const BufferPtr input = buffer();
        const BufferPtr output = buffer();
        WorkloadCapture capture{device_};
        write(input, 1U);
        if (is_staging) {
            add(input, weights, 0);
        }
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            write(input, 3U);
            multiply(input, is_staging ? weights : input, output);
            (void)read(*device_, output);
        }
        (void)read(*device_, output);
        expect_rule(HostRule::kCaptureContent, "depends on the inputs of the same turn", [&] { (void)capture.end(); });
    }
}

TEST_F(Discovery, ARefusalSaysWhatTheProgramsLoopWasTakenFor) {
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    for (const bool is_alike : {true, false}) {
        WorkloadCapture capture{device_};
        add(output, output, 1);  // of what nothing has written
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            write(input, i);
            add(input, output, is_alike ? 1 : static_cast<int>(i));
            add(output, output, 1);
            (void)read(*device_, output);
            if (i == (kTurns - 1U)) {
                (void)read(*device_, input);
            }
        }
        expect_rule(HostRule::kCaptureTensor,
                    is_alike ? "(calls 2 to 25 of the program were taken for its loop: 6 turns of 4)"
                             : "(no calls repeat with a program and a read in each turn",
                    [&] { (void)capture.end(); });
    }
}

// Also of bytes that a step reads with another value of a parameter only.
TEST_F(Discovery, WeightsThatAParameterCanReachAreNotForgotten) {
    for (const bool is_changed : {false, true}) {
        const BufferPtr weights = device_->allocate(flat(4U * kBytes));
        const BufferPtr input = buffer();
        const BufferPtr output = buffer();
        const BufferPtr row = buffer();
        Program program{"product"};
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({0U, 0U}));
        program.set_runtime_args(kernel, {0U, 0U},
                                 {host::BufferArgument{weights, {}, 0U}, host::BufferArgument{input, {}, 0U},
                                  host::BufferArgument{output, {}, 0U}});
        program.set_common_runtime_args(kernel, {kBytes, 1U, 3U});
        Program change{"change"};
        const host::KernelHandle adds = change.add_kernel("requantize", host::one_core({0U, 0U}));
        change.set_runtime_args(adds, {0U, 0U},
                                {host::BufferArgument{weights, {}, 2U * kBytes},
                                 host::BufferArgument{is_changed ? weights : row, {}, is_changed ? 2U * kBytes : 0U}});
        change.set_common_runtime_args(adds, add_constant_tail(kBytes, 1));
        const host::TraceId trace = captured(*device_, {&program});
        WorkloadCapture capture{device_};
        device_->enqueue_write(0U, weights, view(pattern(4U * kBytes, 1U)));
        device_->enqueue_program(0U, change);
        capture.declare_parameter(trace,
                                  {"row", host::TraceParameterKind::kBufferAddress, weights->address(),
                                   weights->address() + (3U * kBytes), kBytes, device_->address_words(trace, weights)});
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            write(input, i);
            device_->execute_trace(0U, trace);
            (void)read(*device_, output);
        }
        if (is_changed) {
            expect_rule(HostRule::kCaptureContent, "changed by a program in front of the first step",
                        [&] { (void)capture.end(); });
        } else {
            EXPECT_EQ(capture.end().manifest.parameters.size(), 1U);
        }
    }
}

TEST_F(Discovery, MarkedStepsWithNewMemoryAreOneStep) {
    WorkloadCapture capture{device_};
    std::vector<BufferPtr> kept;
    for (std::uint32_t i = 0U; i < 3U; ++i) {
        kept.push_back(buffer());
        capture.begin_step();
        const BufferPtr input = buffer();
        write(input, i);
        add(input, kept.back(), 1);
        (void)read(*device_, kept.back());
    }
    expect_adds(capture.end(), 1, 3U);
}

TEST_F(Discovery, MarkedStepsThatComputeSomethingElseAreRefused) {
    WorkloadCapture capture{device_};
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    for (const int constant : {1, 2}) {
        capture.begin_step();
        write(input, 1U);
        add(input, output, constant);
        (void)read(*device_, output);
    }
    expect_rule(HostRule::kCaptureStep, "step 2 differs from step 1 at its call 2", [&] { (void)capture.end(); });
}

}  // namespace
}  // namespace pianola::test
