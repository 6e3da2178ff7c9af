// Written for what a hostile writer may do and Pianola's own does not: many references to one object.
#include <flatbuffers/flatbuffers.h>

#include "tests/worst_case/cases.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

schema::Digest to_schema(const Sha256Digest& digest) {
    return schema::Digest{flatbuffers::span<const std::uint8_t, kSha256Bytes>{digest}};
}

Offset<schema::Kernel> create(FlatBufferBuilder& builder, const capture::ManifestKernel& kernel) {
    return schema::CreateKernel(builder, kernel.id, kernel.identity.version, kernel.identity.argument_words,
                                kernel.identity.cost_version);
}

template <typename Table, typename Item>
Offset<flatbuffers::Vector<Offset<Table>>> create_list(FlatBufferBuilder& builder, const std::vector<Item>& items);

Offset<schema::Target> create(FlatBufferBuilder& builder, const capture::ManifestTarget& target) {
    const auto family = builder.CreateSharedString(target.device_family);
    const schema::Digest library = to_schema(target.kernel_library);
    const auto kernels = create_list<schema::Kernel>(builder, target.kernels);
    return schema::CreateTarget(
        builder, family, target.command_set_id, target.command_set_version, &library, target.dram_base,
        target.dram_bytes, target.l1_base, target.l1_bytes, target.trace_region_bytes, target.clock_khz,
        static_cast<std::uint8_t>(target.queue_count), target.ring_words,
        static_cast<std::uint8_t>(target.grid_columns), static_cast<std::uint8_t>(target.grid_rows),
        static_cast<std::uint8_t>(target.dram_banks), static_cast<schema::Attestation>(target.attestation),
        static_cast<schema::CostKind>(target.costs), static_cast<schema::CapacityProfile>(target.profile),
        target.weights_layout, static_cast<std::uint8_t>(target.mesh_rows),
        static_cast<std::uint8_t>(target.mesh_columns), kernels, target.cost_model, target.core_khz,
        target.millicycles_per_instruction);
}

Offset<schema::Region> create(FlatBufferBuilder& builder, const capture::ManifestRegion& region) {
    return schema::CreateRegion(builder, builder.CreateSharedString(region.name),
                                static_cast<schema::RegionKind>(region.kind),
                                static_cast<schema::MemoryKind>(region.memory), region.base, region.size_bytes);
}

Offset<schema::Buffer> create(FlatBufferBuilder& builder, const capture::ManifestBuffer& buffer) {
    return schema::CreateBuffer(builder, builder.CreateSharedString(buffer.name),
                                static_cast<std::uint16_t>(buffer.region), buffer.offset_bytes, buffer.size_bytes);
}

// All programs are the first.
Offset<schema::Trace> create(FlatBufferBuilder& builder, const capture::ManifestTrace& trace) {
    const capture::ManifestProgram& first = trace.programs.front();
    const auto program = schema::CreateProgram(builder, builder.CreateSharedString(first.name), first.command_count);
    const auto programs = builder.CreateVector(std::vector<Offset<schema::Program>>(trace.programs.size(), program));
    return schema::CreateTrace(builder, builder.CreateSharedString(trace.name), trace.offset_bytes, trace.word_count,
                               trace.command_count, trace.cost_cycles, programs);
}

// Loads and replays only.
Offset<schema::Script> create(FlatBufferBuilder& builder, const capture::ManifestScript& script) {
    std::vector<Offset<schema::Command>> commands;
    for (const capture::ManifestCommand& command : script.commands) {
        const auto object = static_cast<std::uint16_t>(command.object);
        const auto body =
            (command.kind == ScriptCommandKind::kLoadTrace)     ? schema::CreateLoadTrace(builder, object).Union()
            : (command.kind == ScriptCommandKind::kReplayTrace) ? schema::CreateReplayTrace(builder, object).Union()
            : (command.kind == ScriptCommandKind::kRecordEvent) ? schema::CreateRecordEvent(builder, object).Union()
                                                                : schema::CreateWaitEvent(builder, object).Union();
        const schema::DeviceRange devices{0U, 0U, 1U, 1U};
        commands.push_back(schema::CreateCommand(builder, static_cast<std::uint8_t>(command.queue),
                                                 static_cast<schema::CommandBody>(command.kind), body, &devices));
    }
    return schema::CreateScript(builder, static_cast<schema::ScriptKind>(script.kind), builder.CreateVector(commands));
}

template <typename Table, typename Item>
Offset<flatbuffers::Vector<Offset<Table>>> create_list(FlatBufferBuilder& builder, const std::vector<Item>& items) {
    std::vector<Offset<Table>> offsets;
    for (const Item& item : items) {
        offsets.push_back(create(builder, item));
    }
    return builder.CreateVector(offsets);
}

}  // namespace

std::vector<std::uint8_t> encode_shared(const capture::Manifest& manifest) {
    FlatBufferBuilder builder;
    const auto target = create(builder, manifest.target);
    const auto regions = create_list<schema::Region>(builder, manifest.regions);
    const auto buffers = create_list<schema::Buffer>(builder, manifest.buffers);
    const auto tensors = builder.CreateVector(std::vector<Offset<schema::Tensor>>{});
    const auto traces = create_list<schema::Trace>(builder, manifest.traces);
    const auto scripts = create_list<schema::Script>(builder, manifest.scripts);
    const auto budgets =
        schema::CreateBudgets(builder, manifest.step_cycles, manifest.step_deadline_us, manifest.setup_deadline_us,
                              static_cast<std::uint8_t>(manifest.steps_in_flight));
    const schema::Digest source = to_schema(manifest.source_sha256);
    const auto provenance = schema::CreateProvenance(builder, builder.CreateSharedString(manifest.source_name), &source,
                                                     builder.CreateSharedString(manifest.tool_version));
    const auto origins = builder.CreateVector(
        std::vector<schema::SelfTestOrigin>(manifest.self_test_origins.size(), schema::SelfTestOrigin::Captured));
    const auto parameters = builder.CreateVector(std::vector<Offset<schema::Parameter>>{});
    const auto root = schema::CreateTraceBinary(builder, target, regions, buffers, tensors, tensors, traces, scripts,
                                                budgets, provenance, origins, parameters);
    schema::FinishTraceBinaryBuffer(builder, root);
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace pianola::test
