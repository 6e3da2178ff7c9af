// Data cache maintenance by address range.
//
// Place in the whole: clean_cache() and invalidate_cache() of boards whose core may have a data cache (Cortex-M7, M55).
// Needed where another bus master than this core reads or writes the memory: a device with DMA. Both do nothing while
// the cache is off.
#pragma once

#include "pianola/span.h"

namespace pianola::arm_m {

// Before another master reads: what this core wrote leaves the cache.
void clean_data_cache(ByteSpan memory) noexcept;

// Before this core reads what another master wrote: its own copy goes. Written back first, and so also right where the
// "other" master was this core, whose results may lie in the cache and nowhere else. The price: this core must not
// write to memory that the other master is writing to, in the same line.
void clean_and_invalidate_data_cache(MutableByteSpan memory) noexcept;

}  // namespace pianola::arm_m
