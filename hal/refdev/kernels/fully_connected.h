// Fully connected layer: output = clamp(rescale(filter x input + bias)), per output channel.
//
// Place in the whole: ROM kernel kFullyConnected; arguments are FullyConnectedArguments. Extents, in order: input,
// filter, channel_parameters (read), output (written, shares no byte with the others).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_fully_connected(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_fully_connected(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
