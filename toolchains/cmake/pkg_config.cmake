# pkg-config's files, for builds without CMake. They find the installation by their own place, so that it can be moved.
# pianola_pkg_config(<name> <description> [REQUIRES package...] [LIBS option...] [CFLAGS option...])
function(pianola_pkg_config name description)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "REQUIRES;LIBS;CFLAGS")
    cmake_path(SET from NORMALIZE "/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    file(RELATIVE_PATH up "${from}" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    list(JOIN arg_REQUIRES ", " requires)
    list(JOIN arg_LIBS " " libs)
    list(JOIN arg_CFLAGS " " cflags)
    set(file "${PROJECT_BINARY_DIR}/package/${name}.pc")
    file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT "prefix=\${pcfiledir}/@up@
libdir=\${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Requires: @requires@
Libs: -L\${libdir} @libs@
Cflags: -I\${includedir}/pianola @cflags@
")
    install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endfunction()

pianola_pkg_config(pianola-runtime "Pianola's on-target library"
    LIBS -lpianola_runtime CFLAGS "-DPIANOLA_PROFILE=${pianola_profile}")
pianola_pkg_config(pianola-refdev "Pianola's reference device: command set, driver, kernels"
    REQUIRES pianola-runtime LIBS -lpianola_refdev -lpianola_kernels)
if(TARGET pianola_c)
    pianola_pkg_config(pianola-c "Pianola's runtime for applications in C"
        REQUIRES pianola-runtime LIBS -lpianola_c CFLAGS "-I\${includedir}/pianola/c")
endif()
set(other_devices ${pianola_devices})
list(REMOVE_ITEM other_devices refdev)
set(device_packages "")
set(device_libs "")
foreach(device IN LISTS other_devices)
    list(APPEND device_packages pianola-${device})
    list(APPEND device_libs -lpianola_${device}_target -lpianola_${device})
    if(TARGET pianola_${device})
        get_property(title GLOBAL PROPERTY pianola_title_${device})
        pianola_pkg_config(pianola-${device} "${title}" REQUIRES pianola-runtime LIBS -lpianola_${device})
    endif()
endforeach()
if(TARGET pianola_port_kit)
    pianola_pkg_config(pianola-port-kit "Conformance kit for ports of Pianola"
        REQUIRES pianola-runtime LIBS -lpianola_port_kit)
endif()
if(TARGET pianola_crypto)
    get_target_property(bearssl_type pianola_bearssl TYPE)
    set(bearssl -lbearssl)
    if(bearssl_type STREQUAL "STATIC_LIBRARY")
        set(bearssl -lpianola_bearssl)
    endif()
    pianola_pkg_config(pianola-crypto "Signatures for Pianola, by BearSSL"
        REQUIRES pianola-runtime LIBS -lpianola_crypto ${bearssl})
endif()
if(TARGET pianola_sim)
    pianola_pkg_config(pianola-sim "The reference device in a host process"
        REQUIRES pianola-refdev LIBS -lpianola_sim -pthread CFLAGS -pthread)
endif()
if(PIANOLA_HOST)
    set(requires pianola-sim ${device_packages} fmt libcrypto)
    set(vulkan_libs -lpianola_vulkan)
    if(PIANOLA_HAS_VULKAN)
        list(APPEND requires vulkan)
        list(APPEND vulkan_libs -lpianola_vulkan_kernels)
    endif()
    set(recording 0)
    if(PIANOLA_RECORDING)
        set(recording 1)
    endif()
    # Libraries that need one another, searched until nothing is missing.
    pianola_pkg_config(pianola-host "Pianola's host API: devices, captures, meshes, tensors, replay"
        REQUIRES ${requires} CFLAGS -DPIANOLA_RECORDING=${recording}
        LIBS -Wl,--start-group -lpianola_pipeline -lpianola_tensor -lpianola_mesh -lpianola_api
             -lpianola_capture -lpianola_binary -lpianola_digest -lpianola_device -lpianola_registry
             -lpianola_refdev_target ${device_libs} ${vulkan_libs} -lpianola_operators -lpianola_base -lpianola_sim
             -lpianola_refdev -lpianola_kernels -lpianola_runtime
             -Wl,--end-group -ldl)
endif()
