// DeviceServer: the queues that one core serves, in turn; and the loop of device firmware around it.
//
// Run by device cores, and in service() on a board without a device core.
#pragma once

#include <array>
#include <cstdint>

#include "hal/boards/common/board.h"
#include "hal/devices/refdev/device_core.h"
#include "hal/devices/refdev/execution_log.h"

namespace pianola::board {

// Keeps a queue's execution log, and wakes the core of another queue that may be waiting for an event. If each core is
// a separate device, no queue waits there, and the other device finds nothing to do.
class QueueObserver final : public refdev::CommandObserver {
  public:
    explicit QueueObserver(refdev::ExecutionLog& log) noexcept : CommandObserver{}, log_{log} {}
    ~QueueObserver() = default;
    QueueObserver(const QueueObserver&) = delete;
    QueueObserver(QueueObserver&&) = delete;
    QueueObserver& operator=(const QueueObserver&) = delete;
    QueueObserver& operator=(QueueObserver&&) = delete;

    void before(std::uint32_t /*queue*/, WordSpan /*words*/) noexcept override {}
    void after(const refdev::ExecutedCommand& executed, WordSpan /*words*/) noexcept override {
        log_.append(executed);
        if ((executed.opcode == refdev::Opcode::kRecordEvent) && (device_cores() > 1U)) {
            signal_device(kAllQueues);
        }
    }

  private:
    refdev::ExecutionLog& log_;
};

// Serves queue `queue`.
class QueueServer {
  public:
    QueueServer(std::uint32_t queue, refdev::SharedState& shared) noexcept
        : observer_{shared.logs[queue]}, core_{queue, shared, &observer_} {}
    ~QueueServer() = default;
    QueueServer(const QueueServer&) = delete;
    QueueServer(QueueServer&&) = delete;
    QueueServer& operator=(const QueueServer&) = delete;
    QueueServer& operator=(QueueServer&&) = delete;

    // True if a command was executed.
    bool step() noexcept { return core_.step() == refdev::Progress::kExecuted; }

  private:
    QueueObserver observer_;
    refdev::DeviceCore core_;
};

// Serves all queues on one core. They alternate command by command, so that none starves another.
class DeviceServer {
  public:
    explicit DeviceServer(refdev::SharedState& shared) noexcept
        : queues_{QueueServer{0U, shared}, QueueServer{1U, shared}} {
        static_assert(kMaxQueues == 2U, "one server for each queue");
    }

    // At most one command of each queue. True if one was executed.
    bool step() noexcept {
        bool executed = false;
        for (QueueServer& queue : queues_) {
            executed = queue.step() || executed;
        }
        return executed;
    }

  private:
    std::array<QueueServer, kMaxQueues> queues_;
};

// The endless loop of a device core: works until there is nothing to do, then signals the ECU core and sleeps.
// Superfluous signals are harmless: the ECU core reads completion records, not the signal.
template <typename Server>
[[noreturn]] void serve(Server& server) noexcept {
    bool worked = false;
    for (;;) {  // the device never ends
        if (server.step()) {
            worked = true;
            continue;
        }
        if (worked) {
            worked = false;
            signal_ecu();
        }
        wait_for_signal();
    }
}

}  // namespace pianola::board
