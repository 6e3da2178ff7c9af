// forced BINARY all|without_event|without_record: the step of a binary that was accepted, without a session: queue 1's
// doorbell first, as any order is permitted, and with an event left out.
#include <cstring>

#include "hal/boards/common/board.h"
#include "tests/baremetal/pl330/engine_bench.h"
#include "tests/pl330/exchange.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kGatheredEvent = 1U;  // tests/pl330/workloads.h
constexpr std::uint32_t kToken = 1U;
constexpr std::uint32_t kTurns = 16U;  // more than queue 1 has programs
constexpr std::uint64_t kPatienceUs = 300'000U;

[[nodiscard]] bool is_left_out(const QueueCommand& command, bool without_record, bool without_wait) noexcept {
    return (command.event == kGatheredEvent) && (((command.kind == QueueCommandKind::kRecordEvent) && without_record) ||
                                                 ((command.kind == QueueCommandKind::kWaitEvent) && without_wait));
}

// Regions and host memory as the session has them; memory keeps traces and constants.
[[nodiscard]] bool prepare(const Plan& plan, const ExchangeMemory& memory) noexcept {
    pl330::Pl330Driver& device = engine_bench().device;
    bool is_ready = is_ok(device.reset());
    for (std::uint32_t i = 0U; i < plan.region_count; ++i) {
        is_ready = is_ok(device.program_region(plan.regions[i])) && is_ready;
    }
    return is_ready && is_ok(device.bind_source(kFirstInputSlot, memory.input)) &&
           is_ok(device.bind_destination(0U, memory.output));
}

class Numbers {
  public:
    [[nodiscard]] bool enqueue(std::uint32_t queue, QueueCommand command) noexcept {
        EngineBench& bench = engine_bench();
        if ((command.kind == QueueCommandKind::kRecordEvent) || (command.kind == QueueCommandKind::kWaitEvent)) {
            command.value = 1U;  // a session counts; in one step every event is recorded once
        }
        static_cast<void>(bench.command_set.seal(0U, next_[queue], 0U, command));
        next_[queue] += 1U;
        return is_ok(bench.device.enqueue(queue, command));
    }

  private:
    std::array<std::uint32_t, kMaxQueues> next_{};
};

}  // namespace

std::int32_t test_engine_forced(const Arguments& arguments) noexcept {
    if (arguments.count() < 3U) {
        return kWrongUsage;
    }
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ExchangeMemory memory = exchange_memory(area);
    if (file.empty() || memory.output.empty() || !load_for_engine(file)) {
        return kNotLoaded;
    }
    EngineBench& bench = engine_bench();
    const Plan& plan = bench.session.plan();
    const bool without_event = std::strcmp(arguments.at(2U), "without_event") == 0;
    const bool without_record = without_event || (std::strcmp(arguments.at(2U), "without_record") == 0);
    test::fill_input(memory.input, 7U);
    bool is_ready = prepare(plan, memory);
    Numbers numbers;
    for (std::uint32_t i = plan.step.first; i < (plan.step.first + plan.step.count); ++i) {
        const PlannedCommand& planned = plan.commands[i];
        if (!is_left_out(planned.command, without_record, without_event)) {
            is_ready = numbers.enqueue(planned.queue, planned.command) && is_ready;
        }
    }
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    notify.value = kToken;
    is_ready = numbers.enqueue(0U, notify) && numbers.enqueue(1U, notify) && is_ready;
    is_ready = is_ready && is_ok(bench.device.ring_doorbell(1U));
    // Each doorbell starts one program. Queue 0 brings the input and says so; then queue 1 is taken as far as it gets.
    is_ready = is_ready && is_ok(bench.device.ring_doorbell(0U)) && is_ok(bench.device.ring_doorbell(0U));
    for (std::uint32_t turn = 0U; turn < kTurns; ++turn) {
        is_ready = is_ready && is_ok(bench.device.ring_doorbell(1U));
    }
    report("status_1_before", bench.link.channel_status(1U));
    Completion completion;
    std::array<Status, kMaxQueues> done{Status::kPending, Status::kPending};
    const std::uint64_t rung_us = board::now_us();
    while (((done[0] == Status::kPending) || (done[1] == Status::kPending)) &&
           ((board::now_us() - rung_us) < kPatienceUs)) {
        static_cast<void>(bench.device.service());
        done[0] = bench.device.completion(0U, kToken, completion);
        done[1] = bench.device.completion(1U, kToken, completion);
    }
    report("ready", is_ready ? 1U : 0U);
    report("done_0", is_ok(done[0]) ? 1U : 0U);
    report("done_1", is_ok(done[1]) ? 1U : 0U);
    report("errors", test::exchange_errors(memory.input, memory.output));
    report("status_0", bench.link.channel_status(0U));
    report("status_1", bench.link.channel_status(1U));
    report("reset", is_ok(bench.device.reset()) ? 1U : 0U);
    report("status_1_after", bench.link.channel_status(1U));
    return kPassed;
}

}  // namespace pianola::baremetal
