#include "tests/baremetal/board_tests/counted.h"

#include <algorithm>

#include "hal/boards/common/board.h"
#include "hal/boards/common/shared_memory.h"

namespace pianola::baremetal {
namespace {

// Between the last command of a queue and its completion record, and the signal behind that.
constexpr std::uint64_t kSettleUs = 50U;

}  // namespace

bool device_is_busy() noexcept {
    const auto& queues = board::shared_state().queues;
    return std::any_of(queues.begin(), queues.end(), [](const refdev::QueueMemory& queue) {
        return (queue.stopped.load(std::memory_order_acquire) == 0U) &&
               (queue.consumed.load(std::memory_order_acquire) != queue.published.load(std::memory_order_relaxed));
    });
}

void CountedLink::wait_for_device() noexcept {
    while (device_is_busy()) {  // ends with the emulator's time limit, where the device never finishes
        static_cast<void>(link_.service());
        link_.relax();
    }
    const std::uint64_t finished_us = board::now_us();
    while ((board::now_us() - finished_us) < kSettleUs) {
        static_cast<void>(link_.service());
        link_.relax();
    }
}

Status CountedLink::service() noexcept {
    if (counted_ == Counted::kDevice) {
        pianola_count_resume();
        const Status status = link_.service();
        pianola_count_pause();
        return status;
    }
    pianola_count_pause();
    const Status status = link_.service();
    pianola_count_resume();
    return status;
}

void CountedLink::relax() noexcept {
    if (counted_ == Counted::kDevice) {
        link_.relax();
        return;
    }
    pianola_count_pause();
    link_.relax();
    pianola_count_resume();
}

void CountedPlatform::idle() noexcept {
    pianola_count_pause();
    link_.wait_for_device();
    pianola_count_resume();
}

}  // namespace pianola::baremetal
