#include "capture_host/timeline/captured.h"

#include <stdexcept>

#include "capture_host/replay/replay.h"

namespace pianola::timeline {
namespace {

constexpr std::string_view kUnderWay = "under way";

// What a queue executes, in order.
struct Expected {
    Category category{Category::kControl};
    std::string_view name;
    std::uint32_t step{0U};
};
using ExpectedQueues = std::vector<std::vector<Expected>>;

void expect(const std::vector<Item>& items, std::uint32_t step, ExpectedQueues& queues) {
    for (const Item& item : items) {
        std::vector<Expected>& queue = queues.at(item.queue);
        queue.push_back({item.category, item.label, step});
        for (const TraceCommand& command : item.body) {
            queue.push_back({item.body_category, command.label, step});
        }
    }
}

class Replayer {
  public:
    Replayer(ByteSpan file, const Target& target, const DeviceDescription& device)
        : replay_{file, target, device, options()} {
        replay_.load();
        inputs_ = replay_.empty_inputs();
        outputs_ = replay_.empty_outputs();
    }

    void run(std::uint32_t steps, const Sink& sink) {
        const replay::Sources inputs{inputs_};
        const replay::Destinations outputs{outputs_};
        Session& session = replay_.session();
        const Plan& plan = session.plan();
        replay_.simulator().clear_command_log();
        origin_ = replay_.simulator().now_cycles();
        seen_ = origin_;
        if (plan.prologue.count > 0U) {
            replay_.check(session.start(plan.is_pipelined ? inputs.view() : Span<const ByteSpan>{}));
            complete(0U, sink);
        }
        std::uint32_t submitted = 0U;
        for (std::uint32_t completed = 0U; completed < steps; ++completed) {
            while ((submitted < steps) && ((submitted - completed) < plan.steps_in_flight)) {
                replay_.check(session.submit(inputs.view(), outputs.view()));
                submitted += 1U;
            }
            complete(completed, sink);
        }
        if (plan.epilogue.count > 0U) {
            replay_.check(session.stop(plan.is_pipelined ? outputs.view() : Span<const MutableByteSpan>{}));
            complete(steps - 1U, sink);
        }
    }

    [[nodiscard]] std::vector<LoggedCommand> log(std::uint32_t queue) const {
        return replay_.simulator().command_log(queue);
    }
    [[nodiscard]] Cycles origin() const noexcept { return origin_; }

  private:
    // Until the oldest submission has completed.
    void complete(std::uint32_t step, const Sink& sink) {
        replay_.finish(Status::kOk);
        const Cycles now = replay_.simulator().now_cycles();
        sink({Lane{LaneKind::kHost, 0U}, Category::kHostWaits, seen_ - origin_, now - origin_, step, kUnderWay});
        seen_ = now;
    }

    static SimulatorOptions options() {
        SimulatorOptions options;
        options.keep_log = true;
        return options;
    }

    replay::Replay replay_;
    replay::Tensors inputs_;
    replay::Tensors outputs_;
    Cycles origin_{0U};
    Cycles seen_{0U};  // when the host has last seen a completion
};

}  // namespace

void run_captured(ByteSpan file, const Target& target, const DeviceDescription& device, const Pattern& pattern,
                  std::uint32_t steps, const Sink& sink) {
    ExpectedQueues expected(pattern.queues);
    expect(pattern.prologue, 0U, expected);
    for (std::uint32_t step = 0U; step < steps; ++step) {
        expect(pattern.step, step, expected);
    }
    expect(pattern.epilogue, steps - 1U, expected);
    Replayer replayer{file, target, device};
    replayer.run(steps, sink);
    for (std::uint32_t queue = 0U; queue < pattern.queues; ++queue) {
        const std::vector<LoggedCommand> log = replayer.log(queue);
        if (log.size() != expected[queue].size()) {
            throw std::logic_error{"the simulator's log holds other commands than the binary's scripts"};
        }
        for (std::size_t i = 0U; i < log.size(); ++i) {
            const Expected& each = expected[queue][i];
            const Lane lane =
                log[i].core.has_value() ? Lane{LaneKind::kCore, *log[i].core} : Lane{LaneKind::kQueue, queue};
            sink({lane, each.category, log[i].start_cycles - replayer.origin(), log[i].end_cycles - replayer.origin(),
                  each.step, each.name});
        }
    }
}

}  // namespace pianola::timeline
