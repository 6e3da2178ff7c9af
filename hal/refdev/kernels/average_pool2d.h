// Average pooling: the mean of the taps inside the input, rounded to nearest, halves away from zero.
//
// Place in the whole: ROM kernel kAveragePool2d; see hal/refdev/kernels/pool2d.h for arguments and extents.
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status run_average_pool2d(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
