#include "capture_host/host/device/race_detector.h"

#include <algorithm>
#include <set>

namespace pianola::host {
namespace {

void join(RaceDetector::Clock& clock, const RaceDetector::Clock& other) {
    for (std::size_t i = 0U; i < clock.size(); ++i) {
        clock.at(i) = std::max(clock.at(i), other.at(i));
    }
}

}  // namespace

std::optional<RaceDetector::Race> RaceDetector::conflict(std::uint32_t queue, const RangeSet& set,
                                                         bool is_written) const {
    for (std::uint32_t other = 0U; other < kMaxQueues; ++other) {
        if (other == queue) {
            continue;
        }
        const std::uint64_t known = known_.at(queue).at(other);
        const Queue& theirs = queues_.at(other);
        for (const ByteRange& range : set.ranges()) {
            for (auto segment = std::prev(theirs.marked.upper_bound(range.begin));
                 (segment != theirs.marked.end()) && (segment->first < range.end); ++segment) {
                const Marks& marks = segment->second;
                const bool other_writes = marks.write > known;
                if (other_writes || (is_written && (marks.read > known))) {
                    const auto next = std::next(segment);
                    const std::uint64_t end =
                        (next == theirs.marked.end()) ? range.end : std::min(next->first, range.end);
                    return Race{theirs.operations.at(other_writes ? marks.write : marks.read),
                                {std::max(segment->first, range.begin), end},
                                is_written,
                                other_writes};
                }
            }
        }
    }
    return std::nullopt;
}

std::optional<RaceDetector::Race> RaceDetector::find(std::uint32_t queue, const RangeSet& reads,
                                                     const RangeSet& writes) const {
    const std::optional<Race> race = conflict(queue, writes, true);
    return race.has_value() ? race : conflict(queue, reads, false);
}

void RaceDetector::mark(Queue& queue, const RangeSet& set, std::uint64_t Marks::* last, std::uint64_t number) {
    const auto cut = [&queue](std::uint64_t address) {
        const auto segment = std::prev(queue.marked.upper_bound(address));
        return (segment->first == address) ? segment : queue.marked.emplace(address, segment->second).first;
    };
    for (const ByteRange& range : set.ranges()) {
        const auto first = cut(range.begin);
        const auto end = cut(range.end);
        for (auto segment = first; segment != end; ++segment) {
            segment->second.*last = number;
        }
    }
}

void RaceDetector::add(const Operation& operation, const RangeSet& reads, const RangeSet& writes) {
    Queue& queue = queues_.at(operation.queue);
    const std::uint64_t number = ++known_.at(operation.queue).at(operation.queue);
    mark(queue, reads, &Marks::read, number);
    mark(queue, writes, &Marks::write, number);
    queue.operations.emplace(number, operation);
    if ((queue.marked.size() + queue.operations.size()) > queue.tidy_at) {
        tidy(operation.queue);
    }
}

// Forgets operations that every other queue comes after, and joins adjacent ranges with equal marks.
void RaceDetector::tidy(std::uint32_t queue) {
    std::uint64_t settled = known_.at(queue).at(queue);
    for (std::uint32_t other = 0U; other < kMaxQueues; ++other) {
        settled = std::min(settled, known_.at(other).at(queue));
    }
    Queue& mine = queues_.at(queue);
    std::set<std::uint64_t> named;
    Marked kept;
    for (const auto& [address, marks] : mine.marked) {
        const Marks left{(marks.read > settled) ? marks.read : 0U, (marks.write > settled) ? marks.write : 0U};
        named.insert({left.read, left.write});
        if (kept.empty() || !(kept.rbegin()->second == left)) {
            kept.emplace_hint(kept.end(), address, left);
        }
    }
    mine.marked = std::move(kept);
    for (auto operation = mine.operations.begin(); operation != mine.operations.end();) {
        operation = (named.count(operation->first) == 0U) ? mine.operations.erase(operation) : std::next(operation);
    }
    constexpr std::size_t kLeast = 1024U;
    mine.tidy_at = std::max(kLeast, 2U * (mine.marked.size() + mine.operations.size()));
}

void RaceDetector::wait(std::uint32_t queue, const Clock& clock) {
    join(known_.at(queue), clock);
}

void RaceDetector::complete(const Clock& clock) {
    for (Clock& known : known_) {
        join(known, clock);
    }
}

void RaceDetector::complete_all() {
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        complete(Clock{known_.at(queue)});
    }
}

}  // namespace pianola::host
