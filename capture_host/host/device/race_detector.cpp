#include "capture_host/host/device/race_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "capture_host/host/device/device_state.h"

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
        std::optional<Race> race;
        for (const ByteRange& range : set.ranges()) {
            theirs.marked.for_each(
                range.begin, range.end, [&](std::uint64_t begin, std::uint64_t end, const Marks& marks) {
                    const bool other_writes = marks.write > known;
                    if (!race.has_value() && (other_writes || (is_written && (marks.read > known)))) {
                        race = Race{theirs.operations.at(other_writes ? marks.write : marks.read),
                                    {begin, end},
                                    is_written,
                                    other_writes};
                    }
                });
        }
        if (race.has_value()) {
            return race;
        }
    }
    return std::nullopt;
}

std::optional<RaceDetector::Race> RaceDetector::find(std::uint32_t queue, const RangeSet& reads,
                                                     const RangeSet& writes) const {
    const std::optional<Race> race = conflict(queue, writes, true);
    return race.has_value() ? race : conflict(queue, reads, false);
}

void RaceDetector::add(const Operation& operation, const RangeSet& reads, const RangeSet& writes) {
    Queue& queue = queues_.at(operation.queue);
    const std::uint64_t number = ++known_.at(operation.queue).at(operation.queue);
    for (const ByteRange& range : reads.ranges()) {
        queue.marked.update(range.begin, range.end, [number](Marks& marks) { marks.read = number; });
    }
    for (const ByteRange& range : writes.ranges()) {
        queue.marked.update(range.begin, range.end, [number](Marks& marks) { marks.write = number; });
    }
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
    mine.marked.update_all([&](Marks& marks) {
        marks = {(marks.read > settled) ? marks.read : 0U, (marks.write > settled) ? marks.write : 0U};
        named.insert({marks.read, marks.write});
    });
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

namespace {

std::string named(const RaceDetector::Operation& operation) {
    return operation.where.empty()
               ? fmt::format("{} on queue {}", operation.what, operation.queue)
               : fmt::format("{} on queue {} ({})", operation.what, operation.queue, operation.where);
}

// The conflicting bytes, with the buffer that is there now.
std::string race_place(const DeviceState& state, const ByteRange& bytes) {
    RangeSet conflict;
    conflict.add(bytes.begin, bytes.end);
    const auto found = std::find_if(state.buffers.begin(), state.buffers.end(),
                                    [&](const auto& each) { return touches(conflict, *each.second); });
    return fmt::format("{} bytes at 0x{:08X}{}", bytes.end - bytes.begin, bytes.begin,
                       (found == state.buffers.end()) ? "" : fmt::format(" of buffer {}", found->first));
}

std::string text(const DeviceState& state, const RaceDetector::Operation& later, const RaceDetector::Race& race) {
    return fmt::format(
        "{} {} {}, which {} {}, and nothing puts one of them first. Record an event on queue {} after the latter and "
        "wait for it on queue {} before the former, or let the host wait between them",
        named(later), race.is_written ? "writes" : "reads", race_place(state, race.bytes), named(race.other),
        race.other_writes ? "writes" : "reads", race.other.queue, later.queue);
}

}  // namespace

void DeviceState::check_race(std::uint32_t queue, const std::string& operation, const RangeSet& reads,
                             const RangeSet& writes) {
    if (!races.has_value()) {
        return;
    }
    const RaceDetector::Operation later{operation, options.call_site ? options.call_site() : std::string{}, queue};
    const std::optional<RaceDetector::Race> race = races->find(queue, reads, writes);
    if (race.has_value()) {
        if (options.races == Races::kRaise) {
            throw HostError{HostRule::kRace, text(*this, later, *race)};
        }
        const std::string key = fmt::format("{}|{}", named(later), named(race->other));
        if (reported_races.insert(key).second) {
            warnings.push_back(fmt::format("{}: {}", id_of(HostRule::kRace), text(*this, later, *race)));
        }
    }
    races->add(later, reads, writes);
}

RaceDetector::Clock DeviceState::race_clock(std::uint32_t queue) const {
    return races.has_value() ? races->now(queue) : RaceDetector::Clock{};
}

void DeviceState::complete(const RaceDetector::Clock& clock) {
    if (races.has_value()) {
        races->complete(clock);
    }
}

void DeviceState::follow(std::uint32_t queue, const RaceDetector::Clock& clock) {
    if (races.has_value()) {
        races->wait(queue, clock);
    }
}

}  // namespace pianola::host
