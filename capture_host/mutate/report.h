// Report: what a run of the mutation kit has made, and what the validator said of it.
//
// Place in the whole: `pianola mutate` writes one, and joins those of shards. docs/MUTATION.md specifies the members.
// It holds no time, no path and no host: the same file, seed and options give the same bytes. Host only.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture_host/mutate/kit.h"

namespace pianola::mutate {

using Json = nlohmann::ordered_json;

struct Run {
    std::string file_name;  // without folders
    std::string tool_version;
    JobOptions jobs;
    std::uint32_t seed{1U};
    std::uint32_t shard{1U};  // this one, from 1
    std::uint32_t shards{1U};
};

// Reports that can not be joined: what() says which, and why.
class MergeError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A report without mutants: what two reports must have in common, and what they are about.
[[nodiscard]] Json make_report(const Subject& subject, const Run& run);
// Whether a report is of the same file, options and shard.
[[nodiscard]] bool is_same_run(const Json& left, const Json& right);

// Job i is part of shard i modulo the number of shards, plus 1.
[[nodiscard]] bool is_in_shard(std::uint32_t job, const Run& run) noexcept;

// Adds what came of a job. Jobs are added in order.
void add_outcome(Json& report, std::uint32_t job_number, const Job& job, const Outcome& outcome,
                 const Verdict& verdict);
// Adds what an earlier report says of the job, an object of its `mutants` or `not_applicable`.
void add_known(Json& report, const Json& known);
// The same for a mutant, with what the validator says of it now.
void add_known(Json& report, const Json& known, const Verdict& verdict);
// What a report says of a job; nullptr where that is nothing.
[[nodiscard]] const Json* find_job(const Json& report, std::uint32_t job_number);

// Counts: `rules`, `totals` and `complete`. A report is complete where all jobs of its shard are in it.
void summarise(Json& report);
// True where every mutant was refused as it must be.
[[nodiscard]] bool is_as_expected(const Json& report);

// The report of the whole run, from those of all its shards, in any order. Throws MergeError.
[[nodiscard]] Json merge_reports(const std::vector<Json>& reports);

[[nodiscard]] std::string sha256_hex(const Bytes& bytes);

}  // namespace pianola::mutate
