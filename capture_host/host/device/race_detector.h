// RaceDetector: finds operations of several queues that touch the same bytes without an order between them.
//
// Happens-before is kept with vector clocks (C. Fidge, "Timestamps in message-passing systems that preserve the partial
// ordering", 1988): one counter for each queue, joined where a queue waits for an event and where the host has seen
// that something completed. For each byte and queue only the last read and the last write count: an operation that is
// ordered after those is ordered after all earlier ones. So the number of different byte ranges bounds the memory, and
// the number of operations does not.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "capture_host/base/range_map.h"
#include "capture_host/base/range_set.h"
#include "pianola/config.h"

namespace pianola::host {

class RaceDetector {
  public:
    // How many operations of each queue have completed, or are ordered before.
    using Clock = std::array<std::uint64_t, kMaxQueues>;

    struct Operation {
        std::string what;   // "program 'add'"
        std::string where;  // file and line; empty where that is not known
        std::uint32_t queue{0U};
    };

    struct Race {
        Operation other;
        ByteRange bytes;           // of the first conflict
        bool is_written{false};    // by the later operation
        bool other_writes{false};  // by the other
    };

    // Compares an operation that is about to be enqueued with those that nothing orders before it.
    [[nodiscard]] std::optional<Race> find(std::uint32_t queue, const RangeSet& reads, const RangeSet& writes) const;
    void add(const Operation& operation, const RangeSet& reads, const RangeSet& writes);

    // All operations of the queue up to now, and those that are ordered before them.
    [[nodiscard]] const Clock& now(std::uint32_t queue) const { return known_.at(queue); }
    // Later operations of the queue come after `clock`.
    void wait(std::uint32_t queue, const Clock& clock);
    // The host has seen `clock` completed: all later operations come after it.
    void complete(const Clock& clock);
    void complete_all();

  private:
    struct Marks {  // numbers of operations, from 1
        std::uint64_t read{0U};
        std::uint64_t write{0U};

        friend bool operator==(const Marks& left, const Marks& right) noexcept {
            return (left.read == right.read) && (left.write == right.write);
        }
    };
    struct Queue {
        RangeMap<Marks> marked;
        std::map<std::uint64_t, Operation> operations;  // those that a mark names
        std::size_t tidy_at{1024U};                     // segments and operations
    };

    void tidy(std::uint32_t queue);
    [[nodiscard]] std::optional<Race> conflict(std::uint32_t queue, const RangeSet& set, bool is_written) const;

    std::array<Queue, kMaxQueues> queues_;
    std::array<Clock, kMaxQueues> known_{};  // a queue knows all of its own operations
};

}  // namespace pianola::host
