#include "hal/devices/refdev/vulkan/machine.h"

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
    command_buffers_.clear();
    for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
        vkDestroyBuffer(device, parts_.rings.at(i), nullptr);
        vkDestroyBuffer(device, parts_.records.at(i), nullptr);
        vkDestroySemaphore(device, share_.timelines.at(i).semaphore, nullptr);
    }
    vkDestroySemaphore(device, share_.warm_up.semaphore, nullptr);
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

std::string Machine::why() const {
    const DriverFailure& failure = context_.failure();
    const std::string call =
        (failure.call == nullptr) ? std::string{} : (std::string{failure.call} + ": " + name_of(failure.result));
    if (why_.empty() || call.empty()) {
        return why_ + call;
    }
    return why_ + " (" + call + ")";
}

Status Machine::open() {
    const Status opened = context_.open(options_.context);
    if (!is_ok(opened)) {
        return refuse(opened, std::string{"missing: "} + context_.refusal());
    }
    const std::uint64_t longest = std::max(options_.spec.dram_bytes, options_.spec.l1_bytes);
    if (context_.properties().limits.maxStorageBufferRange < longest) {
        return refuse(Status::kRefused, "missing: maxStorageBufferRange of " + std::to_string(longest));
    }
    const Status created = make_kernels();
    if (!is_ok(created)) {
        return created;
    }
    const Status made = make_memory();
    if (made == Status::kRefused) {
        return refuse(made, "missing: memory that is host visible and coherent");
    }
    if (!is_ok(made)) {
        return refuse(made, "the driver has no " + std::to_string(bytes_) + " bytes of memory");
    }
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = context_.queue_family();
    Status status = make_timeline(share_.warm_up.semaphore);
    if (is_ok(status)) {
        status = context_.check(vkCreateCommandPool(context_.device(), &pool, nullptr, &parts_.commands),
                                "vkCreateCommandPool", parts_.commands);
    }
    status = is_ok(status) ? make_sets() : status;
    for (std::uint32_t queue = 0U; (queue < kMaxQueues) && is_ok(status); ++queue) {
        status = make_queue(queue);
    }
    share_.keep_completions = options_.keep_completions;
    share_.machine = this;
    share_.load = [](void* machine) noexcept { return static_cast<Machine*>(machine)->load(); };
    return is_ok(status) ? status : refuse(status, "the driver does not make the queues' objects");
}

Status Machine::make_kernels() {
    const Status created = pipelines_.create(context_);
    if (created == Status::kRefused) {
        const char* const name = KernelPipelines::first_without_shader();
        return refuse(created, std::string{"kernel "} + ((name == nullptr) ? "?" : name) + " has no shader");
    }
    const Status made = is_ok(created) ? pipelines_.need(Helper::kAttest) : created;
    return is_ok(made) ? made : refuse(made, "the driver does not make pipelines");
}

Status Machine::make_memory() {
    const std::uint64_t of_accelerator = std::uint64_t{options_.spec.dram_bytes} + options_.spec.l1_bytes;
    bytes_ = rounded_up(of_accelerator) + (kMaxQueues * kQueueBytes);
    saved_.resize(static_cast<std::size_t>(bytes_));
    return memory_.create(context_, bytes_);
}

Status Machine::make_timeline(VkSemaphore& semaphore) noexcept {
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &type;
    return context_.check(vkCreateSemaphore(context_.device(), &info, nullptr, &semaphore), "vkCreateSemaphore",
                          semaphore);
}

// One per queue.
Status Machine::make_sets() {
    VkDevice device = context_.device();
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMaxQueues * kBindings};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = kMaxQueues;
    info.poolSizeCount = 1U;
    info.pPoolSizes = &size;
    const Status made =
        context_.check(vkCreateDescriptorPool(device, &info, nullptr, &pool_), "vkCreateDescriptorPool", pool_);
    if (!is_ok(made)) {
        return made;
    }
    std::array<VkDescriptorSetLayout, kMaxQueues> layouts{};
    layouts.fill(pipelines_.set_layout());
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool_;
    allocation.descriptorSetCount = kMaxQueues;
    allocation.pSetLayouts = layouts.data();
    return context_.check(vkAllocateDescriptorSets(device, &allocation, sets_.data()), "vkAllocateDescriptorSets");
}

// Its ring and records, and the objects with which the device processes its commands outside traces.
Status Machine::make_queue(std::uint32_t queue) {
    const std::uint64_t ring = bytes_ - (kMaxQueues * kQueueBytes) + (queue * kQueueBytes);
    const std::uint64_t records = ring + kGranule;
    std::uint32_t excess = 0U;
    Status status = make_timeline(share_.timelines.at(queue).semaphore);
    status = is_ok(status) ? memory_.make_buffer(ring, kRingBytes, parts_.rings.at(queue), excess) : status;
    status = is_ok(status) ? memory_.make_buffer(records, kRecordBytes, parts_.records.at(queue), excess) : status;
    VkCommandBuffer& commands = notify_.at(queue);
    status = is_ok(status) ? begin_recording(parts_, commands) : status;
    if (!is_ok(status)) {
        return status;
    }
    std::array<VkDescriptorBufferInfo, kBindings> infos{};
    infos.fill({parts_.rings.at(queue), 0U, VK_WHOLE_SIZE});
    infos.at(kFirstOperandBinding + 1U) = {parts_.records.at(queue), 0U, VK_WHOLE_SIZE};
    update_set(context_.device(), sets_.at(queue), infos);
    record_barrier(commands, false);
    record_attest(parts_, commands, sets_.at(queue), {0U, 1U, refdev::kRingWords, kMaxStepsInFlight});
    queues_.at(queue).place(memory_.words() + (ring / sizeof(std::uint32_t)),
                            memory_.words() + (records / sizeof(std::uint32_t)), commands);
    return context_.check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

std::uint8_t* Machine::memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    std::uint64_t offset = 0U;
    return parts_.offset_of(address, size_bytes, offset) ? (memory_.data() + offset) : nullptr;
}

Status Machine::service() noexcept {
    // Advances every queue until none makes progress. Terminates: rings are finite, and no step waits for the device.
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
    Timeline& own = share_.warm_up;
    const std::uint64_t value = own.submitted + 1U;
    VkTimelineSemaphoreSubmitInfo timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timeline.signalSemaphoreValueCount = 1U;
    timeline.pSignalSemaphoreValues = &value;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &timeline;
    info.commandBufferCount = 1U;
    info.pCommandBuffers = &commands;
    info.signalSemaphoreCount = 1U;
    info.pSignalSemaphores = &own.semaphore;
    VkSemaphoreWaitInfo wait{};
    wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    wait.semaphoreCount = 1U;
    wait.pSemaphores = &own.semaphore;
    wait.pValues = &value;
    Status status = context_.check(vkQueueSubmit(context_.queue(0U), 1U, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    if (is_ok(status)) {
        own.submitted = value;
        status = context_.check(vkWaitSemaphores(context_.device(), &wait, kWarmUpLimitNs), "vkWaitSemaphores");
    }
    if (is_ok(status)) {
        own.completed = value;
    }
    share_.is_lost = share_.is_lost || !is_ok(status);
    return status;
}

Status Machine::load() {
    std::vector<TraceCommandBuffer*> fresh;
    command_buffers_.forget_old();
    const Status recorded = command_buffers_.record_written(fresh);
    if (!is_ok(recorded) || fresh.empty()) {
        return recorded;
    }
    std::copy_n(memory_.data(), saved_.size(), saved_.begin());
    Status status = Status::kOk;
    for (TraceCommandBuffer* const trace : fresh) {
        status = is_ok(status) ? run_once(trace->commands()) : status;
        for (std::uint32_t queue = 0U; queue < options_.spec.queue_count; ++queue) {
            VkCommandBuffer attestation = trace->attestation(queue);
            status = is_ok(status) ? run_once(attestation) : status;
        }
        trace->clear_marks();  // the device processes them only if there is something to attest
    }
    for (std::uint32_t queue = 0U; queue < options_.spec.queue_count; ++queue) {
        status = is_ok(status) ? run_once(notify_.at(queue)) : status;
    }
    std::copy(saved_.begin(), saved_.end(), memory_.data());
    return status;
}

}  // namespace pianola::vulkan
