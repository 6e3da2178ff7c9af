#include "hal/arch/semihosting_call.h"

// In semihosting.S.
extern "C" std::intptr_t pianola_riscv_semihosting(std::uint32_t operation, const void* argument_block) noexcept;

namespace pianola::semihosting {

std::intptr_t call(std::uint32_t operation, const void* argument_block) noexcept {
    return pianola_riscv_semihosting(operation, argument_block);
}

}  // namespace pianola::semihosting
