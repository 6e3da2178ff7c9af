// events: the engine's event flags against alternating records and waits, without a session.
#include "hal/boards/common/board.h"
#include "tests/baremetal/pl330/engine_bench.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kRawEvents = 0x024U;
constexpr std::uint32_t kEvent = 3U;
constexpr std::uint32_t kToken = 1U;
constexpr std::uint32_t kTurns = 16U;

class Queues {
  public:
    [[nodiscard]] bool enqueue(std::uint32_t queue, QueueCommandKind kind) noexcept {
        EngineBench& bench = engine_bench();
        QueueCommand command;
        command.kind = kind;
        command.event = (kind == QueueCommandKind::kNotify) ? 0U : kEvent;
        command.value = kToken;
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
    [[nodiscard]] static std::uint32_t is_done(std::uint32_t queue) noexcept {
        Completion completion;
        return is_ok(engine_bench().device.completion(queue, kToken, completion)) ? 1U : 0U;
    }

  private:
    std::array<std::uint32_t, kMaxQueues> next_{};
};

[[nodiscard]] std::uint32_t raw_event() noexcept {
    return (engine_bench().link.read(kRawEvents) >> kEvent) & 1U;
}

}  // namespace

std::int32_t test_engine_events(const Arguments& /*arguments*/) noexcept {
    pl330::Pl330Driver& device = engine_bench().device;
    // Two records before the first wait: the second is held back, else the engine would forget one of them.
    bool is_right = is_ok(device.reset());
    Queues queues;
    for (const QueueCommandKind kind :
         {QueueCommandKind::kRecordEvent, QueueCommandKind::kRecordEvent, QueueCommandKind::kNotify}) {
        is_right = queues.enqueue(0U, kind) && is_right;
    }
    for (const QueueCommandKind kind :
         {QueueCommandKind::kWaitEvent, QueueCommandKind::kWaitEvent, QueueCommandKind::kNotify}) {
        is_right = queues.enqueue(1U, kind) && is_right;
    }
    is_right = queues.run(0U) && is_right;
    report("held_back", 1U - Queues::is_done(0U));
    is_right = queues.run(1U) && queues.run(0U) && queues.run(1U) && is_right;
    report("done_0", Queues::is_done(0U));
    report("done_1", Queues::is_done(1U));
    // A reset removes a record that no thread has waited for.
    is_right = is_ok(device.reset()) && is_right;
    Queues more;
    is_right = more.enqueue(0U, QueueCommandKind::kRecordEvent) && more.run(0U) && is_right;
    report("sent", raw_event());
    is_right = is_ok(device.reset()) && is_right;
    report("forgotten", 1U - raw_event());
    return is_right ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
