// CommandQueue: one command queue of the device, as submissions to a Vulkan queue.
//
// Replaces a device core. It takes words from the ring as the reference device's command processor does, and shows them
// to the device, which processes them itself. Replays and notifications are submitted; each submission raises the
// queue's timeline semaphore. An event is a value of the timeline of the queue that records it: a waiting queue submits
// with a semaphore, after the record was submitted, so that one Vulkan queue can serve both. This process copies
// transfers in order, after the earlier commands have completed. Never blocks.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <vector>

#include "hal/devices/refdev/command_processor.h"
#include "hal/devices/refdev/queue_command.h"
#include "hal/devices/refdev/shared_state.h"
#include "hal/devices/refdev/vulkan/command_buffer_cache.h"
#include "hal/host/simulator.h"

namespace pianola::vulkan {

class CommandQueue;

// State that both queues share.
struct Timeline {
    VkSemaphore semaphore{VK_NULL_HANDLE};
    std::uint64_t submitted{0U};
    std::uint64_t completed{0U};  // as this side has seen
};
struct RecordedEvent {
    std::uint32_t queue{0U};
    std::uint64_t value{0U};  // of that queue's timeline
};
struct QueueShare {
    std::array<Timeline, kMaxQueues> timelines{};
    std::array<RecordedEvent, kMaxEvents> events{};
    bool is_lost{false};      // the device
    std::uint64_t moves{0U};  // rises whenever a queue advances
    bool keep_completions{false};
    // Load the writes to the trace region; both queues are idle. Set by the machine.
    Status (*load)(void* machine) noexcept {nullptr};
    Timeline warm_up;  // of what load runs
    void* machine{nullptr};
    [[nodiscard]] bool is_idle() const noexcept {
        bool idle = true;
        for (const Timeline& each : timelines) {
            idle = idle && (each.submitted == each.completed);
        }
        return idle;
    }
};

class CommandQueue {
  public:
    CommandQueue(std::uint32_t index, Parts& parts, CommandBufferCache& command_buffers, refdev::SharedState& state,
                 QueueShare& share) noexcept
        : index_{index}, parts_{parts}, command_buffers_{command_buffers}, state_{state}, share_{share} {}
    CommandQueue(const CommandQueue&) = delete;
    CommandQueue(CommandQueue&&) = delete;
    CommandQueue& operator=(const CommandQueue&) = delete;
    CommandQueue& operator=(CommandQueue&&) = delete;
    ~CommandQueue() = default;

    // Memory that the device processes: `ring` has refdev::kRingWords words, `records` those of the queue. `notify`
    // runs `attest` alone.
    void place(std::uint32_t* ring, std::uint32_t* records, VkCommandBuffer notify) noexcept;

    // Takes part in a reset, publishes completed work, or takes one command from the ring.
    refdev::Progress step() noexcept;
    // Shows the device the commands taken since the last call.
    void flush() noexcept;

    // Since the last call, in order.
    [[nodiscard]] std::vector<DirectQueues::Completed> take_completions() {
        std::vector<DirectQueues::Completed> taken;
        taken.swap(completions_);
        return taken;
    }

  private:
    static constexpr std::uint32_t kBatch = 8U;  // command buffers of one submission
    static constexpr std::uint32_t kUnderWay = refdev::kRingCommands;

    // Data of one submission, for its completion.
    struct Submission {
        std::uint64_t value{0U};
        std::uint32_t position{0U};  // in the ring, after its last command
        std::uint32_t executed{0U};
        std::uint64_t time_cycles{0U};
        bool notifies{false};
        std::uint32_t token{0U};
    };
    struct Command {
        std::array<std::uint32_t, refdev::kMaxQueueCommandWords> words{};
        std::uint32_t count{0U};
        refdev::Opcode opcode{refdev::Opcode::kInvalid};
    };

    refdev::Progress change_phase(std::uint32_t phase) noexcept;
    void restart() noexcept;
    [[nodiscard]] bool retire() noexcept;
    // Whether all submitted work has ended, on a device that may be lost.
    [[nodiscard]] bool is_at_rest(const Timeline& timeline) const noexcept;
    void publish(const Submission& done) noexcept;
    refdev::Progress stop(DeviceFault fault, std::uint32_t executed, std::uint32_t address) noexcept;
    [[nodiscard]] bool fetch(std::uint32_t available, Command& command) const noexcept;
    refdev::Progress take(const Command& command) noexcept;
    void count(const Command& command, std::uint64_t cycles) noexcept;
    refdev::Progress fault(DeviceFault which, std::uint32_t address) noexcept;

    [[nodiscard]] bool is_quiet() const noexcept;  // neither this queue's work nor what it waits for is under way
    refdev::Progress transfer(const Command& command) noexcept;
    [[nodiscard]] DeviceFault copy(const Command& command) const noexcept;
    refdev::Progress replay(const Command& command) noexcept;
    refdev::Progress record_event(const Command& command) noexcept;
    refdev::Progress wait_event(const Command& command) noexcept;
    refdev::Progress notify(const Command& command) noexcept;
    void add(VkCommandBuffer commands, bool attests) noexcept;
    void submit(bool notifies, std::uint32_t token) noexcept;

    std::uint32_t index_;
    Parts& parts_;
    CommandBufferCache& command_buffers_;
    refdev::SharedState& state_;
    QueueShare& share_;
    std::uint32_t* ring_{nullptr};
    std::uint32_t* records_{nullptr};
    VkCommandBuffer notify_{VK_NULL_HANDLE};

    std::uint32_t phase_{0U};
    bool held_{false};
    bool stopped_{false};
    DeviceFault pending_fault_{DeviceFault::kNone};  // stops the queue once everything before it has completed
    std::uint32_t pending_address_{0U};

    std::uint32_t position_{0U};  // words taken since reset
    std::uint32_t attested_{0U};  // of these, those that the device processes with submitted or batched work
    std::uint32_t sequence_{0U};
    std::uint32_t executed_{0U};
    std::uint64_t time_cycles_{0U};
    std::array<std::uint64_t, kMaxQueues> waits_{};  // waits for values of other queues' timelines, for the next
                                                     // submission
    std::array<VkCommandBuffer, kBatch> batch_{};
    std::uint32_t batched_{0U};
    std::array<Submission, kUnderWay> under_way_{};
    std::uint32_t first_{0U};  // of these, the oldest; counts on
    std::uint32_t last_{0U};   // one after the latest
    std::vector<DirectQueues::Completed> completions_;
};

}  // namespace pianola::vulkan
