// Protection windows that a board's memory.ld writes as a table, because it alone knows the addresses of its memories.
//
// The interface between such a linker script and protection::Window. Three words for each window, the third one of
// these numbers; a script names them READ_WRITE, READ_EXECUTE, READ_WRITE_SHARED and PERIPHERAL.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hal/arch/protection.h"

namespace pianola::protection {

// NOLINTNEXTLINE(pianola-misra-21.2.4): DEV-064
static_assert((offsetof(Window, base) == 0U) && (offsetof(Window, size_bytes) == 4U));
static_assert((offsetof(Window, access) == 8U) && (sizeof(Window) == 12U));  // NOLINT(pianola-misra-21.2.4): DEV-064
static_assert(static_cast<std::uint32_t>(Access::kReadWrite) == 2U);
static_assert(static_cast<std::uint32_t>(Access::kReadExecute) == 3U);
static_assert(static_cast<std::uint32_t>(Access::kReadWriteShared) == 4U);
static_assert(static_cast<std::uint32_t>(Access::kPeripheral) == 5U);

}  // namespace pianola::protection
