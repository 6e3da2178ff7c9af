# Cortex-M7 with its FPU left off.
#
# Neither the runtime nor the kernels use floating point. A core that never touches the FPU keeps it switched off after
# reset, has exception frames of 8 words instead of 26, and cannot lose a result to a saved or unsaved FPU context. An
# ECU whose other code is built for the FPU's registers compiles these sources with its own flags.
set(PIANOLA_ARCH arm_m)
set(PIANOLA_KERNELS dsp)
set(PIANOLA_CPU_OPTIONS -mcpu=cortex-m7+nofp -mfloat-abi=soft -mthumb)
include(${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake)
