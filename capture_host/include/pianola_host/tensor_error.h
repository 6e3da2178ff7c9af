// TensorError: refusals of tensors and operations.
//
// The exception of capture_host/host/tensor; lower layers throw host::HostError. what() begins with the id of the
// broken rule. Nothing was enqueued by the call that throws it.
#pragma once

#include <array>
#include <cstdint>

#include "pianola_host/rule_error.h"

namespace pianola::tensor {

enum class TensorRule : std::uint32_t {
    kUnspecified = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_TENSOR_RULE(name, id, text) name,
#include "pianola_host/tensor_rules.inc"
#undef PIANOLA_TENSOR_RULE
};

[[nodiscard]] inline const char* id_of(TensorRule rule) {
    static constexpr std::array kIds{
        "TENSOR-UNSPECIFIED",
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_TENSOR_RULE(name, id, text) id,
#include "pianola_host/tensor_rules.inc"
#undef PIANOLA_TENSOR_RULE
    };
    return kIds.at(static_cast<std::uint32_t>(rule));
}

using TensorError = host::Refusal<TensorRule>;

}  // namespace pianola::tensor
