// ZephyrPlatform: clock and idling of a session under Zephyr.
//
// A base for applications, which add their watchdog, their safe state and their counter of security versions: these
// belong to the ECU. Called by the thread that owns the session.
#pragma once

#include <zephyr/kernel.h>

#include <cstdint>

#include "pianola/platform.h"

namespace pianola::zephyr {

class ZephyrPlatform : public Platform {
  public:
    ZephyrPlatform(const ZephyrPlatform&) = delete;
    ZephyrPlatform(ZephyrPlatform&&) = delete;
    ZephyrPlatform& operator=(const ZephyrPlatform&) = delete;
    ZephyrPlatform& operator=(ZephyrPlatform&&) = delete;

    [[nodiscard]] std::uint64_t now_us() noexcept final {
        return k_ticks_to_us_floor64(static_cast<std::uint64_t>(k_uptime_ticks()));
    }
    // A device that shares this core works inside poll(): there is nothing to wait for.
    void idle() noexcept override { k_yield(); }

  protected:
    ZephyrPlatform() = default;
    ~ZephyrPlatform() = default;
};

// Where the device is another core: sleeps, so that other threads run.
class ZephyrSleepingPlatform : public ZephyrPlatform {
  public:
    void idle() noexcept final { static_cast<void>(k_usleep(CONFIG_PIANOLA_IDLE_US)); }

  protected:
    ZephyrSleepingPlatform() = default;
    ~ZephyrSleepingPlatform() = default;
};

}  // namespace pianola::zephyr
