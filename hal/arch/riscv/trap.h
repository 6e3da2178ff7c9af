// Traps of an RV32 core: what trap.S and the boards have to do with them.
//
// Place in the whole: start-up points mtvec to pianola_riscv_trap_entry and mscratch to the end of a small stack of the
// core's own, so that a core whose stack is used up can still say so. Exceptions end in a report
// (hal/arch/core_fault.h), but for violations that the application asked for (hal/arch/protection.h); interrupts go to
// the board. One trap at a time: nothing here enables interrupts.
#pragma once

#include <cstdint>

// In trap.S.
extern "C" void pianola_riscv_trap_entry() noexcept;

// Defined by the board: an interrupt, by its number in mcause. What raised it must be quiet when this returns.
extern "C" void pianola_riscv_interrupt(std::uint32_t number) noexcept;
