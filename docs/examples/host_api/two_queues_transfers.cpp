// Two queues: queue 1 does all transfers, queue 0 runs programs. The next input is written before the output before is
// read, so that queue 1 never stands still behind a model that is running. Once eagerly, once with a trace.
#include "docs/examples/host_api/model.h"

namespace example {
namespace {

class Pipeline {
  public:
    Pipeline(Device& device, Model& model, TraceId trace) : device_{device}, model_{model}, trace_{trace} {}

    std::vector<ReadHandle> run(std::uint32_t inferences) {
        device_.record_event(0U, first_op_event_);  // the first turn has nothing to wait for
        device_.record_event(1U, read_event_);
        write_input(0U);
        for (std::uint32_t i = 1U; i < inferences; ++i) {
            compute();
            write_input(i);
            read_output();
        }
        compute();
        read_output();
        device_.synchronize();
        return outputs_;
    }

  private:
    void write_input(std::uint32_t number) {
        device_.wait_for_event(1U, first_op_event_);
        device_.enqueue_write(1U, model_.input, view(host_tensor(number)));
        device_.record_event(1U, write_event_);
    }
    void compute() {
        device_.wait_for_event(0U, write_event_);
        device_.enqueue_program(0U, model_.first());
        device_.record_event(0U, first_op_event_);
        if (trace_.valid()) {
            device_.execute_trace(0U, trace_);
        } else {
            model_.run_between(device_);
        }
        device_.wait_for_event(0U, read_event_);
        device_.enqueue_program(0U, model_.last());
        device_.record_event(0U, last_op_event_);
    }
    void read_output() {
        device_.wait_for_event(1U, last_op_event_);
        outputs_.push_back(device_.enqueue_read(1U, model_.output));
        device_.record_event(1U, read_event_);  // behind the read, not before it
    }

    Device& device_;
    Model& model_;
    TraceId trace_;
    EventId first_op_event_{device_.create_event()};  // the input has been taken
    EventId write_event_{device_.create_event()};     // the input has been written
    EventId last_op_event_{device_.create_event()};   // the output is there
    EventId read_event_{device_.create_event()};      // the output has been read
    std::vector<ReadHandle> outputs_;
};

int run_example(const char* executor) {
    DeviceOptions options = options_for(executor);
    options.num_command_queues = 2U;
    options.trace_region_size = 4096U;
    options.threaded = !options.vulkan.has_value();  // both queues really run side by side
    const auto device = open_device(options);
    Model model{*device};
    const int eager = check("queue for transfers, eager", Pipeline{*device, model, TraceId{}}.run(10U));
    const TraceId trace = device->begin_trace_capture(0U);
    model.run_between(*device);
    device->end_trace_capture(0U, trace);
    const int traced = check("queue for transfers, traced", Pipeline{*device, model, trace}.run(10U));
    return eager + traced;
}

}  // namespace
}  // namespace example

// Usage: two_queues_transfers [vulkan:N]; without it on the simulator.
int main(int argc, char** argv) {
    return example::run_example((argc > 1) ? argv[1] : "");
}
