# pianola_add_board_application(): in this tree, and in projects that use an installed package for a board, where the
# variables below come from the package's configuration.
#   pianola_ns            what the names of libraries begin with; pianola_device_ns those of devices
#   pianola_board_dir     memory.ld, and manifest.ld where the board has one of its own
#   pianola_sections_dir  sections.ld
#   pianola_device_cores, PIANOLA_BOARD_DEVICE, PIANOLA_DEVICE_PER_CORE

# pianola_add_board_application(<name> SOURCES file... [LIBS target...] [DEFINITIONS name=value...] [DEVICE_PER_CORE]
#                               [MANIFEST folder]):
# the image <name>, for every core of the board, linked by the board's script memory.ld. Beside it lies <name>.map.
# There is no start-up code but the board's, no heap, and of libraries only the C library (memcpy and its kind) and the
# compiler's own. The script takes the sizes of the device's memories from the linker fragment of a memory manifest,
# manifest.ld (pianola size --ld): that of the board's folder, where the device's memories have sizes of their own, else
# that of MANIFEST, in this tree the sample's. With DEVICE_PER_CORE each device core is a device, with memories of its
# own; else all of them are one.
function(pianola_add_board_application name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "DEVICE_PER_CORE" "MANIFEST" "SOURCES;LIBS;DEFINITIONS")
    set(devices ${pianola_ns}one_device)
    if(arg_DEVICE_PER_CORE)
        if(NOT PIANOLA_DEVICE_PER_CORE)
            message(FATAL_ERROR "${name}: DEVICE_PER_CORE needs several device cores, and a PIANOLA_PROFILE other than "
                                "kSmallEcu, whose sessions drive one device")
        endif()
        set(devices ${pianola_ns}core_devices)
    endif()
    set(script ${pianola_board_dir}/memory.ld)
    set(manifest_dir ${pianola_board_dir})
    if(arg_MANIFEST)
        set(manifest_dir ${arg_MANIFEST})
    elseif(NOT EXISTS ${pianola_board_dir}/manifest.ld)
        set(manifest_dir "${pianola_board_sample_dir}")
        if(NOT manifest_dir)
            message(FATAL_ERROR "${name}: MANIFEST must name the folder of manifest.ld (pianola size --ld)")
        endif()
    endif()
    add_executable(${name} ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES SUFFIX .elf
        LINK_DEPENDS "${script};${pianola_sections_dir}/sections.ld;${manifest_dir}/manifest.ld")
    target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
    target_link_libraries(${name} PRIVATE
        ${pianola_ns}board ${devices} ${pianola_ns}board_common ${pianola_ns}arch ${arg_LIBS}
        ${pianola_device_ns}${PIANOLA_BOARD_DEVICE} ${pianola_device_ns}refdev
        ${pianola_ns}warnings ${pianola_ns}target_rules)
    if(TARGET pianola_board_sample AND manifest_dir STREQUAL pianola_board_sample_dir)
        add_dependencies(${name} pianola_board_sample)
    endif()
    target_link_options(${name} PRIVATE
        -nostdlib -L${pianola_sections_dir} -L${manifest_dir} -T ${script}
        LINKER:--gc-sections LINKER:--no-warn-rwx-segments LINKER:-z,noexecstack LINKER:--fatal-warnings
        LINKER:-Map=$<TARGET_FILE_DIR:${name}>/${name}.map
        $<$<BOOL:${arg_DEVICE_PER_CORE}>:LINKER:--defsym=__devices=${pianola_device_cores}>)
endfunction()
