// Buffers of a device, and the memory that its programs and traces use.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/device/device_state.h"

namespace pianola::host {
namespace {

const char* memory_name(Memory memory) {
    return (memory == Memory::kDram) ? "DRAM" : "L1 of every core";
}

MemoryUse use_of(const Allocator& allocator, const RangeSet& under_trace) {
    return {allocator.total_bytes(), allocator.used_bytes(), allocator.largest_free_bytes(),
            allocator.free_bytes_of(under_trace), allocator.count()};
}

}  // namespace

bool DeviceState::is_allocated(std::uint32_t address, std::uint32_t bytes) const {
    const std::uint64_t end = std::uint64_t{address} + bytes;
    if ((address >= spec.dram_base) && (end <= (std::uint64_t{spec.dram_base} + dram.total_bytes()))) {
        return dram.is_allocated(address - spec.dram_base, end - spec.dram_base);
    }
    if ((address >= spec.l1_base) && (end <= (std::uint64_t{spec.l1_base} + spec.l1_bytes))) {
        const std::uint32_t offset = (address - spec.l1_base) % l1.total_bytes();
        return ((std::uint64_t{offset} + bytes) <= l1.total_bytes()) &&
               l1.is_allocated(offset, std::uint64_t{offset} + bytes);
    }
    return false;
}

RangeSet DeviceState::offsets_in(Memory memory, const RangeSet& addresses) const {
    RangeSet offsets;
    const bool is_dram = memory == Memory::kDram;
    const std::uint64_t base = is_dram ? spec.dram_base : spec.l1_base;
    const std::uint64_t end = base + (is_dram ? dram.total_bytes() : spec.l1_bytes);
    const std::uint64_t share = is_dram ? (end - base) : l1.total_bytes();
    for (const ByteRange& range : addresses.ranges()) {
        std::uint64_t at = std::max(range.begin, base);
        const std::uint64_t last = std::min(range.end, end);
        while (at < last) {
            const std::uint64_t offset = (at - base) % share;
            const std::uint64_t bytes = std::min(last - at, share - offset);
            offsets.add(offset, offset + bytes);
            at += bytes;
        }
    }
    return offsets;
}

void DeviceState::check_data_memory(const RangeSet& addresses) const {
    RangeSet memory;
    memory.add(spec.dram_base, std::uint64_t{spec.dram_base} + dram.total_bytes());
    memory.add(spec.l1_base, std::uint64_t{spec.l1_base} + spec.l1_bytes);
    for (const ByteRange& range : addresses.ranges()) {
        if (!memory.contains(range.begin, range.end)) {
            throw HostError{
                HostRule::kBlobMemory,
                fmt::format("the trace touches {} bytes at 0x{:08X}, where this device has no memory for buffers; "
                            "open it with a trace region and dispatch areas no larger than those of the device "
                            "that captured the trace",
                            range.end - range.begin, range.begin)};
        }
    }
}

RangeSet DeviceState::under_trace(Memory memory) const {
    RangeSet set;
    for (const auto& [id, trace] : traces) {
        set.add(offsets_in(memory, trace.reads));
        set.add(offsets_in(memory, trace.writes));
    }
    return set;
}

namespace {

std::size_t index_of(const MemoryOwner& owner) {
    return owner.queue + (owner.temporary ? kMaxQueues : 0U);
}

}  // namespace

void DeviceState::claim(Memory memory, std::uint32_t offset, std::uint64_t bytes, const MemoryOwner& owner) {
    if (spec.queue_count > 1U) {
        claims[memory].at(index_of(owner)).add(offset, offset + bytes);
    }
}

RangeSet DeviceState::claimed_by_others(Memory memory, const MemoryOwner& owner) const {
    RangeSet others;
    const auto claimed = claims.find(memory);
    for (std::size_t i = 0U; (claimed != claims.end()) && (i < claimed->second.size()); ++i) {
        if (i != index_of(owner)) {
            others.add(claimed->second.at(i));
        }
    }
    return others;
}

void DeviceState::forget_claims() {
    const bool captures = std::any_of(capturing.begin(), capturing.end(),
                                      [](const std::optional<Capturing>& capture) { return capture.has_value(); });
    if (!captures && (recorder == nullptr)) {
        claims.clear();
    }
}

Lockstep::Lockstep(const std::vector<std::shared_ptr<Device>>& devices) {
    for (const std::shared_ptr<Device>& device : devices) {
        devices_.push_back(&device->state());
        locks_.emplace_back(device->state().mutex);
    }
    for (DeviceState* const device : devices_) {
        device->lockstep = this;
    }
}

Lockstep::~Lockstep() {
    for (DeviceState* const device : devices_) {
        device->lockstep = nullptr;
    }
}

void Lockstep::next_device() noexcept {
    next_offset_ = 0U;
    next_buffer_ = 0U;
}

std::uint32_t Lockstep::repeat() {
    if (next_offset_ >= offsets_.size()) {
        throw HostError{HostRule::kMemoryFull, "a device needs memory that the first one in step did not need"};
    }
    next_offset_ += 1U;
    return offsets_[next_offset_ - 1U];
}

BufferId Lockstep::first_buffer(BufferId buffer) {
    if (next_buffer_ == buffers_.size()) {
        buffers_.push_back(buffer);
    }
    next_buffer_ += 1U;
    return buffers_[next_buffer_ - 1U];
}

std::vector<DeviceState*> DeviceState::in_step() {
    return (lockstep != nullptr) ? lockstep->devices() : std::vector<DeviceState*>{this};
}

std::uint32_t DeviceState::allocate(Memory memory, std::uint64_t bytes, std::uint32_t alignment, FromEnd from,
                                    const std::string& what, const MemoryOwner& owner) {
    Allocator& target = allocator(memory);
    const std::vector<DeviceState*> devices = in_step();
    const bool is_first = devices.front() == this;
    std::optional<std::uint32_t> offset;
    if (is_first) {
        offset = free_place(memory, bytes, alignment, from, owner);
    } else {
        const std::uint32_t repeated = lockstep->repeat();
        offset = target.allocate_at(repeated, bytes) ? std::optional<std::uint32_t>{repeated} : std::nullopt;
    }
    if (!offset.has_value()) {
        throw HostError{
            HostRule::kMemoryFull,
            fmt::format("{} of {} bytes does not fit {}: the largest gap has {} bytes, {} of {} are in use; "
                        "deallocate buffers, or use smaller ones",
                        what, bytes, memory_name(memory), target.largest_free_bytes(), target.used_bytes(),
                        target.total_bytes())};
    }
    const auto is_under_trace = [&](const DeviceState* device) {
        return device->under_trace(memory).intersects(*offset, *offset + bytes);
    };
    // Before the first device has done anything.
    if (is_first && !options.allow_allocation_under_trace &&
        std::any_of(devices.begin() + 1, devices.end(), is_under_trace)) {
        target.free(*offset);
        throw HostError{
            HostRule::kMemoryUnderTrace,
            fmt::format("{} of {} bytes finds no place on all devices of the mesh but where a live trace of "
                        "another of them uses memory. Allocate before the capture, release the trace first, "
                        "or open the devices with allow_allocation_under_trace",
                        what, bytes)};
    }
    claim(memory, *offset, bytes, owner);
    note_consequences(memory, *offset, bytes, what);
    if (is_first && (lockstep != nullptr)) {
        lockstep->note(*offset);
    }
    return *offset;
}

std::optional<std::uint32_t> DeviceState::free_place(Memory memory, std::uint64_t bytes, std::uint32_t alignment,
                                                     FromEnd from, const MemoryOwner& owner) {
    Allocator& target = allocator(memory);
    const std::vector<DeviceState*> devices = in_step();
    RangeSet elsewhere;  // allocated on the other devices
    for (auto other = devices.begin() + 1; other != devices.end(); ++other) {
        elsewhere.add((*other)->allocator(memory).allocated());
    }
    const auto place_clear_of = [&](RangeSet (DeviceState::*used_by_others)(Memory, const MemoryOwner&) const) {
        RangeSet avoid = elsewhere;
        for (const DeviceState* const device : devices) {
            avoid.add((device->*used_by_others)(memory, owner));
            avoid.add(device->under_trace(memory));
        }
        return target.allocate(bytes, alignment, &avoid, from);
    };
    std::optional<std::uint32_t> offset = place_clear_of(&DeviceState::claimed_by_others);
    if (!offset.has_value() && (spec.queue_count > 1U)) {
        // Others' memory can be used once they have ended, but not that of programs that are captured now and run
        // later.
        for (DeviceState* const device : devices) {
            device->drain();
            device->forget_claims();
        }
        offset = place_clear_of(&DeviceState::captured_by_others);
    }
    return offset.has_value() ? offset : target.allocate(bytes, alignment, &elsewhere, from);
}

RangeSet DeviceState::captured_by_others(Memory memory, const MemoryOwner& owner) const {
    RangeSet others;
    for (std::uint32_t queue = 0U; queue < spec.queue_count; ++queue) {
        const std::optional<Capturing>& capture = capturing.at(queue);
        if (capture.has_value() && (queue != owner.queue)) {
            for (const Assembled& program : capture->words.programs()) {
                others.add(offsets_in(memory, program.reads));
                others.add(offsets_in(memory, program.writes));
            }
        }
    }
    return others;
}

void DeviceState::note_consequences(Memory memory, std::uint32_t offset, std::uint64_t bytes, const std::string& what) {
    const std::uint64_t end = offset + bytes;
    std::string consequences;
    for (auto& [id, trace] : traces) {
        const bool reads = offsets_in(memory, trace.reads).intersects(offset, end);
        const bool writes = offsets_in(memory, trace.writes).intersects(offset, end);
        if (reads || writes) {
            const std::string consequence =
                fmt::format("{} of {} bytes at offset {} of {} lies where trace {} {}: executing the trace {}", what,
                            bytes, offset, memory_name(memory), id, writes ? "writes" : "reads",
                            writes ? "destroys its contents" : "reads whatever it holds then");
            consequences += (consequences.empty() ? "" : "; ") + consequence;
            if (options.allow_allocation_under_trace) {
                trace.consequences.push_back(consequence);
            }
        }
    }
    if (consequences.empty()) {
        return;
    }
    if (!options.allow_allocation_under_trace) {
        allocator(memory).free(offset);
        throw HostError{HostRule::kMemoryUnderTrace,
                        fmt::format("{}. Allocate before the capture, release the trace first, or open the device with "
                                    "allow_allocation_under_trace",
                                    consequences)};
    }
    warnings.push_back(consequences);
}

void DeviceState::note_overwritten(const BufferPtr& buffer) {
    for (std::optional<Capturing>& capture : capturing) {
        if (capture.has_value() && touches(capture->writes, *buffer)) {
            capture->overwritten.push_back({buffer, false});
        }
    }
}

void DeviceState::note_access(const RangeSet& reads, const RangeSet& writes) {
    for (auto& [id, trace] : traces) {
        for (Overwritten& entry : trace.overwritten) {
            const BufferPtr buffer = entry.destroyed ? entry.buffer.lock() : nullptr;
            if ((buffer == nullptr) || !buffer->is_allocated()) {
                continue;
            }
            if (touches(reads, *buffer)) {
                warnings.push_back(fmt::format(
                    "buffer {} at 0x{:08X} is read after an execution of trace {} has destroyed its contents: "
                    "it was allocated during the capture where earlier programs of the trace write; allocate "
                    "it before the capture, or write it anew before it is read",
                    buffer->id().value, buffer->address(), id));
                entry = {};
            } else if (touches(writes, *buffer)) {
                entry.destroyed = false;
            } else {
                // Another buffer.
            }
        }
    }
}

void DeviceState::place_local_memory(Program::State& program, const std::shared_ptr<Device>& device) {
    const bool uses_semaphores =
        std::any_of(program.kernels.begin(), program.kernels.end(), [](const KernelEntry& kernel) {
            const auto names_one = [](const Arguments& arguments) {
                return std::any_of(arguments.begin(), arguments.end(), [](const Argument& argument) {
                    return std::holds_alternative<SemaphoreArgument>(argument);
                });
            };
            return names_one(kernel.common) || std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                                                           [&](const auto& own) { return names_one(own.second); });
        });
    const std::shared_ptr<MemoryHolder> owner = program.device.lock();
    if ((owner != nullptr) && (owner != device)) {
        throw HostError{
            HostRule::kProgramDevice,
            fmt::format("program '{}' has its circular buffers or semaphores on another device; make a program "
                        "for each device",
                        program.name)};
    }
    const auto place = [&](LocalMemory& memory, const char* what) {
        if (!memory.offset.has_value() && !memory.deallocated) {
            memory.offset = allocate(Memory::kL1, memory.bytes, kAllocationAlignment, FromEnd::kTop,
                                     fmt::format("a {} of program '{}'", what, program.name));
            program.device = device;
        }
    };
    for (LocalMemory& memory : program.circular_buffers) {
        place(memory, "circular buffer");
    }
    if (uses_semaphores) {
        for (LocalMemory& memory : program.semaphores) {
            place(memory, "semaphore");
        }
    }
}

BufferPtr Device::allocate(const BufferConfig& config) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_queue(config.owner.queue);
    const BufferPlacement placement = BufferPlacement::plan(state_->spec, config);
    const std::uint32_t offset = state_->allocate(config.memory, placement.bytes, placement.alignment, FromEnd::kBottom,
                                                  "a buffer", config.owner);
    const BufferPtr buffer =
        BufferPlacement::make(state_->spec, config, placement, offset, BufferId{next_id()}, shared_from_this());
    buffer->first_twin_ = (state_->lockstep != nullptr) ? state_->lockstep->first_buffer(buffer->id()) : buffer->id();
    state_->buffers[buffer->id().value] = buffer.get();
    state_->note_overwritten(buffer);
    return buffer;
}

void Device::check_buffer(const BufferPtr& buffer) const {
    if (buffer == nullptr) {
        throw HostError{HostRule::kBufferUnknown, "there is no buffer; pass one that allocate() gave"};
    }
    if (!buffer->is_allocated()) {
        throw HostError{HostRule::kBufferFreed,
                        fmt::format("buffer {} has been deallocated; its memory may hold something else by now",
                                    buffer->id().value)};
    }
    if (buffer->device().get() != this) {
        throw HostError{HostRule::kBufferDevice,
                        fmt::format("buffer {} belongs to another device; allocate one here", buffer->id().value)};
    }
}

void Device::deallocate(const BufferPtr& buffer) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_open();
    check_buffer(buffer);
    release(*buffer);
}

void Device::release(Buffer& buffer) {
    const Lock lock{state_->mutex};
    if (buffer.allocated_) {
        state_->allocator(buffer.config_.memory).free(buffer.offset_);
        state_->buffers.erase(buffer.id_.value);
        buffer.allocated_ = false;
    }
}

void Device::release(LocalMemory& memory) {
    const Lock lock{state_->mutex};
    if (memory.offset.has_value()) {
        state_->l1.free(*memory.offset);
        memory.offset.reset();
    }
}

MemoryReport Device::memory_report() const {
    const Lock lock{state_->mutex};
    return {use_of(state_->dram, state_->under_trace(Memory::kDram)),
            use_of(state_->l1, state_->under_trace(Memory::kL1)), use_of(state_->trace_region, {})};
}

}  // namespace pianola::host
