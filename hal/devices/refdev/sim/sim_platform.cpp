#include "hal/devices/refdev/sim/sim_platform.h"

#include <algorithm>
#include <thread>

namespace pianola::sim {
namespace {

constexpr std::uint64_t kPerMilli = 1000U;
constexpr std::uint64_t kIdleUs = 10U;              // one idle call of an in-process device that does not move
constexpr std::uint64_t kStallUs = 3'600'000'000U;  // longer than any deadline

}  // namespace

std::uint64_t SimPlatform::now_us() noexcept {
    const std::uint64_t clock_khz = device_.spec().clock_khz;
    return stalled_us_ +
           ((std::max(device_.now_cycles(), device_.time().cycles) * kPerMilli) / ((clock_khz == 0U) ? 1U : clock_khz));
}

void SimPlatform::idle() noexcept {
    if (device_.threading() == Threading::kInProcess) {
        stalled_us_ += kIdleUs;  // service() has advanced every queue as far as possible: only time can pass
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    const std::uint64_t progress = device_.time().moves.load(std::memory_order_relaxed);
    if (progress != last_progress_) {
        last_progress_ = progress;
        last_move_ = now;
    } else if ((now - last_move_) > stall_limit_) {
        stalled_us_ += kStallUs;
        last_move_ = now;
    } else {
        std::this_thread::yield();
    }
}

void SimPlatform::enter_safe_state(const FaultRecord& fault) noexcept {
    safe_state_entries_ += 1U;
    last_fault_ = fault;
}

Status SimPlatform::lowest_security_version(std::uint32_t& version) noexcept {
    version = security_version_;
    return counter_answer_;
}

Status SimPlatform::raise_security_version(std::uint32_t version) noexcept {
    if (is_ok(counter_answer_)) {
        security_version_ = version;
    }
    return counter_answer_;
}

}  // namespace pianola::sim
