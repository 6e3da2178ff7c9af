// QueueDriver: queue commands, doorbells, completion tokens and the host's virtual time of one simulated device.
//
// The caller serialises calls. The stall limit bounds every wait.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>

#include "hal/host/target.h"
#include "pianola_host/host_cost.h"

namespace pianola::host {

class QueueDriver {
  public:
    // The simulator has direct queues, and keeps its completions.
    QueueDriver(Simulator& simulator, const CommandSet& command_set, const DeviceDescription& spec,
                std::chrono::milliseconds stall_limit, const HostCost& cost)
        : device_{simulator.device()},
          direct_{*simulator.direct_queues()},
          command_set_{command_set},
          spec_{spec},
          stall_limit_{stall_limit},
          cost_{cost} {}

    // Appends; waits for room in the ring. Throws API-DEVICE-*.
    void enqueue(std::uint32_t queue, const QueueCommand& command);
    // Appends a completion record; its token is never 0.
    std::uint32_t notify(std::uint32_t queue);
    // The commands since the last doorbell are one operation: it costs the host the time of one operation, and not
    // that of its commands.
    void pay_dispatch();
    // Shows the appended commands to the device, after the host's time for them. A device in this process then runs as
    // far as it can.
    void ring(std::uint32_t queue);

    // True if everything up to `token` has completed; does not wait, and does not change the host's time.
    [[nodiscard]] bool is_complete(std::uint32_t queue, std::uint32_t token);
    // Waits for it; the host's time is then no earlier than the record's. Calls interrupt::check() while it waits; if
    // that throws, the queues go on.
    void wait(std::uint32_t queue, std::uint32_t token);
    // Waits until nothing is under way.
    void drain();

    // Virtual time.
    void spend_ns(std::uint64_t nanoseconds) { host_ns_ += nanoseconds; }
    [[nodiscard]] std::uint64_t host_ns() const noexcept { return host_ns_; }
    [[nodiscard]] std::uint64_t device_cycles() const noexcept { return device_cycles_; }

  private:
    struct Queue {
        std::uint32_t last_token{0U};
        std::deque<std::uint32_t> outstanding;             // tokens, oldest first
        std::map<std::uint32_t, std::uint64_t> completed;  // token, device time, until it was waited for
        std::uint32_t completed_up_to{0U};
        bool tail{false};                // commands follow the last record
        std::uint32_t unrung_words{0U};  // appended since the last doorbell
    };

    void poll(std::uint32_t queue);  // notes completions; throws API-DEVICE-FAULT
    [[noreturn]] void report_fault(std::uint32_t queue, const Completion& completion) const;
    [[nodiscard]] std::uint64_t cycles_of(std::uint64_t nanoseconds) const noexcept;
    void advance_host_to(std::uint64_t device_cycles) noexcept;
    template <typename Done>
    void wait_until(std::uint32_t queue, const char* what, Done done);

    pianola::Device& device_;
    DirectQueues& direct_;
    const CommandSet& command_set_;
    DeviceDescription spec_;
    std::chrono::milliseconds stall_limit_;
    HostCost cost_;
    std::uint64_t unpaid_commands_{0U};  // not yet in the host's time
    std::array<Queue, kMaxQueues> queues_{};
    std::uint64_t host_ns_{0U};
    std::uint64_t device_cycles_{0U};
};

}  // namespace pianola::host
