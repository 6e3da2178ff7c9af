// CoreFault: why a core cannot go on.
//
// Place in the whole: exception handlers of hal/arch fill it in; what happens then is the same on every architecture
// and lies in hal/boards/common/core_fault.cpp.
#pragma once

#include <cstdint>

namespace pianola {

struct CoreFault {
    const char* kind{nullptr};       // name of the exception; ended with a zero
    std::uintptr_t instruction{0U};  // address of the instruction that was stopped; 0 where it is not known
    std::uintptr_t address{0U};      // address that it used; 0 where the core does not report it
    std::uint32_t cause{0U};         // the architecture's own word on it: CFSR, DFSR, mcause
};

}  // namespace pianola

// Reports the fault and stops all cores for good. Called with interrupts off, on a stack that is known to be good.
extern "C" [[noreturn]] void pianola_stop_on_fault(const pianola::CoreFault& fault) noexcept;
