#include "hal/arch/arm_r/counters.h"

#include "hal/arch/arm_r/instructions.h"

namespace pianola::arm_r {
namespace {

using arm_ar::instruction_synchronisation_barrier;

// Pmcr.
constexpr std::uint32_t kEnable = 1U << 0U;
constexpr std::uint32_t kResetEventCounters = 1U << 1U;
constexpr std::uint32_t kResetCycleCounter = 1U << 2U;
constexpr std::uint32_t kDivideBy64 = 1U << 3U;  // the cycle counter only
// Pmcntenset.
constexpr std::uint32_t kEventCounter0 = 1U << 0U;
constexpr std::uint32_t kCycleCounter = 1U << 31U;

constexpr std::uint32_t kEventCycle = 0x11U;
constexpr std::uint32_t kRememberedShift = 16U;

}  // namespace

void start_counters() noexcept {
    Pmselr::write(0U);
    instruction_synchronisation_barrier();  // the selection holds before the selected counter is written
    Pmxevtyper::write(kEventCycle);
    Pmcr::write(kEnable | kResetEventCounters | kResetCycleCounter | kDivideBy64);
    Pmcntenset::write(kCycleCounter | kEventCounter0);
    Tpidrprw::write(0U);
    instruction_synchronisation_barrier();  // counting has begun when this returns
}

// The counter has 32 bits. The upper 32 of the 48 bits of the last result are kept in the core's register for software,
// so that each core extends its counter without memory.
std::uint64_t ticks() noexcept {
    const std::uint64_t earlier = static_cast<std::uint64_t>(Tpidrprw::read()) << kRememberedShift;
    const std::uint64_t now = earlier + (Pmccntr::read() - static_cast<std::uint32_t>(earlier));
    Tpidrprw::write(static_cast<std::uint32_t>(now >> kRememberedShift));
    return now;
}

std::uint32_t cycles() noexcept {
    return Pmxevcntr::read();
}

}  // namespace pianola::arm_r
