#include "capture_host/timeline/schedule.h"

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <vector>

#include "capture_host/binary/trace_walk.h"

namespace pianola::timeline {
namespace {

constexpr std::string_view kRingFull = "ring full";
constexpr std::string_view kAwaits = "awaits completion";

struct Enqueued {
    const Item* item{nullptr};
    std::uint32_t step{0U};        // that it works for
    std::uint32_t submission{0U};  // that it belongs to
    std::size_t records{0U};       // a wait's event must have been recorded this often
    Cycles doorbell{0U};           // valid once published
};

// Words of the ring that become free at some time.
struct Freed {
    Cycles when{0U};
    std::uint32_t words{0U};
};

struct Queue {
    std::deque<Enqueued> ring;
    std::size_t published{0U};  // of `ring`
    std::uint32_t used_words{0U};
    std::deque<Freed> freed;
    targets::QueueTime time;
};

struct EventRecords {
    std::array<std::vector<Cycles>, kMaxEvents> records;  // times of each event's records, in order
    std::array<std::size_t, kMaxEvents> records_enqueued{};
};

class Model {
  public:
    Model(const Pattern& pattern, const Sink& sink)
        : pattern_{pattern},
          sink_{sink},
          queues_(pattern.devices.size() * pattern.queues),
          events_(pattern.devices.size()) {}

    void run(std::uint32_t steps) {
        submit(pattern_.prologue, 0U, false);
        for (std::uint32_t step = 0U; step < steps; ++step) {
            submit(pattern_.step, step, (step + 1U) == steps);
        }
        submit(pattern_.epilogue, steps - 1U, true);
        run_queues();
        if (std::any_of(queues_.begin(), queues_.end(), [](const Queue& queue) { return !queue.ring.empty(); })) {
            throw std::logic_error{"a queue waits for an event that nobody records"};
        }
    }

  private:
    void submit(const std::vector<Item>& items, std::uint32_t step, bool is_last) {
        if (items.empty()) {
            return;
        }
        const bool runs_alone = (&items != &pattern_.step) || (completions_.size() == first_step_);
        const std::uint32_t others = runs_alone ? 0U : (pattern_.steps_in_flight - 1U);
        if ((pattern_.steps_in_flight != 0U) && (completions_.size() > others)) {
            await(completions_.size() - (others + 1U), step);
        }
        if (&items == &pattern_.prologue) {
            first_step_ = 1U;
        }
        completions_.push_back(0U);
        for (const Item& item : items) {
            if (!item.is_ahead || !is_last) {
                enqueue(item, item.is_ahead ? (step + 1U) : step);
            }
        }
        // Without completion records to wait for, a prologue is only the beginning of the first step.
        const bool completes = std::any_of(items.begin(), items.end(),
                                           [](const Item& item) { return item.kind == QueueCommandKind::kNotify; });
        if (completes || (&items != &pattern_.prologue)) {
            ring_doorbells();
        }
    }

    void enqueue(const Item& item, std::uint32_t step) {
        Queue& queue = queues_.at((std::size_t{item.device} * pattern_.queues) + item.queue);
        make_room(queue, item, step);
        host(item.host_cycles, (item.kind == QueueCommandKind::kUnspecified) ? Category::kDispatch : Category::kEnqueue,
             step, item.label, &item);
        std::size_t& records = events_.at(item.device).records_enqueued.at(item.event);
        const auto submission = static_cast<std::uint32_t>(completions_.size() - 1U);
        queue.ring.push_back({&item, step, submission, records, 0U});
        records += (item.kind == QueueCommandKind::kRecordEvent) ? 1U : 0U;
        queue.used_words += item.ring_words;
        if (pattern_.doorbell_per_command) {
            ring_doorbells();
        }
    }

    void make_room(Queue& queue, const Item& item, std::uint32_t step) {
        if (item.ring_words > pattern_.ring_words) {
            throw std::logic_error{"a command is longer than the ring"};
        }
        while ((queue.used_words + item.ring_words) > pattern_.ring_words) {
            if (queue.freed.empty()) {
                ring_doorbells();
                run_queues();
                if (queue.freed.empty()) {
                    throw std::logic_error{"a ring is full and its queue can not get on"};
                }
            }
            const Freed freed = queue.freed.front();
            queue.freed.pop_front();
            queue.used_words -= freed.words;
            if (freed.when > host_time_) {
                host(freed.when - host_time_, Category::kHostWaits, step, kRingFull);
            }
        }
    }

    void await(std::size_t submission, std::uint32_t step) {
        run_queues();
        const Cycles completed = std::max(host_time_, completions_.at(submission));
        host(completed - host_time_, Category::kHostWaits, (step == 0U) ? 0U : (step - 1U), kAwaits);
    }

    void ring_doorbells() {
        for (Queue& queue : queues_) {
            for (; queue.published < queue.ring.size(); ++queue.published) {
                queue.ring[queue.published].doorbell = host_time_;
            }
        }
    }

    // Executes commands until no queue can continue.
    void run_queues() {
        for (bool moved = true; moved;) {
            moved = false;
            for (Queue& queue : queues_) {
                while ((queue.published > 0U) && execute(queue)) {
                    moved = true;
                }
            }
        }
    }

    // False where the queue's next command has to wait for a record that has not been made.
    bool execute(Queue& queue) {
        const Enqueued next = queue.ring.front();
        const Item& item = *next.item;
        EventRecords& events = events_[item.device];
        Cycles recorded = 0U;
        if ((item.kind == QueueCommandKind::kWaitEvent) && (next.records > 0U)) {
            const std::vector<Cycles>& records = events.records.at(item.event);
            if (records.size() < next.records) {
                return false;
            }
            recorded = records[next.records - 1U];
        }
        const Lane lane{LaneKind::kQueue, item.queue, item.device};
        queue.time.wait_until(next.doorbell);
        const Cycles start = queue.time.now();
        if (item.cycles > 0U) {
            queue.time.wait_for_cores();
            queue.time.wait_until(recorded);
            queue.time.advance(item.cycles);
            sink_({lane, item.category, start, queue.time.now(), next.step, item.label, &item, nullptr});
            queue.freed.push_back({queue.time.now(), item.ring_words});
        }
        for (const TraceCommand& command : item.body) {
            execute_body(queue, lane, item, command, next.step);
        }
        if (item.cycles == 0U) {  // an operation without trace keeps its place in the ring until it is done
            queue.freed.push_back({queue.time.now(), item.ring_words});
        }
        if (item.kind == QueueCommandKind::kRecordEvent) {
            events.records.at(item.event).push_back(queue.time.now());
        } else if (item.kind == QueueCommandKind::kNotify) {
            Cycles& completed = completions_.at(next.submission);
            completed = std::max(completed, queue.time.now());
        }
        queue.ring.pop_front();
        queue.published -= 1U;
        return true;
    }

    void execute_body(Queue& queue, const Lane& lane, const Item& item, const TraceCommand& command,
                      std::uint32_t step) {
        const Category category = item.body_category;
        const Cycles start = queue.time.now();
        const targets::QueueTime::Interval busy =
            queue.time.execute(command.kind, command.cycles, command.core, command.core_cycles);
        sink_({lane, category, start, queue.time.now(), step, command.label, &item, &command});
        if (command.kind == CommandKind::kDispatch) {
            const Lane core{LaneKind::kCore, command.core, item.device};
            sink_({core, category, busy.begin, busy.end, step, command.label, &item, &command});
        }
    }

    void host(Cycles cycles, Category category, std::uint32_t step, std::string_view name, const Item* item = nullptr) {
        if (cycles > 0U) {
            sink_({Lane{}, category, host_time_, host_time_ + cycles, step, name, item, nullptr});
            host_time_ += cycles;
        }
    }

    const Pattern& pattern_;
    const Sink& sink_;
    std::vector<Queue> queues_;
    std::vector<EventRecords> events_;  // of each device
    std::vector<Cycles> completions_;   // of each submission: prologue, steps, epilogue
    std::size_t first_step_{0U};        // submission of the first step
    Cycles host_time_{0U};
};

}  // namespace

void schedule(const Pattern& pattern, std::uint32_t steps, const Sink& sink) {
    Model{pattern, sink}.run(steps);
}

}  // namespace pianola::timeline
