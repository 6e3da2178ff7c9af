# RV32IMAC. Debian's bare-metal GCC for RISC-V with picolibc.
#
# misa-spec 2.2, in which control registers and fence.i are part of the base: with the names of later specifications the
# compiler misses the libraries for rv32imac and picks those for rv64.
set(PIANOLA_ARCH riscv)
set(PIANOLA_CLANG_TARGET riscv32-unknown-elf)
set(PIANOLA_CPU_OPTIONS -march=rv32imac -mabi=ilp32)

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
# A program for no operating system cannot be linked without a linker script, so probes stop at a library.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# The Arm compiler is the same release of GCC.
include(${CMAKE_CURRENT_LIST_DIR}/newlib_cxx.cmake)

list(JOIN PIANOLA_CPU_OPTIONS " " pianola_cpu_flags)
list(JOIN pianola_cxx_headers " " pianola_cxx_flags)
set(CMAKE_CXX_FLAGS_INIT "${pianola_cpu_flags} -misa-spec=2.2 --specs=picolibc.specs ${pianola_cxx_flags}")
set(CMAKE_C_FLAGS_INIT "${pianola_cpu_flags} -misa-spec=2.2 --specs=picolibc.specs")
set(CMAKE_ASM_FLAGS_INIT "${pianola_cpu_flags} -misa-spec=2.2 --specs=picolibc.specs")
