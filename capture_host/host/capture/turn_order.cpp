#include "capture_host/host/capture/turn_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "capture_host/base/interrupt.h"
#include "capture_host/host/capture/loops.h"

namespace pianola::host {
namespace {

// Above all ids that devices give.
constexpr std::uint64_t kSlots = 1ULL << 63U;
constexpr unsigned kDeviceShift = 40U;
constexpr unsigned kQueueShift = 32U;

struct Use {
    std::uint32_t records{0U};
    bool is_awaited_first{false};
    std::uint64_t last_wait{0U};  // its call's number
};

std::map<std::uint64_t, Use> uses_of(const std::vector<Section>& sections) {
    std::map<std::uint64_t, Use> uses;
    for (const Section& section : sections) {
        for (const Call& call : section.calls) {
            if (call.kind == CallKind::kRecordEvent) {
                uses[call.object].records += 1U;
            } else if (call.kind == CallKind::kWaitEvent) {
                Use& use = uses[call.object];
                use.is_awaited_first = use.is_awaited_first || (use.records == 0U);
                use.last_wait = call.number;
            } else {
                // Neither.
            }
        }
    }
    return uses;
}

class Slots {
  public:
    explicit Slots(const std::vector<Section>& sections) : uses_{uses_of(sections)} {}

    void rename(Call& call) {
        const bool is_record = call.kind == CallKind::kRecordEvent;
        if (!is_record && (call.kind != CallKind::kWaitEvent)) {
            return;
        }
        const Use& use = uses_.at(call.object);
        if ((use.records != 1U) || use.is_awaited_first) {
            return;
        }
        call.event = call.object;
        if (is_record) {
            std::set<std::uint64_t>& taken = taken_[{call.device, call.queue}];
            std::uint64_t slot = first_of(call);
            while (taken.count(slot) != 0U) {
                slot += 1U;
            }
            slots_[call.event] = {slot, &taken};
            if (use.last_wait != 0U) {
                taken.insert(slot);
            }
        }
        const auto& [slot, taken] = slots_.at(call.event);
        call.object = slot;
        if (call.number == use.last_wait) {
            taken->erase(slot);
        }
    }

  private:
    static std::uint64_t first_of(const Call& record) {
        return kSlots | (std::uint64_t{record.device} << kDeviceShift) | (std::uint64_t{record.queue} << kQueueShift);
    }

    std::map<std::uint64_t, Use> uses_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint64_t>> taken_;   // by device and queue
    std::map<std::uint64_t, std::pair<std::uint64_t, std::set<std::uint64_t>*>> slots_;  // by event
};

}  // namespace

std::vector<Section> with_event_slots(const std::vector<Section>& sections) {
    Slots slots{sections};
    std::vector<Section> renamed = sections;
    for (Section& section : renamed) {
        for (Call& call : section.calls) {
            slots.rename(call);
        }
    }
    return renamed;
}

namespace {

constexpr std::size_t kNone = SIZE_MAX;

// The accesses of a byte of device memory: the call that wrote it last, and its readers since.
struct LastTouched {
    std::size_t writer{kNone};
    std::vector<std::size_t> readers;
};

struct Node {
    std::vector<std::size_t> needs;     // calls that come before it
    std::vector<std::size_t> sources;   // the writer of each operand that it reads
    std::vector<std::size_t> readers;   // calls that read its data
    std::vector<std::size_t> gives_to;  // of a program: reads immediately after it
    bool is_late{false};                // comes when another call needs it
    bool is_given{false};               // a read immediately after a program
    bool is_done{false};
};

class TurnOrder {
  public:
    TurnOrder(const Calls& calls, const CommandSet& command_set) : calls_{calls}, command_set_{command_set} {}

    std::optional<Calls> order() {
        // The first turn ends there.
        const auto program = std::find_if(calls_.begin(), calls_.end(), is_program);
        const auto read =
            std::find_if(program, calls_.end(), [](const Call& call) { return call.kind == CallKind::kRead; });
        nodes_.resize(calls_.size());
        for (std::size_t i = 0U; i < calls_.size(); ++i) {
            interrupt::check();
            find_needs(i);
        }
        place_reads();
        find_late_writes(static_cast<std::size_t>(read - calls_.begin()));
        find_late_events();
        for (std::size_t i = 0U; i < calls_.size(); ++i) {
            if (!nodes_[i].is_late && !nodes_[i].is_given) {
                demand(i);
            }
        }
        for (std::size_t i = 0U; i < calls_.size(); ++i) {
            demand(i);
        }
        if (std::is_sorted(done_.begin(), done_.end())) {
            return std::nullopt;
        }
        Calls ordered;
        for (const std::size_t i : done_) {
            ordered.push_back(calls_[i]);
        }
        return ordered;
    }

  private:
    using Queue = std::pair<std::uint32_t, std::uint32_t>;  // device, queue

    // Calls that the next calls of a queue must follow.
    struct QueueEnd {
        std::size_t last{kNone};               // program or event
        std::size_t wait{kNone};               // for an event
        std::vector<std::size_t> transfers{};  // since the last record
        std::vector<std::size_t> all{};
    };
    struct EventEnd {
        std::size_t record{kNone};
        std::vector<std::size_t> waits{};
    };

    void need(std::size_t call, std::size_t other) {
        if ((other != kNone) && (other != call)) {
            nodes_[call].needs.push_back(other);
        }
    }

    void read(std::size_t call, std::uint64_t begin, std::uint64_t end) {
        bool is_first = true;
        touched_[calls_[call].device].update(begin, end, [&](LastTouched& bytes) {
            const std::size_t writer = bytes.writer;
            need(call, writer);
            if (is_first) {
                nodes_[call].sources.push_back(writer);
                is_first = false;
            }
            if ((writer != kNone) && (writer != call)) {
                nodes_[writer].readers.push_back(call);
            }
            if (bytes.readers.empty() || (bytes.readers.back() != call)) {
                bytes.readers.push_back(call);
            }
        });
    }

    void write(std::size_t call, std::uint64_t begin, std::uint64_t end) {
        RangeMap<LastTouched>& memory = touched_[calls_[call].device];
        memory.for_each(begin, end, [&](std::uint64_t /*from*/, std::uint64_t /*to*/, const LastTouched& bytes) {
            need(call, bytes.writer);
            for (const std::size_t reader : bytes.readers) {
                need(call, reader);
            }
        });
        memory.set(begin, end, {call, {}});
    }

    void find_needs(std::size_t i) {
        for_each_access(calls_[i], command_set_, [&](Access access, std::uint64_t begin, std::uint64_t end) {
            (access == Access::kRead) ? read(i, begin, end) : write(i, begin, end);
        });
        follow_queue(i);
        std::vector<std::size_t>& needs = nodes_[i].needs;
        std::sort(needs.begin(), needs.end());
        needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    }

    // A record follows all earlier calls of its queue; a wait precedes all later ones.
    void follow_queue(std::size_t i) {
        const Call& call = calls_[i];
        QueueEnd& queue = queues_[{call.device, call.queue}];
        queue.all.push_back(i);
        need(i, queue.wait);
        if ((call.kind == CallKind::kWrite) || (call.kind == CallKind::kRead)) {
            queue.transfers.push_back(i);
            return;
        }
        need(i, queue.last);
        queue.last = i;
        if (call.kind == CallKind::kRecordEvent) {
            EventEnd& event = events_[{call.device, call.object}];
            std::for_each(queue.transfers.begin(), queue.transfers.end(), [&](std::size_t each) { need(i, each); });
            std::for_each(event.waits.begin(), event.waits.end(), [&](std::size_t each) { need(i, each); });
            need(i, event.record);
            queue.transfers.clear();
            event = {i, {}};
        } else if (call.kind == CallKind::kWaitEvent) {
            EventEnd& event = events_[{call.device, call.object}];
            need(i, event.record);
            event.waits.push_back(i);
            queue.wait = i;
        } else {
            // A program.
        }
    }

    void place_reads() {
        for (std::size_t i = 0U; i < calls_.size(); ++i) {
            const std::vector<std::size_t>& sources = nodes_[i].sources;
            if ((calls_[i].kind != CallKind::kRead) || sources.empty() ||
                (std::find(sources.begin(), sources.end(), kNone) != sources.end())) {
                continue;
            }
            const std::size_t last = *std::max_element(sources.begin(), sources.end());
            if (is_program(calls_[last])) {
                nodes_[last].gives_to.push_back(i);
                nodes_[i].is_given = true;
            }
        }
    }

    // Of the host's writes before its first read, only those that alternate with later writes are late: the others are
    // set-up.
    void find_late_writes(std::size_t first_read) {
        const std::vector<std::size_t> shapes = shapes_of(calls_, command_set_);
        std::map<std::size_t, std::vector<std::size_t>> alike;
        std::set<std::size_t> replaced;  // by other writes
        for (std::size_t i = 0U; i < calls_.size(); ++i) {
            alike[shapes[i]].push_back(i);
            if (calls_[i].kind == CallKind::kWrite) {
                replaced.insert(nodes_[i].needs.begin(), nodes_[i].needs.end());
            }
        }
        for (std::size_t i = 0U; i < calls_.size(); ++i) {
            // Unread data comes before the write that replaces it, or last: an input for a turn that never came.
            const bool is_used = !nodes_[i].readers.empty();
            const bool is_kept =
                is_used ? !takes_turns(i, alike.at(shapes[nodes_[i].readers.front()])) : (replaced.count(i) == 0U);
            nodes_[i].is_late = (calls_[i].kind == CallKind::kWrite) && ((i > first_read) || !is_kept);
        }
    }

    // Whether calls like its first reader are the first readers of other writes in its place: after the next of them
    // nothing reads this one, and the host has written a later one of them since the first was read, as for a loop's
    // inputs.
    [[nodiscard]] bool takes_turns(std::size_t write, const std::vector<std::size_t>& alike) const {
        const std::vector<std::size_t>& readers = nodes_[write].readers;
        const std::vector<std::size_t>& sources = nodes_[readers.front()].sources;
        const auto place = static_cast<std::size_t>(std::find(sources.begin(), sources.end(), write) - sources.begin());
        std::size_t first = kNone;  // such calls
        std::size_t next = kNone;
        for (const std::size_t call : alike) {
            const std::vector<std::size_t>& others = nodes_[call].sources;
            const std::size_t other = (place < others.size()) ? others[place] : kNone;
            if ((other == kNone) || (calls_[other].kind != CallKind::kWrite) || nodes_[other].readers.empty() ||
                (nodes_[other].readers.front() != call)) {
                continue;
            }
            first = (first == kNone) ? call : first;
            if (call > readers.front()) {
                next = (next == kNone) ? call : next;
                if (other > first) {
                    return readers.back() < next;
                }
            }
        }
        return false;
    }

    // Events around late writes are late too.
    void find_late_events() {
        for (const auto& [queue, end] : queues_) {
            for (std::size_t k = 1U; k < end.all.size(); ++k) {
                const std::size_t i = end.all[k];
                nodes_[i].is_late = nodes_[i].is_late ||
                                    ((calls_[i].kind == CallKind::kRecordEvent) && nodes_[end.all[k - 1U]].is_late);
            }
            for (std::size_t k = end.all.size(); k > 1U; --k) {
                const std::size_t i = end.all[k - 2U];
                nodes_[i].is_late =
                    nodes_[i].is_late || ((calls_[i].kind == CallKind::kWaitEvent) && nodes_[end.all[k - 1U]].is_late);
            }
        }
    }

    // Places the call after everything that it needs.
    void demand(std::size_t wanted) {
        std::vector<std::size_t> open{wanted};
        while (!open.empty()) {
            const std::size_t i = open.back();
            const auto missing = std::find_if(nodes_[i].needs.begin(), nodes_[i].needs.end(),
                                              [&](std::size_t other) { return !nodes_[other].is_done; });
            if (nodes_[i].is_done) {
                open.pop_back();
            } else if (missing != nodes_[i].needs.end()) {
                open.push_back(*missing);
            } else {
                open.pop_back();
                nodes_[i].is_done = true;
                done_.push_back(i);
                open.insert(open.end(), nodes_[i].gives_to.rbegin(), nodes_[i].gives_to.rend());
            }
        }
    }

    const Calls& calls_;
    const CommandSet& command_set_;
    std::vector<Node> nodes_;
    std::map<std::uint32_t, RangeMap<LastTouched>> touched_;  // by device
    std::map<Queue, QueueEnd> queues_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, EventEnd> events_;  // by device
    std::vector<std::size_t> done_;                                       // in the new order
};

}  // namespace

std::optional<std::vector<Call>> in_turn_order(const std::vector<Call>& calls, const CommandSet& command_set) {
    return TurnOrder{calls, command_set}.order();
}

}  // namespace pianola::host
