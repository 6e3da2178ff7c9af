// The semihosting call of Arm's A and R profiles: a supervisor call with a number that debuggers and emulators know.
    .syntax unified
    .arm

// intptr_t pianola_arm_r_semihosting_trap(uint32_t operation, const void* argument_block): the arguments are in the
// registers that the host looks at, and its answer comes back where it belongs. The number differs in Thumb state,
// hence ARM code whatever the rest is.
    .section .text.pianola_arm_r_semihosting_trap, "ax", %progbits
    .global pianola_arm_r_semihosting_trap
    .type pianola_arm_r_semihosting_trap, %function
pianola_arm_r_semihosting_trap:
    svc     #0x123456
    bx      lr
