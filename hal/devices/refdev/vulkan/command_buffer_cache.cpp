#include "hal/devices/refdev/vulkan/command_buffer_cache.h"

#include <algorithm>

#include "hal/devices/refdev/refdev_command_set.h"

namespace pianola::vulkan {
namespace {

constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);
constexpr std::size_t kKept = 256U;  // command buffers whose words are no longer in place

}  // namespace

WordSpan CommandBufferCache::words_at(std::uint32_t address, std::uint32_t bytes) const noexcept {
    std::uint64_t offset = 0U;
    if (!parts_.offset_of(address, bytes, offset)) {
        return {};
    }
    return {parts_.memory.words() + (offset / kWordBytes), bytes / kWordBytes};
}

TraceCommandBuffer* CommandBufferCache::find(std::uint32_t address, std::uint32_t bytes) const noexcept {
    for (const Placed& each : placed_) {
        if ((each.address == address) && (each.bytes == bytes)) {
            return each.trace;
        }
    }
    return nullptr;
}

TraceCommandBuffer* CommandBufferCache::record(std::uint32_t address, std::uint32_t bytes) {
    const WordSpan words = words_at(address, bytes);
    const auto known =
        std::find_if(kept_.begin(), kept_.end(), [&](const auto& each) { return each->is_of(address, words); });
    TraceCommandBuffer* trace = (known == kept_.end()) ? nullptr : known->get();
    if (trace == nullptr) {
        auto made = std::make_unique<TraceCommandBuffer>(parts_, address, words);
        if (!is_ok(made->record())) {
            return nullptr;
        }
        trace = made.get();
        kept_.push_back(std::move(made));
    }
    take_off(address, address + bytes);
    placed_.push_back({address, bytes, trace});
    return trace;
}

void CommandBufferCache::invalidate(std::uint32_t address, std::uint32_t bytes) {
    const std::uint32_t end = address + bytes;
    const auto is_touched = [address, end](const Placed& each) {
        return (each.address < end) && (address < (each.address + each.bytes));
    };
    placed_.erase(std::remove_if(placed_.begin(), placed_.end(), is_touched), placed_.end());
    take_off(address, end);
    written_.push_back({address, end});
}

void CommandBufferCache::patch(std::uint32_t address, std::uint32_t word) {
    for (const Placed& each : placed_) {
        if ((address >= each.address) && ((address - each.address) < each.bytes) &&
            each.trace->patch((address - each.address) / kWordBytes, word)) {
            return;
        }
    }
    invalidate(address, kWordBytes);
}

void CommandBufferCache::take_off(std::uint32_t begin, std::uint32_t end) {
    std::vector<Written> left;
    for (const Written& each : written_) {
        if (each.begin < std::min(each.end, begin)) {
            left.push_back({each.begin, std::min(each.end, begin)});
        }
        if (std::max(each.begin, end) < each.end) {
            left.push_back({std::max(each.begin, end), each.end});
        }
    }
    written_ = std::move(left);
}

std::uint32_t CommandBufferCache::trace_bytes(std::uint32_t address, std::uint32_t limit) const {
    const refdev::RefdevCommandSet command_set{*parts_.spec.cost_model};
    const WordSpan words = words_at(address, limit - address);
    DecodeState state;
    std::size_t at = 0U;
    while (at < words.size()) {
        DecodedCommand command;
        DecodeError error;
        if (!is_ok(command_set.decode(words.subspan(at, words.size() - at), state, command, error))) {
            return 0U;
        }
        at += command.length_words;
        if (command.kind == CommandKind::kEnd) {
            return static_cast<std::uint32_t>(at) * kWordBytes;
        }
    }
    return 0U;
}

Status CommandBufferCache::record_written(std::vector<TraceCommandBuffer*>& fresh) {
    const std::vector<Written> written = std::move(written_);
    written_.clear();
    for (const Written& each : written) {
        std::uint32_t at = (each.begin + (kFileAlignmentBytes - 1U)) & ~(kFileAlignmentBytes - 1U);
        while (at < each.end) {
            const std::uint32_t bytes = trace_bytes(at, each.end);
            if ((bytes != 0U) && (find(at, bytes) == nullptr)) {
                const std::size_t before = kept_.size();
                TraceCommandBuffer* const trace = record(at, bytes);
                if (trace == nullptr) {
                    return Status::kCapacity;
                }
                if (kept_.size() != before) {
                    fresh.push_back(trace);
                }
            }
            at += std::max((bytes + (kFileAlignmentBytes - 1U)) & ~(kFileAlignmentBytes - 1U), kFileAlignmentBytes);
        }
    }
    return Status::kOk;
}

void CommandBufferCache::clear() noexcept {
    placed_.clear();
    written_.clear();
    kept_.clear();
}

void CommandBufferCache::forget_old() {
    if (kept_.size() < (2U * kKept)) {
        return;
    }
    const std::size_t surplus = kept_.size() - kKept;
    std::size_t looked_at = 0U;
    const auto is_old = [this, &looked_at, surplus](const std::unique_ptr<TraceCommandBuffer>& each) {
        looked_at += 1U;
        return (looked_at <= surplus) && std::none_of(placed_.begin(), placed_.end(), [&each](const Placed& placed) {
                   return placed.trace == each.get();
               });
    };
    kept_.erase(std::remove_if(kept_.begin(), kept_.end(), is_old), kept_.end());
}

}  // namespace pianola::vulkan
