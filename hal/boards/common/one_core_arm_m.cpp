// Boards with one Cortex-M core, which is the ECU and lends itself to the device: the device runs in the session's own
// calls, one bounded piece at a time (DeviceLink::service), so there are no doorbells.
#include "hal/boards/common/one_core_arm_m.h"

#include <array>
#include <cstdint>

#include "hal/arch/arm_m/data_cache.h"
#include "hal/arch/arm_m/instructions.h"
#include "hal/arch/arm_m/system_tick.h"
#include "hal/arch/protection.h"
#include "hal/boards/common/board.h"
#include "hal/boards/common/linker_windows.h"
#include "pianola/span.h"

// Written by memory.ld.
extern "C" const std::array<pianola::protection::Window, 2U> kEcuWindows;

// Called by start-up, before main() and with interrupts disabled.
extern "C" void pianola_board_start() noexcept;

namespace pianola::board {

std::uint32_t device_cores() noexcept {
    return 0U;
}

void start_device_cores() noexcept {}
void signal_device(std::uint32_t /*queue*/) noexcept {}
void signal_ecu() noexcept {}

// Nothing can signal while this core sleeps, not even the device: only the tick ends the sleep. Callers that have a
// device to serve do that instead.
void wait_for_signal() noexcept {
    arm_m::wait_for_interrupt();
}

std::uint64_t now_us() noexcept {
    return arm_m::tick_now_us(kCoreMhz);
}

// The device is this core and uses the same cache, so no maintenance is needed, with the cache on or off. The cache is
// off, as after reset, and these functions then cost one test. They are needed once an integrator uses a device with
// DMA and switches the cache on: without the first the device reads stale inputs, without the second the core reads
// stale outputs.
void clean_cache(ByteSpan memory) noexcept {
    arm_m::clean_data_cache(memory);
}

void invalidate_cache(MutableByteSpan memory) noexcept {
    arm_m::clean_and_invalidate_data_cache(memory);
}

Span<const protection::Window> fixed_windows() noexcept {
    return kEcuWindows;
}

}  // namespace pianola::board

extern "C" void pianola_board_start() noexcept {
    pianola::board::prepare_core();
    pianola::arm_m::start_tick(pianola::board::kCoreMhz);
}
