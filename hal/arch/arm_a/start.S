// Reset and exceptions of a Cortex-A9, up to the first line of C++.
//
// Core 0 runs the application, other cores of the cluster sleep. The board's linker script gives the
// symbols, the board defines pianola_board_start(). No exception returns: exceptions.cpp stops the core.
#include "hal/arch/arm_ar/start.inc"

    .section .vectors, "ax", %progbits
    .balign 32                              // the vector base register has no lower bits
    .global pianola_vectors
    .type pianola_vectors, %function
pianola_vectors:
    b       _start
    b       undefined_entry
    b       supervisor_call_entry
    b       prefetch_abort_entry
    b       data_abort_entry
    b       .                               // reserved
    b       irq_entry
    b       fiq_entry

    .section .start, "ax", %progbits
    .global _start
    .type _start, %function
_start:
    mrc     p15, 0, r0, c0, c0, 5
    ands    r0, r0, #3
    bne     halt
    // Exceptions in ARM state and little-endian, through the vectors below. Translation and caches stay off until
    // pianola::protection::protect() has set the permissions; a loader may have left them on.
    mrc     p15, 0, r0, c1, c0, 0
    bic     r0, r0, #(1 << 30)              // TE
    bic     r0, r0, #(1 << 25)              // EE
    bic     r0, r0, #(1 << 13)              // V
    bic     r0, r0, #(1 << 12)              // I
    bic     r0, r0, #(1 << 2)               // C
    bic     r0, r0, #(1 << 1)               // A
    bic     r0, r0, #(1 << 0)               // M
    mcr     p15, 0, r0, c1, c0, 0
    ldr     r0, =pianola_vectors
    mcr     p15, 0, r0, c12, c0, 0
    isb                                     // nothing fetched under the old registers is executed

    enable_floating_point

    ldr     r0, =__stack_exceptions_end
    ldr     r1, =__stack_ecu_end
    set_stacks

    paint_stack
    ldr     r0, =__data_load
    ldr     r1, =__data_start
    ldr     r2, =__data_end
2:  cmp     r1, r2
    ldrlo   r3, [r0], #4
    strlo   r3, [r1], #4
    blo     2b
    clear_memory
    bl      pianola_board_start
    bl      main                            // main() ends the run
halt:
    wfe
    b       halt

    define_clear_words

data_abort_entry:
    mov     r0, #KIND_DATA
    sub     r1, lr, #8
    b       stop
    define_stopping_entries pianola_arm_a_stop
