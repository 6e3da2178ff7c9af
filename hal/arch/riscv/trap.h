// Traps of an RV32 core: interface between trap.S and the boards.
//
// Start-up points mtvec to pianola_riscv_trap_entry and mscratch to the end of a separate small stack, so that a core
// with an exhausted stack can still report it. Exceptions end in a report (hal/arch/core_fault.h), except for
// violations that the application expects (hal/arch/protection.h); interrupts go to the board. One trap at a time:
// nothing here enables interrupts.
#pragma once

#include <cstdint>

// In trap.S.
extern "C" void pianola_riscv_trap_entry() noexcept;

// Defined by the board: an interrupt, by its number in mcause. Its source must be cleared when this returns.
extern "C" void pianola_riscv_interrupt(std::uint32_t number) noexcept;
