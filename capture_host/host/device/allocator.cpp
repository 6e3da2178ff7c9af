#include "capture_host/host/device/allocator.h"

#include <algorithm>
#include <iterator>

namespace pianola::host {

RangeSet Allocator::allocated() const {
    RangeSet set;
    for (const auto& [offset, size] : allocations_) {
        set.add(offset, std::uint64_t{offset} + size);
    }
    return set;
}

std::optional<std::uint32_t> Allocator::allocate(std::uint64_t bytes, std::uint32_t alignment, const RangeSet* avoid,
                                                 FromEnd from) {
    const std::uint64_t size = align_up(bytes, kAllocationAlignment);
    if ((size == 0U) || (size > bytes_)) {
        return std::nullopt;
    }
    RangeSet blocked = allocated();
    if (avoid != nullptr) {
        blocked.add(*avoid);
    }
    std::optional<std::uint64_t> found;
    std::uint64_t gap_begin = 0U;
    const auto consider = [&](std::uint64_t gap_end) {
        const std::uint64_t limit = std::min<std::uint64_t>(gap_end, bytes_);
        const std::uint64_t lowest = align_up(gap_begin, alignment);
        if ((lowest + size) <= limit) {
            if (from == FromEnd::kTop) {
                found = ((limit - size) / alignment) * alignment;  // the last gap that fits wins
            } else if (!found.has_value()) {
                found = lowest;
            }
        }
    };
    for (const ByteRange& range : blocked.ranges()) {
        consider(range.begin);
        gap_begin = range.end;
    }
    consider(bytes_);
    if (!found.has_value()) {
        return std::nullopt;
    }
    const auto offset = static_cast<std::uint32_t>(*found);
    allocations_[offset] = static_cast<std::uint32_t>(size);
    used_bytes_ += size;
    return offset;
}

bool Allocator::allocate_at(std::uint32_t offset, std::uint64_t bytes) {
    const std::uint64_t size = align_up(bytes, kAllocationAlignment);
    const bool fits = (size != 0U) && (size <= bytes_) && (offset <= (bytes_ - size)) &&
                      ((offset % kAllocationAlignment) == 0U) && !allocated().intersects(offset, offset + size);
    if (fits) {
        allocations_[offset] = static_cast<std::uint32_t>(size);
        used_bytes_ += size;
    }
    return fits;
}

void Allocator::free(std::uint32_t offset) {
    const auto allocation = allocations_.find(offset);
    if (allocation != allocations_.end()) {
        used_bytes_ -= allocation->second;
        allocations_.erase(allocation);
    }
}

std::uint64_t Allocator::largest_free_bytes() const {
    std::uint64_t largest = 0U;
    std::uint64_t gap_begin = 0U;
    for (const auto& [offset, size] : allocations_) {
        largest = std::max(largest, offset - gap_begin);
        gap_begin = std::uint64_t{offset} + size;
    }
    return std::max(largest, bytes_ - gap_begin);
}

bool Allocator::is_allocated(std::uint64_t begin, std::uint64_t end) const {
    const auto next = allocations_.upper_bound(static_cast<std::uint32_t>(begin));
    if (next == allocations_.begin()) {
        return false;
    }
    const auto held = std::prev(next);
    return end <= (std::uint64_t{held->first} + held->second);
}

std::uint64_t Allocator::free_bytes_of(const RangeSet& set) const {
    std::uint64_t bytes = 0U;
    for (const ByteRange& range : set.ranges()) {
        bytes += range.end - range.begin;
    }
    return bytes - set.common_bytes(allocated());
}

}  // namespace pianola::host
