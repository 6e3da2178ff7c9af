// MPS3 with the AN547 image: one Cortex-M55 in an SSE-300 subsystem.
#include "hal/boards/common/board.h"

#include "hal/arch/arm_m/vector_unit.h"
#include "hal/boards/common/one_core_arm_m.h"

namespace pianola::board {

const std::uint32_t kCoreMhz = 32;

const char* name() noexcept {
    return "mps3_an547";
}

// The kernels are the only code that uses the vector extension.
void prepare_core() noexcept {
    arm_m::enable_vector_unit();
}

}  // namespace pianola::board
