#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <stdexcept>

#include "capture_host/binary/openssl_digest.h"
#include "pianola/bytes.h"
#include "pianola/config.h"
#include "pianola/envelope.h"
#include "pianola/slice_check.h"
#include "pianola_host/manifest.h"
#include "pianola_schema_hash.h"
#include "trace_binary_generated.h"

namespace pianola::capture {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// Objects are created depth first, in the order of their fields; nothing is shared. That is the canonical form.

schema::Digest to_schema(const Sha256Digest& digest) {
    return schema::Digest{flatbuffers::span<const std::uint8_t, kSha256Bytes>{digest}};
}

schema::DeviceRange to_schema(const DeviceRange& range) {
    return schema::DeviceRange{static_cast<std::uint8_t>(range.row), static_cast<std::uint8_t>(range.column),
                               static_cast<std::uint8_t>(range.rows), static_cast<std::uint8_t>(range.columns)};
}

template <typename Table, typename Item>
Offset<flatbuffers::Vector<Offset<Table>>> create_list(FlatBufferBuilder& builder, const std::vector<Item>& items);

Offset<schema::Kernel> create(FlatBufferBuilder& builder, const ManifestKernel& kernel) {
    return schema::CreateKernel(builder, kernel.id, kernel.identity.version, kernel.identity.argument_words,
                                kernel.identity.cost_version);
}

Offset<schema::Target> create(FlatBufferBuilder& builder, const ManifestTarget& target) {
    const auto family = builder.CreateString(target.device_family);
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
        target.millicycles_per_instruction, target.file_base, target.file_bytes);
}

Offset<schema::Region> create(FlatBufferBuilder& builder, const ManifestRegion& region) {
    const auto name = builder.CreateString(region.name);
    return schema::CreateRegion(builder, name, static_cast<schema::RegionKind>(region.kind),
                                static_cast<schema::MemoryKind>(region.memory), region.base, region.size_bytes);
}

Offset<schema::Buffer> create(FlatBufferBuilder& builder, const ManifestBuffer& buffer) {
    const auto name = builder.CreateString(buffer.name);
    return schema::CreateBuffer(builder, name, static_cast<std::uint16_t>(buffer.region), buffer.offset_bytes,
                                buffer.size_bytes);
}

Offset<schema::Tensor> create(FlatBufferBuilder& builder, const ManifestTensor& tensor) {
    const auto name = builder.CreateString(tensor.name);
    const auto shape = builder.CreateVector(tensor.shape);
    const schema::DeviceRange devices = to_schema(tensor.devices);
    return schema::CreateTensor(builder, name, static_cast<std::uint16_t>(tensor.buffer),
                                static_cast<schema::ElementType>(tensor.type), shape, tensor.scale, tensor.zero_point,
                                static_cast<std::uint16_t>(tensor.buffer_count),
                                static_cast<schema::Placement>(tensor.placement), &devices);
}

Offset<schema::Program> create(FlatBufferBuilder& builder, const ManifestProgram& program) {
    const auto name = builder.CreateString(program.name);
    return schema::CreateProgram(builder, name, program.command_count);
}

Offset<schema::Trace> create(FlatBufferBuilder& builder, const ManifestTrace& trace) {
    const auto name = builder.CreateString(trace.name);
    const auto programs = create_list<schema::Program>(builder, trace.programs);
    return schema::CreateTrace(builder, name, trace.offset_bytes, trace.word_count, trace.command_count,
                               trace.cost_cycles, programs);
}

Offset<void> create_body(FlatBufferBuilder& builder, const ManifestCommand& command) {
    const auto object = static_cast<std::uint16_t>(command.object);
    switch (command.kind) {
        case ScriptCommandKind::kWriteBuffer:
            return schema::CreateWriteBuffer(builder, object, command.segment_offset).Union();
        case ScriptCommandKind::kLoadTrace:
            return schema::CreateLoadTrace(builder, object).Union();
        case ScriptCommandKind::kWriteInput:
            return schema::CreateWriteInput(builder, object).Union();
        case ScriptCommandKind::kReplayTrace:
            return schema::CreateReplayTrace(builder, object).Union();
        case ScriptCommandKind::kReadOutput:
            return schema::CreateReadOutput(builder, object).Union();
        case ScriptCommandKind::kRecordEvent:
            return schema::CreateRecordEvent(builder, object).Union();
        case ScriptCommandKind::kWaitEvent:
            return schema::CreateWaitEvent(builder, object).Union();
        case ScriptCommandKind::kUnspecified:
        default:
            throw std::invalid_argument{"a script command without kind can not be written"};
    }
}

Offset<schema::Command> create(FlatBufferBuilder& builder, const ManifestCommand& command) {
    const auto body = create_body(builder, command);
    const schema::DeviceRange devices = to_schema(command.devices);
    return schema::CreateCommand(builder, static_cast<std::uint8_t>(command.queue),
                                 static_cast<schema::CommandBody>(command.kind), body, &devices);
}

Offset<schema::Script> create(FlatBufferBuilder& builder, const ManifestScript& script) {
    const auto commands = create_list<schema::Command>(builder, script.commands);
    return schema::CreateScript(builder, static_cast<schema::ScriptKind>(script.kind), commands);
}

Offset<schema::PatchPoint> create(FlatBufferBuilder& builder, const ManifestPatchPoint& point) {
    return schema::CreatePatchPoint(builder, static_cast<std::uint16_t>(point.trace), point.word);
}

Offset<schema::Parameter> create(FlatBufferBuilder& builder, const ManifestParameter& parameter) {
    const auto name = builder.CreateString(parameter.name);
    const auto points = create_list<schema::PatchPoint>(builder, parameter.points);
    return schema::CreateParameter(builder, name, static_cast<schema::ParameterKind>(parameter.kind), parameter.minimum,
                                   parameter.maximum, parameter.alignment, points);
}

template <typename Table, typename Item>
Offset<flatbuffers::Vector<Offset<Table>>> create_list(FlatBufferBuilder& builder, const std::vector<Item>& items) {
    std::vector<Offset<Table>> offsets;
    offsets.reserve(items.size());
    for (const Item& item : items) {
        offsets.push_back(create(builder, item));
    }
    return builder.CreateVector(offsets);
}

Offset<flatbuffers::Vector<schema::SelfTestOrigin>> create_list(FlatBufferBuilder& builder,
                                                                const std::vector<SelfTestOrigin>& origins) {
    std::vector<schema::SelfTestOrigin> values;
    values.reserve(origins.size());
    for (const SelfTestOrigin origin : origins) {
        values.push_back(static_cast<schema::SelfTestOrigin>(origin));
    }
    return builder.CreateVector(values);
}

}  // namespace

std::vector<std::uint8_t> encode_manifest(const Manifest& manifest) {
    FlatBufferBuilder builder;
    const auto target = create(builder, manifest.target);
    const auto regions = create_list<schema::Region>(builder, manifest.regions);
    const auto buffers = create_list<schema::Buffer>(builder, manifest.buffers);
    const auto inputs = create_list<schema::Tensor>(builder, manifest.inputs);
    const auto outputs = create_list<schema::Tensor>(builder, manifest.outputs);
    const auto traces = create_list<schema::Trace>(builder, manifest.traces);
    const auto scripts = create_list<schema::Script>(builder, manifest.scripts);
    const auto budgets =
        schema::CreateBudgets(builder, manifest.step_cycles, manifest.step_deadline_us, manifest.setup_deadline_us,
                              static_cast<std::uint8_t>(manifest.steps_in_flight));
    const auto source_name = builder.CreateString(manifest.source_name);
    const auto tool_version = builder.CreateString(manifest.tool_version);
    const schema::Digest source_sha256 = to_schema(manifest.source_sha256);
    const auto provenance = schema::CreateProvenance(builder, source_name, &source_sha256, tool_version);
    const auto origins = create_list(builder, manifest.self_test_origins);
    const auto parameters = create_list<schema::Parameter>(builder, manifest.parameters);
    const auto root = schema::CreateTraceBinary(builder, target, regions, buffers, inputs, outputs, traces, scripts,
                                                budgets, provenance, origins, parameters);
    schema::FinishTraceBinaryBuffer(builder, root);
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

void fix_digest(std::vector<std::uint8_t>& file) {
    const Sha256Digest digest = signing::openssl_envelope_digest(ByteSpan{file.data(), file.size()});
    std::copy(digest.begin(), digest.end(), file.begin() + header::kDigest);
}

namespace {

void append_checks(const std::vector<std::uint8_t>& segment, std::size_t offset, std::size_t size_bytes,
                   std::vector<std::uint8_t>& checks) {
    const ByteSpan range = ByteSpan{segment.data(), segment.size()}.subspan(offset, size_bytes);
    for (std::size_t done = 0U; done < range.size(); done += kCheckedBytes) {
        const std::size_t bytes = std::min<std::size_t>(kCheckedBytes, range.size() - done);
        const std::uint64_t sum = slice_sum(range.subspan(done, bytes));
        for (std::uint32_t i = 0U; i < kCheckBytes; ++i) {
            checks.push_back(static_cast<std::uint8_t>(sum >> (8U * i)));
        }
    }
}

// Whether a command of the set-up writes state.
bool writes_state(const Manifest& manifest, const ManifestCommand& command) {
    if ((command.kind != ScriptCommandKind::kWriteBuffer) || (command.object >= manifest.buffers.size())) {
        return false;
    }
    const std::uint32_t region = manifest.buffers[command.object].region;
    return (region < manifest.regions.size()) && (manifest.regions[region].kind == RegionKind::kState);
}

}  // namespace

std::vector<std::uint8_t> checks_of(const Manifest& manifest, const Segments& segments) {
    std::vector<std::uint8_t> checks;
    for (const ManifestRegion& region : manifest.regions) {
        if ((region.kind == RegionKind::kWeights) && (region.memory == MemoryKind::kFile)) {
            append_checks(segments.weights, 0U, region.size_bytes, checks);
        }
    }
    for (const bool is_state : {false, true}) {
        for (const ManifestScript& script : manifest.scripts) {
            for (const ManifestCommand& command : script.commands) {
                if ((script.kind != ScriptKind::kSetup) || (writes_state(manifest, command) != is_state)) {
                    continue;
                }
                if ((command.kind == ScriptCommandKind::kWriteBuffer) && (command.object < manifest.buffers.size())) {
                    append_checks(segments.weights, command.segment_offset, manifest.buffers[command.object].size_bytes,
                                  checks);
                }
                if ((command.kind == ScriptCommandKind::kLoadTrace) && (command.object < manifest.traces.size())) {
                    const ManifestTrace& trace = manifest.traces[command.object];
                    append_checks(segments.traces, trace.offset_bytes,
                                  std::size_t{trace.word_count} * sizeof(std::uint32_t), checks);
                }
            }
        }
    }
    return checks;
}

std::vector<std::uint8_t> write_trace_binary(const Manifest& manifest, const Segments& segments) {
    const std::vector<std::uint8_t> encoded = encode_manifest(manifest);
    const std::vector<std::uint8_t> checks = checks_of(manifest, segments);
    const std::array<const std::vector<std::uint8_t>*, kSegmentCount> bodies{
        &encoded, &segments.weights, &segments.traces, &segments.self_tests, &checks};
    std::size_t total_bytes = header::kBytes;
    for (const auto* body : bodies) {
        total_bytes += align_up(body->size());
        if (total_bytes > kMaxFileBytes) {
            throw std::length_error{"the trace binary would be longer than " + std::to_string(kMaxFileBytes) +
                                    " bytes"};
        }
    }

    std::vector<std::uint8_t> file(total_bytes);
    const MutableByteSpan bytes{file.data(), file.size()};
    std::copy(kMagicBytes.begin(), kMagicBytes.end(), file.begin() + header::kMagic);
    store_le32(bytes, header::kEnvelopeVersion, kEnvelopeVersion);
    store_le32(bytes, header::kHeaderBytes, header::kBytes);
    store_le32(bytes, header::kTotalBytes, static_cast<std::uint32_t>(total_bytes));
    store_le32(bytes, header::kDigestAlgorithm, kDigestSha256);
    store_le32(bytes, header::kSignatureAlgorithm, kSignatureNone);
    std::copy(kSchemaHash.begin(), kSchemaHash.end(), file.begin() + header::kSchemaHash);

    std::size_t offset = header::kBytes;
    for (std::uint32_t i = 0U; i < kSegmentCount; ++i) {
        const std::vector<std::uint8_t>& body = *bodies.at(i);
        const std::size_t entry = header::kSegmentTable + (std::size_t{i} * header::kSegmentEntryBytes);
        store_le32(bytes, entry, i + 1U);
        store_le32(bytes, entry + header::kSegmentOffset, static_cast<std::uint32_t>(offset));
        store_le32(bytes, entry + header::kSegmentSize, static_cast<std::uint32_t>(body.size()));
        std::copy(body.begin(), body.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
        offset = align_up(offset + body.size());
    }
    fix_digest(file);
    return file;
}

}  // namespace pianola::capture
