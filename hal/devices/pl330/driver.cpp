// The driver's side of Device: description, regions, memory, bindings, rings.
#include "hal/devices/pl330/driver.h"

#include <cstring>

#include "hal/devices/pl330/registers.h"
#include "runtime/session/footprint_check.h"

namespace pianola::pl330 {
namespace {

constexpr std::uint32_t kWeightsLayout = 1U;  // there are no kernels with weights
constexpr std::uint32_t kCostModel = 1U;      // the only one: no costs
constexpr std::uint32_t kClockKhz = 1000U;    // device time is the core's, in microseconds: the engine has no clock

static_assert(footprint_agrees<sizeof(Pl330Driver), driver_bytes32(kCapacities)>());

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
    description.file_base = 0U;  // no file window
    description.file_bytes = 0U;
    description.trace_region_bytes = spec.trace_region_bytes;
    description.clock_khz = kClockKhz;
    description.core_khz = 0U;
    description.millicycles_per_instruction = 0U;
    description.queue_count = kMaxQueues;
    description.ring_words = kRingCommands;
    description.grid_columns = 1U;
    description.grid_rows = 1U;
    description.dram_banks = 1U;
    description.attestation = Attestation::kNothing;
    description.costs = CostKind::kNotPublished;
    description.cost_model = kCostModel;
    description.weights_layout = kWeightsLayout;
    description.capacities = spec.capacities;
}

Status Pl330Driver::describe(DeviceDescription& description) const noexcept {
    pl330::describe(spec_, description);
    return Status::kOk;
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

// Does not clear the ring's old commands, which are never read again, nor the choice of the next program.
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
    // The trace region is the last of DRAM. An address before it wraps to a large value.
    const std::uint32_t offset = address - (spec_.dram_base + (spec_.dram_bytes - spec_.trace_region_bytes));
    const bool is_word = (offset < spec_.trace_region_bytes) && ((offset % sizeof(word)) == 0U);
    std::uint8_t* const memory = is_word ? link_.memory_at(address, sizeof(word)) : nullptr;
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
        completion.executed_commands = 0U;  // the engine counts none; the driver's count is no evidence
        return Status::kPending;
    }
    completion = record.completion;
    return Status::kOk;
}

}  // namespace pianola::pl330
