#include "runtime/plan/interval_set.h"

namespace pianola {

std::uint32_t IntervalSet::first_reaching(std::uint32_t address) const noexcept {
    std::uint32_t low = 0U;
    std::uint32_t high = count_;
    while (low < high) {  // halves each time
        const std::uint32_t middle = low + ((high - low) / 2U);
        if (intervals_[middle].last < address) {
            low = middle + 1U;
        } else {
            high = middle;
        }
    }
    return low;
}

Status IntervalSet::add(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    Interval merged{address, address + (size_bytes - 1U)};
    // Everything that overlaps or touches becomes part of the new interval.
    const std::uint32_t begin = first_reaching((address > 0U) ? (address - 1U) : 0U);
    std::uint32_t end = begin;
    while ((end < count_) && ((merged.last == UINT32_MAX) || (intervals_[end].first <= (merged.last + 1U)))) {
        merged.first = (intervals_[end].first < merged.first) ? intervals_[end].first : merged.first;
        merged.last = (intervals_[end].last > merged.last) ? intervals_[end].last : merged.last;
        end += 1U;
    }
    if (end == begin) {
        if (count_ >= kMaxIntervals) {
            return Status::kCapacity;
        }
        for (std::uint32_t i = count_; i > begin; --i) {
            intervals_[i] = intervals_[i - 1U];
        }
        count_ += 1U;
    } else {
        const std::uint32_t removed = end - begin - 1U;
        for (std::uint32_t i = end; (removed > 0U) && (i < count_); ++i) {
            intervals_[i - removed] = intervals_[i];
        }
        count_ -= removed;
    }
    intervals_[begin] = merged;
    return Status::kOk;
}

bool IntervalSet::contains(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
    const std::uint32_t index = first_reaching(address);
    return (index < count_) && (intervals_[index].first <= address) &&
           ((address + (size_bytes - 1U)) <= intervals_[index].last);
}

bool IntervalSet::intersects(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
    const std::uint32_t index = first_reaching(address);
    return (index < count_) && (intervals_[index].first <= (address + (size_bytes - 1U)));
}

}  // namespace pianola
