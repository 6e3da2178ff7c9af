#include "hal/devices/refdev/vulkan/vulkan_device.h"

#include <algorithm>

#include "hal/devices/refdev/refdev_command_set.h"

namespace pianola::vulkan {
namespace {

// A queue finishes its current submission first, and a driver on a loaded machine may be slow.
constexpr std::uint32_t kVulkanResetLimitUs = 60'000'000U;

}  // namespace

VulkanDevice::VulkanDevice(std::unique_ptr<Machine> machine, std::shared_ptr<MeshTime> time)
    : RefdevDriver{machine->options().spec, machine->shared(), *machine, kVulkanResetLimitUs},
      machine_{std::move(machine)},
      time_{std::move(time)} {}

VulkanDevice::~VulkanDevice() = default;

Status VulkanDevice::reset() noexcept {
    const Status status = RefdevDriver::reset();
    appended_.fill(0U);
    if (is_ok(status)) {
        machine_->forget_command_buffers();
    }
    return status;
}

Status VulkanDevice::patch_word(std::uint32_t address, std::uint32_t word) noexcept {
    const Status status = RefdevDriver::patch_word(address, word);
    if (is_ok(status)) {
        machine_->patched(address, word);
    }
    return status;
}

MutableByteSpan VulkanDevice::host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    return machine_->options().memory_is_visible ? RefdevDriver::host_view(address, size_bytes) : MutableByteSpan{};
}

Status VulkanDevice::ring_doorbell(std::uint32_t queue) noexcept {
    advance_to(time_->cycles);
    return RefdevDriver::ring_doorbell(queue);
}

Status VulkanDevice::service() noexcept {
    const Status status = RefdevDriver::service();
    time_->moves += machine_->moves() - seen_moves_;
    seen_moves_ = machine_->moves();
    return status;
}

Status VulkanDevice::completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    const Status status = RefdevDriver::completion(queue, token, completion);
    time_->cycles = std::max(time_->cycles, now_cycles());
    return status;
}

Status VulkanDevice::append(std::uint32_t queue, QueueCommand command) noexcept {
    if (queue >= spec().queue_count) {
        return Status::kInvalidArgument;
    }
    static_cast<void>(refdev::RefdevCommandSet{}.seal(0U, appended_.at(queue), 0U, command));
    const Status status = enqueue(queue, command);
    appended_.at(queue) += is_ok(status) ? 1U : 0U;
    return status;
}

DirectQueues::State VulkanDevice::peek(std::uint32_t queue) const noexcept {
    const refdev::QueueMemory& memory = machine_->shared().queues.at(queue);
    DirectQueues::State state;
    state.stopped = memory.stopped.load(std::memory_order_acquire) != 0U;
    state.completed_token = memory.completed_token.load(std::memory_order_acquire);
    if (state.stopped) {
        state.fault = memory.fault;
    }
    return state;
}

}  // namespace pianola::vulkan
