#include "tests/baremetal/mesh/device_probe.h"

#include <array>
#include <atomic>

#include "hal/boards/common/board.h"
#include "hal/boards/common/core_device.h"
#include "hal/devices/refdev/execution_log.h"
#include "pianola/config.h"

namespace pianola::baremetal {
namespace {

static_assert(kDevices <= kMaxMeshDevices);

// All zero at the start, like everything in this memory.
struct ProbeState {
    std::atomic<std::uint32_t> meeting;
    std::array<std::atomic<std::uint32_t>, kDevices> arrived;
    std::array<std::atomic<std::uint32_t>, kDevices> executed;
    std::array<std::atomic<std::uint32_t>, kDevices> stop_after;  // commands in all; 0: never
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
[[gnu::section(".shared")]] ProbeState g_probe;

// kDevices where it is of none.
std::uint32_t device_of(const refdev::ExecutionLog& log, std::uint32_t queue) noexcept {
    std::uint32_t device = 0U;
    while ((device < kDevices) && (&board::core_state(device).logs[queue] != &log)) {
        ++device;
    }
    return device;
}

void meet(std::uint32_t device) noexcept {
    const std::uint32_t round = g_probe.meeting.load(std::memory_order_acquire);
    if (g_probe.arrived[device].load(std::memory_order_relaxed) == round) {
        return;
    }
    g_probe.arrived[device].store(round, std::memory_order_release);
    board::signal_device(board::kAllQueues);
    for (const std::atomic<std::uint32_t>& other : g_probe.arrived) {
        while (other.load(std::memory_order_acquire) < round) {
            board::wait_for_signal();
        }
    }
}

void maybe_stop(std::uint32_t device) noexcept {
    const std::uint32_t executed = g_probe.executed[device].fetch_add(1U, std::memory_order_acq_rel) + 1U;
    if (g_probe.stop_after[device].load(std::memory_order_acquire) == executed) {
        for (;;) {  // it takes signals, as a core that hangs in a loop of its own would, and answers none
            board::wait_for_signal();
        }
    }
}

}  // namespace

void ask_for_meeting(std::uint32_t round) noexcept {
    g_probe.meeting.store(round, std::memory_order_release);
}

std::uint32_t last_meeting(std::uint32_t device) noexcept {
    return g_probe.arrived[device].load(std::memory_order_acquire);
}

std::uint32_t executed_commands(std::uint32_t device) noexcept {
    return g_probe.executed[device].load(std::memory_order_acquire);
}

void stop_device_after(std::uint32_t device, std::uint32_t commands) noexcept {
    g_probe.stop_after[device].store(executed_commands(device) + commands, std::memory_order_release);
}

}  // namespace pianola::baremetal

// The names that the linker gives: every call of ExecutionLog::append() comes to the first, the second is the function
// itself.
extern "C" {
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
void __wrap__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept;
void __real__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept;

void __wrap__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept {
    namespace baremetal = pianola::baremetal;
    __real__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(log, executed);
    const std::uint32_t device = baremetal::device_of(*log, executed.queue);
    if (device < baremetal::kDevices) {
        baremetal::meet(device);
        baremetal::maybe_stop(device);
    }
}
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
}
