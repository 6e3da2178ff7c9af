// What a session makes of each answer of its device: calls that are refused, and completions that do not fit.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "tests/campaign/hooked_device.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using campaign::Call;
using Bytes = std::vector<std::uint8_t>;

class SessionDevice : public testing::Test {
  protected:
    Status load() { return session_.load(file_.view(), *workspace_, verdict_); }
    Status submit() {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input_.data(), input_.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output_.data(), output_.size()}};
        return session_.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    // From now on every call of this kind is answered, and not made.
    void answer(Call call, Status status) {
        device_.set_hook([call, status](Call made, std::uint32_t /*number*/) {
            return (made == call) ? std::optional<Status>{status} : std::nullopt;
        });
    }
    void expect_fault(Status status, FaultStage stage) {
        EXPECT_EQ(session_.fault().status, status);
        EXPECT_EQ(session_.fault().stage, stage);
        EXPECT_EQ(platform_.safe_state_entries(), 1U);
        EXPECT_EQ(session_.poll(), Status::kFaultLatched);
    }

    files::AlignedBytes file_{make_workload(1U, 1U).file()};
    campaign::HookedDevice device_{sim::SimOptions{}};
    sim::SimPlatform platform_{device_.inner()};
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, kDevelopmentConfig};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
    Bytes input_ = workload_input(1U);
    Bytes output_ = Bytes(kWorkloadBytes, 0x77U);
};

TEST_F(SessionDevice, ThatDoesNotDescribeItselfIsAFault) {
    verifies({"swr~regions-enforced~1"});
    answer(Call::kDescribe, Status::kTimeout);
    EXPECT_EQ(load(), Status::kDeviceFault);
    EXPECT_EQ(verdict_.status, Status::kTimeout);
    EXPECT_EQ(verdict_.rule, Rule::kNotRun);
    expect_fault(Status::kDeviceFault, FaultStage::kReset);
}

// Whatever a port answers, and wherever: load() and unload() say what they promise, and a device that was touched is no
// refusal of the binary.
TEST_F(SessionDevice, WhoseAnswersAreOutsideItsContractIsAFault) {
    const std::array<Status, 11> answers{Status::kInvalidArgument, Status::kInvalidState, Status::kRefused,
                                         Status::kCapacity,        Status::kBusy,         Status::kPending,
                                         Status::kTimeout,         Status::kDeviceFault,  Status::kIntegrity,
                                         Status::kFaultLatched,    Status::kInternal};
    constexpr std::uint32_t kMostCalls = 500U;
    for (const Status wrong : answers) {
        std::uint32_t answered = 0U;
        std::uint32_t first = device_.calls();
        bool is_past = false;
        for (std::uint32_t at = 0U; !is_past; ++at) {
            ASSERT_LT(at, kMostCalls);
            is_past = true;
            first = device_.calls();
            device_.set_hook([&, at](Call /*call*/, std::uint32_t number) {
                const bool is_it = (number - first) == at;
                is_past = is_past && !is_it;
                return is_it ? std::optional<Status>{wrong} : std::nullopt;
            });
            const std::uint32_t entries = platform_.safe_state_entries();
            const Status loaded = load();
            const Status status = is_ok(loaded) ? session_.unload() : loaded;
            device_.set_hook(nullptr);
            answered += is_past ? 0U : 1U;
            if (!is_ok(status)) {
                EXPECT_TRUE((status == Status::kTimeout) || (status == Status::kDeviceFault) ||
                            (status == Status::kIntegrity))
                    << std::hex << static_cast<std::uint32_t>(status) << " for " << static_cast<std::uint32_t>(wrong)
                    << " at call " << std::dec << at;
                EXPECT_EQ(session_.fault().status, status);
                EXPECT_EQ(platform_.safe_state_entries(), entries + 1U);
            }
        }
        EXPECT_GT(answered, 10U);
    }
}

TEST_F(SessionDevice, ThatRefusesADoorbellIsAFault) {
    verifies({"swr~whole-steps~1"});
    ASSERT_EQ(load(), Status::kOk);
    answer(Call::kRingDoorbell, Status::kBusy);
    EXPECT_EQ(submit(), Status::kDeviceFault);
    EXPECT_EQ(output_, Bytes(kWorkloadBytes, 0U));
    expect_fault(Status::kDeviceFault, FaultStage::kSubmit);
}

TEST_F(SessionDevice, ThatCannotBeServedIsAFault) {
    ASSERT_EQ(load(), Status::kOk);
    ASSERT_EQ(submit(), Status::kOk);
    answer(Call::kService, Status::kTimeout);
    EXPECT_EQ(session_.poll(), Status::kDeviceFault);
    EXPECT_EQ(output_, Bytes(kWorkloadBytes, 0U));
    expect_fault(Status::kDeviceFault, FaultStage::kStep);
}

// Regions that are too wide do no harm while a binary keeps to its own: only the comparison sees them.
TEST_F(SessionDevice, ThatEnforcesOtherRegionsDoesNotStart) {
    verifies({"swr~regions-enforced~1"});
    using Change = void (*)(RegionConfig& region);
    constexpr std::uint32_t kStep = 64U;
    const std::array<Change, 7> changes{
        [](RegionConfig& region) { region.base += kStep; },
        [](RegionConfig& region) { region.size_bytes -= kStep; },
        [](RegionConfig& region) { region.kernels_read = !region.kernels_read; },
        [](RegionConfig& region) { region.kernels_write = !region.kernels_write; },
        [](RegionConfig& region) { region.queues_read = !region.queues_read; },
        [](RegionConfig& region) { region.queues_write = !region.queues_write; },
        [](RegionConfig& region) { region.fetch = !region.fetch; },
    };
    ASSERT_EQ(load(), Status::kOk);
    const std::uint32_t regions = session_.plan().region_count;
    ASSERT_GT(regions, 1U);
    for (std::size_t change = 0U; change < changes.size(); ++change) {
        for (std::uint32_t changed = 0U; changed < regions; ++changed) {
            std::uint32_t number = 0U;
            device_.set_given_region_hook([&](RegionConfig& region) {
                if (number == changed) {
                    changes.at(change)(region);
                }
                number += 1U;
            });
            EXPECT_EQ(load(), Status::kDeviceFault) << change << " " << changed;
            EXPECT_EQ(session_.fault().stage, FaultStage::kProgram) << change << " " << changed;
            EXPECT_EQ(device_.inner().progress(), 0U) << "a command was executed";
        }
    }
    device_.set_given_region_hook(nullptr);
    EXPECT_EQ(load(), Status::kOk);
}

// The number of commands is right, and what they were is not.
TEST_F(SessionDevice, WhoseDigestDiffersHasDoneSomethingElse) {
    verifies({"swr~evidence~1"});
    ASSERT_EQ(load(), Status::kOk);
    ASSERT_EQ(submit(), Status::kOk);
    device_.set_completion_hook([](std::uint32_t, std::uint32_t, Status status, Completion& completion) {
        completion.digest ^= 1U;
        return status;
    });
    EXPECT_EQ(session_.wait(), Status::kIntegrity);
    EXPECT_EQ(output_, Bytes(kWorkloadBytes, 0U));
    expect_fault(Status::kIntegrity, FaultStage::kStep);
}

TEST_F(SessionDevice, WhoseMemoryCannotBeReadBackIsAFault) {
    ASSERT_EQ(load(), Status::kOk);
    device_.set_hook([](Call made, std::uint32_t /*number*/) {  // nor is it seen
        return ((made == Call::kReadBack) || (made == Call::kHostView)) ? std::optional<Status>{Status::kTimeout}
                                                                        : std::nullopt;
    });
    EXPECT_EQ(session_.scrub(), Status::kDeviceFault);
    expect_fault(Status::kDeviceFault, FaultStage::kScrub);
}

TEST_F(SessionDevice, WithoutABinaryTakesNoCalls) {
    EXPECT_EQ(session_.scrub(), Status::kInvalidState);
    EXPECT_EQ(session_.scrub_calls(), 0U);
    EXPECT_EQ(session_.self_test({output_.data(), output_.size()}), Status::kInvalidState);
    EXPECT_EQ(session_.self_test(0U, {output_.data(), output_.size()}), Status::kInvalidState);
    EXPECT_EQ(session_.start({}), Status::kInvalidState);
    EXPECT_EQ(session_.stop({}), Status::kInvalidState);
    EXPECT_EQ(submit(), Status::kInvalidState);
    EXPECT_EQ(session_.output_bytes(), 0U);
}

TEST_F(SessionDevice, IsVerifiedAfterItHasCompleted) {
    ASSERT_EQ(load(), Status::kOk);
    ASSERT_EQ(submit(), Status::kOk);
    EXPECT_FALSE(session_.is_verifying());
    std::uint32_t verifying = 0U;
    Status status = Status::kPending;
    while (status == Status::kPending) {
        status = session_.poll();
        verifying += session_.is_verifying() ? 1U : 0U;
        platform_.idle();
    }
    EXPECT_EQ(status, Status::kOk);
    EXPECT_EQ(verifying + 1U, session_.scrub_calls()) << "the last slice releases";
    EXPECT_FALSE(session_.is_verifying());
    EXPECT_EQ(output_, workload_output(input_));
}

// Its own answer to a self-test that another step keeps from starting, and what a repeated one leaves confirmed.
TEST_F(SessionDevice, SelfTestsConfirmOnceAndForAll) {
    ASSERT_EQ(load(), Status::kOk);
    ASSERT_EQ(submit(), Status::kOk);
    Bytes scratch(kWorkloadBytes);
    EXPECT_EQ(session_.self_test({scratch.data(), scratch.size()}), Status::kInvalidState);
    ASSERT_EQ(session_.wait(), Status::kOk);
    EXPECT_EQ(session_.confirm_start(), Status::kInvalidState);
    EXPECT_EQ(session_.self_test({scratch.data(), scratch.size()}), Status::kOk);
    EXPECT_EQ(session_.confirm_start(), Status::kOk);
    EXPECT_EQ(session_.self_test({scratch.data(), scratch.size()}), Status::kOk);
    EXPECT_EQ(session_.confirm_start(), Status::kOk);
    EXPECT_EQ(session_.self_test({scratch.data(), scratch.size() - 1U}), Status::kInvalidArgument);
}

TEST_F(SessionDevice, WithoutPrologueAndEpilogueIsNotStopped) {
    ASSERT_EQ(load(), Status::kOk);
    ASSERT_EQ(submit(), Status::kOk);
    ASSERT_EQ(session_.wait(), Status::kOk);
    EXPECT_EQ(session_.stop({}), Status::kInvalidState);
    EXPECT_EQ(session_.start({}), Status::kInvalidState);
}

TEST_F(SessionDevice, ThatCannotBeReadBackDoesNotStart) {
    answer(Call::kReadBack, Status::kTimeout);
    EXPECT_EQ(load(), Status::kDeviceFault);
    expect_fault(Status::kDeviceFault, FaultStage::kReadBack);
}

TEST_F(SessionDevice, HasTheSelfTestsOfTheBinary) {
    verifies({"swr~self-test~1"});
    ASSERT_EQ(load(), Status::kOk);
    EXPECT_EQ(session_.self_test_count(), 1U);
    EXPECT_EQ(session_.self_tests().size(), 2U * kWorkloadBytes);
    EXPECT_EQ(workspace_->image.self_test_origin(0U), SelfTestOrigin::kCaptured);
}

// What the set-up has written is damaged before it is read back: the record says where.
TEST_F(SessionDevice, WhoseMemoryIsNotAsWrittenDoesNotStart) {
    bool is_damaged = false;
    device_.set_hook([this, &is_damaged](Call call, std::uint32_t /*number*/) -> std::optional<Status> {
        if ((call == Call::kReadBack) && !is_damaged) {
            is_damaged = true;
            const refdev::DeviceSpec spec;
            std::uint8_t* const memory = device_.inner().memory_at(spec.dram_base, spec.dram_bytes);
            memory[spec.dram_bytes - spec.trace_region_bytes] ^= 1U;
        }
        return std::nullopt;
    });
    EXPECT_EQ(load(), Status::kIntegrity);
    EXPECT_EQ(session_.fault().address, session_.plan().trace_region_base);
    expect_fault(Status::kIntegrity, FaultStage::kReadBack);
}

// Every property of a region that the device says it enforces is compared: one that differs is enough.
TEST_F(SessionDevice, ThatEnforcesAnotherRegionDoesNotStart) {
    verifies({"swr~regions-enforced~1"});
    using Change = void (*)(RegionConfig&);
    const std::array<Change, 7> changes{
        [](RegionConfig& region) { region.base += kFileAlignmentBytes; },
        [](RegionConfig& region) { region.size_bytes -= 1U; },
        [](RegionConfig& region) { region.kernels_read = !region.kernels_read; },
        [](RegionConfig& region) { region.kernels_write = !region.kernels_write; },
        [](RegionConfig& region) { region.queues_read = !region.queues_read; },
        [](RegionConfig& region) { region.queues_write = !region.queues_write; },
        [](RegionConfig& region) { region.fetch = !region.fetch; },
    };
    for (std::size_t i = 0U; i < changes.size(); ++i) {
        device_.set_region_hook([change = changes.at(i)](Status status, RegionConfig& region) {
            change(region);
            return status;
        });
        EXPECT_EQ(load(), Status::kDeviceFault) << i;
        EXPECT_EQ(session_.fault().stage, FaultStage::kProgram) << i;
        EXPECT_EQ(submit(), Status::kFaultLatched) << i;
    }
    device_.set_region_hook({});
    EXPECT_EQ(load(), Status::kOk);
}

TEST_F(SessionDevice, ThatDoesNotSayWhatItEnforcesDoesNotStart) {
    verifies({"swr~regions-enforced~1"});
    device_.set_region_hook([](Status /*status*/, RegionConfig& /*region*/) { return Status::kInvalidArgument; });
    EXPECT_EQ(load(), Status::kDeviceFault);
    expect_fault(Status::kDeviceFault, FaultStage::kProgram);
}

// Memory that begins elsewhere, or ends elsewhere, for an input or an output: nothing is submitted.
TEST_F(SessionDevice, ThatWouldUseOtherMemoryIsAFault) {
    verifies({"swr~bound-memory~1"});
    const Bytes other(kWorkloadBytes);
    for (const Call bound : {Call::kBoundSource, Call::kBoundDestination}) {
        for (const bool elsewhere : {false, true}) {
            device_.set_bound_hook({});
            ASSERT_EQ(load(), Status::kOk);
            output_.assign(kWorkloadBytes, 0x77U);
            device_.set_bound_hook([&](Call call, ByteSpan& memory) {
                if (call == bound) {
                    memory = elsewhere ? ByteSpan{other.data(), memory.size()} : memory.subspan(0U, memory.size() - 1U);
                }
            });
            EXPECT_EQ(submit(), Status::kDeviceFault);
            EXPECT_EQ(session_.fault().stage, FaultStage::kSubmit);
            EXPECT_EQ(output_, Bytes(kWorkloadBytes, 0U));
        }
    }
}

// It says that it has let go of the input, or of the output, and has not.
TEST_F(SessionDevice, ThatKeepsMemoryIsAFault) {
    verifies({"swr~bound-memory~1"});
    for (const Call kept : {Call::kBoundSource, Call::kBoundDestination}) {
        device_.set_bound_hook({});
        ASSERT_EQ(load(), Status::kOk);
        output_.assign(kWorkloadBytes, 0x77U);
        ASSERT_EQ(submit(), Status::kOk);
        device_.set_bound_hook([this, kept](Call call, ByteSpan& memory) {
            if (call == kept) {
                memory = ByteSpan{output_.data(), output_.size()};
            }
        });
        EXPECT_EQ(session_.wait(), Status::kDeviceFault);
        EXPECT_EQ(output_, Bytes(kWorkloadBytes, 0U));
        EXPECT_EQ(session_.fault().stage, FaultStage::kStep);
    }
}

// Views are looked at once the set-up has been read back. Steps do without them.
TEST_F(SessionDevice, WhoseViewsCannotBeReadBackHasNone) {
    verifies({"swr~views~1"});
    ASSERT_EQ(load(), Status::kOk);
    ASSERT_TRUE(session_.has_views());
    bool looks = false;
    device_.set_hook([&looks](Call call, std::uint32_t /*number*/) {
        looks = looks || (call == Call::kHostView);
        return (looks && (call == Call::kReadBack)) ? std::optional<Status>{Status::kTimeout} : std::nullopt;
    });
    ASSERT_EQ(load(), Status::kOk);
    EXPECT_FALSE(session_.has_views());
    device_.set_hook({});
    ASSERT_EQ(submit(), Status::kOk);
    ASSERT_EQ(session_.wait(), Status::kOk);
    EXPECT_EQ(output_, workload_output(input_));
}

}  // namespace
}  // namespace pianola::test
