#include "capture_host/pipeline/pipeline_error.h"

namespace pianola::pipeline {
namespace {

[[nodiscard]] const char* id_of(PipelineRule rule) noexcept {
    switch (rule) {
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_PIPELINE_RULE(name, id, text) \
    case PipelineRule::name:                  \
        return id;
#include "capture_host/pipeline/pipeline_rules.inc"
#undef PIANOLA_PIPELINE_RULE
        case PipelineRule::kUnspecified:
            break;
    }
    return "PIPELINE-UNSPECIFIED";
}

}  // namespace

PipelineError::PipelineError(PipelineRule rule, const std::string& message)
    : std::runtime_error{std::string{id_of(rule)} + ": " + message}, rule_{rule} {}

const char* PipelineError::rule_id() const noexcept {
    return id_of(rule_);
}

}  // namespace pianola::pipeline
