// Instructions of an RV32 core without a C++ equivalent: fences, waiting, and control and status registers.
//
// The only inline assembler of this architecture; the files that end in .S, here and in the boards, have the rest.
// Names and numbers: "The RISC-V Instruction Set Manual", volumes I and II, privileged architecture 1.12.
#pragma once

#include <cstdint>

namespace pianola::riscv {

// Orders this core's earlier reads and writes of memory before its later writes to device registers. Needed before a
// doorbell: the announced data must be visible first, and memory and device accesses are not ordered otherwise.
inline void fence_before_doorbell() noexcept {
    asm volatile("fence rw, o" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// The reverse, after a doorbell: orders earlier accesses to device registers before later reads of memory.
inline void fence_after_doorbell() noexcept {
    asm volatile("fence io, rw" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Waits until an individually enabled interrupt is pending, whether or not it would be taken. May return early.
inline void wait_for_interrupt() noexcept {
    asm volatile("wfi" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// One control and status register. A write is ordered after earlier accesses.
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
