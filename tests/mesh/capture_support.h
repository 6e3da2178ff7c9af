// A mesh that is captured, and what its binary gives on devices of its own.
#pragma once

#include <utility>

#include "pianola_host/replay.h"
#include "pianola_host/workload_capture.h"
#include "tests/mesh/mesh_support.h"

namespace pianola::test {

using host::CapturedWorkload;
using host::EventId;
using host::HostRule;
using host::MeshBufferPtr;
using host::MeshPtr;
using host::MeshWorkload;
using host::WorkloadCapture;

inline constexpr std::uint32_t kBytes = 64U;
inline constexpr std::uint32_t kTurns = 4U;

using Tensors = std::vector<Bytes>;

// Replays inferences on devices of its own, and gives all outputs.
inline std::vector<Tensors> replayed(const CapturedWorkload& workload, const MeshPtr& mesh,
                                     const std::vector<Tensors>& inputs) {
    DeviceDescription device = mesh->device(mesh->coordinates().front())->spec();
    device.mesh_rows = workload.manifest.target.mesh_rows;
    device.mesh_columns = workload.manifest.target.mesh_columns;
    SimulatorOptions options;
    if (const std::optional<std::uint32_t> vulkan = tested_vulkan()) {
        options.executor = {find_executor(known_targets(), "vulkan").executor, *vulkan};
    }
    replay::Replay replay{view(workload.file), usual_target(), device, options};
    replay.load();
    return replay.run(inputs);
}

inline Bytes piece(const Bytes& whole, std::size_t index) {
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(index * kBytes);
    return {begin, begin + kBytes};
}

inline Bytes joined(const std::vector<Bytes>& pieces) {
    Bytes whole;
    for (const Bytes& each : pieces) {
        whole.insert(whole.end(), each.begin(), each.end());
    }
    return whole;
}

class MeshCapture : public ::testing::Test {
  protected:
    void open(const MeshShape& shape, std::uint32_t queues = 1U) { mesh_ = small_mesh(shape, queues); }
    [[nodiscard]] MeshBufferPtr shared() const { return replicated(*mesh_, kBytes); }
    // A row for each device.
    [[nodiscard]] MeshBufferPtr cut() const {
        host::MeshBufferConfig config{flat(kBytes), host::GlobalMatrix{}};
        config.global->rows = mesh_->shape()[0U];
        config.global->row_bytes = std::uint64_t{kBytes} * mesh_->shape()[1U];
        return mesh_->allocate(config);
    }
    void run(const std::vector<std::pair<MeshCoordinateRange, int>>& constants, const MeshBufferPtr& from,
             const MeshBufferPtr& to, std::uint32_t queue = 0U) const {
        MeshWorkload workload;
        for (const auto& [range, constant] : constants) {
            workload.add_program(range, plus_program(from, to, constant));
        }
        mesh_->enqueue_workload(queue, workload);
    }
    void run_all(int constant, const MeshBufferPtr& from, const MeshBufferPtr& to, std::uint32_t queue = 0U) const {
        run({{MeshCoordinateRange{mesh_->shape()}, constant}}, from, to, queue);
    }
    // Each device's part of every input is what `right` makes of it, by the device's number.
    template <typename Right>
    void expect_replays(const CapturedWorkload& workload, std::uint32_t count, const Right& right) const {
        std::vector<Tensors> inputs;
        for (std::uint32_t i = 0U; i < count; ++i) {
            inputs.emplace_back();
            for (const auto& input : workload.manifest.inputs) {
                const bool is_cut = input.placement == Placement::kSharded;
                const std::size_t pieces = is_cut ? std::size_t{input.devices.rows} * input.devices.columns : 1U;
                inputs.back().push_back(pattern(pieces * kBytes, (i * 31U) + 7U));
            }
        }
        const std::vector<Tensors> outputs = replayed(workload, mesh_, inputs);
        for (std::uint32_t i = 0U; i < count; ++i) {
            ASSERT_EQ(outputs[i], right(inputs[i])) << "inference " << i;
        }
    }

    MeshPtr mesh_;
};

}  // namespace pianola::test
