// Trace binaries as commands read them: loaded (BinaryFile), well-formed (WellFormedFile), accepted (VerifiedFile); and
// --device and --plugin, which say for which device.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "capture_host/binary/verify.h"
#include "capture_host/cli/cli.h"
#include "pianola/envelope.h"
#include "pianola/image.h"
#include "pianola/verdict.h"
#include "pianola_host/files.h"
#include "pianola_host/targets.h"

namespace pianola::cli {

void add_device_option(CLI::App& command, std::string& file_name);

// "virtual, cortex-m7.dsp, ...": of the family.
[[nodiscard]] std::string cost_model_names(const Target& target);
// A clock of 0 millicycles leaves the device as it is.
void set_core_clock(std::uint32_t core_khz, std::uint32_t millicycles, DeviceDescription& device);

// What --device SPEC.json names: a device with some members, which docs/reference/cli.md gives. Read once, because it
// may be a pipe, and a file may change. All of it throws CliError.
class DeviceFile {
  public:
    // An empty name: the option is not there. A device of an executor of these targets is no description.
    DeviceFile(const std::string& file_name, const targets::Targets& targets);

    [[nodiscard]] bool is_given() const noexcept { return !name_.empty(); }
    // The target of the family that it names; nullptr if it names none.
    [[nodiscard]] const Target* target(const targets::Targets& targets) const;
    // The target's usual device with the named members. Does not check that such a device exists.
    [[nodiscard]] DeviceDescription describe(const Target& target) const;
    // The family's target with the cost model that the file names.
    [[nodiscard]] const Target* costs_of(const Target* target) const;
    // Throws if `what_is_wrong`, the target's complaint about the device, is not empty.
    void refuse(const std::string& what_is_wrong) const;

  private:
    [[noreturn]] void fail(const std::string& what) const;

    std::string name_;
    nlohmann::json members_;
};

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
    // With targets and a device description that are loaded already.
    BinaryFile(const std::string& file_name, targets::Targets targets, const DeviceFile& device);
    BinaryFile(const std::string& file_name, const targets::Targets& targets, const std::string& device)
        : BinaryFile{file_name, targets, DeviceFile{device, targets}} {}

    [[nodiscard]] ByteSpan bytes() const noexcept { return bytes_.view(); }
    [[nodiscard]] const Target& target() const noexcept { return *judged_for_.target; }
    [[nodiscard]] const DeviceDescription& device() const noexcept { return judged_for_.device; }
    // Of the bytes, if their digest holds: they are then not hashed again.
    [[nodiscard]] const Authentication& authentication() const noexcept { return judged_for_.authentication; }
    // Why the device is not the one that the file names; empty if it is.
    [[nodiscard]] const std::string& why_not() const noexcept { return judged_for_.why_not; }
    // A verdict about it as text and as JSON, with names if the rule is about two commands or two devices, and with the
    // remedy. image is the one that was refused.
    [[nodiscard]] std::string describe(const Verdict& verdict, const Image& image, const std::string& remedy) const;
    [[nodiscard]] nlohmann::json to_json(const Verdict& verdict, const Image& image, const std::string& remedy) const;
    [[nodiscard]] std::string remedy(const Verdict& verdict, const Trust& trust) const;
    // The error for a verdict without keys; JSON has it as `refusal`.
    [[nodiscard]] CliError refused(const Verdict& verdict, const Image& image) const;
    // SHA-256 of the plugin's file in hexadecimal; empty if there is no plugin.
    [[nodiscard]] std::string plugin() const;
    // Throws CliError with kUsage, which names the family, if its simulator does not offer `what`.
    void require(bool Offers::* offer, const char* what) const;

  private:
    std::string name_;
    files::AlignedBytes bytes_;
    targets::Targets targets_;
    targets::FileTarget judged_for_;
};

// A binary that is whole and can be read, for any device. `inspect` and `diff` also serve files that the proofs refuse.
struct WellFormedFile {
    // Throws files::FileError, and CliError with kRefused.
    WellFormedFile(const std::string& file_name, const std::string& plugin);
    ~WellFormedFile() = default;
    // The image points into the bytes.
    WellFormedFile(const WellFormedFile&) = delete;
    WellFormedFile& operator=(const WellFormedFile&) = delete;

    BinaryFile file;
    Envelope envelope;
    Image image;
};

// A binary that the validator accepts, with the results of the proofs.
class VerifiedFile {
  public:
    // Loads and verifies. Throws files::FileError, and CliError with kRefused.
    VerifiedFile(const std::string& file_name, const TargetArguments& arguments);
    VerifiedFile(const std::string& file_name, targets::Targets targets, const DeviceFile& described);
    VerifiedFile(const std::string& file_name, const targets::Targets& targets, const std::string& device)
        : VerifiedFile{file_name, targets, DeviceFile{device, targets}} {}
    ~VerifiedFile() = default;
    // The image points into the bytes.
    VerifiedFile(const VerifiedFile&) = delete;
    VerifiedFile& operator=(const VerifiedFile&) = delete;

    [[nodiscard]] ByteSpan bytes() const noexcept { return file_.bytes(); }
    [[nodiscard]] const Target& target() const noexcept { return file_.target(); }
    [[nodiscard]] const DeviceDescription& device() const noexcept { return file_.device(); }
    [[nodiscard]] const BinaryFile& file() const noexcept { return file_; }
    [[nodiscard]] const Image& image() const noexcept { return proofs_.image; }
    [[nodiscard]] const Plan& plan() const noexcept { return *proofs_.plan; }
    [[nodiscard]] const PlanWorkspace& workspace() const noexcept { return *proofs_.workspace; }

  private:
    BinaryFile file_;
    capture::Verification proofs_;
};

// The file's name without folders, so that outputs do not depend on the place of the file: in readable form, and with
// '_' for characters that are not allowed in a comment or a string of a source.
[[nodiscard]] std::string base_name(const std::string& file_name);
[[nodiscard]] std::string base_name_in_source(const std::string& file_name);

}  // namespace pianola::cli
