// Matrix product of int8 or int32, summed in int32.
//
// Place in the whole: ROM kernel kMatmul; arguments are MatmulArguments. Extents, in order: a, b (read), c (written;
// apart from both), and where it accumulates, c again (read).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_matmul(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_matmul(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
