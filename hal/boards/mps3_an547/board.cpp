// MPS3 with the AN547 image: one Cortex-M55 in an SSE-300 subsystem.
#include "hal/boards/common/board.h"

#include "hal/boards/common/one_core_arm_m.h"

namespace pianola::board {

const std::uint32_t kCoreMhz = 32;

const char* name() noexcept {
    return "mps3_an547";
}

}  // namespace pianola::board
