// Bench: a session with the reference device on the same core, in which everything is counted.
#pragma once

#include <array>
#include <cstdint>

#include "hal/boards/common/board_device.h"
#include "hal/devices/refdev/device_link.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/measure/counted_device.h"
#include "pianola/session.h"

namespace pianola::measure {

// What a call of service() did: counts of the session since the last one, and of the device's step, which is queue 0's
// count unless queues are counted apart; and the command that each queue executed, if any.
struct Service {
    std::uint32_t session{0U};
    std::array<std::uint32_t, kMaxQueues> device{};
    std::array<std::uint8_t, kMaxQueues> opcodes{};  // refdev::Opcode; 0: none
    std::array<std::uint16_t, kMaxQueues> kernels{};
};

// The services of one phase, in memory of the board.
class Services {
  public:
    void use(MutableByteSpan memory) noexcept { memory_ = memory; }
    void clear() noexcept { count_ = 0U; }
    void add(const Service& service) noexcept;
    // More than there is room for are counted and not kept.
    [[nodiscard]] bool are_whole() const noexcept { return count_ <= capacity(); }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
    [[nodiscard]] Service at(std::uint32_t index) const noexcept;

  private:
    [[nodiscard]] std::uint32_t capacity() const noexcept {
        return static_cast<std::uint32_t>(memory_.size() / sizeof(Service));
    }

    MutableByteSpan memory_;
    std::uint32_t count_{0U};
};

// Memory of a device that the image has chosen.
struct DeviceMemories {
    MutableByteSpan dram;
    MutableByteSpan l1;
};

class CountedLink final : public refdev::DeviceLink {
  public:
    CountedLink(const refdev::DeviceSpec& spec, const DeviceMemories& memories, refdev::SharedState& shared,
                bool counts_queues_apart) noexcept
        : spec_{spec},
          memories_{memories},
          shared_{shared},
          device_{shared},
          counts_queues_apart_{counts_queues_apart} {}

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void signal(std::uint32_t /*queue*/) noexcept override {}
    Status service() noexcept override;
    void relax() noexcept override {}
    [[nodiscard]] std::uint64_t now_us() noexcept override;
    void clean(ByteSpan memory) noexcept override;
    void invalidate(MutableByteSpan memory) noexcept override;

    // Between the two, everything is counted but what service() does for itself.
    void begin() noexcept;
    // Counts of the session since the last service().
    [[nodiscard]] std::uint32_t end() const noexcept;
    [[nodiscard]] Services& services() noexcept { return services_; }

  private:
    refdev::DeviceSpec spec_;
    DeviceMemories memories_;
    refdev::SharedState& shared_;
    CountedDevice device_;
    bool counts_queues_apart_;
    Services services_;
    std::uint32_t started_{0U};  // the counter at begin(), or at the end of the last service()
};

// A platform on which no deadline passes while the device gets on: under an emulator, or with other clocks than the
// binary was captured for, they would say nothing.
class PatientPlatform final : public Platform {
  public:
    PatientPlatform() = default;
    [[nodiscard]] std::uint64_t now_us() noexcept override;
    void idle() noexcept override {}  // the device needs this core
    void serve_watchdog() noexcept override {}
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = 0U;
        return Status::kOk;
    }
    Status raise_security_version(std::uint32_t /*version*/) noexcept override { return Status::kOk; }
    void enter_safe_state(const FaultRecord& /*fault*/) noexcept override {}

  private:
    std::uint32_t readings_{0U};
};

}  // namespace pianola::measure
