// Support: which operators the importer has, of which types, within which limits.
//
// What `pianola capture --list-operators` prints, and what docs/reference/operators.md is made from. Tests hold it to
// the importer's table and to what is captured.
#pragma once

#include <cstdint>
#include <string>

#include "pianola/span.h"

namespace pianola::tflite {

struct OperatorSupport {
    std::int32_t code{0};
    std::int32_t highest_version{1};  // versions from 1 to this one are captured
    const char* types{""};            // of the operand that is computed with or moved, separated by ", "
    const char* limits{""};           // beyond what the format itself demands; may be empty
    bool is_in_reference{true};       // TensorFlow Lite Micro has a kernel of it
};

// In the order of their numbers in the format.
[[nodiscard]] Span<const OperatorSupport> supported_operators();

// nullptr: the importer does not have the operator.
[[nodiscard]] const OperatorSupport* find_support(std::int32_t code);

// Why an operator's version is refused; empty where it is one of those that are captured.
[[nodiscard]] std::string version_refusal(const OperatorSupport& support, std::int32_t version);

// Operators of which TensorFlow Lite Micro has kernels for numbers in floating point alone: there is no result of
// integers that a binary could match, and the importer refuses them.
[[nodiscard]] Span<const std::int32_t> float_only_operators();

}  // namespace pianola::tflite
