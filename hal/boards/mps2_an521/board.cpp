// MPS2+ with the AN521 image: two Cortex-M33 in an SSE-200 subsystem. Core 0 is the ECU, core 1 serves both of the
// device's queues.
//
// Addresses and interrupt numbers: Arm CoreLink SSE-200 Subsystem Technical Reference Manual, and application note
// AN521.
#include "hal/boards/common/board.h"

#include <array>
#include <cstdint>

#include "hal/arch/arm_m/instructions.h"
#include "hal/arch/arm_m/system_control.h"
#include "hal/arch/arm_m/system_tick.h"
#include "hal/arch/mmio.h"
#include "hal/arch/protection.h"
#include "hal/boards/common/linker_windows.h"
#include "pianola/span.h"

// From vectors.S: the vector table of core 1.
extern "C" const std::uint32_t kDeviceVectors;

// Written by memory.ld.
extern "C" const std::array<pianola::protection::Window, 5U> kEcuWindows;

// Called by start-up, before main() and with interrupts disabled.
extern "C" void pianola_board_start() noexcept;

// Handler of interrupt kDoorbellInterrupt of both cores.
extern "C" void pianola_doorbell() noexcept;

namespace pianola::board {
namespace {

constexpr std::uint32_t kTicksPerUs = 20U;  // both cores run at 20 MHz

// Which core this is: 0 or 1.
constexpr std::uintptr_t kCpuIdentity = 0x5001'F000U;

// System control: address of core 1's vector table, and the cores that are held in reset (one bit each).
constexpr std::uintptr_t kInitSvtor1 = 0x5002'1114U;
constexpr std::uintptr_t kCpuWait = 0x5002'1118U;

// Message handling unit 0: 32 flags per direction, whose OR is an interrupt of the receiving core.
constexpr std::uintptr_t kMhu = 0x5000'3000U;
constexpr std::uintptr_t kMhuBytesPerCore = 0x10U;  // registers for core 1 follow those for core 0
constexpr std::uintptr_t kMhuStatus = 0x0U;
constexpr std::uintptr_t kMhuSet = 0x4U;
constexpr std::uintptr_t kMhuClear = 0x8U;
constexpr std::uint32_t kMhuFlag = 1U;
constexpr std::uint32_t kDoorbellInterrupt = 6U;
constexpr std::uint32_t kDoorbellBit = 1U << kDoorbellInterrupt;

constexpr std::uintptr_t kEcuCore = 0U;
constexpr std::uintptr_t kDeviceCore = 1U;

constexpr std::uintptr_t doorbell_of(std::uintptr_t core) noexcept {
    return kMhu + (core * kMhuBytesPerCore);
}

void ring(std::uintptr_t core) noexcept {
    // The store that wakes the other core must not overtake this core's earlier stores to normal memory.
    arm_m::data_memory_barrier();
    mmio::write(doorbell_of(core) + kMhuSet, kMhuFlag);
}

}  // namespace

const char* name() noexcept {
    return "mps2_an521";
}

std::uint32_t device_cores() noexcept {
    return 1U;
}

void start_device_cores() noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-032
    mmio::write(kInitSvtor1, reinterpret_cast<std::uintptr_t>(&kDeviceVectors));
    // Start-up's stores, in particular .bss, are complete before core 1 runs its first instruction: no later handshake
    // covers them.
    arm_m::data_synchronization_barrier();
    mmio::write(kCpuWait, 0U);
}

// One core serves every queue, so one flag is enough.
void signal_device(std::uint32_t /*queue*/) noexcept {
    ring(kDeviceCore);
}

void signal_ecu() noexcept {
    ring(kEcuCore);
}

// The flag in the MHU records a doorbell: it is cleared only here. A doorbell that has rung since the last call is
// found by the test, or is pending and ends the sleep; the caller checks its queues after the flag was cleared, so it
// sees the message of a doorbell that this call consumed.
void wait_for_signal() noexcept {
    const std::uintptr_t doorbell = doorbell_of(mmio::read(kCpuIdentity));
    arm_m::disable_interrupts();
    mmio::write(arm_m::kNvicIser0, kDoorbellBit);
    if (mmio::read(doorbell + kMhuStatus) == 0U) {
        arm_m::wait_for_interrupt();
    }
    mmio::write(doorbell + kMhuClear, kMhuFlag);
    // The other core's data must not be read before the flag is cleared, or a later doorbell could be lost.
    arm_m::data_memory_barrier();
    arm_m::enable_interrupts();
}

std::uint64_t now_us() noexcept {
    return arm_m::tick_now_us(kTicksPerUs);
}

// Neither core has a data cache, and the subsystem has no further cache: stores are in memory after a barrier.
void clean_cache(ByteSpan /*memory*/) noexcept {}
void invalidate_cache(MutableByteSpan /*memory*/) noexcept {}

Span<const protection::Window> fixed_windows() noexcept {
    return kEcuWindows;
}

}  // namespace pianola::board

extern "C" void pianola_board_start() noexcept {
    pianola::arm_m::start_tick(pianola::board::kTicksPerUs);
}

// The flag must outlive the interrupt, see wait_for_signal(), and while it is set the interrupt stays asserted: so the
// interrupt is disabled until the next wait.
extern "C" void pianola_doorbell() noexcept {
    pianola::mmio::write(pianola::arm_m::kNvicIcer0, pianola::board::kDoorbellBit);
    pianola::arm_m::data_synchronization_barrier();  // disabled before this handler ends, or it would be entered again
}
