#include "hal/arch/semihosting_call.h"

namespace pianola::semihosting {

std::intptr_t call(std::uint32_t operation, const void* argument_block) noexcept {
    std::intptr_t result = 0;
    // The instructions around ebreak mark it as a call to the host. The three must not be compressed, and must lie on one page,
    // hence the alignment. The host reads and writes memory behind the argument, hence the clobber.
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    asm volatile(
        ".option push\n"
        ".option norvc\n"
        "mv a0, %1\n"
        "mv a1, %2\n"
        ".balign 16\n"
        "slli zero, zero, 0x1f\n"
        "ebreak\n"
        "srai zero, zero, 7\n"
        "mv %0, a0\n"
        ".option pop\n"
        : "=r"(result)
        : "r"(operation), "r"(argument_block)
        : "a0", "a1", "memory");
    return result;
}

}  // namespace pianola::semihosting
