// Unary arithmetic, element by element, in int8 or int32.
//
// Place in the whole: ROM kernel kUnary; arguments are UnaryArguments. Extents, in order: input (read), output
// (written; apart from the input, or in place).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_unary(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_unary(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
