// Exceptions: every one stops the core.
#include <cstdint>

#include "hal/arch/arm_ar/instructions.h"
#include "hal/arch/core_fault.h"

namespace pianola::arm_a {
namespace {

// Numbers that start.S passes.
enum class ExceptionKind : std::uint32_t { kUndefined = 1U, kPrefetch = 2U, kIrq = 3U, kFiq = 4U, kData = 5U };

const char* text_of(ExceptionKind kind) noexcept {
    switch (kind) {
        case ExceptionKind::kUndefined:
            return "undefined instruction";
        case ExceptionKind::kPrefetch:
            return "prefetch abort";
        case ExceptionKind::kIrq:
            return "unexpected interrupt";
        case ExceptionKind::kData:
            return "data abort";
        case ExceptionKind::kFiq:
        default:
            return "unexpected fast interrupt";
    }
}

}  // namespace
}  // namespace pianola::arm_a

// Called by start.S only.
extern "C" [[noreturn]] void pianola_arm_a_stop(pianola::arm_a::ExceptionKind kind, std::uint32_t instruction) noexcept;

void pianola_arm_a_stop(pianola::arm_a::ExceptionKind kind, std::uint32_t instruction) noexcept {
    namespace arm_a = pianola::arm_a;
    // These registers keep an old reason if this exception sets none.
    const bool is_data = kind == arm_a::ExceptionKind::kData;
    const std::uint32_t fetch_cause = (kind == arm_a::ExceptionKind::kPrefetch) ? pianola::arm_ar::Ifsr::read() : 0U;
    const std::uint32_t cause = is_data ? pianola::arm_ar::Dfsr::read() : fetch_cause;
    const std::uint32_t address = is_data ? pianola::arm_ar::Dfar::read() : 0U;
    pianola_stop_on_fault({arm_a::text_of(kind), instruction, address, cause});
}
