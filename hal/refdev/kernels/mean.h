// Mean over any subset of four dimensions.
//
// Place in the whole: ROM kernel kMean; arguments are MeanArguments. Extents, in order: input (read), output (written,
// shares no byte with the input).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_mean(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_mean(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
