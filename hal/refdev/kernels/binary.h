// Binary arithmetic, element by element, in int8 or int32.
//
// Place in the whole: ROM kernel kBinary; arguments are BinaryArguments. Extents, in order: input1, input2 (read),
// output (written; apart from each input, or in place of it).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_binary(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_binary(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
