// The short pieces of C++ that pages show, compiled as they stand there: gates.pages compares. Whole programs lie
// beside this file.
#include <array>
#include <utility>

#include "capture_host/capture/lowering/lowerings.h"
#include "capture_host/device/lowering.h"
#include "docs/examples/host_api/model.h"
#include "pianola_host/mesh_device.h"
#include "pianola_host/mesh_workload.h"
#include "pianola_host/targets.h"
#include "pianola_host/workload_capture.h"

namespace example {
namespace {

using pianola::DeviceDescription;
using pianola::ElementType;
using pianola::host::CapturedWorkload;
using pianola::host::MeshBufferPtr;
using pianola::host::MeshPtr;
using pianola::host::MeshWorkload;
using pianola::host::open_mesh;
using pianola::host::WorkloadCapture;

// docs/guide/host_api.md
[[maybe_unused]] void first_steps(const DeviceOptions& options, const BufferConfig& config, Program& program,
                                  const BufferPtr& output, ByteSpan bytes) {
    const auto device = open_device(options);
    const BufferPtr input = device->allocate(config);
    device->enqueue_write(0, input, bytes);
    device->enqueue_program(0, program);
    const ReadHandle result = device->enqueue_read(0, output);
}

[[maybe_unused]] CapturedWorkload capture_program(const std::shared_ptr<Device>& device, const BufferPtr& input,
                                                  const BufferPtr& output) {
    WorkloadCapture capture{device};
    capture.declare_input(input, {"image", ElementType::kInt8, {64, 128}, 1.0F, 0});
    capture.declare_output(output, {"scores", ElementType::kInt8, {64, 128}, 1.0F, 0});
    capture.begin_step();
    const CapturedWorkload workload = capture.end();
    return workload;
}

// docs/guide/mesh.md
[[maybe_unused]] void mesh_programs(const DeviceOptions& options, const BufferConfig& config, Program upper,
                                    Program lower) {
    const MeshPtr mesh = open_mesh({2, 2}, options);
    const MeshBufferPtr buffer = mesh->allocate({config, {}});
    MeshWorkload workload;
    workload.add_program({{0, 0}, {0, 1}}, std::move(upper));
    workload.add_program({{1, 0}, {1, 1}}, std::move(lower));
    mesh->enqueue_workload(0, workload);
}

// docs/reference/pl330.md
namespace capture = pianola::capture;
namespace host = pianola::host;
namespace targets = pianola::targets;
[[maybe_unused]] targets::LoweredBinary for_another_device(const CapturedWorkload& captured) {
    const DeviceDescription engine = targets::Targets{}.find("pl330")->usual_device();
    const targets::Lowering& lowering = *capture::find_lowering("pl330");
    host::DeviceOptions options;
    options.spec = lowering.captured_on(engine);
    options.trace_region_size = engine.trace_region_bytes;
    options.num_command_queues = engine.queue_count;
    const auto device = host::open_device(options);
    const targets::LoweredBinary binary = lowering.lower({captured.file.data(), captured.file.size()}, engine);
    return binary;
}

}  // namespace
}  // namespace example
