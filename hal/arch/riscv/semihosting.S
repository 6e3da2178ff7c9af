/* A call to the host. Operation and argument block are where it expects them, in a0 and a1, and so is the result, in
 * a0. The instructions around ebreak mark it as such a call; none of the three may be compressed, and they lie on one
 * page, hence the alignment. */
    .section .text.pianola_riscv_semihosting, "ax"
    .balign 16
    .global pianola_riscv_semihosting
    .type pianola_riscv_semihosting, @function
pianola_riscv_semihosting:
    .option push
    .option norvc
    slli    zero, zero, 0x1f
    ebreak
    srai    zero, zero, 7
    .option pop
    ret
    .size pianola_riscv_semihosting, . - pianola_riscv_semihosting
