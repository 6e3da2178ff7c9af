// Context: the Vulkan instance, physical device, logical device and queues that all other parts of this device use.
//
// The lowest part of hal/devices/refdev/vulkan. open() requests the features that shaders and recording need, and
// refuses by name those that a physical device lacks; nothing is emulated. The device stays open until close(). The
// driver owns the memory of Vulkan objects; nothing here allocates.
//
// robustBufferAccess is required. A shader reads sizes from the trace region, and words that are damaged after the
// proof may be larger than the proved ones. Every operand's buffer ends with the operand, so that a driver which checks
// accesses confines the damage to the operands. Every Vulkan driver has this feature.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>

#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::vulkan {

inline constexpr std::uint32_t kMaxPhysicalDevices = 16U;
inline constexpr std::uint32_t kMaxVulkanQueues = 2U;  // that are used, of one family

// A call that did not succeed.
struct DriverFailure {
    const char* call{nullptr};  // nullptr: none; static lifetime
    VkResult result{VK_SUCCESS};
};

// kOk; kCapacity: out of memory or of a limited resource; kDeviceFault: the device is lost; kInternal: everything else.
[[nodiscard]] Status status_of(VkResult result) noexcept;

// Spelled as in the specification; "an unknown result" for results that calls of this device do not return.
[[nodiscard]] const char* name_of(VkResult result) noexcept;

// Additional checks of Khronos' validation layer. An instance has at most one, because they are slow.
enum class Judge : std::uint8_t {
    kNone,
    kUsage,            // the layer alone
    kSynchronization,  // hazards between commands
    kAccess,           // bytes beyond an operand's buffer, seen by instrumented shaders
};

// A message of the layer; `text` does not outlive the call.
using MessageSink = void (*)(void* user, const char* text);

struct ContextOptions {
    std::uint32_t physical_device{0U};  // in the order of the loader
    Judge judge{Judge::kNone};
    MessageSink sink{nullptr};
    void* user{nullptr};
};

// One physical device, for lists.
struct PhysicalDeviceInfo {
    std::array<char, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE> name{};
    std::uint32_t api_version{0U};
    std::uint32_t driver_version{0U};
    const char* missing{nullptr};  // the first requirement that it does not meet
};
struct PhysicalDeviceList {
    std::array<PhysicalDeviceInfo, kMaxPhysicalDevices> devices{};
    std::uint32_t count{0U};
};

class Context {
  public:
    Context() = default;
    Context(const Context&) = delete;
    Context(Context&&) = delete;
    Context& operator=(const Context&) = delete;
    Context& operator=(Context&&) = delete;
    ~Context() { close(); }

    // kOk; kRefused: the machine or the device lacks the feature named by refusal(); kCapacity: the driver is out of
    // memory; kInvalidState: open already. After any other result, nothing stays open.
    Status open(const ContextOptions& options) noexcept;
    // Waits until the device is idle. Objects that were made with it must have been destroyed.
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return device_ != VK_NULL_HANDLE; }

    // Why open() failed; static lifetime, never null.
    [[nodiscard]] const char* refusal() const noexcept { return refusal_; }

    // status_of(), and records the failure.
    Status check(VkResult result, const char* call) noexcept {
        if (result != VK_SUCCESS) {
            failure_ = DriverFailure{call, result};
        }
        return status_of(result);
    }
    // check() for a call that returns a handle, which is set to null if it fails: a driver may leave any value there.
    template <typename Handle>
    Status check(VkResult result, const char* call, Handle& handle) noexcept {
        if (result != VK_SUCCESS) {
            handle = VK_NULL_HANDLE;
        }
        return check(result, call);
    }
    // The latest one since open().
    [[nodiscard]] const DriverFailure& failure() const noexcept { return failure_; }

    [[nodiscard]] VkInstance instance() const noexcept { return instance_; }
    [[nodiscard]] VkPhysicalDevice physical_device() const noexcept { return physical_; }
    [[nodiscard]] VkDevice device() const noexcept { return device_; }
    [[nodiscard]] std::uint32_t queue_family() const noexcept { return family_; }
    // 1 to kMaxVulkanQueues, as many as the family has.
    [[nodiscard]] std::uint32_t queue_count() const noexcept { return queue_count_; }
    [[nodiscard]] VkQueue queue(std::uint32_t index) const noexcept { return queues_[index % kMaxVulkanQueues]; }
    [[nodiscard]] const VkPhysicalDeviceProperties& properties() const noexcept { return properties_; }
    [[nodiscard]] const VkPhysicalDeviceMemoryProperties& memory() const noexcept { return memory_; }
    // Timestamp bits of the queue family: 0 if it has none.
    [[nodiscard]] std::uint32_t timestamp_bits() const noexcept { return timestamp_bits_; }

  private:
    [[nodiscard]] Status refuse(const char* why) noexcept;
    [[nodiscard]] Status refuse(VkResult result, const char* call, const char* what) noexcept;
    [[nodiscard]] Status create_instance(const ContextOptions& options) noexcept;
    [[nodiscard]] Status watch(const ContextOptions& options) noexcept;
    [[nodiscard]] Status choose(std::uint32_t index) noexcept;
    [[nodiscard]] Status create_device(Judge judge) noexcept;

    VkInstance instance_{VK_NULL_HANDLE};
    VkDebugUtilsMessengerEXT messenger_{VK_NULL_HANDLE};
    VkPhysicalDevice physical_{VK_NULL_HANDLE};
    VkDevice device_{VK_NULL_HANDLE};
    std::array<VkQueue, kMaxVulkanQueues> queues_{};
    std::uint32_t family_{0U};
    std::uint32_t queue_count_{0U};
    std::uint32_t timestamp_bits_{0U};
    VkPhysicalDeviceProperties properties_{};
    VkPhysicalDeviceMemoryProperties memory_{};
    const char* refusal_{""};
    DriverFailure failure_;
    ContextOptions options_{};
};

// The machine's devices, whether or not this device can use them. kOk also if there are none; kRefused: no Vulkan
// loader or driver answers.
Status list_physical_devices(PhysicalDeviceList& list) noexcept;

}  // namespace pianola::vulkan
