#include "capture_host/mutate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "capture_host/base/text.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/receipt.h"
#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

constexpr std::array kCommon{"format", "tool_version", "file", "device", "seed", "kinds", "count", "jobs"};

Json expectation_to_json(const Expectation& expected) {
    if (expected.rule) {
        return {{"rule", rule_id(*expected.rule)}};
    }
    return {{"any_of_group", expected.groups}};
}

Json verdict_to_json(const Verdict& verdict) {
    if (is_ok(verdict.status)) {
        return {{"accepted", true}};
    }
    return {{"accepted", false},
            {"rule", rule_id(verdict.rule)},
            {"path", files::path_text(verdict.path)},
            {"offset", verdict.file_offset},
            {"actual", verdict.actual},
            {"limit", verdict.limit}};
}

// The rule that a semantic mutant aims at; empty for the others.
std::string aim_of(const Json& entry) {
    return entry.contains("expected") ? entry.at("expected").value("rule", "") : entry.at("rule").get<std::string>();
}

Json count_rule(const Json& report, Rule rule) {
    const std::string id = rule_id(rule);
    std::uint32_t made = 0U;
    std::uint32_t as_expected = 0U;
    std::uint32_t alone = 0U;
    for (const Json& mutant : report.at("mutants")) {
        if (aim_of(mutant) == id) {
            const bool good = mutant.at("as_expected").get<bool>();
            made += 1U;
            as_expected += good ? 1U : 0U;
            alone += (good && mutant.at("alone").get<bool>()) ? 1U : 0U;
        }
    }
    Json reasons = Json::array();
    for (const Json& entry : report.at("not_applicable")) {
        if (aim_of(entry) == id) {
            reasons.push_back(entry.at("because"));
        }
    }
    Json counted{{"rule", id}, {"made", made}, {"as_expected", as_expected}, {"alone", alone}};
    if (why_no_mutant(rule) != nullptr) {
        reasons.push_back(why_no_mutant(rule));
    }
    if (!reasons.empty()) {
        counted["not_applicable"] = reasons;
    }
    if (why_never_alone(rule) != nullptr) {
        counted["never_alone"] = why_never_alone(rule);
    }
    return counted;
}

Json count_all(const Json& report) {
    std::uint32_t as_expected = 0U;
    std::uint32_t accepted = 0U;
    for (const Json& mutant : report.at("mutants")) {
        as_expected += mutant.at("as_expected").get<bool>() ? 1U : 0U;
        accepted += mutant.at("verdict").at("accepted").get<bool>() ? 1U : 0U;
    }
    std::uint32_t with_mutant = 0U;
    std::uint32_t with_alone = 0U;
    for (const Json& rule : report["rules"]) {
        with_mutant += (rule["made"] != 0U) ? 1U : 0U;
        with_alone += (rule["alone"] != 0U) ? 1U : 0U;
    }
    const auto made = static_cast<std::uint32_t>(report["mutants"].size());
    return {{"mutants", made},
            {"as_expected", as_expected},
            {"accepted", accepted},
            {"refused_otherwise", made - as_expected - accepted},
            {"not_applicable", report["not_applicable"].size()},
            {"rules", report["rules"].size()},
            {"rules_with_mutant", with_mutant},
            {"rules_with_mutant_alone", with_alone}};
}

// Jobs that a shard of so many has.
std::uint32_t jobs_of_shard(std::uint32_t jobs, std::uint32_t shard, std::uint32_t shards) {
    return (jobs / shards) + (((jobs % shards) >= shard) ? 1U : 0U);
}

// Texts, and not values: 1 and 1.0 are the same number, and not the same report.
bool is_same(const Json& left, const Json& right, const char* member) {
    return left.at(member).dump() == right.at(member).dump();
}

void check_mergeable(const std::vector<NamedReport>& reports) {
    if (reports.empty()) {
        throw MergeError{"there is no report"};
    }
    for (const auto& [name, report] : reports) {
        try {
            check_report(report);
        } catch (const ReportError& error) {
            throw ReportError{fmt::format("{}: {}", name, error.what())};
        }
    }
    const Json& first = reports.front().report;
    const auto shards = first.at("shards").get<std::uint32_t>();
    std::set<std::uint32_t> seen;
    for (const auto& [name, report] : reports) {
        const auto shard = report.at("shard").get<std::uint32_t>();
        for (const char* const member : kCommon) {
            if (!is_same(report, first, member)) {
                throw MergeError{fmt::format("{} has another {} than {}", name, member, reports.front().name)};
            }
        }
        if (!is_same(report, first, "shards")) {
            throw MergeError{fmt::format("{} is of another division than {}", name, reports.front().name)};
        }
        if (!report.at("complete").get<bool>()) {
            throw MergeError{name + " is not complete: run it again, and it goes on"};
        }
        if (!seen.insert(shard).second) {
            throw MergeError{fmt::format("{}: the report of shard {}/{} is given twice", name, shard, shards)};
        }
    }
    for (std::uint32_t shard = 1U; shard <= shards; ++shard) {
        if (seen.count(shard) == 0U) {
            throw MergeError{fmt::format("the report of shard {}/{} is missing", shard, shards)};
        }
    }
}

Json sorted_jobs(const std::vector<NamedReport>& reports, const char* list) {
    std::vector<Json> all;
    for (const auto& [name, report] : reports) {
        all.insert(all.end(), report.at(list).begin(), report.at(list).end());
    }
    std::sort(all.begin(), all.end(), [](const Json& left, const Json& right) {
        return left.at("job").get<std::uint32_t>() < right.at("job").get<std::uint32_t>();
    });
    return Json(all);
}

// {"policy", "lowest_security_version", "keys": [{"id", "point", "state"}]}; bytes in hexadecimal digits.
Json trust_to_json(const Trust& trust) {
    Json keys = Json::array();
    for (const TrustedKey& key : trust.keys) {
        keys.push_back({{"id", files::to_hex(ByteSpan{key.id})},
                        {"point", files::to_hex(ByteSpan{key.key})},
                        {"state", (key.state == KeyState::kTrusted) ? "trusted" : "revoked"}});
    }
    return {{"policy", (trust.signatures == SignaturePolicy::kOptional) ? "optional" : "required"},
            {"lowest_security_version", trust.lowest_security_version},
            {"keys", keys}};
}

Json trusts_to_json() {
    Json trusts;
    for (const TrustKind kind : kTrustKinds) {
        trusts[trust_name(kind)] = trust_to_json(trust_of(kind));
    }
    return trusts;
}

}  // namespace

bool is_as_wanted(const Json& expected, const Json& verdict) {
    if (verdict.at("accepted").get<bool>()) {
        return false;
    }
    const std::string id = verdict.at("rule").get<std::string>();
    const bool is_rule =
        expected.contains("rule")
            ? (expected.at("rule") == id)
            : std::any_of(expected.at("any_of_group").begin(), expected.at("any_of_group").end(),
                          [&id](const Json& group) { return id.rfind(group.get<std::string>() + "-", 0U) == 0U; });
    return is_rule && (!expected.contains("path") || (expected.at("path") == verdict.at("path")));
}

std::string sha256_hex(const Bytes& bytes) {
    return files::to_hex(ByteSpan{signing::openssl_sha256(ByteSpan{bytes.data(), bytes.size()})});
}

Json make_report(const Subject& subject, const Run& run) {
    std::set<std::string> kinds;
    for (const Kind kind : run.jobs.kinds) {
        kinds.insert(kind_name(kind));
    }
    return {{"format", kReportFormat},
            {"tool_version", run.tool_version},
            {"file",
             {{"name", run.file_name},
              {"bytes", subject.given_bytes},
              {"sha256", files::to_hex(ByteSpan{subject.given_sha256})},
              {"signature_dropped", subject.given_bytes != subject.file.size()}}},
            {"device", signing::device_to_json(subject.device)},
            {"seed", run.seed},
            {"kinds", kinds},
            {"count", run.jobs.count},
            {"jobs", count_jobs(run.jobs)},
            {"trusts", trusts_to_json()},
            {"shard", run.shard},
            {"shards", run.shards},
            {"complete", false},
            {"mutants", Json::array()},
            {"not_applicable", Json::array()}};
}

bool is_same_run(const Json& left, const Json& right) {
    const auto same = [&](const char* member) {
        return left.contains(member) && right.contains(member) && is_same(left, right, member);
    };
    return std::all_of(kCommon.begin(), kCommon.end(), same) && same("shard") && same("shards");
}

bool is_in_shard(std::uint32_t job, std::uint32_t shard, std::uint32_t shards) noexcept {
    return (job % shards) == (shard - 1U);
}

Json outcome_to_json(std::uint32_t job_number, const Job& job, const Outcome& outcome) {
    Json entry{{"job", job_number}, {"name", job.name}, {"kind", kind_name(job.kind)}};
    if (!outcome.mutant) {
        entry["rule"] = rule_id(rule_of(job));
        entry["because"] = outcome.not_applicable;
        return entry;
    }
    const Mutant& mutant = *outcome.mutant;
    entry["what"] = mutant.what;
    if (!mutant.extension.empty()) {
        entry["added"] = mutant.extension;
    }
    entry["file"] = job.name + ".ptb";
    entry["bytes"] = mutant.file.size();
    entry["sha256"] = sha256_hex(mutant.file);
    entry["shift_bytes"] = mutant.shift_bytes;
    entry["trust"] = trust_name(mutant.trust);
    entry["expected"] = expectation_to_json(mutant.expected);
    if (!mutant.expected_path.empty()) {
        entry["expected"]["path"] = mutant.expected_path;
    }
    entry["alone"] = mutant.is_alone;
    return entry;
}

void add_outcome(Json& report, std::uint32_t job_number, const Job& job, const Outcome& outcome,
                 const Verdict& verdict) {
    add_known(report, outcome_to_json(job_number, job, outcome), outcome.mutant ? &verdict : nullptr);
}

void add_known(Json& report, Json known, const Verdict* verdict) {
    if (verdict != nullptr) {
        known["verdict"] = verdict_to_json(*verdict);
        known["as_expected"] = is_as_wanted(known.at("expected"), known.at("verdict"));
    }
    report[known.contains("because") ? "not_applicable" : "mutants"].push_back(std::move(known));
}

const Json* find_job(const Json& report, std::uint32_t job_number) {
    for (const char* const list : {"mutants", "not_applicable"}) {
        for (const Json& entry : report.at(list)) {
            if (entry.at("job") == job_number) {
                return &entry;
            }
        }
    }
    return nullptr;
}

void summarise(Json& report) {
    Json rules = Json::array();
    for (std::uint16_t i = 1U; i < static_cast<std::uint16_t>(Rule::kRuleCount); ++i) {
        rules.push_back(count_rule(report, static_cast<Rule>(i)));
    }
    report["rules"] = rules;
    report["totals"] = count_all(report);
    report["complete"] = (report["mutants"].size() + report["not_applicable"].size()) ==
                         jobs_of_shard(report.at("jobs"), report.at("shard"), report.at("shards"));
}

bool is_as_expected(const Json& report) {
    return std::all_of(report.at("mutants").begin(), report.at("mutants").end(),
                       [](const Json& mutant) { return mutant.at("as_expected").get<bool>(); });
}

Json merge_reports(const std::vector<NamedReport>& reports) {
    check_mergeable(reports);
    Json merged = reports.front().report;
    merged["shard"] = 1U;
    merged["shards"] = 1U;
    merged["mutants"] = sorted_jobs(reports, "mutants");
    merged["not_applicable"] = sorted_jobs(reports, "not_applicable");
    summarise(merged);
    if (!merged["complete"].get<bool>()) {
        throw MergeError{"the reports have other jobs than their shards"};
    }
    return merged;
}

namespace {

using Text = std::string;

[[noreturn]] void fail(const Text& what) {
    throw ReportError{what};
}

// Takes over the values of an object's members, as long as they are of the same types.
void take_values(Json& members, const Json& given) {
    for (const auto& [name, value] : members.items()) {
        const Json& from = given.at(name);
        value = value.is_string()    ? Json(from.get<Text>())
                : value.is_boolean() ? Json(from.get<bool>())
                                     : Json(from.get<std::uint32_t>());
    }
}

Json rebuilt_verdict(const Json& verdict) {
    if (verdict.at("accepted").get<bool>()) {
        return {{"accepted", true}};
    }
    return {{"accepted", false},
            {"rule", verdict.at("rule").get<Text>()},
            {"path", verdict.at("path").get<Text>()},
            {"offset", verdict.at("offset").get<std::uint32_t>()},
            {"actual", verdict.at("actual").get<std::uint64_t>()},
            {"limit", verdict.at("limit").get<std::uint64_t>()}};
}

Text hash_of(const Json& entry) {
    const Text digits = entry.at("sha256").get<Text>();
    if ((digits.size() != (2U * kSha256Bytes)) || (digits.find_first_not_of("0123456789abcdef") != Text::npos)) {
        fail("a member 'sha256' is no SHA-256");
    }
    return digits;
}

Mutant mutant_of(const Json& entry, const Job& job) {
    const std::optional<TrustKind> trust = trust_named(entry.at("trust").get<Text>());
    if (!trust) {
        fail(job.name + ": its trust is none of this kit");
    }
    Mutant mutant;
    mutant.what = entry.at("what").get<Text>();
    mutant.extension = entry.contains("added") ? entry.at("added").get<Text>() : Text{};
    mutant.shift_bytes = entry.at("shift_bytes").get<std::uint32_t>() % kFileAlignmentBytes;
    mutant.trust = *trust;
    if (job.kind == Kind::kSemantic) {
        mutant.expected.rule = rule_of(job);
    } else {
        mutant.expected.groups = groups_of(job.kind);
    }
    const Json& expected = entry.at("expected");
    mutant.expected_path = expected.contains("path") ? expected.at("path").get<Text>() : Text{};
    mutant.is_alone = entry.at("alone").get<bool>();
    return mutant;
}

// An object of either list.
Json rebuilt_entry(const Json& entry, const Job& job) {
    const auto number = entry.at("job").get<std::uint32_t>();
    if (entry.contains("because")) {
        if (job.kind != Kind::kSemantic) {
            fail(job.name + ": a mutant of this kind can always be made");
        }
        return outcome_to_json(number, job, {std::nullopt, entry.at("because").get<Text>()});
    }
    Json rebuilt = outcome_to_json(number, job, {mutant_of(entry, job), ""});
    rebuilt["bytes"] = entry.at("bytes").get<std::uint32_t>();
    rebuilt["sha256"] = hash_of(entry);
    rebuilt["verdict"] = rebuilt_verdict(entry.at("verdict"));
    rebuilt["as_expected"] = is_as_wanted(rebuilt["expected"], rebuilt["verdict"]);
    return rebuilt;
}

JobOptions options_of(const Json& report) {
    JobOptions options;
    options.kinds = kinds_named(report.at("kinds").get<std::vector<Text>>());
    options.count = report.at("count").get<std::uint32_t>();
    if ((options.count == 0U) || (options.count > kMostMutants)) {
        fail("'count' is none that a run can have");
    }
    return options;
}

Json rebuilt_report(const Json& report) {
    Run run;
    run.tool_version = report.at("tool_version").get<Text>();
    run.jobs = options_of(report);
    run.seed = report.at("seed").get<std::uint32_t>();
    run.shard = report.at("shard").get<std::uint32_t>();
    run.shards = report.at("shards").get<std::uint32_t>();
    if ((run.shard == 0U) || (run.shard > run.shards)) {
        fail("'shard' is none of 'shards'");
    }
    Json rebuilt = make_report({}, run);
    take_values(rebuilt["file"], report.at("file"));
    rebuilt["file"]["sha256"] = hash_of(report.at("file"));
    take_values(rebuilt["device"], report.at("device"));
    rebuilt["complete"] = report.at("complete").get<bool>();
    std::set<std::uint32_t> seen;
    for (const char* const list : {"mutants", "not_applicable"}) {
        for (const Json& entry : report.at(list).get_ref<const Json::array_t&>()) {
            const auto job = entry.at("job").get<std::uint32_t>();
            if (!is_in_shard(job, run.shard, run.shards) || !seen.insert(job).second) {
                fail(fmt::format("job {} is there twice, or not one of shard {}/{}", job, run.shard, run.shards));
            }
            add_known(rebuilt, rebuilt_entry(entry, job_at(run.jobs, job)));
        }
    }
    if (rebuilt.at("complete").get<bool>()) {
        summarise(rebuilt);
    } else {
        for (const char* const counts : {"rules", "totals"}) {  // of an interrupted run: not read
            if (report.contains(counts)) {
                rebuilt[counts] = report.at(counts);
            }
        }
    }
    return rebuilt;
}

}  // namespace

void check_report(const Json& report) {
    if (!report.is_object() || !report.contains("format") || (report.at("format") != kReportFormat)) {
        fail("is no report, or of another format than this version's");
    }
    try {
        const Json rebuilt = rebuilt_report(report);
        if (rebuilt.dump() != report.dump()) {  // texts: 1.0 is not 1, and members have their order
            const Json difference = Json::diff(report, rebuilt);
            fail("is not as a run writes it" +
                 (difference.empty() ? Text{} : (", at " + difference.front().at("path").get<Text>())));
        }
    } catch (const Json::exception& error) {
        fail(error.what());
    } catch (const std::out_of_range& error) {
        fail(error.what());
    }
}

}  // namespace pianola::mutate
