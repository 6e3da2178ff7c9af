// A trace whose input lies in L1 and leaves it while the model runs: it comes back to the same address, because first
// fit is deterministic. expect_input() holds it there.
#include "docs/examples/host_api/model.h"

namespace example {
namespace {

// Frees the input as soon as it has been used; returns the output.
BufferPtr run_model(const std::shared_ptr<Device>& device, BufferPtr& input) {
    const BufferPtr middle = device->allocate(sharded(Memory::kL1));
    Program first = add(input, middle, 5U);
    device->enqueue_program(0U, first);
    device->deallocate(input);
    BufferPtr output = device->allocate(sharded(Memory::kL1));  // takes the input's place
    Program second = add(middle, output, 7U);
    device->enqueue_program(0U, second);
    return output;
}

int run_example(const char* executor) {
    DeviceOptions options = options_for(executor);
    options.trace_region_size = 4096U;
    const auto device = open_device(options);

    // First run: compiles.
    BufferPtr input = device->allocate(sharded(Memory::kL1));
    device->enqueue_write(0U, input, view(host_tensor(0U)));
    BufferPtr output = run_model(device, input);

    // Capture. The old output goes first, so that addresses are those of the first run.
    device->deallocate(output);
    input = device->allocate(sharded(Memory::kL1));
    const std::uint32_t trace_address = input->address();
    const TraceId trace = device->begin_trace_capture(0U);
    output = run_model(device, input);
    // The output lies where the input was: read it from a copy in DRAM, and take the address for the input again.
    const BufferPtr kept = device->allocate(sharded(Memory::kDram));
    Program keep = reshard(output, kept);
    device->compile(keep);  // a trace cannot load new binaries: a program that has not been compiled is refused
    device->enqueue_program(0U, keep);
    device->deallocate(output);
    input = device->allocate(sharded(Memory::kL1));
    device->end_trace_capture(0U, trace);
    if (input->address() != trace_address) {
        return 1;
    }
    device->expect_input(trace, input);  // says the same, and goes on holding it

    std::vector<ReadHandle> outputs;
    for (std::uint32_t i = 0U; i < 4U; ++i) {
        device->enqueue_write(0U, input, view(host_tensor(i)));
        device->execute_trace(0U, trace);
        outputs.push_back(device->enqueue_read(0U, kept));
    }
    return check("trace with its input in L1", outputs);
}

}  // namespace
}  // namespace example

// Usage: trace_l1_input [vulkan:N]; without it on the simulator.
int main(int argc, char** argv) {
    return example::run_example((argc > 1) ? argv[1] : "");
}
