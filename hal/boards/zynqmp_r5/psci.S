// PSCI: a core's call to the platform's firmware to start another ("Power State Coordination Interface", Arm, DEN
// 0022).
//
// QEMU answers these calls itself. A Cortex-R5 on silicon has no such instruction; there R5 #0 takes R5 #1 out of halt
// and reset by two registers instead (RPU_1_CFG, RST_LPD_TOP).
    .syntax unified
    .arm
    .arch_extension sec

// uint32_t pianola_psci_call(uint32_t function, uint32_t target_core, uint32_t entry, uint32_t context): arguments and
// result are already in the registers of the call.
    .section .text.pianola_psci_call, "ax", %progbits
    .global pianola_psci_call
    .type pianola_psci_call, %function
pianola_psci_call:
    smc     #0
    bx      lr
