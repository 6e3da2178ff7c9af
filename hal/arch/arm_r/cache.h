// Maintenance of a Cortex-R5's data cache by address range.
//
// The caches of the pair are not coherent. Memory that both cores write is not cached at all (the board's memory.ld
// says which); these two are for memory that one core owns and lends to the other.
#pragma once

#include "pianola/span.h"

namespace pianola::arm_r {

// Writes this core's modified lines to memory. Complete on return.
void clean_data_cache(ByteSpan memory) noexcept;

// Invalidates this core's lines, so that the next load comes from memory. A line that `memory` covers in part is
// written back first, to keep its other bytes: nothing may have been stored to such a line since the memory was lent.
void invalidate_data_cache(MutableByteSpan memory) noexcept;

}  // namespace pianola::arm_r
