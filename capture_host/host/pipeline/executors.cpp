#include "capture_host/host/pipeline/executors.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "capture_host/base/interrupt.h"
#include "pianola_host/operations.h"
#include "pianola_host/pipeline_error.h"

namespace pianola::pipeline {
namespace {

constexpr std::uint32_t kOperations = 0U;
constexpr std::uint32_t kTransfers = 1U;

// Runs the model and checks its outputs: throws PIPELINE-OUTPUT.
Outputs run_model(const Parts& parts, const Tensor& input) {
    Outputs outputs = parts.model(input);
    if (outputs.empty()) {
        throw PipelineError{PipelineRule::kOutput, "the model gives no output tensor; it must give at least one"};
    }
    for (const Tensor& output : outputs) {
        if (!output.is_on_device() || !output.is_allocated() || (output.place() != parts.device)) {
            throw PipelineError{
                PipelineRule::kOutput,
                "the model gives a tensor that does not lie on the pipeline's device, or was deallocated"};
        }
    }
    return outputs;
}

std::vector<tensor::TensorSpec> specs_of(const Outputs& outputs) {
    std::vector<tensor::TensorSpec> specs;
    for (const Tensor& output : outputs) {
        specs.push_back(output.spec());
    }
    return specs;
}

// Ends a capture that failed, and releases its trace. The first error is reported, and not one from here.
void abandon(const AnyDevice& device, host::TraceId trace) noexcept {
    const interrupt::Hold hold;
    try {
        call_on(device, [trace](auto& each) {
            if (each.is_capturing(kOperations)) {
                each.end_trace_capture(kOperations, trace);
                each.release_trace(trace);
            }
        });
    } catch (...) {
        return;
    }
}

// A model in a trace, with the tensors at whose addresses it was captured. The trace is released with the object.
class CapturedModel {
  public:
    // Captures `body` on queue 0. If it throws, the capture ends and the exception passes on.
    CapturedModel(AnyDevice device, const std::function<Outputs()>& body);
    ~CapturedModel();
    CapturedModel(const CapturedModel&) = delete;
    CapturedModel& operator=(const CapturedModel&) = delete;

    void execute() const;
    [[nodiscard]] const Outputs& outputs() const noexcept { return outputs_; }

  private:
    AnyDevice device_;
    host::TraceId trace_;
    Outputs outputs_;
};

CapturedModel::CapturedModel(AnyDevice device, const std::function<Outputs()>& body)
    : device_{std::move(device)},
      trace_{call_on(device_, [](auto& each) { return each.begin_trace_capture(kOperations); })} {
    try {
        outputs_ = body();
        call_on(device_, [this](auto& each) { each.end_trace_capture(kOperations, trace_); });
    } catch (...) {
        abandon(device_, trace_);
        throw;
    }
}

CapturedModel::~CapturedModel() {
    const interrupt::Hold hold;
    try {
        call_on(device_, [this](auto& each) {
            if (each.is_open()) {
                each.release_trace(trace_);
            }
        });
    } catch (...) {
        // The device has failed: there is nothing left to release.
        return;
    }
}

void CapturedModel::execute() const {
    call_on(device_, [this](auto& each) { each.execute_trace(kOperations, trace_); });
}

// A model with its input in L1 at a fixed address, whether or not the model deallocates it.
struct PersistentInput {
    std::optional<Tensor> input;
    std::unique_ptr<CapturedModel> captured;
};

// Captures `run(input)`, and then `finish` of its outputs. An input that the model has deallocated is allocated again
// in between: throws PIPELINE-INPUT-ADDRESS if its address is in use.
using Finish = std::function<Outputs(const Outputs&)>;
PersistentInput capture_with_input(const AnyDevice& device, const Tensor& input, const Model& run,
                                   const Finish& finish = {}) {
    const std::uint32_t captured_address = input.buffer_address();
    PersistentInput persistent;
    persistent.captured = std::make_unique<CapturedModel>(device, [&] {
        const Outputs outputs = run(input);
        // Inside the capture, where memory that the trace uses can still be allocated.
        persistent.input = input.is_allocated() ? input : Tensor::on_device(input.spec(), device);
        if (persistent.input->buffer_address() != captured_address) {
            throw PipelineError{
                PipelineRule::kInputAddress,
                fmt::format(
                    "the model's input was captured at {:#x}, and its memory is in use when the model has ended: it "
                    "would lie at {:#x}. Have the model deallocate what it allocated behind its input, or keep its "
                    "input",
                    captured_address, persistent.input->buffer_address())};
        }
        return finish ? finish(outputs) : outputs;
    });
    return persistent;
}

// Every operation is dispatched for every input.
class Eager final : public Executor {
  public:
    explicit Eager(Parts parts) : parts_{std::move(parts)} {}

    std::vector<tensor::TensorSpec> compile(const Tensor& sample) override {
        return specs_of(run_model(parts_, sample.to(parts_.device, parts_.l1_input, kOperations)));
    }

    void execute(const std::vector<Tensor>& inputs, Delivery& delivery) override {
        for (const Tensor& input : inputs) {
            const Tensor in_l1 = input.to(parts_.device, parts_.l1_input, kOperations);
            delivery.deliver(run_model(parts_, in_l1), kOperations);
        }
    }

  private:
    Parts parts_;
};

// The input arrives in DRAM, where it can stay; the move to L1 is part of the trace.
class Traced final : public Executor {
  public:
    explicit Traced(Parts parts) : parts_{std::move(parts)} {}

    std::vector<tensor::TensorSpec> compile(const Tensor& sample) override {
        input_ = std::make_unique<Tensor>(sample.to(parts_.device, parts_.dram_input, kOperations));
        std::vector<tensor::TensorSpec> outputs = specs_of(run());
        captured_ = std::make_unique<CapturedModel>(parts_.device, [this] { return run(); });
        return outputs;
    }

    void execute(const std::vector<Tensor>& inputs, Delivery& delivery) override {
        for (const Tensor& input : inputs) {
            tensor::copy_host_to_device(input, *input_, kOperations);
            captured_->execute();
            delivery.deliver(captured_->outputs(), kOperations);
        }
    }

  private:
    [[nodiscard]] Outputs run() const {
        return run_model(parts_, tensor::to_memory_config(*input_, parts_.l1_input, kOperations));
    }

    Parts parts_;
    std::unique_ptr<Tensor> input_;
    std::unique_ptr<CapturedModel> captured_;
};

// An input is written into DRAM on the transfer queue, and taken from there on the operation queue.
class Intake {
  public:
    Intake(const AnyDevice& device, const tensor::TensorSpec& input)
        : write_{device, kTransfers}, take_{device, kOperations}, in_dram_{Tensor::on_device(input, device)} {}

    // Waits until the previous input has been taken.
    void write(const Tensor& input) {
        take_.hold(kTransfers);
        write_.run([&](std::uint32_t queue) { tensor::copy_host_to_device(input, in_dram_, queue); });
    }

    // In new memory, or in place. Waits until the input has been written.
    [[nodiscard]] Tensor take(const MemoryConfig& memory, const std::optional<Tensor>& output = std::nullopt) {
        write_.hold(kOperations);
        return take_.run([&](std::uint32_t queue) { return tensor::reshard(in_dram_, memory, output, queue); });
    }

  private:
    Stage write_;
    Stage take_;
    Tensor in_dram_;
};

[[nodiscard]] tensor::TensorSpec placed(const Tensor& like, const MemoryConfig& memory) {
    return tensor::TensorSpec{like.shape(), like.type(), memory, like.layout()};
}

// The next input is written while the model works on this one.
class SeparateWrites final : public Executor {
  public:
    explicit SeparateWrites(Parts parts) : parts_{std::move(parts)} {}

    std::vector<tensor::TensorSpec> compile(const Tensor& sample) override {
        intake_ = std::make_unique<Intake>(parts_.device, placed(sample, parts_.dram_input));
        return specs_of(run(sample));
    }

    void execute(const std::vector<Tensor>& inputs, Delivery& delivery) override {
        for (const Tensor& input : inputs) {
            delivery.deliver(run(input), kOperations);
        }
    }

  private:
    [[nodiscard]] Outputs run(const Tensor& input) {
        intake_->write(input);
        const Tensor in_l1 = intake_->take(parts_.l1_input);
        return run_model(parts_, in_l1);
    }

    Parts parts_;
    std::unique_ptr<Intake> intake_;
};

// The same with the model in a trace. Events cannot be in it, so that the move of the input to L1 comes before it.
class TracedSeparateWrites final : public Executor {
  public:
    explicit TracedSeparateWrites(Parts parts) : parts_{std::move(parts)} {}

    std::vector<tensor::TensorSpec> compile(const Tensor& sample) override {
        intake_ = std::make_unique<Intake>(parts_.device, placed(sample, parts_.dram_input));
        intake_->write(sample);
        std::vector<tensor::TensorSpec> outputs = specs_of(run_model(parts_, intake_->take(parts_.l1_input)));
        intake_->write(sample);
        persistent_ = capture_with_input(parts_.device, intake_->take(parts_.l1_input),
                                         [this](const Tensor& input) { return run_model(parts_, input); });
        return outputs;
    }

    void execute(const std::vector<Tensor>& inputs, Delivery& delivery) override {
        for (const Tensor& input : inputs) {
            intake_->write(input);
            persistent_.input = intake_->take(parts_.l1_input, persistent_.input);
            persistent_.captured->execute();
            delivery.deliver(persistent_.captured->outputs(), kOperations);
        }
    }

  private:
    Parts parts_;
    std::unique_ptr<Intake> intake_;
    PersistentInput persistent_;
};

// Writes and reads share the transfer queue. An input is written before the previous output is read, so that the queue
// does not wait idly for the model.
class SeparateTransfers final : public Executor {
  public:
    explicit SeparateTransfers(Parts parts)
        : parts_{std::move(parts)}, place_{parts_.device, kOperations}, read_{parts_.device, kTransfers} {}

    std::vector<tensor::TensorSpec> compile(const Tensor& sample) override {
        intake_ = std::make_unique<Intake>(parts_.device, placed(sample, parts_.dram_input));
        intake_->write(sample);
        {
            const Outputs outputs = finish(run(intake_->take(parts_.l1_input)));
            output_ = std::make_unique<Tensor>(
                tensor::reshard(outputs.front(), parts_.dram_output, std::nullopt, kOperations));
        }
        intake_->write(sample);
        persistent_ = capture_with_input(
            parts_.device, intake_->take(parts_.l1_input), [this](const Tensor& input) { return run(input); },
            [this](const Outputs& outputs) { return finish(outputs); });
        return {output_->spec()};
    }

    void execute(const std::vector<Tensor>& inputs, Delivery& delivery) override {
        intake_->write(inputs.front());
        for (std::size_t i = 0U; i < inputs.size(); ++i) {
            persistent_.input = intake_->take(parts_.l1_input, persistent_.input);
            persistent_.captured->execute();
            read_.hold(kOperations);
            place_.run([this](std::uint32_t queue) {
                static_cast<void>(
                    tensor::reshard(persistent_.captured->outputs().front(), parts_.dram_output, *output_, queue));
            });
            if (i + 1U < inputs.size()) {
                intake_->write(inputs[i + 1U]);
            }
            place_.hold(kTransfers);
            read_.run([&](std::uint32_t queue) { delivery.deliver({*output_}, queue); });
        }
    }

    [[nodiscard]] std::size_t least_inputs() const noexcept override { return 2U; }

  private:
    [[nodiscard]] Outputs run(const Tensor& input) const {
        Outputs outputs = run_model(parts_, input);
        if (outputs.size() != 1U) {
            throw PipelineError{
                PipelineRule::kOutput,
                "with transfers on a queue of their own a model gives one output tensor; this one gives " +
                    std::to_string(outputs.size())};
        }
        return outputs;
    }

    [[nodiscard]] Outputs finish(const Outputs& outputs) const {
        if (!parts_.l1_output.has_value()) {
            return outputs;
        }
        return {tensor::to_memory_config(outputs.front(), *parts_.l1_output, kOperations)};
    }

    Parts parts_;
    Stage place_;
    Stage read_;
    std::unique_ptr<Intake> intake_;
    std::unique_ptr<Tensor> output_;
    PersistentInput persistent_;
};

}  // namespace

std::unique_ptr<Executor> make_executor(const PipelineConfig& config, const Parts& parts) {
    if (config.num_command_queues == 1U) {
        if (config.use_trace) {
            return std::make_unique<Traced>(parts);
        }
        return std::make_unique<Eager>(parts);
    }
    if (!config.use_trace) {
        return std::make_unique<SeparateWrites>(parts);
    }
    if (config.all_transfers_on_separate_command_queue) {
        return std::make_unique<SeparateTransfers>(parts);
    }
    return std::make_unique<TracedSeparateWrites>(parts);
}

}  // namespace pianola::pipeline
