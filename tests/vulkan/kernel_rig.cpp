#include "tests/vulkan/kernel_rig.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace pianola::vulkan {
namespace {

// Parts of the memory: the command's words, its mark, the device's bytes.
constexpr std::uint32_t kWordsBytes = 4096U;
constexpr std::uint32_t kMarkAt = kWordsBytes;
constexpr std::uint32_t kBytesAt = 2U * kWordsBytes;
constexpr std::uint64_t kTimeoutNanoseconds = 60'000'000'000U;

std::uint32_t tested_device() {
    const char* const index = std::getenv("PIANOLA_VULKAN_DEVICE");
    return (index != nullptr) ? static_cast<std::uint32_t>(std::strtoul(index, nullptr, 10)) : 0U;
}

}  // namespace

bool KernelRig::has_device() {
    PhysicalDeviceList list;
    return is_ok(list_physical_devices(list)) && (list.count > tested_device());
}

void KernelRig::require(VkResult result, const char* what) {
    if (result != VK_SUCCESS) {
        throw std::runtime_error(what);
    }
}

void KernelRig::note(void* user, const char* text) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(text);
}

KernelRig::KernelRig(std::uint32_t base, std::uint32_t size_bytes, Judge judge) : base_{base} {
    if (!is_ok(context_.open(ContextOptions{tested_device(), judge, note, &messages_}))) {
        throw std::runtime_error(context_.refusal());
    }
    if (!is_ok(pipelines_.create(context_))) {
        throw std::runtime_error(messages_.empty() ? std::string{"pipelines"} : messages_.back());
    }
    create_memory(size_bytes);
    create_recording();
}

KernelRig::~KernelRig() {
    VkDevice device = context_.device();
    static_cast<void>(vkDeviceWaitIdle(device));
    release();
    vkDestroyBuffer(device, words_.buffer, nullptr);
    vkDestroyBuffer(device, mark_.buffer, nullptr);
    vkDestroyFence(device, fence_, nullptr);
    vkDestroyCommandPool(device, commands_, nullptr);
    vkDestroyDescriptorPool(device, descriptors_, nullptr);
    vkFreeMemory(device, memory_, nullptr);
    pipelines_.destroy();
}

std::uint32_t KernelRig::memory_type(std::uint32_t allowed) const {
    constexpr VkMemoryPropertyFlags kWanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkPhysicalDeviceMemoryProperties& memory = context_.memory();
    for (std::uint32_t i = 0U; i < memory.memoryTypeCount; ++i) {
        if (((allowed >> i) & 1U) != 0U && ((memory.memoryTypes[i].propertyFlags & kWanted) == kWanted)) {
            return i;
        }
    }
    throw std::runtime_error("memory that the host sees");
}

// Buffers begin at multiples of their alignment, and end where they are told to.
KernelRig::Bound KernelRig::bind(std::uint64_t begin, std::uint64_t size_bytes) {
    const std::uint32_t before = (alignment_ == 0U) ? 0U : static_cast<std::uint32_t>(begin % alignment_);
    Bound bound{VK_NULL_HANDLE, before};
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = size_bytes + before;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    require(vkCreateBuffer(context_.device(), &info, nullptr, &bound.buffer), "vkCreateBuffer");
    if (memory_ != VK_NULL_HANDLE) {
        VkMemoryRequirements needed{};
        vkGetBufferMemoryRequirements(context_.device(), bound.buffer, &needed);
        require(vkBindBufferMemory(context_.device(), bound.buffer, memory_, begin - before), "vkBindBufferMemory");
    }
    return bound;
}

void KernelRig::create_memory(std::uint32_t size_bytes) {
    const Bound probe = bind(0U, kWordsBytes);
    VkMemoryRequirements needed{};
    vkGetBufferMemoryRequirements(context_.device(), probe.buffer, &needed);
    vkDestroyBuffer(context_.device(), probe.buffer, nullptr);
    alignment_ = (needed.alignment > sizeof(std::uint32_t)) ? static_cast<std::uint32_t>(needed.alignment)
                                                            : static_cast<std::uint32_t>(sizeof(std::uint32_t));
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = kBytesAt + size_bytes + kWordsBytes;
    info.memoryTypeIndex = memory_type(needed.memoryTypeBits);
    require(vkAllocateMemory(context_.device(), &info, nullptr, &memory_), "vkAllocateMemory");
    void* mapped = nullptr;
    require(vkMapMemory(context_.device(), memory_, 0U, VK_WHOLE_SIZE, 0U, &mapped), "vkMapMemory");
    mapped_ = static_cast<std::uint8_t*>(mapped);
    words_ = bind(0U, kWordsBytes);
    mark_ = bind(kMarkAt, sizeof(std::uint32_t));
}

void KernelRig::create_recording() {
    VkDevice device = context_.device();
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kBindings};
    VkDescriptorPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool.maxSets = 1U;
    pool.poolSizeCount = 1U;
    pool.pPoolSizes = &size;
    require(vkCreateDescriptorPool(device, &pool, nullptr, &descriptors_), "vkCreateDescriptorPool");
    VkDescriptorSetLayout layout = pipelines_.set_layout();
    VkDescriptorSetAllocateInfo set{};
    set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    set.descriptorPool = descriptors_;
    set.descriptorSetCount = 1U;
    set.pSetLayouts = &layout;
    require(vkAllocateDescriptorSets(device, &set, &set_), "vkAllocateDescriptorSets");
    VkCommandPoolCreateInfo commands{};
    commands.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    commands.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    commands.queueFamilyIndex = context_.queue_family();
    require(vkCreateCommandPool(device, &commands, nullptr, &commands_), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo buffer{};
    buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    buffer.commandPool = commands_;
    buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    buffer.commandBufferCount = 1U;
    require(vkAllocateCommandBuffers(device, &buffer, &recording_), "vkAllocateCommandBuffers");
    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    require(vkCreateFence(device, &fence, nullptr, &fence_), "vkCreateFence");
}

void KernelRig::release() {
    for (VkBuffer buffer : operands_) {
        vkDestroyBuffer(context_.device(), buffer, nullptr);
    }
    operands_.clear();
}

void KernelRig::describe(const Program& program, PushConstants& constants, const Bend& bend) {
    std::array<VkDescriptorBufferInfo, kBindings> buffers{};
    buffers.fill({words_.buffer, 0U, VK_WHOLE_SIZE});
    buffers.at(kMarkBinding).buffer = mark_.buffer;
    for (std::uint32_t i = 0U; i < program.operand_count; ++i) {
        const Operand& operand = program.operands.at(i);
        if (operand.size_bytes != 0U) {
            const Bound bound = bind(std::uint64_t{kBytesAt} + (operand.address - base_),
                                     (operand.size_bytes + bend.more_bytes) - ((i == bend.cut) ? bend.cut_bytes : 0U));
            operands_.push_back(bound.buffer);
            buffers.at(kFirstOperandBinding + i).buffer = bound.buffer;
            constants.offsets.at(i) = bound.offset;
        }
    }
    std::array<VkWriteDescriptorSet, kBindings> writes{};
    for (std::uint32_t i = 0U; i < kBindings; ++i) {
        writes.at(i).sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes.at(i).dstSet = set_;
        writes.at(i).dstBinding = i;
        writes.at(i).descriptorCount = 1U;
        writes.at(i).descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes.at(i).pBufferInfo = &buffers.at(i);
    }
    vkUpdateDescriptorSets(context_.device(), kBindings, writes.data(), 0U, nullptr);
}

void KernelRig::dispatch(const Program& program, const PushConstants& constants) {
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    require(vkBeginCommandBuffer(recording_, &begin), "vkBeginCommandBuffer");
    vkCmdBindPipeline(recording_, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_.pipeline(program.pipeline));
    vkCmdBindDescriptorSets(recording_, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_.layout(), 0U, 1U, &set_, 0U,
                            nullptr);
    vkCmdPushConstants(recording_, pipelines_.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0U, sizeof(constants), &constants);
    vkCmdDispatch(recording_, program.workgroups, 1U, 1U);
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(recording_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0U, 1U, &barrier,
                         0U, nullptr, 0U, nullptr);
    require(vkEndCommandBuffer(recording_), "vkEndCommandBuffer");
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1U;
    submit.pCommandBuffers = &recording_;
    require(vkQueueSubmit(context_.queue(0U), 1U, &submit, fence_), "vkQueueSubmit");
    require(vkWaitForFences(context_.device(), 1U, &fence_, VK_TRUE, kTimeoutNanoseconds), "vkWaitForFences");
    require(vkResetFences(context_.device(), 1U, &fence_), "vkResetFences");
}

Ran KernelRig::run(const std::vector<std::uint32_t>& command, const std::vector<std::uint8_t>& bytes,
                   const Bend& bend) {
    Ran ran;
    Program program;
    ran.status = program_of(WordSpan{command.data(), command.size()}, program);
    if (!is_ok(ran.status)) {
        return ran;
    }
    if (!is_ok(pipelines_.need(program.pipeline))) {
        throw std::runtime_error(messages_.empty() ? std::string{"a pipeline"} : messages_.back());
    }
    const std::vector<std::uint32_t>& words = bend.damaged.empty() ? command : bend.damaged;
    std::memcpy(mapped_, words.data(), words.size() * sizeof(std::uint32_t));
    std::memset(mapped_ + kMarkAt, 0, sizeof(std::uint32_t));
    std::memcpy(mapped_ + kBytesAt, bytes.data(), bytes.size());
    PushConstants constants;
    constants.first_word = program.argument_offset;
    describe(program, constants, bend);
    dispatch(program, constants);
    release();
    std::memcpy(&ran.mark, mapped_ + kMarkAt, sizeof(std::uint32_t));
    ran.bytes.assign(mapped_ + kBytesAt, mapped_ + kBytesAt + bytes.size());
    return ran;
}

}  // namespace pianola::vulkan
