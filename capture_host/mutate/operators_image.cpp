// The manifest's structure, and the strictness of its fields.
#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "capture_host/mutate/file_bytes.h"
#include "capture_host/mutate/operators.h"
#include "trace_binary_generated.h"

namespace pianola::mutate {
namespace {

constexpr std::uint8_t kUnknown = 250U;  // an enumerator that no schema will have soon

void edit_manifest_bytes(Draft& draft, const std::function<void(Bytes& manifest)>& edit) {
    draft.edit([edit](Bytes& file) {
        Bytes manifest = manifest_of(file);
        edit(manifest);
        replace_manifest(file, manifest);
    });
    draft.expect_path("manifest");
}

std::vector<Operator> structure_operators() {
    return {
        {Rule::kImgSize, "no-manifest", "no manifest",
         [](Draft& draft) { edit_manifest_bytes(draft, [](Bytes& manifest) { manifest.clear(); }); }, false},
        {Rule::kImgSize, "too-long", "a manifest longer than the runtime accepts",
         [](Draft& draft) {
             const std::size_t bytes = std::size_t{draft.device().capacities->manifest_bytes} + 1U;
             edit_manifest_bytes(draft, [bytes](Bytes& manifest) { manifest.resize(bytes); });
         },
         false},
        {Rule::kCapTables, "programs", "more programs than the runtime takes tables",
         [](Draft& draft) {
             std::vector<capture::ManifestProgram>& programs = draft.manifest().traces.front().programs;
             programs.resize(draft.device().capacities->manifest_tables, {"n", 1U});
             draft.expect_path("manifest");
         },
         false},
        {Rule::kImgStructure, "root-outside", "the root lies outside the manifest",
         [](Draft& draft) { edit_manifest_bytes(draft, [](Bytes& manifest) { store32(manifest, 0U, 0xFFFF'FFF0U); }); },
         false},
        {Rule::kImgStructure, "identifier", "another file identifier",
         [](Draft& draft) {
             edit_manifest_bytes(draft, [](Bytes& manifest) { manifest.at(sizeof(std::uint32_t)) = 'X'; });
         },
         false},
        {Rule::kImgStructure, "half", "the second half of the manifest is missing",
         [](Draft& draft) {
             edit_manifest_bytes(draft, [](Bytes& manifest) { manifest.resize(manifest.size() / 2U); });
         },
         false},
        {Rule::kImgExactSize, "word", "four zeros behind the last object",
         [](Draft& draft) {
             edit_manifest_bytes(draft,
                                 [](Bytes& manifest) { manifest.resize(manifest.size() + sizeof(std::uint32_t)); });
         },
         false},
    };
}

void forget_memory(Draft& draft) {
    auto& regions = draft.manifest().regions;
    const auto in_l1 = std::find_if(regions.begin(), regions.end(), [](const capture::ManifestRegion& region) {
        return region.memory == MemoryKind::kL1;
    });
    if (in_l1 == regions.end()) {
        throw NotApplicable{"no region lies in L1"};
    }
    in_l1->memory = MemoryKind::kUnspecified;
    draft.expect_path("regions[" + std::to_string(in_l1 - regions.begin()) + "].memory");
}

void forget_region_kind(Draft& draft) {
    const std::uint32_t region = draft.add_region("spare", RegionKind::kActivation, kFileAlignmentBytes);
    draft.confirm("a region");
    draft.manifest().regions[region].kind = RegionKind::kUnspecified;
    draft.expect_path("regions[" + std::to_string(region) + "].kind");
}

// The type of the first command of the step, in place: the writer knows no such command.
void break_union(Draft& draft) {
    const std::uint32_t script = draft.script_index(ScriptKind::kStep);
    if (draft.commands(ScriptKind::kStep).empty()) {
        throw NotApplicable{"the step does nothing"};
    }
    draft.edit([script](Bytes& file) {
        using flatbuffers::Table;
        using Tables = flatbuffers::Vector<flatbuffers::Offset<Table>>;
        const std::uint32_t manifest = segment_of(file, SegmentKind::kManifest).offset;
        const Table* const of_script = flatbuffers::GetRoot<Table>(file.data() + manifest)
                                           ->GetPointer<const Tables*>(schema::TraceBinary::VT_SCRIPTS)
                                           ->Get(script);
        const Table* const command = of_script->GetPointer<const Tables*>(schema::Script::VT_COMMANDS)->Get(0U);
        const std::uint8_t* const type = command->GetAddressOf(schema::Command::VT_BODY_TYPE);
        file.at(static_cast<std::size_t>(type - file.data())) = kUnknown;
    });
    draft.expect_path(draft.command_path(ScriptKind::kStep, 0U, "body"));
}

// Not by a cast: that would say that the enumeration has the value.
template <typename Enumeration>
void make_unknown(Enumeration& value) {
    static_assert(sizeof(value) == sizeof(kUnknown));
    std::memcpy(&value, &kUnknown, sizeof(value));
}

template <typename Item>
void overfill(std::vector<Item>& list, std::uint32_t capacity, const Item& item) {
    list.resize(std::size_t{capacity} + 1U, item);
}

capture::ManifestTensor& first_tensor(Draft& draft) {
    capture::Manifest& manifest = draft.manifest();
    if (manifest.inputs.empty() && manifest.outputs.empty()) {
        throw NotApplicable{"the file has neither inputs nor outputs"};
    }
    return manifest.inputs.empty() ? manifest.outputs.front() : manifest.inputs.front();
}

std::vector<Operator> value_operators() {
    return {
        {Rule::kImgEnum, "region-kind", "an unknown kind of region",
         [](Draft& draft) {
             make_unknown(draft.manifest().regions.front().kind);
             draft.expect_path("regions[0].kind");
         },
         false},
        {Rule::kImgEnum, "no-region-kind", "a region without kind, which nobody uses", forget_region_kind, true},
        {Rule::kImgEnum, "no-memory", "a region in no memory, where the default would be right", forget_memory, true},
        {Rule::kImgEnum, "element-type", "an unknown type of element",
         [](Draft& draft) { make_unknown(first_tensor(draft).type); }, false},
        {Rule::kImgEnum, "script-kind", "an unknown kind of script",
         [](Draft& draft) {
             make_unknown(draft.manifest().scripts.front().kind);
             draft.expect_path("scripts[0].kind");
         },
         false},
        {Rule::kImgUnion, "command", "a script command of an unknown kind", break_union, false},
        {Rule::kImgCount, "buffers", "a buffer more than the runtime accepts, all but the file's own unused",
         [](Draft& draft) {
             overfill(draft.manifest().buffers, kMaxBuffers, {"spare", 0U, 0U, 1U});
             draft.expect_path("buffers");
         },
         true},
        {Rule::kImgCount, "regions", "a region more than the runtime holds",
         [](Draft& draft) {
             overfill(draft.manifest().regions, kMaxRegions, draft.manifest().regions.front());
             draft.expect_path("regions");
         },
         false},
        {Rule::kImgCount, "rank", "a dimension more than a tensor can have",
         [](Draft& draft) { overfill(first_tensor(draft).shape, kMaxRank, 1U); }, false},
        {Rule::kImgCount, "commands", "a script command more than the runtime holds",
         [](Draft& draft) {
             overfill(draft.commands(ScriptKind::kStep), kMaxScriptCommands,
                      {ScriptCommandKind::kReplayTrace, 0U, 0U, 0U});
         },
         false},
    };
}

void rename(Draft& draft, const std::string& name) {
    draft.manifest().regions.front().name = name;
    draft.expect_path("regions[0].name");
}

std::vector<Operator> name_operators() {
    return {
        {Rule::kImgName, "empty", "a name without characters", [](Draft& draft) { rename(draft, ""); }, true},
        {Rule::kImgName, "too-long", "a name longer than the runtime accepts",
         [](Draft& draft) { rename(draft, std::string(kMaxNameBytes + 1U, 'a')); }, true},
        {Rule::kImgName, "line-end", "a line end in a name", [](Draft& draft) { rename(draft, "a\nb"); }, true},
        {Rule::kImgName, "delete", "the character behind the last printable one",
         [](Draft& draft) { rename(draft, "a\x7F"); }, true},
        {Rule::kImgName, "above-ascii", "a byte above ASCII", [](Draft& draft) { rename(draft, "\xC3\xA4"); }, true},
        {Rule::kImgName, "provenance", "a zero in the version of the tool",
         [](Draft& draft) {
             draft.manifest().tool_version.push_back('\0');
             draft.expect_path("provenance.tool_version");
         },
         true},
    };
}

}  // namespace

std::vector<Operator> image_operators() {
    std::vector<Operator> all = structure_operators();
    for (const auto& more : {value_operators(), name_operators()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace pianola::mutate
