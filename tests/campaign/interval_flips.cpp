// One bit flips while steps are released within an interval: in the file that a device reads in place, in its checks,
// in what a device holds, in state. It must be found before the fault tolerant time interval, less the time of the
// reaction, has passed: no step is released later.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "capture_host/capture/capture.h"
#include "pianola/development_config.h"
#include "tests/campaign/campaigns.h"
#include "tests/support/moved_platform.h"
#include "tests/support/random.h"
#include "tests/support/sums.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::campaign {
namespace {

using FileBytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kConstantBytes = (9U * kCheckedBytes) + 100U;
constexpr std::uint32_t kPeriodUs = 10'000U;
constexpr FaultInterval kInterval{60'000U, kPeriodUs, 15'000U};  // three steps share a verification
constexpr std::uint32_t kBitsPerByte = 8U;
constexpr std::uint32_t kWeightsSegment = 1U;
constexpr std::uint32_t kChecksSegment = 4U;

refdev::DeviceSpec spec_of(bool in_file) {
    refdev::DeviceSpec spec;
    spec.file_base = in_file ? test::file_device().file_base : 0U;
    spec.file_bytes = in_file ? (2U * kConstantBytes) : 0U;
    return spec;
}

FileBytes sums_binary(const refdev::DeviceSpec& spec) {
    capture::CaptureOptions options;
    options.link.spec = refdev::description_of(spec);
    return capture::capture_workload(test::record_sums(FileBytes(test::kSumsBytes, 3U)), options).file;
}

// What is flipped, and in which binary.
struct FlipTarget {
    const char* name;
    bool in_file;  // the device reads the weights in the file
    bool has_state;
    MutableByteSpan (*bytes)(class IntervalLife& life);
};

class IntervalLife {
  public:
    explicit IntervalLife(const FlipTarget& target)
        : input_(target.has_state ? FileBytes(test::kSumsBytes, 1U) : test::workload_input(1U)),
          file_{file_of(target)},
          device_{options_of(target)} {
        config_.release = Release::kWithinInterval;
        config_.interval = kInterval;
        if (!is_ok(session_.load(file_.view(), *workspace_, verdict_)) || !is_ok(step())) {
            throw std::runtime_error{std::string{target.name} + ": the workload does not start"};
        }
    }

    Status step() {
        platform_.pass(kPeriodUs - kStepUs);
        FileBytes output(input_.size());
        const std::array<ByteSpan, 1> inputs{ByteSpan{input_.data(), input_.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        return session_.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    [[nodiscard]] std::uint64_t now_us() { return platform_.now_us(); }

    [[nodiscard]] MutableByteSpan segment(std::uint32_t index) {
        const FileBytes file(file_.view().begin(), file_.view().end());
        return file_.mutable_view().subspan(test::segment_offset(file, index), test::segment_bytes(file, index));
    }
    // The region that kernels write, or not, and queues write, read, or do not.
    template <typename IsWanted>
    [[nodiscard]] MutableByteSpan region(IsWanted is_wanted) {
        for (const RegionConfig& region : Span<const RegionConfig>{session_.plan().regions}) {
            if ((region.size_bytes != 0U) && is_wanted(region)) {
                return {device_.memory_at(region.base, region.size_bytes), region.size_bytes};
            }
        }
        throw std::runtime_error{"no such region"};
    }
    // Its words, without the padding behind them.
    [[nodiscard]] MutableByteSpan trace() {
        const std::size_t bytes = std::size_t{workspace_->image.trace(0U).word_count} * sizeof(std::uint32_t);
        return {device_.memory_at(session_.plan().trace_region_base, static_cast<std::uint32_t>(bytes)), bytes};
    }

  private:
    static constexpr std::uint64_t kStepUs = 1'000U;  // more than a step takes: none is late

    static const FileBytes& file_of(const FlipTarget& target) {
        static std::array<FileBytes, 4> binaries;
        FileBytes& binary = binaries.at((target.in_file ? 1U : 0U) + (target.has_state ? 2U : 0U));
        if (binary.empty()) {
            const refdev::DeviceSpec spec = spec_of(target.in_file);
            binary =
                target.has_state ? sums_binary(spec) : test::make_workload_with_constant(kConstantBytes, spec).file();
        }
        return binary;
    }
    static sim::SimOptions options_of(const FlipTarget& target) {
        sim::SimOptions options;
        options.spec = spec_of(target.in_file);
        return options;
    }

    FileBytes input_;
    files::AlignedBytes file_;
    SessionConfig config_{kDevelopmentConfig};
    sim::SimDevice device_;
    test::MovedPlatform platform_{device_};
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, config_};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
};

constexpr std::array<FlipTarget, 6> kFlipTargets{{
    {"weights in the file, read in place", true, false,
     [](IntervalLife& life) { return life.segment(kWeightsSegment); }},
    {"checks of what is in the file", true, false, [](IntervalLife& life) { return life.segment(kChecksSegment); }},
    {"weights that a device holds", false, false,
     [](IntervalLife& life) {
         return life.region([](const RegionConfig& region) {
             return region.kernels_read && !region.kernels_write && region.queues_write && !region.queues_read &&
                    (region.size_bytes >= kConstantBytes);
         });
     }},
    {"checks of what a device holds", false, false, [](IntervalLife& life) { return life.segment(kChecksSegment); }},
    {"traces", false, false, [](IntervalLife& life) { return life.trace(); }},
    {"state", false, true,
     [](IntervalLife& life) {
         return life
             .region([](const RegionConfig& region) {
                 return region.kernels_write && region.queues_write && !region.queues_read;
             })
             .subspan(0U, test::kSumsBytes);
     }},
}};

// Whether one flip, after so many steps, is found in time.
bool is_found(const FlipTarget& target, test::Random& random) {
    IntervalLife life{target};
    const std::uint32_t before = random.below(4U);
    bool is_good = true;
    for (std::uint32_t i = 0U; i < before; ++i) {
        is_good = is_ok(life.step()) && is_good;
    }
    if (!is_good) {
        throw std::runtime_error{std::string{target.name} + ": a step without a fault fails"};
    }
    const MutableByteSpan bytes = target.bytes(life);
    const std::uint32_t bit = random.below(static_cast<std::uint32_t>(bytes.size()) * kBitsPerByte);
    const std::uint64_t flipped_us = life.now_us();
    std::uint8_t& byte = bytes[bit / kBitsPerByte];
    byte = static_cast<std::uint8_t>(byte ^ (1U << (bit % kBitsPerByte)));
    // A device whose clock leaps over a slow command is found at its deadline: what counts is that nothing is released.
    constexpr std::uint64_t kMostUs = kInterval.ftti_us - kInterval.reaction_us;
    bool is_in_time = true;
    while (is_good && is_in_time) {
        is_good = is_ok(life.step());
        is_in_time = !is_good || ((life.now_us() - flipped_us) <= kMostUs);
    }
    return !is_good;
}

}  // namespace

bool is_released_within_interval(const Mode& mode) {
    return keeps_state(mode) && mode.verified && !mode.views && (mode.queues == 1U);
}

std::vector<NamedTally> flip_within_interval(const Mode& /*mode*/, const FlipOptions& options) {
    std::vector<NamedTally> tallies;
    test::Random random{options.seed};
    for (const FlipTarget& target : kFlipTargets) {
        NamedTally tally{target.name, {}};
        for (std::uint32_t i = 0U; i < options.samples; ++i) {
            tally.tally.add(is_found(target, random) ? Outcome::kDetected : Outcome::kSilent);
        }
        tallies.push_back(tally);
    }
    return tallies;
}

}  // namespace pianola::campaign
