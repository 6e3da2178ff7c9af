# Cortex-M55 with FPU and vector extension left off.
#
# No floating point, for the reasons of cortex-m7.cmake. The vector extension shares the FPU's registers, its power
# domain and its exception frames; this device's kernels are one source for every core, and GCC 12 makes no vector
# instruction out of them at -O2 even where it may.
set(PIANOLA_ARCH arm_m)
set(PIANOLA_CPU_OPTIONS -mcpu=cortex-m55+nomve+nofp -mfloat-abi=soft -mthumb)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
