// The SharedState of a board, in the memory that its linker script reserves for sharing between cores.
//
// Its address is fixed, because cores that start separately cannot agree on one otherwise.
#pragma once

#include "hal/devices/refdev/shared_state.h"

namespace pianola::board {

[[nodiscard]] refdev::SharedState& shared_state() noexcept;

}  // namespace pianola::board
