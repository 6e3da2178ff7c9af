// zynq_a9: the Cortex-A9 of a Zynq-7000, as emulated by QEMU's xilinx-zynq-a9.
//
// The device is a peripheral, the DMA engine (engine.h): no core serves queues here.
#include "hal/boards/common/board.h"

#include <array>
#include <cstdint>

#include "hal/arch/arm_a/global_timer.h"
#include "hal/arch/arm_ar/instructions.h"
#include "hal/arch/protection.h"
#include "hal/boards/common/linker_windows.h"

// Written by memory.ld.
extern "C" const std::array<pianola::protection::Window, 7U> kEcuWindows;

// From start.S, before main().
extern "C" void pianola_board_start() noexcept;

namespace pianola::board {
namespace {

// QEMU's clock of the private peripherals. On silicon it is half the core's, and the prescaler reaches 256 MHz: adapt
// this constant.
constexpr arm_a::GlobalTimer kTimer{0xF8F0'0000U, 100U};

}  // namespace

const char* name() noexcept {
    return "zynq_a9";
}

std::uint32_t device_cores() noexcept {
    return 0U;
}

void start_device_cores() noexcept {}
void signal_device(std::uint32_t /*queue*/) noexcept {}
void signal_ecu() noexcept {}

// The engine is polled, and no enabled interrupt could end a sleep.
void wait_for_signal() noexcept {
    arm_ar::yield();
}

std::uint64_t now_us() noexcept {
    return arm_a::global_timer_us(kTimer);
}

// Nothing is cached (memory.ld): only ordering is needed, before the engine is started and after it has answered.
void clean_cache(ByteSpan /*memory*/) noexcept {
    arm_ar::data_synchronisation_barrier();
}

void invalidate_cache(MutableByteSpan /*memory*/) noexcept {
    arm_ar::data_synchronisation_barrier();
}

Span<const protection::Window> fixed_windows() noexcept {
    return kEcuWindows;
}

}  // namespace pianola::board

extern "C" void pianola_board_start() noexcept {
    pianola::arm_a::start_global_timer(pianola::board::kTimer);
    // If this fails, the table of memory.ld is invalid: the core continues without protection, and the tests detect it.
    static_cast<void>(pianola::protection::protect(kEcuWindows));
}
