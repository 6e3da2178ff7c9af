// TwoQueues: a queue family with two queues, made of one queue.
//
// A part of DriverShim. Submissions to the two are taken as they come and passed on to the one queue in another order,
// as far as their semaphores permit it: as a driver with two queues may do that.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace pianola::vulkan {

class TwoQueues {
  public:
    enum class Order {
        kNone,         // the driver's own queues
        kAsSubmitted,  // at once
        kFirstFirst,   // nothing of the second queue while the first can go on
        kSecondFirst,  // the other way round
        kRandom,
    };
    using Pass = std::function<VkResult(VkQueue, const VkSubmitInfo&)>;

    TwoQueues() = default;
    explicit TwoQueues(Order order, std::uint32_t seed = 1U) : order_{order}, random_{seed} {}

    [[nodiscard]] bool is_on() const { return order_ != Order::kNone; }
    // The first is `real`, and stands for both.
    [[nodiscard]] VkQueue queue(VkQueue real, std::uint32_t index);
    [[nodiscard]] VkResult submit(VkQueue queue, const VkSubmitInfo& info, const Pass& pass);
    // Passes on one submission, and false where there is none.
    bool pass_one(const Pass& pass);
    void pass_all(const Pass& pass);
    // Submissions that were not passed on.
    [[nodiscard]] std::size_t held() const { return held_[0].size() + held_[1].size(); }

    // By queue: submissions; and of them those that wait for the other queue.
    [[nodiscard]] const std::array<std::uint32_t, 2>& submissions() const { return submissions_; }
    [[nodiscard]] std::uint32_t waits() const { return waits_; }
    // Submissions that came before an earlier one of the other queue.
    [[nodiscard]] std::uint32_t overtakes() const { return overtakes_; }
    // What a driver with one queue would hang at.
    [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

  private:
    struct Held {
        std::uint64_t number{0U};
        std::vector<VkSemaphore> waits;
        std::vector<std::uint64_t> wait_values;
        std::vector<VkPipelineStageFlags> stages;
        std::vector<VkCommandBuffer> commands;
        std::vector<VkSemaphore> signals;
        std::vector<std::uint64_t> signal_values;
    };
    [[nodiscard]] bool can_go(std::uint32_t index) const;
    void check(const Held& held, std::uint32_t index);

    Order order_{Order::kNone};
    std::mt19937 random_;
    VkQueue real_{VK_NULL_HANDLE};
    std::array<std::deque<Held>, 2> held_;
    std::map<VkSemaphore, std::uint64_t> submitted_;     // the highest value that a submission gives
    std::map<VkSemaphore, std::uint64_t> passed_;        // of those that were passed on
    std::map<VkSemaphore, std::uint32_t> signalled_by_;  // which queue
    std::uint64_t number_{0U};
    std::array<std::uint32_t, 2> submissions_{};
    std::uint32_t waits_{0U};
    std::uint32_t overtakes_{0U};
    std::vector<std::string> errors_;
};

}  // namespace pianola::vulkan
