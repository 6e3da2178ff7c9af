# Cortex-M33 without FPU and DSP extension.
#
# The two cores of this board differ: core 0 has neither, core 1 has both. One image runs on the two of them, so it
# keeps to what both understand; the compiler would otherwise use the DSP extension's multiply-accumulate unasked.
set(PIANOLA_ARCH arm_m)
set(PIANOLA_CPU_OPTIONS -mcpu=cortex-m33+nofp+nodsp -mfloat-abi=soft -mthumb)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
