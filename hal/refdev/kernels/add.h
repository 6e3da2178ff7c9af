// Element-wise sum of two tensors, with broadcasting.
//
// Place in the whole: ROM kernel kAdd; arguments are AddArguments. Extents, in order: input1, input2 (read), output
// (written; apart from the inputs, or in place of one that is not broadcast). An operand is dense: its stride is 0 in
// each dimension in which it is broadcast, and in the others the product of its own later dimensions.
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_add(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_add(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
