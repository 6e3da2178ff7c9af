// VerifiedFile: a trace binary that the validator accepts, with what the proofs found out.
//
// What `embed`, `size`, `timeline` and `perf` begin with, so that none ever speaks of a binary that the target would
// refuse.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <string>

#include "capture_host/binary/verify.h"
#include "capture_host/cli/target_option.h"

namespace pianola::cli {

class VerifiedFile {
  public:
    // Loads and verifies. Throws files::FileError, and CliError with kRefused.
    VerifiedFile(const std::string& file_name, const TargetArguments& arguments);
    VerifiedFile(const std::string& file_name, targets::Targets targets, const DeviceFile& described);
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

// A C identifier for a file: its base name without the suffix, every other character as '_', and "binary_" in front
// where that would not start with a letter. "models/road-signs.ptb" is "road_signs".
[[nodiscard]] std::string symbol_for(const std::string& file_name);

// --language: `usual`, which it is already, or c99, for applications that use the C API.
void add_language_option(CLI::App& command, std::string& language, const char* usual, const std::string& description);

// The file's name without folders, so that no output shows where it was made: as people read it, and with '_' for
// characters that are not allowed in a comment or a string of a source.
[[nodiscard]] std::string base_name(const std::string& file_name);
[[nodiscard]] std::string base_name_in_source(const std::string& file_name);

// Writes to a file, or to standard output where the name is empty.
void write_result(const std::string& file_name, const std::string& contents);

}  // namespace pianola::cli
