// Two queues: queue 1 writes inputs, queue 0 runs programs and reads outputs. Once eagerly, once with a trace.
#include "docs/examples/host_api/model.h"

namespace example {
namespace {

std::vector<ReadHandle> run(Device& device, Model& model, TraceId trace) {
    const EventId op_event = device.create_event();     // queue 0 has taken the input: it may be overwritten
    const EventId write_event = device.create_event();  // queue 1 has written the input: it may be read
    device.record_event(0U, op_event);                  // the first turn has nothing to wait for
    std::vector<ReadHandle> outputs;
    for (std::uint32_t i = 0U; i < 10U; ++i) {
        device.wait_for_event(1U, op_event);
        device.enqueue_write(1U, model.input, view(host_tensor(i)));
        device.record_event(1U, write_event);
        device.wait_for_event(0U, write_event);
        device.enqueue_program(0U, model.first());  // not in the trace: an event cannot be inside one
        device.record_event(0U, op_event);
        if (trace.valid()) {
            device.execute_trace(0U, trace);
        } else {
            model.run_between(device);
            device.enqueue_program(0U, model.last());
        }
        outputs.push_back(device.enqueue_read(0U, model.output));
    }
    device.synchronize();
    return outputs;
}

int run_example(const char* executor) {
    DeviceOptions options = options_for(executor);
    options.num_command_queues = 2U;
    options.trace_region_size = 4096U;
    options.threaded = !options.vulkan.has_value();  // both queues really run side by side
    const auto device = open_device(options);
    Model model{*device};
    const int eager = check("queue for inputs, eager", run(*device, model, TraceId{}));
    const TraceId trace = device->begin_trace_capture(0U);
    model.run_between(*device);
    device->enqueue_program(0U, model.last());
    device->end_trace_capture(0U, trace);
    const int traced = check("queue for inputs, traced", run(*device, model, trace));
    return eager + traced;
}

}  // namespace
}  // namespace example

// Usage: two_queues_inputs [vulkan:N]; without it on the simulator.
int main(int argc, char** argv) {
    return example::run_example((argc > 1) ? argv[1] : "");
}
