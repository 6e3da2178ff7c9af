#include "capture_host/timeline/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "capture_host/targets/trace_walk.h"

namespace pianola::timeline {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000U;
constexpr std::uint32_t kIoQueue = 1U;

// The four events of the pattern with two queues.
constexpr std::uint32_t kWritten = 0U;   // queue 1 has written the input
constexpr std::uint32_t kConsumed = 1U;  // queue 0 needs the input no more
constexpr std::uint32_t kProduced = 2U;  // queue 0 has made the output
constexpr std::uint32_t kReadBack = 3U;  // queue 1 has read the output
constexpr std::array<const char*, 4> kEventNames{"input written", "input consumed", "output made", "output read"};

class Maker {
  public:
    Maker(const char* name, const Workload& workload, const HostCost& cost, std::uint32_t queues)
        : command_set_{workload.target->command_set()},
          dispatch_cycles_{to_cycles(cost.dispatch_ns, workload)},
          replay_cycles_{to_cycles(cost.replay_ns, workload)} {
        pattern.name = name;
        pattern.queues = queues;
        pattern.ring_words = workload.ring_words;
    }

    [[nodiscard]] Item command(std::uint32_t queue, QueueCommandKind kind, Category category, const std::string& label,
                               std::uint32_t bytes = 0U) const {
        QueueCommand queue_command;
        queue_command.kind = kind;
        queue_command.size_bytes = bytes;
        Item item;
        item.queue = queue;
        item.kind = kind;
        item.category = category;
        item.label = label;
        item.cycles = command_set_.queue_cycles(queue_command);
        item.ring_words = command_set_.queue_words(queue_command);
        item.host_cycles = replay_cycles_;
        return item;
    }

    void write(std::uint32_t queue, const Transfer& transfer) {
        add(command(queue, QueueCommandKind::kWrite, Category::kWrite, transfer.label, transfer.bytes));
    }
    void read(std::uint32_t queue, const Transfer& transfer) {
        add(command(queue, QueueCommandKind::kRead, Category::kRead, transfer.label, transfer.bytes));
    }
    void notify(std::uint32_t queue) { add(command(queue, QueueCommandKind::kNotify, Category::kControl, "notify")); }
    void replay(std::uint32_t queue, std::vector<TraceCommand> body, Category category = Category::kCompute) {
        Item item = command(queue, QueueCommandKind::kReplay, Category::kControl, "replay");
        item.body = std::move(body);
        item.body_category = category;
        add(std::move(item));
    }
    void replay_traces(const Workload& workload) {
        for (const ScriptCommand& step : workload.step) {
            if (step.kind == QueueCommandKind::kReplay) {
                replay(0U, workload.traces.at(step.trace));
            }
        }
    }
    void record(std::uint32_t queue, std::uint32_t event, const std::string& label) {
        Item item = command(queue, QueueCommandKind::kRecordEvent, Category::kEvent, "record: " + label);
        item.event = event;
        add(std::move(item));
    }
    void wait(std::uint32_t queue, std::uint32_t event, const std::string& label) {
        Item item = command(queue, QueueCommandKind::kWaitEvent, Category::kWaits, "wait: " + label);
        item.event = event;
        add(std::move(item));
    }
    void record(std::uint32_t queue, std::uint32_t event) { record(queue, event, kEventNames.at(event)); }
    void wait(std::uint32_t queue, std::uint32_t event) { wait(queue, event, kEventNames.at(event)); }
    void operation(std::uint32_t queue, const TraceCommand& command) {
        Item item;
        item.queue = queue;
        item.label = command.label;
        item.ring_words = command.words;
        item.body = {command};
        item.host_cycles = dispatch_cycles_;
        add(std::move(item));
    }
    void add(Item item) { (pattern.*into).push_back(std::move(item)); }

    // A script of the binary, with the completion records that end it.
    void script(const std::vector<ScriptCommand>& commands, const Workload& workload);

    Pattern pattern;
    std::vector<Item> Pattern::* into{&Pattern::step};  // where add() puts them

  private:
    static Cycles to_cycles(std::uint64_t ns, const Workload& workload) {
        return ((ns * workload.clock_khz) + (kNsPerMs - 1U)) / kNsPerMs;
    }

    const CommandSet& command_set_;
    Cycles dispatch_cycles_;
    Cycles replay_cycles_;
};

void Maker::script(const std::vector<ScriptCommand>& commands, const Workload& workload) {
    std::array<bool, kMaxQueues> used{};
    for (const ScriptCommand& each : commands) {
        used.at(each.queue) = true;
        switch (each.kind) {
            case QueueCommandKind::kWrite:
                write(each.queue, {each.label, each.bytes});
                break;
            case QueueCommandKind::kRead:
                read(each.queue, {each.label, each.bytes});
                break;
            case QueueCommandKind::kReplay:
                replay(each.queue, workload.traces.at(each.trace));
                break;
            case QueueCommandKind::kRecordEvent:
                record(each.queue, each.event, each.label);
                break;
            case QueueCommandKind::kWaitEvent:
                wait(each.queue, each.event, each.label);
                break;
            case QueueCommandKind::kNotify:
            case QueueCommandKind::kUnspecified:
            default:
                break;
        }
    }
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        if (used.at(queue)) {
            notify(queue);
            pattern.queues = std::max(pattern.queues, queue + 1U);
        }
    }
}

targets::Words copy_words(const Workload& workload, std::uint32_t bytes) {
    return workload.target->sample(Sample::kCopy, {bytes, 0U, bytes, 0U, 0U});
}

TraceCommand end_of(const Workload& workload) {
    return workload.traces.front().back();
}

// A trace that copies the tensors, and nothing else: between queue commands the device has no other way to copy.
std::vector<TraceCommand> staging_trace(const Workload& workload, const std::vector<Transfer>& transfers,
                                        const char* what) {
    std::vector<TraceCommand> trace;
    for (const Transfer& transfer : transfers) {
        const auto add = [&](std::uint32_t /*word*/, const DecodedCommand& copy) {
            TraceCommand command;
            command.label = fmt::format("copy {}, {} bytes", what, transfer.bytes);
            command.kind = CommandKind::kCopy;
            command.words = copy.length_words;
            command.cycles = copy.cost_cycles;
            trace.push_back(command);
        };
        const targets::WalkEnd end =
            targets::for_each_command(workload.target->command_set(), copy_words(workload, transfer.bytes), add);
        if (!end.is_whole() || (end.word == 0U)) {
            throw std::logic_error{"a sample of a copy does not decode"};
        }
    }
    trace.push_back(end_of(workload));
    return trace;
}

// Write step n + 1 behind the consumption of step n, then read step n: a read in front would hold the write back until
// the step has ended.
void add_transfers(Maker& maker, const Workload& workload) {
    const std::size_t first = maker.pattern.step.size();
    maker.wait(kIoQueue, kConsumed);
    for (const Transfer& input : workload.inputs) {
        maker.write(kIoQueue, input);
    }
    maker.record(kIoQueue, kWritten);
    for (std::size_t i = first; i < maker.pattern.step.size(); ++i) {
        maker.pattern.step[i].is_ahead = true;
    }
    maker.wait(kIoQueue, kProduced);
    for (const Transfer& output : workload.outputs) {
        maker.read(kIoQueue, output);
    }
    maker.record(kIoQueue, kReadBack);
    maker.notify(kIoQueue);
}

void add_first_write(Maker& maker, const Workload& workload) {
    maker.into = &Pattern::prologue;
    for (const Transfer& input : workload.inputs) {
        maker.write(kIoQueue, input);
    }
    maker.record(kIoQueue, kWritten);
    maker.into = &Pattern::step;
}

// Part [first, last) of the commands, as a trace of its own; nothing where it is empty.
void replay_part(Maker& maker, const std::vector<TraceCommand>& all, const TraceCommand& end, std::size_t first,
                 std::size_t last) {
    if (first < last) {
        std::vector<TraceCommand> part(all.begin() + static_cast<std::ptrdiff_t>(first),
                                       all.begin() + static_cast<std::ptrdiff_t>(last));
        part.push_back(end);
        maker.replay(0U, std::move(part));
    }
}

}  // namespace

bool can_stage(const Workload& workload) {
    return !copy_words(workload, 1U).empty();
}

Pattern eager_pattern(const Workload& workload, const HostCost& cost) {
    Maker maker{"eager", workload, cost, 1U};
    maker.pattern.doorbell_per_command = true;
    for (const Transfer& input : workload.inputs) {
        maker.write(0U, input);
    }
    for (const TraceCommand& command : workload.commands()) {
        if (command.kind != CommandKind::kBarrier) {
            maker.operation(0U, command);
        } else if (!maker.pattern.step.back().body.empty()) {
            maker.pattern.step.back().body.push_back(command);  // costs the device its time, and the host nothing
        }
    }
    for (const Transfer& output : workload.outputs) {
        maker.read(0U, output);
    }
    maker.notify(0U);
    return maker.pattern;
}

Pattern traced_pattern(const Workload& workload, const HostCost& cost) {
    Maker maker{"traced", workload, cost, 1U};
    for (const Transfer& input : workload.inputs) {
        maker.write(0U, input);
    }
    maker.replay_traces(workload);
    for (const Transfer& output : workload.outputs) {
        maker.read(0U, output);
    }
    maker.notify(0U);
    return maker.pattern;
}

Pattern two_queue_pattern(const Workload& workload, const HostCost& cost) {
    Maker maker{"two-queues", workload, cost, 2U};
    add_first_write(maker, workload);
    maker.wait(0U, kWritten);
    maker.replay(0U, staging_trace(workload, workload.inputs, "input"), Category::kStaging);
    maker.record(0U, kConsumed);
    maker.replay_traces(workload);
    maker.wait(0U, kReadBack);
    maker.replay(0U, staging_trace(workload, workload.outputs, "output"), Category::kStaging);
    maker.record(0U, kProduced);
    maker.notify(0U);
    add_transfers(maker, workload);
    return maker.pattern;
}

Pattern split_pattern(const Workload& workload, const HostCost& cost) {
    Maker maker{"two-queues-split", workload, cost, 2U};
    const std::vector<TraceCommand> all = workload.commands();
    const auto is_reader = [](const TraceCommand& each) { return each.reads_input; };
    const auto is_user = [](const TraceCommand& each) { return each.touches_output; };
    const auto consumed =
        static_cast<std::size_t>(std::distance(std::find_if(all.rbegin(), all.rend(), is_reader), all.rend()));
    const auto produces =
        static_cast<std::size_t>(std::distance(all.begin(), std::find_if(all.begin(), all.end(), is_user)));
    add_first_write(maker, workload);
    maker.wait(0U, kWritten);
    replay_part(maker, all, end_of(workload), 0U, std::min(consumed, produces));
    if (consumed <= produces) {
        maker.record(0U, kConsumed);
        replay_part(maker, all, end_of(workload), consumed, produces);
        maker.wait(0U, kReadBack);
    } else {  // outputs are begun before the inputs are done with
        maker.wait(0U, kReadBack);
        replay_part(maker, all, end_of(workload), produces, consumed);
        maker.record(0U, kConsumed);
    }
    replay_part(maker, all, end_of(workload), std::max(consumed, produces), all.size());
    maker.record(0U, kProduced);
    maker.notify(0U);
    add_transfers(maker, workload);
    return maker.pattern;
}

Pattern session_pattern(const Workload& workload, const HostCost& cost) {
    Maker maker{"as-captured", workload, cost, 1U};
    maker.pattern.steps_in_flight = workload.steps_in_flight;
    maker.script(workload.step, workload);
    maker.into = &Pattern::prologue;
    maker.script(workload.prologue, workload);
    maker.into = &Pattern::epilogue;
    maker.script(workload.epilogue, workload);
    return maker.pattern;
}

}  // namespace pianola::timeline
