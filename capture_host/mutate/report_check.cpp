// Whether a report is one: it is built anew of what it says, and must come out the same.
#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "capture_host/mutate/report.h"

namespace pianola::mutate {
namespace {

using Text = std::string;

[[noreturn]] void fail(const Text& what) {
    throw ReportError{what};
}

Json rebuilt_device(const Json& device) {
    Json rebuilt = device_to_json({});
    for (const auto& [name, value] : rebuilt.items()) {
        const Json& given = device.at(name);
        value = value.is_string() ? Json(given.get<Text>()) : Json(given.get<std::uint32_t>());
    }
    return rebuilt;
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

Json rebuilt_expectation(const Json& expected, const Job& job) {
    const bool aims = job.kind == Kind::kSemantic;
    Json rebuilt = aims ? Json{{"rule", rule_id(rule_of(job))}} : Json{{"any_of_group", groups_of(job.kind)}};
    if (expected.contains("path")) {
        rebuilt["path"] = expected.at("path").get<Text>();
    }
    return rebuilt;
}

Text hash_of(const Json& entry) {
    const Text digits = entry.at("sha256").get<Text>();
    if ((digits.size() != (2U * kSha256Bytes)) || (digits.find_first_not_of("0123456789abcdef") != Text::npos)) {
        fail("a member 'sha256' is no SHA-256");
    }
    return digits;
}

// An object of either list.
Json rebuilt_entry(const Json& entry, const Job& job) {
    Json rebuilt{{"job", entry.at("job").get<std::uint32_t>()}, {"name", job.name}, {"kind", kind_name(job.kind)}};
    if (entry.contains("because")) {
        if (job.kind != Kind::kSemantic) {
            fail(job.name + ": a mutant of this kind can always be made");
        }
        rebuilt["rule"] = rule_id(rule_of(job));
        rebuilt["because"] = entry.at("because").get<Text>();
        return rebuilt;
    }
    rebuilt["what"] = entry.at("what").get<Text>();
    if (entry.contains("added")) {
        rebuilt["added"] = entry.at("added").get<Text>();
    }
    rebuilt["file"] = job.name + ".ptb";
    rebuilt["bytes"] = entry.at("bytes").get<std::uint32_t>();
    rebuilt["sha256"] = hash_of(entry);
    rebuilt["shift_bytes"] = entry.at("shift_bytes").get<std::uint32_t>() % kFileAlignmentBytes;
    rebuilt["trust"] = entry.at("trust").get<Text>();
    if (!trust_named(rebuilt["trust"].get<Text>())) {
        fail(job.name + ": its trust is none of this kit");
    }
    rebuilt["expected"] = rebuilt_expectation(entry.at("expected"), job);
    rebuilt["alone"] = entry.at("alone").get<bool>();
    rebuilt["verdict"] = rebuilt_verdict(entry.at("verdict"));
    rebuilt["as_expected"] = is_as_wanted(rebuilt["expected"], rebuilt["verdict"]);
    return rebuilt;
}

JobOptions options_of(const Json& report) {
    JobOptions options;
    options.kinds.clear();
    const auto names = report.at("kinds").get<std::set<Text>>();
    for (std::size_t kind = 0U; kind < kKindCount; ++kind) {
        if (names.count(kind_name(static_cast<Kind>(kind))) != 0U) {
            options.kinds.push_back(static_cast<Kind>(kind));
        }
    }
    options.count = report.at("count").get<std::uint32_t>();
    if ((options.count == 0U) || (options.count > kMostMutants)) {
        fail("'count' is none that a run can have");
    }
    return options;
}

Json rebuilt_report(const Json& report) {
    const JobOptions options = options_of(report);
    const Json& file = report.at("file");
    std::set<Text> kinds;
    for (const Kind kind : options.kinds) {
        kinds.insert(kind_name(kind));
    }
    const auto shard = report.at("shard").get<std::uint32_t>();
    const auto shards = report.at("shards").get<std::uint32_t>();
    if ((shard == 0U) || (shard > shards)) {
        fail("'shard' is none of 'shards'");
    }
    Json rebuilt{{"format", kReportFormat},
                 {"tool_version", report.at("tool_version").get<Text>()},
                 {"file",
                  {{"name", file.at("name").get<Text>()},
                   {"bytes", file.at("bytes").get<std::uint32_t>()},
                   {"sha256", hash_of(file)},
                   {"signature_dropped", file.at("signature_dropped").get<bool>()}}},
                 {"device", rebuilt_device(report.at("device"))},
                 {"seed", report.at("seed").get<std::uint32_t>()},
                 {"kinds", kinds},
                 {"count", options.count},
                 {"jobs", count_jobs(options)},
                 {"trusts", trusts_to_json()},
                 {"shard", shard},
                 {"shards", shards},
                 {"complete", report.at("complete").get<bool>()},
                 {"mutants", Json::array()},
                 {"not_applicable", Json::array()}};
    std::set<std::uint32_t> seen;
    for (const char* const list : {"mutants", "not_applicable"}) {
        for (const Json& entry : report.at(list).get_ref<const Json::array_t&>()) {
            const auto job = entry.at("job").get<std::uint32_t>();
            if (!is_in_shard(job, shard, shards) || !seen.insert(job).second) {
                fail(fmt::format("job {} is there twice, or not one of shard {}/{}", job, shard, shards));
            }
            add_known(rebuilt, rebuilt_entry(entry, job_at(options, job)));
        }
    }
    if (rebuilt.at("complete").get<bool>()) {
        summarise(rebuilt);
    } else {
        for (const char* const counts : {"rules", "totals"}) {  // of a run that was interrupted: nobody reads them
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
