// Depthwise convolution: every input channel has filters of its own, depth_multiplier of them.
//
// Place in the whole: ROM kernel kDepthwiseConv2d; arguments are DepthwiseConv2dArguments. Extents, in order: input,
// filter, channel_parameters (read), output (written, shares no byte with the others).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_depthwise_conv2d(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_depthwise_conv2d(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
