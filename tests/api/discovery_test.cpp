// Captures without declarations and without marks: what is found, and what it computes in another process's device.
#include <fmt/format.h>

#include "tests/api/discovery_support.h"

namespace pianola::test {
namespace {

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
    host::compare_to_capture(workload, device_->spec(), tested_vulkan());
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
        const BufferPtr weights = device_->allocate(flat(std::uint64_t{2U} * kBytes));
        ASSERT_EQ(weights->address(), address);
        device_->enqueue_write(0U, weights, view(Bytes(std::size_t{2U} * kBytes, 1U)));
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

// Old and new result change places, and each turn goes on from the one before: layers of one inference, where a step
// has room for all outputs; else a loop that goes on from what set-up wrote.
TEST_F(Discovery, TurnsThatTheHostGivesNothing) {
    for (const std::uint32_t turns : {4U, 12U}) {
        const std::array<BufferPtr, 2> state{buffer(), buffer()};
        WorkloadCapture capture{device_};
        write(state[1], 1U);
        for (std::uint32_t i = 0U; i < turns; ++i) {
            add(state.at((i + 1U) % 2U), state.at(i % 2U), 1);
            (void)read(*device_, state.at(i % 2U));
        }
        const CapturedWorkload workload = capture.end();
        const bool are_layers = turns == 4U;
        ASSERT_EQ(workload.steps, are_layers ? 1U : 6U);
        ASSERT_EQ(workload.manifest.inputs.size(), are_layers ? 1U : 0U);
        EXPECT_EQ(workload.manifest.self_test_origins.size(), are_layers ? 1U : 0U);
        const Bytes first = pattern(kBytes, are_layers ? 2U : 1U);
        std::vector<std::vector<Bytes>> golden(are_layers ? 1U : 3U);
        for (int i = 1; i <= (are_layers ? 4 : 6); ++i) {
            golden.at(are_layers ? 0U : static_cast<std::size_t>((i - 1) / 2)).push_back(plus(first, i));
        }
        const std::vector<std::vector<Bytes>> inputs(golden.size(), std::vector<Bytes>(are_layers ? 1U : 0U, first));
        host::compare_to_golden(host::replay_workload(workload, device_->spec(), inputs, tested_vulkan()), golden);
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
