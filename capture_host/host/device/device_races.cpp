// Races between the queues of a device.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/device/device_state.h"

namespace pianola::host {
namespace {

std::string named(const RaceDetector::Operation& operation) {
    return operation.where.empty()
               ? fmt::format("{} on queue {}", operation.what, operation.queue)
               : fmt::format("{} on queue {} ({})", operation.what, operation.queue, operation.where);
}

// What lies there now.
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
