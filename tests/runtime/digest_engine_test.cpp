// Digests that hardware computes: what a session asks of an engine, and what it does where one fails.
#include "pianola/digest_engine.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "hal/devices/refdev/refdev_command_set.h"
#include "tests/campaign/hooked_device.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

// A model of a hash unit, which can be made to fail.
class ModelledEngine final : public DigestEngine {
  public:
    // The n-th call of all, from 1, fails; 0: none.
    explicit ModelledEngine(std::uint32_t failing_call = 0U) : failing_call_{failing_call} {}

    Status begin() noexcept override {
        messages_ += 1U;
        hash_.emplace();
        return answer();
    }
    Status update(ByteSpan bytes) noexcept override {
        bytes_ += bytes.size();
        hash_->update(bytes);
        return answer();
    }
    Status finish(Sha256Digest& digest) noexcept override {
        digest = hash_->finish();
        digest[0] = static_cast<std::uint8_t>(digest[0] ^ (lies_ ? 1U : 0U));
        return answer();
    }
    void lie() { lies_ = true; }

    [[nodiscard]] std::uint32_t messages() const { return messages_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] std::uint32_t calls() const { return calls_; }

  private:
    Status answer() {
        calls_ += 1U;
        EXPECT_NE(messages_, failed_in_) << "no more of a message follows a failure";
        if (calls_ != failing_call_) {
            return Status::kOk;
        }
        failed_in_ = messages_;
        return Status::kTimeout;
    }

    std::uint32_t failing_call_;
    std::optional<Sha256> hash_;
    std::uint32_t messages_{0U};
    std::uint64_t bytes_{0U};
    std::uint32_t calls_{0U};
    bool lies_{false};
    std::uint32_t failed_in_{0U};
};

constexpr std::uint32_t kDigests = 1U;  // of one load(): the second validation has sums

// One life of a session with that engine.
struct EngineBench {
    explicit EngineBench(ModelledEngine& engine) : config{kDevelopmentConfig} { config.trust.digest_engine = &engine; }

    Status load() {
        const auto workspace = std::make_unique<PlanWorkspace>();
        return session.load(file.view(), *workspace, verdict);
    }

    files::AlignedBytes file{make_workload(1U, 1U).file()};
    sim::SimDevice device{sim::SimOptions{}};
    sim::SimPlatform platform{device};
    refdev::RefdevCommandSet command_set;
    SessionConfig config;
    Session session{device, platform, command_set, config};
    Verdict verdict;
};

TEST(DigestEngines, ComputeEveryDigestOfALoad) {
    verifies({"swr~envelope-first~1"});
    ModelledEngine engine;
    EngineBench bench{engine};
    ASSERT_EQ(bench.load(), Status::kOk);
    EXPECT_EQ(engine.messages(), kDigests);
    EXPECT_EQ(engine.bytes(), kDigests * (bench.file.view().size() - kSha256Bytes)) << "all but the digest itself";
    const std::vector<std::uint8_t> input = workload_input(1U);
    std::vector<std::uint8_t> output(kWorkloadBytes);
    const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
    const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
    EXPECT_EQ(bench.session.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}), Status::kOk);
    EXPECT_EQ(output, workload_output(input));
    EXPECT_EQ(engine.messages(), kDigests) << "steps take none";
}

// Whichever call it is.
TEST(DigestEngines, ThatFailAreDigestsThatDiffer) {
    ModelledEngine counted;
    ASSERT_EQ(EngineBench{counted}.load(), Status::kOk);
    constexpr std::uint32_t kCallsOfValidation = 4U;  // begin, what is before the digest, what is behind it, finish
    ASSERT_EQ(counted.calls(), kCallsOfValidation);
    for (std::uint32_t call = 1U; call <= counted.calls(); ++call) {
        ModelledEngine engine{call};
        EngineBench bench{engine};
        EXPECT_EQ(bench.load(), Status::kRefused) << call;
        EXPECT_EQ(bench.verdict.rule, Rule::kEnvDigest);
        EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
        EXPECT_EQ(engine.calls() >= call, true);
    }
}

TEST(DigestEngines, AnotherDigestIsRefused) {
    verifies({"swr~envelope-first~1"});
    ModelledEngine engine;
    engine.lie();
    EngineBench lied_to{engine};
    EXPECT_EQ(lied_to.load(), Status::kRefused);
    EXPECT_EQ(lied_to.verdict.rule, Rule::kEnvDigest);
    ModelledEngine honest;
    EngineBench damaged{honest};
    damaged.file.mutable_view()[header::kBytes + 100U] ^= 1U;
    EXPECT_EQ(damaged.load(), Status::kRefused);
    EXPECT_EQ(damaged.verdict.rule, Rule::kEnvDigest);
}

}  // namespace
}  // namespace pianola::test
