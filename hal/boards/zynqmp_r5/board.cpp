// zynqmp_r5: the Cortex-R5F pair of a Zynq UltraScale+, as emulated by QEMU's xlnx-zcu102.
//
// R5 #0 is the ECU core, R5 #1 the device core, which serves both queues. memory.ld defines all addresses and which
// core caches what. QEMU gives the pair no interrupt controller: the cores signal each other by events and poll shared
// memory.
#include "hal/boards/common/board.h"

#include <array>
#include <cstdint>

#include "hal/arch/arm_r/cache.h"
#include "hal/arch/arm_r/counters.h"
#include "hal/arch/arm_r/instructions.h"
#include "hal/arch/protection.h"
#include "hal/boards/common/linker_windows.h"

// Written by memory.ld, which has the table.
extern "C" const std::array<pianola::protection::Window, 4U> kEcuWindows;
extern "C" const std::array<pianola::protection::Window, 8U> kDeviceCoreWindows;

// In psci.S.
extern "C" std::uint32_t pianola_psci_call(std::uint32_t function, std::uint32_t target_core, std::uint32_t entry,
                                           std::uint32_t context) noexcept;

namespace pianola::board {
namespace {

constexpr std::uint32_t kEcuCore = 0U;

constexpr std::uint32_t kPsciCpuOn = 0x8400'0003U;
constexpr std::uint32_t kPsciDeviceCore = 5U;  // R5 #1: after four A53 and R5 #0
constexpr std::uint32_t kResetVector = 0U;

// Time. The counter runs at the core's clock, which is 1 GHz in QEMU, independent of -icount. On silicon it depends on
// the clock tree, for example 500 MHz: adapt this constant.
constexpr std::uint32_t kCoreMhz = 1000U;
// Microseconds per tick, as a fraction in lowest terms.
constexpr std::uint32_t kUsNumerator = 8U;
constexpr std::uint32_t kUsDenominator = 125U;
static_assert((kUsNumerator * kCoreMhz) == (kUsDenominator * arm_r::kCyclesPerTick), "a tick is 64 cycles");

}  // namespace

const char* name() noexcept {
    return "zynqmp_r5";
}

std::uint32_t device_cores() noexcept {
    return 1U;
}

void start_device_cores() noexcept {
    // R5 #1 must see the shared state that R5 #0 has initialised.
    arm_ar::data_synchronisation_barrier();
    // If this fails, R5 #1 stays off, and the driver finds a device that does not answer.
    static_cast<void>(pianola_psci_call(kPsciCpuOn, kPsciDeviceCore, kResetVector, 0U));
}

void signal_device(std::uint32_t /*queue*/) noexcept {
    // The stores must arrive before the event: the device core checks once and may sleep again.
    arm_ar::data_synchronisation_barrier();
    arm_r::send_event();
}

void signal_ecu() noexcept {
    arm_ar::data_synchronisation_barrier();  // as above, in the other direction
    arm_r::send_event();
}

// The device core waits for the event of a doorbell without a limit. The ECU core has no timer that could end its wait,
// and must check its deadlines even if a device has died: it does not sleep. In QEMU both instructions switch to the
// next core if one host thread runs all of them, and both return.
void wait_for_signal() noexcept {
    if (arm_r::core_number() == kEcuCore) {
        arm_ar::yield();
    } else {
        arm_r::wait_for_event();
    }
}

// ticks x 8 / 125, exactly, from 48 bits: the upper 32 are divided first, and their remainder is added to the lower 16.
std::uint64_t now_us() noexcept {
    constexpr std::uint32_t kLowerBits = 16U;
    const std::uint64_t ticks = arm_r::ticks();
    const auto upper = static_cast<std::uint32_t>(ticks >> kLowerBits);
    const std::uint32_t lower = static_cast<std::uint32_t>(ticks) & ((1U << kLowerBits) - 1U);
    const std::uint32_t whole = upper / kUsDenominator;
    const std::uint32_t rest = ((upper % kUsDenominator) << kLowerBits) | lower;
    return (static_cast<std::uint64_t>(whole) * (kUsNumerator << kLowerBits)) +
           ((rest * kUsNumerator) / kUsDenominator);
}

void clean_cache(ByteSpan memory) noexcept {
    arm_r::clean_data_cache(memory);
}

void invalidate_cache(MutableByteSpan memory) noexcept {
    arm_r::invalidate_data_cache(memory);
}

Span<const protection::Window> fixed_windows() noexcept {
    return kEcuWindows;
}

}  // namespace pianola::board

// Called by start.S on each core, with a stack, before any other C++.
extern "C" void pianola_prepare_core(std::uint32_t core) noexcept;

void pianola_prepare_core(std::uint32_t core) noexcept {
    pianola::arm_r::start_counters();
    if ((core != pianola::board::kEcuCore) && !is_ok(pianola::protection::protect(kDeviceCoreWindows))) {
        while (true) {  // memory.ld and the protection unit disagree: the device never answers
            pianola::arm_r::wait_for_event();
        }
    }
}
