// Simulator: a device in a host process, with the ECU around it.
//
// A Target may offer it for replaying a binary on the host. A session needs Device and Platform; the rest is optional,
// as listed by Offers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/platform.h"
#include "pianola/span.h"

namespace pianola {

// Optional features of a family's simulator. A feature that is false here must be neither requested nor called.
struct Offers {
    bool simulator{false};       // there is one
    bool cycles{false};          // now_cycles(): the device's own time, by the command set's cost model
    bool threads{false};         // SimulatorOptions::threaded
    bool access_checks{false};   // SimulatorOptions::check_accesses
    bool command_log{false};     // SimulatorOptions::keep_log
    bool execution_logs{false};  // SimulatorOptions::keep_execution_logs; Target::read_execution_logs()
    bool direct_queues{false};   // Simulator::direct_queues()
};

// The time that the simulators of a mesh share: time that this side has seen of one of them has passed for all.
struct VirtualTime {
    std::shared_ptr<void> of_family;  // its type belongs to the family, whose first simulator makes it
};

class Executor;

// A device of an executor, by its number. Without an executor: the simulator.
struct ExecutorDevice {
    const Executor* executor{nullptr};  // static lifetime
    std::uint32_t number{0U};
};

struct SimulatorOptions {
    bool threaded{false};               // one thread per queue; otherwise queues run inside Device::service()
    bool check_accesses{false};         // proves for every command that it touched no byte outside its extents
    bool memory_is_visible{true};       // to the ECU core; otherwise only queues move tensors
    bool keep_log{false};               // with times, without limit
    bool keep_execution_logs{false};    // the device's logs: a ring per queue
    bool keep_completions{false};       // for DirectQueues::take_completions()
    ExecutorDevice executor;            // executes commands instead of this process
    std::shared_ptr<VirtualTime> time;  // empty: a separate time
};

// One executed command, for logs.
struct LoggedCommand {
    std::uint32_t sequence{0U};  // counts the queue's executed commands since reset, from 1
    std::uint32_t kind{0U};      // the device's own number for it
    const char* name{nullptr};   // of the kind; nullptr if it is not a command. Static lifetime
    bool launches{false};        // a kernel
    std::uint32_t kernel_id{0U};
    const char* kernel_name{nullptr};  // nullptr for a kernel that the device does not have. Static lifetime
    DeviceFault fault{DeviceFault::kNone};
    std::uint64_t digest{0U};           // of the queue since reset, or of the trace that is running
    std::optional<std::uint32_t> core;  // of one that was started on a single core. These three: not in dumps
    std::uint64_t start_cycles{0U};
    std::uint64_t end_cycles{0U};
};

// Direct access to a device's queues, without a session and with a modelled host time: for the host API.
class DirectQueues {
  public:
    DirectQueues() = default;
    DirectQueues(const DirectQueues&) = delete;
    DirectQueues& operator=(const DirectQueues&) = delete;

    // Device::enqueue(), which seals the command as the queue's next one.
    virtual Status append(std::uint32_t queue, const QueueCommand& command) noexcept = 0;
    // Advances the time of this side: later doorbells are not earlier.
    virtual void advance_to(std::uint64_t cycles) noexcept = 0;
    // The last published state of a queue, without advancing now_cycles().
    struct State {
        bool stopped{false};                // `fault` says why
        std::uint32_t completed_token{0U};  // of the last notification that completed
        Completion fault;
    };
    [[nodiscard]] virtual State peek(std::uint32_t queue) const noexcept = 0;
    // With keep_completions: completions since the last call, in order; at least up to the token of peek().
    struct Completed {
        std::uint32_t token{0U};
        std::uint64_t time_cycles{0U};
    };
    [[nodiscard]] virtual std::vector<Completed> take_completions(std::uint32_t queue) = 0;
    // Whether queues also run outside Device::service().
    [[nodiscard]] virtual bool is_threaded() const noexcept = 0;
    // Rises whenever a queue advances; distinguishes a slow host from a stuck device.
    [[nodiscard]] virtual std::uint64_t progress() const noexcept = 0;

  protected:
    ~DirectQueues() = default;
};

class Simulator {
  public:
    Simulator() = default;
    virtual ~Simulator() = default;
    Simulator(const Simulator&) = delete;
    Simulator& operator=(const Simulator&) = delete;

    [[nodiscard]] virtual Device& device() noexcept = 0;
    [[nodiscard]] virtual Platform& platform() noexcept = 0;

    // Device time that this side has seen: that of its latest completion, of any device of the mesh.
    [[nodiscard]] virtual std::uint64_t now_cycles() const noexcept { return 0U; }
    // Commands that touched bytes outside their extents.
    [[nodiscard]] virtual std::uint64_t access_violations() const noexcept { return 0U; }
    // Commands that a queue has executed since the log was last cleared. Only while the device is idle.
    [[nodiscard]] virtual std::vector<LoggedCommand> command_log(std::uint32_t /*queue*/) const { return {}; }
    virtual void clear_command_log() {}
    // The dump of all queues' execution logs. Only while the device is idle.
    [[nodiscard]] virtual std::vector<std::uint8_t> execution_logs() const { return {}; }
    [[nodiscard]] virtual DirectQueues* direct_queues() noexcept { return nullptr; }
    // For the device's sessions, where it executes less than the target's command set accepts; nullptr: the target's.
    [[nodiscard]] virtual const CommandSet* command_set() const noexcept { return nullptr; }
};

}  // namespace pianola
