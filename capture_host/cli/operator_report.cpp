#include "capture_host/cli/operator_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/tflite/model/reader.h"
#include "capture_host/tflite/operators/operators.h"

namespace pianola::cli {
namespace {

nlohmann::json types_of(const tflite::ImportedOperator& imported) {
    constexpr std::string_view kSeparator{", "};
    nlohmann::json types = nlohmann::json::array();
    std::string_view rest{imported.types};
    while (!rest.empty()) {
        const std::size_t length = std::min(rest.find(kSeparator), rest.size());
        types.push_back(rest.substr(0U, length));
        rest.remove_prefix(std::min(length + kSeparator.size(), rest.size()));
    }
    return types;
}

}  // namespace

void print_operators(bool as_json) {
    nlohmann::json list = nlohmann::json::array();
    std::string text;
    for (const tflite::ImportedOperator& imported : tflite::imported_operators()) {
        const nlohmann::json& each = list.emplace_back(
            nlohmann::json{{"operator", tflite::operator_name(imported.code)},
                           {"types", types_of(imported)},
                           {"limits", imported.limits},
                           {"highest_version", imported.highest_version},
                           {"in_tflite_micro", imported.status != tflite::OperatorStatus::kNotInReference}});
        text += fill("{operator:<28} version {highest_version:<2} {types}", each) +
                (each.at("limits").get<std::string>().empty() ? "" : fill("; {limits}", each)) +
                (each.at("in_tflite_micro").get<bool>() ? "\n" : "; not in TensorFlow Lite Micro\n");
    }
    const nlohmann::json document{
        {"operators", list}, {"refused_float_only", json_list(tflite::float_only_operators(), tflite::operator_name)}};
    print_result(
        as_json, document,
        text + fill("refused, as TensorFlow Lite Micro computes them in float only: {refused_float_only}\n", document));
}

namespace {

// One line for each finding, with the model's name.
std::string describe_findings(const std::string& model, const tflite::ImportError& error) {
    std::string text;
    for (const tflite::Finding& finding : error.findings()) {
        const bool names_tensor = !finding.tensor.empty() && (finding.missing.find('\'') == std::string::npos);
        const std::string tensor = names_tensor ? fmt::format(", tensor '{}'", finding.tensor) : std::string{};
        text += (text.empty() ? "" : "\npianola: ") +
                files::readable(fmt::format("{}: {}{}", model, finding.text(), tensor));
    }
    return text;
}

nlohmann::json findings_to_json(const std::string& model, const tflite::ImportError& error) {
    const auto text_or_null = [](const std::string& text) {
        return text.empty() ? nlohmann::json{} : nlohmann::json(text);
    };
    nlohmann::json list = nlohmann::json::array();
    for (const tflite::Finding& finding : error.findings()) {
        list.push_back(
            {{"operator", text_or_null(finding.operator_name)},
             {"index", finding.operator_index.has_value() ? nlohmann::json(*finding.operator_index) : nlohmann::json{}},
             {"tensor", text_or_null(finding.tensor)},
             {"reason", finding.missing}});
    }
    return {{"model", model}, {"unsupported", list}};
}

}  // namespace

CliError unsupported(const std::string& model, const tflite::ImportError& error) {
    return {kUnsupportedModel, describe_findings(model, error), {}, findings_to_json(model, error)};
}

}  // namespace pianola::cli
