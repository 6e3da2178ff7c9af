# Code for boards under clang-tidy: the tidy preset, whose compile commands are those of a build for the host, has it as
# well, with clang++ for each architecture. So one database has every source, and a second compiler's warnings are asked
# for all of them.
include(${CMAKE_CURRENT_LIST_DIR}/newlib_cxx.cmake)

# pianola_lint_board_code(<name> <toolchain> <clang target> <pattern>...): sources that need the architecture of a
# toolchain file. Tests that are one board's own have its name at the end of theirs.
function(pianola_lint_board_code name toolchain target)
    list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
    file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
    if(name STREQUAL "arm_m")
        list(FILTER sources EXCLUDE REGEX "/tests/.*_(virt_rv32|zynqmp_r5)\\.cpp$")
    endif()
    if(NOT sources)
        message(FATAL_ERROR "${name}: no sources")
    endif()
    include(${PROJECT_SOURCE_DIR}/toolchains/cmake/${toolchain}.cmake)
    add_library(pianola_lint_${name} OBJECT ${sources})
    target_compile_options(pianola_lint_${name} PRIVATE
        --target=${target} ${PIANOLA_CPU_OPTIONS} -nostdlibinc -nostdinc++ -UPIANOLA_PROFILE
        -DPIANOLA_PROFILE=kSmallEcu)
    target_include_directories(pianola_lint_${name} SYSTEM PRIVATE
        ${pianola_flatbuffers_alone} ${pianola_newlib_cxx} ${pianola_newlib_cxx}/arm-none-eabi /usr/include/newlib)
    target_link_libraries(pianola_lint_${name} PRIVATE pianola_refdev pianola_warnings pianola_target_rules)
endfunction()

pianola_lint_board_code(riscv rv32imac riscv32-unknown-elf
    hal/arch/riscv/*.cpp hal/boards/virt_rv32/*.cpp tests/baremetal/probed/*_virt_rv32.cpp)
pianola_lint_board_code(arm_r cortex-r5f arm-none-eabi
    hal/arch/arm_r/*.cpp hal/boards/zynqmp_r5/*.cpp tests/baremetal/probed/*_zynqmp_r5.cpp)
pianola_lint_board_code(arm_a cortex-a9 arm-none-eabi
    hal/arch/arm_a/*.cpp hal/boards/zynq_a9/*.cpp tests/baremetal/pl330/*.cpp)
# What is the same for all, and what all Cortex-M share, once: with the architecture of which there are most.
pianola_lint_board_code(arm_m cortex-m33 arm-none-eabi
    hal/arch/*.cpp hal/arch/arm_m/*.cpp hal/boards/common/*.cpp hal/boards/mps2_an521/*.cpp
    tests/baremetal/*.cpp tests/baremetal/probed/*.cpp tests/baremetal/skips/*.cpp)
pianola_lint_board_code(arm_m7 cortex-m7 arm-none-eabi hal/boards/mps2_an500/*.cpp)
pianola_lint_board_code(arm_m55 cortex-m55 arm-none-eabi hal/boards/mps3_an547/*.cpp)

# The example apart: it includes what is generated from the project's own sample.
pianola_lint_board_code(example cortex-m33 arm-none-eabi docs/examples/board/*.cpp)
target_include_directories(pianola_lint_example SYSTEM PRIVATE ${pianola_board_sample_dir})
add_dependencies(pianola_lint_example pianola_board_sample)
