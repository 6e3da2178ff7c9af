/* Vector tables of both cores, and the reset of core 1, which runs the device's firmware. */
    .syntax unified
    .thumb
#include "hal/arch/arm_m/vectors.inc"

/* Interrupt 6 of either core is its doorbell; those before it are never enabled. */
.macro board_interrupts
    .rept   6
    .word   pianola_exception_entry
    .endr
    .word   pianola_doorbell
.endm

    core_vectors pianola_vectors, __stack_ecu_end, pianola_reset, pianola_tick
    board_interrupts
    core_vectors kDeviceVectors, __stack_device_end, pianola_device_reset, pianola_exception_entry
    board_interrupts

/* The ECU core has released this core, and so has initialised all data before. */
    .section .text.pianola_device_reset, "ax"
    .global pianola_device_reset
    .type   pianola_device_reset, %function
    .thumb_func
pianola_device_reset:
    cpsid   i
    ldr     r0, =__stack_device_start
    msr     msplim, r0              /* below lies the ECU core's stack: the core itself must notice an overflow */
    bl      pianola_enable_faults
    cpsie   i
    movs    r0, #0                  /* this board has no other device core */
    bl      pianola_device_main
    bl      pianola_main_returned
    .pool
    .size   pianola_device_reset, . - pianola_device_reset
