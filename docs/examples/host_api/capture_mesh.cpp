// A program on two devices as one trace binary: half of the rows on each, the same weights on both. Stored for an ECU
// that drives two devices (docs/examples/ecu_mesh.cpp; on bare metal docs/examples/board/two_devices.cpp).
// usage: capture_mesh FILE.ptb
#include <exception>
#include <iostream>
#include <vector>

#include "docs/examples/host_api/executor.h"
#include "pianola_host/files.h"
#include "pianola_host/mesh_device.h"
#include "pianola_host/workload_capture.h"

namespace {

using pianola::host::BufferArgument;
using pianola::host::BufferConfig;
using pianola::host::CapturedWorkload;
using pianola::host::DeviceOptions;
using pianola::host::GlobalMatrix;
using pianola::host::KernelHandle;
using pianola::host::MeshBufferPtr;
using pianola::host::MeshCoordinateRange;
using pianola::host::MeshPtr;
using pianola::host::MeshWorkload;
using pianola::host::one_core;
using pianola::host::open_mesh;
using pianola::host::Program;
using pianola::host::WorkloadCapture;

constexpr std::uint32_t kTraceRegionBytes = 64U * 1024U;
constexpr std::uint32_t kBytes = 64U;     // of a row
constexpr std::uint64_t kTwoRows = 128U;  // one for each device
constexpr std::uint32_t kInt8 = 1U;       // as the kernel numbers element types,
constexpr std::uint32_t kAdd = 1U;        // and its operations

MeshWorkload sum(const MeshPtr& mesh, const MeshBufferPtr& input, const MeshBufferPtr& weights,
                 const MeshBufferPtr& output) {
    Program program{"sum"};
    const KernelHandle kernel = program.add_kernel("binary", one_core({0U, 0U}));
    program.set_runtime_args(kernel, {0U, 0U},
                             {BufferArgument{input->any(), {}, 0U}, BufferArgument{weights->any(), {}, 0U},
                              BufferArgument{output->any(), {}, 0U}});
    program.set_common_runtime_args(kernel, {kBytes, kInt8, kAdd});
    MeshWorkload workload;
    workload.add_program(MeshCoordinateRange{mesh->shape()}, std::move(program));
    return workload;
}

int run_example(const char* path, const char* executor) {
    DeviceOptions options = example::options_for(executor);  // what the ECU's devices are
    options.trace_region_size = kTraceRegionBytes;
    options.num_command_queues = 2U;
    const MeshPtr mesh = open_mesh({1U, 2U}, options);
    BufferConfig row;
    row.rows = 1U;
    row.row_bytes = kBytes;
    GlobalMatrix two_rows;
    two_rows.rows = 1U;
    two_rows.row_bytes = kTwoRows;  // the mesh's columns cut it
    const MeshBufferPtr weights = mesh->allocate({row, {}});
    const MeshBufferPtr input = mesh->allocate({row, two_rows});
    const MeshBufferPtr output = mesh->allocate({row, two_rows});

    WorkloadCapture capture{mesh->grid()};
    const std::vector<std::uint8_t> ones(kBytes, 1U);
    mesh->write(0U, weights, {ones.data(), ones.size()});  // before the loop: set-up of both devices
    bool is_right = true;
    for (std::uint8_t i = 0U; i < 3U; ++i) {
        const std::vector<std::uint8_t> data(kTwoRows, i);
        mesh->write(0U, input, {data.data(), data.size()});  // an input in two pieces
        mesh->enqueue_workload(0U, sum(mesh, input, weights, output));
        const std::vector<std::uint8_t> result = mesh->read(0U, output);  // an output in two pieces
        is_right = is_right && (result.front() == (i + 1U)) && (result.back() == (i + 1U));
    }
    const CapturedWorkload workload = capture.end();
    pianola::files::store_file(path, workload.file);
    std::cout << workload.steps << " steps captured, for " << workload.manifest.target.mesh_rows << " x "
              << workload.manifest.target.mesh_columns << " devices, outputs " << (is_right ? "right" : "wrong")
              << '\n';
    return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if ((argc != 2) && (argc != 3)) {
        std::cerr << "usage: capture_mesh FILE.ptb [vulkan:N]\n";
        return 2;
    }
    try {
        return run_example(argv[1], (argc > 2) ? argv[2] : "");
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
