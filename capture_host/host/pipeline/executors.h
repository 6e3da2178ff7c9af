// The five executors. Only create_pipeline() makes them.
#pragma once

#include <memory>
#include <optional>

#include "pianola_host/pipeline.h"

namespace pianola::pipeline {

// What every executor is made from. Memory configurations have been checked.
struct Parts {
    Model model;
    AnyDevice device;
    // Those that the executor needs; the others are left as they are made.
    MemoryConfig dram_input;
    MemoryConfig l1_input;
    MemoryConfig dram_output;
    std::optional<MemoryConfig> l1_output;
};

[[nodiscard]] std::unique_ptr<Executor> make_eager(const Parts& parts);
[[nodiscard]] std::unique_ptr<Executor> make_traced(const Parts& parts);
[[nodiscard]] std::unique_ptr<Executor> make_separate_writes(const Parts& parts);
[[nodiscard]] std::unique_ptr<Executor> make_traced_separate_writes(const Parts& parts);
[[nodiscard]] std::unique_ptr<Executor> make_separate_transfers(const Parts& parts);

// Runs the model and checks what it gives: throws PIPELINE-OUTPUT.
[[nodiscard]] Outputs run_model(const Parts& parts, const Tensor& input);
[[nodiscard]] std::vector<tensor::TensorSpec> specs_of(const Outputs& outputs);

}  // namespace pianola::pipeline
