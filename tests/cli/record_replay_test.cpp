// Records that several simulators replay at once: what one simulator gives, and no data race (ThreadSanitizer).
#include "capture_host/cli/record_replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "hal/devices/refdev/host/refdev_target.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using replay::Replay;
using replay::Tensors;

constexpr std::uint32_t kRecords = 60U;
constexpr std::uint32_t kRepeats = 2U;

class Records : public testing::Test {
  protected:
    Records() {
        for (std::uint32_t i = 0U; i < kRecords; ++i) {
            inputs_.push_back({workload_input(i + 1U)});
        }
    }

    [[nodiscard]] std::unique_ptr<Replay> made() const {
        auto replay = std::make_unique<Replay>(ByteSpan{file_.data(), file_.size()}, refdev::target(),
                                               refdev::target().usual_device(), simulator_);
        replay->load();
        return replay;
    }

    [[nodiscard]] cli::SideBySide by(std::uint32_t jobs) {
        const std::unique_ptr<Replay> first = made();
        others_ = 0U;
        done_.clear();
        return cli::replay_side_by_side(
            *first, inputs_, {kRepeats, false, true}, jobs,
            [this] {
                others_ += 1U;
                return made();
            },
            [this](std::size_t count) { done_.push_back(count); });
    }

    // The status with which it stops; kOk if it does not.
    [[nodiscard]] Status stopped_by(std::uint32_t jobs) {
        try {
            (void)by(jobs);
            return Status::kOk;
        } catch (const replay::Stopped& stopped) {
            return stopped.status();
        }
    }

    std::vector<std::uint8_t> file_{make_workload(2U).file()};
    SimulatorOptions simulator_;
    std::vector<Tensors> inputs_;
    std::atomic<std::uint32_t> others_{0U};  // replays that were made beside the first
    std::vector<std::size_t> done_;
};

TEST_F(Records, AnyNumberOfJobsGivesTheSame) {
    const cli::SideBySide one = by(1U);
    ASSERT_EQ(one.outputs.size(), kRecords);
    EXPECT_EQ(others_, 0U);
    EXPECT_EQ(one.cycles, std::uint64_t{kRecords} * kRepeats * one.step_cycles);
    for (const std::uint32_t jobs : {2U, 5U, kRecords + 1U}) {
        const cli::SideBySide several = by(jobs);
        EXPECT_LT(others_, std::min(jobs, kRecords)) << "one of them replays on the first";
        EXPECT_EQ(several.outputs, one.outputs);
        EXPECT_EQ(several.step_cycles, one.step_cycles);
        EXPECT_EQ(several.cycles, one.cycles);
        ASSERT_EQ(done_.size(), kRecords);
        EXPECT_TRUE(std::is_sorted(done_.begin(), done_.end()));
    }
    for (std::uint32_t i = 0U; i < kRecords; ++i) {
        EXPECT_EQ(one.outputs[i].front(), workload_output(inputs_[i].front()));
    }
}

TEST_F(Records, MayRunTheirQueuesInThreadsToo) {
    simulator_.threaded = true;
    const cli::SideBySide one = by(1U);
    EXPECT_EQ(by(3U).outputs, one.outputs);
}

TEST_F(Records, TheFirstOneThatFailsDecides) {
    inputs_[40].front().pop_back();  // the session refuses the call
    EXPECT_EQ(stopped_by(1U), Status::kInvalidArgument);
    EXPECT_EQ(done_.size(), 40U);
    for (const std::uint32_t jobs : {2U, 5U, kRecords}) {
        EXPECT_EQ(stopped_by(jobs), Status::kInvalidArgument);
        EXPECT_GE(done_.size(), 40U) << "all before it are replayed";
        EXPECT_LT(done_.size(), kRecords);
    }
}

// The second replay is not loaded, and is made only when the first one has replayed all other records and fails; its
// record is the earlier one.
TEST_F(Records, AnEarlierOneDecidesThoughItFailsLater) {
    constexpr std::uint32_t kTries = 20U;  // the second thread may begin after the first one has taken all records
    constexpr std::uint32_t kLong = 500U;  // replays of each record, so that this is rare
    static constexpr std::chrono::milliseconds kToFail{50};
    inputs_.back().front().pop_back();
    std::atomic<std::size_t> done{0U};
    const auto make = [this, &done] {
        while (done < (kRecords - 2U)) {
            std::this_thread::yield();
        }
        std::this_thread::sleep_for(kToFail);
        return std::make_unique<Replay>(ByteSpan{file_.data(), file_.size()}, refdev::target(),
                                        refdev::target().usual_device());
    };
    Status status = Status::kInvalidArgument;  // of the last record
    for (std::uint32_t i = 0U; (i < kTries) && (status == Status::kInvalidArgument); ++i) {
        const std::unique_ptr<Replay> first = made();
        done = 0U;
        try {
            (void)cli::replay_side_by_side(*first, inputs_, {kLong, false, true}, 2U, make,
                                           [&done](std::size_t count) { done = count; });
            FAIL() << "a record fails";
        } catch (const replay::Stopped& stopped) {
            status = stopped.status();
        }
    }
    EXPECT_EQ(status, Status::kInvalidState);
}

TEST_F(Records, AReplayThatCannotBeMadeEndsTheRun) {
    const std::unique_ptr<Replay> first = made();
    const auto fail = []() -> std::unique_ptr<Replay> { throw replay::NotOffered{"no room"}; };
    bool is_thrown = false;
    try {
        (void)cli::replay_side_by_side(*first, inputs_, {1U, false, true}, 4U, fail, [](std::size_t) {});
    } catch (const replay::NotOffered&) {
        is_thrown = true;
    }
    // The first replay may have taken all records before another thread has begun.
    EXPECT_TRUE(is_thrown || (first->session().steps_completed() == kRecords));
}

TEST_F(Records, NothingHasNoRecordToFail) {
    inputs_.clear();
    EXPECT_TRUE(by(4U).outputs.empty());
    EXPECT_EQ(others_, 0U);
}

}  // namespace
}  // namespace pianola::test
