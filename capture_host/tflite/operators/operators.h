// Operators: which TensorFlow Lite operators the importer has, of which types, within which limits, and how each one is
// lowered.
//
// operators.inc is the one table: import.cpp lowers by it, `pianola capture --list-operators` prints it, and
// docs/reference/operators.md is made from that. Tests capture a model of each row.
#pragma once

#include <cstdint>
#include <string>

#include "pianola/span.h"

namespace pianola::tflite {

class OperatorContext;

// Records what computes the operator exactly, or throws the ImportError that says why it cannot.
using Lowering = void (*)(OperatorContext& context);

enum class OperatorStatus : std::uint8_t {
    kInReference,     // TensorFlow Lite Micro has a kernel of it
    kAlias,           // it has; the output is the input's buffer, so that the lowering only checks
    kNotInReference,  // it has no kernel of it
};

struct ImportedOperator {
    std::int32_t code{0};
    Lowering lower{nullptr};
    std::int32_t highest_version{0};  // versions from 1 to this one are captured
    const char* types{nullptr};       // of the operand that is computed with or moved, separated by ", "
    OperatorStatus status{OperatorStatus::kInReference};
    const char* limits{nullptr};  // beyond what the format itself demands; may be empty
};

// In the order of their numbers in the format.
[[nodiscard]] Span<const ImportedOperator> imported_operators();

// nullptr: the importer does not have the operator.
[[nodiscard]] const ImportedOperator* find_imported(std::int32_t code);

// Why an operator's version is refused; empty where it is one of those that are captured.
[[nodiscard]] std::string version_refusal(const ImportedOperator& imported, std::int32_t version);

// Operators of which TensorFlow Lite Micro has kernels for numbers in floating point alone: there is no result of
// integers that a binary could match, and the importer refuses them.
[[nodiscard]] Span<const std::int32_t> float_only_operators();

// The lowerings, each in a file of this folder.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_OPERATOR(code, lower, version, types, status, limits) void lower(OperatorContext& context);
#include "capture_host/tflite/operators/operators.inc"
#undef PIANOLA_OPERATOR

}  // namespace pianola::tflite
