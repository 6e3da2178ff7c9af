// Exceptions that stop a core, and the one that may return: a violation that the application expects.
#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/arch/arm_m/instructions.h"
#include "hal/arch/arm_m/system_control.h"
#include "hal/arch/core_fault.h"
#include "hal/arch/mmio.h"
#include "hal/arch/protection.h"

namespace pianola::arm_m {
namespace {

// The frame that the core pushes before it enters a handler.
struct ExceptionFrame {
    std::array<std::uint32_t, 4> r0_to_r3;
    std::uint32_t r12;
    std::uint32_t lr;
    std::uint32_t pc;
    std::uint32_t xpsr;
};

constexpr std::uint32_t kMemManage = 4U;

// By exception number.
constexpr std::array<const char*, 8> kNames{"exception 0", "reset",    "NMI",        "HardFault",
                                            "MemManage",   "BusFault", "UsageFault", "SecureFault"};

// The first halfword of an instruction shows whether a second follows. Text is read only in whole words.
std::uint32_t instruction_bytes(std::uint32_t pc) noexcept {
    constexpr std::uint32_t kFirstWidePrefix = 0b11101U;
    constexpr std::uint32_t kPrefixShift = 11U;
    const std::uint32_t word = mmio::read(pc & ~3U);
    const std::uint32_t halfword = ((pc & 2U) != 0U) ? (word >> 16U) : (word & 0xFFFFU);
    return ((halfword >> kPrefixShift) >= kFirstWidePrefix) ? 4U : 2U;
}

// An IT block keeps its place in xPSR: bits 7 to 2 of it in bits 15 to 10, bits 1 and 0 in bits 26 and 25. Skipping an
// instruction must advance it, or the conditions would apply to the wrong instructions.
std::uint32_t advance_it_state(std::uint32_t xpsr) noexcept {
    constexpr std::uint32_t kItBits = 0x0600'FC00U;
    const std::uint32_t state = ((xpsr >> 8U) & 0xFCU) | ((xpsr >> 25U) & 0x03U);
    const bool is_last = (state & 0x07U) == 0U;
    const std::uint32_t next = is_last ? 0U : ((state & 0xE0U) | ((state << 1U) & 0x1FU));
    return (xpsr & ~kItBits) | ((next & 0xFCU) << 8U) | ((next & 0x03U) << 25U);
}

// True if the application wants to continue after the instruction. Only a data access can be skipped: after a refused
// fetch there is no instruction, and after a refused push no frame. With interrupts disabled, or in a handler, the core
// raises a HardFault instead of a MemManage, and stops.
bool skip_violation(ExceptionFrame& frame) noexcept {
    const std::uint32_t cause = mmio::read(kCfsr);
    if ((cause & kCfsrMemManageBits) != (kCfsrDataAccessViolation | kCfsrMmfarValid)) {
        return false;
    }
    if (!pianola_on_violation(mmio::read(kMmfar), frame.pc)) {
        return false;
    }
    frame.pc += instruction_bytes(frame.pc);
    frame.xpsr = advance_it_state(frame.xpsr);
    mmio::write(kCfsr, kCfsrMemManageBits);  // writing ones clears
    return true;
}

// The reported address, or 0.
std::uint32_t fault_address(std::uint32_t cause) noexcept {
    if ((cause & kCfsrMmfarValid) != 0U) {
        return mmio::read(kMmfar);
    }
    return ((cause & kCfsrBfarValid) != 0U) ? mmio::read(kBfar) : 0U;
}

}  // namespace
}  // namespace pianola::arm_m

// From start.S. frame: nullptr if the core could not push it.
extern "C" void pianola_exception(pianola::arm_m::ExceptionFrame* frame, std::uint32_t number) noexcept;
extern "C" [[noreturn]] void pianola_main_returned() noexcept;

extern "C" void pianola_exception(pianola::arm_m::ExceptionFrame* frame, std::uint32_t number) noexcept {
    namespace arm_m = pianola::arm_m;
    if ((number == arm_m::kMemManage) && (frame != nullptr) && arm_m::skip_violation(*frame)) {
        return;
    }
    arm_m::disable_interrupts();
    pianola::CoreFault fault{};
    fault.kind = (number < arm_m::kNames.size()) ? arm_m::kNames[number] : "interrupt without handler";
    fault.cause = pianola::mmio::read(arm_m::kCfsr);
    fault.address = arm_m::fault_address(fault.cause);
    fault.instruction = (frame != nullptr) ? frame->pc : 0U;
    pianola_stop_on_fault(fault);
}

extern "C" [[noreturn]] void pianola_main_returned() noexcept {
    pianola::arm_m::disable_interrupts();
    pianola::CoreFault fault{};
    fault.kind = "return from main";
    pianola_stop_on_fault(fault);
}
