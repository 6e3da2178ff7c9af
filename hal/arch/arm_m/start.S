/* Reset of the ECU core, and the way into the exception handlers of every core.
 *
 * The core has loaded its stack pointer and the address of pianola_reset from the vector table. Caches stay off, as
 * reset leaves them. Code that switches them on must invalidate them first, and must then maintain them by hand so that
 * two masters' views of memory are equal. */
    .syntax unified
    .thumb

    .equ    VTOR, 0xE000ED08
    .equ    CFSR, 0xE000ED28
    .equ    FRAME_NOT_PUSHED, (1 << 4) | (1 << 12) | (1 << 20)  /* MSTKERR, STKERR, and STKOF of Armv8-M */
    .equ    PAINT, 0xA5A5A5A5
    .equ    FAULT_STACK_BYTES, 1024

    .section .text.pianola_reset, "ax"
    .global pianola_reset
    .type   pianola_reset, %function
    .thumb_func
pianola_reset:
    cpsid   i                       /* no interrupt before there is data */
    ldr     r0, =VTOR               /* also right where a boot loader started this image */
    ldr     r1, =pianola_vectors
    str     r1, [r0]
    bl      pianola_enable_faults

    ldr     r0, =__stack_ecu_start  /* painted, so that a test can see how deep it was used */
    mov     r1, sp
    ldr     r2, =PAINT
    bl      fill_words

    ldr     r0, =__bss_start
    ldr     r1, =__bss_end
    movs    r2, #0
    bl      fill_words
    ldr     r0, =__shared_start
    ldr     r1, =__shared_end
    bl      fill_words

    ldr     r0, =__data_start
    ldr     r1, =__data_end
    ldr     r2, =__data_load
1:  cmp     r0, r1
    bhs     2f
    ldr     r3, [r2], #4
    str     r3, [r0], #4
    b       1b
2:
    bl      pianola_board_start
    cpsie   i
    bl      main
    bl      pianola_main_returned

/* Words from r0 up to r1 become r2. Changes r0. */
    .thumb_func
fill_words:
    cmp     r0, r1
    bhs     1f
    str     r2, [r0], #4
    b       fill_words
1:  bx      lr
    .pool
    .size   pianola_reset, . - pianola_reset

/* A fault whose own handler is not enabled becomes a HardFault, which says less. Changes r0 to r2. */
    .equ    SHCSR, 0xE000ED24
    .equ    FAULT_ENABLES, (1 << 16) | (1 << 17) | (1 << 18)    /* MemManage, BusFault, UsageFault */
    .section .text.pianola_enable_faults, "ax"
    .global pianola_enable_faults
    .type   pianola_enable_faults, %function
    .thumb_func
pianola_enable_faults:
    ldr     r0, =SHCSR
    ldr     r1, [r0]
    ldr     r2, =FAULT_ENABLES
    orrs    r1, r2
    str     r1, [r0]
    bx      lr
    .pool
    .size   pianola_enable_faults, . - pianola_enable_faults

/* Every exception without its own handler: pianola_exception(frame, exception number), which returns only to continue.
 */
    .section .text.pianola_exception_entry, "ax"
    .global pianola_exception_entry
    .type   pianola_exception_entry, %function
    .thumb_func
pianola_exception_entry:
    tst     lr, #4                  /* which of the two stacks the frame lies on */
    ite     eq
    mrseq   r0, msp
    mrsne   r0, psp
    mrs     r1, ipsr

    /* If the core could not push the frame there is none, and the stack is used up: the report gets a separate stack.
     * One serves all cores, because the first report is the last. */
    ldr     r2, =CFSR
    ldr     r2, [r2]
    ldr     r3, =FRAME_NOT_PUSHED
    tst     r2, r3
    beq     1f
    ldr     r2, =fault_stack + FAULT_STACK_BYTES
    mov     sp, r2
    movs    r0, #0
1:  b       pianola_exception
    .pool
    .size   pianola_exception_entry, . - pianola_exception_entry

    .section .bss.fault_stack, "aw", %nobits
    .balign 8
fault_stack:
    .space  FAULT_STACK_BYTES
