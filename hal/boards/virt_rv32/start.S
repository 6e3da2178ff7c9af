/* Reset: every hart begins here, at the same time. Hart 0 is the ECU core, harts 1 and 2 are device cores, hart 3
 * sleeps. */
    .equ TRAP_STACK_BYTES, 1024             /* as in memory.ld, and half of __stack_device_bytes there */
    .equ DEVICE_STACK_BYTES, 16384
    .equ STACK_PAINT, 0xA5A5A5A5
    .equ SOFTWARE_INTERRUPT, 1 << 3         /* mie, mip */
    .equ TIMER_INTERRUPT, 1 << 7
    .equ INTERRUPTS_ON, 1 << 3              /* mstatus */
    .equ CLINT_MSIP, 0x02000000             /* one word per hart */
    .equ CLINT_MTIMECMP, 0x02004000         /* two words per hart */

    .section .start, "ax"
    .global pianola_start
    .type pianola_start, @function
pianola_start:
    .option push
    .option norelax                         /* gp itself cannot be found by way of gp */
    la      gp, __global_pointer$
    .option pop
    csrr    s0, mhartid
    la      t0, pianola_riscv_trap_entry
    csrw    mtvec, t0
    la      t0, __trap_stacks_end
    li      t1, TRAP_STACK_BYTES
    mul     t1, t1, s0
    sub     t0, t0, t1
    csrw    mscratch, t0

    /* No timer interrupt until a time is set: the largest time in both halves. The timer may interrupt from
     * here on; doorbells never do, they only end a sleep. */
    csrw    mie, zero
    li      t0, CLINT_MTIMECMP
    slli    t1, s0, 3
    add     t0, t0, t1
    li      t1, -1
    sw      t1, 0(t0)
    sw      t1, 4(t0)
    li      t0, 2
    bgtu    s0, t0, sleep_for_ever
    li      t0, TIMER_INTERRUPT
    csrw    mie, t0
    bnez    s0, wait_for_release

    /* Hart 0. Initial values, unless they already lie where they belong. */
    la      t0, __data_load
    la      t1, __data_start
    la      t2, __data_end
    beq     t0, t1, 2f
1:  bgeu    t1, t2, 2f
    lw      t3, 0(t0)
    sw      t3, 0(t1)
    addi    t0, t0, 4
    addi    t1, t1, 4
    j       1b
2:  la      t0, __bss_start
    la      t1, __bss_end
    li      t2, 0
    jal     t4, fill
    la      t0, __shared_start
    la      t1, __shared_end
    jal     t4, fill
    la      t0, __stack_ecu_start           /* what is not this pattern any more has been used */
    la      t1, __stack_ecu_end
    li      t2, STACK_PAINT
    jal     t4, fill
    la      sp, __stack_ecu_end
    csrsi   mstatus, INTERRUPTS_ON
    call    main
    unimp                                   /* main() does not return; where it does, the core stops with a report */

/* Fills [t0, t1) with the word t2; returns to t4. */
fill:
    bgeu    t0, t1, 1f
    sw      t2, 0(t0)
    addi    t0, t0, 4
    j       fill
1:  jr      t4

/* Harts 1 and 2. A doorbell is the permission to begin: hart 0 has prepared memory by then. It stays pending until
 * it is cleared, so that one which rang before this hart got here is not lost. */
wait_for_release:
    csrsi   mie, SOFTWARE_INTERRUPT
1:  wfi
    csrr    t0, mip
    andi    t0, t0, SOFTWARE_INTERRUPT
    beqz    t0, 1b
    csrci   mie, SOFTWARE_INTERRUPT
    li      t0, CLINT_MSIP
    slli    t1, s0, 2
    add     t0, t0, t1
    sw      zero, 0(t0)
    fence   io, rw                          /* what hart 0 stored is read after its doorbell */
    addi    a0, s0, -1                      /* number among the device cores */
    la      sp, __stack_device_end
    li      t0, DEVICE_STACK_BYTES
    mul     t0, t0, a0
    sub     sp, sp, t0
    csrsi   mstatus, INTERRUPTS_ON
    call    pianola_device_main
    unimp

sleep_for_ever:
    wfi
    j       sleep_for_ever
    .size pianola_start, . - pianola_start
