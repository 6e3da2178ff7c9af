#include "capture_host/timeline/captured.h"

#include <memory>

#include "hal/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "runtime/session/session.h"

namespace pianola::timeline {
namespace {

constexpr std::string_view kUnderWay = "step under way";

// What a queue executes in one step, in order.
struct Expected {
    Category category{Category::kControl};
    std::string_view name;
};

std::vector<std::vector<Expected>> expected_commands(const Pattern& pattern) {
    std::vector<std::vector<Expected>> queues(pattern.queues);
    for (const Item& item : pattern.step) {
        std::vector<Expected>& queue = queues.at(item.queue);
        queue.push_back({item.category, item.label});
        for (const TraceCommand& command : item.body) {
            queue.push_back({item.body_category, command.label});
        }
    }
    return queues;
}

class Replayer {
  public:
    Replayer(ByteSpan file, const refdev::DeviceSpec& spec)
        : device_{options_for(spec)}, platform_{device_}, session_{device_, platform_, command_set_} {
        Verdict verdict;
        const auto workspace = std::make_unique<PlanWorkspace>();
        check(session_.load(file, *workspace, verdict), "the set-up");
        const Plan& plan = session_.plan();
        for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
            inputs_.emplace_back(plan.input_bytes.at(i));
        }
        for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
            outputs_.emplace_back(plan.output_bytes.at(i));
        }
    }

    void step() {
        std::vector<ByteSpan> inputs;
        std::vector<MutableByteSpan> outputs;
        for (const std::vector<std::uint8_t>& input : inputs_) {
            inputs.emplace_back(input.data(), input.size());
        }
        for (std::vector<std::uint8_t>& output : outputs_) {
            outputs.emplace_back(output.data(), output.size());
        }
        device_.clear_log();
        check(session_.run({inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}), "a step");
    }

    [[nodiscard]] const std::vector<refdev::ExecutedCommand>& log(std::uint32_t queue) const {
        return device_.log(queue);
    }
    [[nodiscard]] Cycles now() const { return device_.now_cycles(); }

  private:
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
};

}  // namespace

void run_captured(ByteSpan file, const refdev::DeviceSpec& spec, const Pattern& pattern, std::uint32_t steps,
                  const Sink& sink) {
    Replayer replayer{file, spec};
    const std::vector<std::vector<Expected>> expected = expected_commands(pattern);
    const Cycles origin = replayer.now();
    for (std::uint32_t step = 0U; step < steps; ++step) {
        const Cycles begin = replayer.now();
        replayer.step();
        sink({Lane{LaneKind::kHost, 0U}, Category::kHostWaits, begin - origin, replayer.now() - origin, step,
              kUnderWay});
        for (std::uint32_t queue = 0U; queue < pattern.queues; ++queue) {
            const std::vector<refdev::ExecutedCommand>& log = replayer.log(queue);
            if (log.size() != expected[queue].size()) {
                throw std::logic_error{"the simulator's log holds other commands than the binary's step"};
            }
            for (std::size_t i = 0U; i < log.size(); ++i) {
                sink({Lane{LaneKind::kQueue, queue}, expected[queue][i].category, log[i].start_cycles - origin,
                      log[i].end_cycles - origin, step, expected[queue][i].name});
            }
        }
    }
}

}  // namespace pianola::timeline
