// Checks of protection windows that do not depend on the unit.
//
// Called first by protection::protect() on every architecture, before anything is changed.
#pragma once

#include "hal/arch/protection.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::protection {

// kOk; kCapacity if there are more windows than capacity(); kInvalidArgument if a window is not supported or two
// overlap.
Status check_windows(Span<const Window> windows) noexcept;

// True if base and size are multiples of the granule, the size is not zero, and the window does not wrap.
[[nodiscard]] bool is_well_formed(const Window& window) noexcept;

}  // namespace pianola::protection
