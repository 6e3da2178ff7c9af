// Maintenance of a Cortex-R5's data cache by address range.
//
// Place in the whole: the caches of the pair know nothing of each other. Memory that both cores write is not cached at
// all (the board's memory.ld says which); these two are for memory that one core owns and lends to the other.
#pragma once

#include "pianola/span.h"

namespace pianola::arm_r {

// Writes to memory what this core has stored and its cache still holds. Complete on return.
void clean_data_cache(ByteSpan memory) noexcept;

// Forgets what this core's cache holds, so that the next load comes from memory. A line that `memory` covers in part is
// written back first, for the sake of its other bytes: nothing may have been stored to such a line since the memory was
// lent.
void invalidate_data_cache(MutableByteSpan memory) noexcept;

}  // namespace pianola::arm_r
