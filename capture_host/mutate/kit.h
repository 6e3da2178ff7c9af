// Mutation kit: damaged copies of an accepted trace binary, each with the verdict that it must get.
//
// `pianola mutate`, the tests and the packs of vectors for boards make their mutants with it. The work is a list of
// jobs, a function of kinds and counts alone, so that it can be divided; a job's mutant is a function of file, seed and
// job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture_host/mutate/file_bytes.h"
#include "capture_host/mutate/subject.h"
#include "pianola/rule.h"

namespace pianola::mutate {

// Names are those of --kind.
enum class Kind : std::uint8_t {
    kTruncation,  // "truncation": cut off
    kFlip,        // "flip": a bit or a byte is changed, and the digest is not
    kEnvelope,    // "envelope": bits of the header, with a correct digest
    kStructure,   // "structure": offsets and lengths of the manifest's FlatBuffer, with a correct digest
    kResealed,    // "resealed": a bit of a signed file is changed, and the digest corrected, without the key
    kSemantic,    // "semantic": one rule is broken, with a correct digest
};
inline constexpr std::size_t kKindCount = 6U;
[[nodiscard]] const char* kind_name(Kind kind) noexcept;
[[nodiscard]] std::vector<Kind> kinds_named(const std::vector<std::string>& names);  // in their own order

struct Job {
    Kind kind{Kind::kSemantic};
    std::uint32_t index{0U};  // of its kind: the operator, or the random mutant
    std::string name;         // unique; "TRC-BOUNDS.no-region", "flip.000017"
};

inline constexpr std::uint32_t kMostMutants = 1'000'000U;  // of a random kind
struct JobOptions {
    std::vector<Kind> kinds;   // in any order
    std::uint32_t count{64U};  // random mutants of each kind but the semantic one
};
// In the order of Kind, whatever the order of options.kinds; each kind once.
[[nodiscard]] std::vector<Job> list_jobs(const JobOptions& options);
// How many these are, and one of them, without the list.
[[nodiscard]] std::uint32_t count_jobs(const JobOptions& options);
[[nodiscard]] Job job_at(const JobOptions& options, std::uint32_t number);
// The groups of rules that may refuse a mutant of that kind, which is not the semantic one.
[[nodiscard]] std::vector<std::string> groups_of(Kind kind);

// The expected verdict: that rule, or any rule with an id that starts with one of the groups ("ENV").
struct Expectation {
    std::optional<Rule> rule;
    std::vector<std::string> groups;
};

struct Mutant {
    Bytes file;
    std::uint32_t shift_bytes{0U};  // bytes after an address that the runtime accepts, for loading
    Expectation expected;
    std::string what;           // is wrong with it
    std::string expected_path;  // the field that the verdict must name; empty for any
    std::string extension;  // what the workload was given first, so that the rule could be broken; empty for nothing
    bool is_alone{false};   // nothing else is wrong with it
    TrustKind trust{TrustKind::kDevelopment};  // of the validator that must refuse it
};

struct Outcome {
    std::optional<Mutant> mutant;
    std::string not_applicable;  // the reason, if there is no mutant
};

// `job` is one of list_jobs(). The checker is for the subject's device.
[[nodiscard]] Outcome make_mutant(const Subject& subject, const Job& job, std::uint32_t seed, Checker& checker);

// Rule of a semantic job.
[[nodiscard]] Rule rule_of(const Job& job);

}  // namespace pianola::mutate
