#include "hal/arch/semihosting_call.h"

#include <cstdint>

namespace pianola::semihosting {

// Operation and argument block arrive in r0 and r1 and the result is in r0, as for every function call, so the
// instruction needs no further code. Without an emulator or debugger it is a fault.
// NOLINTNEXTLINE(pianola-misra-4.1.1): DEV-071
__attribute__((naked)) std::intptr_t call(std::uint32_t /*operation*/, const void* /*argument_block*/) noexcept {
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile("bkpt 0xab\n\tbx lr");
}

}  // namespace pianola::semihosting
