// Reset and exceptions of a pair of Cortex-R5, up to the first line of C++.
//
// One image and one vector table, at address 0, serve both cores; core 0 is the ECU core, core 1 the device's. The
// board's linker script gives the symbols, exceptions.cpp handles exceptions, the board defines
// pianola_prepare_core(core). Core 1 must not be started before core 0 is in main(): core 0 makes .data, .bss and
// .shared for both.
#include "hal/arch/arm_ar/start.inc"

    .section .vectors, "ax", %progbits
    .global pianola_vectors
    .type pianola_vectors, %function
pianola_vectors:
    ldr     pc, reset_address
    ldr     pc, undefined_address
    ldr     pc, supervisor_call_address
    ldr     pc, prefetch_abort_address
    ldr     pc, data_abort_address
    b       .                               // reserved
    ldr     pc, irq_address
    ldr     pc, fiq_address
reset_address:           .word _start
undefined_address:       .word undefined_entry
supervisor_call_address: .word supervisor_call_entry
prefetch_abort_address:  .word prefetch_abort_entry
data_abort_address:      .word data_abort_entry
irq_address:             .word irq_entry
fiq_address:             .word fiq_entry

    .section .start, "ax", %progbits
    .global _start
    .type _start, %function
_start:
    // Exceptions in ARM state and little-endian, through the vectors at address 0; out of reset they may lie at
    // 0xffff0000. Protection unit and caches stay off until pianola::protection::protect() has defined the cacheable
    // memory.
    mrc     p15, 0, r0, c1, c0, 0
    bic     r0, r0, #(1 << 30)              // TE
    bic     r0, r0, #(1 << 25)              // EE
    bic     r0, r0, #(1 << 13)              // V
    bic     r0, r0, #(1 << 12)              // I
    bic     r0, r0, #(1 << 2)               // C
    bic     r0, r0, #(1 << 0)               // M
    mcr     p15, 0, r0, c1, c0, 0
    // After reset the contents of the caches are undefined. They are emptied now, so that they can be switched on
    // later.
    mov     r0, #0
    mcr     p15, 0, r0, c15, c5, 0          // invalidate the whole data cache
    mcr     p15, 0, r0, c7, c5, 0           // invalidate the whole instruction cache and the branch predictor
    dsb                                     // done before anything relies on it
    isb                                     // nothing fetched under the old control register is executed

    enable_floating_point

    mrc     p15, 0, r4, c0, c0, 5
    and     r4, r4, #1                      // r4: number of this core
    cmp     r4, #0
    ldreq   r0, =__stack_exceptions_ecu_end
    ldreq   r1, =__stack_ecu_end
    ldrne   r0, =__stack_exceptions_device_end
    ldrne   r1, =__stack_device_core_end
    set_stacks
    bne     device_core

    paint_stack

    ldr     r0, =__data_load
    ldr     r1, =__data_start
    ldr     r2, =__data_end
    bl      copy_words
    clear_memory

    mov     r0, r4
    bl      pianola_prepare_core
    bl      main
    b       halt                            // main() main() ends the run

device_core:
    mov     r0, r4
    bl      pianola_prepare_core
    mov     r0, #0                          // the first device core, and the only one
    bl      pianola_device_main
halt:
    wfe
    b       halt

// Words from r0 on to [r1, r2).
copy_words:
    cmp     r1, r2
    ldrlo   r3, [r0], #4
    strlo   r3, [r1], #4
    blo     copy_words
    bx      lr

    define_clear_words

// The only exception that may return. The handler may change the return address and the state.
data_abort_entry:
    sub     lr, lr, #8                      // the instruction that was refused
    srsdb   sp!, #MODE_ABORT
    push    {r0-r3, r12, lr}
    vpush   {d0-d7}
    vmrs    r1, fpscr
    push    {r1, r2}
    add     r0, sp, #96                     // after 2 + 16 + 6 words: return address and status
    bl      pianola_arm_r_data_abort
    pop     {r1, r2}
    vmsr    fpscr, r1
    vpop    {d0-d7}
    pop     {r0-r3, r12, lr}
    clrex                                   // an exclusive store that was interrupted must fail
    rfeia   sp!

    define_stopping_entries pianola_arm_r_stop
