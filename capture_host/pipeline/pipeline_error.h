// PipelineError: how the pipeline says no.
//
// Place in the whole: the exception of capture_host/pipeline; what lies below throws TensorError and host::HostError.
// what() begins with the id of the broken rule. Host only.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace pianola::pipeline {

enum class PipelineRule : std::uint32_t {
    kUnspecified = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_PIPELINE_RULE(name, id, text) name,
#include "capture_host/pipeline/pipeline_rules.inc"
#undef PIANOLA_PIPELINE_RULE
};

class PipelineError : public std::runtime_error {
  public:
    PipelineError(PipelineRule rule, const std::string& message);

    [[nodiscard]] PipelineRule rule() const noexcept { return rule_; }
    [[nodiscard]] const char* rule_id() const noexcept;

  private:
    PipelineRule rule_;
};

}  // namespace pianola::pipeline
