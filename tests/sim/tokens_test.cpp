// Tokens of notifications count round: what is complete, and what is not yet.
#include <gtest/gtest.h>

#include "hal/devices/refdev/sim/sim_device.h"

namespace pianola::sim {
namespace {

// Tokens count for all queues together: a queue that only a prologue and an epilogue use may be idle for any number of
// steps.
TEST(QueueTokens, AQueueThatWasIdleForLongIsNotComplete) {
    constexpr std::uint32_t kAround = 4U;
    for (const std::uint32_t preset : {0x7FFF'FFFEU, 0xFFFF'FFFEU}) {
        for (const std::uint32_t first : {0U, 1U, 2U}) {  // 0: the queue has never been used
            for (std::uint32_t more = 0U; more <= kAround; ++more) {
                SimDevice device{SimOptions{}};
                ASSERT_EQ(device.reset(), Status::kOk);
                QueueCommand notify;
                notify.kind = QueueCommandKind::kNotify;
                Completion completion;
                if (first != 0U) {
                    notify.value = first;
                    ASSERT_EQ(device.append(1U, notify), Status::kOk);
                    ASSERT_EQ(device.ring_doorbell(1U), Status::kOk);
                    ASSERT_EQ(device.service(), Status::kOk);
                    ASSERT_EQ(device.completion(1U, first, completion), Status::kOk);
                }
                notify.value = preset + first + more;
                ASSERT_EQ(device.append(1U, notify), Status::kOk);
                ASSERT_EQ(device.ring_doorbell(1U), Status::kOk);
                EXPECT_EQ(device.completion(1U, notify.value, completion), Status::kPending) << notify.value;
                ASSERT_EQ(device.service(), Status::kOk);
                EXPECT_EQ(device.completion(1U, notify.value, completion), Status::kOk) << notify.value;
                EXPECT_EQ(completion.token, notify.value);
            }
        }
    }
}

// Of two under way, across the ends of the count.
TEST(QueueTokens, TwoUnderWayAreToldApart) {
    for (const std::uint32_t preset : {1U, 0x7FFF'FFFEU, 0xFFFF'FFFEU}) {
        SimDevice device{SimOptions{}};
        ASSERT_EQ(device.reset(), Status::kOk);
        QueueCommand notify;
        notify.kind = QueueCommandKind::kNotify;
        for (std::uint32_t i = 0U; i < 4U; ++i) {
            Completion completion;
            notify.value = preset + i;
            ASSERT_EQ(device.append(0U, notify), Status::kOk);
            ASSERT_EQ(device.ring_doorbell(0U), Status::kOk);
            ASSERT_EQ(device.service(), Status::kOk);
            EXPECT_EQ(device.completion(0U, notify.value, completion), Status::kOk);
            EXPECT_EQ(device.completion(0U, notify.value + 1U, completion), Status::kPending);
            if (i > 0U) {
                EXPECT_EQ(device.completion(0U, notify.value - 1U, completion), Status::kOk);
                EXPECT_EQ(completion.token, notify.value - 1U);
            }
        }
    }
}

}  // namespace
}  // namespace pianola::sim
