#include "capture_host/base/range_set.h"

#include <algorithm>
#include <utility>

namespace pianola::host {
namespace {

// The first range that ends after `position`.
std::vector<ByteRange>::const_iterator first_after(const std::vector<ByteRange>& ranges, std::uint64_t position) {
    return std::partition_point(ranges.begin(), ranges.end(),
                                [position](const ByteRange& range) { return range.end <= position; });
}

}  // namespace

void RangeSet::add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) {
        return;
    }
    // Ranges that touch the new one become part of it.
    const auto first = std::partition_point(ranges_.begin(), ranges_.end(),
                                            [begin](const ByteRange& range) { return range.end < begin; });
    auto last = first;
    ByteRange merged{begin, end};
    while ((last != ranges_.end()) && (last->begin <= end)) {
        merged.begin = std::min(merged.begin, last->begin);
        merged.end = std::max(merged.end, last->end);
        ++last;
    }
    const auto at = ranges_.erase(first, last);
    ranges_.insert(at, merged);
}

void RangeSet::add(const RangeSet& other) {
    for (const ByteRange& range : other.ranges_) {
        add(range.begin, range.end);
    }
}

void RangeSet::remove(std::uint64_t begin, std::uint64_t end) {
    if (!intersects(begin, end)) {
        return;
    }
    std::vector<ByteRange> kept;
    for (const ByteRange& range : ranges_) {
        for (const ByteRange& part :
             {ByteRange{range.begin, std::min(range.end, begin)}, ByteRange{std::max(range.begin, end), range.end}}) {
            if (part.begin < part.end) {
                kept.push_back(part);
            }
        }
    }
    ranges_ = std::move(kept);
}

bool RangeSet::intersects(std::uint64_t begin, std::uint64_t end) const {
    const auto range = first_after(ranges_, begin);
    return (begin < end) && (range != ranges_.end()) && (range->begin < end);
}

bool RangeSet::intersects(const RangeSet& other) const {
    return std::any_of(other.ranges_.begin(), other.ranges_.end(),
                       [this](const ByteRange& range) { return intersects(range.begin, range.end); });
}

std::vector<ByteRange> RangeSet::missing(std::uint64_t begin, std::uint64_t end) const {
    std::vector<ByteRange> missing;
    for (auto range = first_after(ranges_, begin); (range != ranges_.end()) && (range->begin < end); ++range) {
        if (begin < range->begin) {
            missing.push_back({begin, range->begin});
        }
        begin = range->end;
    }
    if (begin < end) {
        missing.push_back({begin, end});
    }
    return missing;
}

RangeSet RangeSet::common(const RangeSet& other) const {
    RangeSet both;
    for (const ByteRange& range : ranges_) {
        for (auto part = first_after(other.ranges_, range.begin);
             (part != other.ranges_.end()) && (part->begin < range.end); ++part) {
            both.add(std::max(range.begin, part->begin), std::min(range.end, part->end));
        }
    }
    return both;
}

std::uint64_t RangeSet::size() const {
    std::uint64_t bytes = 0U;
    for (const ByteRange& range : ranges_) {
        bytes += range.end - range.begin;
    }
    return bytes;
}

std::uint64_t RangeSet::size_in(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t bytes = 0U;
    for (auto range = first_after(ranges_, begin); (range != ranges_.end()) && (range->begin < end); ++range) {
        bytes += std::min(range->end, end) - std::max(range->begin, begin);
    }
    return bytes;
}

bool RangeSet::contains(std::uint64_t begin, std::uint64_t end) const {
    const auto range = first_after(ranges_, begin);
    return (range != ranges_.end()) && (range->begin <= begin) && (end <= range->end);
}

}  // namespace pianola::host
