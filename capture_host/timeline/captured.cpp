#include "capture_host/timeline/captured.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "capture_host/base/interrupt.h"
#include "pianola_host/replay.h"

namespace pianola::timeline {
namespace {

constexpr std::string_view kUnderWay = "under way";

// What a queue of a device executes, in order.
struct Expected {
    Category category{Category::kControl};
    std::string_view name;
    std::uint32_t step{0U};
    const Item* item{nullptr};
    const TraceCommand* command{nullptr};
};
using ExpectedQueues = std::vector<std::vector<Expected>>;  // by device, then by queue

void expect(const Pattern& pattern, const std::vector<Item>& items, std::uint32_t step, ExpectedQueues& queues) {
    for (const Item& item : items) {
        std::vector<Expected>& queue = queues.at((std::size_t{item.device} * pattern.queues) + item.queue);
        queue.push_back({item.category, item.label, step, &item, nullptr});
        for (const TraceCommand& command : item.body) {
            queue.push_back({item.body_category, command.label, step, &item, &command});
        }
    }
}

// Gives the sink the host's waits; the result is the device's time at the start of the first step.
Cycles replay_steps(replay::Replay& replay, std::uint32_t steps, const Sink& sink) {
    const replay::Tensors input_bytes = replay.empty_inputs();
    replay::Tensors output_bytes = replay.empty_outputs();
    const replay::Sources inputs{input_bytes};
    const replay::Destinations outputs{output_bytes};
    Session& session = replay.session();
    const Plan& plan = session.plan();
    for (const auto& simulator : replay.simulators()) {
        simulator->clear_command_log();
    }
    const Cycles origin = replay.simulator().now_cycles();
    Cycles seen = origin;                            // when the host has last seen a completion
    const auto complete = [&](std::uint32_t step) {  // the oldest submission
        replay.finish(Status::kOk);
        const Cycles now = replay.simulator().now_cycles();
        sink({Lane{}, Category::kHostWaits, seen - origin, now - origin, step, kUnderWay, nullptr, nullptr});
        seen = now;
    };
    if (plan.prologue.count > 0U) {
        replay.check(session.start(plan.is_pipelined ? inputs.view() : Span<const ByteSpan>{}));
        complete(0U);
    }
    std::uint32_t submitted = 0U;
    for (std::uint32_t completed = 0U; completed < steps; ++completed) {
        interrupt::check();
        while ((submitted < steps) && ((submitted - completed) < plan.steps_in_flight)) {
            replay.check(session.submit(inputs.view(), outputs.view()));
            submitted += 1U;
        }
        complete(completed);
    }
    if (plan.epilogue.count > 0U) {
        replay.check(session.stop(plan.is_pipelined ? outputs.view() : Span<const MutableByteSpan>{}));
        complete(steps - 1U);
    }
    return origin;
}

void show(const Lane& queue, const std::vector<LoggedCommand>& log, const std::vector<Expected>& expected,
          Cycles origin, const Sink& sink) {
    if (log.size() != expected.size()) {
        throw std::logic_error{"the simulator's log holds other commands than the binary's scripts"};
    }
    for (std::size_t i = 0U; i < log.size(); ++i) {
        const Expected& each = expected[i];
        const std::optional<std::uint32_t> core = log[i].core;
        const Lane lane = core.has_value() ? Lane{LaneKind::kCore, *core, queue.device} : queue;
        sink({lane, each.category, log[i].start_cycles - origin, log[i].end_cycles - origin, each.step, each.name,
              each.item, each.command});
    }
}

}  // namespace

bool can_run_captured(const Target& target) {
    const Offers offers = target.offers();
    return offers.simulator && offers.command_log && offers.cycles;
}

std::uint32_t steps_to_measure(const Workload& workload) {
    constexpr std::uint32_t kOneByOne = 3U;
    constexpr std::uint32_t kOverlapping = 4U;  // for each in flight
    return std::max(kOneByOne, (workload.steps_in_flight > 1U) ? (kOverlapping * workload.steps_in_flight) : 0U);
}

std::vector<Cycles> deadlines_of(const Panel& panel, const Workload& workload, std::uint32_t steps) {
    const Cycles deadline = (std::uint64_t{workload.step_deadline_us} * workload.clock_khz) / kUsPerMs;
    std::vector<Cycles> ends;  // of what the host has waited for, in order: steps, and what surrounds them
    for (const Slice& slice : panel.slices) {
        if (slice.lane.kind == LaneKind::kHost) {
            ends.push_back(slice.end);
        }
    }
    // The first steps are submitted together, each later one when the oldest has completed.
    const std::size_t before = workload.prologue.empty() ? 0U : 1U;
    std::vector<Cycles> deadlines;
    for (std::size_t step = 0U; (step < steps) && (deadline > 0U); ++step) {
        const std::size_t completed = (step < workload.steps_in_flight) ? 0U : ((step - workload.steps_in_flight) + 1U);
        const std::size_t ended = before + completed;
        const bool is_known = (ended > 0U) && (ended <= ends.size());
        deadlines.push_back((is_known ? ends[ended - 1U] : 0U) + deadline);
    }
    return deadlines;
}

void run_captured(ByteSpan file, const Target& target, const DeviceDescription& device, const Pattern& pattern,
                  std::uint32_t steps, const Sink& sink) {
    ExpectedQueues expected(pattern.devices.size() * pattern.queues);
    expect(pattern, pattern.prologue, 0U, expected);
    for (std::uint32_t step = 0U; step < steps; ++step) {
        expect(pattern, pattern.step, step, expected);
    }
    expect(pattern, pattern.epilogue, steps - 1U, expected);
    SimulatorOptions options;
    options.keep_log = true;
    replay::Replay replay{file, target, device, options};
    replay.load();
    if (replay.simulators().size() != pattern.devices.size()) {
        throw std::logic_error{"the pattern is for another mesh than the binary"};
    }
    const Cycles origin = replay_steps(replay, steps, sink);
    for (std::uint32_t place = 0U; place < pattern.devices.size(); ++place) {
        for (std::uint32_t queue = 0U; queue < pattern.queues; ++queue) {
            const Simulator& simulator = *replay.simulators().at(place);
            show({LaneKind::kQueue, queue, place}, simulator.command_log(queue),
                 expected[(std::size_t{place} * pattern.queues) + queue], origin, sink);
        }
    }
}

}  // namespace pianola::timeline
