#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/verify.h"
#include "pianola/rule.h"
#include "pianola_host/files.h"

namespace pianola::cli {
namespace {

constexpr const char* kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

// Characters that XML does not allow become '?', and so do bytes that are not ASCII, because names need not be UTF-8.
std::string xml(const std::string& text) {
    std::string result;
    for (const char each : text) {
        const bool is_plain = ((each >= ' ') && (each <= '~')) || (each == '\n') || (each == '\t');
        switch (each) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\n':
                result += "&#10;";
                break;
            default:
                result += is_plain ? each : '?';
                break;
        }
    }
    return result;
}

// A reference to a file. Relative names stay relative to the folder of the call.
std::string uri(const std::string& name) {
    std::string result;
    for (const char each : name) {
        const bool is_plain = ((each >= 'a') && (each <= 'z')) || ((each >= 'A') && (each <= 'Z')) ||
                              ((each >= '0') && (each <= '9')) ||
                              (std::string{"-._~/"}.find(each) != std::string::npos);
        result += is_plain ? std::string{each} : fmt::format("%{:02X}", static_cast<unsigned char>(each));
    }
    return ((name == "-") || name.empty()) ? "stdin" : result;
}

// Rules in the order of their list, which is that of ruleIndex.
nlohmann::json rules_of_sarif() {
    nlohmann::json rules = nlohmann::json::array();
    for (std::uint32_t i = 1U; i < static_cast<std::uint32_t>(Rule::kRuleCount); ++i) {
        const auto rule = static_cast<Rule>(i);
        const std::string message = rule_message(rule);
        const std::string help = fmt::format(
            "{}: {}. Why the rule is there: {}. What to do: look at the field that the result names with `pianola "
            "inspect`, and make the file anew with `pianola capture`; docs/reference/rules.md lists all rules.",
            rule_id(rule), message, rule_reason(rule));
        rules.push_back({{"id", rule_id(rule)},
                         {"shortDescription", {{"text", message}}},
                         {"fullDescription", {{"text", fmt::format("{}: {}", message, rule_reason(rule))}}},
                         {"help", {{"text", help}}},
                         {"defaultConfiguration", {{"level", "error"}}}});
    }
    return rules;
}

std::uint32_t index_of(const std::string& id) {
    std::uint32_t i = 1U;
    while ((i < static_cast<std::uint32_t>(Rule::kRuleCount)) && (id != rule_id(static_cast<Rule>(i)))) {
        ++i;
    }
    return i - 1U;
}

std::string refusal_of(const nlohmann::json& facts) {
    std::string text = fmt::format("{}: {}; field {}, byte {}", facts.at("rule").get<std::string>(),
                                   facts.at("message").get<std::string>(), facts.at("field").get<std::string>(),
                                   facts.at("offset").get<std::uint64_t>());
    if (facts.contains("remedy")) {
        text += "; remedy: " + facts.at("remedy").get<std::string>();
    }
    return text;
}

nlohmann::json location_of(const VerifyOutcome& outcome) {
    nlohmann::json place{{"artifactLocation", {{"uri", uri(outcome.file)}}}};
    if (outcome.code == kRefused) {
        const auto offset = outcome.facts.at("offset").get<std::uint64_t>();
        const bool is_inside = offset < outcome.facts.at("bytes").get<std::uint64_t>();
        place["region"] = {{"byteOffset", offset}, {"byteLength", is_inside ? 1 : 0}};
    }
    return {{"physicalLocation", place}};
}

nlohmann::json result_of(const VerifyOutcome& outcome) {
    const auto rule = outcome.facts.at("rule").get<std::string>();
    return {{"ruleId", rule},
            {"ruleIndex", index_of(rule)},
            {"level", "error"},
            {"message", {{"text", refusal_of(outcome.facts)}}},
            {"locations", nlohmann::json::array({location_of(outcome)})},
            {"partialFingerprints",
             {{"pianolaRuleAndFile/v1", fmt::format("{}:{}", rule, outcome.facts.at("sha256").get<std::string>())}}}};
}

std::string error_text(const nlohmann::json& error) {
    return fmt::format("{}; remedy: {}", error.at("message").get<std::string>(), error.at("remedy").get<std::string>());
}

std::size_t count(const std::vector<VerifyOutcome>& outcomes, ExitCode code) {
    return static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(),
                                                  [code](const VerifyOutcome& each) { return each.code == code; }));
}

}  // namespace

std::string complaint_of_report(const std::string& text) {
    const ReportFile report = report_files({text}).front();
    if (((report.form != "junit") && (report.form != "sarif")) || report.name.empty()) {
        return "'" + text + "' is neither junit=OUT nor sarif=OUT";
    }
    return {};
}

std::vector<ReportFile> report_files(const std::vector<std::string>& texts) {
    std::vector<ReportFile> reports;
    for (const std::string& text : texts) {
        const std::size_t equals = std::min(text.find('='), text.size());
        reports.push_back({text.substr(0U, equals), text.substr(std::min(equals + 1U, text.size()))});
    }
    return reports;
}

void store_reports(const std::vector<std::string>& texts, const std::vector<VerifyOutcome>& outcomes) {
    for (const ReportFile& report : report_files(texts)) {
        files::store_file(report.name, (report.form == "junit") ? junit_report(outcomes) : sarif_report(outcomes));
    }
}

std::string junit_report(const std::vector<VerifyOutcome>& outcomes) {
    const std::size_t refused = count(outcomes, kRefused);
    const std::size_t errors = outcomes.size() - count(outcomes, kDone) - refused;
    const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"0\"",
                                           outcomes.size(), refused, errors);
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pianola verify\" {}>\n"
        "  <testsuite name=\"pianola verify\" {}>\n",
        counts, counts);
    for (const VerifyOutcome& outcome : outcomes) {
        text += fmt::format("    <testcase classname=\"pianola.verify\" name=\"{}\" time=\"0\"", xml(outcome.file));
        if (outcome.code == kDone) {
            text += "/>\n";
            continue;
        }
        const bool is_refused = outcome.code == kRefused;
        const std::string kind = is_refused ? outcome.facts.at("rule").get<std::string>()
                                            : outcome.facts.at("error").at("kind").get<std::string>();
        const std::string message = is_refused ? refusal_of(outcome.facts) : error_text(outcome.facts.at("error"));
        const char* const element = is_refused ? "failure" : "error";
        text += fmt::format(">\n      <{} type=\"{}\" message=\"{}\">{}</{}>\n    </testcase>\n", element, xml(kind),
                            xml(message), xml(json_text(outcome.facts)), element);
    }
    return text + "  </testsuite>\n</testsuites>\n";
}

std::string sarif_report(const std::vector<VerifyOutcome>& outcomes) {
    nlohmann::json results = nlohmann::json::array();
    nlohmann::json notifications = nlohmann::json::array();
    for (const VerifyOutcome& outcome : outcomes) {
        if (outcome.code == kRefused) {
            results.push_back(result_of(outcome));
        } else if (outcome.code != kDone) {
            notifications.push_back({{"level", "error"},
                                     {"message", {{"text", error_text(outcome.facts.at("error"))}}},
                                     {"locations", nlohmann::json::array({location_of(outcome)})}});
        } else {
            // Accepted: nothing is to be reported.
        }
    }
    const nlohmann::json driver{{"name", "pianola verify"}, {"version", PIANOLA_VERSION}, {"rules", rules_of_sarif()}};
    const nlohmann::json invocation{{"executionSuccessful", notifications.empty()},
                                    {"toolExecutionNotifications", notifications}};
    const nlohmann::json run{{"tool", {{"driver", driver}}},
                             {"invocations", nlohmann::json::array({invocation})},
                             {"columnKind", "utf16CodeUnits"},
                             {"results", results}};
    const nlohmann::json sarif{{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", nlohmann::json::array({run})}};
    return sarif.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

nlohmann::json outcomes_to_json(const std::vector<VerifyOutcome>& outcomes) {
    const std::size_t accepted = count(outcomes, kDone);
    const std::size_t refused = count(outcomes, kRefused);
    return {{"accepted", accepted},
            {"refused", refused},
            {"not_looked_at", outcomes.size() - accepted - refused},
            {"files", json_list(outcomes, [](const VerifyOutcome& each) { return each.facts; })}};
}

std::string summary_text(const std::vector<VerifyOutcome>& outcomes) {
    const nlohmann::json json = outcomes_to_json(outcomes);
    return fmt::format("{} files: {} accepted, {} refused, {} not looked at\n", outcomes.size(),
                       json.at("accepted").get<std::size_t>(), json.at("refused").get<std::size_t>(),
                       json.at("not_looked_at").get<std::size_t>());
}

}  // namespace pianola::cli
