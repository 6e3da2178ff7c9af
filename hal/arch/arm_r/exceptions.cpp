// Handling of an exception after start.S has saved the registers.
#include <cstdint>

#include "hal/arch/arm_r/instructions.h"
#include "hal/arch/core_fault.h"
#include "hal/arch/protection.h"

namespace pianola::arm_r {
namespace {

constexpr std::uint32_t kEcuCore = 0U;

// Numbers that start.S passes.
enum class ExceptionKind : std::uint32_t { kUndefined = 1U, kPrefetch = 2U, kIrq = 3U, kFiq = 4U };

// The frame that the core stores when it takes an exception: return address and state.
struct ExceptionFrame {
    std::uint32_t return_address;
    std::uint32_t status;  // the program status register
};

// Whether this fault status comes from the protection unit, whose aborts are exact: address and instruction are known.
constexpr bool is_violation(std::uint32_t cause) noexcept {
    constexpr std::uint32_t kStatusBits = 0x40FU;
    constexpr std::uint32_t kBackground = 0x000U;  // no region covers the address
    constexpr std::uint32_t kPermission = 0x00DU;  // a region covers it but does not permit the access
    const std::uint32_t status = cause & kStatusBits;
    return (status == kBackground) || (status == kPermission);
}

const char* text_of(ExceptionKind kind) noexcept {
    switch (kind) {
        case ExceptionKind::kUndefined:
            return "undefined instruction";
        case ExceptionKind::kPrefetch:
            return "prefetch abort";
        case ExceptionKind::kIrq:
            return "unexpected interrupt";
        case ExceptionKind::kFiq:
        default:
            return "unexpected fast interrupt";
    }
}

// Bytes of the Thumb instruction that starts with these 16 bits.
constexpr std::uint32_t thumb_instruction_bytes(std::uint32_t first_halfword) noexcept {
    return ((first_halfword >> 11U) >= 0x1DU) ? 4U : 2U;
}

// The status after one instruction of an IT block: the block's state is in bits 10-15 (its upper six) and 25-26 (its
// lower two).
constexpr std::uint32_t advance_it_block(std::uint32_t status) noexcept {
    constexpr std::uint32_t kLowerBits = 0x0600'0000U;
    constexpr std::uint32_t kUpperBits = 0x0000'FC00U;
    const std::uint32_t state = ((status & kUpperBits) >> 8U) | ((status & kLowerBits) >> 25U);
    const std::uint32_t next = ((state & 7U) == 0U) ? 0U : ((state & 0xE0U) | ((state << 1U) & 0x1FU));
    return (status & ~(kLowerBits | kUpperBits)) | ((next << 8U) & kUpperBits) | ((next << 25U) & kLowerBits);
}

void skip_instruction(ExceptionFrame& frame) noexcept {
    constexpr std::uint32_t kThumb = 1U << 5U;
    if ((frame.status & kThumb) == 0U) {
        frame.return_address += 4U;
        return;
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast, performance-no-int-to-ptr): DEV-030
    const auto* const instruction = reinterpret_cast<const std::uint16_t*>(frame.return_address);
    frame.return_address += thumb_instruction_bytes(*instruction);
    frame.status = advance_it_block(frame.status);
}

}  // namespace
}  // namespace pianola::arm_r

// Called by start.S only.
extern "C" void pianola_arm_r_data_abort(pianola::arm_r::ExceptionFrame* frame) noexcept;
extern "C" [[noreturn]] void pianola_arm_r_stop(pianola::arm_r::ExceptionKind kind, std::uint32_t instruction) noexcept;

void pianola_arm_r_data_abort(pianola::arm_r::ExceptionFrame* frame) noexcept {
    namespace arm_r = pianola::arm_r;
    const std::uint32_t cause = pianola::arm_ar::Dfsr::read();
    const std::uint32_t address = pianola::arm_ar::Dfar::read();
    // Only on the ECU core: the hook belongs to the application, which runs there.
    const bool is_asked = arm_r::is_violation(cause) && (arm_r::core_number() == arm_r::kEcuCore);
    if (is_asked && pianola_on_violation(address, frame->return_address)) {
        arm_r::skip_instruction(*frame);
        return;
    }
    pianola_stop_on_fault({"data abort", frame->return_address, address, cause});
}

void pianola_arm_r_stop(pianola::arm_r::ExceptionKind kind, std::uint32_t instruction) noexcept {
    namespace arm_r = pianola::arm_r;
    // The register keeps an old reason if this exception sets none.
    const std::uint32_t cause = (kind == arm_r::ExceptionKind::kPrefetch) ? pianola::arm_ar::Ifsr::read() : 0U;
    pianola_stop_on_fault({arm_r::text_of(kind), instruction, 0U, cause});
}
