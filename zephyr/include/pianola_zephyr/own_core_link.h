// OwnCoreLink: the reference device played by the application's own core under Zephyr.
//
// What RefdevDriver needs of a machine. The device works inside Session::poll(), one command of each queue at most, so
// that a cyclic thread gets on with it kernel by kernel. No caches lie between the two.
#pragma once

#include <zephyr/kernel.h>

#include <cstdint>

#include "hal/devices/refdev/device_core.h"
#include "hal/devices/refdev/device_link.h"
#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/shared_state.h"

namespace pianola::zephyr {

class OwnCoreLink final : public refdev::DeviceLink {
  public:
    // The memories have the sizes of `spec`; all of it must outlive the link.
    OwnCoreLink(const refdev::DeviceSpec& spec, refdev::SharedState& shared, MutableByteSpan dram,
                MutableByteSpan l1) noexcept
        : spec_{spec}, dram_{dram}, l1_{l1}, queue_0_{0U, shared, nullptr}, queue_1_{1U, shared, nullptr} {
        static_assert(kMaxQueues == 2U, "a core for each queue");
    }
    ~OwnCoreLink() = default;
    OwnCoreLink(const OwnCoreLink&) = delete;
    OwnCoreLink(OwnCoreLink&&) = delete;
    OwnCoreLink& operator=(const OwnCoreLink&) = delete;
    OwnCoreLink& operator=(OwnCoreLink&&) = delete;

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        // Wraps to a large offset below the base, which lies in no memory.
        const MutableByteSpan in_dram = dram_.subspan(address - spec_.dram_base, size_bytes);
        const MutableByteSpan in_l1 = l1_.subspan(address - spec_.l1_base, size_bytes);
        return (in_dram.data() != nullptr) ? in_dram.data() : in_l1.data();
    }
    void signal(std::uint32_t /*queue*/) noexcept override {}
    Status service() noexcept override {
        static_cast<void>(queue_0_.step());
        static_cast<void>(queue_1_.step());
        return Status::kOk;
    }
    void relax() noexcept override {}
    [[nodiscard]] std::uint64_t now_us() noexcept override {
        return k_ticks_to_us_floor64(static_cast<std::uint64_t>(k_uptime_ticks()));
    }
    void clean(ByteSpan /*memory*/) noexcept override {}
    void invalidate(MutableByteSpan /*memory*/) noexcept override {}

  private:
    refdev::DeviceSpec spec_;
    MutableByteSpan dram_;
    MutableByteSpan l1_;
    refdev::DeviceCore queue_0_;
    refdev::DeviceCore queue_1_;
};

}  // namespace pianola::zephyr
