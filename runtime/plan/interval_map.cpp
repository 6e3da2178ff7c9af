#include "pianola/interval_map.h"

namespace pianola {

std::uint32_t IntervalMap::first_reaching(std::uint32_t address) const noexcept {
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

bool IntervalMap::resize(std::uint32_t index, std::uint32_t removed, std::uint32_t added,
                         std::uint32_t capacity) noexcept {
    const std::uint32_t count = (count_ - removed) + added;
    if (count > capacity) {
        return false;
    }
    // One by one, from the free end: C libraries for small cores move overlapping memory byte by byte.
    const std::uint32_t tail = (added == removed) ? 0U : (count_ - (index + removed));
    const bool grows = added > removed;
    const std::uint32_t step = grows ? UINT32_MAX : 1U;
    std::uint32_t from = (index + removed) + (grows ? (tail - 1U) : 0U);
    std::uint32_t to = (from - removed) + added;
    for (std::uint32_t i = 0U; i < tail; ++i) {
        intervals_[to] = intervals_[from];
        from += step;
        to += step;
    }
    count_ = count;
    return true;
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): DEV-036
Status IntervalMap::assign(std::uint32_t address, std::uint32_t size_bytes, std::uint32_t tag,
                           std::uint32_t capacity) noexcept {
    Interval whole{address, address + (size_bytes - 1U), tag};
    // Overlapping ranges are replaced, except for their parts outside the new range; adjacent ranges with the same tag
    // are joined.
    std::uint32_t begin = first_reaching((address > 0U) ? (address - 1U) : 0U);
    if ((begin < count_) && (intervals_[begin].last < address) && (intervals_[begin].tag != tag)) {
        begin += 1U;  // it only touches
    }
    Interval before{};  // tag 0: no part is outside
    Interval behind{};
    std::uint32_t end = begin;
    while ((end < count_) && ((whole.last == UINT32_MAX) || (intervals_[end].first <= (whole.last + 1U)))) {
        const Interval& other = intervals_[end];
        if (other.tag == tag) {
            whole.first = (other.first < whole.first) ? other.first : whole.first;
            whole.last = (other.last > whole.last) ? other.last : whole.last;
        } else if (other.first > whole.last) {
            break;  // it only touches
        } else {
            if (other.first < whole.first) {
                before = Interval{other.first, whole.first - 1U, other.tag};
            }
            if (other.last > whole.last) {
                behind = Interval{whole.last + 1U, other.last, other.tag};
            }
        }
        end += 1U;
    }
    const std::uint32_t in_front = (before.tag != 0U) ? 1U : 0U;
    const std::uint32_t at_end = (behind.tag != 0U) ? 1U : 0U;
    if (!resize(begin, end - begin, in_front + 1U + at_end, capacity)) {
        return Status::kCapacity;
    }
    const std::uint32_t place = begin + in_front;
    if (in_front != 0U) {
        intervals_[begin] = before;
    }
    if (at_end != 0U) {
        intervals_[place + 1U] = behind;
    }
    intervals_[place] = whole;
    return Status::kOk;
}

void IntervalMap::forget_up_to(std::uint32_t tag) noexcept {
    std::uint32_t kept = 0U;
    for (std::uint32_t i = 0U; i < count_; ++i) {
        if (intervals_[i].tag > tag) {
            intervals_[kept] = intervals_[i];
            kept += 1U;
        }
    }
    count_ = kept;
}

bool IntervalMap::contains(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
    const std::uint32_t index = first_reaching(address);
    return (index < count_) && (intervals_[index].first <= address) &&
           ((address + (size_bytes - 1U)) <= intervals_[index].last);
}

std::uint32_t IntervalMap::largest_tag(std::uint32_t address, std::uint32_t size_bytes,
                                       std::uint32_t except) const noexcept {
    const std::uint32_t last = address + (size_bytes - 1U);
    std::uint32_t largest = 0U;
    for (std::uint32_t i = first_reaching(address); (i < count_) && (intervals_[i].first <= last); ++i) {
        const std::uint32_t tag = intervals_[i].tag;
        largest = ((tag > largest) && (tag != except)) ? tag : largest;
    }
    return largest;
}

std::uint32_t IntervalMap::all_tags(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
    const std::uint32_t last = address + (size_bytes - 1U);
    std::uint32_t tags = 0U;
    for (std::uint32_t i = first_reaching(address); (i < count_) && (intervals_[i].first <= last); ++i) {
        tags |= intervals_[i].tag;
    }
    return tags;
}

}  // namespace pianola
