// pianola inspect --json.

#include "capture_host/cli/cli.h"
#include "capture_host/cli/inspect_parts.h"
#include "capture_host/cli/manifest_json.h"

namespace pianola::cli {
namespace {

nlohmann::json to_json(const Repeat& repeat) {
    return {{"count", repeat.count}, {"stride_bytes", repeat.stride_bytes}};
}

nlohmann::json command_to_json(const CommandLine& line) {
    nlohmann::json json{
        {"word", line.word},
        {"command", line.name},
        {"cycles", line.decoded.cost_cycles},
        {"extents", json_list(line.decoded.extents.view(), [](const Extent& extent) -> nlohmann::json {
             return {{"field", extent.field},          {"access", (extent.access == Access::kWrite) ? "write" : "read"},
                     {"address", extent.address},      {"bytes", extent.size_bytes},
                     {"inner", to_json(extent.inner)}, {"outer", to_json(extent.outer)}};
         })}};
    if (line.decoded.kind == CommandKind::kDispatch) {
        json["core"] = line.decoded.core;
        json["core_cycles"] = line.decoded.core_cycles;
    }
    return json;
}

}  // namespace

nlohmann::json inspection_to_json(const BinaryFile& file, const Image& image, bool with_commands) {
    nlohmann::json json = manifest_to_json(capture::read_manifest(image));
    if (!file.plugin().empty()) {
        json["target"]["plugin"] = file.plugin();
    }
    for (std::uint32_t i = 0U; with_commands && (i < image.trace_count()); ++i) {
        json["traces"][i]["command_list"] = json_list(decode_trace(file, image, image.trace(i)), command_to_json);
    }
    json["packed"] = packing_in(file, image);
    const Judgement judgement = judge(file);
    const nlohmann::json evidence = evidence_in(file, image, judgement);
    json["self_test_vectors"] = evidence.value("self_tests", nlohmann::json::array());
    json["state"] = evidence.value("state", nlohmann::json::array());
    json["views"] = {{"possible", nullptr}, {"why_not", judgement.why_no_views}};
    if (judgement.views.has_value()) {
        json["views"]["possible"] = *judgement.views;
    }
    return json;
}

}  // namespace pianola::cli
