// Copy: bytes from one place to another.
//
// Place in the whole: ROM kernel kCopy; arguments are CopyArguments. Extents, in order: source (read), destination
// (written; apart from the source).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_copy(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_copy(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
