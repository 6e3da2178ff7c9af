# A board's build: one image per application, for one board (cache variable PIANOLA_BOARD, set by the board's preset).
#
# A board is put together from parts, each an object library: pianola_arch (hal/arch/<architecture>),
# pianola_board_common (hal/boards/common), what its device cores run (also there: pianola_one_device or
# pianola_core_devices) and pianola_board (hal/boards/<board>). Object libraries, because vectors, start-up and what the
# parts call in one another must reach the linker whatever it has seen before; --gc-sections drops what is not used.

if(PIANOLA_BOARD)
    # Behind all own libraries, wherever these are named. The two need each other.
    set(CMAKE_CXX_STANDARD_LIBRARIES "-Wl,--start-group -lc -lgcc -Wl,--end-group")
endif()

# Whether there are images in which each device core is a device: the board has several, and sessions of the profile
# drive them.
set(PIANOLA_DEVICE_PER_CORE OFF)
if(PIANOLA_BOARD AND NOT pianola_profile STREQUAL kSmallEcu)
    pianola_board_fact(pianola_device_cores ${PIANOLA_BOARD} device_cores)
    if(pianola_device_cores GREATER 1)
        set(PIANOLA_DEVICE_PER_CORE ON)
    endif()
endif()

# pianola_add_board_part(<name> SOURCES file... [LIBS target...]): the part pianola_<name>.
function(pianola_add_board_part part)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    add_library(pianola_${part} OBJECT ${arg_SOURCES})
    target_link_libraries(pianola_${part} PUBLIC pianola_runtime ${arg_LIBS}
        PRIVATE pianola_warnings pianola_target_rules)
endfunction()

set(pianola_ns pianola_)
set(pianola_device_ns pianola_)
set(pianola_sections_dir "${PROJECT_SOURCE_DIR}/hal/boards/common")
include("${CMAKE_CURRENT_LIST_DIR}/board_application.cmake")

# The tidy preset looks at code for boards as well (lint_boards.cmake) and needs what is generated for it.
if(NOT pianola_host_programs AND NOT PIANOLA_TIDY)
    return()
endif()

# pianola_use_host_tools(<custom target> <tool>...): keeps programs of the release build for the host up to date. A
# board's build calls them by the names that they have there.
set(pianola_host_bin ${PROJECT_SOURCE_DIR}/build/release/bin)
function(pianola_use_host_tools custom_target)
    set(files "")
    foreach(tool IN LISTS ARGN)
        string(REPLACE pianola_sample pianola-sample file ${tool})
        list(APPEND files ${pianola_host_bin}/${file})
        if(PIANOLA_BOARD)
            add_executable(${tool} IMPORTED GLOBAL)
            set_target_properties(${tool} PROPERTIES IMPORTED_LOCATION ${pianola_host_bin}/${file})
            add_dependencies(${tool} ${custom_target})
        endif()
    endforeach()
    add_custom_target(${custom_target}
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} "-DTOOLS=${ARGN}"
                -P ${PROJECT_SOURCE_DIR}/toolchains/cmake/host_tools.cmake
        BYPRODUCTS ${files}
        COMMENT "host tools: ${ARGN}" USES_TERMINAL VERBATIM)
endfunction()
pianola_use_host_tools(pianola_host_tools pianola pianola_sample pianola_vectors)
if(PIANOLA_BOARD)
    # The schema compiler apart: the runtime waits for it, and for nothing else.
    pianola_use_host_tools(pianola_host_schemac schemac)
    add_dependencies(pianola_host_tools pianola_host_schemac)
endif()

# The project's own sample, captured and signed, and everything that a board's build takes in of it: the binary as a
# source for flash, its memory manifest as a header and as a linker fragment, and the key that it is signed with, which
# every build makes for itself.
set(pianola_board_sample_dir ${PROJECT_BINARY_DIR}/board_sample)
set(sample ${pianola_board_sample_dir}/road_signs)
set(fleet_key ${pianola_board_sample_dir}/fleet_key)
set(host_pianola ${pianola_host_bin}/pianola)
file(MAKE_DIRECTORY ${pianola_board_sample_dir})
set(board_device ${PROJECT_SOURCE_DIR}/hal/boards/common/device.json)
if(PIANOLA_BOARD AND NOT pianola_profile STREQUAL kSmallEcu)
    # The binary is captured and sized for the runtime that this build has.
    string(REGEX REPLACE "^k" "" board_profile ${pianola_profile})
    string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" board_profile ${board_profile})
    string(TOLOWER ${board_profile} board_profile)
    set(board_device ${pianola_board_sample_dir}/device.json)
    file(CONFIGURE OUTPUT ${board_device} CONTENT "{ \"profile\": \"${board_profile}\" }\n")
endif()
# The model is the same for every build, and takes longest: it is trained once for all of them.
set(sample_model ${PROJECT_SOURCE_DIR}/build/sample/road_signs.tflite)
add_custom_command(
    OUTPUT ${sample_model}
    COMMAND ${CMAKE_COMMAND} -DTRAINER=${pianola_host_bin}/pianola-sample -DMODEL=${sample_model}
            -P ${PROJECT_SOURCE_DIR}/toolchains/cmake/train_sample.cmake
    DEPENDS pianola_host_tools ${pianola_host_bin}/pianola-sample
    COMMENT "train road_signs" VERBATIM)
add_custom_command(
    OUTPUT ${sample}.ptb ${sample}.S ${sample}.h ${sample}_manifest.h ${pianola_board_sample_dir}/manifest.ld
           ${pianola_board_sample_dir}/fleet_key.h ${sample}_unsigned.S ${sample}_unsigned.h
           ${sample}_rom.cpp
    # A core that plays the device is slower than the device's own clock says.
    COMMAND ${host_pianola} capture ${sample_model} -o ${sample}_unsigned.ptb --self-test 4 --device ${board_device}
            --deadline-us 60000000 --setup-deadline-us 60000000
    COMMAND ${CMAKE_COMMAND} -E rm -f ${fleet_key}.pem
    COMMAND ${host_pianola} keygen -o ${fleet_key}.pem
    COMMAND ${host_pianola} pubkey ${fleet_key}.pem --format c --symbol kFleetKey -o ${fleet_key}.h
    COMMAND ${host_pianola} sign ${sample}_unsigned.ptb --key ${fleet_key}.pem --security-version 1 -o ${sample}.ptb
    COMMAND ${host_pianola} embed ${sample}.ptb -o ${sample}.S --header ${sample}.h
    COMMAND ${host_pianola} embed ${sample}_unsigned.ptb -o ${sample}_unsigned.S --header ${sample}_unsigned.h
            --rom ${sample}_rom.cpp
    COMMAND ${host_pianola} size ${sample}.ptb --device ${board_device} --header -o ${sample}_manifest.h
    COMMAND ${host_pianola} size ${sample}.ptb --device ${board_device} --ld -o ${pianola_board_sample_dir}/manifest.ld
    DEPENDS pianola_host_tools ${host_pianola} ${sample_model} ${board_device}
    COMMENT "capture and sign road_signs" VERBATIM)
add_custom_target(pianola_board_sample DEPENDS ${sample}.S)

# The reader's own binary for the image pianola_example_own_model (docs/guide/tutorial.md); the sample where none is
# given. It is for the device that it names, in the build's profile, and is verified once more while it is embedded.
set(PIANOLA_OWN_BINARY "" CACHE FILEPATH "Trace binary for the image pianola_example_own_model; empty for the sample")
set(own_model ${pianola_board_sample_dir}/own_model)
set(own_binary ${sample}_unsigned.ptb)
set(own_binary_made_by ${sample}_unsigned.S)
if(PIANOLA_OWN_BINARY)
    get_filename_component(own_binary "${PIANOLA_OWN_BINARY}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
    set(own_binary_made_by ${own_binary})
endif()
add_custom_command(
    OUTPUT ${own_model}.S ${own_model}.h ${own_model}_manifest.h
    COMMAND ${CMAKE_COMMAND} -E copy ${own_binary} ${own_model}.ptb
    COMMAND ${host_pianola} embed ${own_model}.ptb -o ${own_model}.S --header ${own_model}.h
    COMMAND ${host_pianola} size ${own_model}.ptb --header -o ${own_model}_manifest.h
    DEPENDS pianola_host_tools ${host_pianola} ${own_binary_made_by}
    COMMENT "embed ${own_binary}" VERBATIM)
add_custom_target(pianola_board_own_model DEPENDS ${own_model}.S)

# The sample once more, as that binary, with the costs of the virtual device and a deadline that these keep and no
# board's core does.
set(late_model ${pianola_board_sample_dir}/late/own_model)
add_custom_command(
    OUTPUT ${late_model}.ptb ${late_model}.S ${late_model}.h ${late_model}_manifest.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pianola_board_sample_dir}/late
    COMMAND ${host_pianola} capture ${sample_model} -o ${late_model}.ptb --self-test 1 --device ${board_device}
            --deadline-us 100 --setup-deadline-us 60000000
    COMMAND ${host_pianola} embed ${late_model}.ptb -o ${late_model}.S --header ${late_model}.h
    COMMAND ${host_pianola} size ${late_model}.ptb --device ${board_device} --header -o ${late_model}_manifest.h
    DEPENDS pianola_host_tools ${host_pianola} ${sample_model} ${board_device}
    COMMENT "capture road_signs with a short deadline" VERBATIM)
add_custom_target(pianola_board_late_model DEPENDS ${late_model}.S)

# The same for two devices, from the example that captures for them: unsigned, for images that are made of it. Where
# there are none, the linter looks at their source as if for the profile default, whose sessions drive as many.
set(mesh_device ${board_device})
if(NOT PIANOLA_DEVICE_PER_CORE)
    set(mesh_device ${pianola_board_sample_dir}/mesh_device.json)
    file(CONFIGURE OUTPUT ${mesh_device} CONTENT "{ \"profile\": \"default\" }\n")
endif()
set(mesh_sample ${pianola_board_sample_dir}/two_devices)
pianola_use_host_tools(pianola_host_mesh_example pianola_example_capture_mesh)
add_custom_command(
    OUTPUT ${mesh_sample}.ptb ${mesh_sample}.S ${mesh_sample}.h ${mesh_sample}_manifest.h
    COMMAND ${pianola_host_bin}/pianola_example_capture_mesh ${mesh_sample}.ptb
    COMMAND ${host_pianola} embed ${mesh_sample}.ptb -o ${mesh_sample}.S --header ${mesh_sample}.h
    COMMAND ${host_pianola} size ${mesh_sample}.ptb --device ${mesh_device} --header -o ${mesh_sample}_manifest.h
    DEPENDS pianola_host_tools pianola_host_mesh_example ${host_pianola}
            ${pianola_host_bin}/pianola_example_capture_mesh
    COMMENT "capture for two devices" VERBATIM)
add_custom_target(pianola_board_mesh_sample DEPENDS ${mesh_sample}.S)
