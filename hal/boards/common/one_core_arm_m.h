// What a Cortex-M board with one core still has to say.
//
// Place in the whole: one_core_arm_m.cpp is the rest of such a board; hal/<board>/board.cpp defines name() and these.
#pragma once

#include <cstdint>

namespace pianola::board {

extern const std::uint32_t kCoreMhz;  // the clock that SysTick counts

// What the core needs before main() and before any interrupt.
void prepare_core() noexcept;

}  // namespace pianola::board
