#include "capture_host/binary/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/base/text.h"
#include "capture_host/binary/names.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/trace_walk.h"
#include "hal/host/device_numbers.h"
#include "pianola_host/manifest.h"

namespace pianola::diff {
namespace {

constexpr const char* kNothing = "-";

// Collects differences.
class Found {
  public:
    void add(Class kind, const std::string& where, const std::string& before, const std::string& after) {
        if (before != after) {
            list_.push_back({kind, where, before, after});
        }
    }
    template <typename Number>
    void compare(Class kind, const std::string& where, Number before, Number after) {
        add(kind, where, fmt::format("{}", before), fmt::format("{}", after));
    }
    // Compares lists of texts entry by entry, up to the shorter length.
    void compare_lists(Class kind, const std::string& where, const std::vector<std::string>& before,
                       const std::vector<std::string>& after);

    [[nodiscard]] bool has(Class kind) const {
        return std::any_of(list_.begin(), list_.end(), [kind](const Difference& each) { return each.kind == kind; });
    }
    [[nodiscard]] std::vector<Difference>& list() noexcept { return list_; }

  private:
    std::vector<Difference> list_;
};

// One operator of a trace and its commands.
struct OperatorCommands {
    std::string trace;
    std::string name;                // "3 CONV_2D"; a second one of the same name has "#2" at its end
    std::vector<std::string> kinds;  // of its commands
    std::vector<std::vector<std::uint32_t>> words;
    std::vector<DecodedCommand> decoded;
};

// The constants that commands read, by operator, command and operand: "3 CONV_2D: conv2d filter".
using Constants = std::map<std::string, std::vector<std::uint8_t>>;

// A write of the set-up from the weights segment to device memory, or the segment where the device reads it itself.
struct Placed {
    std::uint64_t address{0U};
    std::uint64_t offset{0U};  // in the segment
    std::uint64_t size{0U};
};

std::vector<Placed> placed_constants(const Side& side, const capture::Manifest& manifest) {
    std::vector<Placed> all;
    for (const capture::ManifestRegion& region : manifest.regions) {
        if ((region.memory == MemoryKind::kFile) && (region.size_bytes <= side.image.weights().size())) {
            all.push_back({region.base, 0U, region.size_bytes});
        }
    }
    for (const capture::ManifestScript& script : manifest.scripts) {
        for (const capture::ManifestCommand& command : script.commands) {
            if ((command.kind != ScriptCommandKind::kWriteBuffer) || (command.object >= manifest.buffers.size())) {
                continue;
            }
            const capture::ManifestBuffer& buffer = manifest.buffers[command.object];
            const bool is_inside =
                (buffer.region < manifest.regions.size()) &&
                ((std::uint64_t{command.segment_offset} + buffer.size_bytes) <= side.image.weights().size());
            if (is_inside) {
                all.push_back({std::uint64_t{manifest.regions[buffer.region].base} + buffer.offset_bytes,
                               command.segment_offset, buffer.size_bytes});
            }
        }
    }
    return all;
}

Constants constants_of(const Side& side, const capture::Manifest& manifest,
                       const std::vector<OperatorCommands>& operators) {
    const std::vector<Placed> placed = placed_constants(side, manifest);
    const ByteSpan weights = side.image.weights();
    Constants constants;
    const auto add = [&](const OperatorCommands& of, std::size_t command, const Extent& extent) {
        const std::uint64_t bytes = hull_bytes(extent);
        for (const Placed& each : placed) {
            if ((extent.address < each.address) || ((extent.address + bytes) > (each.address + each.size))) {
                continue;
            }
            const ByteSpan contents =
                weights.subspan(static_cast<std::size_t>(each.offset + (extent.address - each.address)),
                                static_cast<std::size_t>(bytes));
            const std::string launch = (of.kinds.size() == 1U)
                                           ? of.kinds[command]
                                           : fmt::format("commands[{}] {}", command, of.kinds[command]);
            constants[fmt::format("{}: {} {}", of.name, launch, extent.field)] = {contents.begin(), contents.end()};
            return;
        }
    };
    for (const OperatorCommands& each : operators) {
        for (std::size_t command = 0U; command < each.decoded.size(); ++command) {
            for (const Extent& extent : each.decoded[command].extents.view()) {
                if (extent.access == Access::kRead) {
                    add(each, command, extent);
                }
            }
        }
    }
    return constants;
}

constexpr std::size_t kMostNames = 6U;

std::string joined(const std::vector<std::string>& names) {
    if (names.empty()) {
        return kNothing;
    }
    std::string text;
    for (std::size_t i = 0U; (i < names.size()) && (i < kMostNames); ++i) {
        text += (text.empty() ? "" : ", ") + names[i];
    }
    return text + ((names.size() > kMostNames) ? fmt::format(" and {} more", names.size() - kMostNames) : "");
}

std::vector<std::string> names_of(const std::vector<OperatorCommands>& operators) {
    std::vector<std::string> names;
    for (const OperatorCommands& each : operators) {
        names.push_back(each.name);
    }
    return names;
}

// Compares the operators between the common first and the common last ones.
void compare_names(const std::vector<std::string>& before, const std::vector<std::string>& after, Found& found) {
    std::size_t first = 0U;
    const std::size_t shorter = std::min(before.size(), after.size());
    while ((first < shorter) && (before[first] == after[first])) {
        ++first;
    }
    std::size_t last = 0U;
    while ((last < (shorter - first)) && (before[before.size() - 1U - last] == after[after.size() - 1U - last])) {
        ++last;
    }
    const auto middle = [first, last](const std::vector<std::string>& names) {
        return std::vector<std::string>{names.begin() + static_cast<std::ptrdiff_t>(first),
                                        names.end() - static_cast<std::ptrdiff_t>(last)};
    };
    found.add(Class::kOperators, fmt::format("from operator {} on", first), joined(middle(before)),
              joined(middle(after)));
}

std::string words_text(const std::vector<std::uint32_t>& words) {
    std::string text;
    for (const std::uint32_t word : words) {
        text += fmt::format("{}{:08X}", text.empty() ? "" : " ", word);
    }
    return text;
}

void compare_commands(const OperatorCommands& before, const OperatorCommands& after, Found& found) {
    if (before.kinds != after.kinds) {
        found.add(Class::kCommands, before.name, joined(before.kinds), joined(after.kinds));
        return;
    }
    const auto differing = std::mismatch(before.words.begin(), before.words.end(), after.words.begin());
    if (differing.first == before.words.end()) {
        return;
    }
    const auto place = static_cast<std::size_t>(differing.first - before.words.begin());
    const auto [word, other] = std::mismatch(differing.first->begin(), differing.first->end(),
                                             differing.second->begin(), differing.second->end());
    const bool has_both = (word != differing.first->end()) && (other != differing.second->end());
    const std::string where = fmt::format("{}: commands[{}] {}", before.name, place, before.kinds[place]);
    if (has_both) {
        const auto index = word - differing.first->begin();
        found.add(Class::kCommands, fmt::format("{}, word {}", where, index), fmt::format("0x{:08X}", *word),
                  fmt::format("0x{:08X}", *other));
    } else {
        found.add(Class::kCommands, where, words_text(*differing.first), words_text(*differing.second));
    }
}

std::string constant_text(const std::vector<std::uint8_t>* bytes) {
    return (bytes == nullptr) ? std::string{kNothing} : fmt::format("{} bytes", bytes->size());
}

void compare_constant(const std::string& name, const std::vector<std::uint8_t>& before,
                      const std::vector<std::uint8_t>& after, Found& found) {
    if (before.size() != after.size()) {
        found.add(Class::kWeights, name, constant_text(&before), constant_text(&after));
        return;
    }
    std::size_t count = 0U;
    std::size_t first = before.size();
    for (std::size_t i = 0U; i < before.size(); ++i) {
        if (before[i] != after[i]) {
            first = std::min(first, i);
            count += 1U;
        }
    }
    if (count != 0U) {
        found.add(Class::kWeights, name, constant_text(&before),
                  fmt::format("{}, {} of them different, the first at {}", constant_text(&after), count, first));
    }
}

void compare_constants(const Constants& before, const Constants& after, const Side& old_side, const Side& new_side,
                       Found& found) {
    std::set<std::string> names;  // of operators in both: others are a difference already
    for (const Constants* const side : {&before, &after}) {
        for (const auto& entry : *side) {
            names.insert(entry.first);
        }
    }
    for (const std::string& name : names) {
        const auto old = before.find(name);
        const auto now = after.find(name);
        if ((old != before.end()) && (now != after.end())) {
            compare_constant(name, old->second, now->second, found);
        } else {
            found.add(Class::kWeights, name, constant_text((old == before.end()) ? nullptr : &old->second),
                      constant_text((now == after.end()) ? nullptr : &now->second));
        }
    }
    // Constants without a known reader: for unknown devices, or read by address.
    const ByteSpan old_weights = old_side.image.weights();
    const ByteSpan new_weights = new_side.image.weights();
    if (!found.has(Class::kWeights)) {
        compare_constant("segment", {old_weights.begin(), old_weights.end()}, {new_weights.begin(), new_weights.end()},
                         found);
    }
}

// Compares the segment by bytes if its commands cannot be compared.
void compare_trace_bytes(const Side& before, const Side& after, Found& found) {
    const ByteSpan old = before.image.trace_segment();
    const ByteSpan now = after.image.trace_segment();
    const bool is_same = (old.size() == now.size()) && std::equal(old.begin(), old.end(), now.begin());
    if (!is_same && !found.has(Class::kCommands) && !found.has(Class::kOperators)) {
        found.add(Class::kCommands, "trace segment", fmt::format("{} bytes", old.size()),
                  fmt::format("{} other bytes", now.size()));
    }
}

std::vector<OperatorCommands> operators_of(const Side& side, const capture::Manifest& manifest) {
    std::vector<OperatorCommands> all;
    std::map<std::string, std::uint32_t> seen;
    for (std::uint32_t i = 0U; i < manifest.traces.size(); ++i) {
        const capture::ManifestTrace& trace = manifest.traces[i];
        std::vector<OperatorCommands> operators;
        for (const capture::ManifestProgram& program : trace.programs) {
            const std::uint32_t count = ++seen[program.name];
            OperatorCommands each;
            each.trace = trace.name;
            each.name = (count == 1U) ? program.name : fmt::format("{}#{}", program.name, count);
            operators.push_back(each);
        }
        const TraceView view = side.image.trace(i);
        const std::size_t begin = view.offset_bytes / sizeof(std::uint32_t);
        const bool is_inside = (begin + view.word_count) <= side.image.trace_words().size();
        if ((side.target != nullptr) && is_inside) {
            const WordSpan words = side.image.trace_words().subspan(begin, view.word_count);
            std::size_t at = 0U;
            std::uint32_t left = operators.empty() ? 0U : trace.programs[0U].command_count;
            (void)targets::for_each_command(
                side.target->command_set(), words, [&](std::uint32_t word, const DecodedCommand& command) {
                    while ((at < operators.size()) && (left == 0U)) {
                        ++at;
                        left = (at < operators.size()) ? trace.programs[at].command_count : 0U;
                    }
                    if (at == operators.size()) {
                        return;  // the end command belongs to no operator
                    }
                    --left;
                    operators[at].kinds.emplace_back(targets::command_name(*side.target, command));
                    const WordSpan own = words.subspan(word, command.length_words);
                    operators[at].words.emplace_back(own.begin(), own.end());
                    operators[at].decoded.push_back(command);
                });
        }
        all.insert(all.end(), operators.begin(), operators.end());
    }
    return all;
}

void compare_programs(const Side& before, const Side& after, const capture::Manifest& old_manifest,
                      const capture::Manifest& new_manifest, Found& found) {
    const std::vector<OperatorCommands> old_operators = operators_of(before, old_manifest);
    const std::vector<OperatorCommands> new_operators = operators_of(after, new_manifest);
    compare_names(names_of(old_operators), names_of(new_operators), found);
    for (const OperatorCommands& old : old_operators) {
        for (const OperatorCommands& now : new_operators) {
            if (old.name == now.name) {
                compare_commands(old, now, found);
            }
        }
    }
    compare_trace_bytes(before, after, found);
    const auto common = [](const std::vector<OperatorCommands>& all, const std::vector<OperatorCommands>& others) {
        const std::vector<std::string> known = names_of(others);
        std::vector<OperatorCommands> both;
        std::copy_if(all.begin(), all.end(), std::back_inserter(both), [&known](const OperatorCommands& each) {
            return std::find(known.begin(), known.end(), each.name) != known.end();
        });
        return both;
    };
    compare_constants(constants_of(before, old_manifest, common(old_operators, new_operators)),
                      constants_of(after, new_manifest, common(new_operators, old_operators)), before, after, found);
}

using capture::Manifest;
using files::to_hex;

std::string kernel_text(const capture::ManifestKernel* kernel) {
    return (kernel == nullptr) ? "none"
                               : fmt::format("version {}, {} argument words, costs {}", kernel->identity.version,
                                             kernel->identity.argument_words, kernel->identity.cost_version);
}

// By id. Both name it: the device's is another one; only one does: the commands launch others.
void compare_kernels(const capture::ManifestTarget& before, const capture::ManifestTarget& after, Found& found) {
    std::map<std::uint32_t, std::pair<const capture::ManifestKernel*, const capture::ManifestKernel*>> kernels;
    for (const capture::ManifestKernel& kernel : before.kernels) {
        kernels[kernel.id].first = &kernel;
    }
    for (const capture::ManifestKernel& kernel : after.kernels) {
        kernels[kernel.id].second = &kernel;
    }
    for (const auto& [id, pair] : kernels) {
        const bool have_both = (pair.first != nullptr) && (pair.second != nullptr);
        found.compare(have_both ? Class::kTarget : Class::kCommands, fmt::format("kernel {}", id),
                      kernel_text(pair.first), kernel_text(pair.second));
    }
}

void compare_targets(const Manifest& before, const Manifest& after, Found& found) {
    const auto compare = [&found](const std::string& name, const auto& old, const auto& now) {
        found.compare(Class::kTarget, "target." + name, old, now);
    };
    compare("device_family", before.target.device_family, after.target.device_family);
    compare("kernel_library", to_hex(ByteSpan{before.target.kernel_library}),
            to_hex(ByteSpan{after.target.kernel_library}));
    for_each_number([&compare](const char* name, std::uint32_t old, std::uint32_t now) { compare(name, old, now); },
                    before.target, after.target);
    compare("mesh_rows", before.target.mesh_rows, after.target.mesh_rows);
    compare("mesh_columns", before.target.mesh_columns, after.target.mesh_columns);
    compare("attestation", std::string{attestation_name(before.target.attestation)},
            std::string{attestation_name(after.target.attestation)});
    compare("costs", std::string{costs_name(before.target.costs)}, std::string{costs_name(after.target.costs)});
    compare("profile", std::string{name_of(before.target.profile)}, std::string{name_of(after.target.profile)});
    compare_kernels(before.target, after.target, found);
}

// All fields of a list's entry as one text.
template <typename List, typename Describe>
std::vector<std::string> texts_of(const List& list, const Describe& describe) {
    std::vector<std::string> texts;
    for (const auto& each : list) {
        texts.push_back(describe(each));
    }
    return texts;
}

std::string region_text(const capture::ManifestRegion& region) {
    return fmt::format("{}: {} in {}, 0x{:08X}, {} bytes", region.name, name_of(region.kind), name_of(region.memory),
                       region.base, region.size_bytes);
}
std::string buffer_text(const capture::ManifestBuffer& buffer) {
    return fmt::format("{}: region {}, offset {}, {} bytes", buffer.name, buffer.region, buffer.offset_bytes,
                       buffer.size_bytes);
}
std::string range_text(const DeviceRange& devices) {
    return fmt::format("{},{}+{}x{}", devices.row, devices.column, devices.rows, devices.columns);
}
std::string tensor_text(const capture::ManifestTensor& tensor) {
    std::string shape;
    for (const std::uint32_t size : tensor.shape) {
        shape += fmt::format("{}{}", shape.empty() ? "" : ",", size);
    }
    return fmt::format("{}: {}[{}], scale {}, zero point {}, buffers {}+{}, {} on {}", tensor.name,
                       name_of(tensor.type), shape, tensor.scale, tensor.zero_point, tensor.buffer, tensor.buffer_count,
                       name_of(tensor.placement), range_text(tensor.devices));
}
std::string command_text(const capture::ManifestCommand& command) {
    return fmt::format("{} {} on queue {}, offset {}, devices {}", name_of(command.kind), command.object, command.queue,
                       command.segment_offset, range_text(command.devices));
}
std::string parameter_text(const capture::ManifestParameter& parameter) {
    std::string points;
    for (const capture::ManifestPatchPoint& point : parameter.points) {
        points += fmt::format(" {}:{}", point.trace, point.word);
    }
    return fmt::format("{}: {}, {} to {}, multiples of {}, words{}", parameter.name, name_of(parameter.kind),
                       parameter.minimum, parameter.maximum, parameter.alignment, points);
}

void compare_scripts(const Manifest& before, const Manifest& after, Found& found) {
    for (const ScriptKind kind :
         {ScriptKind::kSetup, ScriptKind::kStep, ScriptKind::kPrologue, ScriptKind::kEpilogue}) {
        const auto commands = [kind](const Manifest& manifest) {
            std::vector<std::string> texts;
            for (const capture::ManifestScript& script : manifest.scripts) {
                if (script.kind == kind) {
                    texts = texts_of(script.commands, command_text);
                }
            }
            return texts;
        };
        found.compare_lists(Class::kCommands, fmt::format("script {}", name_of(kind)), commands(before),
                            commands(after));
    }
}

void compare_traces(const Manifest& before, const Manifest& after, Found& found) {
    const auto texts = [](const Manifest& manifest) {
        return texts_of(manifest.traces, [](const capture::ManifestTrace& trace) {
            std::string counts;
            for (const capture::ManifestProgram& program : trace.programs) {
                counts += fmt::format(" {}", program.command_count);
            }
            return fmt::format("{}: offset {}, {} words, {} commands, of operators{}", trace.name, trace.offset_bytes,
                               trace.word_count, trace.command_count, counts);
        });
    };
    found.compare_lists(Class::kCommands, "traces", texts(before), texts(after));
}

void compare_timing(const Manifest& before, const Manifest& after, Found& found) {
    found.compare(Class::kTiming, "step_cycles", before.step_cycles, after.step_cycles);
    found.compare(Class::kTiming, "step_deadline_us", before.step_deadline_us, after.step_deadline_us);
    found.compare(Class::kTiming, "setup_deadline_us", before.setup_deadline_us, after.setup_deadline_us);
    found.compare(Class::kTiming, "steps_in_flight", before.steps_in_flight, after.steps_in_flight);
    const auto costs = [](const Manifest& manifest) {
        return texts_of(manifest.traces, [](const capture::ManifestTrace& trace) {
            return fmt::format("{} cycles", trace.cost_cycles);
        });
    };
    found.compare_lists(Class::kTiming, "traces", costs(before), costs(after));
}

void compare_self_tests(const Side& before, const Side& after, const Manifest& old, const Manifest& now, Found& found) {
    const auto text = [](const Side& side, const Manifest& manifest) {
        const auto expected =
            std::count(manifest.self_test_origins.begin(), manifest.self_test_origins.end(), SelfTestOrigin::kExpected);
        return fmt::format("{} vectors, {} of them expected, sha256 {}", manifest.self_test_origins.size(), expected,
                           to_hex(ByteSpan{signing::openssl_sha256(side.image.self_tests())}));
    };
    found.add(Class::kSelfTests, "self_tests", text(before, old), text(after, now));
}

std::string signature_text(const Side& side) {
    const Envelope& envelope = side.image.envelope();
    return (envelope.signature_bytes == 0U) ? std::string{"unsigned"}
                                            : ("signed by key " + to_hex(ByteSpan{envelope.key_id}));
}

void compare_signatures(const Side& before, const Side& after, Found& found) {
    found.add(Class::kSignature, "signature", signature_text(before), signature_text(after));
    const std::size_t size = before.image.envelope().signature_bytes;
    if ((size == after.image.envelope().signature_bytes) && !found.has(Class::kSignature)) {
        const ByteSpan old = before.file.subspan(before.file.size() - size, size);
        const ByteSpan now = after.file.subspan(after.file.size() - size, size);
        if (!std::equal(old.begin(), old.end(), now.begin())) {
            found.add(Class::kSignature, "signature", "of the same key", "another one of the same key");
        }
    }
}

void compare_provenance(const Manifest& before, const Manifest& after, Found& found) {
    found.add(Class::kProvenance, "source_name", before.source_name, after.source_name);
    found.add(Class::kProvenance, "source_sha256", to_hex(ByteSpan{before.source_sha256}),
              to_hex(ByteSpan{after.source_sha256}));
    found.add(Class::kProvenance, "tool_version", before.tool_version, after.tool_version);
}

}  // namespace

const char* class_name(Class kind) noexcept {
    constexpr std::array<const char*, kClassCount> kNames{
        "target",     "memory",     "tensors",          "operators", "commands",   "timing", "weights",
        "parameters", "self-tests", "security-version", "signature", "provenance", "other"};
    const auto index = static_cast<std::size_t>(kind);
    return (index < kClassCount) ? kNames.at(index) : "?";
}

void Found::compare_lists(Class kind, const std::string& where, const std::vector<std::string>& before,
                          const std::vector<std::string>& after) {
    for (std::size_t i = 0U; i < std::max(before.size(), after.size()); ++i) {
        add(kind, fmt::format("{}[{}]", where, i), (i < before.size()) ? before[i] : kNothing,
            (i < after.size()) ? after[i] : kNothing);
    }
}

std::vector<Difference> differences(const Side& before, const Side& after) {
    const Manifest old = capture::read_manifest(before.image);
    const Manifest now = capture::read_manifest(after.image);
    Found found;
    compare_targets(old, now, found);
    found.compare_lists(Class::kMemory, "regions", texts_of(old.regions, region_text),
                        texts_of(now.regions, region_text));
    found.compare_lists(Class::kMemory, "buffers", texts_of(old.buffers, buffer_text),
                        texts_of(now.buffers, buffer_text));
    found.compare_lists(Class::kTensors, "inputs", texts_of(old.inputs, tensor_text),
                        texts_of(now.inputs, tensor_text));
    found.compare_lists(Class::kTensors, "outputs", texts_of(old.outputs, tensor_text),
                        texts_of(now.outputs, tensor_text));
    compare_programs(before, after, old, now, found);
    compare_traces(old, now, found);
    compare_scripts(old, now, found);
    compare_timing(old, now, found);
    found.compare_lists(Class::kParameters, "parameters", texts_of(old.parameters, parameter_text),
                        texts_of(now.parameters, parameter_text));
    compare_self_tests(before, after, old, now, found);
    found.compare(Class::kSecurityVersion, "security_version", before.image.envelope().security_version,
                  after.image.envelope().security_version);
    compare_signatures(before, after, found);
    compare_provenance(old, now, found);
    const bool is_same = (before.file.size() == after.file.size()) &&
                         std::equal(before.file.begin(), before.file.end(), after.file.begin());
    std::vector<Difference>& list = found.list();
    if (list.empty() && !is_same) {
        found.add(Class::kOther, "file", "bytes that no other class is about", "others");
    }
    // Sorted by class; within a class in the order found.
    std::vector<std::size_t> order(list.size());
    std::iota(order.begin(), order.end(), std::size_t{0U});
    std::sort(order.begin(), order.end(), [&list](std::size_t one, std::size_t other) {
        return std::pair{list[one].kind, one} < std::pair{list[other].kind, other};
    });
    std::vector<Difference> sorted;
    sorted.reserve(list.size());
    for (const std::size_t place : order) {
        sorted.push_back(list[place]);
    }
    return sorted;
}

}  // namespace pianola::diff
