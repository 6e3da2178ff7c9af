// The machine "virt" of QEMU with four RV32 harts: hart 0 is the ECU core, harts 1 and 2 are the device's command
// processors, or one device each.
#include "hal/boards/common/board.h"

#include <array>
#include <cstdint>

#include "hal/arch/core_fault.h"
#include "hal/arch/riscv/instructions.h"
#include "hal/arch/riscv/trap.h"
#include "hal/boards/common/linker_windows.h"
#include "hal/boards/virt_rv32/clint.h"
#include "pianola/span.h"

// Written by memory.ld.
extern "C" const std::array<pianola::protection::Window, 4U> kEcuWindows;

namespace pianola::board {
namespace {

constexpr std::uint32_t kEcuHart = 0U;
constexpr std::uint32_t kFirstDeviceHart = 1U;
constexpr std::uint32_t kDeviceHarts = 2U;
constexpr std::uint32_t kDoorbells = 1U << riscv::kSoftwareInterrupt;

// Harts and the machine's doorbells see one coherent memory, but not in one order.
void ring(std::uint32_t hart) noexcept {
    riscv::fence_before_doorbell();
    virt_rv32::ring_doorbell(hart);
}

// 2^32 ticks are 429'496'729 microseconds and 6 ticks, so a 64-bit number of ticks needs 32-bit divisions only.
constexpr std::uint64_t microseconds(std::uint64_t ticks) noexcept {
    constexpr std::uint32_t kWrapUs = 429'496'729U;
    constexpr std::uint32_t kWrapRest = 6U;
    static_assert((std::uint64_t{kWrapUs} * virt_rv32::kTicksPerUs) + kWrapRest == (std::uint64_t{1U} << 32U));
    const std::uint32_t wraps = static_cast<std::uint32_t>(ticks >> 32U);
    const std::uint32_t lower = static_cast<std::uint32_t>(ticks);
    const std::uint32_t rest = (wraps * kWrapRest) + (lower % virt_rv32::kTicksPerUs);
    return (std::uint64_t{wraps} * kWrapUs) + (lower / virt_rv32::kTicksPerUs) + (rest / virt_rv32::kTicksPerUs);
}
static_assert(microseconds(0xFFFF'FFFFU) == 429'496'729U);
static_assert(microseconds(0x1'0000'0000U) == 429'496'729U);
static_assert(microseconds(123'456'789'012'345U) == 12'345'678'901'234U);

}  // namespace

const char* name() noexcept {
    return "virt_rv32";
}

std::uint32_t device_cores() noexcept {
    return kDeviceHarts;
}

// The first doorbell releases a device hart from start-up, see start.S.
void start_device_cores() noexcept {
    signal_device(kAllQueues);
}

void signal_device(std::uint32_t queue) noexcept {
    if (queue != kAllQueues) {
        ring(kFirstDeviceHart + queue);
        return;
    }
    for (std::uint32_t core = 0U; core < kDeviceHarts; ++core) {
        ring(kFirstDeviceHart + core);
    }
}

void signal_ecu() noexcept {
    ring(kEcuHart);
}

// A doorbell is never taken as an interrupt: it is enabled only here, while interrupts are globally disabled, and ends
// the wait by being pending. It stays pending until it is cleared, also while no hart waits, so none is lost between a
// check of the queues and the wait. It is cleared before the caller checks again: a later doorbell keeps the next wait
// from sleeping.
void wait_for_signal() noexcept {
    const std::uint32_t hart = riscv::core_number();
    riscv::Mstatus::clear_bits(riscv::kInterruptsOn);
    riscv::Mie::set_bits(kDoorbells);
    if (hart == kEcuHart) {
        const std::uint64_t earlier_alarm = virt_rv32::alarm(kEcuHart);
        const std::uint64_t latest = virt_rv32::ticks() + (std::uint64_t{kMaxSleepUs} * virt_rv32::kTicksPerUs);
        virt_rv32::set_alarm(kEcuHart, (latest < earlier_alarm) ? latest : earlier_alarm);
        riscv::wait_for_interrupt();
        virt_rv32::set_alarm(kEcuHart, earlier_alarm);
    } else {
        riscv::wait_for_interrupt();
    }
    virt_rv32::clear_doorbell(hart);
    riscv::fence_after_doorbell();
    riscv::Mie::clear_bits(kDoorbells);
    riscv::Mstatus::set_bits(riscv::kInterruptsOn);
}

std::uint64_t now_us() noexcept {
    return microseconds(virt_rv32::ticks());
}

// The harts' caches are coherent, on this machine and on every RISC-V machine whose memory is marked so: no maintenance
// is needed. The fences around doorbells and the atomics in SharedState provide the order.
void clean_cache(ByteSpan /*memory*/) noexcept {}
void invalidate_cache(MutableByteSpan /*memory*/) noexcept {}

Span<const protection::Window> fixed_windows() noexcept {
    return kEcuWindows;
}

}  // namespace pianola::board

// Doorbells and alarms end a wait by being pending, and are never taken.
void pianola_riscv_interrupt(std::uint32_t number) noexcept {
    pianola_stop_on_fault({"unexpected interrupt", 0U, 0U, number});
}
