// On zynqmp_r5 nothing interrupts a core. Each core yields after a command or a check of the device, as often as a seed
// determines: in an emulator that runs one core at a time, the other then runs until it yields.
#include "tests/baremetal/probed/preemption.h"

#include <array>
#include <atomic>

#include "hal/arch/arm_ar/instructions.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kPlaces = 3U;  // queues 0 and 1, and the ECU core

// All zero at the start. Each place's generator is used by one core only.
struct PreemptionState {
    std::atomic<std::uint32_t> on;
    std::atomic<std::uint32_t> count;
    std::array<std::uint32_t, kPlaces> generators;
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
[[gnu::section(".shared")]] PreemptionState g_state;

// A linear congruential generator, of which the upper half is used. 0 to 3.
std::uint32_t next_turns(std::uint32_t place) noexcept {
    constexpr std::uint32_t kMultiplier = 1'664'525U;
    constexpr std::uint32_t kIncrement = 1'013'904'223U;
    constexpr std::uint32_t kUpperTwoBits = 30U;
    std::uint32_t& generator = g_state.generators[place];
    generator = (generator * kMultiplier) + kIncrement;
    return generator >> kUpperTwoBits;
}

}  // namespace

void start_preemption(std::uint32_t seed) noexcept {
    constexpr std::uint32_t kGoldenRatio = 0x9E37'79B9U;  // spreads neighbouring seeds
    for (std::uint32_t place = 0U; place < kPlaces; ++place) {
        g_state.generators[place] = ((seed * kPlaces) + place) * kGoldenRatio;
    }
    g_state.on.store(1U, std::memory_order_release);
}

// The ECU core never sleeps on this board.
bool may_sleep() noexcept {
    return true;
}

std::uint32_t preemptions() noexcept {
    return g_state.count.load(std::memory_order_relaxed);
}

void may_give_way(std::uint32_t queue) noexcept {
    if (g_state.on.load(std::memory_order_acquire) == 0U) {
        return;
    }
    for (std::uint32_t turns = next_turns(queue); turns > 0U; --turns) {
        static_cast<void>(g_state.count.fetch_add(1U, std::memory_order_relaxed));
        arm_ar::yield();
    }
}

}  // namespace pianola::baremetal
