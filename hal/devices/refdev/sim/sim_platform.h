// SimPlatform: the ECU around a session on the simulator.
//
// The session's clock is the device's virtual time, so that deadlines do not depend on the speed of the machine.
// Additional time passes only without progress: in process with every idle call, threaded after `stall_limit` of real
// time.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "hal/devices/refdev/sim/sim_device.h"
#include "pianola/fault.h"
#include "pianola/platform.h"

namespace pianola::sim {

class SimPlatform final : public Platform {
  public:
    // The device must outlive the platform.
    explicit SimPlatform(const SimDevice& device, std::chrono::milliseconds stall_limit = std::chrono::seconds{20})
        : device_{device}, stall_limit_{stall_limit} {}

    [[nodiscard]] std::uint64_t now_us() noexcept override;
    void idle() noexcept override;
    void serve_watchdog() noexcept override { watchdog_services_ += 1U; }
    void enter_safe_state(const FaultRecord& fault) noexcept override;
    Status lowest_security_version(std::uint32_t& version) noexcept override;
    Status raise_security_version(std::uint32_t version) noexcept override;

    // The counter's status and value from now on; without kOk its value is unchanged.
    void set_security_counter(std::uint32_t version, Status answer = Status::kOk) noexcept {
        security_version_ = version;
        counter_answer_ = answer;
    }
    [[nodiscard]] std::uint32_t security_counter() const noexcept { return security_version_; }

    [[nodiscard]] std::uint32_t safe_state_entries() const noexcept { return safe_state_entries_; }
    [[nodiscard]] std::uint32_t watchdog_services() const noexcept { return watchdog_services_; }
    [[nodiscard]] const FaultRecord& last_fault() const noexcept { return last_fault_; }

  private:
    const SimDevice& device_;
    std::chrono::milliseconds stall_limit_;
    std::uint64_t stalled_us_{0U};  // time that has passed without progress
    std::uint64_t last_progress_{0U};
    std::chrono::steady_clock::time_point last_move_{std::chrono::steady_clock::now()};
    std::uint32_t safe_state_entries_{0U};
    std::uint32_t watchdog_services_{0U};
    FaultRecord last_fault_;
    std::uint32_t security_version_{0U};
    Status counter_answer_{Status::kOk};
};

}  // namespace pianola::sim
