#include "hal/devices/refdev/vulkan/vulkan_executor.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "hal/devices/refdev/costs/cost_models.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/vulkan/trace_plan.h"
#include "hal/devices/refdev/vulkan/vulkan_device.h"
#include "hal/devices/refdev/vulkan/vulkan_platform.h"
#include "hal/host/device_numbers.h"

namespace pianola::vulkan {
namespace {

class VulkanSimulator final : public Simulator, private DirectQueues {
  public:
    VulkanSimulator(std::unique_ptr<Machine> machine, std::shared_ptr<MeshTime> time, const refdev::CostModel& costs)
        : device_{std::move(machine), std::move(time)}, command_set_{costs, false} {}

    [[nodiscard]] Device& device() noexcept override { return device_; }
    [[nodiscard]] Platform& platform() noexcept override { return platform_; }
    [[nodiscard]] std::uint64_t now_cycles() const noexcept override {
        return std::max(device_.now_cycles(), device_.time().cycles);
    }
    [[nodiscard]] DirectQueues* direct_queues() noexcept override { return this; }
    // A core's binary may have outputs that overlap inputs.
    [[nodiscard]] const CommandSet* command_set() const noexcept override { return &command_set_; }

  private:
    Status append(std::uint32_t queue, const QueueCommand& command) noexcept override {
        return device_.append(queue, command);
    }
    void advance_to(std::uint64_t cycles) noexcept override { device_.advance_to(cycles); }
    [[nodiscard]] State peek(std::uint32_t queue) const noexcept override { return device_.peek(queue); }
    [[nodiscard]] std::vector<Completed> take_completions(std::uint32_t queue) override {
        return device_.machine().take_completions(queue);
    }
    [[nodiscard]] bool is_threaded() const noexcept override { return true; }
    [[nodiscard]] std::uint64_t progress() const noexcept override { return device_.time().moves; }

    VulkanDevice device_;
    VulkanPlatform platform_{device_};
    refdev::RefdevCommandSet command_set_;
};

std::string version_text(std::uint32_t version) {
    return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
           std::to_string(VK_API_VERSION_PATCH(version));
}

}  // namespace

bool VulkanExecutor::is_built() const noexcept {
    return true;
}

ExecutorDevices VulkanExecutor::devices() const {
    PhysicalDeviceList list;
    if (!is_ok(list_physical_devices(list))) {
        return {{}, "no Vulkan loader or driver answers"};
    }
    ExecutorDevices found;
    for (std::uint32_t i = 0U; i < list.count; ++i) {
        const PhysicalDeviceInfo& device = list.devices.at(i);
        found.devices.push_back(
            {device.name.data(), version_text(device.api_version), (device.missing == nullptr) ? "" : device.missing});
    }
    if (found.devices.empty()) {
        found.why_none = "the loader finds no device";
    }
    return found;
}

std::vector<ObjectCount> VulkanExecutor::objects(const DeviceDescription& device, WordSpan words) const {
    ObjectCounts counts;
    std::uint64_t semaphores = 0U;
    if (words.empty()) {
        counts.pipelines = 1U;                    // `attest`
        counts.buffers = (2U * kMaxQueues) + 1U;  // rings and records; all of the memory
        counts.descriptor_sets = kMaxQueues;
        counts.command_buffers = kMaxQueues;
        counts.memory_objects = 1U;
        semaphores = kMaxQueues + 1U;  // and that of the warm-up
    } else {
        counts = count_objects(refdev::costs_of(device), words, device.queue_count);
    }
    return {{"buffers", counts.buffers},
            {"descriptor sets", counts.descriptor_sets},
            {"command buffers", counts.command_buffers},
            {"memory objects", counts.memory_objects},
            {"semaphores", semaphores},
            {"pipelines", counts.pipelines}};
}

std::unique_ptr<Simulator> VulkanExecutor::simulate(const DeviceDescription& device,
                                                    const SimulatorOptions& options) const {
    MachineOptions made;
    copy_sizes(device, made.spec);
    made.spec.file_base = 0U;  // binaries whose weights stay in the file are refused
    made.spec.file_bytes = 0U;
    made.spec.capacities = device.capacities;
    made.spec.cost_model = &refdev::costs_of(device);
    made.memory_is_visible = options.memory_is_visible;
    made.keep_completions = options.keep_completions;
    made.context.physical_device = options.executor.number;
    auto machine = std::make_unique<Machine>(made);
    if (!is_ok(machine->open())) {
        throw ExecutorRefused{"vulkan:" + std::to_string(made.context.physical_device) + " can not be opened; " +
                              machine->why()};
    }
    auto time = std::make_shared<MeshTime>();
    if (options.time) {
        std::shared_ptr<void>& shared = options.time->of_family;
        shared = shared ? shared : std::make_shared<MeshTime>();
        time = std::static_pointer_cast<MeshTime>(shared);
    }
    return std::make_unique<VulkanSimulator>(std::move(machine), std::move(time), refdev::costs_of(device));
}

}  // namespace pianola::vulkan
