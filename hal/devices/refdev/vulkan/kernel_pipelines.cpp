#include "hal/devices/refdev/vulkan/kernel_pipelines.h"

namespace pianola::vulkan {
namespace {

constexpr std::array<const char*, kHelpers> kHelperNames{"command_copy", "command_fill", "attest"};

// nullptr for a number without a pipeline.
[[nodiscard]] const char* shader_name(std::uint32_t number) noexcept {
    if (number < kHelpers) {
        return kHelperNames[number];
    }
    const refdev::Kernel* const kernel = refdev::find_kernel(number - kHelpers + 1U);
    return (kernel != nullptr) ? kernel->name : nullptr;
}

}  // namespace

std::uint32_t KernelPipelines::count() noexcept {
    const std::uint32_t kernels = static_cast<std::uint32_t>(refdev::kernel_rom().size());
    return kHelpers + ((kernels < kMostKernels) ? kernels : kMostKernels);
}

const char* KernelPipelines::first_without_shader() noexcept {
    std::uint32_t number = 0U;
    for (const refdev::Kernel& kernel : refdev::kernel_rom()) {
        number += 1U;
        if ((find_shader(kernel.name) == nullptr) || (number > kMostKernels)) {
            return kernel.name;
        }
    }
    return nullptr;
}

Status KernelPipelines::create(Context& context) noexcept {
    if (context_ != nullptr) {
        return Status::kInvalidState;
    }
    if (first_without_shader() != nullptr) {
        return Status::kRefused;
    }
    context_ = &context;
    const Status status = create_layouts();
    if (!is_ok(status)) {
        destroy();
    }
    return status;
}

void KernelPipelines::destroy() noexcept {
    if (context_ == nullptr) {
        return;
    }
    VkDevice device = context_->device();
    for (VkPipeline& pipeline : pipelines_) {
        vkDestroyPipeline(device, pipeline, nullptr);
        pipeline = VK_NULL_HANDLE;
    }
    vkDestroyPipelineLayout(device, layout_, nullptr);
    vkDestroyDescriptorSetLayout(device, set_layout_, nullptr);
    layout_ = VK_NULL_HANDLE;
    set_layout_ = VK_NULL_HANDLE;
    context_ = nullptr;
}

Status KernelPipelines::create_layouts() noexcept {
    std::array<VkDescriptorSetLayoutBinding, kBindings> bindings{};
    for (std::uint32_t i = 0U; i < kBindings; ++i) {
        bindings[i].binding = i;
        bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        bindings[i].descriptorCount = 1U;
        bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    VkDescriptorSetLayoutCreateInfo set{};
    set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set.bindingCount = kBindings;
    set.pBindings = bindings.data();
    const Status status = context_->check(vkCreateDescriptorSetLayout(context_->device(), &set, nullptr, &set_layout_),
                                          "vkCreateDescriptorSetLayout", set_layout_);
    if (!is_ok(status)) {
        return status;
    }
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0U, sizeof(PushConstants)};
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = 1U;
    info.pSetLayouts = &set_layout_;
    info.pushConstantRangeCount = 1U;
    info.pPushConstantRanges = &range;
    return context_->check(vkCreatePipelineLayout(context_->device(), &info, nullptr, &layout_),
                           "vkCreatePipelineLayout", layout_);
}

Status KernelPipelines::need(std::uint32_t number) noexcept {
    const char* const name = (number < kPipelines) ? shader_name(number) : nullptr;
    const Shader* const shader = (name != nullptr) ? find_shader(name) : nullptr;
    if ((shader == nullptr) || (context_ == nullptr)) {
        return Status::kRefused;
    }
    VkPipeline& made = pipelines_[number];
    if (made != VK_NULL_HANDLE) {
        return Status::kOk;
    }
    VkDevice device = context_->device();
    VkShaderModuleCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = shader->code.size() * sizeof(std::uint32_t);
    info.pCode = shader->code.data();
    VkShaderModule module = VK_NULL_HANDLE;
    Status status =
        context_->check(vkCreateShaderModule(device, &info, nullptr, &module), "vkCreateShaderModule", module);
    if (is_ok(status)) {
        VkComputePipelineCreateInfo pipeline{};
        pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
        pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        pipeline.stage.module = module;
        pipeline.stage.pName = "main";
        pipeline.layout = layout_;
        status = context_->check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1U, &pipeline, nullptr, &made),
                                 "vkCreateComputePipelines", made);
        vkDestroyShaderModule(device, module, nullptr);
    }
    return status;
}

}  // namespace pianola::vulkan
