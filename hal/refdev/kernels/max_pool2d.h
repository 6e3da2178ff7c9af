// Maximum pooling: the largest of the taps inside the input.
//
// Place in the whole: ROM kernel kMaxPool2d; see hal/refdev/kernels/pool2d.h for arguments and extents.
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status run_max_pool2d(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
