// PipelineError: refusals of the pipeline.
//
// The exception of capture_host/host/pipeline; lower layers throw TensorError and host::HostError. what() begins with
// the id of the broken rule.
#pragma once

#include <array>
#include <cstdint>

#include "pianola_host/rule_error.h"

namespace pianola::pipeline {

enum class PipelineRule : std::uint32_t {
    kUnspecified = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_PIPELINE_RULE(name, id, text) name,
#include "pianola_host/pipeline_rules.inc"
#undef PIANOLA_PIPELINE_RULE
};

[[nodiscard]] inline const char* id_of(PipelineRule rule) {
    static constexpr std::array kIds{
        "PIPELINE-UNSPECIFIED",
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_PIPELINE_RULE(name, id, text) id,
#include "pianola_host/pipeline_rules.inc"
#undef PIANOLA_PIPELINE_RULE
    };
    return kIds.at(static_cast<std::uint32_t>(rule));
}

using PipelineError = host::Refusal<PipelineRule>;

}  // namespace pianola::pipeline
