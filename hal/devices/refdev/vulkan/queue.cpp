#include "hal/devices/refdev/vulkan/queue.h"

#include <algorithm>

namespace pianola::vulkan {
namespace {

using refdev::Opcode;
using refdev::Progress;

}  // namespace

void CommandQueue::place(std::uint32_t* ring, std::uint32_t* records, VkCommandBuffer notify) noexcept {
    ring_ = ring;
    records_ = records;
    notify_ = notify;
}

// A lost device does nothing more; a device that only refused a call continues with its submitted work.
bool CommandQueue::is_at_rest(const Timeline& timeline) const noexcept {
    std::uint64_t value = 0U;
    if (timeline.submitted == timeline.completed) {
        return true;
    }
    const Status asked = status_of(vkGetSemaphoreCounterValue(parts_.context.device(), timeline.semaphore, &value));
    return (asked == Status::kDeviceFault) || (is_ok(asked) && (value >= timeline.submitted));
}

// Like DeviceCore: held at an odd phase, and confirmed once nothing is under way on either queue, so that the device is
// idle after the last confirmation.
Progress CommandQueue::change_phase(std::uint32_t phase) noexcept {
    if (refdev::is_held(phase)) {
        held_ = true;
        batched_ = 0U;
        if (!is_at_rest(share_.timelines[index_]) || !is_at_rest(share_.warm_up)) {
            return Progress::kWaiting;
        }
    } else {
        held_ = !held_ || (phase != (phase_ + 1U));
    }
    phase_ = phase;
    restart();
    if (refdev::is_held(phase)) {
        state_.reset_confirmed[index_].store(phase, std::memory_order_release);
    }
    return Progress::kExecuted;
}

void CommandQueue::restart() noexcept {
    stopped_ = false;
    pending_fault_ = DeviceFault::kNone;
    position_ = 0U;
    attested_ = 0U;
    sequence_ = 0U;
    executed_ = 0U;
    time_cycles_ = 0U;
    waits_ = {};
    batched_ = 0U;
    first_ = 0U;
    last_ = 0U;
    std::fill_n(ring_, refdev::kRingWords, 0U);
    std::fill_n(records_, kRecordHeadWords + (kRecordWords * kMaxStepsInFlight), 0U);
}

Progress CommandQueue::step() noexcept {
    const bool has_moved = retire();
    const std::uint32_t phase = state_.reset_phase.load(std::memory_order_acquire);
    if (phase != phase_) {
        return change_phase(phase);
    }
    if (held_) {
        return Progress::kIdle;
    }
    if (stopped_) {
        return Progress::kStopped;
    }
    if (share_.is_lost) {
        return stop(DeviceFault::kLost, executed_, 0U);
    }
    if (pending_fault_ != DeviceFault::kNone) {
        return is_quiet() ? stop(pending_fault_, executed_, pending_address_)
                          : (has_moved ? Progress::kExecuted : Progress::kWaiting);
    }
    if (is_quiet()) {  // otherwise the completed work gives the progress
        state_.queues[index_].progress.store(executed_, std::memory_order_relaxed);
    }
    const std::uint32_t available = state_.queues[index_].published.load(std::memory_order_acquire) - position_;
    if (available == 0U) {
        flush();
        return has_moved ? Progress::kExecuted : Progress::kIdle;
    }
    // The device must process transfers and events before the ring is full of them.
    if ((position_ - attested_) > (refdev::kRingWords / 2U)) {
        add(notify_, true);
        flush();
    }
    Command command;
    if (!fetch(available, command)) {
        return fault(DeviceFault::kUnknownCommand, 0U);
    }
    const Progress progress = take(command);
    return ((progress == Progress::kWaiting) && has_moved) ? Progress::kExecuted : progress;
}

// The device also verifies the check; this side does the transfer, so it verifies the check first.
bool CommandQueue::fetch(std::uint32_t available, Command& command) const noexcept {
    const refdev::QueueMemory& memory = state_.queues[index_];
    const std::uint32_t header = memory.ring[position_ & refdev::kRingMask];
    command.opcode = static_cast<Opcode>(header & refdev::kOpcodeMask);
    command.count = refdev::queue_command_words(command.opcode);
    if ((command.count == 0U) || (command.count > available)) {
        return false;
    }
    command.words[0] = refdev::header_word(command.opcode, command.count);
    refdev::CommandSums sums{refdev::first_term(sequence_), 0U};
    sums.add(0U, command.words[0]);
    for (std::uint32_t i = 1U; i < command.count; ++i) {
        command.words.at(i) = memory.ring[(position_ + i) & refdev::kRingMask];
        sums.add(i, command.words.at(i));
    }
    return (header >> refdev::kCheckShift) == refdev::check_bits_of(sums.check);
}

// Shows the command to the device, and counts it.
void CommandQueue::count(const Command& command, std::uint64_t cycles) noexcept {
    refdev::QueueMemory& memory = state_.queues[index_];
    for (std::uint32_t i = 0U; i < command.count; ++i) {
        const std::uint32_t at = (position_ + i) & refdev::kRingMask;
        ring_[at] = memory.ring[at];
    }
    time_cycles_ = std::max(time_cycles_, memory.doorbell_cycles[refdev::doorbell_slot(position_)]) + cycles;
    position_ += command.count;
    sequence_ += 1U;
    executed_ += 1U;
    share_.moves += 1U;
    std::atomic_thread_fence(std::memory_order_release);
    records_[kRecordLimit] = position_;
}

// For the command that was counted last, or for an invalid word: it counts, and later commands do not.
Progress CommandQueue::fault(DeviceFault which, std::uint32_t address) noexcept {
    flush();
    pending_fault_ = which;
    pending_address_ = address;
    return Progress::kExecuted;
}

Progress CommandQueue::stop(DeviceFault fault, std::uint32_t executed, std::uint32_t address) noexcept {
    stopped_ = true;
    refdev::QueueMemory& memory = state_.queues[index_];
    memory.fault.fault = fault;
    memory.fault.fault_command = executed;
    memory.fault.fault_address = address;
    memory.fault.time_cycles = time_cycles_;
    memory.progress.store(executed, std::memory_order_relaxed);
    memory.stopped.store(1U, std::memory_order_release);
    share_.moves += 1U;
    return Progress::kStopped;
}

Progress CommandQueue::take(const Command& command) noexcept {
    const bool is_event = (command.opcode == Opcode::kRecordEvent) || (command.opcode == Opcode::kWaitEvent);
    if (is_event && (command.words[1] >= kMaxEvents)) {
        count(command, 0U);
        return fault(DeviceFault::kBadArgument, 0U);
    }
    switch (command.opcode) {
        case Opcode::kWrite:
        case Opcode::kRead:
            return transfer(command);
        case Opcode::kReplay:
            return replay(command);
        case Opcode::kRecordEvent:
            return record_event(command);
        case Opcode::kWaitEvent:
            return wait_event(command);
        case Opcode::kNotify:
            return notify(command);
        case Opcode::kInvalid:
        case Opcode::kLaunch:
        case Opcode::kDispatch:
        case Opcode::kCopy:
        case Opcode::kFill:
        case Opcode::kBarrier:
        case Opcode::kEnd:
        default:
            return fault(DeviceFault::kUnknownCommand, 0U);
    }
}

}  // namespace pianola::vulkan
