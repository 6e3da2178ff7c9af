// A device that is lost: at every call that can say so, the fault latches on both queues and in the session, and
// opening anew works.
#include "tests/vulkan/driver/small_host.h"

namespace pianola::vulkan {
namespace {

constexpr std::uint32_t kSteps = 3U;
constexpr std::uint64_t kMostCallsOfProgram = 500U;  // of one kind, in a short program

struct Lost {
    const char* call;
    VkResult result;
    bool lasts;  // else the driver goes on as if nothing had been: what was lost stays so all the same
};
void PrintTo(const Lost& lost, std::ostream* out) {
    *out << lost.call << ' ' << name_of(lost.result) << (lost.lasts ? " for good" : " once");
}

class VulkanLost : public ShimTest, public testing::WithParamInterface<Lost> {
  protected:
    // Loads and runs; the first status that is not kOk.
    static Status run(SmallHost& host) {
        Status status = host.load();
        for (std::uint32_t i = 0U; is_ok(status) && (i < kSteps); ++i) {
            status = host.step(i);
            if (is_ok(status)) {
                EXPECT_EQ(host.output(), host.expected());
            }
        }
        return status;
    }
    static void expect_both_queues_lost(VulkanDevice& device) {
        for (std::uint32_t queue = 0U; queue < 2U; ++queue) {
            ASSERT_EQ(device.service(), Status::kOk);
            Completion completion;
            EXPECT_EQ(device.completion(queue, 1U, completion), Status::kDeviceFault) << queue;
            EXPECT_EQ(completion.fault, DeviceFault::kLost) << queue;
        }
    }
    // Latched in session and device, until it is opened anew.
    static void expect_latched(SmallHost& host) {
        EXPECT_EQ(host.session().fault().device_fault, DeviceFault::kLost);
        EXPECT_EQ(host.platform().safe_state_entries(), 1U);
        EXPECT_NE(host.step(9U), Status::kOk);
        EXPECT_EQ(host.platform().safe_state_entries(), 1U);
        expect_both_queues_lost(host.device());
        EXPECT_EQ(host.device().reset(), Status::kOk);
        expect_both_queues_lost(host.device());
        EXPECT_NE(host.load(), Status::kOk) << "a lost device is loaded";
        EXPECT_EQ(host.session().fault().device_fault, DeviceFault::kLost);
    }
};

using VulkanResets = ShimTest;

TEST_P(VulkanLost, LatchesAtEveryCall) {
    std::uint64_t number = 1U;
    for (; number <= kMostCallsOfProgram; ++number) {
        SCOPED_TRACE(number);
        shim().clear();
        shim().two_queues = TwoQueues{TwoQueues::Order::kAsSubmitted};
        shim().settles = true;
        shim().fail({GetParam().call, number, GetParam().result, GetParam().lasts});
        {
            SmallHost host{2U};
            const Status status = run(host);
            if (!shim().has_failed()) {
                EXPECT_EQ(status, Status::kOk);
                break;
            }
            EXPECT_EQ(status, Status::kDeviceFault);
            EXPECT_EQ(host.machine().why(), std::string{GetParam().call} + ": " + name_of(GetParam().result));
            expect_latched(host);
        }
        expect_nothing_left();
    }
    EXPECT_GT(number, 4U) << "the program has no such calls";
    EXPECT_LT(number, kMostCallsOfProgram);
    shim().clear();
    SmallHost anew{2U};
    EXPECT_EQ(run(anew), Status::kOk);
}

// A driver that has refused a call goes on with what it has: who resets may take that for stopped when it has ended.
TEST_F(VulkanResets, WaitUntilWhatWasSubmittedHasEnded) {
    std::uint32_t held = 0U;  // when the call was refused
    for (const std::uint64_t number : {2U, 3U, 6U}) {
        shim().clear();
        shim().two_queues = TwoQueues{TwoQueues::Order::kFirstFirst};
        SmallHost host{2U};
        ASSERT_EQ(host.load(), Status::kOk);
        VulkanDevice& device = host.device();
        shim().calls_for_one = 50U;
        shim().fail({"vkQueueSubmit", number, VK_ERROR_OUT_OF_HOST_MEMORY, false});
        QueueCommand notify;
        notify.kind = QueueCommandKind::kNotify;
        ASSERT_EQ(device.reset(), Status::kOk);
        for (std::uint32_t i = 1U; i <= number; ++i) {
            notify.value = i;
            for (std::uint32_t queue = 0U; queue < 2U; ++queue) {
                ASSERT_EQ(device.append(queue, notify), Status::kOk);
                ASSERT_EQ(device.ring_doorbell(queue), Status::kOk);
            }
        }
        while (!shim().has_failed()) {
            ASSERT_EQ(device.service(), Status::kOk);
        }
        held += (shim().two_queues.held() > 0U) ? 1U : 0U;
        ASSERT_EQ(device.reset(), Status::kOk);
        EXPECT_EQ(shim().two_queues.held(), 0U) << "submitted commands run after a reset";
    }
    EXPECT_EQ(held, 3U) << "there was nothing to wait for";
}

INSTANTIATE_TEST_SUITE_P(Calls, VulkanLost,
                         testing::Values(Lost{"vkQueueSubmit", VK_ERROR_DEVICE_LOST, true},
                                         Lost{"vkQueueSubmit", VK_ERROR_DEVICE_LOST, false},
                                         Lost{"vkQueueSubmit", VK_ERROR_OUT_OF_HOST_MEMORY, false},
                                         Lost{"vkGetSemaphoreCounterValue", VK_ERROR_DEVICE_LOST, true},
                                         Lost{"vkGetSemaphoreCounterValue", VK_ERROR_DEVICE_LOST, false},
                                         Lost{"vkWaitSemaphores", VK_ERROR_DEVICE_LOST, true},
                                         Lost{"vkWaitSemaphores", VK_TIMEOUT, false}));

}  // namespace
}  // namespace pianola::vulkan
