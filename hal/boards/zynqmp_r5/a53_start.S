// Code of the Cortex-A53 cluster: starts R5 #0 and powers off.
//
// Under QEMU both R5 are powered off at reset, and only a PSCI call of another core starts one; on silicon the
// first-stage boot loader releases R5 #0 from reset, and this file is not used. Raw bytes, independent of their
// address, loaded at 0x80000 with A53 #0 starting there.
    .text
    mov     x0, #0x0003             // PSCI CPU_ON, 0xC4000003
    movk    x0, #0xC400, lsl #16
    mov     x1, #4                  // R5 #0
    mov     x2, #0                  // starts at its reset vector
    mov     x3, #0
    smc     #0
    mov     w0, #0x0002             // PSCI CPU_OFF, 0x84000002
    movk    w0, #0x8400, lsl #16
    smc     #0
1:  wfi                             // in case CPU_OFF was refused
    b       1b
