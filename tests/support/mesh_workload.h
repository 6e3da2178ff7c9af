// The small workload on a mesh: every device adds a constant of its own to its piece of the input.
//
// What comes out is known by arithmetic alone.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/workload.h"

namespace pianola::test {

struct MeshShape {
    std::uint32_t rows{1U};
    std::uint32_t columns{1U};

    [[nodiscard]] constexpr std::uint32_t count() const noexcept { return rows * columns; }
};

// The range of one device, by its number in row-major order, and of all.
[[nodiscard]] DeviceRange device_range(const MeshShape& shape, std::uint32_t device);
[[nodiscard]] DeviceRange all_devices(const MeshShape& shape);

// Makes the workload one for a mesh: every command is for all devices, the output is sharded over them in pieces of
// kWorkloadBytes, and so is the input, or each device has all of it. The constants are written once per device.
void spread(Workload& workload, const MeshShape& shape, Placement input);

// Input and output are sharded over all devices, in pieces of kWorkloadBytes; the constants are written once per
// device.
[[nodiscard]] Workload make_mesh_workload(const MeshShape& shape, std::uint32_t queues);

// The same, but for the input, of which every device has all: kWorkloadBytes.
[[nodiscard]] Workload make_replicated_workload(const MeshShape& shape, std::uint32_t queues);

// One piece per device.
[[nodiscard]] std::vector<std::uint8_t> mesh_input(const MeshShape& shape, std::uint32_t seed);
// clamp(input + the device's constant), element by element, piece by piece.
[[nodiscard]] std::vector<std::uint8_t> mesh_output(const std::vector<std::uint8_t>& input);
// The output of an input that every device has.
[[nodiscard]] std::vector<std::uint8_t> replicated_output(const MeshShape& shape,
                                                          const std::vector<std::uint8_t>& input);

}  // namespace pianola::test
