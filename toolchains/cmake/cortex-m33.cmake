# Cortex-M33 without FPU, with the DSP extension for the kernels' inner loops alone.
#
# The two cores of this board differ: core 0 has neither extension, core 1 has both. One image runs on the two of them,
# so it keeps to what both understand; the compiler would otherwise use the DSP extension's multiply-accumulate unasked.
# The inner loops are code of the device, which core 1 is: they are compiled for what that core has.
set(PIANOLA_ARCH arm_m)
set(PIANOLA_KERNELS dsp)
set(PIANOLA_KERNELS_OPTIONS -mcpu=cortex-m33+nofp)
set(PIANOLA_CPU_OPTIONS -mcpu=cortex-m33+nofp+nodsp -mfloat-abi=soft -mthumb)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
