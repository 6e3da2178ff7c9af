// Gather: rows put together from columns of up to four sources.
//
// Place in the whole: ROM kernel kGather; arguments are GatherArguments. Extents, in order: the used segments (read;
// each the hull of its rows), destination (written; apart from every hull).
#pragma once

#include "hal/refdev/kernels/kernel.h"

namespace pianola::refdev {

Status describe_gather(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status run_gather(WordSpan arguments, const DeviceMemory& memory) noexcept;

}  // namespace pianola::refdev
