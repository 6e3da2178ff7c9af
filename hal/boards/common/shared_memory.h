// The one SharedState of a board, in the memory that its linker script sets aside for what cores share.
//
// Place in the whole: a fixed place, because cores that start separately have no other way to agree on one. Bare metal
// only.
#pragma once

#include "hal/devices/refdev/shared_state.h"

namespace pianola::board {

[[nodiscard]] refdev::SharedState& shared_state() noexcept;

}  // namespace pianola::board
