// Captures of several devices: the calls of each, and one binary of all.
//
// The devices of a mesh share only the host's memory, so the calls of each are interpreted, proved and linked
// separately; common tensors become one, and capture::merge_mesh() makes one binary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capture_host/host/capture/discovery.h"
#include "capture_host/host/capture/link.h"

namespace pianola::host {

// The calls and tensors of one device. All sections stay, even empty ones.
[[nodiscard]] std::vector<Section> sections_of(const std::vector<Section>& sections, std::uint32_t device);
[[nodiscard]] Interpretation interpretation_of(const Interpretation& interpretation, std::uint32_t device);

// A tensor of the binary, and its part on each device in row-major order.
struct MeshTensor {
    struct Part {
        std::uint32_t device{0U};
        std::uint32_t index{0U};
    };
    std::string name;
    std::vector<Part> parts;
    bool is_replicated{false};  // else in pieces
};
struct MeshTensors {
    std::vector<MeshTensor> inputs;
    std::vector<MeshTensor> outputs;
};

// For a single device: each tensor alone.
[[nodiscard]] MeshTensors tensors_of_one(const Interpretation& interpretation);
// Finds the tensors of different devices that are one, and sets their names in the interpretations. Throws
// API-CAPTURE-TENSOR.
[[nodiscard]] MeshTensors match_tensors(const std::vector<Interpretation*>& interpretations, const DeviceGrid& grid);

// Merges the binaries of the devices. Throws API-CAPTURE-LIMIT.
[[nodiscard]] capture::LinkedBinary merge_devices(std::vector<capture::LinkedBinary> parts, const MeshTensors& tensors,
                                                  const DeviceGrid& grid);

// The transferred data, inference by inference, in the order of the manifest. `devices`: the same for each device.
using Records = std::vector<std::vector<std::vector<std::uint8_t>>>;
[[nodiscard]] Records merge_records(const std::vector<const Records*>& devices, const std::vector<MeshTensor>& tensors,
                                    const std::vector<capture::ManifestTensor>& order);

// Accesses of several devices belong together if one call of the mesh made them. If the program moves the shards of a
// tensor one by one, they belong together if nothing in between could change what they move.
//
// For each call, in order: equal for the accesses of one buffer of the mesh that belong together. 0 for calls that are
// no transfer, and on a single device.
[[nodiscard]] std::vector<std::uint32_t> pairs_of(const std::vector<Call>& calls, const CommandSet& command_set);

// Checks that every step has the same tensors. Throws API-CAPTURE-TENSOR, with both calls.
void check_pairs(const Interpretation& interpretation, const CommandSet& command_set);

}  // namespace pianola::host
