# What other projects have of this one: names (Pianola::...), the same by find_package(), add_subdirectory() and
# FetchContent; rules for `cmake --install`; and packages (cpack.cmake). docs/guide/packages.md is the page on it.
include("${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake")

# What programs on the host need of the host's side.
if(PIANOLA_HOST)
    add_library(pianola_host INTERFACE)
    target_link_libraries(pianola_host INTERFACE
        pianola_pipeline pianola_tensor pianola_mesh pianola_api pianola_device pianola_registry pianola_base)
endif()

set(pianola_include_dir "${CMAKE_INSTALL_INCLUDEDIR}/pianola")  # holds pianola/session.h, pianola_host/..., hal/...
set(pianola_objects_dir "${CMAKE_INSTALL_LIBDIR}/pianola/objects")
set(pianola_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Pianola")
set(pianola_export_sets "")

# pianola_export(<set> <target> <name> [<headers>]): the target, where this build has it, is Pianola::<name> for others;
# installed, it and the public headers of the group are part of the set, which find_package() reads as a whole.
function(pianola_export set target name)
    if(NOT TARGET ${target})
        return()
    endif()
    add_library(Pianola::${name} ALIAS ${target})
    if(NOT PIANOLA_INSTALL)
        return()
    endif()
    set_property(TARGET ${target} PROPERTY EXPORT_NAME ${name})
    install(TARGETS ${target} EXPORT pianola_${set}
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT dev
        OBJECTS DESTINATION "${pianola_objects_dir}" COMPONENT dev
        INCLUDES DESTINATION "${pianola_include_dir}")
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
        target_compile_features(${target} INTERFACE cxx_std_17)
    endif()
    foreach(header IN LISTS pianola_headers_${ARGV3})
        set(source "${PROJECT_SOURCE_DIR}/${header}")
        if(header MATCHES "^pianola/")
            set(source "${PROJECT_SOURCE_DIR}/runtime/include/${header}")
        endif()
        if(header MATCHES "^pianola_host/")
            set(source "${PROJECT_SOURCE_DIR}/capture_host/include/${header}")
        endif()
        cmake_path(GET header PARENT_PATH folder)
        install(FILES "${source}" DESTINATION "${pianola_include_dir}/${folder}" COMPONENT dev)
    endforeach()
    if(NOT set IN_LIST pianola_export_sets)
        set(pianola_export_sets ${pianola_export_sets} ${set} PARENT_SCOPE)
    endif()
endfunction()

# Everything that runs on a target, and needs nothing but a C++ library's headers.
pianola_export(runtime pianola_warnings warnings)
pianola_export(runtime pianola_target_rules target_rules)
pianola_export(runtime pianola_measured measured)
pianola_export(runtime pianola_runtime runtime runtime)
pianola_export(runtime pianola_kernels kernels kernels)
foreach(device IN LISTS pianola_devices)
    pianola_export(runtime pianola_${device} devices::${device} ${device})
endforeach()
pianola_export(runtime pianola_target devices::plugin target)
pianola_export(runtime pianola_port_kit port_kit port_kit)
foreach(feature IN ITEMS dispatch parameters prologue queues signatures strides views)
    pianola_export(runtime pianola_without_${feature} without_${feature})
endforeach()
get_property(pianola_own_devices GLOBAL PROPERTY pianola_own_devices)
foreach(device IN LISTS pianola_own_devices)
    pianola_export(runtime pianola_${device} devices::${device})
endforeach()
foreach(part IN ITEMS board board_common arch one_device core_devices)
    pianola_export(runtime pianola_${part} ${part} board)
endforeach()
# The C API. Its users include <pianola.h>: a folder of its own, beside that of C++.
pianola_export(runtime pianola_c_headers c_headers)
pianola_export(runtime pianola_c c)
if(PIANOLA_INSTALL AND TARGET pianola_c)
    install(FILES ${PROJECT_SOURCE_DIR}/runtime/c/pianola.h ${PROJECT_SOURCE_DIR}/runtime/c/pianola_port.h
        ${PROJECT_SOURCE_DIR}/runtime/c/pianola_status.h ${PROJECT_SOURCE_DIR}/runtime/c/cpp_ports.h
        ${PROJECT_BINARY_DIR}/runtime/c/$<CONFIG>/pianola_sizes.h
        DESTINATION "${pianola_include_dir}/c" COMPONENT dev)
endif()
# BearSSL's library is the distribution's on the host.
pianola_export(crypto pianola_bearssl bearssl)
pianola_export(crypto pianola_crypto crypto crypto)
pianola_export(sim pianola_sim devices::sim sim)
if(PIANOLA_HOST)
    pianola_export(host pianola_host host host)
    list(TRANSFORM pianola_devices APPEND _target OUTPUT_VARIABLE targets)
    foreach(part IN ITEMS vulkan_kernels vulkan ${targets} registry base device digest binary operators capture api mesh
            tensor pipeline)
        pianola_export(host pianola_${part} host_parts::${part})
    endforeach()
endif()

if(NOT PIANOLA_INSTALL)
    return()
endif()

# The shared library: a program that has its header needs nothing else of the project.
if(TARGET pianola_shared)
    install(TARGETS pianola_shared LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime
        NAMELINK_COMPONENT dev)
    install(FILES ${PROJECT_SOURCE_DIR}/capture_host/c_library/pianola_host.h
        DESTINATION "${pianola_include_dir}/c" COMPONENT dev)
    set_property(GLOBAL PROPERTY pianola_has_shared_library ON)
    set_property(GLOBAL PROPERTY pianola_shared_package libpianola0)
endif()

# The command line. What is made for it while building, its own rules install: man pages, completion.
if(PIANOLA_HOST)
    install(TARGETS pianola pianola_sample RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
endif()

# The configuration of find_package(Pianola). A board's linker scripts and function come with it.
include(CMakePackageConfigHelpers)
set(PIANOLA_INSTALLED_BOARD "${PIANOLA_BOARD}")
set(pianola_has_vulkan "${PIANOLA_HAS_VULKAN}")
set(pianola_has_host "${PIANOLA_HOST}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/PianolaConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/package/PianolaConfig.cmake" INSTALL_DESTINATION "${pianola_cmake_dir}")
set(arch_option "")
if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
    set(arch_option ARCH_INDEPENDENT)  # CMake knows no pointers' size of a core without an operating system
endif()
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/PianolaConfigVersion.cmake"
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion ${arch_option})
install(FILES "${PROJECT_BINARY_DIR}/package/PianolaConfig.cmake"
    "${PROJECT_BINARY_DIR}/package/PianolaConfigVersion.cmake" DESTINATION "${pianola_cmake_dir}" COMPONENT dev)
foreach(set IN LISTS pianola_export_sets)
    install(EXPORT pianola_${set} NAMESPACE Pianola:: FILE Pianola_${set}.cmake
        DESTINATION "${pianola_cmake_dir}" COMPONENT dev)
endforeach()
if(PIANOLA_BOARD)
    install(FILES "${CMAKE_CURRENT_LIST_DIR}/board_application.cmake" DESTINATION "${pianola_cmake_dir}" COMPONENT dev)
    file(GLOB scripts CONFIGURE_DEPENDS "${pianola_board_dir}/*.ld")
    install(FILES ${scripts} "${pianola_board_dir}/board.json" "${PROJECT_SOURCE_DIR}/hal/boards/common/sections.ld"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/pianola/board" COMPONENT dev)
endif()

include("${CMAKE_CURRENT_LIST_DIR}/pkg_config.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/cpack.cmake")
