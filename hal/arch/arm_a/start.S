// Reset and exceptions of a Cortex-A9, up to the first line of C++.
//
// Core 0 runs the application, other cores of the cluster sleep. The board's linker script gives the
// symbols, the board defines pianola_board_start(). No exception returns: exceptions.cpp stops the core.
    .syntax unified
    .arm

    .equ MODE_FIQ, 0x11
    .equ MODE_IRQ, 0x12
    .equ MODE_SUPERVISOR, 0x13
    .equ MODE_ABORT, 0x17
    .equ MODE_UNDEFINED, 0x1b
    .equ MODE_SYSTEM, 0x1f
    .equ STATUS_THUMB, 1 << 5
    .equ STACK_PAINT, 0xa5a5a5a5

// ExceptionKind in exceptions.cpp.
    .equ KIND_UNDEFINED, 1
    .equ KIND_PREFETCH, 2
    .equ KIND_IRQ, 3
    .equ KIND_FIQ, 4
    .equ KIND_DATA, 5

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

    // The floating point unit: access for all, then on. Compilers use its registers for copies, too.
    mrc     p15, 0, r0, c1, c0, 2
    orr     r0, r0, #(0xf << 20)
    mcr     p15, 0, r0, c1, c0, 2
    isb                                     // access is granted before the first instruction that needs it
    mov     r0, #(1 << 30)
    vmsr    fpexc, r0

    ldr     r0, =__stack_exceptions_end
    ldr     r1, =__stack_ecu_end
    cps     #MODE_FIQ
    mov     sp, r0
    cps     #MODE_IRQ
    mov     sp, r0
    cps     #MODE_ABORT
    mov     sp, r0
    cps     #MODE_UNDEFINED
    mov     sp, r0
    cps     #MODE_SUPERVISOR
    mov     sp, r0
    // C++ runs in system mode: privileged, and no exception overwrites its link register.
    cps     #MODE_SYSTEM
    mov     sp, r1
    cpsie   a                               // a store that the bus refuses later raises an abort too

    // The stack is painted, so that a test can tell how much of it was ever used.
    ldr     r0, =__stack_ecu_start
    ldr     r2, =STACK_PAINT
1:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     1b
    ldr     r0, =__data_load
    ldr     r1, =__data_start
    ldr     r2, =__data_end
2:  cmp     r1, r2
    ldrlo   r3, [r0], #4
    strlo   r3, [r1], #4
    blo     2b
    ldr     r0, =__bss_start
    ldr     r1, =__bss_end
    bl      clear_words
    ldr     r0, =__shared_start
    ldr     r1, =__shared_end
    bl      clear_words
    bl      pianola_board_start
    bl      main                            // main() ends the run
halt:
    wfe
    b       halt

// Zeros to [r0, r1).
clear_words:
    mov     r2, #0
3:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     3b
    bx      lr

undefined_entry:
    mrs     r0, spsr
    tst     r0, #STATUS_THUMB
    subeq   r1, lr, #4
    subne   r1, lr, #2
    mov     r0, #KIND_UNDEFINED
    b       stop
prefetch_abort_entry:
    mov     r0, #KIND_PREFETCH
    sub     r1, lr, #4
    b       stop
data_abort_entry:
    mov     r0, #KIND_DATA
    sub     r1, lr, #8
    b       stop
irq_entry:
    mov     r0, #KIND_IRQ
    sub     r1, lr, #4
    b       stop
fiq_entry:
    mov     r0, #KIND_FIQ
    sub     r1, lr, #4
stop:
    bl      pianola_arm_a_stop              // does not return

// A semihosting call that no debugger and no emulator takes ends here. It cannot be reported: a report is such a call.
supervisor_call_entry:
    wfe
    b       supervisor_call_entry
