#include "capture_host/mutate/kit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "capture_host/mutate/damage.h"
#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

constexpr std::array<const char*, kKindCount> kKindNames{"truncation", "flip",     "envelope",
                                                         "structure",  "resealed", "semantic"};

const std::vector<Operator>& operators() {
    static const std::vector<Operator> kOperators = all_operators();
    return kOperators;
}

// Jobs of that kind.
std::uint32_t count_of(const JobOptions& options, Kind kind) {
    if (std::find(options.kinds.begin(), options.kinds.end(), kind) == options.kinds.end()) {
        return 0U;
    }
    return (kind == Kind::kSemantic) ? static_cast<std::uint32_t>(operators().size()) : options.count;
}

Engine engine_for(const Job& job, std::uint32_t seed) {
    constexpr std::uint32_t kGolden = 0x9E37'79B9U;
    constexpr std::uint32_t kKindShift = 28U;
    return Engine{(seed * kGolden) ^ (static_cast<std::uint32_t>(job.kind) << kKindShift) ^ job.index};
}

Outcome make_semantic(const Subject& subject, const Job& job, Checker& checker) {
    const Operator& by = operators().at(job.index);
    Draft draft{subject, checker};
    try {
        by.apply_to(draft);
    } catch (const NotApplicable& reason) {
        return {std::nullopt, reason.what()};
    }
    Mutant mutant{draft.write(), draft.shift_bytes(), {by.rule, {}}, by.what,
                  draft.path(),  draft.extension(),   by.is_alone,   draft.trust()};
    return {std::move(mutant), ""};
}

Mutant make_random(const Subject& subject, const Job& job, std::uint32_t seed) {
    Engine engine = engine_for(job, seed);
    Mutant mutant;
    mutant.file = subject.file;
    mutant.expected.groups = groups_of(job.kind);
    switch (job.kind) {
        case Kind::kTruncation:
            mutant.what = truncate_file(job.index, engine, mutant.file);
            break;
        case Kind::kFlip:
            mutant.what = flip_bytes(job.index, engine, mutant.file);
            break;
        case Kind::kEnvelope:
            mutant.what = damage_header(engine, mutant.file);
            capture::fix_digest(mutant.file);
            break;
        case Kind::kResealed:
            mutant.file = signed_file(mutant.file, Signer::kTrusted, Signer::kTrusted, kLowestVersion);
            mutant.what = reseal_file(job.index, engine, mutant.file);
            mutant.trust = TrustKind::kProduction;
            break;
        case Kind::kStructure:
        case Kind::kSemantic:
        default:
            mutant.what = damage_structure(engine, mutant.file);
            capture::fix_digest(mutant.file);
            break;
    }
    return mutant;
}

}  // namespace

const char* kind_name(Kind kind) noexcept {
    return kKindNames.at(static_cast<std::size_t>(kind));
}

std::vector<Kind> kinds_named(const std::vector<std::string>& names) {
    std::vector<Kind> kinds;
    for (std::size_t i = 0U; i < kKindCount; ++i) {
        if (std::find(names.begin(), names.end(), kKindNames.at(i)) != names.end()) {
            kinds.push_back(static_cast<Kind>(i));
        }
    }
    return kinds;
}

std::vector<Job> list_jobs(const JobOptions& options) {
    std::vector<Job> jobs;
    const std::uint32_t count = count_jobs(options);
    jobs.reserve(count);
    for (std::uint32_t i = 0U; i < count; ++i) {
        jobs.push_back(job_at(options, i));
    }
    return jobs;
}

std::uint32_t count_jobs(const JobOptions& options) {
    std::uint32_t count = 0U;
    for (std::size_t i = 0U; i < kKindCount; ++i) {
        count += count_of(options, static_cast<Kind>(i));
    }
    return count;
}

Job job_at(const JobOptions& options, std::uint32_t number) {
    std::uint32_t index = number;
    for (std::size_t i = 0U; i < kKindCount; ++i) {
        const auto kind = static_cast<Kind>(i);
        const std::uint32_t count = count_of(options, kind);
        if (index < count) {
            const bool aims = kind == Kind::kSemantic;
            return {kind, index,
                    aims ? fmt::format("{}.{}", rule_id(operators()[index].rule), operators()[index].name)
                         : fmt::format("{}.{:06}", kind_name(kind), index)};
        }
        index -= count;
    }
    throw std::out_of_range{"there is no such job"};
}

std::vector<std::string> groups_of(Kind kind) {
    switch (kind) {
        case Kind::kResealed:
            return {"ENV", "AUT"};
        case Kind::kStructure:
            return {"IMG"};
        case Kind::kTruncation:
        case Kind::kFlip:
        case Kind::kEnvelope:
        case Kind::kSemantic:
        default:
            return {"ENV"};
    }
}

Outcome make_mutant(const Subject& subject, const Job& job, std::uint32_t seed, Checker& checker) {
    if (job.kind == Kind::kSemantic) {
        return make_semantic(subject, job, checker);
    }
    return {make_random(subject, job, seed), ""};
}

Rule rule_of(const Job& job) {
    return operators().at(job.index).rule;
}

}  // namespace pianola::mutate
