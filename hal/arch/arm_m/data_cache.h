// Data cache maintenance by address range.
//
// clean_cache() and invalidate_cache() of boards whose core may have a data cache (Cortex-M7, M55). Needed if another
// bus master, such as a device with DMA, reads or writes the memory. Both do nothing while the cache is off.
#pragma once

#include "pianola/span.h"

namespace pianola::arm_m {

// Before another master reads: writes this core's data back from the cache.
void clean_data_cache(ByteSpan memory) noexcept;

// Before this core reads what another master wrote: drops this core's copy. It is written back first, so the call is
// also correct if the "other" master is this core, whose results may be only in the cache. Therefore this core must not
// write to a line that the other master is writing to.
void clean_and_invalidate_data_cache(MutableByteSpan memory) noexcept;

}  // namespace pianola::arm_m
