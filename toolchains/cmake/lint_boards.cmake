# Code for boards under clang-tidy: the tidy preset, whose compile commands are those of a build for the host, has it as
# well, with clang++ for each architecture. So one database has every source, and a second compiler's warnings are asked
# for all of them.
include(${CMAKE_CURRENT_LIST_DIR}/newlib_cxx.cmake)

# pianola_lint_board_code(<name> <toolchain file> <pattern>...): sources that need the architecture of a toolchain file.
function(pianola_lint_board_code name toolchain)
    list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
    file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
    if(NOT sources)
        message(FATAL_ERROR "${name}: no sources")
    endif()
    include(${toolchain})
    add_library(pianola_lint_${name} OBJECT ${sources})
    target_compile_options(pianola_lint_${name} PRIVATE
        --target=${PIANOLA_CLANG_TARGET} ${PIANOLA_CPU_OPTIONS} -nostdlibinc -nostdinc++
        -Wno-ignored-optimization-argument  # of GCC's alone: nothing is made here
        -UPIANOLA_PROFILE -DPIANOLA_PROFILE=kSmallEcu)
    target_include_directories(pianola_lint_${name} SYSTEM PRIVATE
        ${pianola_flatbuffers_alone} ${pianola_newlib_cxx} ${pianola_newlib_cxx}/arm-none-eabi /usr/include/newlib)
    if(name MATCHES "^kernels_")
        target_compile_options(pianola_lint_${name} PRIVATE ${PIANOLA_KERNELS_OPTIONS})
    endif()
    target_link_libraries(pianola_lint_${name} PRIVATE pianola_refdev pianola_warnings pianola_target_rules)
endfunction()

# pianola_board_toolchain(<variable> <board>): its toolchain file, as its preset names it.
function(pianola_board_toolchain variable board)
    file(READ "${PROJECT_SOURCE_DIR}/hal/boards/${board}/presets.json" presets)
    string(JSON file GET "${presets}" configurePresets 0 toolchainFile)
    string(REPLACE "\${sourceDir}" "${PROJECT_SOURCE_DIR}" file "${file}")
    set(${variable} "${file}" PARENT_SCOPE)
endfunction()

# Each board's own; with the first of an architecture or a device also what these have for boards.
pianola_boards(boards)
set(seen "")
foreach(board IN LISTS boards)
    pianola_board_toolchain(toolchain ${board})
    set(patterns hal/boards/${board}/*.cpp hal/boards/${board}/tests/*.cpp)
    pianola_board_fact(architecture ${board} architecture)
    pianola_board_fact(device ${board} device refdev)
    set(folders hal/arch/${architecture} tests/baremetal/${device})
    if(architecture MATCHES "^arm_[ar]$")
        list(APPEND folders hal/arch/arm_ar)
    endif()
    foreach(folder IN LISTS folders)
        if(NOT folder IN_LIST seen)
            list(APPEND seen ${folder})
            list(APPEND patterns ${folder}/*.cpp ${folder}/*/*.cpp)
        endif()
    endforeach()
    if(NOT architecture IN_LIST seen)
        list(APPEND seen ${architecture})
        list(APPEND patterns hal/measure/counters/${architecture}.cpp)
    endif()
    pianola_lint_board_code(${board} ${toolchain} ${patterns})
endforeach()
# What is the same for all, with the architecture of which there are most.
set(shared_toolchain ${CMAKE_CURRENT_LIST_DIR}/cortex-m33.cmake)
pianola_lint_board_code(board_common ${shared_toolchain}
    hal/arch/*.cpp hal/boards/common/*.cpp hal/measure/*.cpp runtime/integrity/arm/*.cpp
    tests/baremetal/board_tests/*.cpp tests/baremetal/peer/*.cpp tests/baremetal/peer/stub/*.cpp
    tests/baremetal/probed/*.cpp tests/baremetal/skips/*.cpp)
# The kernels' inner loops, with a core that they are for.
pianola_lint_board_code(kernels_dsp ${CMAKE_CURRENT_LIST_DIR}/cortex-m7.cmake hal/devices/refdev/kernels/dsp/*.cpp)
pianola_lint_board_code(kernels_mve ${CMAKE_CURRENT_LIST_DIR}/cortex-m55.cmake hal/devices/refdev/kernels/mve/*.cpp)
pianola_lint_board_code(mesh ${shared_toolchain} tests/baremetal/mesh/*.cpp)

# The examples apart: they include what is generated from their binaries, of which each is for one profile.
pianola_lint_board_code(example ${shared_toolchain} docs/examples/board/benchmark.cpp
    docs/examples/board/benchmark_protocol.cpp docs/examples/board/benchmark_real.cpp docs/examples/board/main.cpp
    docs/examples/board/own_model.cpp docs/examples/board/small.cpp docs/examples/c/board_glue.cpp)
target_link_libraries(pianola_lint_example PRIVATE pianola_c_headers)
target_compile_definitions(pianola_lint_example PRIVATE PIANOLA_BENCHMARK_MODEL="ic01")
pianola_lint_board_code(two_devices ${shared_toolchain} docs/examples/board/two_devices.cpp)
foreach(several IN ITEMS mesh two_devices)
    target_compile_options(pianola_lint_${several} PRIVATE "SHELL:-UPIANOLA_PROFILE -DPIANOLA_PROFILE=kDefault")
endforeach()
foreach(example IN ITEMS example two_devices)
    target_include_directories(pianola_lint_${example} SYSTEM PRIVATE ${pianola_board_sample_dir})
    add_dependencies(pianola_lint_${example} pianola_board_sample pianola_board_own_model pianola_board_mesh_sample)
endforeach()
