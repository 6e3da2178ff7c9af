#include <string>

#include "tests/runtime/rule_case.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

constexpr auto kUnknownElementType = static_cast<std::uint8_t>(static_cast<int>(schema::ElementType::MAX) + 1);

using schema::TraceBinary;

// A file with any bytes for a manifest, the other segments unchanged.
std::function<Mutant()> raw_manifest(const std::function<void(std::vector<std::uint8_t>& manifest)>& edit) {
    return [edit] {
        Mutant mutant = manifest_edit([](capture::Manifest&) {})();
        const Workload workload = make_workload(1U);
        std::vector<std::uint8_t> manifest = capture::encode_manifest(workload.manifest);
        edit(manifest);
        mutant.file = assemble(manifest, workload.segments, capture::checks_of(workload.manifest, workload.segments));
        return mutant;
    };
}

// Sets one byte of the manifest, at a place that is looked up in the undamaged file.
std::function<Mutant()> set_byte(const FileOffset& place, std::uint8_t value) {
    return bytes_edit([place, value](std::vector<std::uint8_t>& file) { file.at(place(file)) = value; });
}

RuleCase unknown_enumerator(const char* what, const char* path, const FileOffset& place, std::uint8_t value) {
    return {Rule::kImgEnum, what, path, place, set_byte(place, value)};
}

// One of two vectors has this origin.
RuleCase origin_case(const char* what, const char* path, std::uint32_t index, std::uint8_t origin) {
    const FileOffset place = [index](const std::vector<std::uint8_t>& file) {
        const std::uint32_t list = field({}, TraceBinary::VT_SELF_TEST_ORIGINS)(file);
        return list + load32(file, list) + static_cast<std::uint32_t>(sizeof(std::uint32_t)) +
               index;  // behind the count
    };
    return {Rule::kImgEnum, what, path, place, [place, origin] {
                Mutant mutant{make_workload(1U, 2U).file(), default_device()};
                mutant.file.at(place(mutant.file)) = origin;
                capture::fix_digest(mutant.file);
                return mutant;
            }};
}

RuleCase name_case(const char* what, const std::string& name) {
    return {Rule::kImgName, what, "regions[1].name", field({{TraceBinary::VT_REGIONS, 1U}}, schema::Region::VT_NAME),
            manifest_edit([name](auto& manifest) { manifest.regions[1].name = name; })};
}

std::vector<RuleCase> structure_cases() {
    return {
        {Rule::kImgSize, "no manifest", "manifest", manifest_start(), raw_manifest([](auto& bytes) { bytes.clear(); })},
        {Rule::kImgSize, "a manifest above its capacity", "manifest", manifest_start(),
         raw_manifest([](auto& bytes) { bytes.resize((1024U * 1024U) + 1U); })},
        {Rule::kCapTables, "a table more than the runtime takes", "manifest", manifest_start(),
         manifest_edit([](auto& manifest) {
             manifest.traces[0].programs.assign(profiles::kSmallEcu.manifest_tables, {"n", 1U});
         })},
        {Rule::kImgStructure, "the root lies outside", "manifest", manifest_start(),
         raw_manifest([](auto& bytes) { store32(bytes, 0U, 0xFFFF'FFF0U); })},
        {Rule::kImgStructure, "another file identifier", "manifest", manifest_start(),
         raw_manifest([](auto& bytes) { bytes.at(4U) = 'X'; })},
        {Rule::kImgStructure, "cut in half", "manifest", manifest_start(),
         raw_manifest([](auto& bytes) { bytes.resize(bytes.size() / 2U); })},
        {Rule::kImgExactSize, "four bytes too many", "manifest", manifest_start(),
         raw_manifest([](auto& bytes) { bytes.resize(bytes.size() + 4U); })},
    };
}

std::vector<RuleCase> value_cases() {
    const FileOffset body_type =
        field({{TraceBinary::VT_SCRIPTS, 1U}, {schema::Script::VT_COMMANDS, 0U}}, schema::Command::VT_BODY_TYPE);
    return {
        {Rule::kImgEnum, "unspecified kind of region", "regions[0].kind", table({{TraceBinary::VT_REGIONS, 0U}}),
         manifest_edit([](auto& manifest) { manifest.regions[0].kind = RegionKind::kUnspecified; })},
        unknown_enumerator("unknown kind of region", "regions[2].kind",
                           field({{TraceBinary::VT_REGIONS, 2U}}, schema::Region::VT_KIND), 8U),
        unknown_enumerator("unknown memory", "regions[3].memory",
                           field({{TraceBinary::VT_REGIONS, 3U}}, schema::Region::VT_MEMORY), 255U),
        unknown_enumerator("unknown type of element", "outputs[0].type",
                           field({{TraceBinary::VT_OUTPUTS, 0U}}, schema::Tensor::VT_TYPE), kUnknownElementType),
        unknown_enumerator("unknown kind of script", "scripts[1].kind",
                           field({{TraceBinary::VT_SCRIPTS, 1U}}, schema::Script::VT_KIND), 5U),
        origin_case("unspecified origin of a self-test", "self_test_origins[0]", 0U, 0U),
        origin_case("unknown origin of a self-test", "self_test_origins[1]", 1U, 3U),
        {Rule::kImgUnion, "a type behind the last", "scripts[1].commands[0].body", body_type, set_byte(body_type, 8U)},
        {Rule::kImgUnion, "the largest type", "scripts[1].commands[0].body", body_type, set_byte(body_type, 255U)},
        {Rule::kImgCount, "one region too many", "regions", field({}, TraceBinary::VT_REGIONS),
         manifest_edit([](auto& manifest) { manifest.regions.resize(9U, manifest.regions[0]); })},
        {Rule::kImgCount, "one self-test too many", "self_test_origins", field({}, TraceBinary::VT_SELF_TEST_ORIGINS),
         manifest_edit([](auto& manifest) { manifest.self_test_origins.assign(257U, SelfTestOrigin::kCaptured); })},
        {Rule::kImgCount, "one dimension too many", "inputs[0].shape",
         field({{TraceBinary::VT_INPUTS, 0U}}, schema::Tensor::VT_SHAPE),
         manifest_edit([](auto& manifest) { manifest.inputs[0].shape.resize(9U, 1U); })},
        {Rule::kImgCount, "one script command too many", "scripts[1].commands",
         field({{TraceBinary::VT_SCRIPTS, 1U}}, schema::Script::VT_COMMANDS), manifest_edit([](auto& manifest) {
             manifest.scripts[1].commands.resize(65U, manifest.scripts[1].commands[0]);
         })},
        name_case("an empty name", ""),
        name_case("a name above its capacity", std::string(129U, 'a')),
        name_case("a line end in a name", "in\nput"),
        name_case("the character behind the last printable one", "in\x7Fput"),
        name_case("a byte above ASCII", "in\xC3\xA4put"),
        {Rule::kImgName, "a zero in the provenance", "provenance.tool_version",
         field({{TraceBinary::VT_PROVENANCE}}, schema::Provenance::VT_TOOL_VERSION),
         manifest_edit([](auto& manifest) { manifest.tool_version = std::string("1.0\0", 4U); })},
    };
}

}  // namespace

std::vector<RuleCase> image_cases() {
    std::vector<RuleCase> cases = structure_cases();
    const std::vector<RuleCase> values = value_cases();
    cases.insert(cases.end(), values.begin(), values.end());
    return cases;
}

}  // namespace pianola::test
