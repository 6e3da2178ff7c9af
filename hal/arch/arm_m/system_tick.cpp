#include "hal/arch/arm_m/system_tick.h"

#include <cstdint>

#include "hal/arch/arm_m/instructions.h"
#include "hal/arch/arm_m/system_control.h"
#include "hal/arch/mmio.h"

namespace {

// Time at the last tick that was handled. This port needs the variable because its counter has only 24 bits. Written by
// the tick's handler only.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
volatile std::uint64_t g_handled_us = 0U;

// A reading is repeated if a tick came in between, once a millisecond, and while the counter is 0, which lasts one
// clock on silicon and up to 50 instructions in an emulator that counts instructions.
constexpr std::uint32_t kMaxReadings = 16U;

}  // namespace

extern "C" void pianola_tick() noexcept {
    using pianola::arm_m::kTickUs;
    const std::uint64_t now_us = g_handled_us + kTickUs;
    g_handled_us = now_us;
    // Every other tick: an ECU core that works without a pause would starve an emulated device core, and one that
    // yields at every tick would starve itself.
    if ((static_cast<std::uint32_t>(now_us) % (2U * kTickUs)) < kTickUs) {
        pianola::arm_m::yield();
    }
}

namespace pianola::arm_m {

void start_tick(std::uint32_t ticks_per_us) noexcept {
    mmio::write(kSystRvr, (kTickUs * ticks_per_us) - 1U);
    mmio::write(kSystCvr, 0U);  // any value: clears the counter, which is reloaded with the next clock
    mmio::write(kSystCsr, kSystCsrProcessorClock | kSystCsrTickInt | kSystCsrEnable);
}

std::uint64_t tick_now_us(std::uint32_t ticks_per_us) noexcept {
    const std::uint32_t period = kTickUs * ticks_per_us;
    std::uint64_t now_us = 0U;
    for (std::uint32_t reading = 0U; reading < kMaxReadings; ++reading) {
        const std::uint64_t before_us = g_handled_us;
        std::uint32_t count = mmio::read(kSystCvr);
        const bool is_pending = (mmio::read(kIcsr) & kIcsrPendStSet) != 0U;
        if (is_pending) {
            count = mmio::read(kSystCvr);  // the first reading may be from before the wrap
        }
        // The wrap to 0 raises the interrupt, so a 0 with the interrupt pending begins a period. Without it, the tick
        // has just been handled and the counter is about to reload; or, in an emulator only, the interrupt is about to
        // be raised and the period ends.
        const std::uint32_t elapsed = (is_pending && (count == 0U)) ? 0U : (period - count);
        now_us = before_us + (is_pending ? kTickUs : 0U) + (elapsed / ticks_per_us);
        const bool is_clear = is_pending || (count != 0U);
        if (is_clear && (before_us == g_handled_us)) {
            break;
        }
    }
    return now_us;
}

}  // namespace pianola::arm_m
