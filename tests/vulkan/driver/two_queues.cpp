#include "tests/vulkan/driver/two_queues.h"

#include <cstring>

namespace pianola::vulkan {
namespace {

// Its address is the second queue's handle.
VkQueue second_queue() {
    static std::uint64_t place = 0U;
    void* const address = &place;
    VkQueue queue = VK_NULL_HANDLE;
    std::memcpy(static_cast<void*>(&queue), static_cast<const void*>(&address), sizeof(VkQueue));
    return queue;
}

// Timeline values lie in the one structure that is chained.
const VkTimelineSemaphoreSubmitInfo& values_of(const VkSubmitInfo& info) {
    return *static_cast<const VkTimelineSemaphoreSubmitInfo*>(info.pNext);
}

}  // namespace

VkQueue TwoQueues::queue(VkQueue real, std::uint32_t index) {
    real_ = real;
    return (index == 0U) ? real : second_queue();
}

void TwoQueues::check(const Held& held, std::uint32_t index) {
    for (std::size_t i = 0U; i < held.waits.size(); ++i) {
        if (submitted_[held.waits[i]] < held.wait_values[i]) {
            errors_.emplace_back("a wait is submitted before its record");
        }
        waits_ += (signalled_by_[held.waits[i]] != index) ? 1U : 0U;
    }
    for (std::size_t i = 0U; i < held.signals.size(); ++i) {
        std::uint64_t& highest = submitted_[held.signals[i]];
        if (held.signal_values[i] <= highest) {
            errors_.emplace_back("a semaphore does not rise");
        }
        highest = held.signal_values[i];
        signalled_by_[held.signals[i]] = index;
    }
}

VkResult TwoQueues::submit(VkQueue queue, const VkSubmitInfo& info, const Pass& pass) {
    const std::uint32_t index = (queue == second_queue()) ? 1U : 0U;
    const VkTimelineSemaphoreSubmitInfo& values = values_of(info);
    Held held;
    number_ += 1U;
    held.number = number_;
    held.commands.assign(info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount);
    held.waits.assign(info.pWaitSemaphores, info.pWaitSemaphores + info.waitSemaphoreCount);
    held.wait_values.assign(values.pWaitSemaphoreValues, values.pWaitSemaphoreValues + info.waitSemaphoreCount);
    held.stages.assign(info.pWaitDstStageMask, info.pWaitDstStageMask + info.waitSemaphoreCount);
    held.signals.assign(info.pSignalSemaphores, info.pSignalSemaphores + info.signalSemaphoreCount);
    held.signal_values.assign(values.pSignalSemaphoreValues, values.pSignalSemaphoreValues + info.signalSemaphoreCount);
    check(held, index);
    submissions_.at(index) += 1U;
    held_.at(index).push_back(held);
    if (order_ == Order::kAsSubmitted) {
        pass_all(pass);
    }
    return VK_SUCCESS;
}

bool TwoQueues::can_go(std::uint32_t index) const {
    if (held_.at(index).empty()) {
        return false;
    }
    const Held& held = held_.at(index).front();
    for (std::size_t i = 0U; i < held.waits.size(); ++i) {
        const auto passed = passed_.find(held.waits[i]);
        if ((passed == passed_.end()) || (passed->second < held.wait_values[i])) {
            return false;
        }
    }
    return true;
}

bool TwoQueues::pass_one(const Pass& pass) {
    std::uint32_t index = 0U;
    switch (order_) {
        case Order::kSecondFirst:
            index = 1U;
            break;
        case Order::kRandom:
            index = static_cast<std::uint32_t>(random_() % 2U);
            break;
        case Order::kAsSubmitted:
            index = (!held_[1].empty() && (held_[0].empty() || (held_[1].front().number < held_[0].front().number)))
                        ? 1U
                        : 0U;
            break;
        case Order::kFirstFirst:
        case Order::kNone:
        default:
            break;
    }
    index = can_go(index) ? index : (1U - index);
    if (!can_go(index)) {
        return false;
    }
    const Held held = held_.at(index).front();
    held_.at(index).pop_front();
    const std::deque<Held>& other = held_.at(1U - index);
    overtakes_ += (!other.empty() && (other.front().number < held.number)) ? 1U : 0U;
    for (std::size_t i = 0U; i < held.signals.size(); ++i) {
        passed_[held.signals[i]] = held.signal_values[i];
    }
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.waitSemaphoreValueCount = static_cast<std::uint32_t>(held.waits.size());
    values.pWaitSemaphoreValues = held.wait_values.data();
    values.signalSemaphoreValueCount = static_cast<std::uint32_t>(held.signals.size());
    values.pSignalSemaphoreValues = held.signal_values.data();
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &values;
    info.waitSemaphoreCount = static_cast<std::uint32_t>(held.waits.size());
    info.pWaitSemaphores = held.waits.data();
    info.pWaitDstStageMask = held.stages.data();
    info.commandBufferCount = static_cast<std::uint32_t>(held.commands.size());
    info.pCommandBuffers = held.commands.data();
    info.signalSemaphoreCount = static_cast<std::uint32_t>(held.signals.size());
    info.pSignalSemaphores = held.signals.data();
    if (pass(real_, info) != VK_SUCCESS) {
        errors_.emplace_back("the driver refuses a submission");
    }
    return true;
}

void TwoQueues::pass_all(const Pass& pass) {
    while (pass_one(pass)) {
    }
}

}  // namespace pianola::vulkan
