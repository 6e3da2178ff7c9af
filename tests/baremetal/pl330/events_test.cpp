// events: the engine's flags as events with values, without a session.
#include "hal/boards/common/board.h"
#include "tests/baremetal/pl330/engine_bench.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kRawEvents = 0x024U;
constexpr std::uint32_t kEvent = 3U;
constexpr std::uint32_t kTurns = 16U;

class Queues {
  public:
    [[nodiscard]] bool enqueue(std::uint32_t queue, QueueCommandKind kind, std::uint32_t value) noexcept {
        EngineBench& bench = engine_bench();
        QueueCommand command;
        command.kind = kind;
        command.event = (kind == QueueCommandKind::kNotify) ? 0U : kEvent;
        command.value = value;
        static_cast<void>(bench.command_set.seal(0U, next_[queue], 0U, command));
        next_[queue] += 1U;
        return is_ok(bench.device.enqueue(queue, command));
    }
    // As far as the queue gets by itself.
    [[nodiscard]] bool run(std::uint32_t queue) const noexcept {
        bool is_rung = true;
        for (std::uint32_t turn = 0U; turn < kTurns; ++turn) {
            is_rung = is_ok(engine_bench().device.ring_doorbell(queue)) && is_rung;
        }
        return is_rung;
    }
    [[nodiscard]] static std::uint32_t is_done(std::uint32_t queue, std::uint32_t token) noexcept {
        Completion completion;
        return is_ok(engine_bench().device.completion(queue, token, completion)) ? 1U : 0U;
    }

  private:
    std::array<std::uint32_t, kMaxQueues> next_{};
};

[[nodiscard]] std::uint32_t raw_event() noexcept {
    return (engine_bench().link.read(kRawEvents) >> kEvent) & 1U;
}

[[nodiscard]] std::uint32_t is_asleep() noexcept {
    constexpr std::uint32_t kStateMask = 0xFU;
    constexpr std::uint32_t kWaitsForEvent = 4U;
    return ((engine_bench().link.channel_status(1U) & kStateMask) == kWaitsForEvent) ? 1U : 0U;
}

}  // namespace

std::int32_t test_engine_events(const Arguments& /*arguments*/) noexcept {
    pl330::Pl330Driver& device = engine_bench().device;
    constexpr QueueCommandKind kRecord = QueueCommandKind::kRecordEvent;
    constexpr QueueCommandKind kWait = QueueCommandKind::kWaitEvent;
    constexpr QueueCommandKind kNotify = QueueCommandKind::kNotify;
    bool is_right = is_ok(device.reset());
    Queues queues;
    // Two records before the first wait: one flag, and both values.
    is_right = queues.enqueue(0U, kRecord, 1U) && queues.enqueue(0U, kRecord, 2U) && queues.enqueue(0U, kNotify, 1U) &&
               queues.run(0U) && is_right;
    report("recorded_twice", Queues::is_done(0U, 1U));
    is_right = queues.enqueue(1U, kWait, 1U) && queues.enqueue(1U, kWait, 2U) && queues.enqueue(1U, kNotify, 1U) &&
               queues.run(1U) && is_right;
    report("waited_twice", Queues::is_done(1U, 1U));
    // Nothing is recorded: the thread sleeps in the engine, until it is.
    is_right = queues.enqueue(1U, kWait, 3U) && queues.enqueue(1U, kNotify, 2U) && queues.run(1U) && is_right;
    report("asleep", is_asleep());
    is_right = queues.enqueue(0U, kRecord, 3U) && queues.run(0U) && queues.run(1U) && is_right;
    report("woken", Queues::is_done(1U, 2U));
    // The flag of an older record wakes nobody for good.
    is_right = queues.enqueue(0U, kRecord, 4U) && queues.run(0U) && queues.enqueue(1U, kWait, 5U) &&
               queues.enqueue(1U, kNotify, 3U) && queues.run(1U) && is_right;
    report("asleep_again", is_asleep());
    is_right = queues.enqueue(0U, kRecord, 5U) && queues.run(0U) && queues.run(1U) && is_right;
    report("woken_again", Queues::is_done(1U, 3U));
    // A reset removes a record that no thread has waited for.
    is_right = is_ok(device.reset()) && is_right;
    Queues more;
    is_right = more.enqueue(0U, kRecord, 1U) && more.run(0U) && is_right;
    report("sent", raw_event());
    is_right = is_ok(device.reset()) && is_right;
    report("forgotten", 1U - raw_event());
    return is_right ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
