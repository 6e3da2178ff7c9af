// On virt_rv32 the timer of each hart preempts it, anywhere: see hal/virt_rv32/preemption.h.
#include "hal/arch/riscv/instructions.h"
#include "hal/virt_rv32/preemption.h"
#include "tests/baremetal/probed/preemption.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kLongestIntervalTicks = 1000U;  // of the clock: 100 microseconds
constexpr std::uint32_t kEcuHart = 0U;

// Of the ECU core alone.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
bool g_started = false;

}  // namespace

void start_preemption(std::uint32_t seed) noexcept {
    g_started = true;
    virt_rv32::start_preemption(seed, kLongestIntervalTicks);
}

bool may_sleep() noexcept {
    return !g_started || (riscv::core_number() != kEcuHart);
}

std::uint32_t preemptions() noexcept {
    return virt_rv32::pauses();
}

void may_give_way(std::uint32_t /*queue*/) noexcept {}

}  // namespace pianola::baremetal
