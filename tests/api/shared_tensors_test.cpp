// One buffer that is several tensors of a step, and state: what a program may do with memory, and a binary has in
// memory of its own.
#include <fmt/format.h>

#include "tests/api/discovery_support.h"

namespace pianola::test {
namespace {

using Tensors = std::vector<std::vector<Bytes>>;

class SharedTensors : public Discovery {
  protected:
    [[nodiscard]] Tensors replay(const CapturedWorkload& workload, const Tensors& inputs) const {
        expect_verified(workload, device_->spec());
        return host::replay_workload(workload, device_->spec(), inputs, tested_vulkan());
    }
    // Three inferences of inputs that no captured run had.
    static Tensors others(std::size_t inputs) {
        Tensors all(3U);
        std::uint32_t seed = 900U;
        for (std::vector<Bytes>& record : all) {
            for (std::size_t i = 0U; i < inputs; ++i) {
                record.push_back(pattern(kBytes, ++seed));
            }
        }
        return all;
    }
    // Of each inference, the outputs by the functions of its inputs.
    template <typename Model>
    static Tensors modelled(const Tensors& inputs, Model model) {
        Tensors golden;
        for (const std::vector<Bytes>& record : inputs) {
            golden.push_back(model(record));
        }
        return golden;
    }
    // A loop, in which the data of writes do not differ: what is captured must not depend on them.
    template <typename Turn>
    [[nodiscard]] CapturedWorkload loop(Turn turn) const {
        WorkloadCapture capture{device_};
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            turn();
        }
        return capture.end();
    }
};

TEST_F(SharedTensors, AnIntermediateThatIsReadIsAnOutput) {
    const BufferPtr input = buffer();
    const BufferPtr middle = buffer();
    const BufferPtr output = buffer();
    const CapturedWorkload workload = loop([&] {
        zeros(input);
        add(input, middle, 1);
        (void)read(*device_, middle);
        add(middle, output, 2);
        (void)read(*device_, output);
    });
    const Tensors inputs = others(1U);
    host::compare_to_golden(replay(workload, inputs), modelled(inputs, [](const std::vector<Bytes>& x) {
                                return std::vector<Bytes>{plus(x[0], 1), plus(plus(x[0], 1), 2)};
                            }));
}

TEST_F(SharedTensors, OneBufferIsInputAndOutput) {
    for (const bool is_declared : {false, true}) {
        const BufferPtr both = buffer();
        WorkloadCapture capture{device_};
        if (is_declared) {
            capture.declare_input(both, tensor("x", kBytes));
            capture.declare_output(both, tensor("y", kBytes));
        }
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            zeros(both);
            add(both, both, 3);
            (void)read(*device_, both);
        }
        const CapturedWorkload workload = capture.end();
        expect_adds(workload, 3, kTurns);
        EXPECT_EQ(workload.manifest.inputs.front().name, is_declared ? "x" : "input 0");
        EXPECT_EQ(workload.manifest.self_test_origins.size(), kTurns);
    }
}

TEST_F(SharedTensors, OfTwoWritesOfABufferTheLastCountsWhereNothingReadsTheFirst) {
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    const CapturedWorkload workload = loop([&] {
        zeros(input);
        zeros(input);
        add(input, output, 3);
        (void)read(*device_, output);
    });
    expect_adds(workload, 3, kTurns);
    EXPECT_EQ(workload.manifest.inputs.size(), 1U);
}

TEST_F(SharedTensors, ABufferThatIsWrittenAnewBehindItsReaderIsTwoInputs) {
    const BufferPtr input = buffer();
    const BufferPtr first = buffer();
    const BufferPtr second = buffer();
    const CapturedWorkload workload = loop([&] {
        zeros(input);
        add(input, first, 1);
        zeros(input);
        add(input, second, 2);
        (void)read(*device_, first);
        (void)read(*device_, second);
    });
    const Tensors inputs = others(2U);
    host::compare_to_golden(replay(workload, inputs), modelled(inputs, [](const std::vector<Bytes>& x) {
                                return std::vector<Bytes>{plus(x[0], 1), plus(x[1], 2)};
                            }));
}

// Also where a buffer is in several pieces.
TEST_F(SharedTensors, ABufferThatIsReadAtSeveralTimesIsSeveralOutputs) {
    for (const bool is_scattered : {false, true}) {
        const auto take = [&] {
            return is_scattered
                       ? device_->allocate(sharded(host::Layout::kWidthSharded, host::Memory::kL1, 2U, kBytes / 2U, 2U,
                                                   kBytes / 4U, host::CoreRangeSet{{{0U, 0U}, {1U, 0U}}}))
                       : buffer();
        };
        const BufferPtr input = take();
        const BufferPtr output = take();
        ASSERT_EQ(input->host_runs().size(), is_scattered ? 4U : 1U);
        const auto step = [&](const BufferPtr& from, int constant) {
            for (std::size_t i = 0U; i < from->pieces().size(); ++i) {
                Program program{"piece"};
                const host::KernelHandle kernel = program.add_kernel("requantize", host::one_core({0U, 0U}));
                program.set_runtime_args(kernel, {0U, 0U},
                                         {from->pieces()[i].device_address, output->pieces()[i].device_address});
                program.set_common_runtime_args(kernel, add_constant_tail(from->pieces()[i].bytes, constant));
                device_->enqueue_program(0U, program);
            }
        };
        const CapturedWorkload workload = loop([&] {
            zeros(input);
            step(input, 1);
            (void)read(*device_, output);
            step(output, 1);
            (void)read(*device_, output);
        });
        const Tensors inputs = others(1U);
        host::compare_to_golden(replay(workload, inputs), modelled(inputs, [](const std::vector<Bytes>& x) {
                                    return std::vector<Bytes>{plus(x[0], 1), plus(plus(x[0], 1), 1)};
                                }));
    }
}

// The second tensor lies where the first one did.
TEST_F(SharedTensors, TensorsInMemoryThatWasGivenBack) {
    const BufferPtr input = buffer();
    const CapturedWorkload workload = loop([&] {
        zeros(input);
        for (const int constant : {1, 2}) {
            const BufferPtr output = buffer();
            add(input, output, constant);
            (void)read(*device_, output);
        }
    });
    const Tensors inputs = others(1U);
    host::compare_to_golden(replay(workload, inputs), modelled(inputs, [](const std::vector<Bytes>& x) {
                                return std::vector<Bytes>{plus(x[0], 1), plus(x[0], 2)};
                            }));
}

// Turns that compute something else are one step, and that is said.
TEST_F(SharedTensors, CallsThatOnlyLookLikeTurnsAreOneStep) {
    const std::array<BufferPtr, 2> weights{buffer(), buffer()};
    const BufferPtr input = buffer();
    const BufferPtr output = buffer();
    WorkloadCapture capture{device_};
    write(weights[0], 2U);
    write(weights[1], 3U);
    for (const BufferPtr& weight : weights) {
        zeros(input);
        multiply(input, weight, output);
        (void)read(*device_, output);
    }
    const CapturedWorkload workload = capture.end();
    EXPECT_EQ(workload.steps, 1U);
    ASSERT_EQ(workload.warnings.size(), 2U);
    EXPECT_EQ(
        workload.warnings[0],
        fmt::format("calls 3 to 8 of the program look like 2 turns of 3, but they do not compute the same, also not by "
                    "twos, threes or fours, so that all calls are one step; the first difference: program 'product' on "
                    "queue 0 (call 7) reads what it finds "
                    "at 0x{:08X}, where program 'product' on queue 0 (call 4) reads what it finds at 0x{:08X}",
                    weights[1]->address(), weights[0]->address()));
    EXPECT_NE(workload.warnings[1].find("(call 6) comes after the host has seen a read"), std::string::npos);
    const Bytes ones(kBytes, 1U);
    const Bytes first = pattern(kBytes, 71U);
    const Bytes second = pattern(kBytes, 72U);
    // All four writes are inputs.
    host::compare_to_golden(replay(workload, {{first, second, ones, ones}}), {{first, second}});
}

// The host gives state its first contents, and the steps change it. The data show nothing: zeros are added.
TEST_F(SharedTensors, StateThatTheHostInitialises) {
    const BufferPtr state = buffer();
    const BufferPtr input = buffer();
    WorkloadCapture capture{device_};
    write(state, 4U);
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        zeros(input);
        add(state, state, 1);
        multiply(input, state, input);
        (void)read(*device_, input);
    }
    const CapturedWorkload workload = capture.end();
    EXPECT_TRUE(workload.manifest.self_test_origins.empty());
    ASSERT_EQ(workload.warnings.size(), 1U);
    EXPECT_NE(workload.warnings[0].find("program 'add constant' on queue 0 (call 3) reads"), std::string::npos)
        << workload.warnings[0];
    const Tensors ones(4U, {Bytes(kBytes, 1U)});
    Tensors golden;
    for (int i = 1; i <= 4; ++i) {
        golden.push_back({plus(pattern(kBytes, 4U), i)});
    }
    // Saturation is the device's; the pattern has room.
    host::compare_to_golden(replay(workload, ones), golden);
}

// Sets of buffers whose use differs from turn to turn: what one turn leaves in a set, the turn after next goes on from.
TEST_F(SharedTensors, SetsOfBuffersThatTakeTurns) {
    for (std::uint32_t period = 2U; period <= 4U; ++period) {
        std::vector<BufferPtr> states;
        WorkloadCapture capture{device_};
        const BufferPtr first = buffer();
        write(first, 7U);
        for (std::uint32_t i = 0U; i < period; ++i) {
            states.push_back(buffer());
            add(first, states.back(), static_cast<int>(i));
        }
        const BufferPtr input = buffer();
        for (std::uint32_t i = 0U; i < (3U * period); ++i) {
            zeros(input);
            multiply(input, states.at(i % period), states.at(i % period));
            (void)read(*device_, states.at(i % period));
        }
        const CapturedWorkload workload = capture.end();
        ASSERT_EQ(workload.steps, 3U) << period;
        ASSERT_EQ(workload.manifest.inputs.size(), period);
        const Tensors ones(2U, std::vector<Bytes>(period, Bytes(kBytes, 1U)));
        std::vector<Bytes> golden;
        for (std::uint32_t i = 0U; i < period; ++i) {
            golden.push_back(plus(pattern(kBytes, 7U), static_cast<int>(i)));
        }
        host::compare_to_golden(replay(workload, ones), Tensors(2U, golden));
    }
}

}  // namespace
}  // namespace pianola::test
