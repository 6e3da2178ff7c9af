// DriverShim: stands between the Vulkan device and the loader, counts, and has the driver fail, lie or reorder.
//
// shim_calls.cpp and shim_objects.cpp define the loader's functions that the device calls, and the linker takes these
// instead of the loader's; each tells the one object of this class, and calls the loader's own. So it works in front of
// any driver, and tests see and steer it in their own process. The test vulkan.shim says that no function which makes
// something or can fail escapes it. Not thread-safe.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/vulkan/driver/two_queues.h"

namespace pianola::vulkan {

// Of handles, whatever type they have.
inline constexpr std::size_t kHandleBytes = sizeof(std::uint64_t);
static_assert(sizeof(void*) == kHandleBytes);
template <typename Handle>
[[nodiscard]] std::uint64_t number_of_handle(Handle handle) noexcept {
    std::uint64_t number = 0U;
    std::memcpy(static_cast<void*>(&number), static_cast<const void*>(&handle), kHandleBytes);
    return number;
}

class DriverShim {
  public:
    // The `number`th call of `call` from now on comes to `result`, and does nothing. Where it `lasts`, so does every
    // later call that asks the device for something, as on a device that is lost.
    struct Failure {
        std::string call;
        std::uint64_t number{1U};
        VkResult result{VK_ERROR_DEVICE_LOST};
        bool lasts{false};
    };
    // What the driver says of itself is passed through these, where they are set.
    struct Pretence {
        std::function<void(VkPhysicalDeviceProperties&)> properties;
        std::function<void(VkPhysicalDeviceFeatures&)> features;
        std::function<void(VkPhysicalDeviceVulkan11Features&)> features11;
        std::function<void(VkPhysicalDeviceVulkan12Features&)> features12;
        std::function<void(VkPhysicalDeviceMemoryProperties&)> memory;
        std::function<void(VkQueueFamilyProperties&)> family;  // each of them
    };

    // The only one.
    [[nodiscard]] static DriverShim& get();

    // As if it were not there; what is counted begins anew, and what is alive stays known.
    void clear();

    void fail(const Failure& failure) { failure_ = failure; }
    [[nodiscard]] bool has_failed() const { return has_failed_; }
    Pretence pretence;
    // Semaphores are asked when the device is idle only, so that the number of such calls is the same in every run.
    bool settles{false};
    TwoQueues two_queues;
    // Of such calls, each one of so many passes on a submission that two_queues holds.
    std::uint64_t calls_for_one{1U};

    // Since clear(), by name.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& calls() const { return calls_; }
    // That an object came of, by the object's type.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& created() const { return created_; }
    // The features that the last vkCreateDevice asked for.
    [[nodiscard]] const VkPhysicalDeviceFeatures& asked_for() const { return asked_for_; }
    // Objects that have not been destroyed, "VkBuffer VkBuffer"; and what was done that must not be.
    [[nodiscard]] std::string alive() const;
    [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

    // For shim_calls.cpp. What the call has to come to without reaching the driver; VK_SUCCESS: it goes on.
    [[nodiscard]] VkResult begin(const char* call);
    void note_created(const char* kind, std::uint64_t handle, std::uint64_t parent);
    // False: nothing that could be destroyed.
    [[nodiscard]] bool note_destroyed(const char* kind, std::uint64_t handle);
    void note_error(const std::string& error) { errors_.push_back(error); }
    void ask_for(const VkPhysicalDeviceFeatures& features) { asked_for_ = features; }

  private:
    struct Object {
        std::string kind;
        std::uint64_t handle{0U};
        std::uint64_t parent{0U};  // that it must not outlive; pools take what is theirs with them
    };

    std::map<std::string, std::uint64_t> calls_;
    std::map<std::string, std::uint64_t> created_;
    std::vector<Object> objects_;
    std::vector<std::string> errors_;
    std::optional<Failure> failure_;
    bool has_failed_{false};
    VkPhysicalDeviceFeatures asked_for_{};
};

}  // namespace pianola::vulkan
