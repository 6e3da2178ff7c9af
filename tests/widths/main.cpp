// pianola_widths: what this build of the validator says, for a comparison with what another build says.
//
//   pianola_widths files FILE...                    each file, for the default device and for a small one
//   pianola_widths pack PACK...                     each file of packs of test vectors (tests/runtime/vectors)
//   pianola_widths wraps FILE...                    every list element of the files, led backwards to a copy of itself
//   pianola_widths mutants SEED FIRST COUNT FILE... a hash over each thousand of mutants, and how many a rule refuses
//   pianola_widths show SEED FIRST COUNT FILE...    each mutant's verdict instead
//   pianola_widths write SEED INDEX OUT FILE...     one mutant as a file
//
// FILEs of the last four are accepted, for the small device; what they damage besides is a buffer of the probe schema,
// which has lists of names. Prints the same on every machine. Where files lie in memory goes to the error stream.
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "runtime/image/schema_check.h"
#include "runtime/image/schema_rules.h"
#include "tests/runtime/probe_rules.h"
#include "tests/runtime/vectors/vector_pack.h"
#include "tests/support/core_model.h"
#include "tests/widths/mutants.h"
#include "tests/widths/placed_file.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// "accepted", or "RULE path offset actual limit". Where places disagree, what each says.
class Judge {
  public:
    // Of a file for the device. `file_bytes` is more than there are bytes where the file is refused for its length.
    [[nodiscard]] std::string file(const Bytes& bytes, const DeviceDescription& device, const Trust& trust,
                                   std::size_t shift = 0U, std::size_t file_bytes = 0U);
    // Of a buffer of the schema in tests/runtime/probe_schema, by the two checks of schema_check.h.
    [[nodiscard]] std::string probe(const Bytes& buffer);

    [[nodiscard]] std::string places() const { return places_.describe(); }

  private:
    Places places_;
    refdev::RefdevCommandSet command_set_;
    refdev::RefdevCommandSet of_core_{test::kCoreModel};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    std::unique_ptr<Plan> plan_{std::make_unique<Plan>()};
    Image image_;
};

std::string line_of(Status status, const Verdict& verdict) {
    if (is_ok(status)) {
        return "accepted";
    }
    std::array<char, 256> path{};
    static_cast<void>(format_path(verdict.path, Span<char>{path}));
    return std::string{rule_id(verdict.rule)} + " " + path.data() + " " + std::to_string(verdict.file_offset) + " " +
           std::to_string(verdict.actual) + " " + std::to_string(verdict.limit);
}

// The first of the lines, or all of them where they differ.
std::string common(const std::vector<std::string>& lines) {
    bool same = true;
    std::string all = "the verdict depends on the address:";
    for (const std::string& line : lines) {
        same = same && (line == lines.front());
        all += " [" + line + "]";
    }
    return same ? lines.front() : all;
}

std::string Judge::file(const Bytes& bytes, const DeviceDescription& device, const Trust& trust, std::size_t shift,
                        std::size_t file_bytes) {
    const bool has_core = device.cost_model == test::kCoreModel.number;
    std::vector<std::string> lines;
    for (const ByteSpan view : places_.put(bytes, shift)) {
        Verdict verdict;
        const ByteSpan whole{view.data(), (file_bytes > view.size()) ? file_bytes : view.size()};
        const Status status =
            validate(whole, device, has_core ? of_core_ : command_set_, trust, *workspace_, image_, *plan_, verdict);
        lines.push_back(line_of(status, verdict));
    }
    return common(lines);
}

std::string Judge::probe(const Bytes& buffer) {
    constexpr flatbuffers::uoffset_t kTables = 1000U;
    std::vector<std::string> lines;
    for (const ByteSpan view : places_.put(buffer)) {
        flatbuffers::Verifier verifier{view.data(), view.size(), kMaxManifestDepth, kTables};
        std::uint32_t tables = 0U;
        Verdict verdict;
        if (!check_structure(probe::kProbeRules, view, "PTPR", verifier, tables)) {
            lines.push_back("IMG-STRUCTURE after " + std::to_string(tables));
            continue;
        }
        const auto& root = *flatbuffers::GetRoot<flatbuffers::Table>(view.data());
        const bool strict = check_strictness(probe::kProbeRules, view, root, verdict);
        lines.push_back(line_of(strict ? Status::kOk : Status::kRefused, verdict) + " of " +
                        std::to_string(verifier.GetComputedSize()));
    }
    return common(lines);
}

using Words = std::vector<std::string>;

Bytes load(const std::string& name) {
    std::ifstream stream{name, std::ios::binary};
    if (!stream) {
        throw std::runtime_error{"cannot read " + name};
    }
    return {std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
}

std::string base_name(const std::string& name) {
    return name.substr(name.find_last_of('/') + 1U);
}

DeviceDescription describe(bool small) {
    refdev::DeviceSpec spec;
    if (small) {  // tests/support/workload.cpp
        spec.dram_bytes = 4096U;
        spec.l1_bytes = 1024U;
        spec.trace_region_bytes = 1024U;
    }
    DeviceDescription device;
    refdev::describe(spec, device);
    return device;
}

class Program {
  public:
    int run(const Words& words) {
        std::cerr << "files lie in" << judge_.places() << "\n";
        const std::string& verb = words.at(0U);
        if (verb == "files") {
            judge_files({words.begin() + 1, words.end()});
        } else if (verb == "pack") {
            judge_pack(load(words.at(1U)));
        } else if (verb == "wraps") {
            return judge_wraps({words.begin() + 1, words.end()});
        } else if ((verb == "mutants") || (verb == "show")) {
            judge_mutants(words, verb == "show");
        } else if (verb == "write") {
            take_subjects({words.begin() + 4, words.end()});
            const Bytes mutant = mutant_of(number(words.at(1U)), number(words.at(2U)));
            std::ofstream{words.at(3U), std::ios::binary} << std::string{mutant.begin(), mutant.end()};
        } else {
            throw std::runtime_error{verb + " is not known"};
        }
        return 0;
    }

  private:
    static std::uint32_t number(const std::string& word) { return static_cast<std::uint32_t>(std::stoul(word)); }

    void judge_files(const Words& names) {
        for (const std::string& name : names) {
            const Bytes bytes = load(name);
            for (const bool small : {false, true}) {
                std::cout << base_name(name) << (small ? " small " : " default ")
                          << judge_.file(bytes, describe(small), kDevelopmentTrust) << "\n";
            }
        }
    }

    // Without a verifier for signatures: both builds refuse what is signed by a key that they trust.
    void judge_pack(const Bytes& pack) {
        PackHeader header;
        std::memcpy(&header, pack.data(), sizeof(header));
        if ((pack.size() < sizeof(header)) || (header.magic != kPackMagic) || (header.version != kPackVersion)) {
            throw std::runtime_error{"no pack of vectors"};
        }
        std::size_t at = sizeof(header) + (kPackTrusts * sizeof(PackTrust));
        for (std::uint32_t i = 0U; i < header.vector_count; ++i) {
            PackRecord record;
            static_cast<void>(pack.at(at + sizeof(record) - 1U));
            std::memcpy(&record, &pack.at(at), sizeof(record));
            at += sizeof(record);
            const auto first = pack.begin() + static_cast<std::ptrdiff_t>(at + record.shift_bytes);
            const Bytes bytes{first, first + static_cast<std::ptrdiff_t>(record.stored_bytes)};
            at += pack_aligned(std::size_t{record.shift_bytes} + record.stored_bytes);
            std::cout << i << " "
                      << judge_.file(bytes, device_of(record), kDevelopmentTrust, record.shift_bytes,
                                     record.length_bytes)
                      << "\n";
        }
    }

    static DeviceDescription device_of(const PackRecord& record) {
        DeviceDescription device = describe(false);
        copy_device(record, device);
        return device;
    }

    void take_subjects(const Words& names) {
        for (const std::string& name : names) {
            subjects_.push_back(manifest_subject(base_name(name), load(name)));
        }
        subjects_.push_back(probe_subject());
        for (const Subject& subject : subjects_) {
            const std::string verdict = verdict_on(subject, file_with(subject, subject.buffer));
            if (verdict.rfind("accepted", 0U) != 0U) {
                throw std::runtime_error{subject.name + " is not accepted to start with: " + verdict};
            }
        }
    }

    std::string verdict_on(const Subject& subject, const Bytes& bytes) {
        return subject.file.empty() ? judge_.probe(bytes) : judge_.file(bytes, small_, kDevelopmentTrust);
    }

    // 0 where every list of tables or names that the schemas have was there to be damaged.
    int judge_wraps(const Words& names) {
        take_subjects(names);
        std::set<const FieldRule*> missing;
        for (const SchemaRules* rules : {&schema::kTraceBinaryRules, &probe::kProbeRules}) {
            for (const FieldRule& field : rules->fields) {
                if ((field.kind == FieldKind::kTables) || (field.kind == FieldKind::kNames)) {
                    missing.insert(&field);
                }
            }
        }
        for (const Subject& subject : subjects_) {
            for (const Link& link : subject.links.links) {
                if (link.kind == Link::Kind::kElement) {
                    std::uint32_t gap = 0U;
                    const Bytes buffer = wrap_element(*subject.rules, subject.buffer, link, gap);
                    std::cout << subject.name << " " << link.field->name << " at " << link.place << ": "
                              << verdict_on(subject, file_with(subject, buffer)) << "\n";
                    missing.erase(link.field);
                }
            }
        }
        for (const FieldRule* field : missing) {
            std::cout << "no file has an element of " << field->name << "\n";
        }
        return missing.empty() ? 0 : 1;
    }

    [[nodiscard]] const Subject& subject_of(Random& random) const {
        return subjects_.at(random.below(static_cast<std::uint32_t>(subjects_.size())));
    }
    static Random random_of(std::uint32_t seed, std::uint32_t index) { return Random{(seed * 0x9E37'79B9U) ^ index}; }

    [[nodiscard]] Bytes mutant_of(std::uint32_t seed, std::uint32_t index) const {
        Random random = random_of(seed, index);
        const Subject& subject = subject_of(random);
        return file_with(subject, make_mutant(subject, random));
    }

    void judge_mutants(const Words& words, bool show) {
        constexpr std::uint32_t kBlock = 1000U;
        const std::uint32_t seed = number(words.at(1U));
        const std::uint32_t first = number(words.at(2U));
        const std::uint32_t end = first + number(words.at(3U));
        take_subjects({words.begin() + 4, words.end()});
        std::map<std::string, std::uint32_t> tally;
        std::uint64_t hash = 0U;
        for (std::uint32_t i = first; i < end; ++i) {
            Random random = random_of(seed, i);
            const Subject& subject = subject_of(random);
            const Bytes mutant = file_with(subject, make_mutant(subject, random));
            const std::string verdict = subject.name + " " + verdict_on(subject, mutant);
            tally[verdict.substr(subject.name.size() + 1U,
                                 verdict.find(' ', subject.name.size() + 1U) - (subject.name.size() + 1U))] += 1U;
            if (show) {
                std::cout << i << " " << verdict << "\n";
            }
            for (const char character : verdict) {  // FNV-1a
                hash = (hash ^ static_cast<std::uint8_t>(character)) * 0x0000'0100'0000'01B3U;
            }
            if (!show && ((((i - first) % kBlock) == (kBlock - 1U)) || ((i + 1U) == end))) {
                std::cout << "mutants to " << i << ": " << std::hex << hash << std::dec << "\n";
            }
        }
        for (const auto& [rule, count] : tally) {
            std::cout << "tally " << rule << " " << count << "\n";
        }
    }

    Judge judge_;
    DeviceDescription small_{describe(true)};
    std::vector<Subject> subjects_;
};

}  // namespace
}  // namespace pianola::test

int main(int argc, char** argv) {
    try {
        return pianola::test::Program{}.run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 2;
    }
}
