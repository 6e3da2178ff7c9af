// What `pianola verify` finds out about files, and the reports that it writes: JUnit, SARIF and a summary.
//
// Reports are functions of the files and their names; they hold no time.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "capture_host/binary/verify.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/file_list.h"
#include "pianola/rule.h"
#include "pianola/trust.h"

namespace pianola::cli {

struct VerifyArguments {
    std::vector<std::string> files;
    TargetArguments target;
    std::vector<std::string> keys;     // PEM files
    std::vector<std::string> revoked;  // PEM files
    std::uint32_t lowest_security_version{0U};
    std::string receipt;
    std::string receipt_key;
    std::vector<std::string> reports;  // FORM=OUT
    std::uint32_t jobs{0U};            // 0: as many as there are cores
    bool json{false};
};

struct VerifyOutcome {
    std::string file;
    ExitCode code{kInternalError};  // kDone, kRefused, or why it could not be looked at
    nlohmann::json facts;           // as --json shows them
    std::string text;               // as it is shown alone
    std::string line;               // among others
};

// Whether the host checks a rule: only the device has a counter, and signatures are checked only with a key.
[[nodiscard]] bool applies(Rule rule, bool has_keys);

// The requirements on all files of a call. Many threads may verify at once, each with its own workspace.
class Verifier {
  public:
    explicit Verifier(const VerifyArguments& arguments);  // throws CliError, files::FileError, signing::SigningError

    // Throws CliError with kUsage; every other trouble is an outcome. With `complains` every trouble is thrown.
    [[nodiscard]] VerifyOutcome verify(const ListedFile& listed, capture::Verification& proofs, bool complains) const;

  private:
    [[nodiscard]] VerifyOutcome judge(const std::string& name, capture::Verification& proofs) const;

    const VerifyArguments& arguments_;
    targets::Targets targets_;
    DeviceFile device_;
    std::vector<TrustedKey> keys_;
};

struct ReportFile {
    std::string form;
    std::string name;
};
// The error in "FORM=OUT"; empty if there is none.
[[nodiscard]] std::string complaint_of_report(const std::string& text);
[[nodiscard]] std::vector<ReportFile> report_files(const std::vector<std::string>& texts);
// Writes them. Throws files::FileError.
void store_reports(const std::vector<std::string>& texts, const std::vector<VerifyOutcome>& outcomes);

// JUnit's XML, as Jenkins and GitLab read it.
[[nodiscard]] std::string junit_report(const std::vector<VerifyOutcome>& outcomes);
// SARIF 2.1.0: every rule with its help; a result for each refusal, with the byte in the file.
[[nodiscard]] std::string sarif_report(const std::vector<VerifyOutcome>& outcomes);

[[nodiscard]] nlohmann::json outcomes_to_json(const std::vector<VerifyOutcome>& outcomes);
[[nodiscard]] std::string summary_text(const std::vector<VerifyOutcome>& outcomes);

}  // namespace pianola::cli
