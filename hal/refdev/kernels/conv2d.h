// Two-dimensional convolution with groups, strides, dilations and padding, per-channel quantised.
//
// Place in the whole: ROM kernel kConv2d; arguments are Conv2dArguments. Extents, in order: input, filter,
// channel_parameters (read), output (written, shares no byte with the others).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_conv2d(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_conv2d(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
