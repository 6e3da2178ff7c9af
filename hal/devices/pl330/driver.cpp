#include "hal/devices/pl330/driver.h"

#include <cstring>

#include "hal/devices/pl330/command_set.h"

namespace pianola::pl330 {
namespace {

// Registers; "CoreLink DMA-330 Technical Reference Manual", chapter 3.
constexpr std::uint32_t kInterruptEnable = 0x020U;
constexpr std::uint32_t kRawEvents = 0x024U;
constexpr std::uint32_t kInterrupts = 0x028U;
constexpr std::uint32_t kInterruptClear = 0x02CU;
constexpr std::uint32_t kFaultTypes = 0x040U;
constexpr std::uint32_t kFaultTypeBytes = 4U;  // of each channel, as those below
constexpr std::uint32_t kChannelStates = 0x100U;
constexpr std::uint32_t kProgramCounters = 0x104U;
constexpr std::uint32_t kChannelBytes = 8U;
constexpr std::uint32_t kDebugStatus = 0xD00U;
constexpr std::uint32_t kDebugCommand = 0xD04U;
constexpr std::uint32_t kDebugInstruction0 = 0xD08U;
constexpr std::uint32_t kDebugInstruction1 = 0xD0CU;

// Through the debug registers: DMAGO by the manager, to run secure, and DMAKILL by a channel.
constexpr std::uint32_t kGo = 0x00A0'0000U;
constexpr std::uint32_t kGoChannelShift = 24U;
constexpr std::uint32_t kKill = 0x0001'0001U;
constexpr std::uint32_t kKillChannelShift = 8U;

// States of a channel thread.
constexpr std::uint32_t kStateMask = 0xFU;
constexpr std::uint32_t kStopped = 0U;
constexpr std::uint32_t kFaultingCompleting = 14U;
constexpr std::uint32_t kFaulting = 15U;

// Reasons of a faulting thread.
constexpr std::uint32_t kUndefinedInstruction = 1U << 0U;
constexpr std::uint32_t kBusErrors = (1U << 16U) | (1U << 17U) | (1U << 18U);  // fetch, write, read
constexpr std::uint32_t kLockedUp = 1U << 31U;

// The session's events are the engine's first; after them one interrupt per queue, for notifications.
constexpr std::uint32_t kFirstNotification = kMaxEvents;
constexpr std::uint32_t kEngineEvents = 16U;
static_assert((kFirstNotification + kMaxQueues) <= kEngineEvents);
constexpr std::uint32_t kNotifications = ((1U << kMaxQueues) - 1U) << kFirstNotification;

constexpr std::uint32_t kDebugTurns = 10'000U;
constexpr std::uint32_t kResetTurns = 10'000'000U;  // for a clock that stands still

constexpr std::uint32_t kWeightsLayout = 1U;  // there are no kernels that would take weights
constexpr std::uint32_t kClockKhz = 1000U;    // device time is the core's, in microseconds: the engine has none

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

void describe(const EngineSpec& spec, DeviceDescription& description) noexcept {
    description.family = kDeviceFamily.data();
    description.command_set_id = kCommandSetId;
    description.command_set_version = kCommandSetVersion;
    description.kernel_library = Sha256Digest{};  // there are no kernels
    description.dram_base = spec.dram_base;
    description.dram_bytes = spec.dram_bytes;
    description.l1_base = spec.l1_base;
    description.l1_bytes = spec.l1_bytes;
    description.trace_region_bytes = spec.trace_region_bytes;
    description.clock_khz = kClockKhz;
    description.queue_count = kMaxQueues;
    description.ring_words = kRingCommands;
    description.grid_columns = 1U;
    description.grid_rows = 1U;
    description.dram_banks = 1U;
    description.attestation = Attestation::kNothing;
    description.costs = CostKind::kNotPublished;
    description.weights_layout = kWeightsLayout;
    description.capacities = spec.capacities;
}

Status Pl330Driver::describe(DeviceDescription& description) const noexcept {
    pl330::describe(spec_, description);
    return Status::kOk;
}

std::uint32_t Pl330Driver::state_of(std::uint32_t channel) noexcept {
    return link_.read(kChannelStates + (channel * kChannelBytes)) & kStateMask;
}

bool Pl330Driver::debug_is_idle() noexcept {
    for (std::uint32_t turn = 0U; turn < kDebugTurns; ++turn) {
        if ((link_.read(kDebugStatus) & 1U) == 0U) {
            return true;
        }
    }
    return false;
}

Status Pl330Driver::go(std::uint32_t channel, std::uint32_t address) noexcept {
    if (!debug_is_idle()) {
        return Status::kDeviceFault;
    }
    link_.write(kDebugInstruction0, kGo | (channel << kGoChannelShift));
    link_.write(kDebugInstruction1, address);
    link_.write(kDebugCommand, 0U);
    return Status::kOk;
}

// True where the thread has reached the state within the limit.
bool Pl330Driver::stops_at(std::uint32_t channel, std::uint32_t state) noexcept {
    const std::uint64_t started_us = link_.now_us();
    for (std::uint32_t turn = 0U; turn < kResetTurns; ++turn) {
        if (state_of(channel) == state) {
            return true;
        }
        if ((link_.now_us() - started_us) > kResetLimitUs) {
            return false;
        }
    }
    return false;
}

bool Pl330Driver::kill(std::uint32_t channel) noexcept {
    if (state_of(channel) == kStopped) {
        return true;
    }
    if (!debug_is_idle()) {
        return false;
    }
    link_.write(kDebugInstruction0, kKill | (channel << kKillChannelShift));
    link_.write(kDebugInstruction1, 0U);
    link_.write(kDebugCommand, 0U);
    return stops_at(channel, kStopped);
}

// An event that was sent and not waited for stays set in the engine, and no register clears it: a thread waits for it.
bool Pl330Driver::forget_events() noexcept {
    for (std::uint32_t event = 0U; event < kMaxEvents; ++event) {
        if ((link_.read(kRawEvents) & (1U << event)) == 0U) {
            continue;
        }
        const std::array<std::uint32_t, 1U> wait{wait_event_program(event)};
        if (!is_ok(go(0U, place(programs_[0][0], wait))) || !stops_at(0U, kStopped)) {
            return false;
        }
    }
    return true;
}

Status Pl330Driver::reset() noexcept {
    bool has_stopped = true;
    for (std::uint32_t channel = 0U; channel < kMaxQueues; ++channel) {
        has_stopped = kill(channel) && has_stopped;
    }
    if (!has_stopped || !forget_events()) {
        return Status::kTimeout;
    }
    link_.write(kInterruptEnable, kNotifications);
    link_.write(kInterruptClear, kNotifications);
    regions_ = {};
    region_count_ = 0U;
    sources_ = {};
    destinations_ = {};
    for (Queue& queue : queues_) {
        forget(queue);
    }
    events_ = {};
    return Status::kOk;
}

// Keeps the old commands of the ring, which are never read again, and the choice of the next program.
void Pl330Driver::forget(Queue& queue) noexcept {
    queue.written = 0U;
    queue.published = 0U;
    queue.done = 0U;
    queue.moved_bytes = 0U;
    queue.is_running = false;
    queue.has_stopped = false;
    queue.fault = Completion{};
    for (Record& record : queue.records) {
        record.is_there = false;
    }
}

Status Pl330Driver::program_region(const RegionConfig& region) noexcept {
    if ((region_count_ >= regions_.size()) || (link_.memory_at(region.base, region.size_bytes) == nullptr)) {
        return Status::kCapacity;
    }
    regions_[region_count_] = region;
    region_count_ += 1U;
    return Status::kOk;
}

Status Pl330Driver::programmed_region(std::uint32_t index, RegionConfig& region) const noexcept {
    if (index >= region_count_) {
        return Status::kInvalidArgument;
    }
    region = regions_[index];
    return Status::kOk;
}

bool Pl330Driver::permits(std::uint32_t address, std::uint32_t size_bytes,
                          bool RegionConfig::* permission) const noexcept {
    bool is_permitted = false;
    for (std::uint32_t i = 0U; i < region_count_; ++i) {
        const RegionConfig& region = regions_[i];
        const std::uint32_t offset = address - region.base;  // huge below the region
        is_permitted =
            (region.*permission && (offset <= region.size_bytes) && (size_bytes <= (region.size_bytes - offset))) ||
            is_permitted;
    }
    return is_permitted;
}

Status Pl330Driver::read_back(std::uint32_t address, MutableByteSpan out) noexcept {
    std::uint8_t* const memory =
        (out.size() <= UINT32_MAX) ? link_.memory_at(address, static_cast<std::uint32_t>(out.size())) : nullptr;
    if (memory == nullptr) {
        return Status::kInvalidArgument;
    }
    link_.invalidate(MutableByteSpan{memory, out.size()});
    std::memcpy(out.data(), memory, out.size());
    return Status::kOk;
}

Status Pl330Driver::patch_word(std::uint32_t address, std::uint32_t word) noexcept {
    std::uint8_t* const memory = link_.memory_at(address, sizeof(word));
    if (memory == nullptr) {
        return Status::kInvalidArgument;
    }
    std::memcpy(memory, &word, sizeof(word));
    link_.clean(ByteSpan{memory, sizeof(word)});
    return Status::kOk;
}

Status Pl330Driver::bind_source(std::uint32_t slot, ByteSpan memory) noexcept {
    if (slot >= kSourceSlots) {
        return Status::kInvalidArgument;
    }
    link_.clean(memory);
    sources_[slot] = memory;
    return Status::kOk;
}

Status Pl330Driver::bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept {
    if (slot >= kDestinationSlots) {
        return Status::kInvalidArgument;
    }
    link_.invalidate(destinations_[slot]);
    link_.clean(memory);
    destinations_[slot] = memory;
    return Status::kOk;
}

ByteSpan Pl330Driver::bound_source(std::uint32_t slot) const noexcept {
    return (slot < kSourceSlots) ? sources_[slot] : ByteSpan{};
}

ByteSpan Pl330Driver::bound_destination(std::uint32_t slot) const noexcept {
    return (slot < kDestinationSlots) ? ByteSpan{destinations_[slot]} : ByteSpan{};
}

MutableByteSpan Pl330Driver::host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    std::uint8_t* const memory = link_.memory_at(address, size_bytes);
    return (memory == nullptr) ? MutableByteSpan{} : MutableByteSpan{memory, size_bytes};
}

void Pl330Driver::give_to_device(ByteSpan view) noexcept {
    link_.clean(view);
}

void Pl330Driver::take_from_device(MutableByteSpan view) noexcept {
    link_.invalidate(view);
}

Status Pl330Driver::enqueue(std::uint32_t queue, const QueueCommand& command) noexcept {
    if ((queue >= kMaxQueues) || (command.kind == QueueCommandKind::kUnspecified) || (command.event >= kMaxEvents)) {
        return Status::kInvalidArgument;
    }
    Queue& target = queues_[queue];
    if ((target.written - target.done) >= kRingCommands) {
        return Status::kBusy;
    }
    target.ring[target.written % kRingCommands] = command;
    target.written += 1U;
    if (command.kind == QueueCommandKind::kNotify) {
        target.records[command.value % kMaxStepsInFlight].is_there = false;
    }
    return Status::kOk;
}

Status Pl330Driver::ring_doorbell(std::uint32_t queue) noexcept {
    if (queue >= kMaxQueues) {
        return Status::kInvalidArgument;
    }
    queues_[queue].published = queues_[queue].written;
    advance(queue);
    return Status::kOk;
}

Status Pl330Driver::service() noexcept {
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        advance(queue);
    }
    return Status::kOk;
}

Status Pl330Driver::completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    if (queue >= kMaxQueues) {
        return Status::kInvalidArgument;
    }
    const Queue& source = queues_[queue];
    if (source.has_stopped) {
        completion = source.fault;
        return Status::kDeviceFault;
    }
    const Record& record = source.records[token % kMaxStepsInFlight];
    if (!record.is_there || (record.completion.token != token)) {
        completion.executed_commands = source.done;
        return Status::kPending;
    }
    completion = record.completion;
    return Status::kOk;
}

void Pl330Driver::fail(std::uint32_t queue, DeviceFault fault, std::uint32_t address) noexcept {
    Queue& failed = queues_[queue];
    failed.has_stopped = true;
    failed.fault.fault = fault;
    failed.fault.executed_commands = failed.done;
    failed.fault.fault_command = failed.done;
    failed.fault.fault_address = address;
    failed.fault.time_cycles = link_.now_us();
}

// The thread is in no state in which it works.
void Pl330Driver::fail_as_engine(std::uint32_t queue, std::uint32_t state) noexcept {
    const std::uint32_t address = link_.read(kProgramCounters + (queue * kChannelBytes));
    const bool has_type = (state == kFaulting) || (state == kFaultingCompleting);
    // A thread that was killed, or never started, has stopped elsewhere than where its program ends.
    fail(queue, has_type ? fault_of(link_.read(kFaultTypes + (queue * kFaultTypeBytes))) : DeviceFault::kLost, address);
}

// One program at most: an engine that is done at once must not keep the caller for a whole script.
void Pl330Driver::advance(std::uint32_t queue) noexcept {
    const Queue& own = queues_[queue];
    if (own.is_running && !own.has_stopped) {
        finish_program(queue);
    }
    if (!own.is_running && !own.has_stopped && (own.done != own.published)) {
        start_next(queue);
    }
}

// Looks once whether the program under way has ended, and what follows from it.
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
    own.moved_bytes = 0U;
    own.done += 1U;
    if (command.kind == QueueCommandKind::kRecordEvent) {
        events_[command.event].records += 1U;
    } else if (command.kind == QueueCommandKind::kWaitEvent) {
        events_[command.event].waits += 1U;
    } else if (command.kind == QueueCommandKind::kNotify) {
        const std::uint32_t interrupt = 1U << (kFirstNotification + queue);
        if ((link_.read(kInterrupts) & interrupt) == 0U) {
            fail(queue, DeviceFault::kLost, own.end);  // its program cannot have ended without
            return;
        }
        link_.write(kInterruptClear, interrupt);
        Record& record = own.records[command.value % kMaxStepsInFlight];
        record.completion = Completion{};
        record.completion.token = command.value;
        record.completion.executed_commands = own.done;
        record.completion.time_cycles = link_.now_us();
        record.is_there = true;
    } else {
        // A replay or a transfer leaves no record.
    }
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
            // An event is a flag: it is not sent again before the last one has been waited for.
            if (events_[command.event].records == events_[command.event].waits) {
                start_event(queue, send_event_program(command.event));
            }
            return;
        case QueueCommandKind::kWaitEvent:
            start_event(queue, wait_event_program(command.event));
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

// Puts the words where the engine can fetch them. Returns that address.
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
