// VulkanPlatform: the ECU around a session on a Vulkan device, in a host process.
//
// Its clock is the published time of completed work, like the simulator's. It is not the hardware's time, which is not
// published: a deadline passes here if nothing has advanced for `stall_limit` of real time. docs/guide/vulkan.md
// describes a product's platform.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "hal/devices/refdev/vulkan/vulkan_device.h"
#include "pianola/fault.h"
#include "pianola/platform.h"

namespace pianola::vulkan {

class VulkanPlatform final : public Platform {
  public:
    explicit VulkanPlatform(const VulkanDevice& device,
                            std::chrono::milliseconds stall_limit = std::chrono::seconds{20})
        : device_{device}, stall_limit_{stall_limit} {}

    [[nodiscard]] std::uint64_t now_us() noexcept override {
        constexpr std::uint64_t kPerMilli = 1000U;
        const std::uint64_t clock_khz = std::max<std::uint64_t>(device_.spec().clock_khz, 1U);
        return stalled_us_ + ((std::max(device_.now_cycles(), device_.time().cycles) * kPerMilli) / clock_khz);
    }
    void idle() noexcept override {
        constexpr std::uint64_t kStallUs = 3'600'000'000U;  // longer than any deadline
        const auto now = std::chrono::steady_clock::now();
        constexpr std::uint32_t kYields = 64U;  // the driver's threads then get the core for longer
        constexpr std::chrono::microseconds kPause{20};
        if (device_.time().moves != last_moves_) {
            last_moves_ = device_.time().moves;
            last_move_ = now;
            idle_calls_ = 0U;
        } else if ((now - last_move_) > stall_limit_) {
            stalled_us_ += kStallUs;
            last_move_ = now;
        } else if (idle_calls_ < kYields) {
            idle_calls_ += 1U;
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(kPause);
        }
    }
    void serve_watchdog() noexcept override { watchdog_services_ += 1U; }
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = security_version_;
        return Status::kOk;
    }
    Status raise_security_version(std::uint32_t version) noexcept override {
        security_version_ = version;
        return Status::kOk;
    }
    void enter_safe_state(const FaultRecord& /*fault*/) noexcept override { safe_state_entries_ += 1U; }

    [[nodiscard]] std::uint32_t safe_state_entries() const noexcept { return safe_state_entries_; }
    [[nodiscard]] std::uint32_t watchdog_services() const noexcept { return watchdog_services_; }

  private:
    const VulkanDevice& device_;
    std::chrono::milliseconds stall_limit_;
    std::uint64_t stalled_us_{0U};  // time that has passed without progress
    std::uint64_t last_moves_{0U};
    std::uint32_t idle_calls_{0U};  // since the last progress
    std::chrono::steady_clock::time_point last_move_{std::chrono::steady_clock::now()};
    std::uint32_t safe_state_entries_{0U};
    std::uint32_t watchdog_services_{0U};
    std::uint32_t security_version_{0U};
};

}  // namespace pianola::vulkan
