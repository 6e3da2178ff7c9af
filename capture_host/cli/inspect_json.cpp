// pianola inspect --json.

#include <algorithm>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/inspect_parts.h"
#include "hal/devices/device_numbers.h"

namespace pianola::cli {
namespace {

// The buffers that there are, on all devices that have a piece: inspect also serves files that verify refuses.
std::uint64_t bytes_of(const capture::ManifestTensor& tensor, const capture::Manifest& manifest) {
    std::uint64_t bytes = 0U;
    const std::size_t end = std::min<std::size_t>(tensor.buffer + tensor.buffer_count, manifest.buffers.size());
    for (std::size_t i = tensor.buffer; i < end; ++i) {
        bytes += manifest.buffers[i].size_bytes;
    }
    const std::uint32_t devices = std::uint32_t{tensor.devices.rows} * tensor.devices.columns;
    return (tensor.placement == Placement::kSharded) ? (bytes * devices) : bytes;
}

nlohmann::json to_json(const DeviceRange& devices) {
    return {{"row", devices.row}, {"column", devices.column}, {"rows", devices.rows}, {"columns", devices.columns}};
}

nlohmann::json tensors_to_json(const std::vector<capture::ManifestTensor>& tensors, const capture::Manifest& manifest) {
    return json_list(tensors, [&manifest](const capture::ManifestTensor& tensor) -> nlohmann::json {
        return {{"name", tensor.name},
                {"type", name_of(tensor.type)},
                {"shape", tensor.shape},
                {"scale", tensor.scale},
                {"zero_point", tensor.zero_point},
                {"buffer", tensor.buffer},
                {"buffers", tensor.buffer_count},
                {"devices", to_json(tensor.devices)},
                {"placement", name_of(tensor.placement)},
                {"bytes", bytes_of(tensor, manifest)}};
    });
}

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

nlohmann::json parameter_to_json(const capture::ManifestParameter& parameter) {
    return {{"name", parameter.name},
            {"kind", name_of(parameter.kind)},
            {"minimum", parameter.minimum},
            {"maximum", parameter.maximum},
            {"alignment", parameter.alignment},
            {"points", json_list(parameter.points, [](const capture::ManifestPatchPoint& point) -> nlohmann::json {
                 return {{"trace", point.trace}, {"word", point.word}};
             })}};
}

nlohmann::json trace_to_json(const BinaryFile& file, const Image& image, const capture::ManifestTrace& trace,
                             std::uint32_t index, bool with_commands) {
    nlohmann::json entry{{"name", trace.name},
                         {"offset", trace.offset_bytes},
                         {"words", trace.word_count},
                         {"commands", trace.command_count},
                         {"cycles", trace.cost_cycles}};
    for (const auto& program : trace.programs) {
        entry["programs"].push_back({{"name", program.name}, {"commands", program.command_count}});
    }
    if (with_commands) {
        entry["command_list"] = json_list(decode_trace(file, image, image.trace(index)), command_to_json);
    }
    return entry;
}

nlohmann::json script_to_json(const capture::ManifestScript& script) {
    nlohmann::json entry{{"kind", name_of(script.kind)}};
    for (const auto& command : script.commands) {
        entry["commands"].push_back({{"queue", command.queue},
                                     {"command", name_of(command.kind)},
                                     {"object", command.object},
                                     {"devices", to_json(command.devices)}});
    }
    return entry;
}

nlohmann::json target_to_json(const BinaryFile& file, const capture::ManifestTarget& target) {
    nlohmann::json json{{"device_family", target.device_family},
                        {"kernel_library", to_hex(ByteSpan{target.kernel_library})},
                        {"attestation", attestation_name(target.attestation)},
                        {"costs", costs_name(target.costs)},
                        {"profile", name_of(target.profile)}};
    for_each_number([&json](const char* name, std::uint32_t value) { json[name] = value; }, target);
    json["mesh"] = {{"rows", target.mesh_rows}, {"columns", target.mesh_columns}};
    if (!file.plugin().empty()) {
        json["plugin"] = file.plugin();
    }
    return json;
}

}  // namespace

nlohmann::json inspection_to_json(const BinaryFile& file, const Image& image, bool with_commands) {
    const capture::Manifest manifest = capture::read_manifest(image);
    nlohmann::json json;
    json["target"] = target_to_json(file, manifest.target);
    json["packed"] = packing_in(file, image);
    for (const auto& region : manifest.regions) {
        json["regions"].push_back({{"name", region.name},
                                   {"kind", name_of(region.kind)},
                                   {"memory", name_of(region.memory)},
                                   {"base", region.base},
                                   {"bytes", region.size_bytes}});
    }
    for (const auto& buffer : manifest.buffers) {
        json["buffers"].push_back({{"name", buffer.name},
                                   {"region", buffer.region},
                                   {"offset", buffer.offset_bytes},
                                   {"bytes", buffer.size_bytes}});
    }
    json["inputs"] = tensors_to_json(manifest.inputs, manifest);
    json["outputs"] = tensors_to_json(manifest.outputs, manifest);
    for (std::uint32_t i = 0U; i < manifest.traces.size(); ++i) {
        json["traces"].push_back(trace_to_json(file, image, manifest.traces[i], i, with_commands));
    }
    for (const auto& script : manifest.scripts) {
        json["scripts"].push_back(script_to_json(script));
    }
    json["budgets"] = {{"step_cycles", manifest.step_cycles},
                       {"step_deadline_us", manifest.step_deadline_us},
                       {"setup_deadline_us", manifest.setup_deadline_us},
                       {"steps_in_flight", manifest.steps_in_flight}};
    json["parameters"] = json_list(manifest.parameters, parameter_to_json);
    json["provenance"] = {{"source_name", manifest.source_name},
                          {"source_sha256", to_hex(ByteSpan{manifest.source_sha256})},
                          {"tool_version", manifest.tool_version}};
    json["self_tests"] = manifest.self_test_origins.size();
    const Views views = find_views(file, image);
    const nlohmann::json evidence = evidence_in(file, image, views);
    json["self_test_vectors"] = evidence.value("self_tests", nlohmann::json::array());
    json["state"] = evidence.value("state", nlohmann::json::array());
    json["views"] = {{"possible", nullptr}, {"why_not", views.why_not}};
    if (views.possible) {
        json["views"]["possible"] = *views.possible;
    }
    return json;
}

}  // namespace pianola::cli
