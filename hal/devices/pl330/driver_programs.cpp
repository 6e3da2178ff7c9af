// Queue commands as programs of the engine: starting the next and detecting its end.
#include <cstring>

#include "hal/devices/pl330/command_set.h"
#include "hal/devices/pl330/driver.h"
#include "hal/devices/pl330/registers.h"

namespace pianola::pl330 {
namespace {

[[nodiscard]] DeviceFault fault_of(std::uint32_t type) noexcept {
    if ((type & kUndefinedInstruction) != 0U) {
        return DeviceFault::kUnknownCommand;
    }
    if ((type & kBusErrors) != 0U) {
        return DeviceFault::kBus;
    }
    return ((type & kLockedUp) != 0U) ? DeviceFault::kTraceOverrun : DeviceFault::kBadArgument;
}

}  // namespace

// The engine counts no commands: counts stay 0, here and in all records.
void Pl330Driver::fail(std::uint32_t queue, DeviceFault fault, std::uint32_t address) noexcept {
    Queue& failed = queues_[queue];
    failed.has_stopped = true;
    failed.fault.fault = fault;
    failed.fault.fault_address = address;
    failed.fault.time_cycles = link_.now_us();
}

// The thread is not in a working state.
void Pl330Driver::fail_as_engine(std::uint32_t queue, std::uint32_t state) noexcept {
    const std::uint32_t address = link_.read(kProgramCounters + (queue * kChannelBytes));
    const bool has_type = (state == kFaulting) || (state == kFaultingCompleting);
    // A thread that was killed, or never started, has not stopped at its program's end.
    fail(queue, has_type ? fault_of(link_.read(kFaultTypes + (queue * kFaultTypeBytes))) : DeviceFault::kLost, address);
}

// At most one program: an engine that finishes at once must not occupy the caller for a whole script.
void Pl330Driver::advance(std::uint32_t queue) noexcept {
    const Queue& own = queues_[queue];
    if (own.is_running && !own.has_stopped) {
        finish_program(queue);
    }
    if (!own.is_running && !own.has_stopped && (own.done != own.published)) {
        start_next(queue);
    }
}

// Checks once whether the program under way has ended, and acts on it.
void Pl330Driver::finish_program(std::uint32_t queue) noexcept {
    Queue& own = queues_[queue];
    const std::uint32_t state = state_of(queue);
    const bool is_faulting = (state == kFaulting) || (state == kFaultingCompleting);
    if ((state != kStopped) && !is_faulting) {
        return;
    }
    // A stopped thread shows the address of DMAEND, or the byte after it.
    const std::uint32_t past_end = link_.read(kProgramCounters + (queue * kChannelBytes)) - own.end;
    if (is_faulting || (past_end > 1U)) {
        fail_as_engine(queue, state);
        return;
    }
    own.is_running = false;
    const QueueCommand& command = own.ring[own.done % kRingCommands];
    if (is_transfer(command.kind) && (own.moved_bytes != command.size_bytes)) {
        return;  // another group follows
    }
    if (command.kind == QueueCommandKind::kRecordEvent) {
        events_[command.event].sends += 1U;
        events_[command.event].value = command.value;
    } else if (command.kind == QueueCommandKind::kWaitEvent) {
        events_[command.event].waits += 1U;
        if (!is_reached(command)) {
            return;  // the signal was another record's, or this record has not been seen yet: start_wait() decides
        }
    } else if ((command.kind == QueueCommandKind::kNotify) && !publish(queue, command.value)) {
        return;
    } else {
        // A replay or a transfer leaves no record.
    }
    complete(own);
}

// False if the engine has not sent the notification's interrupt, without which its program cannot have ended.
bool Pl330Driver::publish(std::uint32_t queue, std::uint32_t token) noexcept {
    Queue& own = queues_[queue];
    const std::uint32_t interrupt = 1U << (kFirstNotification + queue);
    if ((link_.read(kInterrupts) & interrupt) == 0U) {
        fail(queue, DeviceFault::kLost, own.end);
        return false;
    }
    link_.write(kInterruptClear, interrupt);
    Record& record = own.records[token % kMaxStepsInFlight];
    record.completion = Completion{};
    record.completion.token = token;
    record.completion.time_cycles = link_.now_us();
    record.is_there = true;
    return true;
}

void Pl330Driver::complete(Queue& queue) noexcept {
    queue.moved_bytes = 0U;
    queue.done += 1U;
}

// Counters of events wrap.
bool Pl330Driver::is_reached(const QueueCommand& wait) const noexcept {
    constexpr std::uint32_t kHalfRange = 0x8000'0000U;
    return (events_[wait.event].value - wait.value) < kHalfRange;
}

void Pl330Driver::start_next(std::uint32_t queue) noexcept {
    const Queue& own = queues_[queue];
    const QueueCommand& command = own.ring[own.done % kRingCommands];
    if (command.check != check_of(own.done, command)) {
        fail(queue, DeviceFault::kBadArgument, 0U);
        return;
    }
    switch (command.kind) {
        case QueueCommandKind::kWrite:
        case QueueCommandKind::kRead:
            start_transfer(queue, command);
            return;
        case QueueCommandKind::kReplay:
            start_replay(queue, command);
            return;
        case QueueCommandKind::kRecordEvent:
            start_record(queue, command);
            return;
        case QueueCommandKind::kWaitEvent:
            start_wait(queue, command);
            return;
        case QueueCommandKind::kNotify:
            start_event(queue, send_event_program(kFirstNotification + queue));
            return;
        case QueueCommandKind::kUnspecified:
        default:
            fail(queue, DeviceFault::kUnknownCommand, 0U);
            return;
    }
}

// An event of the engine is a flag, and has no value: the driver keeps that. A flag that is still set is not sent
// again: a waiting thread first consumes the last one.
void Pl330Driver::start_record(std::uint32_t queue, const QueueCommand& command) noexcept {
    Event& event = events_[command.event];
    if (event.sends == event.waits) {
        start_event(queue, send_event_program(command.event));
    } else if (!is_waited_for(command.event)) {
        event.value = command.value;
        complete(queues_[queue]);
    } else {
        // The waiting thread was sent the last record, and is checked first.
    }
}

// The thread sleeps in the engine if nothing was recorded. It first consumes a flag that is set, for any value.
void Pl330Driver::start_wait(std::uint32_t queue, const QueueCommand& command) noexcept {
    const Event& event = events_[command.event];
    const std::uint32_t ahead = event.waits - event.sends;  // woken by records whose programs have not been seen to end
                                                            // yet
    if ((ahead != 0U) && (ahead <= kMaxQueues)) {
        finish_record(command.event);
        if (event.waits != event.sends) {
            return;
        }
    }
    if (is_reached(command) && (event.sends == event.waits)) {
        complete(queues_[queue]);
        return;
    }
    start_event(queue, wait_event_program(command.event));
}

// Checks the queue that records the event.
void Pl330Driver::finish_record(std::uint32_t event) noexcept {
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        const Queue& other = queues_[queue];
        const QueueCommand& command = other.ring[other.done % kRingCommands];
        if (other.is_running && !other.has_stopped && (command.kind == QueueCommandKind::kRecordEvent) &&
            (command.event == event)) {
            finish_program(queue);
        }
    }
}

// A thread has been started that waits for the event, and was not seen to have ended.
bool Pl330Driver::is_waited_for(std::uint32_t event) const noexcept {
    bool is_waited = false;
    for (const Queue& queue : queues_) {
        const QueueCommand& command = queue.ring[queue.done % kRingCommands];
        is_waited = is_waited || (queue.is_running && !queue.has_stopped && (command.event == event) &&
                                  (command.kind == QueueCommandKind::kWaitEvent));
    }
    return is_waited;
}

void Pl330Driver::start_replay(std::uint32_t queue, const QueueCommand& command) noexcept {
    Queue& own = queues_[queue];
    if (!permits(command.address, command.size_bytes, &RegionConfig::fetch) || (command.size_bytes < sizeof(kEnd))) {
        fail(queue, DeviceFault::kBus, command.address);
        return;
    }
    own.end = command.address + (command.size_bytes - static_cast<std::uint32_t>(sizeof(kEnd)));
    own.is_running = true;
    if (!is_ok(go(queue, command.address))) {
        fail(queue, DeviceFault::kLost, command.address);
    }
}

// One group of a transfer between host memory and the device's.
void Pl330Driver::start_transfer(std::uint32_t queue, const QueueCommand& command) noexcept {
    Queue& own = queues_[queue];
    const bool writes = command.kind == QueueCommandKind::kWrite;
    ByteSpan bound;
    if (writes && (command.slot < kSourceSlots)) {
        bound = sources_[command.slot];
    } else if (!writes && (command.slot < kDestinationSlots)) {
        bound = destinations_[command.slot];
    } else {
        // No such slot: nothing is bound.
    }
    const ByteSpan host = bound.subspan(command.slot_offset, command.size_bytes);
    if (host.empty()) {
        fail(queue, DeviceFault::kHostMemory, command.address);
        return;
    }
    if (!permits(command.address, command.size_bytes,
                 writes ? &RegionConfig::queues_write : &RegionConfig::queues_read)) {
        fail(queue, DeviceFault::kBus, command.address);
        return;
    }
    const std::uint32_t host_address = link_.bus_address(host.data()) + own.moved_bytes;
    const std::uint32_t device_address = command.address + own.moved_bytes;
    const Move move = first_move(writes ? host_address : device_address, writes ? device_address : host_address,
                                 command.size_bytes - own.moved_bytes, true);
    own.moved_bytes += moved_bytes(move);
    const Group group = encode_copy(move);
    std::array<std::uint32_t, kCopyWords + 1U> words{};
    std::memcpy(words.data(), group.words.data(), sizeof(group.words));
    words[kCopyWords] = kEnd;
    run(queue, words, kCopyWords * static_cast<std::uint32_t>(sizeof(kEnd)));
}

void Pl330Driver::start_event(std::uint32_t queue, std::uint32_t program) noexcept {
    run(queue, std::array<std::uint32_t, 1U>{program}, kEventProgramEnd);
}

// Stores the words at an address from which the engine can fetch them, and returns it.
std::uint32_t Pl330Driver::place(Program& program, WordSpan words) noexcept {
    std::memcpy(program.data(), words.data(), words.size() * sizeof(kEnd));
    link_.clean(program);
    return link_.bus_address(program.data());
}

void Pl330Driver::run(std::uint32_t queue, WordSpan words, std::uint32_t end_byte) noexcept {
    Queue& own = queues_[queue];
    const std::uint32_t address = place(programs_[queue][own.next_program], words);
    own.next_program ^= 1U;
    own.end = address + end_byte;
    own.is_running = true;
    if (!is_ok(go(queue, address))) {
        fail(queue, DeviceFault::kLost, address);
    }
}

}  // namespace pianola::pl330
