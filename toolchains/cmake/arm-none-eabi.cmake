# What the Arm toolchain files share: Debian's bare-metal GCC with newlib. Each of them sets PIANOLA_ARCH (folder of
# hal/arch) and PIANOLA_CPU_OPTIONS (a list) and then includes this file.
set(PIANOLA_CLANG_TARGET arm-none-eabi)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
# A program for no operating system cannot be linked without a linker script, so probes stop at a library.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

list(JOIN PIANOLA_CPU_OPTIONS " " pianola_cpu_flags)
set(CMAKE_CXX_FLAGS_INIT "${pianola_cpu_flags}")
set(CMAKE_C_FLAGS_INIT "${pianola_cpu_flags}")
set(CMAKE_ASM_FLAGS_INIT "${pianola_cpu_flags}")
