// A trace whose input stays in DRAM: the basic pattern of docs/guide/host_api.md.
#include "docs/examples/host_api/model.h"

namespace example {
namespace {

int run_example(const char* executor) {
    DeviceOptions options = options_for(executor);
    options.trace_region_size = 4096U;
    const auto device = open_device(options);
    Model model{*device};  // allocates the persistent input, and compiles

    // Capture. Nothing is executed, so the input's contents do not matter.
    const TraceId trace = device->begin_trace_capture(0U);
    device->enqueue_program(0U, model.first());
    model.run_between(*device);
    device->enqueue_program(0U, model.last());
    device->end_trace_capture(0U, trace);
    device->expect_input(trace, model.input);  // from now on a wrong or freed input is an error, not a wrong result

    std::vector<ReadHandle> outputs;
    for (std::uint32_t i = 0U; i < 4U; ++i) {
        device->enqueue_write(0U, model.input, view(host_tensor(i)));
        device->execute_trace(0U, trace);
        outputs.push_back(device->enqueue_read(0U, model.output));
    }
    device->synchronize();
    return check("trace with its input in DRAM", outputs);
}

}  // namespace
}  // namespace example

// Usage: trace_dram_input [vulkan:N]; without it on the simulator.
int main(int argc, char** argv) {
    return example::run_example((argc > 1) ? argv[1] : "");
}
