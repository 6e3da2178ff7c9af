// Operators: the importer's TensorFlow Lite operators, with their types, limits and lowerings.
//
// operators.inc is the only list of them. import.cpp calls its lowerings in the model's order, `pianola capture
// --list-operators` prints it, and docs/reference/operators.md is made from it. Tests capture a model of each row.
#pragma once

#include <cstdint>
#include <string>

#include "pianola/span.h"

namespace pianola::tflite {

class OperatorContext;

// Records launches that compute the operator exactly, or throws an ImportError that says why it cannot.
using Lowering = void (*)(OperatorContext& context);

enum class OperatorStatus : std::uint8_t {
    kInReference,     // TensorFlow Lite Micro has a kernel for it
    kAlias,           // the same, and the output is the input's buffer: the lowering only checks
    kNotInReference,  // TensorFlow Lite Micro has no kernel for it
};

struct ImportedOperator {
    std::int32_t code{0};
    Lowering lower{nullptr};
    std::int32_t highest_version{0};  // versions from 1 to this one are captured
    const char* types{nullptr};       // of the operand that is computed with or moved, separated by ", "
    OperatorStatus status{OperatorStatus::kInReference};
    const char* limits{nullptr};  // beyond those of the format; may be empty
};

// In the order of their numbers in the format.
[[nodiscard]] Span<const ImportedOperator> imported_operators();

// nullptr if the importer does not have the operator.
[[nodiscard]] const ImportedOperator* find_imported(std::int32_t code);

// Why an operator's version is refused; empty if it is captured.
[[nodiscard]] std::string version_refusal(const ImportedOperator& imported, std::int32_t version);

// Operators for which TensorFlow Lite Micro has floating-point kernels only: there is no integer result that a binary
// could match, and the importer refuses them.
[[nodiscard]] Span<const std::int32_t> float_only_operators();

// The lowerings, in the files of this folder.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_OPERATOR(code, lower, version, types, status, limits) void lower(OperatorContext& context);
#include "capture_host/tflite/operators/operators.inc"
#undef PIANOLA_OPERATOR

}  // namespace pianola::tflite
