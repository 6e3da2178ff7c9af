// The options of sub-commands: parsers, and what the text of an option stands for.
//
// Only what adds options to a parser includes this, because CLI11 takes seconds to compile.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "capture_host/cli/cli.h"
#include "pianola_host/host_cost.h"

namespace pianola::cli {

// Adds a sub-command. Returns its parser and the arguments that its options set, which live as long as the parser. The
// action calls act(arguments).
template <typename Arguments>
std::pair<CLI::App*, Arguments*> add_command(CLI::App& app, Action& action, const char* name, const char* description,
                                             int (*act)(const Arguments&)) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* const command = app.add_subcommand(name, description);
    command->callback([arguments, &action, act] { action = [arguments, act] { return act(*arguments); }; });
    return {command, arguments.get()};
}

inline constexpr std::uint32_t kMostJobs = 256U;  // of --jobs

// Options for numbers, which --help shows with their defaults, and for files (kReads, ...) or other text.
template <typename Number>
CLI::Option* add_number(CLI::App& command, const char* name, Number& number, Number lowest, Number highest,
                        const char* description) {
    return command.add_option(name, number, description)->check(CLI::Range(lowest, highest))->capture_default_str();
}
template <typename Text>
CLI::Option* add_text(CLI::App& command, const char* name, Text& text, const char* type, const char* description) {
    return command.add_option(name, text, description)->type_name(type);
}

// --dispatch-ns and --replay-ns: the host's part of a step, for `timeline` and `perf`.
void add_host_cost_options(CLI::App& command, HostCost& cost);

// --symbol: a C identifier; symbol_for() gives the default.
CLI::Option* add_symbol_option(CLI::App& command, std::string& symbol, const std::string& description);
// A C identifier for a file: its base name without the suffix, every other character as '_', and "binary_" before it
// if it would not start with a letter. "models/road-signs.ptb" is "road_signs".
[[nodiscard]] std::string symbol_for(const std::string& file_name);

// --language: `usual`, the default, or c99, for applications that use the C API.
void add_language_option(CLI::App& command, std::string& language, const char* usual, const std::string& description);

// Writes to a file, or to standard output if the name is empty.
void write_result(const std::string& file_name, const std::string& contents);

// The type of an option's or argument's text, for --help and for check_values(). A test fails for any other type.
inline constexpr const char* kReads = "FILE";            // the command reads it
inline constexpr const char* kReadsJson = "JSON";        // the same, and it is JSON
inline constexpr const char* kRuns = "PROGRAM";          // a file to read as well, unless it is found in the PATH
inline constexpr const char* kReadsMany = "FILES";       // kReads, or "-", a folder, or "@" and a list (file_list.h)
inline constexpr const char* kWrites = "OUT";            // a file, or a folder for files
inline constexpr const char* kWritesAs = "FORM=OUT";     // a file, and in which form
inline constexpr const char* kSaysName = "NAME";         // text of a form that the parser checks
inline constexpr const char* kSaysValue = "NAME=VALUE";  // a name and a number
inline constexpr const char* kSaysAnything = "ARG";      // text for another program

// What is wrong with a value that must be a finite number; empty if nothing is. CLI::Range accepts NaN.
[[nodiscard]] std::string complaint_of_no_number(const std::string& text);

// What is wrong with a value that is a number or a size as 16M, or that has numbers in it: I/N, NAME=VALUE, vulkan:N.
// Empty if nothing is.
[[nodiscard]] std::string complaint_of_zeros(const std::string& value);

}  // namespace pianola::cli
