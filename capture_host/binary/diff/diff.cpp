#include "capture_host/binary/diff/diff.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "capture_host/base/text.h"
#include "capture_host/binary/diff/parts.h"
#include "capture_host/binary/names.h"
#include "hal/host/device_numbers.h"

namespace pianola::diff {
namespace {

using capture::Manifest;
using files::to_hex;

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
                           to_hex(ByteSpan{sha256(side.image.self_tests())}));
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

bool Found::has(Class kind) const {
    return std::any_of(list_.begin(), list_.end(), [kind](const Difference& each) { return each.kind == kind; });
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
