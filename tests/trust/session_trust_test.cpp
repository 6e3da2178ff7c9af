// What a session makes of signatures and security versions: which binaries it loads, and when nothing older may come
// back.
#include <gtest/gtest.h>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/session.h"
#include "pianola_host/files.h"
#include "tests/support/nested_calls.h"
#include "tests/support/verifies.h"
#include "tests/trust/signed_file.h"

namespace pianola::test {
namespace {

using signing::Key;
using signing::KeyKind;

class SessionTrust : public testing::Test {
  protected:
    SessionTrust() { keys_.add(key_); }

    Status load(const signing::Bytes& file) {
        file_ = std::make_unique<files::AlignedBytes>(file);
        return session_.load(file_->view(), *workspace_, verdict_);
    }
    Status self_test() { return session_.self_test({scratch_.data(), scratch_.size()}); }
    Status run() {
        const std::vector<std::uint8_t> input = workload_input(1U);
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{scratch_.data(), scratch_.size()}};
        return session_.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }

    Key key_ = Key::generate(KeyKind::kP256);
    Keys keys_;
    sim::SimDevice device_{sim::SimOptions{}};
    sim::SimPlatform platform_{device_};
    refdev::RefdevCommandSet command_set_;
    SessionConfig config_{keys_.trust(), Release::kVerified};
    Session session_{device_, platform_, command_set_, config_};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    std::unique_ptr<files::AlignedBytes> file_;
    std::vector<std::uint8_t> scratch_ = std::vector<std::uint8_t>(kWorkloadBytes);
    Verdict verdict_;

    void SetUp() override { config_.trust = keys_.trust(); }
};

TEST_F(SessionTrust, LoadsWhatIsSignedAndNothingElse) {
    verifies({"swr~signatures~1"});
    ASSERT_EQ(load(signed_workload(key_)), Status::kOk);
    EXPECT_EQ(run(), Status::kOk);
    EXPECT_EQ(load(make_workload(1U).file()), Status::kRefused);
    EXPECT_STREQ(rule_id(verdict_.rule), "AUT-UNSIGNED");
    EXPECT_FALSE(session_.is_loaded());
    EXPECT_EQ(run(), Status::kInvalidState);
    EXPECT_EQ(platform_.safe_state_entries(), 0U) << "a refusal is no fault: the device was not touched";
}

TEST_F(SessionTrust, RefusesEverythingWhereTheCounterCanNotBeRead) {
    verifies({"rule~AUT-COUNTER~1"});
    platform_.set_security_counter(0U, Status::kTimeout);
    EXPECT_EQ(load(signed_workload(key_, 9U)), Status::kRefused);
    EXPECT_STREQ(rule_id(verdict_.rule), "AUT-COUNTER");
    platform_.set_security_counter(0U);
    EXPECT_EQ(load(signed_workload(key_, 9U)), Status::kOk);
}

class NestingVerifier final : public SignatureVerifier {
  public:
    explicit NestingVerifier(NestedCalls& calls) : calls_{calls} {}
    Status verify(const Sha256Digest& digest, const Signature& signature,
                  const PublicKey& key) const noexcept override {
        calls_.make();
        return verifier_.verify(digest, signature, key);
    }

  private:
    NestedCalls& calls_;
    BearSslVerifier verifier_;
};

TEST_F(SessionTrust, NothingDependsOnAVerifierAndACounterThatCallBack) {
    verifies({"swr~not-reentered~1"});
    constexpr std::uint32_t kVersion = 5U;
    const files::AlignedBytes file{signed_workload(key_, kVersion, 1U)};
    NestedCalls nested{file.view(), kWorkloadBytes, kWorkloadBytes};
    const NestingVerifier verifier{nested};
    NestingPlatform platform{platform_, nested};
    config_.trust.verifier = &verifier;
    Session session{device_, platform, command_set_, config_};
    nested.make_on(session, *workspace_, verdict_);
    ASSERT_EQ(session.load(file.view(), *workspace_, verdict_), Status::kOk);
    ASSERT_EQ(session.self_test({scratch_.data(), scratch_.size()}), Status::kOk);
    const std::uint32_t before = nested.times();
    ASSERT_EQ(session.confirm_start(), Status::kOk);
    EXPECT_EQ(nested.times(), before + 2U) << "the counter is read, and raised";
    EXPECT_EQ(platform_.security_counter(), kVersion);
    EXPECT_EQ(platform_.safe_state_entries(), 0U);
}

// A counter that one of the two reads misses: leaves alone, or takes for zero.
class ForgetfulPlatform final : public Platform {
  public:
    ForgetfulPlatform(std::uint32_t counter, std::uint32_t missed_read, bool leaves_alone)
        : counter_{counter}, missed_read_{missed_read}, leaves_alone_{leaves_alone} {}

    [[nodiscard]] std::uint64_t now_us() noexcept override { return now_us_++; }
    void idle() noexcept override {}
    void serve_watchdog() noexcept override {}
    void enter_safe_state(const FaultRecord& /*fault*/) noexcept override {}
    Status raise_security_version(std::uint32_t /*version*/) noexcept override { return Status::kOk; }
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        reads_ += 1U;
        if (reads_ != missed_read_) {
            version = counter_;
        } else if (!leaves_alone_) {
            version = 0U;
        }
        return Status::kOk;
    }

  private:
    std::uint32_t counter_;
    std::uint32_t missed_read_;
    bool leaves_alone_;
    std::uint32_t reads_{0U};
    std::uint64_t now_us_{0U};
};

TEST_F(SessionTrust, OneReadOfTheCounterThatGoesWrongLetsNothingOlderPass) {
    verifies({"swr~validate-twice~1", "swr~no-older-version~1"});
    for (const std::uint32_t missed : {1U, 2U}) {
        for (const bool leaves_alone : {false, true}) {
            ForgetfulPlatform platform{3U, missed, leaves_alone};
            Session session{device_, platform, command_set_, config_};
            const files::AlignedBytes older{signed_workload(key_, 2U)};
            EXPECT_EQ(session.load(older.view(), *workspace_, verdict_), Status::kRefused) << missed << leaves_alone;
            EXPECT_STREQ(rule_id(verdict_.rule), "AUT-VERSION");
            EXPECT_FALSE(session.is_loaded());
        }
    }
}

TEST_F(SessionTrust, RefusesWhatIsOlderThanTheCounterOrTheConfiguration) {
    verifies({"swr~no-older-version~1"});
    platform_.set_security_counter(3U);
    EXPECT_EQ(load(signed_workload(key_, 2U)), Status::kRefused);
    EXPECT_STREQ(rule_id(verdict_.rule), "AUT-VERSION");
    EXPECT_EQ(verdict_.limit, 3U);
    EXPECT_EQ(load(signed_workload(key_, 3U)), Status::kOk) << "equal passes";
    config_.trust.lowest_security_version = 4U;
    EXPECT_EQ(load(signed_workload(key_, 3U)), Status::kRefused);
    EXPECT_EQ(verdict_.limit, 4U);
}

TEST_F(SessionTrust, TheCounterRisesOnlyBehindAConfirmedGoodStart) {
    verifies({"swr~no-older-version~1"});
    EXPECT_EQ(session_.confirm_start(), Status::kInvalidState) << "nothing is loaded";
    ASSERT_EQ(load(signed_workload(key_, 5U, 2U)), Status::kOk);
    EXPECT_EQ(session_.confirm_start(), Status::kInvalidState) << "nothing has been tested";
    ASSERT_EQ(run(), Status::kOk);
    EXPECT_EQ(session_.confirm_start(), Status::kInvalidState) << "there are vectors";
    EXPECT_EQ(session_.self_test(0U, {scratch_.data(), scratch_.size()}), Status::kOk);
    EXPECT_EQ(session_.confirm_start(), Status::kInvalidState) << "one of two";
    EXPECT_EQ(platform_.security_counter(), 0U);
    ASSERT_EQ(self_test(), Status::kOk);
    EXPECT_EQ(platform_.security_counter(), 0U);
    ASSERT_EQ(session_.confirm_start(), Status::kOk);
    EXPECT_EQ(platform_.security_counter(), 5U);
    EXPECT_EQ(load(signed_workload(key_, 4U)), Status::kRefused);
}

TEST_F(SessionTrust, WithoutVectorsACompletedStepIsAGoodStart) {
    ASSERT_EQ(load(signed_workload(key_, 2U)), Status::kOk);
    EXPECT_EQ(session_.confirm_start(), Status::kInvalidState);
    EXPECT_EQ(self_test(), Status::kOk) << "of no vectors";
    EXPECT_EQ(session_.confirm_start(), Status::kInvalidState) << "which show nothing";
    ASSERT_EQ(run(), Status::kOk);
    EXPECT_EQ(session_.confirm_start(), Status::kOk);
    EXPECT_EQ(platform_.security_counter(), 2U);
}

TEST_F(SessionTrust, AStartThatFailsLeavesTheCounter) {
    verifies({"swr~no-older-version~1"});
    ASSERT_EQ(load(signed_workload(key_, 6U, 1U)), Status::kOk);
    *device_.memory_at(workspace_->image.envelope().weights.size_bytes != 0U ? refdev::DeviceSpec{}.dram_base : 0U,
                       1U) ^= 1U;
    EXPECT_NE(self_test(), Status::kOk);
    EXPECT_EQ(session_.confirm_start(), Status::kFaultLatched);
    EXPECT_EQ(platform_.security_counter(), 0U);
}

TEST_F(SessionTrust, ACounterThatDoesNotRiseIsReportedAndNothingElseChanges) {
    ASSERT_EQ(load(signed_workload(key_, 2U)), Status::kOk);
    ASSERT_EQ(run(), Status::kOk);
    platform_.set_security_counter(1U, Status::kTimeout);
    EXPECT_EQ(session_.confirm_start(), Status::kTimeout);
    EXPECT_EQ(run(), Status::kOk);
    platform_.set_security_counter(1U);
    EXPECT_EQ(session_.confirm_start(), Status::kOk);
    EXPECT_EQ(platform_.security_counter(), 2U);
    platform_.set_security_counter(8U);
    EXPECT_EQ(session_.confirm_start(), Status::kOk) << "the counter is higher by now";
    EXPECT_EQ(platform_.security_counter(), 8U) << "and never falls";
}

}  // namespace
}  // namespace pianola::test
