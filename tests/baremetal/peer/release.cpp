#include "tests/baremetal/peer/release.h"

#include "hal/boards/common/board_device.h"
#include "hal/boards/common/shared_memory.h"
#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/counted.h"

namespace pianola::baremetal {
namespace {

struct ReleaseBench {
    CountedLink link{board::shared_state()};
    CountedPlatform platform{link};
    board::BoardDevice device{refdev::DeviceSpec{}, board::shared_state(), link};
    refdev::RefdevCommandSet command_set;
    SessionConfig config{kDevelopmentTrust, Release::kVerified};
    Session session{device, platform, command_set, config};
    PlanWorkspace workspace;
    Verdict verdict;
};

ReleaseBench& bench() noexcept {
    static ReleaseBench the_bench;
    return the_bench;
}

// What the inputs hold does not matter to the ECU.
[[nodiscard]] Status counted_submit() noexcept {
    MutableByteSpan input;
    pianola_count_begin();
    Status status = bench().session.input_view(0U, input);
    status = is_ok(status) ? bench().session.submit() : status;
    pianola_count_end();
    return status;
}

[[nodiscard]] Status counted_wait() noexcept {
    ByteSpan output;
    pianola_count_begin();
    Status status = bench().session.wait();
    status = is_ok(status) ? bench().session.output_view(0U, output) : status;
    pianola_count_end();
    return status;
}

}  // namespace

std::int32_t count_release(const Arguments& arguments, Release release) noexcept {
    bench().config.release = release;
    bench().config.interval = kTenPeriods;
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    if (file.empty() || !load_binary(bench().session, bench().workspace, bench().verdict, file)) {
        return kNotLoaded;
    }
    Status status = bench().session.reset_state();  // nothing where the binary has no state
    status = is_ok(status) ? counted_submit() : status;
    if (is_ok(status)) {
        bench().link.wait_for_device();
        status = counted_wait();
    }
    if (!is_ok(status)) {
        report("release", static_cast<std::uint32_t>(status));
    }
    return is_ok(status) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
