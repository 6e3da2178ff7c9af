// One bit of what a workload keeps from step to step flips, once, between two steps. With verified release it is not
// what the last step has left; released at completion, only the stream that begins with the next reset is answered for.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "capture_host/capture/capture.h"
#include "pianola/development_config.h"
#include "tests/campaign/campaigns.h"
#include "tests/support/sums.h"
#include "tests/support/workload.h"

namespace pianola::campaign {
namespace {

using Bytes = std::vector<std::uint8_t>;
using test::kSumsBytes;

constexpr const char* kOutside =
    "released at completion, nothing says what it should be: left to a reset, or to memory that corrects itself";
constexpr std::uint32_t kSteps = 6U;
constexpr std::uint8_t kFirst = 3U;

const Bytes& stateful_binary_of(const Mode& mode) {
    static std::array<Bytes, 2> binaries;
    Bytes& binary = binaries.at(mode.queues - 1U);
    if (binary.empty()) {
        capture::CaptureOptions options;
        options.link.spec = refdev::description_of(test::small_device());
        options.link.queues = mode.queues;
        binary = capture::capture_workload(test::record_sums(Bytes(kSumsBytes, kFirst)), options).file;
    }
    return binary;
}

Bytes input_of(std::uint32_t step) {
    Bytes input(kSumsBytes);
    for (std::size_t i = 0U; i < input.size(); ++i) {
        input[i] = static_cast<std::uint8_t>((std::size_t{step} * 5U) + i + 1U);
    }
    return input;
}

// A session with state: two streams, each from a reset.
class Life {
  public:
    explicit Life(const Mode& mode) : mode_{mode}, file_{stateful_binary_of(mode)}, config_{config_of(mode)} {
        if (!is_ok(session_.load(file_.view(), *workspace_, verdict_)) || (mode.views && !session_.has_views())) {
            throw std::runtime_error{name_of(mode) + ": the workload with state does not start"};
        }
    }

    // Moment m is in front of step m; the last one is behind all of them, and behind it comes a turn of the scrub.
    template <typename AtMoment>
    Outcome stream(AtMoment at_moment) {
        bool is_good = is_ok(session_.reset_state());
        bool is_wrong = false;
        Bytes sums(kSumsBytes, kFirst);
        for (std::uint32_t step = 0U; is_good && (step < kSteps); ++step) {
            at_moment(step);
            const Bytes input = input_of(step);
            const Bytes wanted = test::step_of_sums(input, sums);
            Bytes output(kSumsBytes);
            is_good = is_ok(mode_.views ? step_on_views(input, output) : step_by_transfers(input, output));
            is_wrong = is_wrong || (is_good && (output != wanted));
        }
        at_moment(kSteps);
        for (std::uint32_t call = 0U; is_good && (call < session_.scrub_calls()); ++call) {
            is_good = is_ok(session_.scrub());
        }
        return is_wrong ? Outcome::kSilent : (is_good ? Outcome::kHarmless : Outcome::kDetected);
    }

    [[nodiscard]] MutableByteSpan state() {
        for (const RegionConfig& region : Span<const RegionConfig>{session_.plan().regions}) {
            if (region.kernels_write && region.queues_write && !region.queues_read) {
                return {device_.memory_at(region.base, kSumsBytes), kSumsBytes};
            }
        }
        throw std::runtime_error{"no state"};
    }

  private:
    static SessionConfig config_of(const Mode& mode) {
        SessionConfig config = kDevelopmentConfig;
        config.release = mode.verified ? Release::kVerified : Release::kAtCompletion;
        return config;
    }
    static sim::SimOptions options() {
        sim::SimOptions options;
        options.spec = test::small_device();
        return options;
    }

    Status step_by_transfers(const Bytes& input, Bytes& output) {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        return session_.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    Status step_on_views(const Bytes& input, Bytes& output) {
        MutableByteSpan written;
        Status status = session_.input_view(0U, written);
        if (is_ok(status)) {
            std::copy(input.begin(), input.end(), written.begin());
            status = session_.submit();
        }
        status = is_ok(status) ? session_.wait() : status;
        ByteSpan read;
        status = is_ok(status) ? session_.output_view(0U, read) : status;
        if (is_ok(status)) {
            output.assign(read.begin(), read.end());
        }
        return status;
    }

    Mode mode_;
    files::AlignedBytes file_;
    SessionConfig config_;
    sim::SimDevice device_{options()};
    sim::SimPlatform platform_{device_};
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, config_};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
};

}  // namespace

bool keeps_state(const Mode& mode) {
    return (mode.devices == 1U) && (mode.in_flight == 1U) && !mode.parameters && !mode.pipelined;
}

std::vector<NamedTally> flip_state(const Mode& mode) {
    constexpr std::uint32_t kBits = 8U;
    const auto nothing = [](std::uint32_t /*moment*/) {};
    Life clean{mode};
    if ((clean.stream(nothing) != Outcome::kHarmless) || (clean.stream(nothing) != Outcome::kHarmless)) {
        throw std::runtime_error{name_of(mode) + ": a stream is not right without a fault"};
    }
    NamedTally until_reset = mode.verified ? NamedTally{"state kept from step to step", {}}
                                           : NamedTally{"state kept from step to step, unverified", {}, kOutside};
    NamedTally from_reset{"state kept from step to step, once it is reset", {}};
    for (std::uint32_t bit = 0U; bit < (kSumsBytes * kBits); ++bit) {
        for (std::uint32_t moment = 0U; moment <= kSteps; ++moment) {
            Life life{mode};
            until_reset.tally.add(life.stream([&](std::uint32_t now) {
                if (now == moment) {
                    std::uint8_t& byte = life.state()[bit / kBits];
                    byte = static_cast<std::uint8_t>(byte ^ (1U << (bit % kBits)));
                }
            }));
            from_reset.tally.add(life.stream(nothing));
        }
    }
    return {until_reset, from_reset};
}

}  // namespace pianola::campaign
