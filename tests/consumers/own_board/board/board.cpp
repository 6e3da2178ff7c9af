// What a board with one Cortex-M core has to say.
#include "hal/boards/common/board.h"

#include "hal/boards/common/one_core_arm_m.h"

namespace pianola::board {

const std::uint32_t kCoreMhz = 25;

const char* name() noexcept {
    return "own_m4";
}

void prepare_core() noexcept {}

}  // namespace pianola::board
