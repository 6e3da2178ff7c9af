// CoreFault: why a core cannot continue.
//
// Exception handlers of hal/arch fill it in; hal/boards/common/core_fault.cpp handles it in the same way on every
// architecture.
#pragma once

#include <cstdint>

namespace pianola {

struct CoreFault {
    const char* kind{nullptr};       // name of the exception; zero-terminated
    std::uintptr_t instruction{0U};  // address of the instruction that was stopped; 0 if unknown
    std::uintptr_t address{0U};      // address that it used; 0 if the core does not report it
    std::uint32_t cause{0U};         // the architecture's cause register: CFSR, DFSR, mcause
};

}  // namespace pianola

// Reports the fault and stops all cores permanently. Called with interrupts off, on a stack that is known to be valid.
extern "C" [[noreturn]] void pianola_stop_on_fault(const pianola::CoreFault& fault) noexcept;
