// replay BINARY STEPS [views|transfers]: so many steps of the exchange, each on another input.
// validate BINARY: what the validator of the board says.
// evidence BINARY: the same for a session that asks for a digest over what the device has executed.
#include <algorithm>
#include <cstring>

#include "hal/boards/common/board.h"
#include "pianola/development_config.h"
#include "tests/baremetal/pl330/engine_bench.h"
#include "tests/pl330/exchange.h"

namespace pianola::baremetal {
namespace {

// One step on the device's own memory. `errors` are bytes that are not the program's.
Status step_on_views(const ExchangeMemory& memory, std::uint32_t seed) noexcept {
    Session& session = engine_bench().session;
    MutableByteSpan input;
    Status status = session.input_view(0U, input);
    if (!is_ok(status)) {
        return status;
    }
    test::fill_input(memory.input, seed);
    std::copy(memory.input.begin(), memory.input.end(), input.begin());
    status = session.submit();
    status = is_ok(status) ? session.wait() : status;
    ByteSpan output;
    status = is_ok(status) ? session.output_view(0U, output) : status;
    if (is_ok(status)) {
        std::copy(output.begin(), output.end(), memory.output.begin());
    }
    return status;
}

}  // namespace

std::int32_t test_engine_replay(const Arguments& arguments) noexcept {
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
    const bool transfers = (arguments.count() > 3U) && (std::strcmp(arguments.at(3U), "transfers") == 0);
    const std::uint32_t steps = arguments.number_at(2U);
    report("views", bench.session.has_views() ? 1U : 0U);
    std::uint32_t right = 0U;
    const std::uint64_t started_us = board::now_us();
    for (std::uint32_t step = 0U; step < steps; ++step) {
        const Status status = transfers ? exchange_step(memory, step + 1U) : step_on_views(memory, step + 1U);
        if (!is_ok(status)) {
            report_fault(bench.session.fault());
            break;
        }
        right += (test::exchange_errors(memory.input, memory.output) == 0U) ? 1U : 0U;
    }
    report("right", right);
    // The vectors that the host captured on the reference device, before the program was lowered.
    const bool agrees = is_ok(bench.session.self_test(memory.output));
    report("self_tests", agrees ? bench.session.self_test_count() : 0U);
    report("watchdog", bench.platform.watchdog_services());
    report("waits_0", bench.link.waits(0U));
    report("waits_1", bench.link.waits(1U));
    report("us", board::now_us() - started_us);
    return (right == steps) ? kPassed : kFailed;
}

std::int32_t test_engine_validate(const Arguments& arguments) noexcept {
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    return (!file.empty() && load_for_engine(file)) ? kPassed : kNotLoaded;
}

std::int32_t test_engine_evidence(const Arguments& arguments) noexcept {
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    EngineBench& bench = engine_bench();
    static Session demanding{bench.device, bench.platform, bench.command_set, kDevelopmentConfig};
    const Status status = demanding.load(file, bench.workspace, bench.verdict);
    if (status == Status::kRefused) {
        report_verdict(bench.verdict);
    }
    return (!file.empty() && is_ok(status)) ? kPassed : kNotLoaded;
}

}  // namespace pianola::baremetal
