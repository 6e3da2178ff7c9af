// Memory protection of the ECU core: MPU or PMP.
//
// The second protection of a slot. The runtime proves the device's accesses; this stops erroneous accesses of the ECU
// core itself. One file per protection architecture implements it: PMSAv7-R (Cortex-R5), PMSAv7-M (Cortex-M7), PMSAv8-M
// (Cortex-M33, M55), RISC-V PMP. Called by the ECU core, privileged, at start-up and when the running slot changes.
#pragma once

#include <cstdint>

#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::protection {

enum class Access : std::uint8_t {
    kNone = 0U,        // no access at all
    kReadOnly,         // constant data: a trace binary
    kReadWrite,        // data, never executed
    kReadExecute,      // text and constants
    kReadWriteShared,  // data that other cores write: not cached
    kPeripheral,       // device registers
};

// One range of the ECU core's address space. Base and size: multiples of kGranuleBytes; for units that need powers of
// two (PMSAv7), the size is a power of two and the base a multiple of it: see is_supported().
struct Window {
    std::uintptr_t base{0U};
    std::uint32_t size_bytes{0U};
    Access access{Access::kNone};
};
inline constexpr std::uint32_t kGranuleBytes = 64U;

// Number of windows that the unit holds.
[[nodiscard]] std::uint32_t capacity() noexcept;
// True if this unit can express the window exactly.
[[nodiscard]] bool is_supported(const Window& window) noexcept;

// Replaces all windows by these and switches protection on; memory outside all windows is not accessible. Windows must
// be disjoint. kOk, kCapacity, kInvalidArgument (nothing was changed).
Status protect(Span<const Window> windows) noexcept;

}  // namespace pianola::protection

// Defined by the application: called by the trap handler with the address that was refused (0 if the core does not
// report it) and the instruction. True: skip the instruction and continue, for tests; false: the handler stops the core
// permanently.
extern "C" bool pianola_on_violation(std::uintptr_t address, std::uintptr_t instruction) noexcept;
