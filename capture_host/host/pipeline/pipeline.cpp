#include "pianola_host/pipeline.h"

#include <fmt/format.h>

#include <utility>

#include "capture_host/base/interrupt.h"
#include "capture_host/host/pipeline/executors.h"
#include "pianola_host/pipeline_error.h"

namespace pianola::pipeline {
namespace {

void require_memory(const std::optional<MemoryConfig>& config, host::Memory memory, const char* name) {
    if (!config.has_value()) {
        throw PipelineError{PipelineRule::kMemoryConfig,
                            fmt::format("this executor needs {}; docs/guide/pipeline.md has the table", name)};
    }
    if (config->memory != memory) {
        throw PipelineError{PipelineRule::kMemoryConfig,
                            fmt::format("{} is {}, which is the other memory", name, tensor::to_string(*config))};
    }
}

void check_config(const PipelineConfig& config, const AnyDevice& device, const PipelineMemory& memory) {
    const std::uint32_t queues = call_on(device, [](const auto& each) { return each.options().num_command_queues; });
    if ((config.num_command_queues != 1U) && (config.num_command_queues != 2U)) {
        throw PipelineError{PipelineRule::kQueues,
                            fmt::format("a pipeline has 1 or 2 command queues, not {}", config.num_command_queues)};
    }
    if (config.num_command_queues > queues) {
        throw PipelineError{
            PipelineRule::kQueues,
            fmt::format("the pipeline needs {} command queues, and the device was opened with {}: open it "
                        "with num_command_queues={}",
                        config.num_command_queues, queues, config.num_command_queues)};
    }
    if (config.all_transfers_on_separate_command_queue) {
        if (config.num_command_queues != 2U) {
            throw PipelineError{PipelineRule::kSeparateQueue,
                                "transfers on a queue of their own need num_command_queues=2, not 1"};
        }
        if (!config.use_trace) {
            throw PipelineError{
                PipelineRule::kIoWithoutTrace,
                "transfers on a queue of their own need use_trace; without a trace only writes can have "
                "their own queue"};
        }
        require_memory(memory.dram_output, host::Memory::kDram, "dram_output_memory_config");
        if (memory.l1_output.has_value()) {
            require_memory(memory.l1_output, host::Memory::kL1, "l1_output_memory_config");
        }
    }
    require_memory(memory.l1_input, host::Memory::kL1, "l1_input_memory_config");
    if (config.use_trace || (config.num_command_queues == 2U)) {
        require_memory(memory.dram_input, host::Memory::kDram, "dram_input_memory_config");
    }
}

// Waits for the device; one that has failed or was closed is idle.
void wait_for(const AnyDevice& device) noexcept {
    const interrupt::Hold hold;
    try {
        call_on(device, [](auto& each) { each.synchronize(); });
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace

void Delivery::allocate_slots(std::size_t count, const std::vector<tensor::TensorSpec>& specs) {
    if (!delivered_.empty()) {
        throw PipelineError{
            PipelineRule::kPending,
            fmt::format("{} outputs have not been popped yet; call pop_all() first", delivered_.size())};
    }
    slots_.reset();
    if (count == 0U) {
        return;
    }
    std::vector<Outputs> slots;
    for (std::size_t i = 0U; i < count; ++i) {
        Outputs slot;
        for (const tensor::TensorSpec& spec : specs) {
            slot.push_back(Tensor::on_host(spec, std::vector<std::uint8_t>(tensor::size_bytes(spec))));
        }
        slots.push_back(std::move(slot));
    }
    slots_ = std::move(slots);
}

std::optional<std::size_t> Delivery::free_slots() const {
    return slots_.has_value() ? std::optional<std::size_t>{slots_->size() - delivered_.size()} : std::nullopt;
}

void Delivery::deliver(const Outputs& outputs, std::uint32_t queue) {
    Outputs delivered;
    if (slots_.has_value()) {
        delivered = slots_->at(delivered_.size());
        for (std::size_t i = 0U; i < outputs.size(); ++i) {
            delivered.at(i).read_from(outputs[i], queue);
        }
    } else {
        for (const Tensor& output : outputs) {
            delivered.push_back(output.cpu(false, queue));
        }
    }
    delivered_.push_back(std::move(delivered));
    interrupt::check();
}

std::vector<Outputs> Delivery::take() {
    return std::exchange(delivered_, {});
}

void Delivery::clear() {
    slots_.reset();
    delivered_.clear();
}

Pipeline::Pipeline(AnyDevice device, std::function<std::unique_ptr<Executor>()> make_executor)
    : device_{std::move(device)}, make_executor_{std::move(make_executor)} {}

void Pipeline::check_input(const Tensor& input, const char* what, std::size_t index) const {
    if (input.is_on_device()) {
        throw PipelineError{PipelineRule::kInputHost,
                            fmt::format("{} {} lies on a device; the pipeline brings inputs there "
                                        "itself, so give it host tensors",
                                        what, index)};
    }
    if (input_.has_value() && ((input.shape() != input_->shape) || (input.type() != input_->type))) {
        throw PipelineError{PipelineRule::kInputSpec,
                            fmt::format("{} {} is {} of {}, and the pipeline was compiled for {} of {}", what, index,
                                        tensor::to_string(input.shape()), tensor::type_name(input.type()),
                                        tensor::to_string(input_->shape), tensor::type_name(input_->type))};
    }
}

void Pipeline::require_compiled(const char* what) const {
    if (executor_ == nullptr) {
        throw PipelineError{PipelineRule::kNotCompiled,
                            fmt::format("call compile() with a sample input before {}", what)};
    }
}

void Pipeline::compile(const Tensor& sample) {
    cleanup();
    check_input(sample, "sample", 0U);
    std::unique_ptr<Executor> executor = make_executor_();
    try {
        outputs_ = executor->compile(sample);
    } catch (...) {
        wait_for(device_);  // enqueued work uses the executor's memory
        throw;
    }
    input_ = tensor::TensorSpec{sample.shape(), sample.type(), {}, sample.layout()};
    executor_ = std::move(executor);
}

void Pipeline::preallocate_output_tensors_on_host(std::size_t count) {
    require_compiled("preallocating outputs");
    delivery_.allocate_slots(count, outputs_);
}

Pipeline& Pipeline::enqueue(const std::vector<Tensor>& inputs) {
    require_compiled("enqueue()");
    for (std::size_t i = 0U; i < inputs.size(); ++i) {
        check_input(inputs[i], "input", i);
    }
    if (inputs.size() < executor_->least_inputs()) {
        // An empty list asks for nothing of the executors that take single inputs.
        if (executor_->least_inputs() == 1U) {
            return *this;
        }
        throw PipelineError{
            PipelineRule::kTwoInputs,
            fmt::format("with transfers on a queue of their own enqueue() needs {} inputs or more, and was "
                        "given {}",
                        executor_->least_inputs(), inputs.size())};
    }
    const std::optional<std::size_t> free = delivery_.free_slots();
    if (free.has_value() && (inputs.size() > *free)) {
        throw PipelineError{PipelineRule::kSlots,
                            fmt::format("{} inputs need as many outputs, and {} of the preallocated ones are free: "
                                        "preallocate more, or pop_all() first",
                                        inputs.size(), *free)};
    }
    executor_->execute(inputs, delivery_);
    return *this;
}

std::vector<Outputs> Pipeline::pop_all() {
    require_compiled("pop_all()");
    call_on(device_, [](auto& each) { each.synchronize(); });
    return delivery_.take();
}

void Pipeline::cleanup() {
    if (executor_ != nullptr) {
        call_on(device_, [](auto& each) {
            if (each.is_open()) {
                each.synchronize();
            }
        });
    }
    executor_.reset();
    delivery_.clear();
    outputs_.clear();
    input_.reset();
}

std::unique_ptr<Pipeline> create_pipeline(const PipelineConfig& config, const Model& model, const AnyDevice& device,
                                          const PipelineMemory& memory) {
    check_config(config, device, memory);
    const Parts parts{model,
                      device,
                      memory.dram_input.value_or(MemoryConfig{}),
                      memory.l1_input.value_or(MemoryConfig{}),
                      memory.dram_output.value_or(MemoryConfig{}),
                      memory.l1_output};
    return std::make_unique<Pipeline>(device, [config, parts] { return make_executor(config, parts); });
}

}  // namespace pianola::pipeline
