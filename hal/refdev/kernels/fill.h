// Fill: one 32-bit pattern over and over.
//
// Place in the whole: ROM kernel kFill; arguments are FillArguments. Extents, in order: destination (written).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_fill(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_fill(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
