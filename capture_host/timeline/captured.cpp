#include "capture_host/timeline/captured.h"

#include <memory>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"

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
    Replayer(ByteSpan file, const refdev::DeviceSpec& spec)
        : device_{options_for(spec)},
          platform_{device_},
          session_{device_, platform_, command_set_, kDevelopmentConfig} {
        Verdict verdict;
        const auto workspace = std::make_unique<PlanWorkspace>();
        check(session_.load(file, *workspace, verdict), "the set-up");
        const Plan& plan = session_.plan();
        for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
            inputs_.emplace_back(plan.input_bytes.at(i));
            input_views_.emplace_back(inputs_.back().data(), inputs_.back().size());
        }
        for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
            outputs_.emplace_back(plan.output_bytes.at(i));
            output_views_.emplace_back(outputs_.back().data(), outputs_.back().size());
        }
    }

    void run(std::uint32_t steps, const Sink& sink) {
        const Plan& plan = session_.plan();
        device_.clear_log();
        origin_ = device_.now_cycles();
        seen_ = origin_;
        if (plan.prologue.count > 0U) {
            check(session_.start(plan.is_pipelined ? input_views() : Inputs{}), "the prologue");
            complete(0U, sink);
        }
        std::uint32_t submitted = 0U;
        for (std::uint32_t completed = 0U; completed < steps; ++completed) {
            while ((submitted < steps) && ((submitted - completed) < plan.steps_in_flight)) {
                check(session_.submit(input_views(), output_views()), "a step");
                submitted += 1U;
            }
            complete(completed, sink);
        }
        if (plan.epilogue.count > 0U) {
            check(session_.stop(plan.is_pipelined ? output_views() : Outputs{}), "the epilogue");
            complete(steps - 1U, sink);
        }
    }

    [[nodiscard]] const std::vector<refdev::ExecutedCommand>& log(std::uint32_t queue) const {
        return device_.log(queue);
    }
    [[nodiscard]] Cycles origin() const noexcept { return origin_; }

  private:
    using Inputs = Span<const ByteSpan>;
    using Outputs = Span<const MutableByteSpan>;

    [[nodiscard]] Inputs input_views() const { return {input_views_.data(), input_views_.size()}; }
    [[nodiscard]] Outputs output_views() const { return {output_views_.data(), output_views_.size()}; }

    // Until the oldest submission has completed.
    void complete(std::uint32_t step, const Sink& sink) {
        check(session_.wait(), "a step");
        sink({Lane{LaneKind::kHost, 0U}, Category::kHostWaits, seen_ - origin_, device_.now_cycles() - origin_, step,
              kUnderWay});
        seen_ = device_.now_cycles();
    }

    static sim::SimOptions options_for(const refdev::DeviceSpec& spec) {
        sim::SimOptions options;
        options.spec = spec;
        options.keep_log = true;
        return options;
    }
    static void check(Status status, const char* what) {
        if (!is_ok(status)) {
            throw ReplayError{std::string{"the simulator can not replay the binary: "} + what +
                              " fails; `pianola run` says why"};
        }
    }

    refdev::RefdevCommandSet command_set_;
    sim::SimDevice device_;
    sim::SimPlatform platform_;
    Session session_;
    std::vector<std::vector<std::uint8_t>> inputs_;
    std::vector<std::vector<std::uint8_t>> outputs_;
    std::vector<ByteSpan> input_views_;  // of the bytes above
    std::vector<MutableByteSpan> output_views_;
    Cycles origin_{0U};
    Cycles seen_{0U};  // when the host has last seen a completion
};

}  // namespace

void run_captured(ByteSpan file, const refdev::DeviceSpec& spec, const Pattern& pattern, std::uint32_t steps,
                  const Sink& sink) {
    ExpectedQueues expected(pattern.queues);
    expect(pattern.prologue, 0U, expected);
    for (std::uint32_t step = 0U; step < steps; ++step) {
        expect(pattern.step, step, expected);
    }
    expect(pattern.epilogue, steps - 1U, expected);
    Replayer replayer{file, spec};
    replayer.run(steps, sink);
    for (std::uint32_t queue = 0U; queue < pattern.queues; ++queue) {
        const std::vector<refdev::ExecutedCommand>& log = replayer.log(queue);
        if (log.size() != expected[queue].size()) {
            throw std::logic_error{"the simulator's log holds other commands than the binary's scripts"};
        }
        for (std::size_t i = 0U; i < log.size(); ++i) {
            const Expected& each = expected[queue][i];
            const Lane lane =
                (log[i].core == refdev::kNoCore) ? Lane{LaneKind::kQueue, queue} : Lane{LaneKind::kCore, log[i].core};
            sink({lane, each.category, log[i].start_cycles - replayer.origin(), log[i].end_cycles - replayer.origin(),
                  each.step, each.name});
        }
    }
}

}  // namespace pianola::timeline
