#include "capture_host/tensor/tensor_error.h"

namespace pianola::tensor {
namespace {

[[nodiscard]] const char* id_of(TensorRule rule) noexcept {
    switch (rule) {
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_TENSOR_RULE(name, id, text) \
    case TensorRule::name:                  \
        return id;
#include "capture_host/tensor/tensor_rules.inc"
#undef PIANOLA_TENSOR_RULE
        case TensorRule::kUnspecified:
            break;
    }
    return "TENSOR-UNSPECIFIED";
}

}  // namespace

TensorError::TensorError(TensorRule rule, const std::string& message)
    : std::runtime_error{std::string{id_of(rule)} + ": " + message}, rule_{rule} {}

const char* TensorError::rule_id() const noexcept {
    return id_of(rule_);
}

}  // namespace pianola::tensor
