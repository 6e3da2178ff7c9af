# Cortex-R5F.
#
# Thumb, because it needs about a quarter less text than ARM code at nearly the same speed, and the C library for this
# architecture exists in Thumb only. The core takes exceptions in ARM state after reset, so vectors and start-up are ARM
# code. The FPU is part of the core and of the usual ABI of its projects; neither the runtime nor the kernels compute
# with it. Its instructions on 16-bit halves are the Cortex-M7's.
set(PIANOLA_ARCH arm_r)
set(PIANOLA_KERNELS dsp)
set(PIANOLA_CPU_OPTIONS -mcpu=cortex-r5 -mfpu=vfpv3-d16 -mfloat-abi=hard -mthumb)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
