// Instructions of an RV32 core that C++ has no words for: fences, waiting, and control and status registers.
//
// Place in the whole: the only inline assembler of this architecture; the files that end in .S, here and in the boards,
// have the rest. Names and numbers: "The RISC-V Instruction Set Manual", volumes I and II, privileged architecture
// 1.12.
#pragma once

#include <cstdint>

namespace pianola::riscv {

// Everything that this core read or wrote in memory before comes before every register of a device that it writes
// afterwards. In front of a doorbell: what it announces must be there first, and memory and devices are not ordered by
// themselves.
inline void fence_before_doorbell() noexcept {
    asm volatile("fence rw, o" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// The reverse, behind a doorbell: memory is read only after the devices' registers that were read or written before.
inline void fence_after_doorbell() noexcept {
    asm volatile("fence io, rw" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Waits until an interrupt is pending that this core has enabled one by one, whether it would be taken or not. May
// return early.
inline void wait_for_interrupt() noexcept {
    asm volatile("wfi" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// One control and status register. A write comes after what the program does before it.
template <std::uint32_t kNumber>
struct Csr {
    [[nodiscard]] static std::uint32_t read() noexcept {
        std::uint32_t value = 0U;                                             // NOLINT(misc-const-correctness): DEV-031
        asm volatile("csrr %0, %1" : "=r"(value) : "i"(kNumber) : "memory");  // NOLINT(hicpp-no-assembler): DEV-031
        return value;
    }
    static void write(std::uint32_t value) noexcept {
        asm volatile("csrw %0, %1" ::"i"(kNumber), "r"(value) : "memory");  // NOLINT(hicpp-no-assembler): DEV-031
    }
    static void set_bits(std::uint32_t bits) noexcept {
        asm volatile("csrs %0, %1" ::"i"(kNumber), "r"(bits) : "memory");  // NOLINT(hicpp-no-assembler): DEV-031
    }
    static void clear_bits(std::uint32_t bits) noexcept {
        asm volatile("csrc %0, %1" ::"i"(kNumber), "r"(bits) : "memory");  // NOLINT(hicpp-no-assembler): DEV-031
    }
};

using Mstatus = Csr<0x300U>;
using Mie = Csr<0x304U>;
using Mhartid = Csr<0xF14U>;

// Mstatus: interrupts on; the privilege before the last trap (0 is U); data accesses with that privilege instead of the
// core's own.
inline constexpr std::uint32_t kInterruptsOn = 1U << 3U;
inline constexpr std::uint32_t kPreviousPrivilege = 3U << 11U;
inline constexpr std::uint32_t kModifyPrivilege = 1U << 17U;

// Mie, and numbers of interrupts in mcause.
inline constexpr std::uint32_t kSoftwareInterrupt = 3U;
inline constexpr std::uint32_t kTimerInterrupt = 7U;

// Which core ("hart") this is.
[[nodiscard]] inline std::uint32_t core_number() noexcept {
    return Mhartid::read();
}

}  // namespace pianola::riscv
