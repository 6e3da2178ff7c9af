#include "hal/devices/refdev/host/refdev_target.h"

#include <fmt/format.h>

#include <array>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/footprint.h"
#include "hal/devices/refdev/host/command_words.h"
#include "hal/devices/refdev/host/device_limits.h"
#include "hal/devices/refdev/host/execution_log_reader.h"
#include "hal/devices/refdev/host/packing.h"
#include "hal/devices/refdev/host/refdev_simulator.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/vulkan/vulkan_executor.h"
#include "hal/host/device_numbers.h"

namespace pianola::refdev {
namespace {

// A convolution of a large image with a filter of the same size: much work on few bytes. Empty if the memory is too
// small.
Words long_launch(std::uint32_t memory, std::uint32_t size_bytes) {
    constexpr std::uint32_t kEdge = 128U;
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
    return launch_words(KernelId::kConv2d, to_words(arguments));
}

class RefdevTarget final : public Target {
  public:
    [[nodiscard]] DeviceDescription usual_device() const override { return description_of({}); }
    [[nodiscard]] std::string what_is_wrong_with(const DeviceDescription& device) const override {
        return refdev::what_is_wrong_with(device);
    }
    [[nodiscard]] const CommandSet& command_set() const noexcept override { return command_set_; }
    [[nodiscard]] const char* kernel_name(std::uint32_t kernel_id) const noexcept override {
        const Kernel* const kernel = find_kernel(kernel_id);
        return (kernel == nullptr) ? nullptr : kernel->name;
    }

    [[nodiscard]] Offers offers() const noexcept override { return {true, true, true, true, true, true, true}; }
    [[nodiscard]] std::unique_ptr<Simulator> simulate(const DeviceDescription& device,
                                                      const SimulatorOptions& options) const override {
        return make_simulator(device, options);
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
                return launch_words(KernelId::kCopy, copy);
            case Sample::kCopyDispatch:
                return dispatch_words(with.core, KernelId::kCopy, copy);
            case Sample::kLongLaunch:
                return long_launch(with.destination, with.size_bytes);
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
                Words words = launch_words(KernelId::kCopy, copy);
                words.at(kLaunchHeadWords - 1U) = 1U;
                return words;
            }
            default:
                return {};
        }
    }

    [[nodiscard]] std::string packed_for(WordSpan command) const override { return refdev::packed_for(command); }
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
        return fmt::format(
            "inline constexpr ::pianola::refdev::DeviceSpec kDeviceSpec{{\n    {}}};\n"
            "static_assert(::pianola::refdev::kRingWords == {}U);\n",
            sizes, kRingWords);
    }
    [[nodiscard]] std::string read_execution_logs(ByteSpan dump, std::vector<QueueLog>& logs) const override {
        return refdev::read_execution_logs(dump, logs);
    }

  private:
    RefdevCommandSet command_set_;
    vulkan::VulkanExecutor vulkan_;
    std::array<const Executor*, 1U> executors_{&vulkan_};
};

}  // namespace

const Target& target() {
    static const RefdevTarget kTarget;
    return kTarget;
}

DeviceSpec spec_of(const DeviceDescription& device) {
    DeviceSpec spec;
    copy_sizes(device, spec);
    spec.capacities = device.capacities;
    return spec;
}

DeviceDescription description_of(const DeviceSpec& spec) {
    DeviceDescription device;
    describe(spec, device);
    return device;
}

}  // namespace pianola::refdev
