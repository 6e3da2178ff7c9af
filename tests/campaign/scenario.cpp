#include "tests/campaign/scenario.h"

#include <algorithm>

#include "tests/support/workload.h"

namespace pianola::campaign {
namespace {

using Bytes = std::vector<std::uint8_t>;

sim::SimOptions options() {
    sim::SimOptions options;
    options.spec = test::small_device();
    return options;
}

const files::AlignedBytes& binary() {
    static const files::AlignedBytes kBinary{test::make_small_workload(2U, 1U).file()};
    return kBinary;
}

// More than any number of polls without a fault.
constexpr std::uint32_t kMaxPolls = 100'000U;

}  // namespace

void Tally::add(Outcome outcome) noexcept {
    injected += 1U;
    detected += (outcome == Outcome::kDetected) ? 1U : 0U;
    harmless += (outcome == Outcome::kHarmless) ? 1U : 0U;
    silent += (outcome == Outcome::kSilent) ? 1U : 0U;
}

std::ostream& operator<<(std::ostream& stream, const Tally& tally) {
    return stream << tally.injected << " injected, " << tally.detected << " detected, " << tally.harmless
                  << " harmless, " << tally.silent << " silent";
}

Scenario::Scenario()
    : device_{options()},
      platform_{device_.inner()},
      session_{device_, platform_, command_set_, kDevelopmentConfig},
      workspace_{std::make_unique<PlanWorkspace>()} {}

// A failed call must have left nothing of an output that was not released.
Outcome Scenario::judge_failure(const Bytes& output) const {
    const bool withheld = std::all_of(output.begin(), output.end(), [](std::uint8_t byte) { return byte == 0U; });
    return withheld ? Outcome::kDetected : Outcome::kSilent;
}

bool Scenario::step(std::uint32_t seed, Moment submitted, Moment completed, Bytes& output) {
    const Bytes input = test::workload_input(seed);
    const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
    const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
    Status status = session_.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    if (!is_ok(status)) {
        return false;
    }
    at(submitted);
    status = session_.poll();
    at(completed);
    for (std::uint32_t i = 0U; (status == Status::kPending) && (i < kMaxPolls); ++i) {
        platform_.idle();
        status = session_.poll();
    }
    return is_ok(status);
}

Outcome Scenario::run() {
    if (!is_ok(session_.load(binary().view(), *workspace_, verdict_))) {
        return Outcome::kDetected;
    }
    at(Moment::kLoaded);
    Bytes first(test::kWorkloadBytes, 0U);
    if (!step(1U, Moment::kSubmitted, Moment::kCompleted, first)) {
        return judge_failure(first);
    }
    at(Moment::kReleased);
    Bytes second(test::kWorkloadBytes, 0U);
    if (!step(2U, Moment::kSubmitted2, Moment::kCompleted2, second)) {
        const Outcome outcome = judge_failure(second);
        return (first == test::workload_output(test::workload_input(1U))) ? outcome : Outcome::kSilent;
    }
    const bool right = (first == test::workload_output(test::workload_input(1U))) &&
                       (second == test::workload_output(test::workload_input(2U)));
    return right ? Outcome::kHarmless : Outcome::kSilent;
}

}  // namespace pianola::campaign
