// Semaphore: one word of device memory that is set, counted up, or required to have come far enough.
//
// Place in the whole: ROM kernel kSemaphore; arguments are SemaphoreArguments. Extents, in order: address (read:
// increment and wait), address (written: set and increment).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_semaphore(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_semaphore(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
