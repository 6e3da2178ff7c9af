/* What batch.cpp cannot say in C++: a call that keeps its caller's registers, and the way into the handler of the fault that makes a skip. */
    .syntax unified
    .thumb

    .section .text.pianola_skip_isolate, "ax"
    .global pianola_skip_isolate
    .type   pianola_skip_isolate, %function
    .thumb_func
pianola_skip_isolate:
    push    {r3-r11, lr}
    ldr     r0, =saved_stack
    str     sp, [r0]
    bl      pianola_skip_attempt
    ldr     r0, =saved_stack
    ldr     sp, [r0]
    pop     {r3-r11, pc}
    .pool
    .size   pianola_skip_isolate, . - pianola_skip_isolate

/* pianola_skip_inject(frame) says whether this fault was asked for. */
    .section .text.pianola_skip_fault_entry, "ax"
    .global pianola_skip_fault_entry
    .type   pianola_skip_fault_entry, %function
    .thumb_func
pianola_skip_fault_entry:
    tst     lr, #4
    ite     eq
    mrseq   r0, msp
    mrsne   r0, psp
    push    {r4, lr}
    bl      pianola_skip_inject
    pop     {r4, lr}
    cbz     r0, 1f
    bx      lr
1:  b       pianola_exception_entry
    .size   pianola_skip_fault_entry, . - pianola_skip_fault_entry

/* The board's vectors, but for the fault of an undefined instruction, and what becomes of it inside a handler. */
    .section .text.pianola_skip_vectors, "a"
    .balign 128
    .global pianola_skip_vectors
    .type   pianola_skip_vectors, %object
pianola_skip_vectors:
    .word   __stack_ecu_end
    .word   pianola_reset
    .word   pianola_exception_entry     /* NMI */
    .word   pianola_skip_fault_entry    /* HardFault */
    .word   pianola_exception_entry     /* MemManage */
    .word   pianola_exception_entry     /* BusFault */
    .word   pianola_skip_fault_entry    /* UsageFault */
    .word   0
    .word   0
    .word   0
    .word   0
    .word   pianola_exception_entry     /* SVCall */
    .word   pianola_exception_entry     /* DebugMonitor */
    .word   0
    .word   pianola_exception_entry     /* PendSV */
    .word   pianola_tick
    .size   pianola_skip_vectors, . - pianola_skip_vectors

    .section .bss.pianola_skip_saved_stack, "aw", %nobits
    .balign 4
saved_stack:
    .space  4
