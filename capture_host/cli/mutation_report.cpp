#include "capture_host/cli/mutation_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace pianola::cli {
namespace {

using mutate::Json;

std::string rule_line(const Json& rule) {
    std::string text =
        fmt::format("  {:<22}{:>6}{:>13}{:>7}", rule.at("rule").get<std::string>(), rule.at("made").get<int>(),
                    rule.at("as_expected").get<int>(), rule.at("alone").get<int>());
    if (rule.contains("never_alone")) {
        text += fmt::format("  never alone: {}", rule.at("never_alone").get<std::string>());
    } else if (rule.contains("not_applicable")) {
        text += fmt::format("  not applicable: {}",
                            fmt::join(rule.at("not_applicable").get<std::vector<std::string>>(), "; "));
    } else {
        // Nothing is to be explained.
    }
    return text;
}

std::string verdict_line(const Json& mutant) {
    const Json& expected = mutant.at("expected");
    const Json& verdict = mutant.at("verdict");
    const std::string wanted =
        expected.contains("rule")
            ? expected.at("rule").get<std::string>()
            : fmt::format("{}-*", fmt::join(expected.at("any_of_group").get<std::vector<std::string>>(), "-* or "));
    const std::string got =
        verdict.at("accepted").get<bool>()
            ? "accepted"
            : fmt::format("{} at {}", verdict.at("rule").get<std::string>(), verdict.at("path").get<std::string>());
    return fmt::format("  {}: expected {}{}, got {}", mutant.at("name").get<std::string>(), wanted,
                       expected.contains("path") ? (" at " + expected.at("path").get<std::string>()) : "", got);
}

}  // namespace

void print_report(const Json& report) {
    const Json& totals = report.at("totals");
    const bool semantic =
        std::find(report.at("kinds").begin(), report.at("kinds").end(), "semantic") != report.at("kinds").end();
    if (semantic) {
        fmt::print("  {:<22}{:>6}{:>13}{:>7}\n", "rule", "made", "as expected", "alone");
        for (const Json& rule : report.at("rules")) {
            fmt::print("{}\n", rule_line(rule));
        }
    }
    for (const Json& mutant : report.at("mutants")) {
        if (!mutant.at("as_expected").get<bool>()) {
            fmt::print("{}\n", verdict_line(mutant));
        }
    }
    fmt::print(
        "{}: {} mutants, {} refused as expected, {} accepted, {} refused otherwise; {} operators not applicable\n",
        report.at("file").at("name").get<std::string>(), totals.at("mutants").get<int>(),
        totals.at("as_expected").get<int>(), totals.at("accepted").get<int>(),
        totals.at("refused_otherwise").get<int>(), totals.at("not_applicable").get<int>());
    if (semantic) {
        fmt::print("{} rules: {} with a mutant, {} with one that has nothing else wrong\n",
                   totals.at("rules").get<int>(), totals.at("rules_with_mutant").get<int>(),
                   totals.at("rules_with_mutant_alone").get<int>());
    }
}

}  // namespace pianola::cli
