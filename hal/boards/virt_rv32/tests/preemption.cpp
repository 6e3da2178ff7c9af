// On virt_rv32 the timer of each hart preempts it at any instruction. An emulator that counts instructions always
// repeats one interleaving of the harts; with a seed for each run, a test covers as many as it wants, reproducibly. The
// alarm's handler sleeps for one tick of the clock, during which others run, and sets the next alarm.
#include "tests/baremetal/probed/preemption.h"

#include <array>
#include <atomic>
#include <cstdint>

#include "hal/arch/riscv/instructions.h"
#include "hal/arch/riscv/trap.h"
#include "hal/boards/virt_rv32/clint.h"

namespace pianola::baremetal {
namespace {

using virt_rv32::set_alarm;
using virt_rv32::ticks;

constexpr std::uint32_t kLongestIntervalTicks = 1000U;  // of the clock: 100 microseconds
constexpr std::uint32_t kHarts = 3U;
constexpr std::uint32_t kEcuHart = 0U;

struct Preemption {
    std::array<std::uint32_t, kHarts> state{};  // state of each hart's generator
    bool started{false};                        // the ECU core's
    std::atomic<std::uint32_t> pauses{0U};
};
// An interrupt handler cannot be passed an object.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
Preemption g_preemption;

// The next interval of a hart: a linear congruential generator, of which the upper half is used.
std::uint32_t next_interval(std::uint32_t hart) noexcept {
    constexpr std::uint32_t kMultiplier = 1'664'525U;
    constexpr std::uint32_t kIncrement = 1'013'904'223U;
    constexpr std::uint32_t kHalf = 16U;
    std::uint32_t& state = g_preemption.state[hart];
    state = (state * kMultiplier) + kIncrement;
    return 1U + (((state >> kHalf) * kLongestIntervalTicks) >> kHalf);
}

// Interrupts are off in the handler, so the wait ends with the alarm and does not nest; a doorbell may end it early.
// The ECU core does not wait: if all harts sleep, the emulator's threads decide which wakes first, and a run would not
// be reproducible. Its alarm makes the emulator switch to the next hart.
void pause_here(std::uint32_t hart) noexcept {
    if (hart != kEcuHart) {
        set_alarm(hart, ticks() + 1U);
        riscv::wait_for_interrupt();
    }
    set_alarm(hart, ticks() + next_interval(hart));
    static_cast<void>(g_preemption.pauses.fetch_add(1U, std::memory_order_relaxed));
}

}  // namespace

void start_preemption(std::uint32_t seed) noexcept {
    constexpr std::uint32_t kGoldenRatio = 0x9E37'79B9U;  // spreads neighbouring seeds
    g_preemption.started = true;
    for (std::uint32_t hart = 0U; hart < kHarts; ++hart) {
        g_preemption.state[hart] = (seed * kGoldenRatio) + hart;
    }
    riscv::fence_before_doorbell();  // an alarm acts as a doorbell, too: its handler needs the state
    for (std::uint32_t hart = 0U; hart < kHarts; ++hart) {
        set_alarm(hart, ticks() + next_interval(hart));
    }
}

bool may_sleep() noexcept {
    return !g_preemption.started || (riscv::core_number() != kEcuHart);
}

std::uint32_t preemptions() noexcept {
    return g_preemption.pauses.load(std::memory_order_relaxed);
}

void may_give_way(std::uint32_t /*queue*/) noexcept {}

}  // namespace pianola::baremetal

// The board takes no interrupts; the linker redirects its handler to this one (--wrap).
extern "C" {
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
void __wrap_pianola_riscv_interrupt(std::uint32_t number) noexcept;
void __real_pianola_riscv_interrupt(std::uint32_t number) noexcept;

void __wrap_pianola_riscv_interrupt(std::uint32_t number) noexcept {
    if (number != pianola::riscv::kTimerInterrupt) {
        __real_pianola_riscv_interrupt(number);  // NOLINT(pianola-misra-4.1.1): DEV-032
    }
    pianola::baremetal::pause_here(pianola::riscv::core_number());
}
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
}
