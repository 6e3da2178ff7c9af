# Cortex-A9.
#
# Thumb, for the same reasons as on the Cortex-R5 (cortex-r5f.cmake): less text, and the C library that Debian has for
# this architecture. Vectors and start-up are ARM code. Neither the runtime nor the driver computes with the FPU.
set(PIANOLA_ARCH arm_a)
set(PIANOLA_CPU_OPTIONS -mcpu=cortex-a9 -mfpu=vfpv3-d16 -mfloat-abi=hard -mthumb)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
