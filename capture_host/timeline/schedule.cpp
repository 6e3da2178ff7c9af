#include "capture_host/timeline/schedule.h"

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <vector>

namespace pianola::timeline {
namespace {

constexpr std::string_view kRingFull = "ring full";
constexpr std::string_view kAwaits = "awaits completion";

struct Enqueued {
    const Item* item{nullptr};
    std::uint32_t step{0U};
    Cycles doorbell{0U};  // valid once published
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
    Cycles time{0U};
    Cycles completed{0U};  // time of the last completion record
};

class Model {
  public:
    Model(const Pattern& pattern, const Sink& sink) : pattern_{pattern}, sink_{sink}, queues_(pattern.queues) {}

    void run(std::uint32_t steps) {
        for (const Item& item : pattern_.prologue) {
            enqueue(item, 0U, 0U);
        }
        for (std::uint32_t step = 0U; step < steps; ++step) {
            if (pattern_.awaits_completion && (step > 0U)) {
                await_completion(step);
            }
            const bool is_last = (step + 1U) == steps;
            for (const Item& item : pattern_.step) {
                if (!item.is_ahead || !is_last) {
                    enqueue(item, step, item.is_ahead ? (step + 1U) : step);
                }
            }
            ring_doorbells();
        }
        run_queues();
        if (std::any_of(queues_.begin(), queues_.end(), [](const Queue& queue) { return !queue.ring.empty(); })) {
            throw std::logic_error{"a queue waits for an event that nobody records"};
        }
    }

  private:
    // `step` numbers the events; `shown_step` is the one that the command works for.
    void enqueue(const Item& item, std::uint32_t step, std::uint32_t shown_step) {
        Queue& queue = queues_.at(item.queue);
        make_room(queue, item, shown_step);
        host(item.host_cycles, (item.kind == QueueCommandKind::kUnspecified) ? Category::kDispatch : Category::kEnqueue,
             shown_step, item.label);
        queue.ring.push_back({&item, step, 0U});
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

    void await_completion(std::uint32_t step) {
        run_queues();
        Cycles completed = host_time_;
        for (const Queue& queue : queues_) {
            completed = std::max(completed, queue.completed);
        }
        host(completed - host_time_, Category::kHostWaits, step - 1U, kAwaits);
    }

    void ring_doorbells() {
        for (Queue& queue : queues_) {
            for (; queue.published < queue.ring.size(); ++queue.published) {
                queue.ring[queue.published].doorbell = host_time_;
            }
        }
    }

    // Every queue as far as it gets, until none moves.
    void run_queues() {
        for (bool moved = true; moved;) {
            moved = false;
            for (std::uint32_t i = 0U; i < queues_.size(); ++i) {
                while ((queues_[i].published > 0U) && execute(i)) {
                    moved = true;
                }
            }
        }
    }

    // False where the queue's next command has to wait for a record that has not been made.
    bool execute(std::uint32_t index) {
        Queue& queue = queues_[index];
        const Enqueued next = queue.ring.front();
        const Item& item = *next.item;
        Cycles recorded = 0U;
        if (item.kind == QueueCommandKind::kWaitEvent) {
            const std::vector<Cycles>& records = records_.at(item.event);
            const std::size_t needed = (std::size_t{next.step} + 1U) - std::min(next.step + 1U, item.lag);
            if (records.size() < needed) {
                return false;
            }
            recorded = (needed == 0U) ? 0U : records[needed - 1U];
        }
        const Lane lane{LaneKind::kQueue, index};
        const std::uint32_t step = next.step + (item.is_ahead ? 1U : 0U);
        const Cycles start = std::max(queue.time, next.doorbell);
        queue.time = std::max(start, recorded) + item.cycles;
        if (item.cycles > 0U) {
            sink_({lane, item.category, start, queue.time, step, item.label});
            queue.freed.push_back({queue.time, item.ring_words});
        }
        for (const TraceCommand& command : item.body) {
            sink_({lane, item.body_category, queue.time, queue.time + command.cycles, step, command.label});
            queue.time += command.cycles;
        }
        if (item.cycles == 0U) {  // an operation without trace keeps its place in the ring until it is done
            queue.freed.push_back({queue.time, item.ring_words});
        }
        if (item.kind == QueueCommandKind::kRecordEvent) {
            records_.at(item.event).push_back(queue.time);
        } else if (item.kind == QueueCommandKind::kNotify) {
            queue.completed = queue.time;
        }
        queue.ring.pop_front();
        queue.published -= 1U;
        return true;
    }

    void host(Cycles cycles, Category category, std::uint32_t step, std::string_view name) {
        if (cycles > 0U) {
            sink_({Lane{LaneKind::kHost, 0U}, category, host_time_, host_time_ + cycles, step, name});
            host_time_ += cycles;
        }
    }

    const Pattern& pattern_;
    const Sink& sink_;
    std::vector<Queue> queues_;
    std::array<std::vector<Cycles>, kMaxEvents> records_;  // times of each event's records, in order
    Cycles host_time_{0U};
};

}  // namespace

void schedule(const Pattern& pattern, std::uint32_t steps, const Sink& sink) {
    Model{pattern, sink}.run(steps);
}

}  // namespace pianola::timeline
