#include "hal/devices/refdev/host/refdev_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/costs/cost_models.h"
#include "hal/devices/refdev/device_core.h"
#include "hal/devices/refdev/host/command_words.h"
#include "hal/devices/refdev/host/execution_log_reader.h"
#include "hal/devices/refdev/host/multiply_accumulates.h"
#include "hal/devices/refdev/host/rom_source.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "hal/devices/refdev/vulkan/vulkan_executor.h"
#include "hal/host/device_numbers.h"

namespace pianola::refdev {
namespace {

// A convolution of a large image with a filter of the same size: much work on few bytes. Empty if the memory is too
// small.
Words long_launch(const CostModel& costs, std::uint32_t memory, std::uint32_t size_bytes) {
    constexpr std::uint32_t kEdge = 256U;
    constexpr std::uint32_t kImageBytes = kEdge * kEdge;
    if (size_bytes < ((3U * kImageBytes) + kFileAlignmentBytes)) {
        return {};
    }
    Conv2dArguments arguments{};
    arguments.input = memory;
    arguments.filter = memory + kImageBytes;
    arguments.channel_parameters = memory + (2U * kImageBytes);
    arguments.output = arguments.channel_parameters + kFileAlignmentBytes;
    arguments.batches = 1U;
    arguments.input_height = kEdge;
    arguments.input_width = kEdge;
    arguments.input_channels = 1U;
    arguments.output_height = kEdge;
    arguments.output_width = kEdge;
    arguments.output_channels = 1U;
    arguments.filter_height = kEdge;
    arguments.filter_width = kEdge;
    arguments.filter_channels = 1U;
    arguments.stride_height = 1U;
    arguments.stride_width = 1U;
    arguments.dilation_height = 1U;
    arguments.dilation_width = 1U;
    arguments.pad_top = kEdge / 2U;
    arguments.pad_left = kEdge / 2U;
    arguments.activation_min = INT8_MIN;
    arguments.activation_max = INT8_MAX;
    return launch_words(KernelId::kConv2d, to_words(arguments), costs);
}

std::string what_is_wrong_with_grid(const DeviceDescription& device) {
    const auto is_edge = [](std::uint32_t cores) { return (cores >= 1U) && (cores <= kMaxGridEdge); };
    if (!is_edge(device.grid_columns) || !is_edge(device.grid_rows) || (device.dram_banks < 1U) ||
        (device.dram_banks > kMaxDramBanks)) {
        return "grid_columns and grid_rows must be 1 to " + std::to_string(kMaxGridEdge) + ", dram_banks 1 to " +
               std::to_string(kMaxDramBanks);
    }
    const std::uint32_t cores = device.grid_columns * device.grid_rows;
    const std::uint32_t granularity = cores * kFileAlignmentBytes;
    if ((device.l1_bytes % granularity) != 0U) {
        return "l1_bytes is " + std::to_string(device.l1_bytes) + " for " + std::to_string(cores) +
               " cores, but must be a multiple of " + std::to_string(granularity) +
               ", so that each has a multiple of " + std::to_string(kFileAlignmentBytes);
    }
    return "";
}

// The problem of untrusted sizes, with member names; empty if such a device is possible.
std::string problem_of(const DeviceDescription& device) {
    std::string wrong = what_is_wrong_with_memories(device);
    if (wrong.empty()) {
        wrong = what_is_wrong_with_grid(device);
    }
    if (wrong.empty() &&
        ((device.queue_count == 0U) || (device.queue_count > kMaxQueues) || (device.clock_khz == 0U))) {
        wrong = "queue_count must be 1 to " + std::to_string(kMaxQueues) + ", clock_khz at least 1";
    }
    const std::uint64_t core = std::uint64_t{device.core_khz} * 1000U;
    const std::uint32_t millicycles = device.millicycles_per_instruction;
    const std::uint64_t clock = (millicycles == 0U) ? device.clock_khz : (core / millicycles);
    if (wrong.empty() && (((device.core_khz == 0U) != (millicycles == 0U)) || (clock != device.clock_khz))) {
        wrong =
            "core_khz and millicycles_per_instruction must give clock_khz, which is core_khz * 1000 / "
            "millicycles_per_instruction, rounded down; or both be 0";
    }
    const CostModel* const costs = find_cost_model(device.cost_model);
    if (wrong.empty() && ((costs == nullptr) || ((costs->kind == CostKind::kUpperBound) == (millicycles == 0U)))) {
        wrong = (costs == nullptr) ? "there is no such cost_model"
                                   : ((millicycles == 0U) ? "a cost_model of a core needs the core's clock and its "
                                                            "cycles per instruction"
                                                          : "the virtual cost_model has a clock of its own: core_khz "
                                                            "and millicycles_per_instruction must be 0");
    }
    return wrong;
}

// The kernel's id is the second-last word of a head, and the arguments follow the head.
std::uint32_t head_words_of(std::uint32_t header) noexcept {
    switch (static_cast<Opcode>(header & kOpcodeMask)) {
        case Opcode::kLaunch:
            return kLaunchHeadWords;
        case Opcode::kDispatch:
            return kDispatchHeadWords;
        default:
            return 0U;
    }
}

WeightsLayout weights_layout_of(WordSpan command) noexcept {
    const std::uint32_t head = command.empty() ? 0U : head_words_of(command[0]);
    if ((head == 0U) || (command.size() < head)) {
        return WeightsLayout::kPlain;
    }
    std::size_t word = 0U;
    switch (static_cast<KernelId>(command[head - 2U])) {
        case KernelId::kFullyConnected:
            word = head + word_of(offsetof(FullyConnectedArguments, weights_layout));
            break;
        case KernelId::kConv2d:
            word = head + word_of(offsetof(Conv2dArguments, weights_layout));
            break;
        default:
            return WeightsLayout::kPlain;
    }
    return (word < command.size()) ? static_cast<WeightsLayout>(command[word]) : WeightsLayout::kPlain;
}

// "dsp" or "mve"; empty for plain weights, which every core reads, and for a command without weights.
std::string core_of_packing(WordSpan command) {
    switch (weights_layout_of(command)) {
        case WeightsLayout::kDsp:
            return "dsp";
        case WeightsLayout::kMve:
            return "mve";
        case WeightsLayout::kPlain:
        default:
            return {};
    }
}

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

[[nodiscard]] const Target* target_of_model(std::uint32_t number) noexcept;

// The device with one of its cost models.
class RefdevTarget final : public Target {
  public:
    explicit RefdevTarget(const NamedCostModel& costs) : costs_{*costs.model}, symbol_{costs.symbol} {}

    // A core that executes the kernels itself is one: work on several cores or queues would not be parallel.
    [[nodiscard]] DeviceDescription usual_device() const override {
        DeviceSpec spec;
        spec.cost_model = &costs_;
        if (!costs_.commands.cores_are_parallel) {
            spec.queue_count = 1U;
            spec.grid_columns = 1U;
            spec.grid_rows = 1U;
        }
        return description_of(spec);
    }
    [[nodiscard]] const Target* with_cost_model(std::uint32_t number) const noexcept override {
        return target_of_model(number);
    }
    [[nodiscard]] const CostModel& costs() const noexcept { return costs_; }
    [[nodiscard]] const char* cost_model_name() const noexcept override { return costs_.name; }
    [[nodiscard]] std::string what_is_wrong_with(const DeviceDescription& device) const override {
        return problem_of(device);
    }
    [[nodiscard]] const CommandSet& command_set() const noexcept override { return command_set_; }
    [[nodiscard]] const char* kernel_name(std::uint32_t kernel_id) const noexcept override {
        const Kernel* const kernel = find_kernel(kernel_id);
        return (kernel == nullptr) ? nullptr : kernel->name;
    }

    [[nodiscard]] Offers offers() const noexcept override { return {true, true, true, true, true, true, true}; }
    [[nodiscard]] std::unique_ptr<Simulator> simulate(const DeviceDescription& device,
                                                      const SimulatorOptions& options) const override {
        return std::make_unique<RefdevSimulator>(device, options);
    }
    [[nodiscard]] Span<const Executor* const> executors() const noexcept override { return executors_; }

    [[nodiscard]] std::vector<std::uint32_t> sample(Sample which, const SampleOperands& with) const override {
        const Words copy = to_words(CopyArguments{with.source, with.destination, with.size_bytes});
        switch (which) {
            case Sample::kCopy:
                return copy_words(with.destination, with.source, with.size_bytes);
            case Sample::kFill:
                return fill_words(with.destination, with.size_bytes, with.value);
            case Sample::kBarrier:
                return barrier_words();
            case Sample::kEnd:
                return end_words();
            case Sample::kCopyLaunch:
                return launch_words(KernelId::kCopy, copy, costs_);
            case Sample::kCopyDispatch:
                return dispatch_words(with.core, KernelId::kCopy, copy, costs_);
            case Sample::kLongLaunch:
                return long_launch(costs_, with.destination, with.size_bytes);
            case Sample::kUnknownCommand:
                return {header_word(Opcode::kInvalid, 1U)};
            case Sample::kUnknownKernel:
                return {header_word(Opcode::kLaunch, kLaunchHeadWords), UINT32_MAX, 0U};
            case Sample::kQueueCommand:
                return {header_word(Opcode::kNotify, kNotifyWords), 1U};
            case Sample::kReservedBits:
                return {with.value | kReservedMask};
            case Sample::kNoLength:
                return {with.value & kOpcodeMask};
            case Sample::kWrongCost: {
                Words words = launch_words(KernelId::kCopy, copy, costs_);
                words.at(kLaunchHeadWords - 1U) = 1U;
                return words;
            }
            default:
                return {};
        }
    }

    [[nodiscard]] std::string packed_for(WordSpan command) const override { return core_of_packing(command); }
    [[nodiscard]] std::uint64_t multiply_accumulates(WordSpan command) const override {
        return refdev::multiply_accumulates(command);
    }
    [[nodiscard]] std::vector<RamPart> ram(const Capacities& capacities) const override {
        return {{"driver", "device driver", "", "::pianola::refdev::RefdevDriver", "hal/devices/refdev/refdev_driver.h",
                 driver_bytes32(capacities), false},
                {"shared_state", "shared with device", "", "::pianola::refdev::SharedState",
                 "hal/devices/refdev/shared_state.h", shared_state_bytes32(capacities), true},
                {"device_core", "device core", "per queue, on the core that serves it", "::pianola::refdev::DeviceCore",
                 "hal/devices/refdev/device_core.h", kDeviceCoreBytes32, false}};
    }
    [[nodiscard]] std::string device_constant(const DeviceDescription& device) const override {
        std::string sizes;
        for_each_size(
            [&sizes](const char* /*name*/, std::uint32_t value) {
                sizes += fmt::format("{}{}U", sizes.empty() ? "" : ", ", value);
            },
            device);
        const std::string model =
            (&costs_ == &kVirtualCosts) ? "" : fmt::format(",\n    &::pianola::refdev::{}", symbol_);
        return fmt::format(
            "inline constexpr ::pianola::refdev::DeviceSpec kDeviceSpec{{\n    {}{}}};\n"
            "static_assert(::pianola::refdev::kRingWords == {}U);\n",
            sizes, model, kRingWords);
    }
    [[nodiscard]] std::string kernel_rom(Span<const std::uint32_t> ids) const override { return rom_source(ids); }
    [[nodiscard]] std::string read_execution_logs(ByteSpan dump, std::vector<QueueLog>& logs) const override {
        return refdev::read_execution_logs(dump, logs);
    }

  private:
    const CostModel& costs_;
    const char* symbol_;
    RefdevCommandSet command_set_{costs_};
    vulkan::VulkanExecutor vulkan_;
    std::array<const Executor*, 1U> executors_{&vulkan_};
};

// nullptr: there is no such model.
const Target* target_of_model(std::uint32_t number) noexcept {
    static const std::vector<std::unique_ptr<RefdevTarget>> kTargets = [] {
        std::vector<std::unique_ptr<RefdevTarget>> targets;
        for (const NamedCostModel& each : cost_models()) {
            targets.push_back(std::make_unique<RefdevTarget>(each));
        }
        return targets;
    }();
    for (const auto& each : kTargets) {
        if (each->costs().number == number) {
            return each.get();
        }
    }
    return nullptr;
}

}  // namespace

const Target& target() {
    return *target_of_model(kVirtualCosts.number);
}

const Target& target_of(const DeviceDescription& device) {
    return *target_of_model(costs_of(device).number);
}

DeviceSpec spec_of(const DeviceDescription& device) {
    DeviceSpec spec;
    copy_sizes(device, spec);
    spec.capacities = device.capacities;
    spec.cost_model = &costs_of(device);
    return spec;
}

DeviceDescription description_of(const DeviceSpec& spec) {
    DeviceDescription device;
    describe(spec, device);
    return device;
}

}  // namespace pianola::refdev
