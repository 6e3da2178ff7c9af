// A mesh of 2x2 devices: one program for each row, and a trace that one row executes again.
#include <exception>
#include <iostream>
#include <vector>

#include "docs/examples/host_api/executor.h"
#include "pianola_host/mesh_device.h"

namespace {

using pianola::host::BufferArgument;
using pianola::host::BufferConfig;
using pianola::host::DeviceOptions;
using pianola::host::KernelHandle;
using pianola::host::MeshBufferPtr;
using pianola::host::MeshCoordinate;
using pianola::host::MeshPtr;
using pianola::host::MeshWorkload;
using pianola::host::one_core;
using pianola::host::open_mesh;
using pianola::host::Program;
using pianola::host::TraceId;

constexpr std::uint32_t kBytes = 64U;

Program fill(const MeshBufferPtr& buffer, std::uint32_t value) {
    Program program{"fill"};
    const KernelHandle kernel = program.add_kernel("fill", one_core({0U, 0U}));
    program.set_runtime_args(kernel, {0U, 0U}, {BufferArgument{buffer->any(), {}, 0U}, kBytes, value});
    return program;
}

int run_example(const char* executor) {
    DeviceOptions options = example::options_for(executor);
    options.trace_region_size = 4096U;
    const MeshPtr mesh = open_mesh({2U, 2U}, options);
    BufferConfig config;
    config.rows = 1U;
    config.row_bytes = kBytes;
    const MeshBufferPtr buffer = mesh->allocate({config, {}});

    MeshWorkload workload;
    workload.add_program({{0U, 0U}, {0U, 1U}}, fill(buffer, 0x11111111U));
    workload.add_program({{1U, 0U}, {1U, 1U}}, fill(buffer, 0x22222222U));
    mesh->compile(workload);
    const TraceId trace = mesh->begin_trace_capture(0U);
    mesh->enqueue_workload(0U, workload);
    mesh->end_trace_capture(0U, trace);

    const std::vector<std::uint8_t> zeros(kBytes);
    mesh->write(0U, buffer, {zeros.data(), zeros.size()});
    const MeshPtr lower = mesh->create_submesh({1U, 2U}, MeshCoordinate{1U, 0U});
    lower->execute_trace(0U, trace, true);
    const int upper_byte = mesh->read_shard(0U, buffer, {0U, 1U}).data().front();
    const int lower_byte = mesh->read_shard(0U, buffer, {1U, 1U}).data().front();
    std::cout << std::hex << "upper row 0x" << upper_byte << ", lower row 0x" << lower_byte << '\n';
    return ((upper_byte == 0) && (lower_byte == 0x22)) ? 0 : 1;
}

}  // namespace

// Usage: mesh_ranges [vulkan:N]; without it on the simulator.
int main(int argc, char** argv) {
    try {
        return run_example((argc > 1) ? argv[1] : "");
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
