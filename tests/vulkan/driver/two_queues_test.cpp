// A driver whose family has two queues: both are used, each wait is submitted behind its record, and results are the
// same in whatever order such a driver runs what is submitted.
#include <iostream>

#include "tests/proofs/performance.h"
#include "tests/vulkan/driver/small_host.h"

namespace pianola::vulkan {
namespace {

using Order = TwoQueues::Order;

constexpr std::uint32_t kCases = 60U;
constexpr std::uint32_t kSeed = 11U;
constexpr std::array<Order, 4> kOrders{Order::kAsSubmitted, Order::kFirstFirst, Order::kSecondFirst, Order::kRandom};

using VulkanTwoQueues = ShimTest;

TEST_F(VulkanTwoQueues, AreAskedForAndBothUsed) {
    for (const Order order : kOrders) {
        shim().clear();
        shim().two_queues = TwoQueues{order};
        {
            SmallHost host{2U};
            ASSERT_EQ(host.load(), Status::kOk);
            for (std::uint32_t i = 0U; i < 50U; ++i) {
                ASSERT_EQ(host.step(i), Status::kOk) << i;
                ASSERT_EQ(host.output(), host.expected()) << i;
            }
        }
        EXPECT_GE(shim().two_queues.submissions().at(0), 50U);
        EXPECT_GE(shim().two_queues.submissions().at(1), 50U);
        expect_nothing_left();
    }
}

// Scripts of the proofs' generator: traces, transfers and events on both queues, up to two scripts under way. What
// each step means is computed beside it, command by command.
TEST_F(VulkanTwoQueues, GiveWhatScriptsMeanInEveryOrder) {
    std::uint32_t waits = 0U;
    std::uint32_t overtakes = 0U;
    for (const Order order : kOrders) {
        shim().clear();
        shim().two_queues = TwoQueues{order, 7U};
        {
            Opened opened{small_machine()};
            static_cast<void>(test::for_accepted_cases(kCases, kSeed, [&opened](const test::SmallCase& small) {
                SCOPED_TRACE(text_of(small));
                test::Performance performance{small, opened.device, opened.platform, kSeed};
                performance.run();
            }));
        }
        waits += shim().two_queues.waits();
        overtakes += shim().two_queues.overtakes();
        expect_nothing_left();
    }
    EXPECT_GE(waits, kCases / 3U) << "queues hardly wait for each other";
    EXPECT_GE(overtakes, kCases) << "every order is the same";
    std::cout << kCases << " scripts in " << kOrders.size() << " orders: " << waits << " waits, " << overtakes
              << " submissions that overtake\n";
}

TEST_F(VulkanTwoQueues, TheTestSeesAWaitInFrontOfItsRecord) {
    TwoQueues queues{Order::kAsSubmitted};
    const std::uint64_t waited = 1U;
    VkTimelineSemaphoreSubmitInfo values{};
    values.waitSemaphoreValueCount = 1U;
    values.pWaitSemaphoreValues = &waited;
    VkSemaphore semaphore = VK_NULL_HANDLE;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    VkSubmitInfo info{};
    info.pNext = &values;
    info.waitSemaphoreCount = 1U;
    info.pWaitSemaphores = &semaphore;
    info.pWaitDstStageMask = &stage;
    const auto pass = [](VkQueue /*queue*/, const VkSubmitInfo& /*info*/) { return VK_SUCCESS; };
    EXPECT_EQ(queues.submit(queues.queue(VK_NULL_HANDLE, 1U), info, pass), VK_SUCCESS);
    EXPECT_EQ(queues.errors(), std::vector<std::string>{"a wait is submitted before its record"});
}

}  // namespace
}  // namespace pianola::vulkan
