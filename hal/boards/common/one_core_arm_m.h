// Definitions that a Cortex-M board with one core must provide.
//
// one_core_arm_m.cpp implements the rest of such a board; hal/<board>/board.cpp defines name() and these.
#pragma once

#include <cstdint>

namespace pianola::board {

extern const std::uint32_t kCoreMhz;  // the clock that SysTick counts

// Initialisation of the core before main() and before any interrupt.
void prepare_core() noexcept;

}  // namespace pianola::board
