// Steps 1, 3 and 4 of docs/guide/porting.md: describe, device, attest.
#include <cstring>

#include "npu.h"

namespace npu {
namespace {

using pianola::Completion;
using pianola::DeviceFault;
using pianola::QueueCommand;
using pianola::QueueCommandKind;
using pianola::RegionConfig;

constexpr std::uint32_t kWordBytes = 4U;
constexpr std::uint32_t kHalfRange = 0x8000'0000U;

}  // namespace

Status Device::describe(pianola::DeviceDescription& description) const noexcept {
    description = pianola::DeviceDescription{};
    description.family = "example-npu";
    description.command_set_id = 0x4E50'5531U;  // "NPU1"
    description.command_set_version = 1U;
    description.dram_base = kDramBase;
    description.dram_bytes = kDramBytes;
    description.trace_region_bytes = kTraceRegionBytes;
    description.clock_khz = 100'000U;
    description.queue_count = kQueues;
    description.ring_words = kRingCommands * kWordsPerCommand;
    description.grid_columns = 1U;
    description.grid_rows = 1U;
    description.dram_banks = 1U;
    description.attestation = pianola::Attestation::kDigest;
    description.costs = pianola::CostKind::kExact;
    description.cost_model = 1U;
    description.weights_layout = 1U;
    return Status::kOk;
}

// Memory keeps its contents.
Status Device::reset() noexcept {
    queues_ = {};
    events_ = {};
    sources_ = {};
    destinations_ = {};
    regions_ = {};
    region_count_ = 0U;
    return Status::kOk;
}

std::uint8_t* Device::memory_at(std::uint32_t address, std::size_t size_bytes) noexcept {
    const std::uint32_t offset = address - kDramBase;  // wraps to more than kDramBytes below the base
    const bool is_inside = (offset < kDramBytes) && (size_bytes <= (kDramBytes - offset));
    return is_inside ? &dram_[offset] : nullptr;
}

std::uint8_t* Device::permitted(std::uint32_t address, std::uint32_t size_bytes, Permission permission) noexcept {
    for (std::uint32_t i = 0U; i < region_count_; ++i) {
        const RegionConfig& region = regions_[i];
        const std::uint32_t offset = address - region.base;
        if ((offset < region.size_bytes) && (size_bytes <= (region.size_bytes - offset)) && (region.*permission)) {
            return memory_at(address, size_bytes);
        }
    }
    return nullptr;
}

std::uint32_t Device::word_at(std::uint32_t address) noexcept {
    std::uint32_t word = 0U;
    const std::uint8_t* const memory = memory_at(address, sizeof(word));
    if (memory != nullptr) {
        std::memcpy(&word, memory, sizeof(word));
    }
    return word;
}

Status Device::program_region(const RegionConfig& region) noexcept {
    if (region_count_ == regions_.size()) {
        return Status::kCapacity;
    }
    regions_[region_count_] = region;
    region_count_ += 1U;
    return Status::kOk;
}

// From the registers that permitted() uses.
Status Device::programmed_region(std::uint32_t index, RegionConfig& region) const noexcept {
    if (index >= region_count_) {
        return Status::kInvalidArgument;
    }
    region = regions_[index];
    return Status::kOk;
}

Status Device::read_back(std::uint32_t address, MutableByteSpan out) noexcept {
    const std::uint8_t* const memory = memory_at(address, out.size());
    if (memory == nullptr) {
        return Status::kInvalidArgument;
    }
    std::memcpy(out.data(), memory, out.size());
    return Status::kOk;
}

Status Device::patch_word(std::uint32_t address, std::uint32_t word) noexcept {
    std::uint8_t* const memory = memory_at(address, sizeof(word));
    const bool is_word = (address % sizeof(word)) == 0U;
    if (!is_word || (memory == nullptr) || (address < (kDramBase + (kDramBytes - kTraceRegionBytes)))) {
        return Status::kInvalidArgument;
    }
    std::memcpy(memory, &word, sizeof(word));
    return Status::kOk;
}

// The NPU shares this process's memory: no cache maintenance. A port with caches cleans here, and invalidates what was
// bound before.
Status Device::bind_source(std::uint32_t slot, ByteSpan memory) noexcept {
    if (slot >= sources_.size()) {
        return Status::kInvalidArgument;
    }
    sources_[slot] = memory;
    return Status::kOk;
}

Status Device::bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept {
    if (slot >= destinations_.size()) {
        return Status::kInvalidArgument;
    }
    destinations_[slot] = memory;
    return Status::kOk;
}

ByteSpan Device::bound_source(std::uint32_t slot) const noexcept {
    return (slot < sources_.size()) ? sources_[slot] : ByteSpan{};
}

ByteSpan Device::bound_destination(std::uint32_t slot) const noexcept {
    return (slot < destinations_.size()) ? ByteSpan{destinations_[slot]} : ByteSpan{};
}

MutableByteSpan Device::host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    std::uint8_t* const memory = memory_at(address, size_bytes);
    return (memory == nullptr) ? MutableByteSpan{} : MutableByteSpan{memory, size_bytes};
}

void Device::give_to_device(ByteSpan /*view*/) noexcept {}
void Device::take_from_device(MutableByteSpan /*view*/) noexcept {}

Status Device::enqueue(std::uint32_t queue, const QueueCommand& command) noexcept {
    if ((queue >= kQueues) || (command.kind == QueueCommandKind::kUnspecified) ||
        (command.kind > QueueCommandKind::kNotify)) {
        return Status::kInvalidArgument;
    }
    Queue& target = queues_[queue];
    if ((target.written - target.consumed) == kRingCommands) {
        return Status::kBusy;
    }
    target.ring[target.written % kRingCommands] = command;
    target.written += 1U;
    if (command.kind == QueueCommandKind::kNotify) {
        Notification& notification = target.notifications[command.value % pianola::kMaxStepsInFlight];
        notification.token = command.value;
        notification.is_enqueued = true;
        notification.is_done = false;
    }
    return Status::kOk;
}

Status Device::ring_doorbell(std::uint32_t queue) noexcept {
    if (queue >= kQueues) {
        return Status::kInvalidArgument;
    }
    queues_[queue].published = queues_[queue].written;
    return Status::kOk;
}

// One command of each queue at most: bounded time.
Status Device::service() noexcept {
    for (Queue& queue : queues_) {
        step(queue);
    }
    return Status::kOk;
}

void Device::stop(Queue& queue, DeviceFault fault) noexcept {
    queue.is_stopped = true;
    queue.fault = Completion{};
    queue.fault.fault = fault;
    queue.fault.fault_command = queue.executed;
    queue.fault.time_cycles = queue.time_cycles;
}

void Device::step(Queue& queue) noexcept {
    if (queue.is_stopped) {
        return;
    }
    if (queue.trace_words != 0U) {
        step_trace(queue);
    } else if (queue.consumed != queue.published) {
        step_queue(queue);
    } else {
        // Nothing to do.
    }
}

// An event is reached by unsigned difference, so that its counter may wrap.
bool Device::is_held(const QueueCommand& command) const noexcept {
    return (command.kind == QueueCommandKind::kWaitEvent) && (command.event < events_.size()) &&
           ((events_[command.event] - command.value) >= kHalfRange);
}

void Device::step_queue(Queue& queue) noexcept {
    const QueueCommand command = queue.ring[queue.consumed % kRingCommands];
    if (is_held(command)) {
        return;
    }
    // Before anything of it is believed: its check, over what has arrived and its number.
    QueueCommand sealed = command;
    const std::uint64_t digest = command_set_.seal(queue.digest, queue.consumed, 0U, sealed);
    if (sealed.check != command.check) {
        stop(queue, DeviceFault::kUnknownCommand);
        return;
    }
    queue.executed += 1U;
    const DeviceFault fault = execute(queue, command);
    if (fault != DeviceFault::kNone) {
        stop(queue, fault);
        return;
    }
    queue.digest = (command.kind == QueueCommandKind::kReplay) ? queue.digest : digest;  // a replay's: once it ends
    queue.time_cycles += command_set_.queue_cycles(command);
    queue.consumed += 1U;
    if (command.kind == QueueCommandKind::kNotify) {
        publish(queue, command.value);
    }
}

DeviceFault Device::execute(Queue& queue, const QueueCommand& command) noexcept {
    const bool is_event =
        (command.kind == QueueCommandKind::kRecordEvent) || (command.kind == QueueCommandKind::kWaitEvent);
    if (is_event && (command.event >= events_.size())) {
        return DeviceFault::kBadArgument;
    }
    if (pianola::is_transfer(command.kind)) {
        return transfer(command);
    }
    if (command.kind == QueueCommandKind::kRecordEvent) {
        events_[command.event] = command.value;
    }
    if (command.kind == QueueCommandKind::kReplay) {
        if ((command.size_bytes < kWordBytes) || ((command.size_bytes % kWordBytes) != 0U)) {
            return DeviceFault::kBadArgument;
        }
        if (permitted(command.address, command.size_bytes, &RegionConfig::fetch) == nullptr) {
            return DeviceFault::kBus;
        }
        queue.trace_address = command.address;
        queue.trace_words = command.size_bytes / kWordBytes;
        queue.trace_digest = 0U;
    }
    return DeviceFault::kNone;
}

DeviceFault Device::transfer(const QueueCommand& command) noexcept {
    const bool is_write = command.kind == QueueCommandKind::kWrite;
    const ByteSpan bound = is_write ? bound_source(command.slot) : bound_destination(command.slot);
    if ((command.size_bytes == 0U) || !bound.contains(command.slot_offset, command.size_bytes)) {
        return DeviceFault::kHostMemory;
    }
    std::uint8_t* const memory = permitted(command.address, command.size_bytes,
                                           is_write ? &RegionConfig::queues_write : &RegionConfig::queues_read);
    if (memory == nullptr) {
        return DeviceFault::kBus;
    }
    if (is_write) {
        std::memcpy(memory, &bound[command.slot_offset], command.size_bytes);
    } else {
        std::memcpy(&destinations_[command.slot][command.slot_offset], memory, command.size_bytes);
    }
    return DeviceFault::kNone;
}

void Device::step_trace(Queue& queue) noexcept {
    std::uint32_t words = 0U;
    queue.executed += 1U;
    const DeviceFault fault = execute_trace_command(queue, words);
    if (fault != DeviceFault::kNone) {
        stop(queue, fault);
        return;
    }
    queue.trace_address += words * kWordBytes;
    queue.trace_words -= words;
    if (words == 1U) {  // the end
        const QueueCommand& replay = queue.ring[(queue.consumed - 1U) % kRingCommands];
        QueueCommand sealed = replay;
        queue.digest = command_set_.seal(queue.digest, queue.consumed - 1U, queue.trace_digest, sealed);
    }
}

DeviceFault Device::execute_trace_command(Queue& queue, std::uint32_t& words) noexcept {
    const std::uint32_t header = word_at(queue.trace_address);
    if (header == kEnd) {
        words = 1U;
        if (queue.trace_words != 1U) {
            return DeviceFault::kTraceOverrun;
        }
        queue.trace_digest = command_set_.trace_digest(queue.trace_digest, WordSpan{&header, 1U});
        queue.time_cycles += move_cycles(0U);
        return DeviceFault::kNone;
    }
    if (header == kCopyRows) {
        words = kRowsWords;
        return (queue.trace_words <= kRowsWords) ? DeviceFault::kTraceOverrun : copy_rows(queue);
    }
    if (((header != kCopy) && (header != kFill)) || (queue.trace_words < kWords)) {
        return DeviceFault::kUnknownCommand;
    }
    if (queue.trace_words == kWords) {
        return DeviceFault::kTraceOverrun;  // nothing is left for the end
    }
    words = kWords;
    std::array<std::uint32_t, kWords> command{};
    for (std::uint32_t i = 0U; i < kWords; ++i) {
        command[i] = word_at(queue.trace_address + (i * kWordBytes));
    }
    const std::uint32_t bytes = (header == kCopy) ? command[3] : command[2];
    std::uint8_t* const destination = permitted(command[1], bytes, &RegionConfig::kernels_write);
    if (destination == nullptr) {
        return DeviceFault::kBus;
    }
    if (header == kCopy) {
        const std::uint8_t* const source = permitted(command[2], bytes, &RegionConfig::kernels_read);
        if (source == nullptr) {
            return DeviceFault::kBus;
        }
        std::memmove(destination, source, bytes);
    } else {
        std::memset(destination, static_cast<int>(command[3]), bytes);
    }
    queue.trace_digest = command_set_.trace_digest(queue.trace_digest, WordSpan{command});
    queue.time_cycles += move_cycles(bytes);
    return DeviceFault::kNone;
}

DeviceFault Device::copy_rows(Queue& queue) noexcept {
    std::array<std::uint32_t, kRowsWords> row{};
    for (std::uint32_t i = 0U; i < kRowsWords; ++i) {
        row[i] = word_at(queue.trace_address + (i * kWordBytes));
    }
    if ((row[4] == 0U) || (row[4] > kMaxRows)) {
        return DeviceFault::kBadArgument;
    }
    for (std::uint32_t i = 0U; i < row[4]; ++i) {
        std::uint8_t* const to = permitted(row[1] + (i * row[5]), row[3], &RegionConfig::kernels_write);
        const std::uint8_t* const from = permitted(row[2] + (i * row[5]), row[3], &RegionConfig::kernels_read);
        if ((to == nullptr) || (from == nullptr)) {
            return DeviceFault::kBus;
        }
        std::memmove(to, from, row[3]);
    }
    queue.trace_digest = command_set_.trace_digest(queue.trace_digest, WordSpan{row});
    queue.time_cycles += rows_cycles(row[3], row[4]);
    return DeviceFault::kNone;
}

void Device::publish(Queue& queue, std::uint32_t token) noexcept {
    Notification& notification = queue.notifications[token % pianola::kMaxStepsInFlight];
    notification.record = Completion{};
    notification.record.token = token;
    notification.record.executed_commands = queue.executed;
    notification.record.digest = queue.digest;
    notification.record.time_cycles = queue.time_cycles;
    notification.is_done = true;
}

Status Device::completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    if (queue >= kQueues) {
        return Status::kInvalidArgument;
    }
    const Queue& source = queues_[queue];
    if (source.is_stopped) {
        completion = source.fault;
        return Status::kDeviceFault;
    }
    const Notification& notification = source.notifications[token % pianola::kMaxStepsInFlight];
    if (!notification.is_enqueued || !notification.is_done || (notification.token != token)) {
        completion.executed_commands = source.executed;
        return Status::kPending;
    }
    completion = notification.record;
    return Status::kOk;
}

}  // namespace npu
