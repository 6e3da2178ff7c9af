// The semihosting call of Arm's A and R profiles: a supervisor call with a number that debuggers and emulators know.
    .syntax unified
    .arm

// intptr_t pianola_arm_semihosting_trap(uint32_t operation, const void* argument_block): the arguments are already in
// the registers that the host reads, and its answer is in the result register. The number differs in Thumb state, so
// this is ARM code in every build.
    .section .text.pianola_arm_semihosting_trap, "ax", %progbits
    .global pianola_arm_semihosting_trap
    .type pianola_arm_semihosting_trap, %function
pianola_arm_semihosting_trap:
    svc     #0x123456
    bx      lr
