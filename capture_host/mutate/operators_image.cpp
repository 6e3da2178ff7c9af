// The manifest's structure, the strictness of its fields, and its canonical form.
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
}

// Not by a cast: that would say that the enumeration has the value.
template <typename Enumeration>
void make_unknown(Enumeration& value) {
    static_assert(sizeof(value) == sizeof(kUnknown));
    std::memcpy(&value, &kUnknown, sizeof(value));
}

// A wrong origin needs a vector.
std::vector<SelfTestOrigin>& origins(Draft& draft) {
    std::vector<SelfTestOrigin>& found = draft.manifest().self_test_origins;
    if (found.empty()) {
        throw NotApplicable{"the file has no self-tests"};
    }
    return found;
}

template <typename Item>
void overfill(std::vector<Item>& list, std::uint32_t capacity, const Item& item) {
    list.resize(std::size_t{capacity} + 1U, item);
}

void rename(Draft& draft, const std::string& name) {
    draft.manifest().regions.front().name = name;
    draft.expect_path("regions[0].name");
}

// After a name's terminating zero there is padding, unless length and zero fill whole words: nothing reads it.
void hide_a_byte(Draft& draft) {
    std::string& name = draft.manifest().source_name;
    if (((name.size() + 1U) % sizeof(std::uint32_t)) == 0U) {
        name.push_back('_');  // the longest name has padding
        draft.confirm("a letter in the source's name");
    }
    draft.edit([](Bytes& file) {
        const std::uint32_t manifest = segment_of(file, SegmentKind::kManifest).offset;
        const flatbuffers::String& text = *schema::GetTraceBinary(file.data() + manifest)->provenance()->source_name();
        const auto offset = static_cast<std::size_t>(text.Data() - file.data());
        file.at(offset + text.size() + 1U) = 1U;
    });
    draft.expect_path("manifest");
}

constexpr std::array kImageOperators{
    Operator{Rule::kImgSize, "no-manifest", "no manifest", false,
             [](Draft& draft) { edit_manifest_bytes(draft, [](Bytes& manifest) { manifest.clear(); }); }},
    Operator{Rule::kImgSize, "too-long", "a manifest longer than the runtime accepts", false,
             [](Draft& draft) {
                 const std::size_t bytes = std::size_t{draft.device().capacities->manifest_bytes} + 1U;
                 edit_manifest_bytes(draft, [bytes](Bytes& manifest) { manifest.resize(bytes); });
             }},
    Operator{Rule::kCapTables, "programs", "more programs than the runtime takes tables", false,
             [](Draft& draft) {
                 std::vector<capture::ManifestProgram>& programs = draft.manifest().traces.front().programs;
                 programs.resize(draft.device().capacities->manifest_tables, {"n", 1U});
             },
             "manifest"},
    Operator{
        Rule::kImgStructure, "root-outside", "the root lies outside the manifest", false,
        [](Draft& draft) { edit_manifest_bytes(draft, [](Bytes& manifest) { store32(manifest, 0U, 0xFFFF'FFF0U); }); }},
    Operator{Rule::kImgStructure, "identifier", "another file identifier", false,
             [](Draft& draft) {
                 edit_manifest_bytes(draft, [](Bytes& manifest) { manifest.at(sizeof(std::uint32_t)) = 'X'; });
             }},
    Operator{Rule::kImgStructure, "half", "the second half of the manifest is missing", false,
             [](Draft& draft) {
                 edit_manifest_bytes(draft, [](Bytes& manifest) { manifest.resize(manifest.size() / 2U); });
             }},
    Operator{Rule::kImgExactSize, "word", "four zeros behind the last object", false,
             [](Draft& draft) {
                 edit_manifest_bytes(draft,
                                     [](Bytes& manifest) { manifest.resize(manifest.size() + sizeof(std::uint32_t)); });
             }},
    Operator{Rule::kImgEnum, "region-kind", "an unknown kind of region", false,
             [](Draft& draft) { make_unknown(draft.manifest().regions.front().kind); }, "regions[0].kind"},
    Operator{Rule::kImgEnum, "no-region-kind", "a region without kind, which nobody uses", true,
             [](Draft& draft) {
                 const std::uint32_t region = draft.add_region("spare", RegionKind::kActivation, kFileAlignmentBytes);
                 draft.confirm("a region");
                 draft.manifest().regions[region].kind = RegionKind::kUnspecified;
             },
             "regions[last].kind"},
    Operator{Rule::kImgEnum, "no-memory", "a region in no memory, where the default would be right", true,
             forget_memory},
    Operator{Rule::kImgEnum, "element-type", "an unknown type of element", false,
             [](Draft& draft) { make_unknown(draft.first_tensor().type); }},
    Operator{Rule::kImgEnum, "script-kind", "an unknown kind of script", false,
             [](Draft& draft) { make_unknown(draft.manifest().scripts.front().kind); }, "scripts[0].kind"},
    Operator{Rule::kImgEnum, "self-test-origin", "a self-test whose outputs are of an unknown origin", true,
             [](Draft& draft) { make_unknown(origins(draft).front()); }, "self_test_origins[0]"},
    Operator{Rule::kImgEnum, "no-self-test-origin", "a self-test whose outputs are of no origin", true,
             [](Draft& draft) {
                 origins(draft).back() = SelfTestOrigin::kUnspecified;
                 draft.expect_path("self_test_origins[" + std::to_string(origins(draft).size() - 1U) + "]");
             }},
    Operator{Rule::kImgUnion, "command", "a script command of an unknown kind", false, break_union, "step[0].body"},
    Operator{Rule::kImgCount, "buffers", "a buffer more than the runtime accepts, all but the file's own unused", true,
             [](Draft& draft) { overfill(draft.manifest().buffers, kMaxBuffers, {"spare", 0U, 0U, 1U}); }, "buffers"},
    Operator{Rule::kImgCount, "regions", "a region more than the runtime holds", false,
             [](Draft& draft) { overfill(draft.manifest().regions, kMaxRegions, draft.manifest().regions.front()); },
             "regions"},
    Operator{Rule::kImgCount, "rank", "a dimension more than a tensor can have", false,
             [](Draft& draft) { overfill(draft.first_tensor().shape, kMaxRank, 1U); }},
    Operator{Rule::kImgCount, "commands", "a script command more than the runtime holds", false,
             [](Draft& draft) {
                 overfill(draft.commands(ScriptKind::kStep), kMaxScriptCommands,
                          {ScriptCommandKind::kReplayTrace, 0U, 0U, 0U});
             }},
    Operator{
        Rule::kImgCount, "self-tests", "a self-test more than a file can have", false,
        [](Draft& draft) { overfill(draft.manifest().self_test_origins, kMaxSelfTests, SelfTestOrigin::kCaptured); },
        "self_test_origins"},
    Operator{Rule::kImgName, "empty", "a name without characters", true, [](Draft& draft) { rename(draft, ""); }},
    Operator{Rule::kImgName, "too-long", "a name longer than the runtime accepts", true,
             [](Draft& draft) { rename(draft, std::string(kMaxNameBytes + 1U, 'a')); }},
    Operator{Rule::kImgName, "line-end", "a line end in a name", true, [](Draft& draft) { rename(draft, "a\nb"); }},
    Operator{Rule::kImgName, "delete", "the character behind the last printable one", true,
             [](Draft& draft) { rename(draft, "a\x7F"); }},
    Operator{Rule::kImgName, "above-ascii", "a byte above ASCII", true,
             [](Draft& draft) { rename(draft, "\xC3\xA4"); }},
    Operator{Rule::kImgName, "provenance", "a zero in the version of the tool", true,
             [](Draft& draft) { draft.manifest().tool_version.push_back('\0'); }, "provenance.tool_version"},
    // `pianola verify` checks these in addition to the target's checks.
    Operator{Rule::kHstCanonical, "padding", "a byte in the padding behind a name", true, hide_a_byte},
};

}  // namespace

Span<const Operator> image_operators() {
    return kImageOperators;
}

}  // namespace pianola::mutate
