#include "tests/random/binary.h"

#include <string>

#include "capture_host/binary/trace_walk.h"
#include "capture_host/capture/merge.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "tests/support/workload.h"

namespace pianola::programs {
namespace {

constexpr std::uint32_t kTraceAlignment = 64U;
constexpr std::uint32_t kDeadlineUs = 100'000U;

capture::ManifestTarget target() {
    static const capture::ManifestTarget kSmall = test::make_small_workload(2U).manifest.target;
    return kSmall;
}

RegionKind kind_of(Role role) {
    switch (role) {
        case Role::kWeights:
            return RegionKind::kWeights;
        case Role::kInput:
            return RegionKind::kInput;
        case Role::kOutput:
            return RegionKind::kOutput;
        case Role::kActivation:
            return RegionKind::kActivation;
        case Role::kShared:
        default:
            return RegionKind::kShared;
    }
}

ScriptCommandKind kind_of(Act act) {
    switch (act) {
        case Act::kWriteInput:
            return ScriptCommandKind::kWriteInput;
        case Act::kReadOutput:
            return ScriptCommandKind::kReadOutput;
        case Act::kRecord:
            return ScriptCommandKind::kRecordEvent;
        case Act::kWait:
            return ScriptCommandKind::kWaitEvent;
        case Act::kReplay:
        default:
            return ScriptCommandKind::kReplayTrace;
    }
}

std::uint32_t add_buffer(capture::Manifest& manifest, const Range& range) {
    for (std::uint32_t i = 0U; i < manifest.regions.size(); ++i) {
        const capture::ManifestRegion& region = manifest.regions.at(i);
        if ((range.address - region.base) < region.size_bytes) {
            manifest.buffers.push_back({"buffer", i, range.address - region.base, range.bytes});
        }
    }
    return static_cast<std::uint32_t>(manifest.buffers.size()) - 1U;
}

void add_regions(const Program& program, capture::Manifest& manifest) {
    for (const Region& region : program.regions) {
        const bool in_l1 = region.range.address < kDramBase;
        manifest.regions.push_back({"region", kind_of(region.role), in_l1 ? MemoryKind::kL1 : MemoryKind::kDram,
                                    region.range.address, region.range.bytes});
    }
    manifest.regions.push_back({"trace", RegionKind::kTrace, MemoryKind::kDram,
                                kDramBase + kDramBytes - kTraceRegionBytes, kTraceRegionBytes});
}

void add_tensors(const std::vector<Pieces>& tensors, capture::Manifest& manifest,
                 std::vector<capture::ManifestTensor>& list) {
    for (const Pieces& pieces : tensors) {
        const capture::ManifestTensor tensor{"tensor " + std::to_string(list.size()),
                                             static_cast<std::uint32_t>(manifest.buffers.size()),
                                             ElementType::kInt8,
                                             {bytes_of(pieces)},
                                             1.0F,
                                             0,
                                             static_cast<std::uint32_t>(pieces.size())};
        for (const Range& piece : pieces) {
            add_buffer(manifest, piece);
        }
        list.push_back(tensor);
    }
}

void add_traces(const Program& program, capture::Manifest& manifest, capture::Segments& segments) {
    for (const Trace& trace : program.traces) {
        segments.traces.resize((segments.traces.size() + kTraceAlignment - 1U) / kTraceAlignment * kTraceAlignment);
        capture::ManifestTrace entry{"trace",
                                     static_cast<std::uint32_t>(segments.traces.size()),
                                     static_cast<std::uint32_t>(trace.words.size()),
                                     trace.commands,
                                     trace.cycles,
                                     {}};
        if (trace.commands > 1U) {
            entry.programs.push_back({"all", trace.commands - 1U});
        }
        manifest.traces.push_back(entry);
        const CommandSet& command_set = refdev::target().command_set();
        capture::name_kernels(command_set, targets::measure_trace(command_set, trace.words).kernels, manifest.target);
        const Bytes bytes = test::bytes_of(trace.words);
        segments.traces.insert(segments.traces.end(), bytes.begin(), bytes.end());
    }
}

std::vector<capture::ManifestCommand> commands_of(const Script& script) {
    std::vector<capture::ManifestCommand> commands;
    for (const Command& command : script) {
        commands.push_back({kind_of(command.act), command.queue, command.object, 0U});
    }
    return commands;
}

void add_scripts(const Program& program, capture::Manifest& manifest) {
    std::vector<capture::ManifestCommand> setup;
    std::uint32_t offset = 0U;
    for (const Range& constant : program.constants) {
        setup.push_back({ScriptCommandKind::kWriteBuffer, 0U, add_buffer(manifest, constant), offset});
        offset += constant.bytes;
    }
    for (std::uint32_t i = 0U; i < program.traces.size(); ++i) {
        setup.push_back({ScriptCommandKind::kLoadTrace, 0U, i, 0U});
    }
    manifest.scripts.push_back({ScriptKind::kSetup, setup});
    manifest.scripts.push_back({ScriptKind::kStep, commands_of(program.step)});
    if (!program.prologue.empty()) {
        manifest.scripts.push_back({ScriptKind::kPrologue, commands_of(program.prologue)});
    }
    if (!program.epilogue.empty()) {
        manifest.scripts.push_back({ScriptKind::kEpilogue, commands_of(program.epilogue)});
    }
}

}  // namespace

namespace {

capture::LinkedBinary part_of(const Program& program) {
    capture::LinkedBinary part;
    capture::Manifest& manifest = part.manifest;
    capture::Segments& segments = part.segments;
    manifest.target = target();
    manifest.source_name = "random";
    manifest.tool_version = "0";
    add_regions(program, manifest);
    add_tensors(program.inputs, manifest, manifest.inputs);
    add_tensors(program.outputs, manifest, manifest.outputs);
    add_traces(program, manifest, segments);
    add_scripts(program, manifest);
    segments.weights = program.weights;
    manifest.step_cycles = program.step_cycles;
    manifest.step_deadline_us = kDeadlineUs;
    manifest.setup_deadline_us = kDeadlineUs;
    manifest.steps_in_flight = program.in_flight;
    manifest.self_test_origins.assign(program.self_tests.size(), SelfTestOrigin::kCaptured);
    for (const auto& vector : program.self_tests) {
        for (const Tensors& tensors : vector) {
            for (const Bytes& tensor : tensors) {
                segments.self_tests.insert(segments.self_tests.end(), tensor.begin(), tensor.end());
            }
        }
    }
    for (const Parameter& parameter : program.parameters) {
        capture::ManifestParameter entry;
        entry.name = "parameter " + std::to_string(manifest.parameters.size());
        entry.kind = parameter.is_address ? ParameterKind::kBufferAddress : ParameterKind::kRuntimeArgument;
        entry.minimum = parameter.minimum;
        entry.maximum = parameter.maximum;
        entry.alignment = parameter.alignment;
        for (const Point& point : parameter.points) {
            entry.points.push_back({point.trace, point.word});
        }
        manifest.parameters.push_back(entry);
    }
    return part;
}

Bytes file_of(const capture::LinkedBinary& part) {
    return capture::write_trace_binary(part.manifest, part.segments);
}

}  // namespace

Bytes binary_of(const Program& program) {
    return file_of(part_of(program));
}

MeshBinary mesh_of(const Program& program, std::uint32_t rows, std::uint32_t columns) {
    constexpr std::uint32_t kStep = 29U;
    MeshBinary mesh;
    std::vector<capture::LinkedBinary> parts;
    for (std::uint32_t device = 0U; device < (rows * columns); ++device) {
        capture::LinkedBinary part = part_of(program);
        for (std::uint8_t& byte : part.segments.weights) {
            byte = static_cast<std::uint8_t>(byte + (device * kStep));
        }
        part.manifest.self_test_origins.clear();  // they were for the first device's weights
        part.segments.self_tests.clear();
        mesh.alone.push_back(file_of(part));
        parts.push_back(std::move(part));
    }
    capture::MeshOptions options{rows, columns, {}};
    for (std::size_t i = 0U; i < program.inputs.size(); i += 2U) {
        options.sharded_inputs.insert(parts.front().manifest.inputs.at(i).name);
    }
    mesh.file = file_of(capture::merge_mesh(parts, options));
    return mesh;
}

}  // namespace pianola::programs
