// Release within an interval: each step verifies a share, late steps verify everything, and what is damaged is found
// within the time that the integrator has given.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/campaign/hooked_device.h"
#include "tests/support/bench.h"
#include "tests/support/moved_platform.h"
#include "tests/support/sums.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kConstantSlices = 9U;
constexpr std::uint32_t kPeriodUs = 10'000U;

// A workload whose constant takes several slices, of which steps use the first bytes alone.
Workload workload_of_slices() {
    return make_workload_with_constant(kConstantSlices * kCheckedBytes);
}

// Where it lies.
std::uint32_t address_of_constant(const Workload& workload) {
    const auto& regions = workload.manifest.regions;
    const auto found = std::find_if(regions.begin(), regions.end(),
                                    [](const auto& region) { return region.kind == RegionKind::kWeights; });
    return (found == regions.end()) ? 0U : found->base;
}

struct TimedBench {
    explicit TimedBench(const FaultInterval& interval, const Workload& workload = workload_of_slices(),
                        Release release = Release::kWithinInterval)
        : file{workload.file()},
          config{config_of(release, interval)},
          loaded{session.load(file.view(), *workspace, verdict)} {}

    static SessionConfig config_of(Release release, const FaultInterval& interval) {
        SessionConfig config = kDevelopmentConfig;
        config.release = release;
        config.interval = interval;
        return config;
    }

    // A step, and the rest of its period.
    Status step(std::uint64_t pause_us = kPeriodUs / 2U) {
        platform.pass(pause_us);
        std::vector<std::uint8_t> input = workload_input(1U);
        output.assign(kWorkloadBytes, 0x55U);
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        return session.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    // Bytes of device memory that a step reads to verify.
    std::uint32_t looked_at() {
        std::uint32_t views = 0U;
        device.set_hook([&views](campaign::Call call, std::uint32_t /*number*/) {
            views += (call == campaign::Call::kHostView) ? 1U : 0U;
            return std::optional<Status>{};
        });
        EXPECT_EQ(step(), Status::kOk);
        device.set_hook({});
        return views;
    }

    files::AlignedBytes file;
    SessionConfig config;
    campaign::HookedDevice device{sim::SimOptions{}};
    MovedPlatform platform{device.inner()};
    refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set, config};
    std::unique_ptr<PlanWorkspace> workspace{std::make_unique<PlanWorkspace>()};
    Verdict verdict;
    Status loaded;
    std::vector<std::uint8_t> output;
};

TEST(SessionInterval, SharesAreWhatTheTimesLeave) {
    verifies({"swr~release-within-interval~1"});
    EXPECT_EQ(shared_steps({100'000U, 10'000U, 10'000U}), 8U);
    EXPECT_EQ(shared_steps({100'000U, 10'000U, 0U}), 9U);
    EXPECT_EQ(shared_steps({99'999U, 10'000U, 0U}), 8U);
    EXPECT_EQ(shared_steps({20'000U, 10'000U, 0U}), 1U);
    EXPECT_EQ(shared_steps({19'999U, 10'000U, 0U}), 0U);
    EXPECT_EQ(shared_steps({20'000U, 10'000U, 1U}), 0U);
    EXPECT_EQ(shared_steps({5U, 1U, 6U}), 0U) << "no wrap";
    EXPECT_EQ(shared_steps({100'000U, 0U, 0U}), 0U);
    EXPECT_EQ(shared_steps({UINT32_MAX, 1U, 0U}), UINT32_MAX - 1U);
    EXPECT_EQ(shared_steps({}), 0U);
}

// Devices of a mesh hold more than 32 bits count.
TEST(SessionInterval, AShareThatIsNoNumberOf32BitsIsEverything) {
    constexpr std::uint64_t k4GiB = std::uint64_t{1U} << 32U;
    EXPECT_EQ(share_bytes(0U, 1U), 0U);
    EXPECT_EQ(share_bytes(10U, 3U), 4U);
    EXPECT_EQ(share_bytes(k4GiB - 2U, 1U), UINT32_MAX - 1U);
    for (const std::uint64_t all : {k4GiB - 1U, k4GiB, k4GiB + 4096U, 8U * k4GiB}) {
        EXPECT_EQ(share_bytes(all, 1U), kNoShare) << all;
    }
    EXPECT_EQ(share_bytes(k4GiB, 2U), UINT32_MAX / 2U + 1U);
    EXPECT_EQ(share_bytes(8U * k4GiB, 7U), kNoShare);
}

TEST(SessionInterval, WhatDoesNotSufficeIsRefused) {
    verifies({"swr~release-within-interval~1", "rule~TGT-INTERVAL~1"});
    for (const FaultInterval& interval :
         {FaultInterval{}, FaultInterval{19'999U, kPeriodUs, 0U}, FaultInterval{100'000U, kPeriodUs, 100'001U},
          FaultInterval{100'000U, 0U, 10'000U}, FaultInterval{UINT32_MAX, UINT32_MAX, UINT32_MAX},
          FaultInterval{UINT32_MAX, 1U << 31U, 0U}}) {
        const TimedBench life{interval};
        EXPECT_EQ(life.loaded, Status::kRefused);
        EXPECT_STREQ(rule_id(life.verdict.rule), "TGT-INTERVAL");
        std::array<char, 64> path{};
        format_path(life.verdict.path, Span<char>{path});
        EXPECT_STREQ(path.data(), "session.interval");
        EXPECT_EQ(life.verdict.actual, interval.ftti_us);
        const std::uint64_t least = interval.reaction_us + (2U * std::uint64_t{interval.period_us});
        EXPECT_EQ(life.verdict.limit,
                  (interval.period_us == 0U) ? UINT32_MAX : std::min<std::uint64_t>(least, UINT32_MAX));
        EXPECT_FALSE(life.session.is_loaded());
        EXPECT_EQ(life.session.release_steps(), 0U);
        EXPECT_EQ(TimedBench(interval, workload_of_slices(), Release::kVerified).loaded, Status::kOk)
            << "not used otherwise";
    }
}

TEST(SessionInterval, StepsShareAVerification) {
    verifies({"swr~release-within-interval~1"});
    for (std::uint32_t steps = 1U; steps <= 12U; ++steps) {
        TimedBench life{{(steps + 1U) * kPeriodUs, kPeriodUs, 0U}};
        ASSERT_EQ(life.loaded, Status::kOk) << rule_id(life.verdict.rule);
        EXPECT_LE(life.session.release_steps(), steps);
        EXPECT_GE(life.session.release_steps(), std::min(steps, (kConstantSlices + 2U) / 2U));
        std::uint32_t looked = 0U;
        for (std::uint32_t i = 0U; i < life.session.release_steps(); ++i) {
            const std::uint32_t now = life.looked_at();
            EXPECT_LE(now, ((kConstantSlices + 2U + steps - 1U) / steps) + 1U);
            looked += now;
        }
        EXPECT_GE(looked, kConstantSlices) << "all of them";
        EXPECT_EQ(life.output, workload_output(workload_input(1U)));
    }
    EXPECT_EQ(TimedBench({}, workload_of_slices(), Release::kVerified).session.release_steps(), 1U);
    EXPECT_EQ(TimedBench({}, workload_of_slices(), Release::kAtCompletion).session.release_steps(), 0U);
}

// Any bit of what is verified, at any step: found before as many further steps are released as share a verification.
TEST(SessionInterval, DamageIsFoundInTime) {
    verifies({"swr~release-within-interval~1"});
    constexpr std::uint32_t kShares = 4U;
    constexpr std::uint32_t kBits = 977U;  // between two that are tried
    const std::uint32_t base = address_of_constant(workload_of_slices());
    for (std::uint32_t bit = 0U; bit < (kConstantSlices * kCheckedBytes * 8U); bit += kBits) {
        const std::uint32_t before = (bit / kBits) % (kShares + 1U);
        TimedBench life{{(kShares + 1U) * kPeriodUs, kPeriodUs, 0U}};
        for (std::uint32_t i = 0U; i < before; ++i) {
            ASSERT_EQ(life.step(), Status::kOk);
        }
        std::uint8_t* const byte = life.device.inner().memory_at(base + (bit / 8U), 1U);
        const auto flipped = static_cast<std::uint8_t>(*byte ^ (1U << (bit % 8U)));
        *byte = flipped;
        std::uint32_t steps = 0U;
        Status status = Status::kOk;
        while (is_ok(status) && (steps <= kShares)) {
            status = life.step();
            steps += 1U;
        }
        EXPECT_FALSE(is_ok(status)) << bit;
        EXPECT_LE(steps, kShares) << bit;
        EXPECT_EQ(life.output, std::vector<std::uint8_t>(kWorkloadBytes)) << "withheld";
    }
}

// A check that has flipped, in the file, is found as what it checks is.
TEST(SessionInterval, DamageOfChecksIsFoundInTime) {
    verifies({"swr~release-within-interval~1"});
    constexpr std::uint32_t kShares = 4U;
    const TimedBench sized{{(kShares + 1U) * kPeriodUs, kPeriodUs, 0U}};
    const auto bytes = std::vector<std::uint8_t>(sized.file.view().begin(), sized.file.view().end());
    const std::uint32_t first = segment_offset(bytes, 4);
    for (std::uint32_t bit = 0U; bit < (segment_bytes(bytes, 4) * 8U); ++bit) {
        TimedBench life{{(kShares + 1U) * kPeriodUs, kPeriodUs, 0U}};
        ASSERT_EQ(life.step(), Status::kOk);
        life.file.mutable_view()[first + (bit / 8U)] ^= static_cast<std::uint8_t>(1U << (bit % 8U));
        std::uint32_t steps = 0U;
        Status status = Status::kOk;
        while (is_ok(status) && (steps <= kShares)) {
            status = life.step();
            steps += 1U;
        }
        EXPECT_EQ(status, Status::kIntegrity) << bit;
        EXPECT_LE(steps, kShares) << bit;
    }
}

// After a pause, the last verification says nothing any more.
TEST(SessionInterval, ALateStepVerifiesEverything) {
    verifies({"swr~release-within-interval~1"});
    constexpr std::uint32_t kShares = 4U;
    const FaultInterval interval{(kShares + 1U) * kPeriodUs, kPeriodUs, 0U};
    const std::uint32_t last = address_of_constant(workload_of_slices()) + (kConstantSlices * kCheckedBytes) - 1U;
    for (const bool is_late : {false, true}) {
        TimedBench life{interval};
        ASSERT_EQ(life.step(), Status::kOk);
        *life.device.inner().memory_at(last, 1U) ^= 1U;
        const Status status = life.step(is_late ? (kPeriodUs + 1U) : (kPeriodUs / 2U));
        EXPECT_EQ(status, is_late ? Status::kIntegrity : Status::kOk);
    }
    TimedBench idle{interval};
    *idle.device.inner().memory_at(last, 1U) ^= 1U;
    EXPECT_EQ(idle.step((2U * kPeriodUs) + 1U), Status::kIntegrity) << "also between load() and the first step";
    TimedBench again{interval};
    for (std::uint32_t i = 0U; i < 10U; ++i) {
        EXPECT_EQ(again.step(std::uint64_t{10U} * kPeriodUs), Status::kOk);
    }
}

// Whose steps may take any time, and several calls for each share.
constexpr std::uint32_t kManySlices = 40U;
Workload unhurried_workload() {
    Workload workload = make_workload_with_constant(kManySlices * kCheckedBytes);
    workload.manifest.step_deadline_us = UINT32_MAX;
    return workload;
}

// Time that passes within the call that would have released is not forgotten.
TEST(SessionInterval, AStepWhoseLastCallIsLateVerifiesEverything) {
    verifies({"swr~release-within-interval~1"});
    constexpr std::uint32_t kShares = 12U;  // of one call each
    const FaultInterval interval{(kShares + 1U) * kPeriodUs, kPeriodUs, 0U};
    const Workload workload = unhurried_workload();
    const std::uint32_t last = address_of_constant(workload) + (kManySlices * kCheckedBytes) - 1U;
    for (const bool is_long : {false, true}) {
        TimedBench slow{interval, workload};
        ASSERT_EQ(slow.step(), Status::kOk);
        *slow.device.inner().memory_at(last, 1U) ^= 1U;
        std::uint64_t within_us = is_long ? (kPeriodUs + 1U) : (kPeriodUs / 4U);
        slow.device.set_hook([&slow, &within_us](campaign::Call call, std::uint32_t /*number*/) {
            slow.platform.pass((call == campaign::Call::kHostView) ? within_us : 0U);
            within_us = (call == campaign::Call::kHostView) ? 0U : within_us;
            return std::optional<Status>{};
        });
        EXPECT_EQ(slow.step(), is_long ? Status::kIntegrity : Status::kOk) << "within the only call";
    }
}

// Draws the times between calls, and the bit that flips, from a seed.
class RandomLife {
  public:
    explicit RandomLife(std::uint32_t seed)
        : random_{seed},
          pauses_within_calls_{seed % 2U == 1U},
          reaction_us_{below(3U) * 1000U},
          span_us_{((2U + below(6U)) * kPeriodUs) + below(kPeriodUs)} {}

    // Another load, in which time passes with each read, and in every second one a bit flips.
    Status load() {
        const std::uint32_t at = below(2U) * (1U + below(700U));
        std::uint32_t reads = 0U;
        life_.device.set_hook([this, at, &reads](campaign::Call call, std::uint32_t /*number*/) {
            if (call == campaign::Call::kReadBack) {
                life_.platform.pass(kPeriodUs / 50U);
                reads += 1U;
                if (reads == at) {
                    flip();
                }
            }
            return std::optional<Status>{};
        });
        const Status status = life_.session.load(life_.file.view(), *life_.workspace, life_.verdict);
        life_.device.set_hook({});
        return status;
    }
    // kInvalidArgument: one that began after a flip was released later than the interval allows.
    Status step() {
        const std::vector<std::uint8_t> input = workload_input(1U);
        std::vector<std::uint8_t> output(kWorkloadBytes);
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        life_.platform.pass(pause_us());
        const bool relies_on_flipped = has_flipped_;
        Status status = life_.session.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
        status = is_ok(status) ? Status::kPending : status;
        // Time passes and bits flip within calls as well.
        life_.device.set_hook([this](campaign::Call call, std::uint32_t /*number*/) {
            if ((call == campaign::Call::kHostView) && pauses_within_calls_ && (below(kBetweenFlips) == 0U)) {
                life_.platform.pass(below(8U * kPeriodUs));
            }
            if ((call == campaign::Call::kHostView) && (below(kBetweenFlips) == 0U)) {
                flip();
            }
            return std::optional<Status>{};
        });
        while (status == Status::kPending) {
            life_.platform.pass(pause_us());
            if (below(kBetweenFlips) == 0U) {
                flip();
            }
            status = life_.session.poll();
        }
        life_.device.set_hook({});
        const bool is_late = is_ok(status) && relies_on_flipped && (life_.platform.now_us() > (flipped_us_ + span_us_));
        return is_late ? Status::kInvalidArgument : status;
    }
    [[nodiscard]] bool has_flipped() const { return has_flipped_; }

  private:
    static constexpr std::uint32_t kBetweenFlips = 40U;

    std::uint32_t below(std::uint32_t end) {
        return std::uniform_int_distribution<std::uint32_t>{0U, end - 1U}(random_);
    }
    std::uint32_t pause_us() {
        const bool is_long = !pauses_within_calls_ && (below(12U) == 0U);
        return is_long ? below(8U * kPeriodUs) : below(kPeriodUs / 8U);
    }
    void flip() {
        if (!has_flipped_) {
            const std::uint32_t place = below(kManySlices * kCheckedBytes);
            *life_.device.inner().memory_at(base_ + place, 1U) ^= static_cast<std::uint8_t>(1U << below(8U));
            has_flipped_ = true;
            flipped_us_ = life_.platform.now_us();
        }
    }

    std::mt19937 random_;
    bool pauses_within_calls_;  // or between them: a late step verifies everything
    std::uint32_t reaction_us_;
    std::uint32_t span_us_;  // within which each byte is verified again
    std::uint32_t base_{address_of_constant(unhurried_workload())};
    bool has_flipped_{false};
    std::uint64_t flipped_us_{0U};
    TimedBench life_{{span_us_ + reaction_us_, kPeriodUs, reaction_us_}, unhurried_workload()};
};

// However long the pauses between steps, between calls of one step, within calls, and in load(): no step that begins
// after a flip is released later than the interval allows.
TEST(SessionInterval, NoStepIsReleasedLaterThanTheInterval) {
    verifies({"swr~release-within-interval~1"});
    constexpr std::uint32_t kSeeds = 400U;
    constexpr std::uint32_t kSteps = 100U;
    std::uint32_t found = 0U;
    for (std::uint32_t seed = 0U; seed < kSeeds; ++seed) {
        RandomLife life{seed};
        Status status = life.load();
        for (std::uint32_t i = 0U; is_ok(status) && (i < kSteps); ++i) {
            status = life.step();
        }
        EXPECT_NE(status, Status::kInvalidArgument) << seed;
        EXPECT_TRUE(!life.has_flipped() || !is_ok(status)) << seed;
        EXPECT_TRUE(life.has_flipped() || is_ok(status)) << seed;
        found += (life.has_flipped() && (status == Status::kIntegrity)) ? 1U : 0U;
    }
    EXPECT_GT(found, kSeeds / 2U);
}

// The time of verifying everything makes the next step late by a step: the period that the interval has in reserve.
TEST(SessionInterval, OneLateStepIsNotFollowedByAnother) {
    verifies({"swr~release-within-interval~1"});
    constexpr std::uint32_t kShares = 10U;
    constexpr std::uint32_t kPollUs = 1'000U;
    constexpr std::uint32_t kSteps = 50U;
    const Workload workload = unhurried_workload();
    TimedBench life{{((kShares + 2U) * kPeriodUs) - 1U, kPeriodUs, 0U}, workload};
    ASSERT_EQ(life.loaded, Status::kOk);
    const std::vector<std::uint8_t> input = workload_input(1U);
    std::vector<std::uint8_t> output(kWorkloadBytes);
    const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
    const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
    std::uint32_t whole = 0U;
    for (std::uint32_t i = 0U; i < kSteps; ++i) {
        const std::uint64_t begun_us = life.platform.now_us();
        ASSERT_EQ(life.session.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}), Status::kOk);
        Status status = Status::kPending;
        std::uint32_t polls = 0U;
        while (status == Status::kPending) {
            life.platform.pass(((i == kShares) && (polls == 0U)) ? ((3U * kPeriodUs) / 2U) : kPollUs);
            status = life.session.poll();
            polls += 1U;
        }
        ASSERT_EQ(status, Status::kOk);
        whole += (polls > (kManySlices / 5U)) ? 1U : 0U;
        const std::uint64_t took_us = life.platform.now_us() - begun_us;
        life.platform.pass(kPeriodUs - (took_us % kPeriodUs));
    }
    EXPECT_EQ(whole, 1U);
}

// release_steps() is of the binary that is loaded, also if its load has latched a fault.
TEST(SessionInterval, SharesAreThoseOfTheLastLoad) {
    verifies({"swr~release-within-interval~1"});
    constexpr std::uint32_t kShares = 4U;
    const files::AlignedBytes small{make_workload(1U).file()};
    TimedBench life{{(kShares + 1U) * kPeriodUs, kPeriodUs, 0U}, workload_of_slices()};
    for (const ByteSpan file : {small.view(), life.file.view()}) {
        ASSERT_EQ(life.session.load(file, *life.workspace, life.verdict), Status::kOk);
        EXPECT_LE(life.session.release_steps(), kShares);
    }
    ASSERT_EQ(life.session.load(small.view(), *life.workspace, life.verdict), Status::kOk);
    life.device.set_hook([](campaign::Call call, std::uint32_t /*number*/) {
        return (call == campaign::Call::kProgramRegion) ? std::optional<Status>{Status::kDeviceFault} : std::nullopt;
    });
    EXPECT_EQ(life.session.load(life.file.view(), *life.workspace, life.verdict), Status::kDeviceFault);
    EXPECT_LE(life.session.release_steps(), kShares);
}

// The verdict names the wrong check, wherever it stands in the segment.
TEST(SessionInterval, AWrongCheckOfManyIsRefused) {
    verifies({"swr~authenticated-constants~2"});
    const std::vector<std::uint8_t> file = workload_of_slices().file();
    for (const std::uint32_t index : {0U, kConstantSlices - 1U, kConstantSlices}) {
        std::vector<std::uint8_t> changed = file;
        changed.at(segment_offset(file, 4) + (index * kCheckBytes)) ^= 1U;
        const files::AlignedBytes bytes{changed};
        Validator validator;
        EXPECT_EQ(validator.validate_behind_digest(bytes.view()), Status::kRefused);
        EXPECT_STREQ(rule_id(validator.verdict().rule), "LAY-CHECK");
        EXPECT_EQ(path_text(validator.verdict()), "checks[" + std::to_string(index) + "]");
    }
}

// A view that is not aligned to words is not used: the slice is read through the control path.
TEST(SessionInterval, UnalignedViewsAreNotUsed) {
    verifies({"swr~verified-release~1"});
    TimedBench life{{2U * kPeriodUs, kPeriodUs, 0U}};
    std::vector<std::uint8_t> copy(kCheckedBytes + 1U);
    bool is_unaligned = false;
    life.device.set_view_hook([&copy, &is_unaligned](MutableByteSpan& view) {
        if (is_unaligned && (view.size() <= kCheckedBytes)) {
            std::copy(view.begin(), view.end(), copy.begin() + 1);
            view = MutableByteSpan{&copy[1], view.size()};
        }
    });
    std::uint32_t reads = 0U;
    life.device.set_hook([&reads](campaign::Call call, std::uint32_t /*number*/) {
        reads += (call == campaign::Call::kReadBack) ? 1U : 0U;
        return std::optional<Status>{};
    });
    EXPECT_EQ(life.step(), Status::kOk);
    EXPECT_EQ(reads, 0U);
    is_unaligned = true;
    EXPECT_EQ(life.step(), Status::kOk);
    EXPECT_GT(reads, 0U);
}

// The workload whose constant lies in a region of state, from `address` on.
Workload workload_with_state(std::uint32_t& address, std::uint32_t bytes = kWorkloadBytes) {
    Workload workload = make_workload_with_constant(bytes);
    for (capture::ManifestRegion& region : workload.manifest.regions) {
        if (region.kind == RegionKind::kWeights) {
            region.kind = RegionKind::kState;
            address = region.base;
        }
    }
    return workload;
}

// Without host views, state is read through the control path. If a read fails, no result is released.
TEST(SessionInterval, StateIsReadWhereThereAreNoViews) {
    verifies({"swr~state-is-verified~2"});
    constexpr std::uint32_t kChunks = 3U;
    std::uint32_t address = 0U;
    const Workload workload = workload_with_state(address, (kChunks * 128U) - 24U);
    const FaultInterval interval{2U * kPeriodUs, kPeriodUs, 0U};
    for (const bool loads : {false, true}) {
        std::uint32_t failing = 0U;
        std::uint32_t reads = 0U;
        Status status = Status::kDeviceFault;
        for (; status != Status::kOk; ++failing) {
            TimedBench life{interval, workload};
            ASSERT_EQ(life.loaded, Status::kOk);
            reads = 0U;
            life.device.set_hook([&reads, failing](campaign::Call call, std::uint32_t /*number*/) {
                const bool is_read = call == campaign::Call::kReadBack;
                const bool fails = is_read && (reads == failing);
                reads += is_read ? 1U : 0U;
                return (fails || (call == campaign::Call::kHostView))
                           ? std::optional<Status>{fails ? Status::kDeviceFault : Status::kOk}
                           : std::nullopt;
            });
            status = loads ? life.session.load(life.file.view(), *life.workspace, life.verdict) : life.step();
            EXPECT_EQ(status, (failing < reads) ? Status::kDeviceFault : Status::kOk) << failing;
            ASSERT_LT(failing, 1000U);
        }
        EXPECT_GT(failing, 2U * kChunks) << "summed twice, or summed and compared with the file";
    }
    TimedBench flipped{interval, workload};
    flipped.device.set_hook([](campaign::Call call, std::uint32_t /*number*/) {
        return (call == campaign::Call::kHostView) ? std::optional<Status>{Status::kOk} : std::nullopt;
    });
    ASSERT_EQ(flipped.step(), Status::kOk);
    *flipped.device.inner().memory_at(address + (2U * 128U), 1U) ^= 1U;
    EXPECT_EQ(flipped.step(), Status::kIntegrity);
}

// State is not compared while a step is under way, because that step may write it.
TEST(SessionInterval, StateIsNotVerifiedBetweenStepsThatOverlap) {
    verifies({"swr~state-is-verified~2"});
    std::uint32_t address = 0U;
    Workload workload = workload_with_state(address);
    workload.manifest.steps_in_flight = 2U;
    TimedBench life{{2U * kPeriodUs, kPeriodUs, 0U}, workload};
    ASSERT_EQ(life.loaded, Status::kOk) << rule_id(life.verdict.rule);
    const std::vector<std::uint8_t> input = workload_input(1U);
    std::array<std::vector<std::uint8_t>, 2> out{std::vector<std::uint8_t>(kWorkloadBytes),
                                                 std::vector<std::uint8_t>(kWorkloadBytes)};
    const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
    for (std::vector<std::uint8_t>& output : out) {
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        ASSERT_EQ(life.session.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}), Status::kOk);
    }
    for (const std::vector<std::uint8_t>& output : out) {
        EXPECT_EQ(life.session.wait(), Status::kOk);
        EXPECT_EQ(output, workload_output(input));
    }
    EXPECT_EQ(life.step(), Status::kOk) << "what the last one has left was summed";
    *life.device.inner().memory_at(address, 1U) ^= 1U;
    EXPECT_EQ(life.step(), Status::kIntegrity);
}

TEST(SessionInterval, StateIsVerifiedBeforeAStepOnViews) {
    verifies({"swr~state-is-verified~2"});
    std::uint32_t address = 0U;
    TimedBench life{{2U * kPeriodUs, kPeriodUs, 0U}, workload_with_state(address)};
    ASSERT_EQ(life.loaded, Status::kOk);
    ASSERT_TRUE(life.session.has_views());
    EXPECT_EQ(life.session.submit(), Status::kOk);
    EXPECT_EQ(life.session.wait(), Status::kOk);
    *life.device.inner().memory_at(address, 1U) ^= 1U;
    EXPECT_EQ(life.session.submit(), Status::kIntegrity);
    EXPECT_EQ(life.session.fault().stage, FaultStage::kScrub);
}

// Keeps sums, and a constant that takes several calls to verify.
Workload workload_with_sums() {
    capture::Recorder recorder = record_sums(std::vector<std::uint8_t>(kSumsBytes, 3U));
    const capture::BufferId constant =
        recorder.add_constant("constant", std::vector<std::uint8_t>(std::size_t{kManySlices} * kCheckedBytes, 1U));
    const capture::BufferId other = recorder.add_activation("other", kSumsBytes);
    recorder.launch(launch_of_add("3 ADD", constant, constant, other));
    capture::LinkOptions options;
    options.spec = refdev::description_of(refdev::DeviceSpec{});
    capture::LinkedWorkload linked = capture::link(recorder, options);
    return {std::move(linked.manifest), std::move(linked.segments)};
}

// The second of two steps, and the number of calls from the completion of the first to its release. After that many of
// these calls, a bit of the state flips.
struct TwoSteps {
    Status second{Status::kPending};
    std::uint32_t calls{0U};
};
TwoSteps two_steps(const Workload& workload, Release release, std::uint32_t flipped_after) {
    const auto& regions = workload.manifest.regions;
    const auto state = std::find_if(regions.begin(), regions.end(),
                                    [](const auto& region) { return region.kind == RegionKind::kState; });
    const std::vector<std::uint8_t> input(kSumsBytes, 1U);
    std::vector<std::uint8_t> output(kSumsBytes);
    const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
    const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
    TimedBench life{{3U * kPeriodUs, kPeriodUs, 0U}, workload, release};
    EXPECT_EQ(life.loaded, Status::kOk) << rule_id(life.verdict.rule);
    TwoSteps result;
    EXPECT_EQ(life.session.reset_state(), Status::kOk);
    Status status = life.session.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    EXPECT_EQ(status, Status::kOk);
    for (status = Status::kPending; status == Status::kPending;) {
        status = life.session.poll();
        result.calls += (is_ok(status) || life.session.is_verifying()) ? 1U : 0U;
        if ((result.calls != 0U) && (result.calls == flipped_after)) {
            *life.device.inner().memory_at(state->base, 1U) ^= 1U;
        }
    }
    EXPECT_EQ(status, Status::kOk);
    result.second = life.session.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    return result;
}

TEST(SessionInterval, StateIsVerifiedFromTheCompletionOn) {
    verifies({"swr~state-is-verified~2"});
    const Workload workload = workload_with_sums();
    for (const Release release : {Release::kVerified, Release::kWithinInterval}) {
        const TwoSteps clean = two_steps(workload, release, 0U);
        EXPECT_EQ(clean.second, Status::kOk);
        ASSERT_GT(clean.calls, 2U) << "verifying takes several";
        for (std::uint32_t after = 1U; after <= clean.calls; ++after) {
            EXPECT_EQ(two_steps(workload, release, after).second, Status::kIntegrity) << after;
        }
    }
}

// State outlives steps: between two of them, it stays what the first has left.
TEST(SessionInterval, StateIsVerifiedBeforeEachStep) {
    verifies({"swr~state-is-verified~2"});
    std::uint32_t address = 0U;
    const Workload workload = workload_with_state(address);
    std::uint32_t bytes = 0U;
    for (const capture::ManifestBuffer& buffer : workload.manifest.buffers) {
        if (workload.manifest.regions[buffer.region].kind == RegionKind::kState) {
            bytes = std::max(bytes, buffer.offset_bytes + buffer.size_bytes);
        }
    }
    ASSERT_NE(bytes, 0U);
    const FaultInterval interval{10U * kPeriodUs, kPeriodUs, 0U};
    for (const Release release : {Release::kVerified, Release::kWithinInterval, Release::kAtCompletion}) {
        for (std::uint32_t bit = 0U; bit < (bytes * 8U); bit += 5U) {
            TimedBench life{interval, workload, release};
            ASSERT_EQ(life.loaded, Status::kOk);
            for (std::uint32_t i = 0U; i < (bit % 3U); ++i) {
                ASSERT_EQ(life.step(), Status::kOk);
            }
            *life.device.inner().memory_at(address + (bit / 8U), 1U) ^= static_cast<std::uint8_t>(1U << (bit % 8U));
            const bool is_found = release != Release::kAtCompletion;
            EXPECT_EQ(life.step(), is_found ? Status::kIntegrity : Status::kOk) << bit;
            if (is_found) {
                EXPECT_EQ(life.session.fault().stage, FaultStage::kScrub);
            }
        }
    }
}

}  // namespace
}  // namespace pianola::test
