#include <algorithm>

#include "capture_host/binary/kernels_json.h"
#include "hal/host/device_numbers.h"
#include "pianola_host/manifest.h"

namespace pianola::capture {
namespace {

Sha256Digest to_digest(ByteSpan bytes) {
    Sha256Digest digest{};
    std::copy(bytes.begin(), bytes.end(), digest.begin());
    return digest;
}

ManifestTensor to_tensor(const TensorView& view) {
    ManifestTensor tensor;
    tensor.name = to_string(view.name);
    tensor.buffer = view.buffer;
    tensor.type = view.type;
    tensor.shape.assign(view.shape.begin(), view.shape.begin() + view.rank);
    tensor.scale = view.scale;
    tensor.zero_point = view.zero_point;
    tensor.buffer_count = view.buffer_count;
    tensor.placement = view.placement;
    tensor.devices = view.devices;
    return tensor;
}

ManifestTrace to_trace(const Image& image, std::uint32_t index) {
    const TraceView view = image.trace(index);
    ManifestTrace trace;
    trace.name = to_string(view.name);
    trace.offset_bytes = view.offset_bytes;
    trace.word_count = view.word_count;
    trace.command_count = view.command_count;
    trace.cost_cycles = view.cost_cycles;
    for (std::uint32_t i = 0U; i < view.program_count; ++i) {
        const ProgramView program = image.program(index, i);
        trace.programs.push_back({to_string(program.name), program.command_count});
    }
    return trace;
}

ManifestScript to_script(const Image& image, std::uint32_t index) {
    const ScriptView view = image.script(index);
    ManifestScript script;
    script.kind = view.kind;
    for (std::uint32_t i = 0U; i < view.command_count; ++i) {
        const ScriptCommandView command = image.script_command(index, i);
        script.commands.push_back(
            {command.kind, command.queue, command.object, command.segment_offset, command.devices});
    }
    return script;
}

ManifestParameter to_parameter(const Image& image, std::uint32_t index) {
    const ParameterView view = image.parameter(index);
    ManifestParameter parameter{to_string(view.name), view.kind, view.minimum, view.maximum, view.alignment, {}};
    for (std::uint32_t i = 0U; i < view.point_count; ++i) {
        const PatchPointView point = image.patch_point(index, i);
        parameter.points.push_back({point.trace, point.word});
    }
    return parameter;
}

ManifestTarget to_target(const Image& image) {
    const TargetView view = image.target();
    ManifestTarget target;
    target.device_family = to_string(view.device_family);
    target.kernel_library = to_digest(view.kernel_library);
    copy_numbers(view, target);
    target.attestation = view.attestation;
    target.costs = view.costs;
    target.profile = view.profile;
    target.mesh_rows = view.mesh_rows;
    target.mesh_columns = view.mesh_columns;
    for (std::uint32_t i = 0U; i < view.kernel_count; ++i) {
        const KernelView kernel = image.kernel(i);
        target.kernels.push_back({kernel.id, kernel.identity});
    }
    return target;
}

}  // namespace

ManifestTarget make_target(const DeviceDescription& device) {
    ManifestTarget target;
    target.device_family = device.family;
    target.kernel_library = device.kernel_library;
    copy_numbers(device, target);
    target.attestation = device.attestation;
    target.costs = device.costs;
    target.profile = static_cast<CapacityProfile>(device.capacities->number);
    return target;
}

void name_kernels(const CommandSet& command_set, const std::set<std::uint32_t>& ids, ManifestTarget& target) {
    for (const std::uint32_t id : ids) {
        const auto place =
            std::lower_bound(target.kernels.begin(), target.kernels.end(), id,
                             [](const ManifestKernel& kernel, std::uint32_t of) { return kernel.id < of; });
        if ((place == target.kernels.end()) || (place->id != id)) {
            target.kernels.insert(place, {id, command_set.kernel(id)});
        }
    }
}

std::string to_string(NameView name) {
    return {name.begin(), name.end()};
}

Manifest read_manifest(const Image& image) {
    Manifest manifest;
    manifest.target = to_target(image);
    for (std::uint32_t i = 0U; i < image.region_count(); ++i) {
        const RegionView view = image.region(i);
        manifest.regions.push_back({to_string(view.name), view.kind, view.memory, view.base, view.size_bytes});
    }
    for (std::uint32_t i = 0U; i < image.buffer_count(); ++i) {
        const BufferView view = image.buffer(i);
        manifest.buffers.push_back({to_string(view.name), view.region, view.offset_bytes, view.size_bytes});
    }
    for (std::uint32_t i = 0U; i < image.input_count(); ++i) {
        manifest.inputs.push_back(to_tensor(image.input(i)));
    }
    for (std::uint32_t i = 0U; i < image.output_count(); ++i) {
        manifest.outputs.push_back(to_tensor(image.output(i)));
    }
    for (std::uint32_t i = 0U; i < image.trace_count(); ++i) {
        manifest.traces.push_back(to_trace(image, i));
    }
    for (std::uint32_t i = 0U; i < image.script_count(); ++i) {
        manifest.scripts.push_back(to_script(image, i));
    }
    const BudgetsView budgets = image.budgets();
    manifest.step_cycles = budgets.step_cycles;
    manifest.step_deadline_us = budgets.step_deadline_us;
    manifest.setup_deadline_us = budgets.setup_deadline_us;
    manifest.steps_in_flight = budgets.steps_in_flight;
    const ProvenanceView provenance = image.provenance();
    manifest.source_name = to_string(provenance.source_name);
    manifest.source_sha256 = to_digest(provenance.source_sha256);
    manifest.tool_version = to_string(provenance.tool_version);
    for (std::uint32_t i = 0U; i < image.self_test_count(); ++i) {
        manifest.self_test_origins.push_back(image.self_test_origin(i));
    }
    for (std::uint32_t i = 0U; i < image.parameter_count(); ++i) {
        manifest.parameters.push_back(to_parameter(image, i));
    }
    return manifest;
}

bool is_canonical(ByteSpan file, const Image& image) {
    const std::vector<std::uint8_t> encoded = encode_manifest(read_manifest(image));
    const Segment& segment = image.envelope().manifest;
    const ByteSpan actual = file.subspan(segment.offset, segment.size_bytes);
    return std::equal(encoded.begin(), encoded.end(), actual.begin(), actual.end());
}

nlohmann::json kernels_to_json(const std::vector<ManifestKernel>& kernels) {
    nlohmann::json list = nlohmann::json::array();
    for (const ManifestKernel& kernel : kernels) {
        list.push_back({{"id", kernel.id},
                        {"version", kernel.identity.version},
                        {"argument_words", kernel.identity.argument_words},
                        {"cost_version", kernel.identity.cost_version}});
    }
    return list;
}

}  // namespace pianola::capture
