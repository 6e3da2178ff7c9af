// Report: what a run of the mutation kit has made, and what the validator said of it.
//
// `pianola mutate` writes one, and joins those of shards. docs/evidence/mutation.md specifies the members. It holds no
// time, no path and no host: the same file, device, seed and options give the same bytes. A report that is read may
// have any origin: check_report() trusts none of it.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture_host/mutate/kit.h"

namespace pianola::mutate {

using Json = nlohmann::ordered_json;

inline constexpr std::uint32_t kReportFormat = 2U;

struct Run {
    std::string file_name;  // without folders
    std::string tool_version;
    JobOptions jobs;
    std::uint32_t seed{1U};
    std::uint32_t shard{1U};  // this one, from 1
    std::uint32_t shards{1U};
};

// Reports cannot be joined: what() says which, and why.
class MergeError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The text is no report of this kit: what() names the member.
class ReportError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Throws ReportError if a member is missing, is not known, or has a type or value that no run writes; if a job is not
// in the shard, or is there twice; if `as_expected` does not follow from the mutants; and, for a complete report, if
// `rules` or `totals` do not follow from them, or a job is missing.
void check_report(const Json& report);

// A report without mutants: what two reports must have in common, and what they are about.
[[nodiscard]] Json make_report(const Subject& subject, const Run& run);
// Whether a report is of the same file, device, options and shard.
[[nodiscard]] bool is_same_run(const Json& left, const Json& right);

// Job i is part of shard i modulo the number of shards, plus 1.
[[nodiscard]] bool is_in_shard(std::uint32_t job, std::uint32_t shard, std::uint32_t shards) noexcept;

// Adds what came of a job. Jobs are added in order.
void add_outcome(Json& report, std::uint32_t job_number, const Job& job, const Outcome& outcome,
                 const Verdict& verdict);
// Adds the entry of an earlier report for a job: an object of its `mutants` or `not_applicable`. A given verdict
// replaces that of a mutant.
void add_known(Json& report, Json known, const Verdict* verdict = nullptr);
// The entry of a report for a job; nullptr if it has none.
[[nodiscard]] const Json* find_job(const Json& report, std::uint32_t job_number);

// Counts: `rules`, `totals` and `complete`. A report is complete if all jobs of its shard are in it.
void summarise(Json& report);
// Whether every mutant was refused as it must be.
[[nodiscard]] bool is_as_expected(const Json& report);

struct NamedReport {
    std::string name;  // for messages
    Json report;
};
// The report of the whole run, from those of all its shards, in any order. Throws ReportError, MergeError.
[[nodiscard]] Json merge_reports(const std::vector<NamedReport>& reports);

[[nodiscard]] std::string sha256_hex(const Bytes& bytes);

// Parts of a report: the outcome of a job without the verdict, and whether a `verdict` is as `expected`.
[[nodiscard]] Json outcome_to_json(std::uint32_t job_number, const Job& job, const Outcome& outcome);
[[nodiscard]] bool is_as_wanted(const Json& expected, const Json& verdict);

}  // namespace pianola::mutate
