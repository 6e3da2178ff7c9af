#include "hal/devices/refdev/host/refdev_simulator.h"

#include <algorithm>

#include "hal/devices/refdev/host/execution_log_reader.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"

namespace pianola::refdev {
namespace {

sim::SimOptions options_of(const DeviceDescription& device, const SimulatorOptions& options) {
    sim::SimOptions made;
    made.spec = spec_of(device);
    made.threading = options.threaded ? sim::Threading::kThreaded : sim::Threading::kInProcess;
    made.check_accesses = options.check_accesses;
    made.memory_is_visible = options.memory_is_visible;
    made.keep_log = options.keep_log;
    made.keep_completions = options.keep_completions;
    made.keep_execution_log = options.keep_execution_logs;
    if (options.time) {
        std::shared_ptr<void>& shared = options.time->of_family;
        shared = shared ? shared : std::make_shared<sim::SimTime>();
        made.time = std::static_pointer_cast<sim::SimTime>(shared);
    }
    return made;
}

class RefdevSimulator final : public Simulator, private DirectQueues {
  public:
    RefdevSimulator(const DeviceDescription& device, const SimulatorOptions& options)
        : device_{options_of(device, options)} {}

    [[nodiscard]] Device& device() noexcept override { return device_; }
    [[nodiscard]] Platform& platform() noexcept override { return platform_; }
    [[nodiscard]] std::uint64_t now_cycles() const noexcept override {
        return std::max(device_.now_cycles(), device_.time().cycles);
    }
    [[nodiscard]] std::uint64_t access_violations() const noexcept override { return device_.access_violations(); }
    [[nodiscard]] std::vector<LoggedCommand> command_log(std::uint32_t queue) const override {
        std::vector<LoggedCommand> commands;
        for (const ExecutedCommand& each : device_.log(queue)) {
            LoggedCommand command = logged_command(each.opcode, each.kernel_id);
            command.sequence = each.sequence;
            command.fault = each.fault;
            command.digest = each.digest;
            if (each.core != kNoCore) {
                command.core = each.core;
            }
            command.start_cycles = each.start_cycles;
            command.end_cycles = each.end_cycles;
            commands.push_back(command);
        }
        return commands;
    }
    void clear_command_log() override { device_.clear_log(); }
    [[nodiscard]] std::vector<std::uint8_t> execution_logs() const override { return device_.execution_logs(); }
    [[nodiscard]] DirectQueues* direct_queues() noexcept override { return this; }

  private:
    Status append(std::uint32_t queue, const QueueCommand& command) noexcept override {
        return device_.append(queue, command);
    }
    void advance_to(std::uint64_t cycles) noexcept override { device_.advance_to(cycles); }
    [[nodiscard]] State peek(std::uint32_t queue) const noexcept override {
        const sim::SimDevice::QueueState state = device_.peek(queue);
        return {state.stopped, state.completed_token, state.fault};
    }
    [[nodiscard]] std::vector<Completed> take_completions(std::uint32_t queue) override {
        std::vector<Completed> taken;
        for (const sim::CompletedToken& each : device_.take_completions(queue)) {
            taken.push_back({each.token, each.time_cycles});
        }
        return taken;
    }
    [[nodiscard]] bool is_threaded() const noexcept override {
        return device_.threading() == sim::Threading::kThreaded;
    }
    [[nodiscard]] std::uint64_t progress() const noexcept override { return device_.progress(); }

    sim::SimDevice device_;
    sim::SimPlatform platform_{device_};
};

}  // namespace

std::unique_ptr<Simulator> make_simulator(const DeviceDescription& device, const SimulatorOptions& options) {
    return std::make_unique<RefdevSimulator>(device, options);
}

}  // namespace pianola::refdev
