// RefdevDriver: the ECU's side of the reference device.
//
// The Device of the simulator and of every board. Works on memory that both sides share; a DeviceLink handles the
// differences between machines. Called only by the core that owns the session.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/device_link.h"
#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/shared_state.h"
#include "pianola/device.h"

namespace pianola::refdev {

// Default time that a reset waits for the queues: longer than a kernel should take, because a queue finishes its
// current kernel first.
inline constexpr std::uint32_t kResetLimitUs = 20'000U;
// The limit for a port with a stopped clock: iterations of the wait.
inline constexpr std::uint32_t kResetLimitTurns = 100'000'000U;

// RAM of a driver of that profile on a 32-bit core.
// runtime/include/pianola/footprint.h says how the number is kept correct.
[[nodiscard]] constexpr std::uint32_t driver_bytes32(const Capacities& capacities) noexcept {
    return 96U + (8U * capacities.steps_in_flight);
}

class RefdevDriver : public Device {
  public:
    // shared and link must outlive the driver; shared is newly constructed or left by an earlier driver.
    RefdevDriver(const DeviceSpec& spec, SharedState& shared, DeviceLink& link,
                 std::uint32_t reset_limit_us = kResetLimitUs) noexcept
        : Device{}, spec_{spec}, shared_{shared}, link_{link}, reset_limit_us_{reset_limit_us} {}
    RefdevDriver(const RefdevDriver&) = delete;
    RefdevDriver(RefdevDriver&&) = delete;
    RefdevDriver& operator=(const RefdevDriver&) = delete;
    RefdevDriver& operator=(RefdevDriver&&) = delete;

    Status describe(DeviceDescription& description) const noexcept override;
    Status reset() noexcept override;
    Status program_region(const RegionConfig& region) noexcept override;
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override;
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override;
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override;
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override;
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override;
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override;
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override;
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void give_to_device(ByteSpan view) noexcept override;
    void take_from_device(MutableByteSpan view) noexcept override;
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override;
    Status ring_doorbell(std::uint32_t queue) noexcept override;
    Status service() noexcept override;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override;

    // Device time that this side has seen: that of its latest completion. Continues across resets.
    [[nodiscard]] std::uint64_t now_cycles() const noexcept { return now_cycles_; }
    // Advances the time of this side: later doorbells are not earlier. For hosts that model their own time.
    void advance_to(std::uint64_t cycles) noexcept { now_cycles_ = (cycles > now_cycles_) ? cycles : now_cycles_; }
    [[nodiscard]] const DeviceSpec& spec() const noexcept { return spec_; }  // NOLINT(pianola-misra-6.8.4): DEV-067

  protected:
    ~RefdevDriver() = default;

  private:
    [[nodiscard]] bool is_in_window(std::uint32_t address) const noexcept;
    [[nodiscard]] std::uint8_t* place_of(const RegionConfig& region) noexcept;
    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept;
    [[nodiscard]] bool stop_queues() noexcept;
    void clear_queue(std::uint32_t queue) noexcept;

    DeviceSpec spec_;
    SharedState& shared_;
    DeviceLink& link_;
    std::uint32_t reset_limit_us_;
    std::uint64_t now_cycles_{0U};
    std::array<std::uint32_t, kMaxQueues> written_{};  // words in each ring since reset, published or not
    // For each queue, by token: end positions in the ring of the last notifications that may be under way.
    std::array<std::array<std::uint32_t, kMaxStepsInFlight>, kMaxQueues> notified_{};
};

}  // namespace pianola::refdev
