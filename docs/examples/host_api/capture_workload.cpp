// A whole workload as a trace binary: the calls of a pipelined program, recorded, proved, tried, and stored for an ECU.
// usage: capture_workload FILE.ptb
#include "docs/examples/host_api/model.h"
#include "pianola_host/files.h"
#include "pianola_host/workload_capture.h"

namespace example {
namespace {

using pianola::host::CapturedWorkload;
using pianola::host::TensorDeclaration;
using pianola::host::WorkloadCapture;

int run(const char* path, const char* executor) {
    DeviceOptions options = options_for(executor);
    options.num_command_queues = 2U;
    options.trace_region_size = 64U * 1024U;
    const auto device = open_device(options);
    Model model{*device};
    const EventId taken = device->create_event();
    const EventId written = device->create_event();
    std::vector<ReadHandle> outputs;

    WorkloadCapture capture{device};
    const TensorDeclaration tensor{"image", pianola::ElementType::kInt8, {kRows, kColumns}, 1.0F, 0};
    capture.declare_input(model.input, tensor);
    capture.declare_output(model.output, tensor);
    capture.begin_prologue();
    device->record_event(0U, taken);
    for (std::uint32_t i = 0U; i < 3U; ++i) {  // three identical steps become one
        capture.begin_step();
        device->wait_for_event(1U, taken);
        device->enqueue_write(1U, model.input, view(host_tensor(i)));
        device->record_event(1U, written);
        device->wait_for_event(0U, written);
        device->enqueue_program(0U, model.first());
        device->record_event(0U, taken);
        model.run_between(*device);
        device->enqueue_program(0U, model.last());
        outputs.push_back(device->enqueue_read(0U, model.output));
    }
    const CapturedWorkload workload = capture.end();
    pianola::files::store_file(path, workload.file);
    std::cout << workload.file.size() << " bytes, " << workload.steps << " steps captured, "
              << workload.manifest.traces.size() << " traces, a step takes " << workload.manifest.step_cycles
              << " cycles\n";
    return check("captured workload", outputs);
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) {
    if ((argc != 2) && (argc != 3)) {
        std::cerr << "usage: capture_workload FILE.ptb [vulkan:N]\n";
        return 2;
    }
    return example::run(argv[1], (argc > 2) ? argv[2] : "");
}
