// Pipeline: runs a model over many inputs, in one of five ways.
//
// On top of tensors and operations; docs/guide/pipeline.md is its manual. The configuration says which executor does
// the work: eager, traced, writes on a queue of their own without or with a trace, all transfers on a queue of their
// own with a trace. The results are the same bytes. Throws PipelineError, and passes on exceptions of the model and
// the layers below. The device may be a mesh: inputs are then distributed, or go to all devices. Not for several
// threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "pianola_host/tensor.h"

namespace pianola::pipeline {

using tensor::AnyDevice;
using tensor::call_on;
using tensor::MemoryConfig;
using tensor::Tensor;

struct PipelineConfig {
    bool use_trace{false};
    std::uint32_t num_command_queues{1U};
    bool all_transfers_on_separate_command_queue{false};
};

// docs/guide/pipeline.md says which are needed.
struct PipelineMemory {
    std::optional<MemoryConfig> dram_input;   // for arriving inputs
    std::optional<MemoryConfig> l1_input;     // for the model's input
    std::optional<MemoryConfig> dram_output;  // for leaving outputs
    std::optional<MemoryConfig> l1_output;    // for the first copy of the model's output
};

// Enqueues the model's operations on queue 0, and gives its output tensors, all on the device. It may deallocate its
// input.
using Outputs = std::vector<Tensor>;
using Model = std::function<Outputs(const Tensor&)>;

// Makes host tensors from a model's outputs. The i-th call since the last pop belongs to the i-th slot, if there are
// slots.
class Delivery {
  public:
    void allocate_slots(std::size_t count, const std::vector<tensor::TensorSpec>& specs);
    [[nodiscard]] std::optional<std::size_t> free_slots() const;
    void deliver(const Outputs& outputs, std::uint32_t queue);
    [[nodiscard]] std::size_t pending() const noexcept { return delivered_.size(); }
    [[nodiscard]] std::vector<Outputs> take();
    void clear();

  private:
    std::optional<std::vector<Outputs>> slots_;
    std::vector<Outputs> delivered_;
};

// One way of running a model. Inputs have been checked.
class Executor {
  public:
    Executor() = default;
    virtual ~Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    // Runs the model once, and captures it if there is a trace. Returns the specifications of the model's outputs.
    [[nodiscard]] virtual std::vector<tensor::TensorSpec> compile(const Tensor& sample) = 0;
    virtual void execute(const std::vector<Tensor>& inputs, Delivery& delivery) = 0;
    [[nodiscard]] virtual std::size_t least_inputs() const noexcept { return 1U; }
};

class Pipeline {
  public:
    Pipeline(AnyDevice device, std::function<std::unique_ptr<Executor>()> make_executor);

    // `sample` is an input like those to come. A second call starts anew.
    void compile(const Tensor& sample);
    // From now on outputs are delivered into these tensors, whose data each enqueue() replaces. 0: into new ones again.
    void preallocate_output_tensors_on_host(std::size_t count);
    // Returns as soon as everything is enqueued. May be called several times before a pop_all().
    Pipeline& enqueue(const std::vector<Tensor>& inputs);
    // Waits for the device. One entry per input, in order.
    [[nodiscard]] std::vector<Outputs> pop_all();
    // Waits for the device, and releases everything: traces, tensors, outputs that were not popped.
    void cleanup();

  private:
    void require_compiled(const char* what) const;
    void check_input(const Tensor& input, const char* what, std::size_t index) const;

    AnyDevice device_;
    std::function<std::unique_ptr<Executor>()> make_executor_;
    std::unique_ptr<Executor> executor_;
    std::vector<tensor::TensorSpec> outputs_;
    std::optional<tensor::TensorSpec> input_;
    Delivery delivery_;
};

[[nodiscard]] std::unique_ptr<Pipeline> create_pipeline(const PipelineConfig& config, const Model& model,
                                                        const AnyDevice& device, const PipelineMemory& memory);

}  // namespace pianola::pipeline
