// Pipelines without declarations: which tensor in front of the loop, and behind it, is which input and output follows
// from what the program does with it.
#include "tests/api/discovery_support.h"

namespace pianola::test {
namespace {

class FoundPipelines : public Discovery {
  protected:
    static constexpr std::uint32_t kInferences = 6U;

    struct Order {
        bool inputs_exchanged{false};   // in front of the loop
        bool outputs_exchanged{false};  // behind it
    };
    // first = 2 + x, second = y - 3; of two inputs and two outputs, all with the same data.
    [[nodiscard]] CapturedWorkload pipeline(const Order& order) const {
        const std::array<BufferPtr, 2> inputs{buffer(), buffer()};
        const std::array<BufferPtr, 2> middles{buffer(), buffer()};
        const std::array<BufferPtr, 2> outputs{buffer(), buffer()};
        const auto take = [&](bool is_exchanged) {
            zeros(inputs[0]);
            zeros(inputs[1]);
            add(inputs.at(is_exchanged ? 1U : 0U), middles[0], 2);
            add(inputs.at(is_exchanged ? 0U : 1U), middles[1], -3);
        };
        const auto give = [&](bool is_exchanged) {
            add(middles.at(is_exchanged ? 1U : 0U), outputs[0], 0);
            add(middles.at(is_exchanged ? 0U : 1U), outputs[1], 0);
        };
        const auto read_both = [&] {
            (void)read(*device_, outputs[0]);
            (void)read(*device_, outputs[1]);
        };
        WorkloadCapture capture{device_};
        take(order.inputs_exchanged);
        for (std::uint32_t i = 1U; i < kInferences; ++i) {
            give(false);
            take(false);
            read_both();
        }
        give(order.outputs_exchanged);
        read_both();
        return capture.end();
    }
};

TEST_F(FoundPipelines, TensorsKeepTheirPlaces) {
    const CapturedWorkload workload = pipeline({});
    EXPECT_EQ(workload.steps, kInferences - 1U);
    EXPECT_EQ(workload.manifest.self_test_origins.size(), kInferences);
    std::vector<std::vector<Bytes>> inputs;
    std::vector<std::vector<Bytes>> golden;
    for (std::uint32_t i = 0U; i < 4U; ++i) {
        inputs.push_back({pattern(kBytes, 70U + i), pattern(kBytes, 80U + i)});
        golden.push_back({plus(inputs.back()[0], 2), plus(inputs.back()[1], -3)});
    }
    host::compare_to_golden(host::replay_workload(workload, device_->spec(), inputs, tested_vulkan()), golden);
}

TEST_F(FoundPipelines, TensorsThatChangePlacesAreRefused) {
    for (const Order order : {Order{true, false}, Order{false, true}, Order{true, true}}) {
        expect_rule(HostRule::kCaptureContent, "gives another function of its inference's inputs than",
                    [&] { (void)pipeline(order); });
    }
}

// A single inference is the first one, not a second one of the same inputs: the state has seen it once. The captured
// inputs are equal, and the state their maximum, so that its vectors would hold in the captured run.
TEST_F(FoundPipelines, ASingleInferenceOfOneThatKeepsState) {
    const BufferPtr zero = buffer();
    const BufferPtr state = buffer();
    const BufferPtr input = buffer();
    const BufferPtr middle = buffer();
    const BufferPtr output = buffer();
    const auto sum = [&](std::uint32_t op, const BufferPtr& left, const BufferPtr& right, const BufferPtr& to) {
        Program program{"binary"};
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({0U, 0U}));
        program.set_runtime_args(kernel, {0U, 0U},
                                 {host::BufferArgument{left, {}, 0U}, host::BufferArgument{right, {}, 0U},
                                  host::BufferArgument{to, {}, 0U}});
        program.set_common_runtime_args(kernel, {kBytes, 1U, op});
        device_->enqueue_program(0U, program);
    };
    constexpr std::uint32_t kSum = 1U;
    constexpr std::uint32_t kMaximum = 5U;
    for (const std::uint32_t op : {kSum, kMaximum}) {
        WorkloadCapture capture{device_};
        zeros(zero);
        add(zero, state, 0);
        const auto take = [&] {
            zeros(input);
            sum(op, state, input, state);
            add(state, middle, 0);
        };
        take();
        for (std::uint32_t i = 1U; i < kInferences; ++i) {
            add(middle, output, 0);
            take();
            (void)read(*device_, output);
        }
        add(middle, output, 0);
        (void)read(*device_, output);
        const CapturedWorkload workload = capture.end();
        EXPECT_TRUE(workload.manifest.self_test_origins.empty());
        EXPECT_EQ(workload.steps, kInferences - 1U);
        const Bytes fives(kBytes, 5U);
        const Bytes sums(kBytes, (op == kSum) ? 10U : 5U);
        host::compare_to_golden(host::replay_workload(workload, device_->spec(), {{fives}}, tested_vulkan()),
                                {{fives}});
        host::compare_to_golden(host::replay_workload(workload, device_->spec(), {{fives}, {fives}}, tested_vulkan()),
                                {{fives}, {sums}});
    }
}

// Programs of both queues on one core, in turn.
TEST_F(FoundPipelines, QueuesThatUseACoreInTurn) {
    for (const bool is_ordered : {true, false}) {
        const std::array<BufferPtr, 2> inputs{buffer(), buffer()};
        const std::array<BufferPtr, 2> outputs{buffer(), buffer()};
        const host::EventId first = device_->create_event();
        const host::EventId second = device_->create_event();
        WorkloadCapture capture{device_};
        device_->record_event(1U, second);
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            zeros(inputs[0]);
            device_->enqueue_write(1U, inputs[1], view(Bytes(kBytes)));
            if (is_ordered) {
                device_->wait_for_event(0U, second);
            }
            add(inputs[0], outputs[0], 1, 0U);
            device_->record_event(0U, first);
            if (is_ordered) {
                device_->wait_for_event(1U, first);
            }
            add(inputs[1], outputs[1], 2, 1U);
            device_->record_event(1U, second);
            (void)read(*device_, outputs[0], 0U);
            (void)read(*device_, outputs[1], 1U);
        }
        if (!is_ordered) {
            expect_rule(HostRule::kCaptureRefused, "ORD-CORES", [&] { (void)capture.end(); });
            continue;
        }
        const CapturedWorkload workload = capture.end();
        expect_verified(workload, device_->spec());
        const Bytes one = pattern(kBytes, 1U);
        const Bytes two = pattern(kBytes, 2U);
        host::compare_to_golden(
            host::replay_workload(workload, device_->spec(), {{one, two}, {two, one}}, tested_vulkan()),
            {{plus(one, 1), plus(two, 2)}, {plus(two, 1), plus(one, 2)}});
    }
}

}  // namespace
}  // namespace pianola::test
