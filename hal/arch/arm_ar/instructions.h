// Instructions of Arm's A and R profiles without a C++ equivalent: barriers, a hint, and coprocessor 15, through which
// the core is controlled.
//
// The only inline assembler that both profiles use; longer sequences are in start.S. Names and numbers: "ARM
// Architecture Reference Manual ARMv7-A and ARMv7-R edition", Arm, DDI 0406.
#pragma once

#include <atomic>
#include <cstdint>

namespace pianola::arm_ar {

// Waits until earlier memory accesses and cache maintenance are complete, so that a later signal cannot overtake them.
inline void data_synchronisation_barrier() noexcept {
    asm volatile("dsb" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Fetches and decodes the following instructions again, under the registers that were written before it.
inline void instruction_synchronisation_barrier() noexcept {
    asm volatile("isb" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// A hint that others may run: no effect on silicon; an emulator that runs its cores in turn switches to the next one.
inline void yield() noexcept {
    asm volatile("yield" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// One register of coprocessor 15, by the numbers in MRC and MCR. The compiler moves no memory access across it.
template <std::uint32_t kOpcode1, std::uint32_t kCrn, std::uint32_t kCrm, std::uint32_t kOpcode2>
struct SystemRegister {
    [[nodiscard]] static std::uint32_t read() noexcept {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        // NOLINTNEXTLINE(pianola-misra-4.1.1): DEV-071
        const auto value = static_cast<std::uint32_t>(__builtin_arm_mrc(kCoprocessor, kOpcode1, kCrn, kCrm, kOpcode2));
        std::atomic_signal_fence(std::memory_order_seq_cst);
        return value;
    }

    static void write(std::uint32_t value) noexcept {
        // Not the builtin: compilers do not agree on the type of its value.
        // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
        asm volatile("mcr p%c0, %c1, %2, c%c3, c%c4, %c5" ::"i"(kCoprocessor), "i"(kOpcode1), "r"(value), "i"(kCrn),
                     "i"(kCrm), "i"(kOpcode2)
                     : "memory");
    }

  private:
    static constexpr std::uint32_t kCoprocessor = 15U;
};

using Sctlr = SystemRegister<0U, 1U, 0U, 0U>;
using Dfsr = SystemRegister<0U, 5U, 0U, 0U>;  // why data were refused
using Ifsr = SystemRegister<0U, 5U, 0U, 1U>;  // why an instruction was refused
using Dfar = SystemRegister<0U, 6U, 0U, 0U>;  // which data

}  // namespace pianola::arm_ar
