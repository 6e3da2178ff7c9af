// What a session promises where its file changes in memory: while it is loaded, and afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/campaign/hooked_device.h"
#include "tests/support/bench.h"
#include "tests/support/doubles.h"
#include "tests/support/random.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kVectors = 2U;

Bytes versioned_workload(std::uint32_t self_tests) {
    Bytes file = make_small_workload(2U, self_tests).file();
    constexpr std::uint32_t kVersion = 7U;
    store32(file, header::kSecurityVersion, kVersion);
    capture::fix_digest(file);
    return file;
}

// One life on a device whose calls a hook sees: a load, and two steps.
struct Life {
    Life(const Bytes& bytes, const std::function<void(files::AlignedBytes&, std::uint32_t)>& before_call)
        : file{bytes} {
        device.set_hook([this, before_call](campaign::Call, std::uint32_t number) -> std::optional<Status> {
            if (loaded == Status::kInternal) {  // load() has not returned yet
                before_call(file, number);
                calls_of_load = number + 1U;
            }
            return std::nullopt;
        });
        const auto workspace = std::make_unique<PlanWorkspace>();
        Verdict verdict;
        loaded = session.load(file.view(), *workspace, verdict);
    }

    // Whether both steps give what the workload means, or the second best: that nothing is given out.
    bool is_right_or_withheld() {
        for (std::uint32_t seed = 1U; seed <= 2U; ++seed) {
            const Bytes input = workload_input(seed);
            Bytes output(kWorkloadBytes, 0U);
            const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
            const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
            if (!is_ok(session.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}))) {
                return output == Bytes(kWorkloadBytes, 0U);
            }
            if (output != workload_output(input)) {
                return false;
            }
        }
        return true;
    }

    files::AlignedBytes file;
    std::uint32_t calls_of_load{0U};
    campaign::HookedDevice device{small_options()};
    sim::SimPlatform platform{device.inner()};
    refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set, kDevelopmentConfig};
    Status loaded{Status::kInternal};
};

// Both validations have passed when the device is called for the second time: from then on only what is on the device,
// and what was authenticated, count.
TEST(SessionFile, AFlipOfItWhileItIsLoadedIsNoticedBeforeTheFirstStep) {
    verifies({"swr~authenticated-constants~2"});
    constexpr std::uint32_t kStride = 61U;  // bits; coprime to 8 and to 32
    const Bytes bytes = make_small_workload(2U, 1U).file();
    const std::uint32_t calls = Life{bytes, [](auto&, std::uint32_t) {}}.calls_of_load;
    ASSERT_GT(calls, 10U);
    std::uint32_t refused = 0U;
    for (std::uint32_t call = 1U; call < calls; ++call) {
        for (std::uint32_t bit = call; bit < (bytes.size() * 8U); bit += kStride) {
            Life life{bytes, [call, bit](files::AlignedBytes& file, std::uint32_t number) {
                          if (number == call) {
                              file.mutable_view()[bit / 8U] ^= static_cast<std::uint8_t>(1U << (bit % 8U));
                          }
                      }};
            refused += is_ok(life.loaded) ? 0U : 1U;
            ASSERT_TRUE(life.is_right_or_withheld()) << "bit " << bit << " before call " << call;
        }
    }
    EXPECT_GT(refused, 0U);
}

// Calls a hook before it decodes the command of a number; numbers begin with 0.
class HookedCommandSet final : public ForwardingCommandSet {
  public:
    explicit HookedCommandSet(std::function<void(std::uint32_t)> hook) : hook_{std::move(hook)} {}

    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override {
        hook_(decoded_);
        decoded_ += 1U;
        return ForwardingCommandSet::decode(words, state, command, error);
    }
    [[nodiscard]] std::uint32_t decoded() const { return decoded_; }

  private:
    std::function<void(std::uint32_t)> hook_;
    mutable std::uint32_t decoded_{0U};
};

// A word of the manifest that only one of the two validations reads wrongly, with a value that is as good: the file is
// whole again when its bytes are summed for the last time.
TEST(SessionFile, ValidationsThatComeToDifferentPlansStartNothing) {
    verifies({"swr~authenticated-constants~2"});
    constexpr std::uint32_t kStepUs = 0x00AB'CDEFU;
    constexpr std::uint32_t kSetupUs = 0x00BA'DCFEU;
    Workload workload = make_small_workload(2U);
    workload.manifest.step_deadline_us = kStepUs;
    workload.manifest.setup_deadline_us = kSetupUs;
    const Bytes bytes = workload.file();
    std::uint32_t decoded = 0U;  // by both
    for (const std::uint32_t changed : {0U, kStepUs, kSetupUs}) {
        const bool is_changed = changed != 0U;
        Bytes pattern(sizeof(changed));
        store32(pattern, 0U, is_changed ? changed : kStepUs);
        const auto found = std::search(bytes.begin(), bytes.end(), pattern.begin(), pattern.end());
        ASSERT_NE(found, bytes.end());
        const auto place = static_cast<std::size_t>(found - bytes.begin());
        files::AlignedBytes file{bytes};
        const std::uint32_t second = is_changed ? (decoded / 2U) : UINT32_MAX;
        const HookedCommandSet command_set{
            [&](std::uint32_t number) { file.mutable_view()[place] ^= (number == second) ? 0x80U : 0U; }};
        campaign::HookedDevice device{small_options()};
        device.set_hook([&](campaign::Call, std::uint32_t) -> std::optional<Status> {
            file.mutable_view()[place] = bytes[place];
            return std::nullopt;
        });
        sim::SimPlatform platform{device.inner()};
        Session session{device, platform, command_set, kDevelopmentConfig};
        const auto workspace = std::make_unique<PlanWorkspace>();
        Verdict verdict;
        EXPECT_EQ(session.load(file.view(), *workspace, verdict), is_changed ? Status::kIntegrity : Status::kOk);
        EXPECT_EQ(session.fault().stage, is_changed ? FaultStage::kArm : FaultStage::kNone);
        EXPECT_EQ(session.plan().step.deadline_us, kStepUs ^ ((changed == kStepUs) ? 0x80U : 0U)) << "it was read";
        EXPECT_EQ(workspace->setup.deadline_us, kSetupUs ^ ((changed == kSetupUs) ? 0x80U : 0U)) << "it was read";
        decoded = command_set.decoded();
    }
    ASSERT_GT(decoded, 2U);
}

// Every constant, and at the first moment at which no validation looks any more.
TEST(SessionFile, WhatTheDeviceHoldsIsWhatWasAuthenticated) {
    verifies({"swr~authenticated-constants~2"});
    const Bytes bytes = make_small_workload(2U, 1U).file();
    const std::uint32_t first = segment_offset(bytes, 1);
    const std::uint32_t traces = segment_offset(bytes, 2);
    const std::uint32_t end = traces + segment_bytes(bytes, 2);
    for (std::uint32_t byte = first; byte < end; ++byte) {
        if ((byte >= (first + segment_bytes(bytes, 1))) && (byte < traces)) {
            continue;  // padding, which no set-up takes
        }
        const Life life{bytes, [byte](files::AlignedBytes& file, std::uint32_t number) {
                            if (number == 1U) {
                                file.mutable_view()[byte] ^= 0x10U;
                            }
                        }};
        const FaultRecord& fault = life.session.fault();
        ASSERT_FALSE(is_ok(life.loaded)) << byte;
        EXPECT_TRUE((fault.stage == FaultStage::kReadBack) || (fault.stage == FaultStage::kSetup)) << byte;
        EXPECT_FALSE(life.session.is_loaded() && is_ok(life.session.fault().status));
    }
}

// What the application sees of a life after load(): every status, and every byte.
class Witness {
  public:
    explicit Witness(Bench& bench) : bench_{bench} {}

    void note(Status status) { seen_ += std::to_string(static_cast<std::uint32_t>(status)) + ' '; }
    void note(ByteSpan bytes) { seen_.append(bytes.begin(), bytes.end()); }

    std::string live() {
        Session& session = bench_.session;
        Bytes scratch(session.output_bytes());
        const MutableByteSpan place{scratch.data(), scratch.size()};
        note(session.confirm_start());
        for (std::uint32_t seed = 1U; seed <= 3U; ++seed) {
            const Bytes input = workload_input(seed);
            note(bench_.run(input, scratch));
            note(place);
            MutableByteSpan in;
            note(session.input_view(0U, in));
            std::copy(input.rbegin(), input.rend(), in.begin());
            note(session.submit());
            note(session.wait());
            ByteSpan out;
            note(session.output_view(0U, out));
            note(out);
        }
        note(session.confirm_start());
        for (std::uint32_t i = 0U; i <= kVectors; ++i) {
            note(session.self_test(i, place));
        }
        note(session.self_test(place));
        note(session.confirm_start());
        for (std::uint32_t i = 0U; i < session.scrub_calls(); ++i) {
            note(session.scrub());
        }
        note(session.unload());
        return seen_ + std::to_string(bench_.platform.security_counter());
    }

  private:
    Bench& bench_;
    std::string seen_;
};

// A reader of the manifest, or of the header, would come to something else, or to an access that ends the test.
TEST(SessionFile, NothingOfItsManifestIsReadAfterLoad) {
    verifies({"swr~authenticated-constants~2"});
    for (const std::uint32_t self_tests : {0U, 1U, kVectors}) {
        const Bytes bytes = versioned_workload(self_tests);
        std::string expected;
        for (const int damage : {-1, 0x00, 0xFF, 0x5A, 256}) {  // none, a pattern, noise
            files::AlignedBytes file{bytes};
            Bench bench{small_options()};
            ASSERT_EQ(bench.load(file.view()), Status::kOk);
            Random random{17U};
            for (std::uint8_t& byte : file.mutable_view().subspan(0U, segment_offset(bytes, 1))) {
                const std::uint8_t noise = random.byte();
                byte = (damage < 0) ? byte : ((damage == 256) ? noise : static_cast<std::uint8_t>(damage));
            }
            const std::string seen = Witness{bench}.live();
            if (damage < 0) {
                expected = seen;
            }
            EXPECT_EQ(seen, expected) << damage << ", self-tests " << self_tests;
        }
        EXPECT_EQ(expected.back(), '7') << "a good start is confirmed";
    }
}

}  // namespace
}  // namespace pianola::test
