#include "tests/support/mesh_workload.h"

#include <algorithm>

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Kind = ScriptCommandKind;

std::uint8_t constant_on_device(std::uint32_t device, std::uint32_t index) {
    return static_cast<std::uint8_t>((index * 37U) + 11U + (device * 59U));
}

void share_out(capture::ManifestTensor& tensor, const MeshShape& shape) {
    if (shape.count() > 1U) {
        tensor.shape.front() = shape.count();
        tensor.placement = Placement::kSharded;
    }
    tensor.devices = all_devices(shape);
}

}  // namespace

DeviceRange device_range(const MeshShape& shape, std::uint32_t device) {
    return {static_cast<std::uint8_t>(device / shape.columns), static_cast<std::uint8_t>(device % shape.columns), 1U,
            1U};
}

DeviceRange all_devices(const MeshShape& shape) {
    return {0U, 0U, static_cast<std::uint8_t>(shape.rows), static_cast<std::uint8_t>(shape.columns)};
}

void spread(Workload& workload, const MeshShape& shape, Placement input) {
    capture::Manifest& manifest = workload.manifest;
    manifest.target.mesh_rows = shape.rows;
    manifest.target.mesh_columns = shape.columns;
    if (shape.count() > profiles::kSmallEcu.mesh_devices) {
        manifest.target.profile = CapacityProfile::kDefault;
    }
    manifest.inputs.at(0U).devices = all_devices(shape);
    if (input == Placement::kSharded) {
        share_out(manifest.inputs.at(0U), shape);
    }
    share_out(manifest.outputs.at(0U), shape);
    for (capture::ManifestScript& script : manifest.scripts) {
        for (capture::ManifestCommand& command : script.commands) {
            command.devices = all_devices(shape);
        }
    }
    // Weights: one command per device, each with a piece of the segment of its own.
    std::vector<capture::ManifestCommand>& setup = manifest.scripts.front().commands;
    const auto weights = std::find_if(setup.begin(), setup.end(), [](const capture::ManifestCommand& command) {
        return command.kind == Kind::kWriteBuffer;
    });
    const capture::ManifestCommand write = *weights;
    setup.erase(weights);
    workload.segments.weights.resize(write.segment_offset);
    for (std::uint32_t device = 0U; device < shape.count(); ++device) {
        capture::ManifestCommand each = write;
        each.segment_offset = static_cast<std::uint32_t>(workload.segments.weights.size());
        each.devices = device_range(shape, device);
        setup.push_back(each);
        for (std::uint32_t i = 0U; i < kWorkloadBytes; ++i) {
            workload.segments.weights.push_back(constant_on_device(device, i));
        }
    }
    constexpr std::uint32_t kLongUs = 100'000U;
    manifest.setup_deadline_us = kLongUs;
}

Workload make_mesh_workload(const MeshShape& shape, std::uint32_t queues) {
    Workload workload = make_small_workload(queues);
    spread(workload, shape, Placement::kSharded);
    return workload;
}

Workload make_replicated_workload(const MeshShape& shape, std::uint32_t queues) {
    Workload workload = make_small_workload(queues);
    spread(workload, shape, Placement::kReplicated);
    return workload;
}

Bytes mesh_input(const MeshShape& shape, std::uint32_t seed) {
    Bytes input;
    for (std::uint32_t device = 0U; device < shape.count(); ++device) {
        const Bytes piece = workload_input((seed * 97U) + device);
        input.insert(input.end(), piece.begin(), piece.end());
    }
    return input;
}

Bytes mesh_output(const Bytes& input) {
    Bytes output(input.size());
    for (std::uint32_t i = 0U; i < input.size(); ++i) {
        const std::uint8_t constant = constant_on_device(i / kWorkloadBytes, i % kWorkloadBytes);
        const int sum = static_cast<std::int8_t>(input[i]) + static_cast<std::int8_t>(constant);
        output[i] = static_cast<std::uint8_t>(std::clamp(sum, INT8_MIN, INT8_MAX));
    }
    return output;
}

Bytes replicated_output(const MeshShape& shape, const Bytes& input) {
    Bytes pieces;
    for (std::uint32_t device = 0U; device < shape.count(); ++device) {
        pieces.insert(pieces.end(), input.begin(), input.end());
    }
    return mesh_output(pieces);
}

}  // namespace pianola::test
