// Programs that prefetch, loops that do not fill a step, and what the host carries: which inferences a capture has.
#include "tests/api/discovery_support.h"

namespace pianola::test {
namespace {

class TurnOrder : public Discovery {
  protected:
    // Buffers for inputs, for outputs, and how many turns ahead inputs are written.
    struct Shape {
        std::size_t inputs{1U};
        std::size_t outputs{1U};
        std::size_t depth{1U};
        std::uint32_t turns{kTurns};
        bool writes_on{false};  // an input for a turn that never comes
    };
    [[nodiscard]] CapturedWorkload prefetched(const Shape& shape, std::vector<std::vector<Bytes>>& given) const {
        std::vector<BufferPtr> inputs;
        std::vector<BufferPtr> outputs;
        for (std::size_t i = 0U; i < shape.inputs; ++i) {
            inputs.push_back(buffer());
        }
        for (std::size_t i = 0U; i < shape.outputs; ++i) {
            outputs.push_back(buffer());
        }
        WorkloadCapture capture{device_};
        const auto write_next = [&](std::size_t turn) {
            if ((turn < shape.turns) || shape.writes_on) {
                write(inputs.at(turn % shape.inputs), static_cast<std::uint32_t>(turn));
            }
        };
        for (std::size_t turn = 0U; turn < shape.depth; ++turn) {
            write_next(turn);
        }
        for (std::size_t turn = 0U; turn < shape.turns; ++turn) {
            add(inputs.at(turn % shape.inputs), outputs.at(turn % shape.outputs), 5);
            write_next(turn + shape.depth);
            (void)device_->enqueue_read(0U, outputs.at(turn % shape.outputs));
            given.push_back({pattern(kBytes, static_cast<std::uint32_t>(turn))});
        }
        return capture.end();
    }
};

TEST_F(TurnOrder, InputsThatAreWrittenAheadAreCapturedWithAnyBuffers) {
    for (const std::size_t inputs : {2U, 3U, 4U}) {
        for (const std::size_t outputs : {1U, 2U, 3U, 4U}) {
            for (const std::uint32_t turns : {5U, 6U, 9U}) {
                for (const bool writes_on : {false, true}) {
                    SCOPED_TRACE(::testing::Message() << inputs << " inputs, " << outputs << " outputs, " << turns
                                                      << " turns" << (writes_on ? ", one written too many" : ""));
                    std::vector<std::vector<Bytes>> given;
                    const CapturedWorkload workload =
                        prefetched({inputs, outputs, inputs - 1U, turns, writes_on}, given);
                    EXPECT_EQ(workload.inputs, given);  // all inferences, from the first one on
                    expect_adds(workload, 5, turns);
                }
            }
        }
    }
}

// A sum for each of two sets of buffers: a step holds two turns.
TEST_F(TurnOrder, TurnsThatDoNotFillAStepStandAtTheEndAndAreNamed) {
    for (const std::uint32_t turns : {4U, 5U, 7U}) {
        const std::array<BufferPtr, 2> sums{buffer(), buffer()};
        const BufferPtr input = buffer();
        WorkloadCapture capture{device_};
        zeros(sums[0]);
        zeros(sums[1]);
        std::vector<Bytes> written;
        for (std::uint32_t i = 0U; i < turns; ++i) {
            write(input, i);
            written.push_back(pattern(kBytes, i));
            Program program{"sum"};
            const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({0U, 0U}));
            program.set_runtime_args(
                kernel, {0U, 0U},
                {host::BufferArgument{sums.at(i % 2U), {}, 0U}, host::BufferArgument{input, {}, 0U},
                 host::BufferArgument{sums.at(i % 2U), {}, 0U}});
            program.set_common_runtime_args(kernel, {kBytes, 1U, 1U});
            device_->enqueue_program(0U, program);
            (void)device_->enqueue_read(0U, sums.at(i % 2U));
        }
        const CapturedWorkload workload = capture.end();
        ASSERT_EQ(workload.inputs.size(), turns / 2U);
        for (std::size_t i = 0U; i < workload.inputs.size(); ++i) {
            EXPECT_EQ(workload.inputs[i], (std::vector<Bytes>{written[2U * i], written[(2U * i) + 1U]}));
        }
        const bool is_named =
            std::any_of(workload.warnings.begin(), workload.warnings.end(), [](const std::string& warning) {
                return warning.find("1 turn of the program") == 0U && warning.find("left over") != std::string::npos;
            });
        EXPECT_EQ(is_named, (turns % 2U) != 0U);
    }
}

// The first turn does something else: its data are not the binary's.
TEST_F(TurnOrder, ATurnInFrontThatIsUnlikeTheOthersIsRefused) {
    const BufferPtr state = buffer();
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    WorkloadCapture capture{device_};
    write(state, 1U);
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        const BufferPtr fresh = buffer();
        write(fresh, i);
        if (i == 0U) {
            add(fresh, fresh, 1);
        }
        multiply(state, fresh, state);
        add(state, output, 0);
        (void)read(*device_, output);
        device_->deallocate(fresh);
    }
    expect_rule(HostRule::kCaptureContent, "seems to be the input of a turn", [&] { (void)capture.end(); });
}

// Inputs are written ahead, and the last turn's output is not read: no binary gives the turn before's output, with the
// first input as a constant.
TEST_F(TurnOrder, AnOutputThatIsNeverReadMakesNoConstant) {
    std::uint32_t captured = 0U;
    for (const std::uint32_t turns : {3U, 4U, 5U, 6U}) {
        const std::array<BufferPtr, 2> inputs{buffer(), buffer()};
        const BufferPtr middle = buffer();
        const BufferPtr output = buffer();
        WorkloadCapture capture{device_};
        write(inputs[0], 0U);
        for (std::uint32_t i = 0U; i < turns; ++i) {
            if ((i + 1U) < turns) {
                write(inputs.at((i + 1U) % 2U), i + 1U);
            }
            add(inputs.at(i % 2U), middle, 1);
            add(middle, output, 2);
            if ((i + 1U) < turns) {
                (void)device_->enqueue_read(0U, output);
            }
        }
        const CapturedWorkload workload = capture.end();
        if (workload.steps > 1U) {
            captured += 1U;
            EXPECT_FALSE(workload.warnings.empty());
            for (std::size_t k = 0U; k < workload.inputs.size(); ++k) {
                EXPECT_EQ(workload.inputs[k].front(), pattern(kBytes, static_cast<std::uint32_t>(k)));
            }
            expect_adds(workload, 3, turns - 1U);
        }
    }
    EXPECT_GE(captured, 3U);
}

TEST_F(TurnOrder, WhatTheHostCarriesToAnInputOfTheSameStepIsNamed) {
    const std::array<BufferPtr, 4> buffers{buffer(), buffer(), buffer(), buffer()};
    for (const int changed : {0, 1}) {
        WorkloadCapture capture{device_};
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            write(buffers[0], i);
            add(buffers[0], buffers[1], 1);
            const Bytes middle = read(*device_, buffers[1]);
            device_->enqueue_write(0U, buffers[2], view(plus(middle, changed)));
            add(buffers[2], buffers[3], 2);
            (void)device_->enqueue_read(0U, buffers[3]);
        }
        if (changed == 0) {
            expect_rule(HostRule::kCaptureContent, "the host carries it from an output to an input",
                        [&] { (void)capture.end(); });
        } else {
            const CapturedWorkload workload = capture.end();
            ASSERT_EQ(workload.warnings.size(), 1U);
            EXPECT_NE(workload.warnings[0].find("(call 4) comes after the host has seen a read of buffer"),
                      std::string::npos);
            EXPECT_EQ(workload.manifest.inputs.size(), 2U);
        }
    }
}

// The host writes a buffer in every turn; what it had at first is no constant where outputs depend on it.
TEST_F(TurnOrder, FirstContentsOfAnInputAreAConstantOnlyWhereNothingShowsThem) {
    for (const bool is_shown : {false, true}) {
        const BufferPtr late = buffer();  // used one turn after it was written
        const BufferPtr input = buffer();
        const BufferPtr scratch = buffer();
        const BufferPtr output = buffer();
        WorkloadCapture capture{device_};
        write(late, 77U);
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            write(input, i);
            multiply(late, late, scratch);
            multiply(input, is_shown ? scratch : input, output);
            add(output, scratch, 1);
            write(late, 100U + i);
            (void)read(*device_, output);
        }
        const CapturedWorkload workload = capture.end();
        EXPECT_EQ(workload.steps, kTurns);
        // Where it is shown, the first contents are the first inference's input.
        EXPECT_EQ(workload.inputs.front().size(), 2U);
        const bool has_first = (workload.inputs.front()[0] == pattern(kBytes, 77U)) ||
                               (workload.inputs.front()[1] == pattern(kBytes, 77U));
        EXPECT_EQ(has_first, is_shown);
    }
}

}  // namespace
}  // namespace pianola::test
