// VulkanDevice: the reference device's command set, executed by a Vulkan device.
//
// A Device for sessions, and direct queues for code without a session. Rings, regions, bindings and completion records
// are the reference driver's; Machine replaces the board.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hal/devices/refdev/refdev_driver.h"
#include "hal/devices/refdev/vulkan/machine.h"

namespace pianola::vulkan {

// Shared by the devices of one mesh: the published time that this side has seen of one has passed for all.
struct MeshTime {
    std::uint64_t cycles{0U};
    std::uint64_t moves{0U};
};

class VulkanDevice final : public refdev::RefdevDriver {
  public:
    // `machine` is open.
    VulkanDevice(std::unique_ptr<Machine> machine, std::shared_ptr<MeshTime> time);
    ~VulkanDevice();

    Status reset() noexcept override;
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override;
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    Status ring_doorbell(std::uint32_t queue) noexcept override;
    Status service() noexcept override;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override;

    // enqueue() for code without a session: seals the command as the queue's next one.
    Status append(std::uint32_t queue, QueueCommand command) noexcept;
    [[nodiscard]] DirectQueues::State peek(std::uint32_t queue) const noexcept;

    [[nodiscard]] const MeshTime& time() const noexcept { return *time_; }
    [[nodiscard]] Machine& machine() noexcept { return *machine_; }

  private:
    std::unique_ptr<Machine> machine_;
    std::shared_ptr<MeshTime> time_;
    std::array<std::uint32_t, kMaxQueues> appended_{};  // to each queue since reset
    std::uint64_t seen_moves_{0U};
};

}  // namespace pianola::vulkan
