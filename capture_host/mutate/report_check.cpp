// Whether a report is one: it is built anew of what it says, and must come out the same.
#include <fmt/format.h>

#include <optional>
#include <set>
#include <stdexcept>

#include "capture_host/mutate/report.h"

namespace pianola::mutate {
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
