#include "hal/devices/refdev/vulkan/context.h"

#include <cstring>

#include "hal/devices/refdev/vulkan/kernel_pipelines.h"

namespace pianola::vulkan {
namespace {

constexpr std::uint32_t kMaxFamilies = 32U;
constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";
constexpr const char* kDebugUtils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;

// Requirements of a physical device, and their names in refusals.
struct Features {
    VkPhysicalDeviceFeatures2 core{};
    VkPhysicalDeviceVulkan11Features vulkan11{};
    VkPhysicalDeviceVulkan12Features vulkan12{};

    Features() noexcept {
        core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
        vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
        vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
        core.pNext = &vulkan11;
        vulkan11.pNext = &vulkan12;
    }
    Features(const Features&) = delete;
    Features(Features&&) = delete;
    Features& operator=(const Features&) = delete;
    Features& operator=(Features&&) = delete;
    ~Features() = default;
};

struct Family {
    std::uint32_t index{0U};
    std::uint32_t queues{0U};  // 0: there is none that computes
    std::uint32_t timestamp_bits{0U};
};

[[nodiscard]] Family compute_family(VkPhysicalDevice physical) noexcept {
    std::array<VkQueueFamilyProperties, kMaxFamilies> families{};
    std::uint32_t count = kMaxFamilies;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    for (std::uint32_t i = 0U; (i < count) && (i < kMaxFamilies); ++i) {
        if (((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0U) && (families[i].queueCount > 0U)) {
            return Family{i, families[i].queueCount, families[i].timestampValidBits};
        }
    }
    return Family{};
}

[[nodiscard]] const char* missing_limit(const VkPhysicalDeviceLimits& limits) noexcept {
    static_assert(kBindings == 8U);
    if (limits.maxPerStageDescriptorStorageBuffers < kBindings) {
        return "maxPerStageDescriptorStorageBuffers of 8";
    }
    if (limits.maxDescriptorSetStorageBuffers < kBindings) {
        return "maxDescriptorSetStorageBuffers of 8";
    }
    return nullptr;
}

[[nodiscard]] const char* missing_feature(const Features& has) noexcept {
    if (has.core.features.robustBufferAccess == VK_FALSE) {
        return "robustBufferAccess";
    }
    if (has.core.features.shaderInt64 == VK_FALSE) {
        return "shaderInt64";
    }
    if (has.vulkan11.storageBuffer16BitAccess == VK_FALSE) {
        return "storageBuffer16BitAccess";
    }
    if (has.vulkan12.storageBuffer8BitAccess == VK_FALSE) {
        return "storageBuffer8BitAccess";
    }
    return (has.vulkan12.timelineSemaphore == VK_FALSE) ? "timelineSemaphore" : nullptr;
}

// Instrumented shaders write their findings with these features.
[[nodiscard]] const char* missing_for_judge(const Features& has) noexcept {
    if (has.core.features.vertexPipelineStoresAndAtomics == VK_FALSE) {
        return "vertexPipelineStoresAndAtomics, for the judge of accesses";
    }
    return (has.core.features.fragmentStoresAndAtomics == VK_FALSE)
               ? "fragmentStoresAndAtomics, for the judge of accesses"
               : nullptr;
}

// The first missing requirement; nullptr if there is none.
[[nodiscard]] const char* missing_of(VkPhysicalDevice physical, Judge judge) noexcept {
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(physical, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_2) {
        return "Vulkan 1.2";
    }
    if (compute_family(physical).queues == 0U) {
        return "a queue family with VK_QUEUE_COMPUTE_BIT";
    }
    const char* const limit = missing_limit(properties.limits);
    if (limit != nullptr) {
        return limit;
    }
    Features has;
    vkGetPhysicalDeviceFeatures2(physical, &has.core);
    const char* const feature = missing_feature(has);
    return ((feature == nullptr) && (judge == Judge::kAccess)) ? missing_for_judge(has) : feature;
}

[[nodiscard]] VkBool32 pass_on(VkDebugUtilsMessageSeverityFlagBitsEXT /*severity*/,
                               VkDebugUtilsMessageTypeFlagsEXT /*types*/,
                               const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) noexcept {
    const auto* const options = static_cast<const ContextOptions*>(user);
    options->sink(options->user, (data->pMessage != nullptr) ? data->pMessage : "");
    return VK_FALSE;
}

// A function that the loader finds by name; nullptr if it does not exist.
template <typename Function>
[[nodiscard]] Function function_of(VkInstance instance, const char* name) noexcept {
    const PFN_vkVoidFunction found = vkGetInstanceProcAddr(instance, name);
    Function function = nullptr;
    static_assert(sizeof(function) == sizeof(found));
    std::memcpy(static_cast<void*>(&function), static_cast<const void*>(&found), sizeof(function));
    return function;
}

[[nodiscard]] VkApplicationInfo application() noexcept {
    VkApplicationInfo info{};
    info.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    info.pApplicationName = "pianola";
    info.apiVersion = VK_API_VERSION_1_2;
    return info;
}

}  // namespace

Status status_of(VkResult result) noexcept {
    switch (result) {
        case VK_SUCCESS:
            return Status::kOk;
        case VK_ERROR_OUT_OF_HOST_MEMORY:
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        case VK_ERROR_OUT_OF_POOL_MEMORY:
        case VK_ERROR_FRAGMENTED_POOL:
        case VK_ERROR_FRAGMENTATION:
        case VK_ERROR_TOO_MANY_OBJECTS:
            return Status::kCapacity;
        case VK_ERROR_DEVICE_LOST:
            return Status::kDeviceFault;
        default:
            return Status::kInternal;
    }
}

const char* name_of(VkResult result) noexcept {
    switch (result) {
        case VK_SUCCESS:
            return "VK_SUCCESS";
        case VK_TIMEOUT:
            return "VK_TIMEOUT";
        case VK_ERROR_OUT_OF_HOST_MEMORY:
            return "VK_ERROR_OUT_OF_HOST_MEMORY";
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
            return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
        case VK_ERROR_INITIALIZATION_FAILED:
            return "VK_ERROR_INITIALIZATION_FAILED";
        case VK_ERROR_DEVICE_LOST:
            return "VK_ERROR_DEVICE_LOST";
        case VK_ERROR_MEMORY_MAP_FAILED:
            return "VK_ERROR_MEMORY_MAP_FAILED";
        case VK_ERROR_LAYER_NOT_PRESENT:
            return "VK_ERROR_LAYER_NOT_PRESENT";
        case VK_ERROR_EXTENSION_NOT_PRESENT:
            return "VK_ERROR_EXTENSION_NOT_PRESENT";
        case VK_ERROR_FEATURE_NOT_PRESENT:
            return "VK_ERROR_FEATURE_NOT_PRESENT";
        case VK_ERROR_INCOMPATIBLE_DRIVER:
            return "VK_ERROR_INCOMPATIBLE_DRIVER";
        case VK_ERROR_TOO_MANY_OBJECTS:
            return "VK_ERROR_TOO_MANY_OBJECTS";
        case VK_ERROR_OUT_OF_POOL_MEMORY:
            return "VK_ERROR_OUT_OF_POOL_MEMORY";
        case VK_ERROR_FRAGMENTED_POOL:
            return "VK_ERROR_FRAGMENTED_POOL";
        default:
            return "an unknown result";
    }
}

Status Context::refuse(const char* why) noexcept {
    refusal_ = why;
    return Status::kRefused;
}

Status Context::refuse(VkResult result, const char* call, const char* what) noexcept {
    refusal_ = what;
    return (check(result, call) == Status::kCapacity) ? Status::kCapacity : Status::kRefused;
}

Status Context::create_instance(const ContextOptions& options) noexcept {
    const std::array<VkValidationFeatureEnableEXT, 2> access{
        VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT,
        VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT};
    const std::array<VkValidationFeatureEnableEXT, 1> synchronization{
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT validation{};
    validation.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
    if (options.judge == Judge::kAccess) {
        validation.enabledValidationFeatureCount = static_cast<std::uint32_t>(access.size());
        validation.pEnabledValidationFeatures = access.data();
    } else if (options.judge == Judge::kSynchronization) {
        validation.enabledValidationFeatureCount = static_cast<std::uint32_t>(synchronization.size());
        validation.pEnabledValidationFeatures = synchronization.data();
    }
    const VkApplicationInfo info = application();
    VkInstanceCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    create.pApplicationInfo = &info;
    if (options.judge != Judge::kNone) {
        create.pNext = &validation;
        create.enabledLayerCount = 1U;
        create.ppEnabledLayerNames = &kLayer;
        create.enabledExtensionCount = 1U;
        create.ppEnabledExtensionNames = &kDebugUtils;
    }
    const VkResult result = vkCreateInstance(&create, nullptr, &instance_);
    if (result != VK_SUCCESS) {
        instance_ = VK_NULL_HANDLE;
        if (result == VK_ERROR_LAYER_NOT_PRESENT) {
            return refuse("the layer VK_LAYER_KHRONOS_validation");
        }
        return refuse(result, "vkCreateInstance", "a Vulkan driver that gives an instance");
    }
    return ((options.judge != Judge::kNone) && (options.sink != nullptr)) ? watch(options) : Status::kOk;
}

Status Context::watch(const ContextOptions& options) noexcept {
    options_ = options;
    const auto create = function_of<PFN_vkCreateDebugUtilsMessengerEXT>(instance_, "vkCreateDebugUtilsMessengerEXT");
    VkDebugUtilsMessengerCreateInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    info.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    info.pfnUserCallback = pass_on;
    info.pUserData = &options_;
    if ((create == nullptr) || (create(instance_, &info, nullptr, &messenger_) != VK_SUCCESS)) {
        messenger_ = VK_NULL_HANDLE;
        return refuse("the extension VK_EXT_debug_utils");
    }
    return Status::kOk;
}

Status Context::choose(std::uint32_t index) noexcept {
    std::array<VkPhysicalDevice, kMaxPhysicalDevices> physical{};
    std::uint32_t count = kMaxPhysicalDevices;
    const VkResult result = vkEnumeratePhysicalDevices(instance_, &count, physical.data());
    if ((result != VK_SUCCESS) && (result != VK_INCOMPLETE)) {
        return refuse(result, "vkEnumeratePhysicalDevices", "a Vulkan driver that lists its devices");
    }
    if ((index >= count) || (index >= kMaxPhysicalDevices)) {
        return refuse("a Vulkan device of this index");
    }
    physical_ = physical[index];
    return Status::kOk;
}

Status Context::create_device(Judge judge) noexcept {
    const char* const missing = missing_of(physical_, judge);
    if (missing != nullptr) {
        return refuse(missing);
    }
    vkGetPhysicalDeviceProperties(physical_, &properties_);
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
    const Family family = compute_family(physical_);
    family_ = family.index;
    timestamp_bits_ = family.timestamp_bits;
    queue_count_ = (family.queues < kMaxVulkanQueues) ? family.queues : kMaxVulkanQueues;
    Features wanted;
    wanted.core.features.robustBufferAccess = VK_TRUE;
    wanted.core.features.shaderInt64 = VK_TRUE;
    wanted.vulkan11.storageBuffer16BitAccess = VK_TRUE;
    wanted.vulkan12.storageBuffer8BitAccess = VK_TRUE;
    wanted.vulkan12.timelineSemaphore = VK_TRUE;
    if (judge == Judge::kAccess) {
        wanted.core.features.vertexPipelineStoresAndAtomics = VK_TRUE;
        wanted.core.features.fragmentStoresAndAtomics = VK_TRUE;
    }
    const std::array<float, kMaxVulkanQueues> priorities{1.0F, 1.0F};
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = family_;
    queue.queueCount = queue_count_;
    queue.pQueuePriorities = priorities.data();
    VkDeviceCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    create.pNext = &wanted.core;
    create.queueCreateInfoCount = 1U;
    create.pQueueCreateInfos = &queue;
    const VkResult result = vkCreateDevice(physical_, &create, nullptr, &device_);
    if (result != VK_SUCCESS) {
        device_ = VK_NULL_HANDLE;
        return refuse(result, "vkCreateDevice", "a Vulkan driver that gives a device");
    }
    for (std::uint32_t i = 0U; i < queue_count_; ++i) {
        vkGetDeviceQueue(device_, family_, i, &queues_[i]);
    }
    return Status::kOk;
}

Status Context::open(const ContextOptions& options) noexcept {
    if (instance_ != VK_NULL_HANDLE) {
        return Status::kInvalidState;
    }
    refusal_ = "";
    failure_ = DriverFailure{};
    Status status = create_instance(options);
    if (is_ok(status)) {
        status = choose(options.physical_device);
    }
    if (is_ok(status)) {
        status = create_device(options.judge);
    }
    if (!is_ok(status)) {
        close();
    }
    return status;
}

void Context::close() noexcept {
    if (device_ != VK_NULL_HANDLE) {
        static_cast<void>(vkDeviceWaitIdle(device_));
        vkDestroyDevice(device_, nullptr);
        device_ = VK_NULL_HANDLE;
    }
    if (messenger_ != VK_NULL_HANDLE) {
        const auto destroy =
            function_of<PFN_vkDestroyDebugUtilsMessengerEXT>(instance_, "vkDestroyDebugUtilsMessengerEXT");
        if (destroy != nullptr) {
            destroy(instance_, messenger_, nullptr);
        }
        messenger_ = VK_NULL_HANDLE;
    }
    if (instance_ != VK_NULL_HANDLE) {
        vkDestroyInstance(instance_, nullptr);
        instance_ = VK_NULL_HANDLE;
    }
    physical_ = VK_NULL_HANDLE;
    queues_.fill(VK_NULL_HANDLE);
    queue_count_ = 0U;
}

Status list_physical_devices(PhysicalDeviceList& list) noexcept {
    list = PhysicalDeviceList{};
    const VkApplicationInfo info = application();
    VkInstanceCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    create.pApplicationInfo = &info;
    VkInstance instance = VK_NULL_HANDLE;
    if (vkCreateInstance(&create, nullptr, &instance) != VK_SUCCESS) {
        return Status::kRefused;
    }
    std::array<VkPhysicalDevice, kMaxPhysicalDevices> physical{};
    std::uint32_t count = kMaxPhysicalDevices;
    const VkResult result = vkEnumeratePhysicalDevices(instance, &count, physical.data());
    if ((result == VK_SUCCESS) || (result == VK_INCOMPLETE)) {
        list.count = (count < kMaxPhysicalDevices) ? count : kMaxPhysicalDevices;
    }
    for (std::uint32_t i = 0U; i < list.count; ++i) {
        VkPhysicalDeviceProperties properties{};
        vkGetPhysicalDeviceProperties(physical[i], &properties);
        PhysicalDeviceInfo& device = list.devices[i];
        std::memcpy(device.name.data(), properties.deviceName, device.name.size());
        device.name.back() = '\0';
        device.api_version = properties.apiVersion;
        device.driver_version = properties.driverVersion;
        device.missing = missing_of(physical[i], Judge::kNone);
    }
    vkDestroyInstance(instance, nullptr);
    return ((result == VK_SUCCESS) || (result == VK_INCOMPLETE)) ? Status::kOk : Status::kRefused;
}

}  // namespace pianola::vulkan
