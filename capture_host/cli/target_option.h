// --device and --plugin: for which device a command does its work.
//
// Place in the whole: a binary says which device it is for; these add to it. Host only.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "capture_host/cli/cli.h"
#include "capture_host/files/files.h"
#include "capture_host/targets/targets.h"
#include "pianola/verdict.h"

namespace pianola::cli {

// The device of --device SPEC.json: `usual`, with the members that the file names; `usual` where the name is empty.
// docs/reference/cli.md gives the members. Throws CliError.
[[nodiscard]] DeviceDescription load_device(const std::string& file_name, const Target& target);
void add_device_option(CLI::App& command, std::string& file_name);
// The target of the family that --device names; the usual one where it names none. Throws CliError.
[[nodiscard]] const Target& chosen_target(const std::string& file_name, const targets::Targets& targets);

struct TargetArguments {
    std::string device;
    std::string plugin;
};
void add_target_options(CLI::App& command, TargetArguments& arguments);
void add_plugin_option(CLI::App& command, std::string& file_name);
[[nodiscard]] targets::Targets load_targets(const std::string& plugin);  // throws CliError

// The bytes of a trace binary: of a file, or of standard input for "-". Throws files::FileError.
[[nodiscard]] std::vector<std::uint8_t> load_binary(const std::string& file_name);

// A trace binary, and the device that it is to be judged for: the one that it names, or the one of --device.
class BinaryFile {
  public:
    // "-" is standard input. Throws files::FileError, CliError.
    BinaryFile(const std::string& file_name, const TargetArguments& arguments);
    // The same with targets that were loaded before.
    BinaryFile(const std::string& file_name, const TargetArguments& arguments, targets::Targets targets);

    [[nodiscard]] ByteSpan bytes() const noexcept { return bytes_.view(); }
    [[nodiscard]] const Target& target() const noexcept { return *judged_for_.target; }
    [[nodiscard]] const DeviceDescription& device() const noexcept { return judged_for_.device; }
    // Why the device is not the one that the file names; empty where it is, and with --device.
    [[nodiscard]] const std::string& why_not() const noexcept { return judged_for_.why_not; }
    // A verdict over it in words and as JSON, with names where the rule is about two commands or two devices. image is
    // the one that was refused.
    [[nodiscard]] std::string describe(const Verdict& verdict, const Image& image) const;
    [[nodiscard]] nlohmann::json to_json(const Verdict& verdict, const Image& image) const;
    // The same as an error: JSON has it as `refusal`.
    [[nodiscard]] CliError refused(const Verdict& verdict, const Image& image) const;
    // Of the plugin's file, as text; empty where there is none.
    [[nodiscard]] std::string plugin() const;
    // Throws CliError with kUsage, which names the family, where its simulator does not have `what`.
    void require(bool Offers::* offer, const char* what) const;

  private:
    std::string name_;
    files::AlignedBytes bytes_;
    targets::Targets targets_;
    targets::FileTarget judged_for_;
};

}  // namespace pianola::cli
