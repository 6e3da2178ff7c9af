/* Vector table of a board with one core that enables no interrupt but the tick. */
    .syntax unified
#include "hal/arch/arm_m/vectors.inc"

    core_vectors pianola_vectors, __stack_ecu_end, pianola_reset, pianola_tick
