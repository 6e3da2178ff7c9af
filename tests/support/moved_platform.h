// The simulator's platform with a clock that a test moves.
#pragma once

#include "hal/devices/refdev/sim/sim_platform.h"

namespace pianola::test {

class MovedPlatform final : public Platform {
  public:
    explicit MovedPlatform(const sim::SimDevice& device) : inner_{device} {}

    void pass(std::uint64_t time_us) { moved_us_ += time_us; }

    [[nodiscard]] std::uint64_t now_us() noexcept override { return inner_.now_us() + moved_us_; }
    void idle() noexcept override { inner_.idle(); }
    void serve_watchdog() noexcept override { inner_.serve_watchdog(); }
    void enter_safe_state(const FaultRecord& fault) noexcept override { inner_.enter_safe_state(fault); }
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        return inner_.lowest_security_version(version);
    }
    Status raise_security_version(std::uint32_t version) noexcept override {
        return inner_.raise_security_version(version);
    }

  private:
    sim::SimPlatform inner_;
    std::uint64_t moved_us_{0U};
};

}  // namespace pianola::test
