// Verdicts about many files in the forms that others read: JUnit and SARIF, and a summary.
//
// Reports are functions of the files and their names: no clock reaches them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "capture_host/cli/verify_outcome.h"

namespace pianola::cli {

struct ReportFile {
    std::string form;
    std::string name;
};
// What is wrong with "FORM=OUT", or nothing.
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
