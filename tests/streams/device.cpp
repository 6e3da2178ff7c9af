#include "tests/streams/device.h"

#include <map>
#include <optional>

namespace pianola::streams {
namespace {

constexpr std::uint32_t kInt8 = 1U;  // as the kernels number it

}  // namespace

host::Program program_of(const Launch& launch, const std::map<std::uint32_t, host::BufferPtr>& buffers) {
    host::Program program{"launch"};
    const bool is_plus = launch.code == Code::kPlus;
    const host::KernelHandle kernel = program.add_kernel(is_plus ? "requantize" : "binary", host::one_core({0U, 0U}));
    const host::BufferArgument left{buffers.at(launch.left), {}, launch.left_first};
    const host::BufferArgument output{buffers.at(launch.output), {}, launch.output_first};
    if (is_plus) {
        program.set_runtime_args(kernel, {0U, 0U}, {left, output});
        program.set_common_runtime_args(kernel,
                                        {launch.count, 0U, 1U << 30U, 1U, static_cast<std::uint32_t>(launch.constant)});
    } else {
        program.set_runtime_args(
            kernel, {0U, 0U}, {left, host::BufferArgument{buffers.at(launch.right), {}, launch.right_first}, output});
        program.set_common_runtime_args(kernel, {launch.count, kInt8, static_cast<std::uint32_t>(launch.code)});
    }
    return program;
}

namespace {

class Runner {
  public:
    explicit Runner(const Program& program) : program_{program}, device_{host::open_device(options_of(program))} {}

    Ran run(const std::vector<Bytes>& data, bool is_captured) {
        std::optional<host::WorkloadCapture> capture;
        if (is_captured) {
            capture.emplace(device_);
        }
        auto next = data.begin();
        std::vector<host::ReadHandle> reads;
        for (const Op& op : program_.ops) {
            if (op.kind == Kind::kWrite) {
                device_->enqueue_write(op.queue, buffers_.at(op.object), {next->data(), next->size()});
                ++next;
            } else if (op.kind == Kind::kRead) {
                reads.push_back(device_->enqueue_read(op.queue, buffers_.at(op.object)));
            } else {
                carry_out(op);
            }
        }
        device_->synchronize();
        Ran ran;
        for (const host::ReadHandle& read : reads) {
            ran.results.push_back(read.data());
        }
        if (is_captured) {
            try {
                ran.workload = capture->end();
            } catch (const host::HostError& error) {
                ran.refusal = error.what();
            }
        }
        return ran;
    }

  private:
    void carry_out(const Op& op) {
        switch (op.kind) {
            case Kind::kAllocate: {
                host::BufferConfig config;
                config.rows = 1U;
                config.row_bytes = kBytes;
                buffers_[op.object] = device_->allocate(config);
                break;
            }
            case Kind::kFree:
                buffers_.erase(op.object);
                break;
            case Kind::kRun: {
                host::Program program = program_of(op.launch, buffers_);
                device_->enqueue_program(op.queue, program);
                break;
            }
            case Kind::kCaptureTrace:
                capture_trace(op);
                break;
            case Kind::kExecuteTrace:
                device_->execute_trace(op.queue, traces_.at(op.object));
                break;
            case Kind::kRecord:
                device_->record_event(op.queue, event(op.object));
                break;
            case Kind::kWait:
                device_->wait_for_event(op.queue, event(op.object));
                break;
            case Kind::kSynchronise:
                device_->synchronize();
                break;
            case Kind::kWrite:
            case Kind::kRead:
            default:
                break;
        }
    }

    void capture_trace(const Op& op) {
        std::vector<host::Program> programs;
        for (const Launch& launch : op.launches) {
            programs.push_back(program_of(launch, buffers_));
            device_->compile(programs.back());
        }
        traces_[op.object] = device_->begin_trace_capture(op.queue);
        for (host::Program& program : programs) {
            device_->enqueue_program(op.queue, program);
        }
        device_->end_trace_capture(op.queue, traces_[op.object]);
    }

    host::EventId event(std::uint32_t number) {
        const auto found = events_.find(number);
        return (found != events_.end()) ? found->second : (events_[number] = device_->create_event());
    }

    const Program& program_;
    std::shared_ptr<host::Device> device_;
    std::map<std::uint32_t, host::BufferPtr> buffers_;
    std::map<std::uint32_t, host::TraceId> traces_;
    std::map<std::uint32_t, host::EventId> events_;
};

}  // namespace

bool has_remedy(const std::string& refusal) {
    const std::size_t rule = refusal.find(':');
    return (refusal.find(';') != std::string::npos) || (refusal.find(": ", rule + 2U) != std::string::npos);
}

host::DeviceOptions options_of(const Program& program) {
    host::DeviceOptions options;
    options.num_command_queues = program.queues;
    options.trace_region_size = 32U * 1024U;
    options.dispatch_area_bytes = 16U * 1024U;
    options.spec.dram_bytes = 160U * 1024U;
    options.spec.l1_bytes = 64U * 1024U;
    return options;
}

Ran run(const Program& program, const std::vector<Bytes>& data, bool is_captured) {
    return Runner{program}.run(data, is_captured);
}

}  // namespace pianola::streams
