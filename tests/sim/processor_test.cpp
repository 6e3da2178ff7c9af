// One command processor on a ring that the test writes by itself: what no Device lets through, and what no timing may
// decide.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "hal/devices/refdev/command_processor.h"
#include "hal/devices/refdev/costs/cost_model.h"
#include "tests/support/ring.h"
#include "tests/support/virtual_costs.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kLater = 1000U;  // cycles

using test::sealed_header;

class Processor : public testing::Test {
  protected:
    // Puts a command, of which `words` begins with header_word(), into the ring and rings the doorbell at a device
    // time.
    void publish(std::vector<std::uint32_t> words, std::uint32_t doorbell_cycles) {
        words.front() = sealed_header(number_, WordSpan{words.data(), words.size()});
        number_ += 1U;
        publish_raw(words, doorbell_cycles);
    }
    void publish_raw(const std::vector<std::uint32_t>& words, std::uint32_t doorbell_cycles) {
        shared_->doorbell_cycles.at(doorbell_slot(written_)) = doorbell_cycles;
        for (const std::uint32_t word : words) {
            shared_->ring.at(written_ % kRingWords) = word;
            written_ += 1U;
        }
        shared_->published.store(written_);
    }
    DeviceFault fault_of(const std::vector<std::uint32_t>& words) {
        publish_raw(words, 0U);
        EXPECT_EQ(processor_.step(), Progress::kStopped);
        EXPECT_EQ(shared_->stopped.load(), 1U);
        EXPECT_EQ(processor_.step(), Progress::kStopped);
        return shared_->fault.fault;
    }
    DeviceFault fault_of_next(const std::vector<std::uint32_t>& command) {
        shared_->fault = Completion{};
        publish(command, 0U);
        EXPECT_EQ(processor_.step(), Progress::kStopped);
        return shared_->fault.fault;
    }

    // As the driver leaves it after a reset.
    [[nodiscard]] static std::unique_ptr<QueueMemory> make_queue() {
        auto queue = std::make_unique<QueueMemory>();
        queue->costs = kVirtualCosts.commands;
        return queue;
    }

    std::unique_ptr<QueueMemory> shared_ = make_queue();
    EventFile events_;
    DeviceMemory memory_;
    HostMemory host_;
    CommandProcessor processor_{0U, *shared_, events_, memory_, host_, nullptr};
    std::uint32_t written_{0U};
    std::uint32_t number_{0U};  // of the next command
};

// Whether the processor has seen its ring empty in between is a matter of luck where it has a thread of its own.
TEST_F(Processor, WorkAfterANotifyStartsAtItsDoorbellWhoeverIsFaster) {
    const std::vector<std::uint32_t> notify{header_word(Opcode::kNotify, kNotifyWords), 1U};
    publish(notify, 0U);
    ASSERT_EQ(processor_.step(), Progress::kExecuted);
    publish(notify, kLater);
    ASSERT_EQ(processor_.step(), Progress::kExecuted);
    EXPECT_EQ(shared_->completions[1].time_cycles, kLater + kCommandCycles);
}

// A doorbell's time is that of its own work, and not of work that was published before and is still waiting.
TEST_F(Processor, ALaterDoorbellDoesNotHoldBackEarlierWork) {
    publish({header_word(Opcode::kNotify, kNotifyWords), 1U}, 0U);
    publish({header_word(Opcode::kNotify, kNotifyWords), 2U}, kLater);
    ASSERT_EQ(processor_.step(), Progress::kExecuted);
    EXPECT_EQ(shared_->completions.at(1U % kMaxStepsInFlight).time_cycles, kCommandCycles);
    ASSERT_EQ(processor_.step(), Progress::kExecuted);
    EXPECT_EQ(shared_->completions.at(2U % kMaxStepsInFlight).time_cycles, kLater + kCommandCycles);
}

// However far the recording queue has gone on when somebody gets round to waiting: 63 records further at most, and also
// where counters wrap.
TEST_F(Processor, AWaitEndsAtTheTimeOfItsOwnRecord) {
    constexpr std::uint32_t kFirst = 0xFFFF'FFF0U;
    for (std::uint32_t record = 0U; record < kKeptRecords; ++record) {
        publish({header_word(Opcode::kRecordEvent, kEventWords), 0U, kFirst + record}, 0U);
        ASSERT_EQ(processor_.step(), Progress::kExecuted);
    }
    for (const std::uint32_t record : {0U, 20U, 63U}) {
        const auto waiting = make_queue();
        CommandProcessor other{1U, *waiting, events_, memory_, host_, nullptr};
        const std::array<std::uint32_t, kEventWords> wait{header_word(Opcode::kWaitEvent, kEventWords), 0U,
                                                          kFirst + record};
        const std::array<std::uint32_t, kNotifyWords> notify{header_word(Opcode::kNotify, kNotifyWords), 1U};
        waiting->ring = {sealed_header(0U, wait), wait[1], wait[2], sealed_header(1U, notify), notify[1]};
        waiting->published.store(kEventWords + kNotifyWords);
        ASSERT_EQ(other.step(), Progress::kExecuted);
        ASSERT_EQ(other.step(), Progress::kExecuted);
        // The record's end, the wait, the notify.
        EXPECT_EQ(waiting->completions[1].time_cycles, std::uint64_t{kCommandCycles} * (record + 3U)) << record;
    }
}

// Any bit of either word: a wait that would have ended too early would read what has not been written.
TEST_F(Processor, ADamagedEventLetsNobodyPass) {
    const std::vector<std::uint32_t> wait{header_word(Opcode::kWaitEvent, kEventWords), 0U, 1U};
    publish(wait, 0U);
    constexpr std::uint32_t kBits = 32U;
    for (std::uint32_t bit = 0U; bit < kBits; ++bit) {
        for (std::atomic<std::uint32_t>* const word : {&events_[0].counter, &events_[0].copy}) {
            word->fetch_xor(1U << bit);
            ASSERT_EQ(processor_.step(), Progress::kWaiting) << bit;
            word->fetch_xor(1U << bit);
        }
    }
    events_[0].copy.store(1U);
    events_[0].counter.store(1U);
    EXPECT_EQ(processor_.step(), Progress::kExecuted);
}

TEST_F(Processor, CommandsWrapRoundTheRing) {
    for (std::uint32_t token = 1U; token <= kRingWords; ++token) {
        publish({header_word(Opcode::kRecordEvent, kEventWords), 0U, token}, 0U);
        ASSERT_EQ(processor_.step(), Progress::kExecuted);
        ASSERT_EQ(events_[0].counter.load(), token);
        ASSERT_EQ(processor_.step(), Progress::kIdle);
    }
    EXPECT_EQ(shared_->consumed.load(), kRingWords * kEventWords);
}

TEST_F(Processor, GarbageInTheRingStopsTheQueue) {
    EXPECT_EQ(fault_of({0xFFFF'FFFFU}), DeviceFault::kUnknownCommand);
}
TEST_F(Processor, ZeroIsNoCommand) {
    EXPECT_EQ(fault_of({0U}), DeviceFault::kUnknownCommand);
}
TEST_F(Processor, ACommandThatIsNotWhollyPublishedStopsTheQueue) {
    EXPECT_EQ(fault_of({header_word(Opcode::kNotify, kNotifyWords)}), DeviceFault::kUnknownCommand);
}
TEST_F(Processor, ACommandWithoutItsCheckStopsTheQueue) {
    EXPECT_EQ(fault_of({header_word(Opcode::kNotify, kNotifyWords), 1U}), DeviceFault::kUnknownCommand);
}
TEST_F(Processor, TraceCommandsInTheRingStopTheQueue) {
    EXPECT_EQ(fault_of({sealed_header(0U, std::array<std::uint32_t, 4>{header_word(Opcode::kFill, kFillWords), 0U, 4U}),
                        0U, 4U, 0U}),
              DeviceFault::kUnknownCommand);
}

// Of every kind of command every bit, whatever its operands: nothing of it is done, a wait that may not end included.
TEST_F(Processor, ACommandWithAChangedBitIsNotExecuted) {
    const std::vector<std::vector<std::uint32_t>> commands{
        {header_word(Opcode::kWrite, kTransferWords), 0x8000'0000U, 64U, 1U, 0U},
        {header_word(Opcode::kRead, kTransferWords), 0U, UINT32_MAX, 0U, 0x5555'5555U},
        {header_word(Opcode::kReplay, kReplayWords), 0x8000'0000U, 64U},
        {header_word(Opcode::kRecordEvent, kEventWords), 0U, 1U},
        {header_word(Opcode::kWaitEvent, kEventWords), 0U, 1U},
        {header_word(Opcode::kNotify, kNotifyWords), 1U}};
    constexpr std::uint32_t kWordBits = 32U;
    for (const std::vector<std::uint32_t>& command : commands) {
        for (std::uint32_t bit = 0U; bit < (command.size() * kWordBits); ++bit) {
            processor_.reset();
            written_ = 0U;
            number_ = 0U;
            publish(command, 0U);
            shared_->ring.at(bit / kWordBits) ^= 1U << (bit % kWordBits);
            shared_->published.store(kRingWords);  // so that no length is missing words
            shared_->fault = Completion{};
            ASSERT_EQ(processor_.step(), Progress::kStopped) << bit;
            ASSERT_EQ(shared_->fault.fault, DeviceFault::kUnknownCommand) << bit;
            ASSERT_EQ(shared_->fault.fault_command, 0U) << bit;
            ASSERT_EQ(events_[0].counter.load(), 0U) << bit;
        }
    }
}

// A word of the ring's end that is damaged publishes what lies there from the round before, or from the command before.
TEST_F(Processor, ACommandCountsInItsTurnOnly) {
    for (std::uint32_t count = 0U; count < (kRingWords / kNotifyWords); ++count) {
        publish({header_word(Opcode::kNotify, kNotifyWords), 1U}, 0U);
        ASSERT_EQ(processor_.step(), Progress::kExecuted);
    }
    shared_->published.store(kRingWords + kNotifyWords);  // the first one again
    EXPECT_EQ(processor_.step(), Progress::kStopped);
    EXPECT_EQ(shared_->fault.fault, DeviceFault::kUnknownCommand);

    processor_.reset();
    written_ = 0U;
    number_ = 0U;
    publish({header_word(Opcode::kNotify, kNotifyWords), 1U}, 0U);
    shared_->ring[kNotifyWords] = shared_->ring[0];
    shared_->ring[kNotifyWords + 1U] = shared_->ring[1];
    shared_->published.store(2U * kNotifyWords);  // doubled
    EXPECT_EQ(processor_.step(), Progress::kExecuted);
    EXPECT_EQ(processor_.step(), Progress::kStopped);

    processor_.reset();
    written_ = 0U;
    number_ = 1U;  // the one before was lost
    EXPECT_EQ(fault_of_next({header_word(Opcode::kNotify, kNotifyWords), 1U}), DeviceFault::kUnknownCommand);
}

}  // namespace
}  // namespace pianola::refdev
