#include "hal/devices/vulkan/machine.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace pianola::vulkan {
namespace {

constexpr std::uint64_t kGranule = 4096U;  // of records and rings: more than any alignment
constexpr std::uint64_t kRingBytes = refdev::kRingWords * sizeof(std::uint32_t);
constexpr std::uint64_t kRecordBytes = (kRecordHeadWords + (kRecordWords * kMaxStepsInFlight)) * sizeof(std::uint32_t);
constexpr std::uint64_t kQueueBytes = 2U * kGranule;  // ring, then records
static_assert((kRingBytes <= kGranule) && (kRecordBytes <= kGranule));
constexpr std::uint64_t kWarmUpLimitNs = 600'000'000'000U;  // drivers compile during it

VkSemaphore make_timeline(VkDevice device) {
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &type;
    VkSemaphore semaphore = VK_NULL_HANDLE;
    return (vkCreateSemaphore(device, &info, nullptr, &semaphore) == VK_SUCCESS) ? semaphore : VK_NULL_HANDLE;
}

std::uint64_t rounded_up(std::uint64_t bytes) noexcept {
    return (bytes + (kGranule - 1U)) & ~(kGranule - 1U);
}

}  // namespace

Machine::Machine(const MachineOptions& options) : options_{options} {}

Machine::~Machine() {
    if (!context_.is_open()) {
        return;
    }
    VkDevice device = context_.device();
    (void)vkDeviceWaitIdle(device);
    recordings_.clear();
    for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
        vkDestroyBuffer(device, parts_.rings.at(i), nullptr);
        vkDestroyBuffer(device, parts_.records.at(i), nullptr);
        vkDestroySemaphore(device, share_.timelines.at(i).semaphore, nullptr);
    }
    vkDestroySemaphore(device, warm_up_, nullptr);
    vkDestroyDescriptorPool(device, pool_, nullptr);
    vkDestroyCommandPool(device, parts_.commands, nullptr);
    memory_.destroy();
    pipelines_.destroy();
    context_.close();
}

Status Machine::refuse(Status status, const std::string& why) {
    why_ = why;
    return status;
}

Status Machine::open() {
    const Status opened = context_.open(options_.context);
    if (!is_ok(opened)) {
        return refuse(opened, std::string{"missing: "} + context_.refusal());
    }
    const Status created = pipelines_.create(context_);
    if (created == Status::kRefused) {
        const char* const name = KernelPipelines::first_without_shader();
        return refuse(created, std::string{"kernel "} + ((name == nullptr) ? "?" : name) + " has no shader");
    }
    if (!is_ok(created)) {
        return refuse(created, "the driver does not make the kernels' pipelines");
    }
    const Status made = make_memory();
    if (!is_ok(made)) {
        return refuse(
            made, "the driver has no " + std::to_string(bytes_) + " bytes of memory that is host visible and coherent");
    }
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = context_.queue_family();
    warm_up_ = make_timeline(context_.device());
    bool ok = (warm_up_ != VK_NULL_HANDLE) &&
              (vkCreateCommandPool(context_.device(), &pool, nullptr, &parts_.commands) == VK_SUCCESS);
    for (std::uint32_t queue = 0U; (queue < kMaxQueues) && ok; ++queue) {
        ok = is_ok(make_queue(queue));
    }
    share_.keep_completions = options_.keep_completions;
    share_.machine = this;
    share_.load = [](void* machine) noexcept { return static_cast<Machine*>(machine)->load(); };
    return ok ? Status::kOk : refuse(Status::kCapacity, "the driver is out of memory for its own objects");
}

Status Machine::make_memory() {
    const std::uint64_t of_accelerator = std::uint64_t{options_.spec.dram_bytes} + options_.spec.l1_bytes;
    bytes_ = rounded_up(of_accelerator) + (kMaxQueues * kQueueBytes);
    saved_.resize(static_cast<std::size_t>(bytes_));
    return memory_.create(context_, bytes_);
}

// Its ring and records, and what makes the device go over its commands where no trace does.
Status Machine::make_queue(std::uint32_t queue) {
    const std::uint64_t ring = bytes_ - (kMaxQueues * kQueueBytes) + (queue * kQueueBytes);
    const std::uint64_t records = ring + kGranule;
    std::uint32_t excess = 0U;
    share_.timelines.at(queue).semaphore = make_timeline(context_.device());
    if ((share_.timelines.at(queue).semaphore == VK_NULL_HANDLE) ||
        !is_ok(memory_.make_buffer(ring, kRingBytes, parts_.rings.at(queue), excess)) ||
        !is_ok(memory_.make_buffer(records, kRecordBytes, parts_.records.at(queue), excess))) {
        return Status::kCapacity;
    }
    VkDevice device = context_.device();
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (pool_ == VK_NULL_HANDLE) {
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMaxQueues * kBindings};
        VkDescriptorPoolCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
        info.maxSets = kMaxQueues;
        info.poolSizeCount = 1U;
        info.pPoolSizes = &size;
        if (vkCreateDescriptorPool(device, &info, nullptr, &pool_) != VK_SUCCESS) {
            return Status::kCapacity;
        }
    }
    VkDescriptorSetLayout layout = pipelines_.set_layout();
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool_;
    allocation.descriptorSetCount = 1U;
    allocation.pSetLayouts = &layout;
    if (vkAllocateDescriptorSets(device, &allocation, &set) != VK_SUCCESS) {
        return Status::kCapacity;
    }
    std::array<VkDescriptorBufferInfo, kBindings> infos{};
    infos.fill({parts_.rings.at(queue), 0U, VK_WHOLE_SIZE});
    infos.at(kFirstOperandBinding + 1U) = {parts_.records.at(queue), 0U, VK_WHOLE_SIZE};
    update_set(device, set, infos);
    VkCommandBuffer& commands = notify_.at(queue);
    if (!is_ok(begin_recording(parts_, commands))) {
        return Status::kCapacity;
    }
    record_barrier(commands, false);
    record_attest(parts_, commands, set, {0U, 1U, refdev::kRingWords, kMaxStepsInFlight});
    if (vkEndCommandBuffer(commands) != VK_SUCCESS) {
        return Status::kCapacity;
    }
    queues_.at(queue).place(memory_.words() + (ring / sizeof(std::uint32_t)),
                            memory_.words() + (records / sizeof(std::uint32_t)), commands);
    return Status::kOk;
}

std::uint8_t* Machine::memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    std::uint64_t offset = 0U;
    return parts_.offset_of(address, size_bytes, offset) ? (memory_.data() + offset) : nullptr;
}

Status Machine::service() noexcept {
    // Every queue as far as it gets, until none moves. Ends: rings are finite, and no step waits for the device.
    bool moved = true;
    while (moved) {
        moved = false;
        for (std::uint32_t queue = 0U; queue < options_.spec.queue_count; ++queue) {
            while (queues_.at(queue).step() == refdev::Progress::kExecuted) {
                moved = true;
            }
        }
    }
    return Status::kOk;
}

void Machine::relax() noexcept {
    std::this_thread::yield();
}

std::uint64_t Machine::now_us() noexcept {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(since_start).count());
}

Status Machine::run_once(VkCommandBuffer commands) {
    warmed_up_ += 1U;
    VkTimelineSemaphoreSubmitInfo timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timeline.signalSemaphoreValueCount = 1U;
    timeline.pSignalSemaphoreValues = &warmed_up_;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &timeline;
    info.commandBufferCount = 1U;
    info.pCommandBuffers = &commands;
    info.signalSemaphoreCount = 1U;
    info.pSignalSemaphores = &warm_up_;
    VkSemaphoreWaitInfo wait{};
    wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    wait.semaphoreCount = 1U;
    wait.pSemaphores = &warm_up_;
    wait.pValues = &warmed_up_;
    const bool ok = (vkQueueSubmit(context_.queue(0U), 1U, &info, VK_NULL_HANDLE) == VK_SUCCESS) &&
                    (vkWaitSemaphores(context_.device(), &wait, kWarmUpLimitNs) == VK_SUCCESS);
    share_.is_lost = share_.is_lost || !ok;
    return ok ? Status::kOk : Status::kDeviceFault;
}

Status Machine::load() {
    std::vector<RecordedTrace*> fresh;
    recordings_.forget_old();
    const Status recorded = recordings_.record_written(fresh);
    if (!is_ok(recorded) || fresh.empty()) {
        return recorded;
    }
    std::copy_n(memory_.data(), saved_.size(), saved_.begin());
    Status status = Status::kOk;
    for (RecordedTrace* const trace : fresh) {
        status = is_ok(status) ? run_once(trace->commands()) : status;
        for (std::uint32_t queue = 0U; queue < options_.spec.queue_count; ++queue) {
            VkCommandBuffer attestation = trace->attestation(queue);
            status = is_ok(status) ? run_once(attestation) : status;
        }
        trace->clear_marks();  // the device goes over them where there is something to be attested only
    }
    for (std::uint32_t queue = 0U; queue < options_.spec.queue_count; ++queue) {
        status = is_ok(status) ? run_once(notify_.at(queue)) : status;
    }
    std::copy(saved_.begin(), saved_.end(), memory_.data());
    return status;
}

}  // namespace pianola::vulkan
