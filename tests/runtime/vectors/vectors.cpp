// pianola_vectors PACK EXPECTATIONS [mutants|meshes]: the validator's test vectors, for validators on other machines.
//
// Writes every file that the host suite refuses or accepts into one pack, and beside it, as JSON, what each must come
// to: rule, path and offset as the table of cases says, the two numbers of a verdict as this machine's validator says.
// All are judged by the profile small_ecu. With the word meshes, the pack holds the cases for a profile with several
// devices instead; with mutants, what the mutation kit makes of small files: rule and path as the kit says.
#include <algorithm>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "capture_host/mutate/kit.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "tests/mutate/subjects.h"
#include "tests/runtime/rule_case.h"
#include "tests/runtime/vectors/vector_pack.h"
#include "tests/support/core_model.h"

namespace pianola::test {
namespace {

// No target has more room for one file.
constexpr std::size_t kMaxStoredBytes = std::size_t{2} * 1024U * 1024U;

class Pack {
  public:
    void add(const std::string& name, const std::vector<std::uint8_t>& file, const DeviceDescription& device,
             std::uint32_t shift_bytes, nlohmann::ordered_json expected,
             mutate::TrustKind trust = mutate::TrustKind::kDevelopment) {
        PackRecord record = describe(device);
        record.length_bytes = static_cast<std::uint32_t>(file.size());
        record.stored_bytes =
            (file.size() <= kMaxStoredBytes) ? record.length_bytes : static_cast<std::uint32_t>(kPackAlignment);
        record.shift_bytes = shift_bytes;
        record.trust = static_cast<std::uint32_t>(trust);
        append(&record, sizeof(record));
        bytes_.resize(bytes_.size() + shift_bytes);
        append(file.data(), record.stored_bytes);
        bytes_.resize(pack_aligned(bytes_.size()));
        header_.vector_count += 1U;
        expected["name"] = name;
        expectations_.push_back(std::move(expected));
    }

    [[nodiscard]] std::vector<std::uint8_t> bytes() const {
        const std::array<PackTrust, kPackTrusts> trusts{describe(mutate::TrustKind::kDevelopment),
                                                        describe(mutate::TrustKind::kProduction)};
        constexpr std::size_t kFront = sizeof(header_) + sizeof(trusts);
        std::vector<std::uint8_t> all(kFront + bytes_.size());
        std::memcpy(all.data(), &header_, sizeof(header_));
        std::memcpy(all.data() + sizeof(header_), trusts.data(), sizeof(trusts));
        std::copy(bytes_.begin(), bytes_.end(), all.begin() + kFront);
        return all;
    }
    [[nodiscard]] const nlohmann::ordered_json& expectations() const noexcept { return expectations_; }

  private:
    static PackRecord describe(const DeviceDescription& device) {
        PackRecord record;
        std::strncpy(record.family.data(), device.family, record.family.size() - 1U);
        record.command_set_id = device.command_set_id;
        record.command_set_version = device.command_set_version;
        copy_device(device, record);
        return record;
    }

    static PackTrust describe(mutate::TrustKind kind) {
        const Trust& trust = mutate::trust_of(kind);
        PackTrust described;
        described.policy = static_cast<std::uint32_t>(trust.signatures);
        described.lowest_security_version = trust.lowest_security_version;
        for (const TrustedKey& key : trust.keys) {
            described.keys.at(described.key_count) = {key.id, key.key, static_cast<std::uint32_t>(key.state)};
            described.key_count += 1U;
        }
        return described;
    }

    void append(const void* data, std::size_t size_bytes) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + size_bytes);
        std::memcpy(bytes_.data() + at, data, size_bytes);
    }

    PackHeader header_;
    std::vector<std::uint8_t> bytes_;
    nlohmann::ordered_json expectations_ = nlohmann::ordered_json::array();
};

// What this machine's validator says, in the words of PackResult.
nlohmann::ordered_json verdict_of(const Verdict& verdict) {
    return {{"status", static_cast<std::uint32_t>(verdict.status)},
            {"rule", rule_id(verdict.rule)},
            {"path", path_text(verdict)},
            {"offset", verdict.file_offset},
            {"actual", verdict.actual},
            {"limit", verdict.limit}};
}

void add_refused(Pack& pack, const Capacities& profile) {
    for (const RuleCase& rule_case : all_cases()) {
        const Mutant mutant = rule_case.make();
        if (mutant.device.capacities != &profile) {
            continue;
        }
        Validator validator{mutant.device};
        static_cast<void>(validator.validate(mutant.file));
        nlohmann::ordered_json expected = verdict_of(validator.verdict());
        expected["status"] = static_cast<std::uint32_t>(Status::kRefused);
        expected["rule"] = rule_id(rule_case.rule);
        expected["path"] = rule_case.path;
        expected["offset"] = rule_case.offset(mutant.file);
        pack.add(std::string{rule_id(rule_case.rule)} + ": " + rule_case.what, mutant.file, mutant.device, 0U,
                 expected);
    }
}

void add_misaligned(Pack& pack) {
    const std::vector<std::uint8_t> file = make_workload(1U).file();
    for (std::uint32_t shift = 1U; shift < kPackAlignment; ++shift) {
        std::vector<std::uint8_t> shifted(shift);
        shifted.insert(shifted.end(), file.begin(), file.end());
        const files::AlignedBytes bytes{shifted};
        Validator validator;
        static_cast<void>(validator.validate(bytes.view().subspan(shift, file.size())));
        nlohmann::ordered_json expected = verdict_of(validator.verdict());
        expected.erase("actual");  // what is left of an address
        pack.add("misaligned by " + std::to_string(shift), file, default_device(), shift, expected);
    }
}

void add_accepted(Pack& pack) {
    for (const AcceptedCase& accepted : accepted_cases()) {
        Validator validator;
        static_cast<void>(validator.validate(accepted.file));
        nlohmann::ordered_json expected = verdict_of(validator.verdict());
        expected["status"] = static_cast<std::uint32_t>(Status::kOk);
        pack.add(accepted.what, accepted.file, default_device(), 0U, expected);
    }
}

// By the costs of a core, with the shortest deadline and one that is shorter. The Validator's command set has other
// costs.
void add_core(Pack& pack) {
    const refdev::RefdevCommandSet command_set{kCoreModel};
    DeviceDescription device = refdev::description_of(core_device());
    device.capacities = &profiles::kSmallEcu;
    Workload workload = make_core_workload();
    for (const Rule rule : {Rule::kAccepted, Rule::kBudDeadline}) {
        const std::vector<std::uint8_t> file = workload.file();
        const files::AlignedBytes bytes{file};
        const auto workspace = std::make_unique<PlanWorkspace>();
        const auto plan = std::make_unique<Plan>();
        Image image;
        Verdict verdict;
        static_cast<void>(
            validate(bytes.view(), device, command_set, kDevelopmentTrust, *workspace, image, *plan, verdict));
        nlohmann::ordered_json expected = verdict_of(verdict);
        expected["rule"] = rule_id(rule);
        pack.add(std::string{rule_id(rule)} + ": costs of a core", file, device, 0U, expected);
        workload.manifest.step_deadline_us -= 1U;
    }
}

// The verdict of the target's own checks: a mutant that only the host refuses is accepted here.
nlohmann::ordered_json expectation_of(const mutate::Mutant& mutant, const DeviceDescription& device) {
    std::vector<std::uint8_t> shifted(mutant.shift_bytes);
    shifted.insert(shifted.end(), mutant.file.begin(), mutant.file.end());
    const files::AlignedBytes bytes{shifted};
    Validator validator{device};
    static_cast<void>(validator.validate(bytes.view().subspan(mutant.shift_bytes, mutant.file.size()),
                                         mutate::trust_of(mutant.trust)));
    nlohmann::ordered_json expected = verdict_of(validator.verdict());
    if (mutant.expected.rule == Rule::kHstCanonical) {
        expected["status"] = static_cast<std::uint32_t>(Status::kOk);
        return expected;
    }
    expected["status"] = static_cast<std::uint32_t>(Status::kRefused);
    if (mutant.expected.rule) {
        expected["rule"] = rule_id(*mutant.expected.rule);
    }
    if (!mutant.expected_path.empty()) {
        expected["path"] = mutant.expected_path;
    }
    return expected;
}

// Of two queues everything; of what has other places to break rules at, the mutants that two queues do not have.
void add_mutants(Pack& pack) {
    constexpr std::uint32_t kRandomMutants = 16U;
    constexpr std::uint32_t kSeed = 1U;
    const std::vector<mutate::Kind> all{mutate::Kind::kTruncation, mutate::Kind::kFlip,     mutate::Kind::kEnvelope,
                                        mutate::Kind::kStructure,  mutate::Kind::kResealed, mutate::Kind::kSemantic};
    std::set<std::string> made;
    for (const NamedSubject& named : {two_queues_subject(), short_rings_subject()}) {
        const DeviceDescription& device = named.subject.device;
        mutate::Checker checker{named.subject};
        for (const mutate::Job& job : mutate::list_jobs({all, kRandomMutants})) {
            const mutate::Outcome outcome = (made.count(job.name) == 0U)
                                                ? mutate::make_mutant(named.subject, job, kSeed, checker)
                                                : mutate::Outcome{};
            if (outcome.mutant) {
                made.insert(job.name);
                pack.add(named.name + ", " + job.name, outcome.mutant->file, device, outcome.mutant->shift_bytes,
                         expectation_of(*outcome.mutant, device), outcome.mutant->trust);
            }
        }
    }
}

}  // namespace
}  // namespace pianola::test

int main(int argc, char** argv) {
    const std::string what{(argc == 4) ? argv[3] : ""};
    const bool of_mutants = what == "mutants";
    const bool of_meshes = what == "meshes";
    if ((argc != 3) && !of_mutants && !of_meshes) {
        std::cerr << "usage: pianola_vectors PACK EXPECTATIONS [mutants|meshes]\n";
        return 2;
    }
    try {
        pianola::test::Pack pack;
        if (of_mutants) {
            pianola::test::add_mutants(pack);
        } else if (of_meshes) {
            pianola::test::add_refused(pack, pianola::profiles::kDefault);
        } else {
            pianola::test::add_accepted(pack);
            pianola::test::add_misaligned(pack);
            pianola::test::add_core(pack);
            pianola::test::add_refused(pack, pianola::profiles::kSmallEcu);
        }
        pianola::files::store_file(argv[1], pack.bytes());
        pianola::files::store_file(argv[2], pack.expectations().dump(1) + "\n");
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
