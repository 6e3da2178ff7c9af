// Two devices of one core each, and a session that drives both.
//
// One of these exists per run; it lies in zeroed memory, not on the stack.
#pragma once

#include <array>
#include <cstdint>

#include "hal/boards/common/core_device.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/mesh/device_probe.h"

namespace pianola::baremetal {

// Something goes wrong with one of them.
struct FaultyDevice {
    std::uint32_t device{kDevices};
    refdev::FaultScript script;

    [[nodiscard]] refdev::FaultScript of(std::uint32_t index) const noexcept {
        return (index == device) ? script : refdev::FaultScript{};
    }
};

struct MeshBench {
    MeshBench(const FaultyDevice& faulty, std::uint32_t reset_limit_us) noexcept
        : devices{{{refdev::DeviceSpec{}, board::core_state(0U), links[0U], faulty.of(0U), reset_limit_us},
                   {refdev::DeviceSpec{}, board::core_state(1U), links[1U], faulty.of(1U), reset_limit_us}}} {}

    std::array<board::CoreLink, kDevices> links{{{refdev::DeviceSpec{}, 0U}, {refdev::DeviceSpec{}, 1U}}};
    TestPlatform platform;
    std::array<TestDevice, kDevices> devices;
    std::array<Device*, kDevices> set{&devices[0U], &devices[1U]};  // in row-major order
    refdev::RefdevCommandSet command_set;
    Session session{DeviceSet{{set.data(), set.size()}, 1U, kDevices}, platform, command_set, kDevelopmentConfig};
    PlanWorkspace workspace;
    Verdict verdict;
};

// A record of a file of inputs, tensor by tensor.
struct Inputs {
    std::array<ByteSpan, kMaxInputs> tensors;
    std::uint32_t count{0U};

    [[nodiscard]] Span<const ByteSpan> all() const noexcept { return {tensors.data(), count}; }
};
// Bytes of all inputs of one step.
[[nodiscard]] std::uint32_t record_bytes(const Plan& plan) noexcept;
[[nodiscard]] Inputs record(const Plan& plan, ByteSpan inputs, std::uint32_t number) noexcept;

}  // namespace pianola::baremetal
