// stack BINARY INPUT: how much of the ECU core's stack load(), submit() and poll() really use.
//
// The stack below the call is painted as start-up has painted it, then the call is made, then the lowest word is looked for that is not
// paint any more. Reported is the distance from there to the stack pointer at the call: interrupts that came meanwhile included.
#include <algorithm>
#include <cstdint>

#include "hal/arch/mmio.h"
#include "hal/board/board_device.h"
#include "hal/board/shared_memory.h"
#include "tests/baremetal/bench.h"
#include "runtime/session/development_config.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming): DEV-032
extern "C" std::uint8_t __stack_ecu_start;

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kPaint = 0xA5A5'A5A5U;
constexpr std::uint32_t kInferences = 3U;
// Above the stack pointer's place as measured_at() sees it, which is a few words off; never painted.
constexpr std::uintptr_t kMarginBytes = 32U;

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

[[gnu::noinline]] std::uintptr_t measured_at() noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-034
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

struct Usage {
    std::uint32_t load{0U};
    std::uint32_t submit{0U};
    std::uint32_t poll{0U};
};

// Makes the call; `used` rises to the bytes of stack that it needed.
[[gnu::noinline]] Status call_on_paint(Status (*call)() noexcept, std::uint32_t& used) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-034
    const auto bottom = reinterpret_cast<std::uintptr_t>(&__stack_ecu_start);
    const std::uintptr_t top = measured_at() & ~std::uintptr_t{3U};
    for (std::uintptr_t address = bottom; address < (top - kMarginBytes); address += sizeof(kPaint)) {
        mmio::write(address, kPaint);
    }
    const Status status = call();
    std::uintptr_t lowest = bottom;
    while ((lowest < (top - kMarginBytes)) && (mmio::read(lowest) == kPaint)) {
        lowest += sizeof(kPaint);
    }
    used = std::max(used, static_cast<std::uint32_t>(top - lowest));
    return status;
}

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
