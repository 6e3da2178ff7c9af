// Complaints: what is printed if a command fails.
//
// Every error of the program goes through here, so that each says what is wrong, where, why, and what to do, on
// standard error; with --json also as an object on standard output.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <CLI/Error.hpp>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "capture_host/cli/cli.h"
#include "pianola/rule.h"

namespace pianola::cli {

struct Complaint {
    ExitCode code{kInternalError};
    std::string message;
    std::string remedy;
    nlohmann::json facts;  // members that --json shows besides `error`
};

// The complaint about CliError, FileError or SigningError; any other exception is a defect of Pianola.
[[nodiscard]] Complaint complaint_of(const std::exception& error);
// The complaint about a command line that the parser refuses.
[[nodiscard]] Complaint complaint_of(const CLI::App& app, const CLI::ParseError& error);

// {"code", "kind", "message", "remedy"}.
[[nodiscard]] nlohmann::json error_to_json(const Complaint& complaint);
// To standard error.
void print_complaint(const Complaint& complaint);

}  // namespace pianola::cli
