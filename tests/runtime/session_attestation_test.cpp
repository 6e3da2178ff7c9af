// What a session makes of devices that attest less of their work than a digest, and of what it accepts at least.
#include <gtest/gtest.h>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "tests/campaign/hooked_device.h"
#include "tests/support/core_model.h"
#include "tests/support/doubles.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

constexpr std::array<Attestation, 3> kAttestations{Attestation::kNothing, Attestation::kCount, Attestation::kDigest};
constexpr std::array<Evidence, 3> kEvidences{Evidence::kNotification, Evidence::kCount, Evidence::kDigest};

// A device that attests what it is told to, and a session with it.
class Attesting {
  public:
    explicit Attesting(Attestation attestation, Evidence least = Evidence::kNotification) {
        config_.least_evidence = least;
        device_.set_description_hook(
            [attestation](DeviceDescription& description) { description.attestation = attestation; });
        device_.set_completion_hook(
            [this, attestation](std::uint32_t, std::uint32_t, Status status, Completion& completion) {
                completion.digest = (attestation == Attestation::kDigest) ? completion.digest + digest_error : 0U;
                completion.executed_commands =
                    (attestation == Attestation::kNothing) ? 0U : (completion.executed_commands + count_error);
                completion.token += is_ok(status) ? token_error : 0U;
                completion.fault = is_ok(status) ? fault : completion.fault;
                return status;
            });
        Workload workload = make_workload(2U);
        workload.manifest.target.attestation = attestation;
        file_ = std::make_unique<files::AlignedBytes>(workload.file());
    }

    Status load() { return session.load(file_->view(), *workspace_, verdict); }
    Status run() {
        const std::vector<std::uint8_t> input = workload_input(5U);
        std::vector<std::uint8_t> output(kWorkloadBytes);
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        const Status status = session.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
        EXPECT_EQ(output == workload_output(input), is_ok(status));
        return status;
    }

    std::uint64_t digest_error{0U};
    std::uint32_t count_error{0U};
    std::uint32_t token_error{0U};
    DeviceFault fault{DeviceFault::kNone};
    Verdict verdict;

  private:
    campaign::HookedDevice device_{sim::SimOptions{}};
    sim::SimPlatform platform_{device_.inner()};
    refdev::RefdevCommandSet command_set_;
    SessionConfig config_{kDevelopmentConfig};
    std::unique_ptr<files::AlignedBytes> file_;
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};

  public:
    Session session{device_, platform_, command_set_, config_};
};

TEST(SessionAttestation, DrivesNoDeviceThatAttestsTooLittle) {
    verifies({"swr~evidence~1", "rule~TGT-EVIDENCE~1"});
    for (std::size_t attests = 0U; attests < kAttestations.size(); ++attests) {
        for (std::size_t least = 0U; least < kEvidences.size(); ++least) {
            Attesting bench{kAttestations.at(attests), kEvidences.at(least)};
            const Status status = bench.load();
            if (attests >= least) {
                EXPECT_EQ(status, Status::kOk) << attests << ' ' << least;
                EXPECT_EQ(bench.run(), Status::kOk);
            } else {
                EXPECT_EQ(status, Status::kRefused) << attests << ' ' << least;
                EXPECT_STREQ(rule_id(bench.verdict.rule), "TGT-EVIDENCE");
                EXPECT_EQ(path_text(bench.verdict), "device.attestation");
                EXPECT_EQ(bench.run(), Status::kInvalidState);
            }
        }
    }
}

// Who says nothing of it, or whose configuration is damaged, gets the strictest.
TEST(SessionAttestation, AcceptsADigestOnlyUnlessItIsToldOtherwise) {
    EXPECT_EQ(SessionConfig{}.least_evidence, Evidence::kDigest);
    for (const std::uint32_t pattern : {0U, UINT32_MAX, static_cast<std::uint32_t>(Evidence::kCount) ^ 1U}) {
        EXPECT_FALSE(is_enough(Attestation::kCount, static_cast<Evidence>(pattern)));
        EXPECT_TRUE(is_enough(Attestation::kDigest, static_cast<Evidence>(pattern)));
    }
    EXPECT_FALSE(is_enough(Attestation::kUnspecified, Evidence::kCount));
}

// What is attested is compared; what is not can be anything.
TEST(SessionAttestation, ComparesWhatThereIs) {
    verifies({"swr~evidence~1"});
    for (const Attestation attestation : kAttestations) {
        Attesting wrong_digest{attestation};
        ASSERT_EQ(wrong_digest.load(), Status::kOk);
        wrong_digest.digest_error = 1U;
        EXPECT_EQ(wrong_digest.run(), (attestation == Attestation::kDigest) ? Status::kIntegrity : Status::kOk);
        Attesting wrong_count{attestation};
        ASSERT_EQ(wrong_count.load(), Status::kOk);
        wrong_count.count_error = 1U;
        EXPECT_EQ(wrong_count.run(), (attestation == Attestation::kNothing) ? Status::kOk : Status::kIntegrity);
    }
}

// A record of another notification, or one with a fault in it, is no evidence, whatever the device attests.
TEST(SessionAttestation, BelievesNoRecordOfAnotherStepOrOfAFault) {
    verifies({"swr~evidence~1"});
    for (const Attestation attestation : kAttestations) {
        for (const std::uint32_t error : {1U, UINT32_MAX, 4U}) {
            Attesting other{attestation};
            ASSERT_EQ(other.load(), Status::kOk);
            other.token_error = error;
            EXPECT_EQ(other.run(), Status::kIntegrity);
        }
        Attesting faulty{attestation};
        ASSERT_EQ(faulty.load(), Status::kOk);
        faulty.fault = DeviceFault::kBus;
        EXPECT_EQ(faulty.run(), Status::kIntegrity);
    }
}

// The reference device without its cycles.
class UnpricedCommandSet final : public ForwardingCommandSet {
  public:
    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override {
        const Status status = ForwardingCommandSet::decode(words, state, command, error);
        command.cost_cycles = 0U;
        command.core_cycles = 0U;
        return status;
    }
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& /*command*/) const noexcept override { return 0U; }
};

// Deadlines are all that bounds a step then: the integrator's, and there must be one.
TEST(SessionCosts, ThatAreNotPublishedAreZeroAndLeaveDeadlinesToTheIntegrator) {
    DeviceDescription device;
    refdev::describe(refdev::DeviceSpec{}, device);
    device.costs = CostKind::kNotPublished;
    const UnpricedCommandSet command_set;
    const auto verdict_of = [&](std::uint64_t cycles, std::uint32_t step_us, std::uint32_t setup_us) {
        Workload workload = make_workload(1U);
        workload.manifest.target.costs = CostKind::kNotPublished;
        workload.manifest.traces.at(0U).cost_cycles = 0U;
        workload.manifest.step_cycles = cycles;
        workload.manifest.step_deadline_us = step_us;
        workload.manifest.setup_deadline_us = setup_us;
        const files::AlignedBytes file{workload.file()};
        const auto workspace = std::make_unique<PlanWorkspace>();
        const auto plan = std::make_unique<Plan>();
        Image image;
        Verdict verdict;
        (void)validate(file.view(), device, command_set, kDevelopmentTrust, *workspace, image, *plan, verdict);
        EXPECT_EQ(plan->costs, CostKind::kNotPublished);
        return std::string{rule_id(verdict.rule)} + " " + path_text(verdict);
    };
    EXPECT_EQ(verdict_of(0U, 1U, 1U), "ACCEPTED ");
    EXPECT_EQ(verdict_of(1U, 1U, 1U), "BUD-CYCLES budgets.step_cycles");
    EXPECT_EQ(verdict_of(0U, 0U, 1U), "BUD-DEADLINE budgets.step_deadline_us");
    EXPECT_EQ(verdict_of(0U, 1U, 0U), "BUD-DEADLINE budgets.setup_deadline_us");
}

// An instruction takes 1 us.
TEST(SessionCosts, OfACoreHoldDeadlinesToItsClock) {
    const refdev::RefdevCommandSet command_set{kCoreModel};
    DeviceDescription device;
    refdev::describe(core_device(), device);
    Workload workload = make_core_workload();
    const capture::Manifest& manifest = workload.manifest;
    EXPECT_GT(manifest.traces.at(0U).cost_cycles, 2U * kCoreCommands.launch);
    EXPECT_EQ(manifest.step_cycles, manifest.traces.at(0U).cost_cycles + (100U + 96U) + 50U + 200U + 3U);
    const auto verdict_of = [&](std::uint64_t step_us) {
        workload.manifest.step_deadline_us = static_cast<std::uint32_t>(step_us);
        const files::AlignedBytes file{workload.file()};
        const auto workspace = std::make_unique<PlanWorkspace>();
        const auto plan = std::make_unique<Plan>();
        Image image;
        Verdict verdict;
        (void)validate(file.view(), device, command_set, kDevelopmentTrust, *workspace, image, *plan, verdict);
        return std::string{rule_id(verdict.rule)} + " " + path_text(verdict);
    };
    EXPECT_EQ(verdict_of(manifest.step_cycles), "ACCEPTED ");
    EXPECT_EQ(verdict_of(manifest.step_cycles - 1U), "BUD-DEADLINE budgets.step_deadline_us");
}

}  // namespace
}  // namespace pianola::test
