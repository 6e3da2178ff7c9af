// Traces that leave the device as blobs, and come back.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "capture_host/host/device/buffer_layout.h"
#include "capture_host/host/device/trace_blob.h"

namespace pianola::host {
namespace {

// Allocates a buffer of a loaded trace where it was captured; not where the caller's own stands for it.
bool place(DeviceState& state, const std::shared_ptr<Device>& device, TracedBuffer& traced, const RangeSet& own) {
    const Memory memory = traced.config.memory;
    BufferPlacement placement;
    try {
        placement = BufferPlacement::plan(state.spec, traced.config);
    } catch (const HostError& error) {
        throw HostError{HostRule::kBlobFormat, fmt::format("buffer '{}': {}", traced.name, error.what())};
    }
    if (own.intersects(traced.offset, traced.offset + placement.bytes)) {
        return false;
    }
    if (((traced.offset % placement.alignment) != 0U) ||
        !state.allocator(memory).allocate_at(traced.offset, placement.bytes)) {
        throw HostError{
            HostRule::kBlobMemory,
            fmt::format("'{}' of the trace needs {} bytes at offset {}, which are not free; pass the buffer that "
                        "stands for it to load_trace, or deallocate what lies there before",
                        traced.name, placement.bytes, traced.offset)};
    }
    state.claim(memory, traced.offset, placement.bytes, traced.config.owner);
    traced.buffer =
        BufferPlacement::make(state.spec, traced.config, placement, traced.offset, BufferId{next_id()}, device, device);
    state.buffers[traced.buffer->id().value] = traced.buffer.get();
    return true;
}

}  // namespace

TraceBlob Device::collect_trace(TraceId trace, const std::vector<NamedBuffer>& names) {
    const Lock lock{state_->mutex};
    state_->check_open();
    std::vector<TracedBuffer>& buffers = state_->trace(trace).buffers;
    for (const NamedBuffer& named : names) {
        check_buffer(named.buffer);
        const auto traced = std::find_if(buffers.begin(), buffers.end(), [&named](const TracedBuffer& candidate) {
            return (candidate.config.memory == named.buffer->config_.memory) &&
                   (candidate.offset == named.buffer->offset_);
        });
        if (traced == buffers.end()) {
            throw HostError{
                HostRule::kBlobMemory,
                fmt::format("'{}' is buffer {} at 0x{:08X}, and no buffer that trace {} uses lay there when its "
                            "capture ended; name the trace's inputs, outputs and weights",
                            named.name, named.buffer->id().value, named.buffer->address(), trace.value)};
        }
        traced->name = named.name;
    }
    for (std::size_t i = 0U; i < buffers.size(); ++i) {
        buffers[i].name = buffers[i].name.empty() ? fmt::format("tensor {}", i) : buffers[i].name;
    }
    return {write_blob(state_->spec, state_->trace(trace)), trace_info(trace)};
}

void DeviceState::check_only_own(const RangeSet& used, const std::map<Memory, RangeSet>& own) {
    for (const Memory memory : {Memory::kDram, Memory::kL1}) {
        const RangeSet bytes = offsets_in(memory, used);
        const auto held = own.find(memory);
        const std::uint64_t foreign = bytes.common_bytes(allocator(memory).allocated()) -
                                      ((held == own.end()) ? 0U : bytes.common_bytes(held->second));
        if (foreign != 0U) {
            throw HostError{
                HostRule::kBlobMemory,
                fmt::format("{} bytes that the trace uses are allocated, and not by the buffers that were passed; "
                            "pass the trace's buffers to load_trace, or deallocate the others before",
                            foreign)};
        }
    }
}

TraceId Device::copy_trace(std::uint32_t queue, Device& source, TraceId trace) {
    const Lock lock{state_->mutex};
    const Lock other{source.state().mutex};
    state_->check_not_capturing(queue, "copying a trace");
    const std::vector<std::uint8_t> blob = source.collect_trace(trace).bytes;
    TraceState copy = read_blob(state_->spec, ByteSpan{blob.data(), blob.size()});
    state_->drain();  // what was freed is no longer used
    std::map<Memory, RangeSet> own;
    for (const TracedBuffer& traced : copy.buffers) {
        const auto lies_there = [&traced](const auto& each) {
            return (each.second->config_.memory == traced.config.memory) && (each.second->offset_ == traced.offset);
        };
        const auto& there = source.state().buffers;
        if (std::none_of(there.begin(), there.end(), lies_there)) {
            continue;  // it has gone
        }
        const auto here = std::find_if(state_->buffers.begin(), state_->buffers.end(), lies_there);
        if ((here == state_->buffers.end()) || (here->second->config_.rows != traced.config.rows) ||
            (here->second->config_.row_bytes != traced.config.row_bytes) ||
            (here->second->config_.layout != traced.config.layout)) {
            throw HostError{
                HostRule::kBlobMemory,
                fmt::format("trace {} uses a buffer of {} rows of {} bytes at offset {} of its memory, and this device "
                            "has no such buffer there; allocate the same buffers in the same order on both",
                            trace.value, traced.config.rows, traced.config.row_bytes, traced.offset)};
        }
        own[traced.config.memory].add(traced.offset, std::uint64_t{traced.offset} + here->second->reserved_bytes_);
    }
    RangeSet used = copy.reads;
    used.add(copy.writes);
    state_->check_only_own(used, own);
    copy.id = TraceId{next_id()};
    copy.queue = queue;
    return state_->place_trace(std::move(copy)).id;
}

TraceId Device::load_trace(std::uint32_t queue, ByteSpan blob, const std::vector<BufferPtr>& buffers) {
    const Lock lock{state_->mutex};
    const RecordingScope recording{state_->recorder};
    state_->check_not_capturing(queue, "loading a trace");
    TraceState loaded = read_blob(state_->spec, blob);
    state_->drain();  // what was freed is no longer used
    // All that their allocations hold: the trace may use what lies behind a buffer's last byte.
    std::map<Memory, RangeSet> own;
    for (const BufferPtr& buffer : buffers) {
        check_buffer(buffer);
        own[buffer->config_.memory].add(buffer->offset_, std::uint64_t{buffer->offset_} + buffer->reserved_bytes_);
    }
    RangeSet used = loaded.reads;
    used.add(loaded.writes);
    state_->check_data_memory(used);
    state_->check_only_own(used, own);
    for (TracedBuffer& traced : loaded.buffers) {
        const bool is_new = place(*state_, shared_from_this(), traced, own[traced.config.memory]);
        if (is_new && !touches(used, *traced.buffer)) {
            throw HostError{HostRule::kBlobFormat, fmt::format("the trace does not use its buffer '{}'", traced.name)};
        }
    }
    loaded.id = TraceId{next_id()};
    loaded.queue = queue;
    const TraceId id = loaded.id;
    (void)state_->place_trace(std::move(loaded));
    return id;
}

}  // namespace pianola::host
