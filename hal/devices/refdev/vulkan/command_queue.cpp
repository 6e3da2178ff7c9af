#include "hal/devices/refdev/vulkan/command_queue.h"

#include <algorithm>
#include <cstring>

#include "hal/devices/refdev/costs/cost_model.h"

namespace pianola::vulkan {
namespace {

using refdev::Opcode;
using refdev::Progress;

constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);
constexpr std::uint32_t kHalfRange = 0x8000'0000U;

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

bool CommandQueue::is_quiet() const noexcept {
    if (share_.timelines[index_].submitted != share_.timelines[index_].completed) {
        return false;
    }
    for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
        if (share_.timelines[i].completed < waits_[i]) {
            return false;
        }
    }
    return batched_ == 0U;
}

Progress CommandQueue::transfer(const Command& command) noexcept {
    flush();
    if (!is_quiet()) {
        return Progress::kWaiting;
    }
    const DeviceFault result = copy(command);
    const refdev::CommandCosts& costs = state_.queues[index_].costs;
    count(command, refdev::move_cost((command.opcode == Opcode::kWrite) ? costs.write : costs.read, command.words[2]));
    const bool is_fine = result == DeviceFault::kNone;
    if (is_fine && (command.opcode == Opcode::kWrite) &&
        (state_.memory.fetchable(command.words[1], command.words[2]) != nullptr)) {
        command_buffers_.invalidate(command.words[1], command.words[2]);
    }
    return is_fine ? Progress::kExecuted : fault(result, (result == DeviceFault::kBadArgument) ? 0U : command.words[1]);
}

DeviceFault CommandQueue::copy(const Command& command) const noexcept {
    const std::uint32_t address = command.words[1];
    const std::uint32_t bytes = command.words[2];
    const std::uint32_t slot = command.words[3];
    const std::uint32_t offset = command.words[4];
    if (bytes == 0U) {
        return DeviceFault::kBadArgument;
    }
    if (command.opcode == Opcode::kWrite) {
        const ByteSpan source = (slot < kSourceSlots) ? state_.host.sources[slot].memory() : ByteSpan{};
        if (!source.contains(offset, bytes)) {
            return DeviceFault::kHostMemory;
        }
        std::uint8_t* const destination = state_.memory.queue_writable(address, bytes);
        if (destination == nullptr) {
            return DeviceFault::kBus;
        }
        std::memcpy(destination, &source[offset], bytes);
        return DeviceFault::kNone;
    }
    const MutableByteSpan destination =
        (slot < kDestinationSlots) ? state_.host.destinations[slot].memory() : MutableByteSpan{};
    if (!destination.contains(offset, bytes)) {
        return DeviceFault::kHostMemory;
    }
    const std::uint8_t* const source = state_.memory.queue_readable(address, bytes);
    if (source == nullptr) {
        return DeviceFault::kBus;
    }
    std::memcpy(&destination[offset], source, bytes);
    return DeviceFault::kNone;
}

Progress CommandQueue::replay(const Command& command) noexcept {
    const std::uint32_t address = command.words[1];
    const std::uint32_t bytes = command.words[2];
    if ((bytes == 0U) || ((bytes % kWordBytes) != 0U) || ((address % kFileAlignmentBytes) != 0U)) {
        count(command, 0U);
        return fault(DeviceFault::kBadArgument, 0U);
    }
    if (state_.memory.fetchable(address, bytes) == nullptr) {
        count(command, 0U);
        return fault(DeviceFault::kBus, address);
    }
    TraceCommandBuffer* trace = command_buffers_.find(address, bytes);
    if ((trace != nullptr) && trace->is_moved()) {
        flush();
        if (!share_.is_idle()) {  // for a caller that patches while commands are under way, which Device does not
                                  // permit
            return Progress::kWaiting;
        }
        trace = is_ok(trace->record_moved()) ? trace : nullptr;
    }
    if (trace == nullptr) {  // a program of a host without load
        trace = command_buffers_.record(address, bytes);
    }
    if (trace == nullptr) {
        count(command, 0U);
        return fault(DeviceFault::kLost, 0U);
    }
    count(command, state_.queues[index_].costs.replay + trace->cycles());
    executed_ += trace->executed();
    add(trace->commands(), false);
    if (trace->fault() != DeviceFault::kNone) {
        return fault(trace->fault(), trace->fault_address());
    }
    add(trace->attestation(index_), true);
    return Progress::kExecuted;
}

Progress CommandQueue::record_event(const Command& command) noexcept {
    flush();
    count(command, state_.queues[index_].costs.record);
    refdev::EventCell& event = state_.events[command.words[1]];
    const std::uint32_t value = command.words[2];
    share_.events[command.words[1]] = {index_, share_.timelines[index_].submitted};
    event.times_cycles[value % refdev::kKeptRecords] = time_cycles_;
    event.copy.store(value, std::memory_order_relaxed);
    event.counter.store(value, std::memory_order_release);
    return Progress::kExecuted;
}

Progress CommandQueue::wait_event(const Command& command) noexcept {
    const refdev::EventCell& event = state_.events[command.words[1]];
    const std::uint32_t counter = event.counter.load(std::memory_order_acquire);
    const bool is_recorded =
        (counter == event.copy.load(std::memory_order_relaxed)) && ((counter - command.words[2]) < kHalfRange);
    flush();
    if (!is_recorded) {
        return Progress::kWaiting;
    }
    // A wait for 0, the initial counter value, is satisfied at once.
    const RecordedEvent& recorded = share_.events[command.words[1]];
    waits_[recorded.queue] = std::max(waits_[recorded.queue], recorded.value);
    time_cycles_ = std::max(time_cycles_, event.times_cycles[command.words[2] % refdev::kKeptRecords]);
    count(command, state_.queues[index_].costs.wait);
    return Progress::kExecuted;
}

Progress CommandQueue::notify(const Command& command) noexcept {
    // The first command after new traces ends their load. It runs them and restores everything, so no other work may be
    // under way.
    if (command_buffers_.is_stale()) {
        flush();
        if (!share_.is_idle()) {
            return Progress::kWaiting;
        }
        if (!is_ok(share_.load(share_.machine))) {
            count(command, state_.queues[index_].costs.notify);
            return fault(DeviceFault::kLost, 0U);
        }
    }
    count(command, state_.queues[index_].costs.notify);
    add(notify_, true);
    submit(true, command.words[1]);
    return Progress::kExecuted;
}

void CommandQueue::add(VkCommandBuffer commands, bool attests) noexcept {
    if (batched_ == kBatch) {
        flush();
    }
    batch_.at(batched_) = commands;
    batched_ += 1U;
    attested_ = attests ? position_ : attested_;
}

void CommandQueue::flush() noexcept {
    if (batched_ != 0U) {
        submit(false, 0U);
    }
}

void CommandQueue::submit(bool notifies, std::uint32_t token) noexcept {
    Timeline& own = share_.timelines[index_];
    std::array<VkSemaphore, kMaxQueues> semaphores{};
    std::array<std::uint64_t, kMaxQueues> values{};
    std::array<VkPipelineStageFlags, kMaxQueues> stages{};
    std::uint32_t count = 0U;
    for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
        if ((i != index_) && (waits_[i] > share_.timelines[i].completed)) {
            semaphores.at(count) = share_.timelines[i].semaphore;
            values.at(count) = waits_[i];
            stages.at(count) = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
            count += 1U;
        }
    }
    const std::uint64_t value = own.submitted + 1U;
    VkTimelineSemaphoreSubmitInfo timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timeline.waitSemaphoreValueCount = count;
    timeline.pWaitSemaphoreValues = values.data();
    timeline.signalSemaphoreValueCount = 1U;
    timeline.pSignalSemaphoreValues = &value;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &timeline;
    info.waitSemaphoreCount = count;
    info.pWaitSemaphores = semaphores.data();
    info.pWaitDstStageMask = stages.data();
    info.commandBufferCount = batched_;
    info.pCommandBuffers = batch_.data();
    info.signalSemaphoreCount = 1U;
    info.pSignalSemaphores = &own.semaphore;
    batched_ = 0U;
    VkQueue queue = parts_.context.queue(index_ % parts_.context.queue_count());
    if (!is_ok(parts_.context.check(vkQueueSubmit(queue, 1U, &info, VK_NULL_HANDLE), "vkQueueSubmit"))) {
        share_.is_lost = true;
        return;
    }
    own.submitted = value;
    under_way_[last_ % kUnderWay] = {value, attested_, executed_, time_cycles_, notifies, token};
    last_ += 1U;
}

// True if something has completed.
bool CommandQueue::retire() noexcept {
    Timeline& own = share_.timelines[index_];
    if (own.submitted == own.completed) {
        return false;
    }
    std::uint64_t value = 0U;
    if (share_.is_lost ||
        !is_ok(parts_.context.check(vkGetSemaphoreCounterValue(parts_.context.device(), own.semaphore, &value),
                                    "vkGetSemaphoreCounterValue")) ||
        (value > own.submitted)) {
        share_.is_lost = true;  // a lost device may answer anything
        return false;
    }
    const bool has_moved = value != own.completed;
    own.completed = value;
    while ((first_ != last_) && (under_way_[first_ % kUnderWay].value <= value)) {
        publish(under_way_[first_ % kUnderWay]);
        first_ += 1U;
    }
    share_.moves += has_moved ? 1U : 0U;
    return has_moved;
}

void CommandQueue::publish(const Submission& done) noexcept {
    if (stopped_ || held_) {
        return;
    }
    refdev::QueueMemory& memory = state_.queues[index_];
    const auto fault = static_cast<DeviceFault>(records_[kRecordFault]);
    if (fault != DeviceFault::kNone) {
        (void)stop(fault, records_[kRecordFaultCommand], 0U);
        return;
    }
    if (done.notifies) {
        const std::uint32_t place = kRecordHeadWords + (kRecordWords * (done.token % kMaxStepsInFlight));
        const std::uint32_t* const record = records_ + place;
        if (record[0] != done.token) {  // the device has not reached it
            (void)stop(DeviceFault::kLost, done.executed, 0U);
            return;
        }
        Completion& completion = memory.completions[done.token % kMaxStepsInFlight];
        completion.token = done.token;
        completion.executed_commands = record[1];
        completion.digest = record[2] | (std::uint64_t{record[3]} << 32U);
        completion.time_cycles = done.time_cycles;
        memory.completed_token.store(done.token, std::memory_order_release);
        if (share_.keep_completions) {
            completions_.push_back({done.token, done.time_cycles});
        }
    }
    memory.progress.store(done.executed, std::memory_order_relaxed);
    memory.consumed.store(done.position, std::memory_order_release);
}

}  // namespace pianola::vulkan
