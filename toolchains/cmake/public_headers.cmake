# The public headers: what an installation has, with the paths under which they are included. All others are the
# project's own, and may change or go in any version. A header that one of these includes is one of these
# (tests/consumers). docs/guide/packages.md explains the groups.
file(GLOB pianola_headers_runtime CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/runtime/include"
    "${PROJECT_SOURCE_DIR}/runtime/include/pianola/*.h" "${PROJECT_SOURCE_DIR}/runtime/include/pianola/*.inc")

set(pianola_headers_kernels
    hal/devices/refdev/costs/cost_model.h
    hal/devices/refdev/costs/virtual.h
    hal/devices/refdev/kernels/device_memory.h
    hal/devices/refdev/kernels/kernel.h
    hal/devices/refdev/kernels/kernel_library.h
    hal/devices/refdev/kernels/kernels.h
    hal/devices/refdev/kernels/kernels.inc
    hal/devices/refdev/kernels/work.h)

# Other devices state theirs in their folder.
get_property(pianola_devices GLOBAL PROPERTY pianola_devices)
foreach(device IN LISTS pianola_devices)
    get_property(pianola_headers_${device} GLOBAL PROPERTY pianola_headers_${device})
endforeach()
set(pianola_headers_refdev
    hal/devices/refdev/command_encoding.h
    hal/devices/refdev/command_processor.h
    hal/devices/refdev/device_core.h
    hal/devices/refdev/device_link.h
    hal/devices/refdev/device_spec.h
    hal/devices/refdev/execution_log.h
    hal/devices/refdev/queue_memory.h
    hal/devices/refdev/refdev_command_set.h
    hal/devices/refdev/refdev_driver.h
    hal/devices/refdev/shared_state.h)

# Of devices that the host's tools take as plugins.
set(pianola_headers_target
    hal/host/executor.h
    hal/host/plugin.h
    hal/host/simulator.h
    hal/host/target.h)

set(pianola_headers_sim
    hal/devices/refdev/sim/faulty_driver.h
    hal/devices/refdev/sim/sim_device.h
    hal/devices/refdev/sim/sim_machine.h
    hal/devices/refdev/sim/sim_platform.h
    hal/devices/refdev/sim/write_back_cache.h)

set(pianola_headers_crypto hal/crypto/bearssl_verifier.h)

set(pianola_headers_port_kit
    hal/port_kit/conformance.h
    hal/port_kit/kit.h
    hal/port_kit/port.h
    hal/port_kit/stdout_sink.h)

file(GLOB pianola_headers_host CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/capture_host/include"
    "${PROJECT_SOURCE_DIR}/capture_host/include/pianola_host/*.h"
    "${PROJECT_SOURCE_DIR}/capture_host/include/pianola_host/*.inc")
list(APPEND pianola_headers_host hal/registry/registry.h)

# Of a board's parts, where the build is for one: what applications include, and what ports of boards and devices do.
set(pianola_headers_board "")
if(PIANOLA_BOARD)
    file(GLOB pianola_headers_board CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
        "${PROJECT_SOURCE_DIR}/hal/boards/common/*.h" "${PROJECT_SOURCE_DIR}/hal/arch/*.h"
        "${PROJECT_SOURCE_DIR}/hal/arch/${PIANOLA_ARCH}/*.h")
    if(PIANOLA_ARCH MATCHES "^arm_[ar]$")
        list(APPEND pianola_headers_board hal/arch/arm_ar/instructions.h)
    endif()
endif()
