// What `pianola capture` says of operators: which ones there are, and which ones of a model are in the way.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "capture_host/tflite/model/import_error.h"

namespace pianola::cli {

// To standard output.
void print_operators(bool as_json);

// One line per finding, each with the model's name; and as JSON.
[[nodiscard]] std::string describe_findings(const std::string& model, const tflite::ImportError& error);
[[nodiscard]] nlohmann::json findings_to_json(const std::string& model, const tflite::ImportError& error);

}  // namespace pianola::cli
