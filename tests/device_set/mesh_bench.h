// A session over simulated devices with one time, with everything that it needs.
#pragma once

#include <memory>
#include <vector>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "tests/support/mesh_workload.h"

namespace pianola::test {

inline constexpr MeshShape kTwo{1U, 2U};

// Devices that outlive the session which drives them: another session may drive some of them afterwards.
class MeshDevices {
  public:
    // faults: of each device in row-major order; none of those behind the last. capacities: static lifetime.
    explicit MeshDevices(std::uint32_t count, const std::vector<sim::FaultScript>& faults = {},
                         sim::Threading threading = sim::Threading::kInProcess,
                         const Capacities& capacities = kDeviceCapacities) {
        for (std::uint32_t i = 0U; i < count; ++i) {
            sim::SimOptions options;
            options.spec = small_device();
            options.spec.capacities = &capacities;
            options.threading = threading;
            options.write_back_cache = threading == sim::Threading::kInProcess;
            options.time = time_;
            options.faults = (i < faults.size()) ? faults.at(i) : sim::FaultScript{};
            devices_.push_back(std::make_unique<sim::SimDevice>(options));
        }
    }

    [[nodiscard]] sim::SimDevice& at(std::uint32_t device) { return *devices_.at(device); }
    // All of them, but for one.
    [[nodiscard]] std::vector<Device*> pointers(std::uint32_t without = UINT32_MAX) const {
        std::vector<Device*> pointers;
        for (std::uint32_t i = 0U; i < devices_.size(); ++i) {
            if (i != without) {
                pointers.push_back(devices_[i].get());
            }
        }
        return pointers;
    }

  private:
    std::shared_ptr<sim::SimTime> time_{std::make_shared<sim::SimTime>()};
    std::vector<std::unique_ptr<sim::SimDevice>> devices_;
};

struct MeshBench {
    MeshBench(const MeshShape& shape, const std::vector<Device*>& pointers, const sim::SimDevice& clock,
              const SessionConfig& config = kDevelopmentConfig)
        : platform{clock},
          session{DeviceSet{{pointers.data(), pointers.size()}, shape.rows, shape.columns}, platform, command_set,
                  config} {}
    MeshBench(const MeshShape& shape, MeshDevices& devices, const SessionConfig& config = kDevelopmentConfig)
        : MeshBench{shape, devices.pointers(), devices.at(0U), config} {}

    Status load(ByteSpan file) { return session.load(file, *workspace, verdict); }
    Status run(const std::vector<std::uint8_t>& input, std::vector<std::uint8_t>& output) {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        return session.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }

    sim::SimPlatform platform;
    refdev::RefdevCommandSet command_set;
    Session session;
    std::unique_ptr<PlanWorkspace> workspace{std::make_unique<PlanWorkspace>()};
    Verdict verdict;
};

}  // namespace pianola::test
