// Captures of several devices: what each does, and one binary of all.
//
// The devices of a mesh share no memory but the host's, so that each one's calls are read, proved and linked by
// themselves; what they have in common becomes one tensor, and capture::merge_mesh() makes one binary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capture_host/host/capture/capture_discovery.h"
#include "capture_host/host/capture/capture_link.h"

namespace pianola::host {

// The calls and tensors of one device. All sections stay, also empty ones.
[[nodiscard]] std::vector<Section> sections_of(const std::vector<Section>& sections, std::uint32_t device);
[[nodiscard]] Reading reading_of(const Reading& reading, std::uint32_t device);

// A tensor of the binary: on each of its devices, which of that device's it is. Row-major.
struct SpreadTensor {
    struct Part {
        std::uint32_t device{0U};
        std::uint32_t index{0U};
    };
    std::string name;
    std::vector<Part> parts;
    bool is_replicated{false};  // else in pieces
};
struct SpreadTensors {
    std::vector<SpreadTensor> inputs;
    std::vector<SpreadTensor> outputs;
};

// Of a single device: each tensor by itself.
[[nodiscard]] SpreadTensors tensors_of_one(const Reading& reading);
// Finds which tensors of different devices are one, and gives each its name in the readings. Throws API-CAPTURE-TENSOR.
[[nodiscard]] SpreadTensors spread_tensors(const std::vector<Reading*>& readings, const DeviceGrid& grid);

// The binaries of the devices as one. Throws API-CAPTURE-LIMIT.
[[nodiscard]] LinkedCapture merge_devices(std::vector<LinkedCapture> parts, const SpreadTensors& tensors,
                                          const DeviceGrid& grid);

// What was moved, inference by inference, in the order of the manifest. `devices`: the same of each device.
using Records = std::vector<std::vector<std::vector<std::uint8_t>>>;
[[nodiscard]] Records merge_records(const std::vector<const Records*>& devices,
                                    const std::vector<SpreadTensor>& tensors,
                                    const std::vector<capture::ManifestTensor>& order);

}  // namespace pianola::host
