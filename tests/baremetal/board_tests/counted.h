// A platform and a link that tell the instruction counter when the ECU core only waits.
#pragma once

#include <cstdint>

#include "hal/boards/common/board_link.h"
#include "hal/devices/refdev/device_link.h"
#include "hal/measure/markers.h"
#include "pianola/platform.h"
#include "pianola/session_config.h"

namespace pianola::baremetal {

// Of ten periods the reaction takes one, so that eight steps share a verification. So long that no step is late.
inline constexpr FaultInterval kTenPeriods{1'000'000'000U, 100'000'000U, 100'000'000U};

// True where a queue has work that it has not finished.
[[nodiscard]] bool device_is_busy() noexcept;

// Whose work a section counts, where a device shares this core and works in service().
enum class Counted : std::uint8_t {
    kEcu,     // all but waiting and service()
    kDevice,  // service() alone: outside of it, counting is paused
};

// A board's link whose waiting does not count.
class CountedLink final : public refdev::DeviceLink {
  public:
    explicit CountedLink(refdev::SharedState& shared, Counted counted = Counted::kEcu) noexcept
        : link_{refdev::DeviceSpec{}, shared}, counted_{counted} {}

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        return link_.memory_at(address, size_bytes);
    }
    void signal(std::uint32_t queue) noexcept override { link_.signal(queue); }
    Status service() noexcept override;
    void relax() noexcept override;
    [[nodiscard]] std::uint64_t now_us() noexcept override { return link_.now_us(); }
    void clean(ByteSpan memory) noexcept override { link_.clean(memory); }
    void invalidate(MutableByteSpan memory) noexcept override { link_.invalidate(memory); }

    // Waits, without asking the session, until the device has finished all it was given.
    void wait_for_device() noexcept;

  private:
    board::BoardLink link_;
    Counted counted_;
};

// A platform that idles until the device has finished, so that a loop around it looks once before and once after.
class CountedPlatform final : public Platform {
  public:
    explicit CountedPlatform(CountedLink& link) noexcept : link_{link} {}

    [[nodiscard]] std::uint64_t now_us() noexcept override { return board::now_us(); }
    void idle() noexcept override;
    void serve_watchdog() noexcept override {}
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = 0U;
        return Status::kOk;
    }
    Status raise_security_version(std::uint32_t /*version*/) noexcept override { return Status::kOk; }
    void enter_safe_state(const FaultRecord& /*fault*/) noexcept override {}

  private:
    CountedLink& link_;
};

}  // namespace pianola::baremetal
