// Whether a report is one.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "capture_host/mutate/report.h"
#include "hal/refdev/device_spec.h"

namespace pianola::mutate {
namespace {

constexpr std::size_t kHexDigitsOfHash = 64U;
constexpr std::uint32_t kMost32 = std::numeric_limits<std::uint32_t>::max();

using Names = std::vector<std::string>;

// A value, and where it stands in the report.
class Place {
  public:
    Place(const Json& value, std::string path) : value_{value}, path_{std::move(path)} {}

    [[noreturn]] void fail(const std::string& what) const { throw ReportError{fmt::format("{}: {}", path_, what)}; }

    // An object with these members, and of the others some.
    void require_members(const Names& names, const Names& others = {}) const {
        if (!value_.is_object()) {
            fail("is not an object");
        }
        for (const std::string& name : names) {
            if (!value_.contains(name)) {
                fail(fmt::format("has no member '{}'", name));
            }
        }
        for (const auto& item : value_.items()) {
            const auto is_name = [&item](const Names& list) {
                return std::find(list.begin(), list.end(), item.key()) != list.end();
            };
            if (!is_name(names) && !is_name(others)) {
                fail(fmt::format("has a member {} that no report has", Json(item.key()).dump()));
            }
        }
    }

    [[nodiscard]] bool has(const char* name) const { return value_.contains(name); }
    [[nodiscard]] Place at(const std::string& name) const {
        return {value_.at(name), path_.empty() ? name : fmt::format("{}.{}", path_, name)};
    }
    [[nodiscard]] Place at(std::size_t index) const { return {value_.at(index), fmt::format("{}[{}]", path_, index)}; }
    [[nodiscard]] const Json& value() const { return value_; }

    [[nodiscard]] std::size_t list_size() const {
        if (!value_.is_array()) {
            fail("is not a list");
        }
        return value_.size();
    }
    [[nodiscard]] std::string text() const {
        if (!value_.is_string()) {
            fail("is not a text");
        }
        return value_.get<std::string>();
    }
    [[nodiscard]] bool flag() const {
        if (!value_.is_boolean()) {
            fail("is not true or false");
        }
        return value_.get<bool>();
    }
    // Without a sign, without a fraction.
    [[nodiscard]] std::uint64_t number(std::uint64_t least = 0U,
                                       std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const {
        if (!value_.is_number_unsigned() || (value_.get<std::uint64_t>() < least) ||
            (value_.get<std::uint64_t>() > most)) {
            fail(fmt::format("is not a whole number from {} to {}", least, most));
        }
        return value_.get<std::uint64_t>();
    }
    [[nodiscard]] std::uint32_t number32(std::uint32_t least = 0U, std::uint32_t most = kMost32) const {
        return static_cast<std::uint32_t>(number(least, most));
    }

    void require_hash() const {
        const std::string digits = text();
        if ((digits.size() != kHexDigitsOfHash) ||
            (digits.find_first_not_of("0123456789abcdef") != std::string::npos)) {
            fail("is not a SHA-256");
        }
    }
    // As a text: 1.0 is not 1.
    void require_value(const Json& wanted, const char* why) const {
        if (value_.dump() != wanted.dump()) {
            fail(why);
        }
    }

  private:
    const Json& value_;
    std::string path_;
};

// What the whole report is about.
struct Frame {
    JobOptions jobs;
    std::uint32_t count{0U};  // of jobs
    std::uint32_t shard{0U};
    std::uint32_t shards{0U};
};

void check_device(const Place& device) {
    DeviceDescription description;
    refdev::describe({}, description);
    const Json any = device_to_json(description);
    Names names;
    for (const auto& item : any.items()) {
        names.push_back(item.key());
    }
    device.require_members(names);
    for (const std::string& name : names) {
        if (any.at(name).is_string()) {
            static_cast<void>(device.at(name).text());
        } else {
            static_cast<void>(device.at(name).number32());
        }
    }
}

std::vector<Kind> kinds_of(const Place& list) {
    std::vector<Kind> kinds;
    std::string last;
    for (std::size_t i = 0U; i < list.list_size(); ++i) {
        const std::string name = list.at(i).text();
        bool is_known = false;
        for (std::size_t kind = 0U; kind < kKindCount; ++kind) {
            if (name == kind_name(static_cast<Kind>(kind))) {
                kinds.push_back(static_cast<Kind>(kind));
                is_known = true;
            }
        }
        if (!is_known || ((i > 0U) && (name <= last))) {
            list.at(i).fail("is no kind, or not in its place in the alphabet");
        }
        last = name;
    }
    return kinds;
}

Frame check_frame(const Place& report) {
    static_cast<void>(report.at("tool_version").text());
    const Place file = report.at("file");
    file.require_members({"name", "bytes", "sha256", "signature_dropped"});
    static_cast<void>(file.at("name").text());
    static_cast<void>(file.at("bytes").number32());
    file.at("sha256").require_hash();
    static_cast<void>(file.at("signature_dropped").flag());
    check_device(report.at("device"));
    static_cast<void>(report.at("seed").number32());
    Frame frame;
    frame.jobs.kinds = kinds_of(report.at("kinds"));
    frame.jobs.count = report.at("count").number32(1U, kMostMutants);
    frame.count = count_jobs(frame.jobs);
    report.at("jobs").require_value(frame.count, "is not what these kinds and this count come to");
    report.at("trusts").require_value(trusts_to_json(), "are not those of this kit");
    frame.shards = report.at("shards").number32(1U);
    frame.shard = report.at("shard").number32(1U, frame.shards);
    static_cast<void>(report.at("complete").flag());
    return frame;
}

// The job that an entry of either list is about.
Job check_job(const Place& entry, const Frame& frame, std::set<std::uint32_t>& seen) {
    const Place number = entry.at("job");
    if (frame.count == 0U) {
        number.fail("there are no jobs");
    }
    const std::uint32_t job = number.number32(0U, frame.count - 1U);
    if (!is_in_shard(job, frame.shard, frame.shards)) {
        number.fail(fmt::format("{} is not a job of shard {}/{}", job, frame.shard, frame.shards));
    }
    if (!seen.insert(job).second) {
        number.fail(fmt::format("{} is there twice", job));
    }
    const Job wanted = job_at(frame.jobs, job);
    entry.at("name").require_value(wanted.name, "is not the job's name");
    entry.at("kind").require_value(kind_name(wanted.kind), "is not the job's kind");
    return wanted;
}

void check_verdict(const Place& verdict) {
    if (!verdict.value().is_object() || !verdict.has("accepted")) {
        verdict.fail("has no member 'accepted'");
    }
    if (verdict.at("accepted").flag()) {
        verdict.require_members({"accepted"});
        return;
    }
    verdict.require_members({"accepted", "rule", "path", "offset", "actual", "limit"});
    static_cast<void>(verdict.at("rule").text());
    static_cast<void>(verdict.at("path").text());
    static_cast<void>(verdict.at("offset").number32());
    static_cast<void>(verdict.at("actual").number());
    static_cast<void>(verdict.at("limit").number());
}

void check_mutant(const Place& mutant, const Frame& frame, std::set<std::uint32_t>& seen) {
    mutant.require_members({"job", "name", "kind", "what", "file", "bytes", "sha256", "shift_bytes", "trust",
                            "expected", "alone", "verdict", "as_expected"},
                           {"added"});
    const Job job = check_job(mutant, frame, seen);
    static_cast<void>(mutant.at("what").text());
    if (mutant.has("added")) {
        static_cast<void>(mutant.at("added").text());
    }
    mutant.at("file").require_value(job.name + ".ptb", "is not the job's file");
    static_cast<void>(mutant.at("bytes").number32());
    mutant.at("sha256").require_hash();
    static_cast<void>(mutant.at("shift_bytes").number32(0U, kFileAlignmentBytes - 1U));
    if (!trust_named(mutant.at("trust").text())) {
        mutant.at("trust").fail("is no trust of this kit");
    }
    const bool aims = job.kind == Kind::kSemantic;
    const Place expected = mutant.at("expected");
    expected.require_members({aims ? "rule" : "any_of_group"}, {"path"});
    if (aims) {
        expected.at("rule").require_value(rule_id(rule_of(job)), "is not the job's rule");
    } else {
        expected.at("any_of_group").require_value(groups_of(job.kind), "are not the groups of this kind");
    }
    if (expected.has("path")) {
        static_cast<void>(expected.at("path").text());
    }
    static_cast<void>(mutant.at("alone").flag());
    check_verdict(mutant.at("verdict"));
    mutant.at("as_expected")
        .require_value(is_as_wanted(expected.value(), mutant.at("verdict").value()),
                       "is not what `expected` and `verdict` come to");
}

void check_not_applicable(const Place& entry, const Frame& frame, std::set<std::uint32_t>& seen) {
    entry.require_members({"job", "name", "kind", "rule", "because"});
    const Job job = check_job(entry, frame, seen);
    if (job.kind != Kind::kSemantic) {
        entry.fail("a mutant of this kind can always be made");
    }
    entry.at("rule").require_value(rule_id(rule_of(job)), "is not the job's rule");
    static_cast<void>(entry.at("because").text());
}

}  // namespace

void check_report(const Json& report) {
    const Place whole{report, ""};
    if (!report.is_object() || !report.contains("format")) {
        throw ReportError{"is no report"};
    }
    whole.at("format").require_value(kReportFormat, "is another format than this version's");
    whole.require_members({"format", "tool_version", "file", "device", "seed", "kinds", "count", "jobs", "trusts",
                           "shard", "shards", "complete", "mutants", "not_applicable"},
                          {"rules", "totals"});
    const Frame frame = check_frame(whole);
    std::set<std::uint32_t> seen;
    const Place mutants = whole.at("mutants");
    for (std::size_t i = 0U; i < mutants.list_size(); ++i) {
        check_mutant(mutants.at(i), frame, seen);
    }
    const Place not_applicable = whole.at("not_applicable");
    for (std::size_t i = 0U; i < not_applicable.list_size(); ++i) {
        check_not_applicable(not_applicable.at(i), frame, seen);
    }
    if (report.at("complete").get<bool>()) {
        whole.require_members({"rules", "totals"},
                              {"format", "tool_version", "file", "device", "seed", "kinds", "count", "jobs", "trusts",
                               "shard", "shards", "complete", "mutants", "not_applicable"});
        Json counted = report;
        summarise(counted);
        for (const char* const member : {"rules", "totals", "complete"}) {
            whole.at(member).require_value(counted.at(member), "is not what the mutants come to");
        }
    }
}

}  // namespace pianola::mutate
