#include "tests/baremetal/probed/probe.h"

#include <array>
#include <atomic>

#include "hal/boards/common/board.h"
#include "hal/devices/refdev/execution_log.h"
#include "tests/baremetal/probed/preemption.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kMaxEvents = 4096U;
constexpr std::uint32_t kLook = UINT32_MAX;  // instead of a queue

// All zero at the start, like everything in this memory.
struct ProbeState {
    std::atomic<std::uint32_t> stop_queue_plus_one;  // 0: none
    std::atomic<std::uint32_t> stop_countdown;
    std::atomic<void (*)() noexcept> action;
    std::atomic<std::uint32_t> recording;
    std::atomic<std::uint32_t> next_event;
    std::uint32_t preemptions_before;
    std::array<std::uint64_t, kMaxEvents> events;
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
[[gnu::section(".shared")]] ProbeState g_probe;

// FNV-1a, a word at a time.
constexpr std::uint64_t kOffsetBasis = 14'695'981'039'346'656'037U;
constexpr std::uint64_t kPrime = 1'099'511'628'211U;

// Which queue did what, and how often cores had been preempted by then, since recording started.
std::uint64_t event_of(std::uint32_t queue, std::uint32_t sequence) noexcept {
    std::uint64_t event = kOffsetBasis;
    for (const std::uint32_t word : {queue, sequence, preemptions() - g_probe.preemptions_before}) {
        event = (event ^ word) * kPrime;
    }
    return event;
}

void note(std::uint32_t queue, std::uint32_t sequence) noexcept {
    if (g_probe.recording.load(std::memory_order_acquire) == 0U) {
        return;
    }
    const std::uint32_t index = g_probe.next_event.fetch_add(1U, std::memory_order_acq_rel);
    if (index < kMaxEvents) {
        g_probe.events[index] = event_of(queue, sequence);
    }
}

// The core goes on taking signals, as a core that hangs in a loop of its own would, and answers none.
[[noreturn]] void never_answer() noexcept {
    for (;;) {
        board::wait_for_signal();
    }
}

void maybe_stop(std::uint32_t queue) noexcept {
    if (g_probe.stop_queue_plus_one.load(std::memory_order_acquire) != (queue + 1U)) {
        return;
    }
    if (g_probe.stop_countdown.fetch_sub(1U, std::memory_order_acq_rel) == 1U) {
        never_answer();
    }
}

void act() noexcept {
    void (*const action)() noexcept = g_probe.action.load(std::memory_order_acquire);
    if (action != nullptr) {
        action();
    }
}

}  // namespace

void stop_core_after(std::uint32_t queue, std::uint32_t commands) noexcept {
    g_probe.stop_countdown.store(commands, std::memory_order_relaxed);
    g_probe.stop_queue_plus_one.store(queue + 1U, std::memory_order_release);
}

void call_after_commands(void (*action)() noexcept) noexcept {
    g_probe.action.store(action, std::memory_order_release);
}

void start_recording() noexcept {
    g_probe.next_event.store(0U, std::memory_order_relaxed);
    g_probe.preemptions_before = preemptions();
    g_probe.recording.store(1U, std::memory_order_release);
}

void note_look() noexcept {
    note(kLook, 0U);
}

Order recorded_order() noexcept {
    g_probe.recording.store(0U, std::memory_order_release);
    const std::uint32_t events = g_probe.next_event.load(std::memory_order_acquire);
    Order order{events, preemptions() - g_probe.preemptions_before, kOffsetBasis, events <= kMaxEvents};
    for (std::uint32_t i = 0U; (i < events) && (i < kMaxEvents); ++i) {
        order.hash = (order.hash ^ g_probe.events[i]) * kPrime;
    }
    return order;
}

}  // namespace pianola::baremetal

// The names that the linker gives: every call of a function comes to its first name, the second is the function itself.
extern "C" {
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
// ExecutionLog::append()
void __wrap__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept;
void __real__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept;

void __wrap__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept {
    __real__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(log, executed);
    pianola::baremetal::note(executed.queue, executed.sequence);
    pianola::baremetal::act();
    pianola::baremetal::maybe_stop(executed.queue);
    pianola::baremetal::may_give_way(executed.queue);
}

// board::wait_for_signal()
void __wrap__ZN7pianola5board15wait_for_signalEv() noexcept;
void __real__ZN7pianola5board15wait_for_signalEv() noexcept;

void __wrap__ZN7pianola5board15wait_for_signalEv() noexcept {
    if (pianola::baremetal::may_sleep()) {
        __real__ZN7pianola5board15wait_for_signalEv();
    }
}
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
}
