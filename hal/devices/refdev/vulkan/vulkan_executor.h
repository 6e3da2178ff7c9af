// VulkanExecutor: Vulkan 1.2 devices as an executor of reference-device binaries.
//
// A build without Vulkan has it too, and refuses by name (no_vulkan.cpp).
#pragma once

#include <memory>
#include <vector>

#include "hal/host/executor.h"

namespace pianola::vulkan {

class VulkanExecutor final : public Executor {
  public:
    [[nodiscard]] const char* name() const noexcept override { return "vulkan"; }
    [[nodiscard]] const char* title() const noexcept override { return "Vulkan"; }
    [[nodiscard]] bool is_built() const noexcept override;
    // Offers no device time, no threads of this process, no logs and no access checks.
    [[nodiscard]] Offers offers() const noexcept override {
        Offers offers;
        offers.simulator = true;
        offers.direct_queues = true;
        return offers;
    }
    [[nodiscard]] ExecutorDevices devices() const override;
    [[nodiscard]] std::vector<ObjectCount> objects(const DeviceDescription& device, WordSpan words) const override;
    [[nodiscard]] std::unique_ptr<Simulator> simulate(const DeviceDescription& device,
                                                      const SimulatorOptions& options) const override;
};

}  // namespace pianola::vulkan
