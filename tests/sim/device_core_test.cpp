// One queue's core and the word that resets it: damage of that word must not make the queue run.
#include "hal/devices/refdev/device_core.h"

#include <gtest/gtest.h>

#include <memory>

#include "hal/devices/refdev/command_processor.h"
#include "hal/devices/refdev/costs/cost_model.h"
#include "tests/support/ring.h"

namespace pianola::refdev {
namespace {

class Core : public testing::Test {
  protected:
    void SetUp() override {
        shared_->queues[0].costs = kVirtualCosts.commands;
        reset();
    }

    // As the driver does it, from whatever phase there is.
    void reset() {
        const std::uint32_t held = shared_->reset_phase.load() | 1U;
        shared_->reset_phase.store(held);
        static_cast<void>(core_.step());
        ASSERT_EQ(shared_->reset_confirmed[0].load(), held);
        shared_->queues[0].published.store(0U);
        shared_->queues[0].completed_token.store(0U);
        shared_->reset_phase.store(held + 1U);
        ASSERT_EQ(core_.step(), Progress::kExecuted);
    }
    void notify(std::uint32_t token) {
        QueueMemory& queue = shared_->queues[0];
        const std::array<std::uint32_t, kNotifyWords> words{header_word(Opcode::kNotify, kNotifyWords), token};
        queue.ring[0] = test::sealed_header(0U, words);
        queue.ring[1] = token;
        queue.published.store(kNotifyWords);
    }

    std::unique_ptr<SharedState> shared_ = std::make_unique<SharedState>();
    DeviceCore core_{0U, *shared_, nullptr};
};

// A driver that leaves out the reset has written no costs.
TEST(CoreBeforeAReset, CommandsTakeNoTime) {
    const auto shared = std::make_unique<SharedState>();
    DeviceCore core{0U, *shared, nullptr};
    QueueMemory& queue = shared->queues[0];
    const std::array<std::uint32_t, kNotifyWords> words{header_word(Opcode::kNotify, kNotifyWords), 1U};
    queue.ring[0] = test::sealed_header(0U, words);
    queue.ring[1] = words[1];
    queue.published.store(kNotifyWords);
    EXPECT_EQ(core.step(), Progress::kExecuted);
    EXPECT_EQ(queue.completed_token.load(), 1U);
    EXPECT_EQ(queue.completions[1].time_cycles, 0U);
}

TEST_F(Core, RunsAfterAReset) {
    notify(1U);
    EXPECT_EQ(core_.step(), Progress::kExecuted);
    EXPECT_EQ(shared_->queues[0].completed_token.load(), 1U);
}

// It would execute its ring from the start again: the same commands, with the same digest in the end.
TEST_F(Core, ADamagedPhaseHoldsTheQueueUntilTheNextReset) {
    constexpr std::uint32_t kBits = 32U;
    for (std::uint32_t bit = 0U; bit < kBits; ++bit) {
        notify(1U);
        shared_->reset_phase.fetch_xor(1U << bit);
        static_cast<void>(core_.step());
        EXPECT_EQ(core_.step(), Progress::kIdle) << bit;
        EXPECT_EQ(shared_->queues[0].completed_token.load(), 0U) << bit;
        reset();
        notify(2U);
        EXPECT_EQ(core_.step(), Progress::kExecuted) << bit;
        EXPECT_EQ(shared_->queues[0].completed_token.load(), 2U) << bit;
        reset();
    }
}

}  // namespace
}  // namespace pianola::refdev
