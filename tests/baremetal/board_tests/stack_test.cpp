// stack BINARY INPUT: how much of the ECU core's stack load(), submit() and poll() really use.
#include <algorithm>
#include <cstdint>

#include "hal/boards/common/board_device.h"
#include "hal/boards/common/shared_memory.h"
#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/painted_stack.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kInferences = 3U;

struct StackBench {
    board::BoardLink link{refdev::DeviceSpec{}, board::shared_state()};
    TestPlatform platform;
    board::BoardDevice device{refdev::DeviceSpec{}, board::shared_state(), link};
    refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set, kDevelopmentConfig};
    PlanWorkspace workspace;
    Verdict verdict;
    ByteSpan file;
};

StackBench& bench() noexcept {
    static StackBench the_bench;
    return the_bench;
}

struct Usage {
    std::uint32_t load{0U};
    std::uint32_t submit{0U};
    std::uint32_t poll{0U};
};

Status load() noexcept {
    return bench().session.load(bench().file, bench().workspace, bench().verdict);
}
Status submit() noexcept {
    return bench().session.submit();
}
Status poll() noexcept {
    return bench().session.poll();
}

[[nodiscard]] Status infer(ByteSpan input, Usage& usage) noexcept {
    MutableByteSpan view;
    Status status = bench().session.input_view(0U, view);
    if (!is_ok(status)) {
        return status;
    }
    std::copy_n(input.begin(), std::min(input.size(), view.size()), view.begin());
    status = call_on_paint(submit, usage.submit);
    if (!is_ok(status)) {
        return status;
    }
    status = Status::kPending;
    while (status == Status::kPending) {  // ends at the deadline
        bench().platform.idle();
        status = call_on_paint(poll, usage.poll);
    }
    return status;
}

}  // namespace

std::int32_t test_stack(const Arguments& arguments) noexcept {
    if (arguments.count() < 3U) {
        return kWrongUsage;
    }
    LoadArea area;
    bench().file = area.load(arguments.at(1U));
    const ByteSpan input = area.load(arguments.at(2U));
    Usage usage;
    if (bench().file.empty() || input.empty() || !is_ok(call_on_paint(load, usage.load))) {
        return kNotLoaded;
    }
    for (std::uint32_t i = 0U; i < kInferences; ++i) {
        if (!is_ok(infer(input, usage))) {
            report_fault(bench().session.fault());
            return kFailed;
        }
    }
    report("load_stack", usage.load);
    report("submit_stack", usage.submit);
    report("poll_stack", usage.poll);
    return kPassed;
}

}  // namespace pianola::baremetal
