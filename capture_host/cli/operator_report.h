// What `pianola capture` reports about operators: which are imported, and which of a model are not supported.
#pragma once

#include <string>

#include "capture_host/cli/cli.h"
#include "capture_host/tflite/model/import_error.h"

namespace pianola::cli {

// To standard output.
void print_operators(bool as_json);

// A line for each finding, with the model's name; JSON has them as `unsupported`.
[[nodiscard]] CliError unsupported(const std::string& model, const tflite::ImportError& error);

}  // namespace pianola::cli
