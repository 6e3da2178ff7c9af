// faults BINARY KIND: one good step, one that goes wrong, and what becomes of it.
//
//   word TRACE WORD VALUE   a word of a trace in memory becomes this, in decimal
//   event NUMBER            a record sends another event
//   killed NUMBER           the same, and the thread that waits for it is killed
//   lost NUMBER             the engine does not get the command of this number
#include <cstring>

#include "hal/boards/common/board.h"
#include "tests/baremetal/pl330/engine_bench.h"
#include "tests/pl330/exchange.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kWaitingQueue = 1U;
constexpr std::uint64_t kUntilItWaitsUs = 50'000U;

[[nodiscard]] bool is_kind(const Arguments& arguments, const char* kind) noexcept {
    return std::strcmp(arguments.at(2U), kind) == 0;
}

// Where the replay of this trace begins.
[[nodiscard]] std::uint32_t trace_address(std::uint32_t trace) noexcept {
    const Plan& plan = engine_bench().session.plan();
    std::uint32_t address = 0U;
    for (std::uint32_t i = plan.step.first; i < (plan.step.first + plan.step.count); ++i) {
        const PlannedCommand& planned = plan.commands[i];
        if ((planned.command.kind == QueueCommandKind::kReplay) && (planned.trace == trace)) {
            address = planned.command.address;
        }
    }
    return address;
}

Status step_that_is_killed(const ExchangeMemory& memory) noexcept {
    EngineBench& bench = engine_bench();
    test::fill_input(memory.input, 2U);
    const std::array<ByteSpan, 1U> inputs{memory.input};
    const std::array<MutableByteSpan, 1U> outputs{memory.output};
    Status status = bench.session.submit(inputs, outputs);
    status = is_ok(status) ? Status::kPending : status;
    const std::uint64_t started_us = board::now_us();
    while ((status == Status::kPending) && ((board::now_us() - started_us) < kUntilItWaitsUs)) {
        status = bench.session.poll();
    }
    report("status_before", bench.link.channel_status(kWaitingQueue));
    bench.link.kill(kWaitingQueue);
    return (status == Status::kPending) ? bench.session.wait() : status;
}

Status step_that_fails(const Arguments& arguments, const ExchangeMemory& memory) noexcept {
    EngineBench& bench = engine_bench();
    if (is_kind(arguments, "word")) {
        const std::uint32_t address = trace_address(arguments.number_at(3U)) + (4U * arguments.number_at(4U));
        report("address", address);
        if (!is_ok(bench.device.patch_word(address, arguments.number_at(5U)))) {
            return Status::kInvalidArgument;
        }
    } else if (is_kind(arguments, "lost")) {
        bench.link.lose_command(arguments.number_at(3U));
    } else {
        bench.link.mistake_event(arguments.number_at(3U));
    }
    return is_kind(arguments, "killed") ? step_that_is_killed(memory) : exchange_step(memory, 2U);
}

}  // namespace

std::int32_t test_engine_faults(const Arguments& arguments) noexcept {
    if (arguments.count() < 4U) {
        return kWrongUsage;
    }
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ExchangeMemory memory = exchange_memory(area);
    if (file.empty() || memory.output.empty() || !load_for_engine(file)) {
        return kNotLoaded;
    }
    EngineBench& bench = engine_bench();
    if (!is_ok(exchange_step(memory, 1U)) || (test::exchange_errors(memory.input, memory.output) != 0U)) {
        return kFailed;
    }
    report("status", static_cast<std::uint32_t>(step_that_fails(arguments, memory)));
    report_fault(bench.session.fault());
    report("device_fault", static_cast<std::uint32_t>(bench.session.fault().device_fault));
    report("fault_address", bench.session.fault().address);
    report("safe_state_entries", bench.platform.safe_state_entries());
    std::uint32_t shown = 0U;
    for (const std::uint8_t byte : memory.output) {
        shown += (byte == 0U) ? 0U : 1U;
    }
    report("shown", shown);
    report("channel_0", bench.link.channel_status(0U));
    report("channel_1", bench.link.channel_status(1U));
    bench.link.mistake_event(kNever);
    bench.link.lose_command(0U);
    const bool recovers = load_for_engine(file) && is_ok(exchange_step(memory, 3U)) &&
                          (test::exchange_errors(memory.input, memory.output) == 0U);
    report("recovered", recovers ? 1U : 0U);
    return kPassed;
}

}  // namespace pianola::baremetal
