#include "capture_host/host/pipeline/captured_model.h"
#include "pianola_host/operations.h"

namespace pianola::pipeline {
namespace {

constexpr std::uint32_t kQueue = 0U;

// Every operation is dispatched for every input.
class Eager final : public Executor {
  public:
    explicit Eager(Parts parts) : parts_{std::move(parts)} {}

    std::vector<tensor::TensorSpec> compile(const Tensor& sample) override {
        return specs_of(run_model(parts_, sample.to(parts_.device, parts_.l1_input, kQueue)));
    }

    void execute(const std::vector<Tensor>& inputs, Delivery& delivery) override {
        for (const Tensor& input : inputs) {
            const Tensor in_l1 = input.to(parts_.device, parts_.l1_input, kQueue);
            delivery.deliver(run_model(parts_, in_l1), kQueue);
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
        input_ = std::make_unique<Tensor>(sample.to(parts_.device, parts_.dram_input, kQueue));
        std::vector<tensor::TensorSpec> outputs = specs_of(run());
        captured_ = std::make_unique<CapturedModel>(parts_.device, [this] { return run(); });
        return outputs;
    }

    void execute(const std::vector<Tensor>& inputs, Delivery& delivery) override {
        for (const Tensor& input : inputs) {
            tensor::copy_host_to_device(input, *input_, kQueue);
            captured_->execute();
            delivery.deliver(captured_->outputs(), kQueue);
        }
    }

  private:
    [[nodiscard]] Outputs run() const {
        return run_model(parts_, tensor::to_memory_config(*input_, parts_.l1_input, kQueue));
    }

    Parts parts_;
    std::unique_ptr<Tensor> input_;
    std::unique_ptr<CapturedModel> captured_;
};

}  // namespace

std::unique_ptr<Executor> make_eager(const Parts& parts) {
    return std::make_unique<Eager>(parts);
}

std::unique_ptr<Executor> make_traced(const Parts& parts) {
    return std::make_unique<Traced>(parts);
}

}  // namespace pianola::pipeline
