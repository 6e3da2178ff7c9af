#include "capture_host/host/pipeline/captured_model.h"
#include "capture_host/host/pipeline/stage.h"
#include "pianola_host/operations.h"
#include "pianola_host/pipeline_error.h"

namespace pianola::pipeline {
namespace {

constexpr std::uint32_t kOperations = 0U;
constexpr std::uint32_t kTransfers = 1U;

// How an input comes: written into DRAM on the transfer queue, and taken from there on the operation queue.
class Intake {
  public:
    Intake(const AnyDevice& device, const tensor::TensorSpec& input)
        : write_{device, kTransfers}, take_{device, kOperations}, in_dram_{Tensor::on_device(input, device)} {}

    // Not before the input of before has been taken.
    void write(const Tensor& input) {
        take_.hold(kTransfers);
        write_.run([&](std::uint32_t queue) { tensor::copy_host_to_device(input, in_dram_, queue); });
    }

    // In new memory, or in place. Not before it has been written.
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

std::unique_ptr<Executor> make_separate_writes(const Parts& parts) {
    return std::make_unique<SeparateWrites>(parts);
}

std::unique_ptr<Executor> make_traced_separate_writes(const Parts& parts) {
    return std::make_unique<TracedSeparateWrites>(parts);
}

std::unique_ptr<Executor> make_separate_transfers(const Parts& parts) {
    return std::make_unique<SeparateTransfers>(parts);
}

}  // namespace pianola::pipeline
