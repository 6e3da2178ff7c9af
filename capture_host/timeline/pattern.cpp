#include "capture_host/timeline/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "capture_host/binary/trace_walk.h"

namespace pianola::timeline {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000U;
constexpr std::uint32_t kIoQueue = 1U;
// With several devices, unless the workload says. Rings alone would let a fast device run ahead of a slow one by many
// steps, and what was measured would depend on when that ends.
constexpr std::uint32_t kStepsInFlight = 2U;

// The four events of the pattern with two queues.
constexpr std::uint32_t kWritten = 0U;   // queue 1 has written the input
constexpr std::uint32_t kConsumed = 1U;  // queue 0 needs the input no more
constexpr std::uint32_t kProduced = 2U;  // queue 0 has made the output
constexpr std::uint32_t kReadBack = 3U;  // queue 1 has read the output
constexpr std::array<const char*, 4> kEventNames{"input written", "input consumed", "output made", "output read"};

class Maker {
  public:
    Maker(const char* name, const Workload& workload, const HostCost& cost, std::uint32_t queues)
        : workload_{workload},
          command_set_{workload.target->command_set()},
          dispatch_cycles_{to_cycles(cost.dispatch_ns, workload)},
          replay_cycles_{to_cycles(cost.replay_ns, workload)} {
        pattern.name = name;
        pattern.devices = {workload.coordinate};
        pattern.queues = queues;
        pattern.ring_words = workload.ring_words;
    }

    void write_inputs(std::uint32_t queue) { transfer_each(queue, workload_.inputs); }
    void read_outputs(std::uint32_t queue) { transfer_each(queue, workload_.outputs); }
    void notify(std::uint32_t queue) { add(command(queue, QueueCommandKind::kNotify, Category::kControl, "notify")); }
    void replay(std::uint32_t queue, std::vector<TraceCommand> body, Category category = Category::kCompute) {
        Item item = command(queue, QueueCommandKind::kReplay, Category::kControl, "replay");
        item.body = std::move(body);
        item.body_category = category;
        add(std::move(item));
    }
    void replay_traces() {
        for (const ScriptCommand& step : workload_.step) {
            if (step.kind == QueueCommandKind::kReplay) {
                replay(0U, workload_.traces.at(step.trace));
            }
        }
    }
    // Part [first, last) of the commands as a separate trace; nothing if it is empty.
    void replay_part(const std::vector<TraceCommand>& all, std::size_t first, std::size_t last) {
        if (first < last) {
            std::vector<TraceCommand> part(all.begin() + static_cast<std::ptrdiff_t>(first),
                                           all.begin() + static_cast<std::ptrdiff_t>(last));
            part.push_back(end_of_trace());
            replay(0U, std::move(part));
        }
    }
    // A trace that copies the tensors, and nothing else: between queue commands the device has no other way to copy.
    void stage(const std::vector<ScriptCommand>& transfers, const char* what);
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

    // The operation that was added last; null after anything else.
    [[nodiscard]] std::vector<TraceCommand>* last_body() {
        const bool is_one = !pattern.step.empty() && !pattern.step.back().body.empty();
        return is_one ? &pattern.step.back().body : nullptr;
    }

    // With transfers on the second queue: its commands before the first step, and in every step.
    void write_first_inputs() {
        into_ = &Pattern::prologue;
        write_inputs(kIoQueue);
        record(kIoQueue, kWritten);
        into_ = &Pattern::step;
    }
    void transfer_on_second_queue();

    // A script of the binary, with the completion records that end it.
    void script(const std::vector<ScriptCommand>& commands, std::vector<Item> Pattern::* into);

    Pattern pattern;

  private:
    static Cycles to_cycles(std::uint64_t ns, const Workload& workload) {
        return ((ns * workload.clock_khz) + (kNsPerMs - 1U)) / kNsPerMs;
    }

    [[nodiscard]] const TraceCommand& end_of_trace() const { return workload_.traces.front().back(); }

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

    void add(Item item) { (pattern.*into_).push_back(std::move(item)); }
    void transfer(std::uint32_t queue, const ScriptCommand& each) {
        const bool writes = each.kind == QueueCommandKind::kWrite;
        add(command(queue, each.kind, writes ? Category::kWrite : Category::kRead, each.label, each.bytes));
    }
    void transfer_each(std::uint32_t queue, const std::vector<ScriptCommand>& transfers) {
        for (const ScriptCommand& each : transfers) {
            transfer(queue, each);
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

    const Workload& workload_;
    const CommandSet& command_set_;
    Cycles dispatch_cycles_;
    Cycles replay_cycles_;
    std::vector<Item> Pattern::* into_{&Pattern::step};  // where add() puts them
};

void Maker::script(const std::vector<ScriptCommand>& commands, std::vector<Item> Pattern::* into) {
    into_ = into;
    std::array<bool, kMaxQueues> used{};
    for (const ScriptCommand& each : commands) {
        used.at(each.queue) = true;
        switch (each.kind) {
            case QueueCommandKind::kWrite:
            case QueueCommandKind::kRead:
                transfer(each.queue, each);
                break;
            case QueueCommandKind::kReplay:
                replay(each.queue, workload_.traces.at(each.trace));
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

void Maker::stage(const std::vector<ScriptCommand>& transfers, const char* what) {
    if (workload_.traces.empty()) {
        return;  // nothing computes, and no trace could hold the copy
    }
    std::vector<TraceCommand> trace;
    for (const ScriptCommand& transfer : transfers) {
        const auto add_copy = [&](std::uint32_t /*word*/, const DecodedCommand& copy) {
            TraceCommand command;
            command.label = fmt::format("copy {}, {} bytes", what, transfer.bytes);
            command.kind = CommandKind::kCopy;
            command.words = copy.length_words;
            command.cycles = copy.cost_cycles;
            trace.push_back(command);
        };
        const targets::WalkEnd end =
            targets::for_each_command(command_set_, copy_words(workload_, transfer.bytes), add_copy);
        if (!end.is_whole() || (end.word == 0U)) {
            throw std::logic_error{"a sample of a copy does not decode"};
        }
    }
    trace.push_back(end_of_trace());
    replay(0U, std::move(trace), Category::kStaging);
}

// Write step n + 1 after step n is consumed, then read step n: an earlier read would hold the write back until
// the step has ended.
void Maker::transfer_on_second_queue() {
    const std::size_t first = pattern.step.size();
    wait(kIoQueue, kConsumed);
    write_inputs(kIoQueue);
    record(kIoQueue, kWritten);
    for (std::size_t i = first; i < pattern.step.size(); ++i) {
        pattern.step[i].is_ahead = true;
    }
    wait(kIoQueue, kProduced);
    read_outputs(kIoQueue);
    record(kIoQueue, kReadBack);
    notify(kIoQueue);
}

// The devices' items in turn.
std::vector<Item> in_turn(const std::vector<Pattern>& devices, std::vector<Item> Pattern::* items) {
    std::size_t most = 0U;
    for (const Pattern& device : devices) {
        most = std::max(most, (device.*items).size());
    }
    std::vector<Item> all;
    for (std::size_t i = 0U; i < most; ++i) {
        for (std::uint32_t device = 0U; device < devices.size(); ++device) {
            const std::vector<Item>& own = devices[device].*items;
            if (i < own.size()) {
                all.push_back(own[i]);
                all.back().device = device;
            }
        }
    }
    return all;
}

// Joins several into one.
Pattern joined_patterns(const std::vector<Pattern>& devices) {
    Pattern all = devices.front();
    if (devices.size() == 1U) {
        return all;
    }
    for (const auto items : {&Pattern::prologue, &Pattern::step, &Pattern::epilogue}) {
        all.*items = in_turn(devices, items);
    }
    all.devices.clear();
    for (const Pattern& each : devices) {
        all.devices.push_back(each.devices.front());
        all.queues = std::max(all.queues, each.queues);
        all.doorbell_per_command = all.doorbell_per_command || each.doorbell_per_command;
    }
    all.steps_in_flight = (all.steps_in_flight == 0U) ? kStepsInFlight : all.steps_in_flight;
    return all;
}

}  // namespace

bool can_stage(const Workload& workload) {
    return !copy_words(workload, 1U).empty();
}

Pattern eager_pattern(const Workload& workload, const HostCost& cost) {
    Maker maker{"eager", workload, cost, 1U};
    maker.pattern.doorbell_per_command = true;
    maker.write_inputs(0U);
    for (const TraceCommand& command : workload.commands()) {
        std::vector<TraceCommand>* const last = maker.last_body();
        const bool goes_on = (last != nullptr) && (last->back().operation == command.operation);
        if (!goes_on && (command.kind != CommandKind::kBarrier)) {
            maker.operation(0U, command);
        } else if (last != nullptr) {  // costs the device its time, and the host nothing
            last->push_back(command);
        }
    }
    maker.read_outputs(0U);
    maker.notify(0U);
    return maker.pattern;
}

Pattern traced_pattern(const Workload& workload, const HostCost& cost) {
    Maker maker{"traced", workload, cost, 1U};
    maker.write_inputs(0U);
    maker.replay_traces();
    maker.read_outputs(0U);
    maker.notify(0U);
    return maker.pattern;
}

Pattern two_queue_pattern(const Workload& workload, const HostCost& cost) {
    Maker maker{"two-queues", workload, cost, 2U};
    maker.write_first_inputs();
    maker.wait(0U, kWritten);
    maker.stage(workload.inputs, "input");
    maker.record(0U, kConsumed);
    maker.replay_traces();
    maker.wait(0U, kReadBack);
    maker.stage(workload.outputs, "output");
    maker.record(0U, kProduced);
    maker.notify(0U);
    maker.transfer_on_second_queue();
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
    maker.write_first_inputs();
    maker.wait(0U, kWritten);
    maker.replay_part(all, 0U, std::min(consumed, produces));
    if (consumed <= produces) {
        maker.record(0U, kConsumed);
        maker.replay_part(all, consumed, produces);
        maker.wait(0U, kReadBack);
    } else {  // outputs are begun before the inputs are done with
        maker.wait(0U, kReadBack);
        maker.replay_part(all, produces, consumed);
        maker.record(0U, kConsumed);
    }
    maker.replay_part(all, std::max(consumed, produces), all.size());
    maker.record(0U, kProduced);
    maker.notify(0U);
    maker.transfer_on_second_queue();
    return maker.pattern;
}

bool is_possible(const Mode& mode, const Workload& workload) {
    return (mode.queues <= workload.queue_count) && (!mode.copies || can_stage(workload));
}

Pattern session_pattern(const Workload& workload, const HostCost& cost) {
    Maker maker{"as-captured", workload, cost, 1U};
    maker.pattern.steps_in_flight = workload.steps_in_flight;
    maker.script(workload.step, &Pattern::step);
    maker.script(workload.prologue, &Pattern::prologue);
    maker.script(workload.epilogue, &Pattern::epilogue);
    return maker.pattern;
}

Pattern make_pattern(const Mode& mode, const std::vector<Workload>& devices, const HostCost& cost) {
    std::vector<Pattern> patterns;
    for (const Workload& device : devices) {
        patterns.push_back(device.is_idle() ? Maker{mode.name, device, cost, mode.queues}.pattern
                                            : mode.make(device, cost));
    }
    return joined_patterns(patterns);
}

Pattern session_pattern(const std::vector<Workload>& devices, const HostCost& cost) {
    std::vector<Pattern> patterns;
    for (const Workload& device : devices) {
        patterns.push_back(session_pattern(device, cost));
    }
    return joined_patterns(patterns);
}

}  // namespace pianola::timeline
