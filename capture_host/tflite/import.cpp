#include "capture_host/tflite/import.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "capture_host/tflite/model/graph.h"
#include "capture_host/tflite/model/outside_buffers.h"
#include "capture_host/tflite/model/reader.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/operators.h"

namespace pianola::tflite {
namespace {

bool is_alias(const Operator& op) {
    const ImportedOperator* const imported = find_imported(op.code);
    return (imported != nullptr) && (imported->status == OperatorStatus::kAlias);
}

bool is_float_only(std::int32_t code) {
    const Span<const std::int32_t> codes = float_only_operators();
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// The tensor that identifies an operator if none of its operands is to blame.
std::string first_output(const Model& model, const Operator& op) {
    const bool is_there =
        !op.outputs.empty() && (static_cast<std::uint32_t>(op.outputs.front()) < model.tensors.size());
    return is_there ? model.tensors[static_cast<std::uint32_t>(op.outputs.front())].name : std::string{};
}

// Why an operator is refused without a check; empty if it is checked.
std::string refusal_of(const Operator& op) {
    const ImportedOperator* const imported = find_imported(op.code);
    if (imported == nullptr) {
        return is_float_only(op.code) ? "not supported; TensorFlow Lite Micro computes it in float only"
                                      : "not supported";
    }
    std::string version = version_refusal(*imported, op.version);
    if (!version.empty()) {
        return version;
    }
    return outside_options_defect(*op.stored);
}

std::vector<Finding> unknown_operators(const Model& model) {
    std::vector<Finding> findings;
    for (std::uint32_t i = 0U; i < model.operators.size(); ++i) {
        const Operator& op = model.operators[i];
        const std::string refusal = refusal_of(op);
        if (!refusal.empty()) {
            findings.push_back({i, op.name, first_output(model, op), refusal});
        }
    }
    return findings;
}

bool has_finding(const std::vector<Finding>& findings, std::uint32_t operator_index) {
    return std::any_of(findings.begin(), findings.end(),
                       [operator_index](const Finding& finding) { return finding.operator_index == operator_index; });
}

// For an unknown operator nothing else is reported.
void add_new(const std::vector<Finding>& more, std::vector<Finding>& findings) {
    const std::vector<Finding> known = findings;
    for (const Finding& finding : more) {
        if (!finding.operator_index.has_value() || !has_finding(known, *finding.operator_index)) {
            findings.push_back(finding);
        }
    }
}

// Continues after an operator that it cannot lower, so that all of them are found.
void lower_operators(const Model& model, Graph& graph, capture::Recorder& recorder, std::vector<Finding>& findings) {
    std::uint64_t table_bytes = 0U;
    for (std::uint32_t i = 0U; i < model.operators.size(); ++i) {
        const Operator& op = model.operators[i];
        const ImportedOperator* const imported = find_imported(op.code);
        if (has_finding(findings, i) || (imported == nullptr) || !graph.is_sound(i)) {
            continue;
        }
        OperatorContext context{model, i, graph, recorder, table_bytes};
        try {
            imported->lower(context);
        } catch (const ImportError& error) {
            const std::string& tensor = error.findings().front().tensor;
            findings.push_back({i, op.name, tensor.empty() ? first_output(model, op) : tensor, error.missing()});
        }
    }
}

}  // namespace

void import_model(Span<const std::uint8_t> file, const std::string& name, const std::array<std::uint8_t, 32>& sha256,
                  capture::Recorder& recorder) {
    const Model model = read_model(file);
    std::vector<Finding> findings = unknown_operators(model);
    Graph graph{model, is_alias, recorder};
    add_new(graph.findings(), findings);
    lower_operators(model, graph, recorder, findings);
    if (!findings.empty()) {
        // A multimap keeps equal keys in the order they came in.
        std::multimap<std::uint32_t, Finding> by_operator;
        for (const Finding& finding : findings) {
            by_operator.emplace(finding.operator_index.value_or(UINT32_MAX), finding);
        }
        findings.clear();
        for (const auto& [operator_index, finding] : by_operator) {
            findings.push_back(finding);
        }
        throw ImportError{findings};
    }
    graph.record_output_copies();
    recorder.set_source(name, sha256);
}

}  // namespace pianola::tflite
