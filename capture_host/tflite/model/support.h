// Support: the importer's operators, with their types and limits.
//
// `pianola capture --list-operators` prints it, and docs/reference/operators.md is made from it. Tests compare it with
// the importer's table and with what is captured.
#pragma once

#include <cstdint>
#include <string>

#include "pianola/span.h"

namespace pianola::tflite {

struct OperatorSupport {
    std::int32_t code{0};
    std::int32_t highest_version{1};  // versions from 1 to this one are captured
    const char* types{""};            // of the operand that is computed with or moved, separated by ", "
    const char* limits{""};           // beyond those of the format; may be empty
    bool is_in_reference{true};       // TensorFlow Lite Micro has a kernel for it
};

// In the order of their numbers in the format.
[[nodiscard]] Span<const OperatorSupport> supported_operators();

// nullptr if the importer does not have the operator.
[[nodiscard]] const OperatorSupport* find_support(std::int32_t code);

// Why an operator's version is refused; empty if it is captured.
[[nodiscard]] std::string version_refusal(const OperatorSupport& support, std::int32_t version);

// Operators for which TensorFlow Lite Micro has floating-point kernels only: there is no integer result that a binary
// could match, and the importer refuses them.
[[nodiscard]] Span<const std::int32_t> float_only_operators();

}  // namespace pianola::tflite
