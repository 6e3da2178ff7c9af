#include "hal/arch/semihosting_call.h"

// In semihosting_trap.S.
extern "C" std::intptr_t pianola_arm_semihosting_trap(std::uint32_t operation, const void* argument_block) noexcept;

namespace pianola::semihosting {

std::intptr_t call(std::uint32_t operation, const void* argument_block) noexcept {
    return pianola_arm_semihosting_trap(operation, argument_block);
}

}  // namespace pianola::semihosting
