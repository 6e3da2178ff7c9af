// count BINARY INPUT [verified|interval|engine]: one load and some inferences between the instruction counter's
// markers.
//
// Sections, in this order: load(); then for each inference input_view() and submit(), and wait() with output_view().
// The application's own work on the views is in none of them. Between submit() and wait() the device finishes without
// being asked, so that wait() does not wait; with verified release, it verifies everything; within an interval, the
// share of ten periods of which the reaction takes one. With an engine, its work on digests is not the core's.
#include <algorithm>
#include <cstring>

#include "hal/boards/common/board_device.h"
#include "hal/boards/common/shared_memory.h"
#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/counted.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kInferences = 3U;

// A model of a hash unit that fetches what it is told to: the core waits for it.
class CountedEngine final : public DigestEngine {
  public:
    Status begin() noexcept override {
        pianola_count_pause();
        hash_ = Sha256{};
        pianola_count_resume();
        return Status::kOk;
    }
    Status update(ByteSpan bytes) noexcept override {
        pianola_count_pause();
        hash_.update(bytes);
        pianola_count_resume();
        return Status::kOk;
    }
    Status finish(Sha256Digest& digest) noexcept override {
        pianola_count_pause();
        digest = hash_.finish();
        pianola_count_resume();
        return Status::kOk;
    }

  private:
    Sha256 hash_;
};

struct CountedBench {
    CountedLink link{board::shared_state()};
    CountedPlatform platform{link};
    board::BoardDevice device{refdev::DeviceSpec{}, board::shared_state(), link};
    refdev::RefdevCommandSet command_set;
    SessionConfig config{kDevelopmentTrust, Release::kAtCompletion};
    CountedEngine engine;
    Session session{device, platform, command_set, config};
    PlanWorkspace workspace;
    Verdict verdict;
};

CountedBench& bench() noexcept {
    static CountedBench the_bench;
    return the_bench;
}

[[nodiscard]] Status counted_load(ByteSpan file) noexcept {
    CountedBench& made_before_counting = bench();
    pianola_count_begin();
    const Status status =
        made_before_counting.session.load(file, made_before_counting.workspace, made_before_counting.verdict);
    pianola_count_end();
    return status;
}

[[nodiscard]] Status counted_submit() noexcept {
    pianola_count_begin();
    const Status status = bench().session.submit();
    pianola_count_end();
    return status;
}

[[nodiscard]] Status counted_wait(ByteSpan& output) noexcept {
    pianola_count_begin();
    Status status = bench().session.wait();
    if (is_ok(status)) {
        status = bench().session.output_view(0U, output);
    }
    pianola_count_end();
    return status;
}

[[nodiscard]] Status infer(ByteSpan input) noexcept {
    MutableByteSpan input_view;
    pianola_count_begin();
    Status status = bench().session.input_view(0U, input_view);
    pianola_count_end();
    if (!is_ok(status)) {
        return status;
    }
    std::copy_n(input.begin(), std::min(input.size(), input_view.size()), input_view.begin());
    status = counted_submit();
    if (!is_ok(status)) {
        return status;
    }
    bench().link.wait_for_device();
    ByteSpan output;
    status = counted_wait(output);
    return (is_ok(status) && output.empty()) ? Status::kInvalidState : status;
}

}  // namespace

std::int32_t test_count(const Arguments& arguments) noexcept {
    if (arguments.count() < 3U) {
        return kWrongUsage;
    }
    if (arguments.count() > 3U) {
        const bool has_engine = std::strcmp(arguments.at(3U), "engine") == 0;
        const bool shares = std::strcmp(arguments.at(3U), "interval") == 0;
        bench().config.release =
            has_engine ? Release::kAtCompletion : (shares ? Release::kWithinInterval : Release::kVerified);
        bench().config.interval = kTenPeriods;
        bench().config.trust.digest_engine = has_engine ? &bench().engine : nullptr;
    }
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan input = area.load(arguments.at(2U));
    const Status loaded = (file.empty() || input.empty()) ? Status::kInvalidArgument : counted_load(file);
    if (!is_ok(loaded)) {
        report("load", static_cast<std::uint32_t>(loaded));
        return kNotLoaded;
    }
    for (std::uint32_t i = 0U; i < kInferences; ++i) {
        const Status status = infer(input);
        if (!is_ok(status)) {
            report("inference", static_cast<std::uint32_t>(status));
            return kFailed;
        }
    }
    report("inferences", kInferences);
    report("slices", bench().session.scrub_calls());
    report("release_steps", bench().session.release_steps());
    return kPassed;
}

}  // namespace pianola::baremetal
