// Handling of a core fault on every board: a report, and the end of the emulation.
#include "hal/arch/core_fault.h"

#include <cstdint>

#include "hal/boards/common/semihosting.h"

namespace pianola {
namespace {

// EX_SOFTWARE of sysexits.h, which no test application uses.
constexpr std::int32_t kCoreFaultExitCode = 70;

void print_field(const char* label, std::uint64_t value) noexcept {
    semihosting::print(label);
    semihosting::print_hex(value);
}

}  // namespace
}  // namespace pianola

extern "C" [[noreturn]] void pianola_stop_on_fault(const pianola::CoreFault& fault) noexcept {
    namespace semihosting = pianola::semihosting;
    semihosting::print("core fault: ");
    semihosting::print(fault.kind);
    pianola::print_field(" at ", fault.instruction);
    pianola::print_field(", address ", fault.address);
    pianola::print_field(", cause ", fault.cause);
    semihosting::print("\n");
    semihosting::exit(pianola::kCoreFaultExitCode);
}
