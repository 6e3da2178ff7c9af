# The public headers: what an installation has, with the paths under which they are included. All others are the
# project's own, and may change or go in any version. A header that one of these includes is one of these
# (tests/consumers). docs/guide/packages.md explains the groups.
file(GLOB pianola_headers_runtime CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/runtime/include"
    "${PROJECT_SOURCE_DIR}/runtime/include/pianola/*.h" "${PROJECT_SOURCE_DIR}/runtime/include/pianola/*.inc")

set(pianola_headers_kernels
    hal/kernels/device_memory.h
    hal/kernels/kernel.h
    hal/kernels/kernel_library.h
    hal/kernels/kernels.h)

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

set(pianola_headers_pl330
    hal/devices/pl330/command_set.h
    hal/devices/pl330/driver.h
    hal/devices/pl330/encoding.h
    hal/devices/pl330/engine_link.h)

# Of devices that the host's tools take as plugins.
set(pianola_headers_target
    hal/devices/plugin.h
    hal/devices/simulator.h
    hal/devices/target.h)

set(pianola_headers_sim
    hal/sim/faulty_driver.h
    hal/sim/sim_device.h
    hal/sim/sim_machine.h
    hal/sim/sim_options.h
    hal/sim/sim_platform.h
    hal/sim/write_back_cache.h)

set(pianola_headers_crypto hal/crypto/bearssl_verifier.h)

set(pianola_headers_port_kit
    tests/port/conformance.h
    tests/port/kit.h
    tests/port/port.h
    tests/port/stdout_sink.h)

set(pianola_headers_host
    capture_host/api/device.h
    capture_host/api/trace.h
    capture_host/buffers/buffer.h
    capture_host/buffers/geometry.h
    capture_host/buffers/host_error.h
    capture_host/buffers/host_rules.inc
    capture_host/buffers/ids.h
    capture_host/buffers/memory_holder.h
    capture_host/buffers/rule_error.h
    capture_host/compile/program.h
    capture_host/files/files.h
    capture_host/mesh/mesh_buffer.h
    capture_host/mesh/mesh_device.h
    capture_host/mesh/mesh_error.h
    capture_host/mesh/mesh_rules.inc
    capture_host/mesh/mesh_shape.h
    capture_host/mesh/mesh_workload.h
    capture_host/replay/replay.h
    capture_host/targets/targets.h
    capture_host/tensor/distribution.h
    capture_host/tensor/operations.h
    capture_host/tensor/quantized.h
    capture_host/tensor/recurrent.h
    capture_host/tensor/tensor.h
    capture_host/tensor/tensor_error.h
    capture_host/tensor/tensor_rules.inc
    capture_host/tensor/tensor_spec.h
    capture_host/pipeline/pipeline.h
    capture_host/pipeline/pipeline_error.h
    capture_host/pipeline/pipeline_rules.inc
    capture_host/timeline/host_cost.h
    capture_host/workload/workload_capture.h
    capture_host/writer/manifest.h
    hal/devices/registry/registry.h)

# Of a board's parts, where the build is for one: what applications include, and what ports of boards and devices do.
set(pianola_headers_board "")
if(PIANOLA_BOARD)
    file(GLOB pianola_headers_board CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
        "${PROJECT_SOURCE_DIR}/hal/boards/common/*.h" "${PROJECT_SOURCE_DIR}/hal/arch/*.h"
        "${PROJECT_SOURCE_DIR}/hal/arch/${PIANOLA_ARCH}/*.h")
endif()
