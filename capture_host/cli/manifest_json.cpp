#include "capture_host/cli/manifest_json.h"

#include <algorithm>

#include "capture_host/binary/kernels_json.h"
#include "capture_host/cli/cli.h"
#include "hal/host/device_numbers.h"

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

nlohmann::json trace_to_json(const capture::ManifestTrace& trace) {
    return {{"name", trace.name},
            {"offset", trace.offset_bytes},
            {"words", trace.word_count},
            {"commands", trace.command_count},
            {"cycles", trace.cost_cycles},
            {"programs", json_list(trace.programs, [](const capture::ManifestProgram& program) -> nlohmann::json {
                 return {{"name", program.name}, {"commands", program.command_count}};
             })}};
}

nlohmann::json script_to_json(const capture::ManifestScript& script) {
    return {{"kind", name_of(script.kind)},
            {"commands", json_list(script.commands, [](const capture::ManifestCommand& command) -> nlohmann::json {
                 return {{"queue", command.queue},
                         {"command", name_of(command.kind)},
                         {"object", command.object},
                         {"segment_offset", command.segment_offset},
                         {"devices", to_json(command.devices)}};
             })}};
}

nlohmann::json target_to_json(const capture::ManifestTarget& target) {
    nlohmann::json json{{"device_family", target.device_family},
                        {"kernel_library", to_hex(ByteSpan{target.kernel_library})},
                        {"attestation", attestation_name(target.attestation)},
                        {"costs", costs_name(target.costs)},
                        {"profile", name_of(target.profile)},
                        {"mesh", {{"rows", target.mesh_rows}, {"columns", target.mesh_columns}}},
                        {"kernels", capture::kernels_to_json(target.kernels)}};
    for_each_number([&json](const char* name, std::uint32_t value) { json[name] = value; }, target);
    return json;
}

nlohmann::json region_to_json(const capture::ManifestRegion& region) {
    return {{"name", region.name},
            {"kind", name_of(region.kind)},
            {"memory", name_of(region.memory)},
            {"base", region.base},
            {"bytes", region.size_bytes}};
}

nlohmann::json buffer_to_json(const capture::ManifestBuffer& buffer) {
    return {{"name", buffer.name},
            {"region", buffer.region},
            {"offset", buffer.offset_bytes},
            {"bytes", buffer.size_bytes}};
}

}  // namespace

nlohmann::json manifest_to_json(const capture::Manifest& manifest) {
    return {{"target", target_to_json(manifest.target)},
            {"regions", json_list(manifest.regions, region_to_json)},
            {"buffers", json_list(manifest.buffers, buffer_to_json)},
            {"inputs", tensors_to_json(manifest.inputs, manifest)},
            {"outputs", tensors_to_json(manifest.outputs, manifest)},
            {"traces", json_list(manifest.traces, trace_to_json)},
            {"scripts", json_list(manifest.scripts, script_to_json)},
            {"budgets",
             {{"step_cycles", manifest.step_cycles},
              {"step_deadline_us", manifest.step_deadline_us},
              {"setup_deadline_us", manifest.setup_deadline_us},
              {"steps_in_flight", manifest.steps_in_flight}}},
            {"parameters", json_list(manifest.parameters, parameter_to_json)},
            {"provenance",
             {{"source_name", manifest.source_name},
              {"source_sha256", to_hex(ByteSpan{manifest.source_sha256})},
              {"tool_version", manifest.tool_version}}},
            {"self_tests", manifest.self_test_origins.size()}};
}

}  // namespace pianola::cli
