# Cortex-M55 with its FPU left off.
#
# No floating point, for the reasons of cortex-m7.cmake. The vector extension, whose registers are the FPU's, is for the
# kernels' inner loops alone: everything else, interrupt handlers among it, cannot touch these registers, so that no
# exception need save them (the board switches that off). Nor may it have loops that end with LE: these read the vector
# length that the interrupted kernel has set, and fault. -fno-branch-count-reg keeps the compiler from making them.
set(PIANOLA_ARCH arm_m)
set(PIANOLA_KERNELS mve)
set(PIANOLA_KERNELS_OPTIONS -mcpu=cortex-m55+nofp -mfloat-abi=softfp -fbranch-count-reg)
set(PIANOLA_CPU_OPTIONS -mcpu=cortex-m55+nomve+nofp -mfloat-abi=soft -mthumb -fno-branch-count-reg)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
