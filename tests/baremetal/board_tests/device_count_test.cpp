// device_count BINARY INPUT: what one inference costs a device that shares the ECU's core, kernels and front, between
// the instruction counter's markers.
//
// One section: service() from submit() to the end of the step. What the session does around it is not counted.
#include <algorithm>

#include "hal/boards/common/board_device.h"
#include "hal/boards/common/board_platform.h"
#include "hal/boards/common/shared_memory.h"
#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/counted.h"

namespace pianola::baremetal {
namespace {

struct DeviceBench {
    CountedLink link{board::shared_state(), Counted::kDevice};
    TestPlatform platform;
    board::BoardDevice device{refdev::DeviceSpec{}, board::shared_state(), link};
    refdev::RefdevCommandSet command_set;
    SessionConfig config{kDevelopmentTrust, Release::kAtCompletion};
    Session session{device, platform, command_set, config};
    PlanWorkspace workspace;
    Verdict verdict;
};

DeviceBench& bench() noexcept {
    static DeviceBench the_bench;
    return the_bench;
}

[[nodiscard]] Status infer(ByteSpan input) noexcept {
    MutableByteSpan input_view;
    Status status = bench().session.input_view(0U, input_view);
    if (!is_ok(status)) {
        return status;
    }
    std::copy_n(input.begin(), std::min(input.size(), input_view.size()), input_view.begin());
    pianola_count_begin();
    pianola_count_pause();
    status = bench().session.submit();
    if (is_ok(status)) {
        status = Status::kPending;
    }
    while (status == Status::kPending) {  // ends with the emulator's time limit, where the device never finishes
        status = bench().session.poll();
    }
    pianola_count_resume();
    pianola_count_end();
    pianola_count_pause();
    return status;
}

}  // namespace

std::int32_t test_device_count(const Arguments& arguments) noexcept {
    if (arguments.count() != 3U) {
        return kWrongUsage;
    }
    pianola_count_pause();
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan input = area.load(arguments.at(2U));
    if (file.empty() || input.empty() || !load_binary(bench().session, bench().workspace, bench().verdict, file)) {
        return kNotLoaded;
    }
    const Status status = infer(input);
    if (!is_ok(status)) {
        report("inference", static_cast<std::uint32_t>(status));
        return kFailed;
    }
    return kPassed;
}

}  // namespace pianola::baremetal
