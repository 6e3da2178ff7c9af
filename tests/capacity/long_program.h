// A program of any number of commands on any number of cores: one sum of int8 for each core, dispatched again and
// again.
#pragma once

#include "pianola_host/workload_capture.h"
#include "tests/api/support.h"

namespace pianola::test {

inline constexpr std::uint32_t kLongShare = 32U;  // bytes of each core
inline constexpr std::uint8_t kLongInput = 3U;    // of every element
inline constexpr std::uint8_t kLongOutput = 6U;

// A device with room for 100,000 commands.
inline host::DeviceOptions long_device(const Capacities* profile, std::uint32_t cores) {
    host::DeviceOptions options = small_device(1U, 8U * 1024U * 1024U);
    options.spec.dram_bytes = 64U * 1024U * 1024U;
    options.spec.grid_columns = cores;
    options.spec.grid_rows = 1U;
    options.spec.capacities = profile;
    options.dispatch_area_bytes = 8U * 1024U * 1024U;
    return options;
}

struct LongProgram {
    host::CapturedWorkload workload;
    Bytes output;  // of the step that was captured
};

inline LongProgram capture_long_program(const std::shared_ptr<host::Device>& device, std::uint32_t cores,
                                        std::uint32_t commands) {
    const std::uint32_t bytes = cores * kLongShare;
    const host::BufferPtr input = device->allocate(flat(bytes));
    const host::BufferPtr output = device->allocate(flat(bytes));
    host::Program program{"sum"};
    for (std::uint32_t core = 0U; core < cores; ++core) {
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({core, 0U}));
        program.set_runtime_args(
            kernel, {core, 0U},
            {host::BufferArgument{input, 0U, core * kLongShare}, host::BufferArgument{input, 0U, core * kLongShare},
             host::BufferArgument{output, 0U, core * kLongShare}});
        program.set_common_runtime_args(kernel, {kLongShare, 1U, 1U});  // int8 add, saturating
    }
    host::WorkloadCapture capture{device};
    capture.declare_input(input, {"in", ElementType::kInt8, {bytes}, 1.0F, 0});
    capture.declare_output(output, {"out", ElementType::kInt8, {bytes}, 1.0F, 0});
    capture.begin_step();
    device->enqueue_write(0U, input, view(Bytes(bytes, kLongInput)));
    for (std::uint32_t i = 0U; i < commands; i += cores) {
        device->enqueue_program(0U, program);
    }
    Bytes computed = read(*device, output);
    return {capture.end(), std::move(computed)};
}

}  // namespace pianola::test
