#include "hal/devices/refdev/refdev_driver.h"

#include <cstring>

#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/queue_command.h"
#include "runtime/session/footprint_check.h"

namespace pianola::refdev {
namespace {

// Writes a command's words to their places in a ring.
struct RingWriter {
    QueueMemory& queue;
    std::uint32_t first;
    std::uint32_t check;

    void add(std::uint32_t i, std::uint32_t word) noexcept {
        queue.ring[(first + i) & kRingMask] = (i == 0U) ? ring_header(word, check) : word;
    }
};

static_assert(footprint_agrees<sizeof(RefdevDriver), driver_bytes32(kCapacities)>());
static_assert(footprint_agrees<sizeof(SharedState), shared_state_bytes32(kCapacities)>());

}  // namespace

Status RefdevDriver::describe(DeviceDescription& description) const noexcept {
    refdev::describe(spec_, description);
    return Status::kOk;
}

// True if every queue has confirmed that it is held.
bool RefdevDriver::stop_queues() noexcept {
    // A phase that is already odd is a reset that timed out: it is resumed.
    const std::uint32_t phase = shared_.reset_phase.load(std::memory_order_relaxed) | 1U;
    shared_.reset_phase.store(phase, std::memory_order_release);
    for (std::uint32_t queue = 0U; queue < spec_.queue_count; ++queue) {
        link_.signal(queue);
    }
    const std::uint64_t started_us = link_.now_us();
    for (std::uint32_t turn = 0U; turn < kResetLimitTurns; ++turn) {
        if (!is_ok(link_.service())) {
            return false;
        }
        bool all_held = true;
        for (std::uint32_t queue = 0U; queue < spec_.queue_count; ++queue) {
            all_held = (shared_.reset_confirmed[queue].load(std::memory_order_acquire) == phase) && all_held;
        }
        if (all_held) {
            return true;
        }
        if ((link_.now_us() - started_us) > reset_limit_us_) {
            return false;
        }
        link_.relax();
    }
    return false;
}

void RefdevDriver::clear_queue(std::uint32_t queue) noexcept {
    QueueMemory& memory = shared_.queues[queue];
    memory.published.store(0U, std::memory_order_relaxed);
    memory.doorbell_cycles.fill(0U);
    memory.consumed.store(0U, std::memory_order_relaxed);
    memory.progress.store(0U, std::memory_order_relaxed);
    memory.completed_token.store(0U, std::memory_order_relaxed);
    memory.stopped.store(0U, std::memory_order_relaxed);
    for (std::uint32_t i = 0U; i < kMaxStepsInFlight; ++i) {
        memory.completions[i] = Completion{};
        memory.completions[i].token = i + 1U;  // of another slot: a token that was never enqueued has no record
    }
    memory.fault = Completion{};
    memory.costs = spec_.cost_model->commands;
    shared_.logs[queue].reset(queue);
    written_[queue] = 0U;
    notified_[queue] = {};
}

Status RefdevDriver::reset() noexcept {
    if (!stop_queues()) {
        return Status::kTimeout;
    }
    shared_.memory.clear();
    shared_.host = HostMemory{};
    for (EventCell& event : shared_.events) {
        event.counter.store(0U, std::memory_order_relaxed);
        event.copy.store(0U, std::memory_order_relaxed);
        event.times_cycles.fill(0U);
    }
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        clear_queue(queue);
    }
    // The queues sleep until the next doorbell: no signal is needed.
    shared_.reset_phase.store(shared_.reset_phase.load(std::memory_order_relaxed) + 1U, std::memory_order_release);
    return Status::kOk;
}

// The file window is memory that nothing writes, so that its only region is one that permits no writes.
bool RefdevDriver::is_in_window(std::uint32_t address) const noexcept {
    return (address - spec_.file_base) < spec_.file_bytes;  // an address below wraps to a large value
}

// Where a new region lies. The window shows what is bound to the weights slot.
std::uint8_t* RefdevDriver::place_of(const RegionConfig& region) noexcept {
    if (!is_in_window(region.base)) {
        return link_.memory_at(region.base, region.size_bytes);
    }
    const ByteSpan file =
        shared_.host.sources[kWeightsSlot].memory().subspan(region.base - spec_.file_base, region.size_bytes);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): DEV-074
    return (is_in_file(region) && !region.fetch) ? const_cast<std::uint8_t*>(file.data()) : nullptr;
}

// Of the window only what its region maps, by the registers that the device's accesses use.
std::uint8_t* RefdevDriver::memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    if (!is_in_window(address)) {
        return link_.memory_at(address, size_bytes);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): DEV-074
    return const_cast<std::uint8_t*>(shared_.memory.readable(address, size_bytes));
}

Status RefdevDriver::program_region(const RegionConfig& region) noexcept {
    std::uint8_t* const memory = place_of(region);
    if (memory == nullptr) {
        return Status::kCapacity;
    }
    return shared_.memory.program({region.base, region.size_bytes, memory, region.kernels_read, region.kernels_write,
                                   region.queues_read, region.queues_write, region.fetch});
}

Status RefdevDriver::programmed_region(std::uint32_t index, RegionConfig& region) const noexcept {
    const MemoryRegion programmed = shared_.memory.programmed(index);
    region = {programmed.base,        programmed.size_bytes,   programmed.device_reads, programmed.device_writes,
              programmed.queue_reads, programmed.queue_writes, programmed.fetch};
    return (programmed.host == nullptr) ? Status::kInvalidArgument : Status::kOk;
}

Status RefdevDriver::read_back(std::uint32_t address, MutableByteSpan out) noexcept {
    const std::uint8_t* const memory =
        (out.size() <= UINT32_MAX) ? memory_at(address, static_cast<std::uint32_t>(out.size())) : nullptr;
    if (memory == nullptr) {
        return Status::kInvalidArgument;
    }
    std::memcpy(out.data(), memory, out.size());
    return Status::kOk;
}

Status RefdevDriver::patch_word(std::uint32_t address, std::uint32_t word) noexcept {
    // The trace region is the last of DRAM. An address before it wraps to a large value.
    const std::uint32_t offset = address - (spec_.dram_base + (spec_.dram_bytes - spec_.trace_region_bytes));
    const bool is_word = (offset < spec_.trace_region_bytes) && ((offset % sizeof(word)) == 0U);
    std::uint8_t* const memory = is_word ? link_.memory_at(address, sizeof(word)) : nullptr;
    if (memory == nullptr) {
        return Status::kInvalidArgument;
    }
    std::memcpy(memory, &word, sizeof(word));
    return Status::kOk;
}

Status RefdevDriver::bind_source(std::uint32_t slot, ByteSpan memory) noexcept {
    if (slot >= kSourceSlots) {
        return Status::kInvalidArgument;
    }
    if (!memory.empty()) {
        link_.clean(memory);
    }
    shared_.host.sources[slot].bind(memory);
    return Status::kOk;
}

Status RefdevDriver::bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept {
    if (slot >= kDestinationSlots) {
        return Status::kInvalidArgument;
    }
    HostBinding<MutableByteSpan>& destination = shared_.host.destinations[slot];
    if (!destination.is_whole()) {
        return Status::kDeviceFault;  // the lines to invalidate are unknown
    }
    const MutableByteSpan earlier = destination.memory();
    if (!earlier.empty()) {
        link_.invalidate(earlier);
    }
    if (!memory.empty()) {
        link_.clean(memory);  // otherwise a dirty line could be written back later, over the device's data
    }
    destination.bind(memory);
    return Status::kOk;
}

// Commands read by the register of the window's region, whatever the weights slot was bound to since.
ByteSpan RefdevDriver::bound_source(std::uint32_t slot) const noexcept {
    ByteSpan mapped;
    if ((slot == kWeightsSlot) && (spec_.file_bytes != 0U) && shared_.memory.find_place(spec_.file_base, mapped)) {
        return mapped;
    }
    return (slot < kSourceSlots) ? shared_.host.sources[slot].memory() : ByteSpan{};
}

ByteSpan RefdevDriver::bound_destination(std::uint32_t slot) const noexcept {
    return (slot < kDestinationSlots) ? ByteSpan{shared_.host.destinations[slot].memory()} : ByteSpan{};
}

MutableByteSpan RefdevDriver::host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    std::uint8_t* const memory = memory_at(address, size_bytes);
    return (memory == nullptr) ? MutableByteSpan{} : MutableByteSpan{memory, size_bytes};
}

// Memory from memory_at() needs no maintenance; doorbell and completion provide the order.
void RefdevDriver::give_to_device(ByteSpan /*view*/) noexcept {}
void RefdevDriver::take_from_device(MutableByteSpan /*view*/) noexcept {}

Status RefdevDriver::enqueue(std::uint32_t queue, const QueueCommand& command) noexcept {
    const std::uint32_t words = word_count(command.kind);
    if ((queue >= spec_.queue_count) || (words == 0U)) {
        return Status::kInvalidArgument;
    }
    QueueMemory& target = shared_.queues[queue];
    const std::uint32_t first = written_[queue];
    const std::uint32_t used = first - target.consumed.load(std::memory_order_acquire);
    if (words > (kRingWords - used)) {
        return Status::kBusy;
    }
    RingWriter writer{target, first, command.check};
    give_words(command, writer);
    written_[queue] = first + words;
    if (command.kind == QueueCommandKind::kNotify) {
        notified_[queue][command.value % kMaxStepsInFlight] = first + words;
    }
    return Status::kOk;
}

Status RefdevDriver::ring_doorbell(std::uint32_t queue) noexcept {
    if (queue >= spec_.queue_count) {
        return Status::kInvalidArgument;
    }
    QueueMemory& target = shared_.queues[queue];
    const std::uint32_t first = target.published.load(std::memory_order_relaxed);
    if (first != written_[queue]) {  // otherwise the slot may be that of a command in a full ring
        target.doorbell_cycles[doorbell_slot(first)] = now_cycles_;
    }
    target.published.store(written_[queue], std::memory_order_release);
    link_.signal(queue);
    return Status::kOk;
}

Status RefdevDriver::service() noexcept {
    return link_.service();
}

Status RefdevDriver::completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    if (queue >= spec_.queue_count) {
        return Status::kInvalidArgument;
    }
    const QueueMemory& source = shared_.queues[queue];
    if (source.stopped.load(std::memory_order_acquire) != 0U) {
        completion = source.fault;
        return Status::kDeviceFault;
    }
    // The last token of a queue that was idle for long does not tell whether this one completed. The rest of the ring
    // does: a queue consumes a notification only once its record is published. Tokens are compared for those that were
    // never enqueued.
    const std::uint32_t left = written_[queue] - source.consumed.load(std::memory_order_acquire);
    const std::uint32_t later = written_[queue] - notified_[queue][token % kMaxStepsInFlight];
    const std::uint32_t last = source.completed_token.load(std::memory_order_acquire);
    const Completion& record = source.completions[token % kMaxStepsInFlight];
    if ((left > later) || ((last - token) >= kMaxStepsInFlight) || (record.token != token)) {
        completion.executed_commands = source.progress.load(std::memory_order_relaxed);
        return Status::kPending;
    }
    // Copied member by member: for the whole object compilers call memcpy(), which C libraries for small cores
    // implement byte by byte.
    completion.token = record.token;
    completion.executed_commands = record.executed_commands;
    completion.digest = record.digest;
    completion.time_cycles = record.time_cycles;
    completion.fault = record.fault;
    completion.fault_command = record.fault_command;
    completion.fault_address = record.fault_address;
    now_cycles_ = (completion.time_cycles > now_cycles_) ? completion.time_cycles : now_cycles_;
    return Status::kOk;
}

}  // namespace pianola::refdev
