// Sum, maximum or minimum over the rows or the columns of a matrix.
//
// Place in the whole: ROM kernel kReduce; arguments are ReduceArguments. Extents, in order: input (read), output
// (written; apart from the input).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_reduce(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_reduce(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
