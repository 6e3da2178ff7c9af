#include "hal/arch/riscv/trap.h"

#include <array>
#include <cstdint>

#include "hal/arch/core_fault.h"
#include "hal/arch/mmio.h"
#include "hal/arch/protection.h"
#include "hal/arch/riscv/instructions.h"

namespace pianola::riscv {
namespace {

constexpr std::uint32_t kEcuCore = 0U;

// mcause: the top bit tells interrupts from exceptions.
constexpr std::uint32_t kIsInterrupt = 1U << 31U;
constexpr std::uint32_t kLoadAccessFault = 5U;
constexpr std::uint32_t kStoreAccessFault = 7U;

// By the number of the exception.
constexpr std::array<const char*, 8> kNames{
    "instruction address misaligned", "instruction access fault", "illegal instruction",      "breakpoint",
    "load address misaligned",        "load access fault",        "store address misaligned", "store access fault"};

// The two lowest bits of an instruction show whether it has 16 or 32 bits. Text is read only in whole words.
std::uint32_t instruction_bytes(std::uintptr_t instruction) noexcept {
    constexpr std::uint32_t kIsWide = 3U;
    const std::uint32_t word = mmio::read(instruction & ~std::uintptr_t{3U});
    const std::uint32_t halfword = ((instruction & 2U) != 0U) ? (word >> 16U) : word;
    return ((halfword & kIsWide) == kIsWide) ? 4U : 2U;
}

// Return address.
std::uintptr_t handle_trap(std::uint32_t cause, std::uintptr_t instruction, std::uintptr_t address) noexcept {
    if ((cause & kIsInterrupt) != 0U) {
        pianola_riscv_interrupt(cause & ~kIsInterrupt);
        return instruction;
    }
    // Only on the ECU core: the hook belongs to the application, which runs there.
    const bool is_violation = (cause == kLoadAccessFault) || (cause == kStoreAccessFault);
    if (is_violation && (core_number() == kEcuCore) && pianola_on_violation(address, instruction)) {
        return instruction + instruction_bytes(instruction);
    }
    pianola_stop_on_fault({(cause < kNames.size()) ? kNames[cause] : "exception", instruction, address, cause});
}

}  // namespace
}  // namespace pianola::riscv

// Called by trap.S only.
extern "C" std::uintptr_t pianola_riscv_trap(std::uint32_t cause, std::uintptr_t instruction,
                                             std::uintptr_t address) noexcept;

std::uintptr_t pianola_riscv_trap(std::uint32_t cause, std::uintptr_t instruction, std::uintptr_t address) noexcept {
    return pianola::riscv::handle_trap(cause, instruction, address);
}
