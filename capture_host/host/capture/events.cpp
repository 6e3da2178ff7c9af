#include "capture_host/host/capture/events.h"

#include <fmt/format.h>

#include <set>

#include "pianola/config.h"

namespace pianola::host {
namespace {

// The last record of an event, in program order.
struct LastRecord {
    const Call* call{nullptr};
    std::set<std::uint32_t> waited_on;  // queues
    bool before{false};                 // the first mark
};

class EventWalk {
  public:
    void section(const Section& section, bool before) {
        for (const Call& call : section.calls) {
            if (call.kind == CallKind::kRecordEvent) {
                last_[call.object] = LastRecord{&call, {}, before};
            } else if (call.kind == CallKind::kWaitEvent) {
                wait(call, before);
            } else {
                // Events only.
            }
        }
    }

    // Whether the wait had an effect in this walk of its section, by call.
    std::map<const Call*, std::vector<bool>> waits;
    std::set<const Call*> records;
    std::vector<const Call*> before_records;

  private:
    void wait(const Call& call, bool before) {
        LastRecord& last = last_[call.object];
        // A queue need not wait for its own record, nor twice for the same record.
        const bool works =
            (last.call != nullptr) && (last.call->queue != call.queue) && last.waited_on.insert(call.queue).second;
        if (before) {
            return;
        }
        waits[&call].push_back(works);
        if (works && last.before) {
            before_records.push_back(last.call);
        } else if (works) {
            records.insert(last.call);
        } else {
            // No effect.
        }
    }

    std::map<std::uint64_t, LastRecord> last_;
};

// Gives waits the number of their record in a second walk.
void number_waits(const EventWalk& walk, const std::vector<const Section*>& sections, EffectiveEvents& result) {
    std::map<std::uint64_t, const Call*> last;
    for (const Call* const record : walk.before_records) {
        last[record->object] = record;
    }
    for (const Section* const section : sections) {
        for (const Call& call : section->calls) {
            if (call.kind == CallKind::kRecordEvent) {
                last[call.object] = &call;
            }
            if (call.kind != CallKind::kWaitEvent) {
                continue;
            }
            const std::vector<bool>& works = walk.waits.at(&call);
            if (works.front() != works.back()) {
                throw HostError{
                    HostRule::kCaptureContent,
                    fmt::format("{} is for a record of one step only, but every step would wait: record the event "
                                "in every step, or wait for it once, in the prologue",
                                call.text())};
            }
            if (works.front()) {
                result.events[&call] = result.events.at(last.at(call.object));
            }
        }
    }
}

}  // namespace

EffectiveEvents effective_events(const Section& before, const std::vector<const Section*>& marked) {
    EventWalk walk;
    walk.section(before, true);
    for (const Section* const section : marked) {
        walk.section(*section, false);
    }
    EffectiveEvents result;
    result.before = walk.before_records;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> numbers;  // event and recording queue
    const auto number = [&](const Call& record) {
        const auto key = std::make_pair(record.object, record.queue);
        const auto found = numbers.emplace(key, static_cast<std::uint32_t>(numbers.size())).first;
        result.events[&record] = found->second;
    };
    for (const Call* const record : walk.before_records) {
        number(*record);
    }
    for (const Section* const section : marked) {
        for (const Call& call : section->calls) {
            if ((call.kind == CallKind::kRecordEvent) && (walk.records.count(&call) != 0U)) {
                number(call);
            }
        }
    }
    number_waits(walk, marked, result);
    if (numbers.size() > kMaxEvents) {
        throw HostError{HostRule::kCaptureLimit,
                        fmt::format("{} events are needed, {} fit; use an event again where its record "
                                    "has been waited for",
                                    numbers.size(), kMaxEvents)};
    }
    return result;
}

}  // namespace pianola::host
