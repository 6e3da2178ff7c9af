// Softmax over rows.
//
// Place in the whole: ROM kernel kSoftmax; arguments are SoftmaxArguments. Extents, in order: input (read), output
// (written; apart from the input, or in place).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_softmax(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_softmax(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
