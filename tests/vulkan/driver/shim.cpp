#include "tests/vulkan/driver/shim.h"

#include <algorithm>

namespace pianola::vulkan {
namespace {

// Calls that a lost device does not serve.
const std::set<std::string> kAsksTheDevice{"vkQueueSubmit", "vkGetSemaphoreCounterValue", "vkWaitSemaphores",
                                           "vkDeviceWaitIdle"};
// What goes with its pool.
const std::set<std::string> kOfPools{"VkDescriptorSet", "VkCommandBuffer"};

}  // namespace

DriverShim& DriverShim::get() {
    static DriverShim shim;
    return shim;
}

void DriverShim::clear() {
    pretence = Pretence{};
    settles = false;
    calls_for_one = 1U;
    two_queues = TwoQueues{};
    calls_.clear();
    created_.clear();
    errors_.clear();
    failure_.reset();
    has_failed_ = false;
}

VkResult DriverShim::begin(const char* call) {
    calls_[call] += 1U;
    if (!failure_.has_value()) {
        return VK_SUCCESS;
    }
    if (has_failed_) {
        return (failure_->lasts && (kAsksTheDevice.count(call) != 0U)) ? failure_->result : VK_SUCCESS;
    }
    if (failure_->call != call) {
        return VK_SUCCESS;
    }
    failure_->number -= 1U;
    has_failed_ = failure_->number == 0U;
    return has_failed_ ? failure_->result : VK_SUCCESS;
}

void DriverShim::note_created(const char* kind, std::uint64_t handle, std::uint64_t parent) {
    created_[kind] += 1U;
    objects_.push_back({kind, handle, parent});
}

bool DriverShim::note_destroyed(const char* kind, std::uint64_t handle) {
    if (handle == 0U) {
        return false;  // of nothing: permitted
    }
    const auto found = std::find_if(objects_.begin(), objects_.end(), [&](const Object& object) {
        return (object.kind == kind) && (object.handle == handle);
    });
    if (found == objects_.end()) {
        errors_.push_back(std::string{kind} + " is destroyed, which was never created");
        return false;
    }
    objects_.erase(found);
    const auto is_of_pool = [handle](const Object& object) {
        return (object.parent == handle) && (kOfPools.count(object.kind) != 0U);
    };
    objects_.erase(std::remove_if(objects_.begin(), objects_.end(), is_of_pool), objects_.end());
    for (const Object& object : objects_) {
        if (object.parent == handle) {
            errors_.push_back(object.kind + " outlives its " + kind);
        }
    }
    return true;
}

std::string DriverShim::alive() const {
    std::string text;
    for (const Object& object : objects_) {
        text += (text.empty() ? "" : " ") + object.kind;
    }
    return text;
}

}  // namespace pianola::vulkan
