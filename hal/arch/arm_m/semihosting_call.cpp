#include "hal/arch/semihosting_call.h"

#include <cstdint>

namespace pianola::semihosting {

// Operation and argument block arrive in r0 and r1 and the result leaves in r0, for this call as for every function:
// there is nothing to do around the instruction. Without an emulator or debugger it is a fault.
// NOLINTNEXTLINE(pianola-misra-4.1.1): DEV-071
__attribute__((naked)) std::intptr_t call(std::uint32_t /*operation*/, const void* /*argument_block*/) noexcept {
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile("bkpt 0xab\n\tbx lr");
}

}  // namespace pianola::semihosting
