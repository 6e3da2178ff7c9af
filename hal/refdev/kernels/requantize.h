// Requantisation: from one scale and zero point to another, element by element.
//
// Place in the whole: ROM kernel kRequantize; arguments are RequantizeArguments. Extents, in order: input (read),
// output (written; apart from the input, or in place).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_requantize(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_requantize(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
