// Ports that call the session which has called them (aou~not-reentrant), where random walks do not come: two devices,
// several steps under way, the command set, the digest engine, and the session's own damaged state. Walks of
// session_walk_test.cpp call from every other place; parameters, and verifier and counter, have their tests where
// theirs are.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/campaign/hooked_device.h"
#include "tests/port/software_engine.h"
#include "tests/proofs/patterns.h"
#include "tests/support/bench.h"
#include "tests/support/doubles.h"
#include "tests/support/mesh_workload.h"
#include "tests/support/nested_calls.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

class NestingCommandSet final : public ForwardingCommandSet {
  public:
    explicit NestingCommandSet(NestedCalls& calls) : calls_{calls} {}

    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override {
        calls_.make();
        return ForwardingCommandSet::decode(words, state, command, error);
    }
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override {
        calls_.make();
        return ForwardingCommandSet::patch_kind(words, word);
    }
    [[nodiscard]] std::uint32_t queue_words(const QueueCommand& command) const noexcept override {
        calls_.make();
        return ForwardingCommandSet::queue_words(command);
    }
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& command) const noexcept override {
        calls_.make();
        return ForwardingCommandSet::queue_cycles(command);
    }
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept override {
        calls_.make();
        return ForwardingCommandSet::seal(digest, number, trace_digest, command);
    }
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept override {
        calls_.make();
        return ForwardingCommandSet::trace_digest(digest, words);
    }

  private:
    NestedCalls& calls_;
};

class NestingEngine final : public port::SoftwareEngine {
  public:
    explicit NestingEngine(NestedCalls& calls) : calls_{calls} {}

    Status begin() noexcept override {
        calls_.make();
        return SoftwareEngine::begin();
    }
    Status update(ByteSpan bytes) noexcept override {
        calls_.make();
        return SoftwareEngine::update(bytes);
    }
    Status finish(Sha256Digest& digest) noexcept override {
        calls_.make();
        return SoftwareEngine::finish(digest);
    }

  private:
    NestedCalls& calls_;
};

// A session all of whose ports call it, over as many devices as there are.
struct Nest {
    Nest(ByteSpan file, std::uint32_t device_count, std::uint32_t input_bytes, Release release)
        : nested{file, input_bytes, input_bytes} {
        sim::SimOptions options;
        options.spec = small_device();
        options.time = std::make_shared<sim::SimTime>();
        std::vector<Device*> pointers;
        for (std::uint32_t i = 0U; i < device_count; ++i) {
            devices.push_back(std::make_unique<campaign::HookedDevice>(options));
            devices.back()->set_hook([this](campaign::Call made, std::uint32_t) {
                nested.make();
                return answer_to(made);
            });
            pointers.push_back(devices.back().get());
        }
        config.trust.digest_engine = &engine;
        config.release = release;
        clock = std::make_unique<sim::SimPlatform>(devices.front()->inner());
        platform = std::make_unique<NestingPlatform>(*clock, nested);
        session = std::make_unique<Session>(DeviceSet{{pointers.data(), pointers.size()}, 1U, device_count}, *platform,
                                            command_set, config);
        nested.make_on(*session, *workspace, verdict);
    }

    [[nodiscard]] Status load(ByteSpan file) { return session->load(file, *workspace, verdict); }
    [[nodiscard]] Bytes output_of(const Bytes& input) const {
        Bytes output(input.size(), 0x77U);
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        EXPECT_EQ(session->run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}), Status::kOk);
        return output;
    }

    // Every other look at a completion is too early, so that blocking calls are idle.
    std::optional<Status> answer_to(campaign::Call made) {
        if (made != campaign::Call::kCompletion) {
            return std::nullopt;
        }
        is_early = !is_early;
        return is_early ? std::optional<Status>{Status::kPending} : std::nullopt;
    }

    NestedCalls nested;
    bool is_early{false};
    NestingCommandSet command_set{nested};
    NestingEngine engine{nested};
    SessionConfig config{kDevelopmentConfig};
    std::vector<std::unique_ptr<campaign::HookedDevice>> devices;
    std::unique_ptr<sim::SimPlatform> clock;
    std::unique_ptr<NestingPlatform> platform;
    std::unique_ptr<Session> session;
    std::unique_ptr<PlanWorkspace> workspace{std::make_unique<PlanWorkspace>()};
    Verdict verdict;
};

class SessionReentry : public testing::TestWithParam<Release> {};

TEST_P(SessionReentry, SeveralDevicesAndTheirPorts) {
    verifies({"swr~not-reentered~1"});
    constexpr MeshShape kTwo{1U, 2U};
    const files::AlignedBytes file{make_mesh_workload(kTwo, 2U).file()};
    Nest nest{file.view(), kTwo.count(), kTwo.count() * kWorkloadBytes, GetParam()};
    ASSERT_EQ(nest.load(file.view()), Status::kOk);
    const std::uint32_t in_load = nest.nested.times();
    EXPECT_GT(in_load, 100U);
    const Bytes input = mesh_input(kTwo, 3U);
    EXPECT_EQ(nest.output_of(input), mesh_output(input));
    EXPECT_EQ(nest.session->scrub(), Status::kOk);
    EXPECT_EQ(nest.session->confirm_start(), Status::kOk);
    EXPECT_EQ(nest.session->unload(), Status::kOk);
    EXPECT_GT(nest.nested.times(), in_load + 20U);
    EXPECT_EQ(nest.clock->safe_state_entries(), 0U);
}

// Prologue, as many steps under way as there may be, and epilogue: all of them from inside of each other.
TEST_P(SessionReentry, SeveralStepsUnderWay) {
    verifies({"swr~not-reentered~1"});
    constexpr std::uint32_t kBytes = 4U;
    for (const std::uint32_t in_flight : {1U, 2U, 16U}) {
        SCOPED_TRACE(in_flight);
        SmallCase small = plain_memory(1U, 1U, 2U);
        small.in_flight = in_flight;
        script_pattern_two(small);
        ASSERT_TRUE(small.pipelined());
        const files::AlignedBytes file{binary_of(small)};
        Nest nest{file.view(), 1U, kBytes, GetParam()};
        ASSERT_EQ(nest.load(file.view()), Status::kOk);
        std::vector<Bytes> tensors;  // each output is the input of the submission before it
        for (std::uint32_t i = 0U; i <= in_flight; ++i) {
            tensors.emplace_back(kBytes, static_cast<std::uint8_t>(i + 1U));
        }
        std::vector<Bytes> outputs(tensors.size(), Bytes(kBytes, 0x77U));
        std::vector<std::array<ByteSpan, 1>> from;
        std::vector<std::array<MutableByteSpan, 1>> to;
        for (std::size_t i = 0U; i < tensors.size(); ++i) {
            from.push_back({ByteSpan{tensors[i].data(), kBytes}});
            to.push_back({MutableByteSpan{outputs[i].data(), kBytes}});
        }
        ASSERT_EQ(nest.session->start(Span<const ByteSpan>{from[0]}), Status::kOk);
        ASSERT_EQ(nest.session->wait(), Status::kOk);
        for (std::size_t i = 0U; i < in_flight; ++i) {
            ASSERT_EQ(nest.session->submit(Span<const ByteSpan>{from[i + 1U]}, Span<const MutableByteSpan>{to[i]}),
                      Status::kOk);
        }
        for (std::size_t i = 0U; i < in_flight; ++i) {
            ASSERT_EQ(nest.session->wait(), Status::kOk);
        }
        ASSERT_EQ(nest.session->stop(Span<const MutableByteSpan>{to[in_flight]}), Status::kOk);
        ASSERT_EQ(nest.session->wait(), Status::kOk);
        EXPECT_EQ(outputs, tensors);
        EXPECT_EQ(nest.clock->safe_state_entries(), 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(Releases, SessionReentry, testing::Values(Release::kVerified, Release::kAtCompletion),
                         [](const testing::TestParamInfo<Release>& release) {
                             return std::string{(release.param == Release::kVerified) ? "Verified" : "AtCompletion"};
                         });

// The call that finds it latches, and asks the clock, the devices and the safe state for that.
TEST(SessionReentryOfADamagedSession, LatchesOnce) {
    const files::AlignedBytes file{make_small_workload(1U).file()};
    Nest nest{file.view(), 1U, kWorkloadBytes, Release::kVerified};
    ASSERT_EQ(nest.load(file.view()), Status::kOk);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    auto* const memory = reinterpret_cast<std::uint8_t*>(nest.session.get());
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const auto* const plan = reinterpret_cast<const std::uint8_t*>(&nest.session->plan());
    memory[plan - memory] ^= 1U;
    const std::uint32_t before = nest.nested.times();
    EXPECT_EQ(nest.session->poll(), Status::kIntegrity);
    EXPECT_EQ(nest.nested.times(), before + 3U);
    EXPECT_EQ(nest.session->fault_count(), 1U);
    EXPECT_EQ(nest.clock->safe_state_entries(), 1U);
    ASSERT_EQ(nest.load(file.view()), Status::kOk);
    const Bytes input = workload_input(4U);
    EXPECT_EQ(nest.output_of(input), workload_output(input));
}

}  // namespace
}  // namespace pianola::test
