// What a capture without declarations must refuse, or must not forget, although the captured data do not show it.
#include <fmt/format.h>

#include "tests/api/discovery_support.h"

namespace pianola::test {
namespace {

// On zeros a step gives the same with the weights that the host wrote and with those that the program made of them.
// Without marks the program in front of the loop is the prologue.
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
        if (is_marked) {
            expect_rule(HostRule::kCaptureContent, "changed by a program in front of the first step",
                        [&] { (void)capture.end(); });
        } else {
            const CapturedWorkload workload = capture.end();
            host::compare_to_golden(
                host::replay_workload(workload, device_->spec(), {{Bytes(kBytes, 1U)}}, tested_vulkan()),
                {{plus(pattern(kBytes, 3U), 1)}});
        }
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
        expect_rule(is_alike ? HostRule::kCaptureTensor : HostRule::kCaptureContent,
                    is_alike ? "(calls 2 to 25 of the program were taken for its loop: 6 turns of 4)"
                             : "(no calls repeat with a program and a read in each turn",
                    [&] { (void)capture.end(); });
    }
}

// Also of bytes that a step reads with another value of a parameter only.
TEST_F(Discovery, WeightsThatAParameterCanReachAreNotForgotten) {
    for (const bool is_changed : {false, true}) {
        const BufferPtr weights = device_->allocate(flat(std::uint64_t{4U} * kBytes));
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
        device_->enqueue_write(0U, weights, view(pattern(std::size_t{4U} * kBytes, 1U)));
        device_->enqueue_program(0U, change);
        capture.declare_parameter(trace,
                                  {"row", host::TraceParameterKind::kBufferAddress, weights->address(),
                                   weights->address() + (3U * kBytes), kBytes, device_->address_words(trace, weights)});
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            capture.begin_step();
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

}  // namespace
}  // namespace pianola::test
