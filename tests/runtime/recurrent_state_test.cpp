// Regions of state: set-up writes them, the device may write them, and steps hand them on. What is compared with the
// file for as long as the session lives is everything but them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/rule_case.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

// The workload whose constant lies in a region of state.
class RecurrentState : public testing::Test {
  protected:
    RecurrentState() {
        for (capture::ManifestRegion& region : workload_.manifest.regions) {
            if (region.kind == RegionKind::kWeights) {
                region.kind = RegionKind::kState;
                address_ = region.base;
            }
        }
    }

    // One step; the input is always the same.
    std::vector<std::uint8_t> step() {
        std::vector<std::uint8_t> output(kWorkloadBytes);
        EXPECT_EQ(bench_.run(workload_input(5U), output), Status::kOk);
        return output;
    }
    // All of the comparison in the background.
    Status scrub() {
        Status status = Status::kPending;
        while (status == Status::kPending) {
            status = bench_.session.scrub();
        }
        return status;
    }

    Workload workload_{make_workload(1U)};
    std::uint32_t address_{0U};
    Bench bench_{sim::SimOptions{}};
};

TEST_F(RecurrentState, IsWrittenAtSetUpAndRead) {
    verifies({"swr~no-unwritten-reads~1"});
    const files::AlignedBytes file{workload_.file()};
    ASSERT_EQ(bench_.load(file.view()), Status::kOk) << rule_id(bench_.verdict.rule);
    EXPECT_EQ(step(), workload_output(workload_input(5U)));
}

TEST_F(RecurrentState, IsComparedBeforeAStepAndNotByTheScrub) {
    const files::AlignedBytes file{workload_.file()};
    ASSERT_EQ(bench_.load(file.view()), Status::kOk);
    std::uint8_t* const state = bench_.device.memory_at(address_, 1U);
    *state = static_cast<std::uint8_t>(*state ^ 0x40U);
    EXPECT_EQ(scrub(), Status::kOk);
    std::vector<std::uint8_t> withheld(kWorkloadBytes);
    EXPECT_EQ(bench_.run(workload_input(5U), withheld), Status::kIntegrity) << "but before the next step";
    // The same in a region of weights, which the scrub compares too.
    Bench other{sim::SimOptions{}};
    const files::AlignedBytes with_weights{make_workload(1U).file()};
    ASSERT_EQ(other.load(with_weights.view()), Status::kOk);
    std::uint8_t* const weight = other.device.memory_at(address_, 1U);
    *weight = static_cast<std::uint8_t>(*weight ^ 0x40U);
    std::vector<std::uint8_t> output(kWorkloadBytes);
    EXPECT_EQ(other.session.scrub(), Status::kIntegrity);
    EXPECT_EQ(other.run(workload_input(5U), output), Status::kFaultLatched);
}

// Two writes to one byte, in whatever regions: which of them counts would be nobody's to say.
TEST_F(RecurrentState, IsWrittenOnce) {
    verifies({"swr~state-is-reset~1"});
    Workload twice = workload_;
    auto& setup =
        *std::find_if(twice.manifest.scripts.begin(), twice.manifest.scripts.end(),
                      [](const capture::ManifestScript& script) { return script.kind == ScriptKind::kSetup; });
    const auto write = std::find_if(setup.commands.begin(), setup.commands.end(), [](const auto& command) {
        return command.kind == ScriptCommandKind::kWriteBuffer;
    });
    ASSERT_NE(write, setup.commands.end());
    setup.commands.insert(write, *write);
    const files::AlignedBytes file{twice.file()};
    EXPECT_EQ(bench_.load(file.view()), Status::kRefused);
    EXPECT_STREQ(rule_id(bench_.verdict.rule), "SCR-WEIGHTS-ONCE");
}

}  // namespace
}  // namespace pianola::test
