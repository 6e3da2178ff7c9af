// CommandProcessor: executes one command queue of the reference device.
//
// The device's front end. The simulator runs one per queue, in the caller's thread or in a thread each; boards run one
// per device core. It takes words from the ring, runs traces from the trace region, and publishes completion records.
// Uses no heap; it never blocks but returns kWaiting.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/device_memory.h"
#include "hal/devices/refdev/queue_memory.h"
#include "pianola/span.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kNoCore = UINT32_MAX;

// One executed command, for logs.
struct ExecutedCommand {
    std::uint32_t queue{0U};
    std::uint32_t sequence{0U};  // counts the queue's executed commands since reset, from 1
    Opcode opcode{Opcode::kInvalid};
    std::uint32_t kernel_id{0U};  // kLaunch and kDispatch only
    DeviceFault fault{DeviceFault::kNone};
    std::uint64_t digest{0U};        // of the queue since reset, or of the trace that is running; including this
                                     // command
    std::uint64_t start_cycles{0U};  // of a dispatch: on its core
    std::uint64_t end_cycles{0U};
    std::uint32_t core{kNoCore};  // kDispatch only
};

// Watches a processor; for simulators and tests. Called on the processor's own thread.
class CommandObserver {
  public:
    CommandObserver(const CommandObserver&) = delete;
    CommandObserver(CommandObserver&&) = delete;
    CommandObserver& operator=(const CommandObserver&) = delete;
    CommandObserver& operator=(CommandObserver&&) = delete;

    // Called around every command, also one that faults; words is the whole command.
    virtual void before(std::uint32_t queue, WordSpan words) noexcept = 0;
    virtual void after(const ExecutedCommand& executed, WordSpan words) noexcept = 0;

  protected:
    CommandObserver() = default;
    ~CommandObserver() = default;
};

enum class Progress : std::uint8_t {
    kIdle,      // nothing published
    kWaiting,   // held back by an event
    kExecuted,  // one command has been executed
    kStopped,   // a fault: nothing more until reset()
};

class CommandProcessor {
  public:
    // All must outlive the processor. observer may be nullptr.
    CommandProcessor(std::uint32_t queue, QueueMemory& queue_memory, EventFile& events, const DeviceMemory& memory,
                     const HostMemory& host, CommandObserver* observer) noexcept
        : queue_{queue}, shared_{queue_memory}, events_{events}, memory_{memory}, host_{host}, observer_{observer} {}

    // Executes at most one command.
    Progress step() noexcept;

    // Forgets everything. Only while step() is not running.
    void reset() noexcept;

  private:
    Progress step_queue() noexcept;
    template <bool kIsObserved>
    Progress step_trace() noexcept;
    [[gnu::cold]] Progress
    step_observed_trace() noexcept;  // cold: otherwise it is inlined and step() saves its registers
    [[nodiscard]] DeviceFault execute_queue_command(WordSpan words) noexcept;
    [[nodiscard]] DeviceFault execute_trace_command(WordSpan words) noexcept;
    [[nodiscard]] DeviceFault write(WordSpan words) noexcept;
    [[nodiscard]] DeviceFault read(WordSpan words) noexcept;
    [[nodiscard]] DeviceFault replay(WordSpan words) noexcept;
    template <std::uint32_t kHeadWords>
    [[nodiscard]] DeviceFault run_kernel(WordSpan words) noexcept;
    [[nodiscard]] DeviceFault launch(WordSpan words) noexcept;
    [[gnu::cold, nodiscard]] DeviceFault dispatch(WordSpan words) noexcept;  // cold: see step_observed_trace()
    [[gnu::cold]] void join_cores() noexcept;
    [[gnu::cold, nodiscard]] bool attend() noexcept;
    [[nodiscard]] DeviceFault copy(WordSpan words) noexcept;
    [[nodiscard]] DeviceFault fill(WordSpan words) noexcept;
    [[nodiscard]] bool event_reached(std::uint32_t event, std::uint32_t value) const noexcept;
    Progress stop(DeviceFault fault) noexcept;
    void report(WordSpan words, std::uint64_t start_cycles, DeviceFault fault) noexcept;
    void publish_completion(std::uint32_t token) noexcept;

    std::uint32_t queue_;
    QueueMemory& shared_;
    EventFile& events_;
    const DeviceMemory& memory_;
    const HostMemory& host_;
    CommandObserver* observer_;

    bool needs_attention_{false};  // stopped, or cores are busy: one test for both
    bool stopped_{false};
    std::uint32_t position_{0U};        // words consumed since reset
    std::uint32_t sequence_{0U};        // queue commands executed since reset
    WordSpan trace_;                    // empty while no trace is running
    std::uint32_t trace_position_{0U};  // next word of the trace
    std::uint32_t executed_{0U};
    std::uint64_t digest_{0U};        // of the queue, or of the trace that is running
    std::uint64_t queue_digest_{0U};  // of the queue, while a trace is running
    std::uint64_t time_cycles_{0U};
    std::uint32_t fault_address_{0U};

    // Cores that this queue's trace has dispatched to since the last command that waited for them. Two queues never use
    // a core at the same time: the runtime proves it.
    bool cores_busy_{false};
    std::uint64_t cores_done_cycles_{0U};   // when the last busy core is free
    std::uint64_t core_start_cycles_{0U};   // when the last dispatched kernel begins on its core
    bool has_waited_{false};                // the next command had to wait for busy cores
    std::uint64_t waited_from_cycles_{0U};  // with has_waited_: when that wait began
    std::uint64_t cores_since_cycles_{0U};  // when the first busy core was given work
    // Per core: when it is free, in cycles after cores_since_cycles_. Valid while cores_busy_.
    std::array<std::uint32_t, kMaxCores> core_free_cycles_{};
};

}  // namespace pianola::refdev
