#include "hal/arch/arm_a/global_timer.h"

#include "hal/arch/mmio.h"

namespace pianola::arm_a {
namespace {

// "Cortex-A9 MPCore Technical Reference Manual", Arm, DDI 0407, chapter 4.
constexpr std::uint32_t kOffset = 0x200U;  // from the private peripherals on
constexpr std::uint32_t kCounterLow = kOffset + 0x0U;
constexpr std::uint32_t kCounterHigh = kOffset + 0x4U;
constexpr std::uint32_t kControl = kOffset + 0x8U;
constexpr std::uint32_t kEnable = 1U;
constexpr std::uint32_t kPrescalerShift = 8U;

}  // namespace

void start_global_timer(const GlobalTimer& timer) noexcept {
    mmio::write(timer.base + kControl, 0U);
    mmio::write(timer.base + kCounterLow, 0U);
    mmio::write(timer.base + kCounterHigh, 0U);
    mmio::write(timer.base + kControl, ((timer.clock_mhz - 1U) << kPrescalerShift) | kEnable);
}

// The upper half is read again: if it has changed, the lower half wrapped in between and is read again.
std::uint64_t global_timer_us(const GlobalTimer& timer) noexcept {
    constexpr std::uint32_t kHalfBits = 32U;
    const std::uint32_t before = mmio::read(timer.base + kCounterHigh);
    std::uint32_t low = mmio::read(timer.base + kCounterLow);
    const std::uint32_t high = mmio::read(timer.base + kCounterHigh);
    if (high != before) {
        low = mmio::read(timer.base + kCounterLow);
    }
    return (static_cast<std::uint64_t>(high) << kHalfBits) | low;
}

}  // namespace pianola::arm_a
