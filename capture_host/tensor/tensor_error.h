// TensorError: how tensors and operations say no.
//
// Place in the whole: the exception of capture_host/tensor; what lies below throws host::HostError. what() begins with
// the id of the broken rule. Nothing was enqueued by the call that throws it. Host only.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace pianola::tensor {

enum class TensorRule : std::uint32_t {
    kUnspecified = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_TENSOR_RULE(name, id, text) name,
#include "capture_host/tensor/tensor_rules.inc"
#undef PIANOLA_TENSOR_RULE
};

class TensorError : public std::runtime_error {
  public:
    TensorError(TensorRule rule, const std::string& message);

    [[nodiscard]] TensorRule rule() const noexcept { return rule_; }
    [[nodiscard]] const char* rule_id() const noexcept;

  private:
    TensorRule rule_;
};

}  // namespace pianola::tensor
