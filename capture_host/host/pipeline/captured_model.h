// CapturedModel: a model in a trace, with the tensors at whose addresses it was captured.
//
// What the traced executors execute. The trace is released with the object.
#pragma once

#include <functional>
#include <optional>

#include "capture_host/host/pipeline/executors.h"

namespace pianola::pipeline {

class CapturedModel {
  public:
    // Captures `body` on queue 0. What it throws ends the capture, and goes on.
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

// A model with its input in L1 at a fixed place, whether or not the model deallocates it.
struct PersistentInput {
    std::optional<Tensor> input;
    std::unique_ptr<CapturedModel> captured;
};

// Captures `run(input)`, and then `finish` of what it gives. A model that has deallocated its input gets it back at the
// same address in between: throws PIPELINE-INPUT-ADDRESS where something else lies there then.
using Finish = std::function<Outputs(const Outputs&)>;
[[nodiscard]] PersistentInput capture_with_input(const AnyDevice& device, const Tensor& input, const Model& run,
                                                 const Finish& finish = {});

}  // namespace pianola::pipeline
