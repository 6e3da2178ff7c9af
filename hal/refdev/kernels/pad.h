// Padding of four dimensions with a constant.
//
// Place in the whole: ROM kernel kPad; arguments are PadArguments. Extents, in order: input (read), output (written,
// shares no byte with the input).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_pad(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_pad(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
