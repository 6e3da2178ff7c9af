// Functions that every board's port provides.
//
// hal/boards/common holds what boards share, hal/arch what cores of one architecture share, hal/<board> the rest:
// start-up, linker script, and the functions declared here. Applications include this header and are linked with one
// board's library; no application names a board.
#pragma once

#include <cstdint>

#include "hal/arch/protection.h"
#include "pianola/span.h"

namespace pianola::board {

inline constexpr std::uint32_t kAllQueues = UINT32_MAX;

// Name of the board's folder. Static lifetime.
[[nodiscard]] const char* name() noexcept;

// Cores that run the device: 0 if the device shares the ECU core and runs inside service(). Core `core` (0 <= core <
// device_cores()) serves queue `core`, or every queue if there is only one device core; in an image that has a device
// per core (core_device.h) it is device `core`.
[[nodiscard]] std::uint32_t device_cores() noexcept;

// ECU core, once, first thing in main(): releases the device's cores, which enter device_main().
void start_device_cores() noexcept;

// ECU core to device core, and back. Each makes the caller's earlier stores visible first, then raises an interrupt, or
// an event if the board has no interrupt between these cores. A device core is identified by the queue that it serves
// or, if it is a device, by that device's number.
void signal_device(std::uint32_t queue) noexcept;
void signal_ecu() noexcept;

// Sleeps until an interrupt or event arrives for the calling core; returns at once if one has arrived since the last
// call. May return early. On the ECU core, returns at the latest with the next tick of the board's timer, within
// kMaxSleepUs, if the board has a timer that can wake the core, otherwise at once.
void wait_for_signal() noexcept;
inline constexpr std::uint32_t kMaxSleepUs = 1000U;

// Monotonic time since start-up, in microseconds. Cheap: no 64-bit division.
[[nodiscard]] std::uint64_t now_us() noexcept;

// Data cache maintenance of the calling core, by address range; each definition says what the board needs and why.
void clean_cache(ByteSpan memory) noexcept;
void invalidate_cache(MutableByteSpan memory) noexcept;

// Memory that the board's linker script sets aside.
[[nodiscard]] MutableByteSpan device_dram() noexcept;  // the reference device's DRAM
[[nodiscard]] MutableByteSpan device_l1() noexcept;    // and its L1
[[nodiscard]] MutableByteSpan load_area() noexcept;    // free, 64-byte aligned: tests put binaries and records here

// The windows that every application needs: text, data and stacks, memory shared by cores, peripherals. Without device
// memory and load area, which belong to slots. Static lifetime; disjoint; each supported by this board's protection
// unit.
[[nodiscard]] Span<const protection::Window> fixed_windows() noexcept;

}  // namespace pianola::board

// Entry of each device core, after start-up has given it a stack. An image has that of
// hal/boards/common/device_firmware.cpp or that of core_device.cpp.
extern "C" void pianola_device_main(std::uint32_t core) noexcept;
