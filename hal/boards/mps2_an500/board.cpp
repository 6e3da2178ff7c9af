// MPS2 with the AN500 image: one Cortex-M7.
#include "hal/boards/common/board.h"

#include "hal/boards/common/one_core_arm_m.h"

namespace pianola::board {

const std::uint32_t kCoreMhz = 25;

const char* name() noexcept {
    return "mps2_an500";
}

void prepare_core() noexcept {}

}  // namespace pianola::board
