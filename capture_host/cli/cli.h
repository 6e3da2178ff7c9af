// The command line: what its sub-commands share.
//
// Every sub-command is a file with one function, which returns an exit code or throws CliError; run_pianola() is the
// whole program except main(), so that a test can call it in its own process. Results go to standard output, progress
// and complaints to standard error.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/base/text.h"
#include "capture_host/binary/names.h"
#include "pianola/device.h"
#include "pianola/fault.h"
#include "pianola/image.h"
#include "pianola/plan.h"
#include "pianola/verdict.h"
#include "pianola_host/files.h"
#include "pianola_host/targets.h"

namespace pianola::cli {

using files::path_text;
using files::to_hex;

// Stable: scripts rely on them. docs/reference/cli.md and --help list them.
enum ExitCode : int {
    kDone = 0,
    kDifferentBinaries = 1,  // `diff`: as every program of that name
    kDoesNotFit = 1,         // `size --ftti-us`: a fault is not handled in time
    kUsage = 2,              // the command line, or a device description, is wrong
    kRefused = 3,            // the validator refuses the binary
    kReplayFault = 4,        // a fault while replaying
    kUnsupportedModel = 5,   // not a model, not a supported one, or one that does not fit the device
    kFileTrouble = 6,        // a file cannot be read or written, or is not of the expected kind
    kDifferent = 7,          // what was compared is not equal, or a mutant is not refused as it must be
    kInternalError = 70,     // a defect in Pianola; sysexits.h calls it EX_SOFTWARE
};

// Ends the sub-command with an exit code and a message: what is wrong, where, why, and what to do about it.
class CliError : public std::runtime_error {
  public:
    // An empty remedy stands for the usual one of the code (complaint.h). facts: members that --json shows with the
    // error.
    CliError(ExitCode code, const std::string& message, std::string remedy = {}, nlohmann::json facts = {})
        : std::runtime_error{message}, code_{code}, remedy_{std::move(remedy)}, facts_(std::move(facts)) {}
    [[nodiscard]] ExitCode code() const noexcept { return code_; }
    [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }
    [[nodiscard]] const nlohmann::json& facts() const noexcept { return facts_; }

  private:
    ExitCode code_;
    std::string remedy_;
    nlohmann::json facts_;
};

// Parses the command line, runs the command, and prints a complaint if it fails. Returns the exit code.
[[nodiscard]] int run_pianola(int argc, const char* const* argv);

// Each adds its sub-command to the parser and sets `action` when it is chosen.
using Action = std::function<int()>;
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_COMMAND(add) void add(CLI::App& app, Action& action);
#include "capture_host/cli/commands.inc"
#undef PIANOLA_COMMAND

// Adds all of them. A number with a leading 0 is refused in every option.
void add_commands(CLI::App& app, Action& action);

// Checks the values of any command before it runs: none is empty, and no output file is an input, another output, a
// key, or the destination of standard output or standard error. Throws CliError, files::FileError.
void check_values(const CLI::App& command);

// A verdict in words and as JSON.
[[nodiscard]] std::string describe_verdict(const Verdict& verdict);
// With names if the rule is about two commands, two devices or a kernel, and with the remedy. image is the one that was
// refused for the target's device.
[[nodiscard]] std::string describe_verdict(const Verdict& verdict, const Image& image, const DeviceDescription& device,
                                           const Target& target, const std::string& remedy = {});
// Why zero-copy I/O is not possible, with the names of tensor and command; empty if it is. The plan is the proved plan
// of the image.
[[nodiscard]] std::string describe_views(const Plan& plan, const Image& image);
[[nodiscard]] nlohmann::json verdict_to_json(const Verdict& verdict);
[[nodiscard]] nlohmann::json verdict_to_json(const Verdict& verdict, const Image& image,
                                             const DeviceDescription& device, const Target& target,
                                             const std::string& remedy = {});  // the same facts
[[nodiscard]] std::string describe_fault(const FaultRecord& fault);

[[nodiscard]] const char* name_of(DeviceFault fault);
using pianola::name_of;  // of what a manifest enumerates

// Version of the documents that --json prints: docs/reference/schemas. New members do not change it.
inline constexpr int kJsonSchemaVersion = 1;
// As it is printed; objects get the version. File names need not be UTF-8, which JSON requires: invalid bytes become
// the replacement character.
[[nodiscard]] std::string json_text(const nlohmann::json& json);

// The list of make(element).
template <typename List, typename Make>
nlohmann::json json_list(const List& list, const Make& make) {
    nlohmann::json json = nlohmann::json::array();
    for (const auto& each : list) {
        json.push_back(make(each));
    }
    return json;
}

// A device's place in a mesh.
template <typename Place>
nlohmann::json json_place(const Place& place) {
    return {{"row", place.row}, {"column", place.column}};
}

// "int8[1,49,10,1]"
[[nodiscard]] std::string type_and_shape(const TensorView& tensor);

}  // namespace pianola::cli
