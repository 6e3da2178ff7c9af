// interleave BINARY INPUT OUTPUT LOG SEEDS: the same load and step again and again, each time with another seed of the
// moments at which cores give way to one another. With 0 seeds once, and nobody gives way.
//
// With a seventh word, the steps behind the first get another input: the comparison must then fail.
//
// Prints a line for each seed: a hash of the order in which cores did what they did. Outputs and execution logs of all
// steps must be those of the first one, which the host compares with the simulator's.
#include <algorithm>
#include <array>
#include <cstring>

#include "hal/boards/common/board.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/probed/preemption.h"
#include "tests/baremetal/probed/probe.h"

namespace pianola::baremetal {
namespace {

using Logs = decltype(refdev::SharedState::logs);

// Of the first step: outputs and logs that all others must have.
struct Expected {
    MutableByteSpan output;
    Logs logs;
};

struct State {
    Bench bench{refdev::FaultScript{}};
    Expected expected;
};

State& state() noexcept {
    static State the_state;
    return the_state;
}

ByteSpan bytes_of(const Logs& logs) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return {reinterpret_cast<const std::uint8_t*>(logs.data()), sizeof(logs)};
}

// Without idling: preemption lets the others run, and where all cores sleep an emulator's run does not come again
// exactly.
[[nodiscard]] Status finish_looking() noexcept {
    Status status = Status::kPending;
    std::uint32_t seen = preemptions();
    while (status == Status::kPending) {  // ends at the deadline
        if (seen != preemptions()) {      // the first look since somebody gave way
            seen = preemptions();
            note_look();
        }
        may_give_way(kEcuCoreLooks);
        status = state().bench.session.poll();
    }
    return status;
}

// From a fresh load, so that logs and digests depend on nothing that was before.
[[nodiscard]] bool step(ByteSpan file, ByteSpan input, bool is_preempted) noexcept {
    Bench& bench = state().bench;
    MutableByteSpan view;
    if (!load_binary(bench, file) || !is_ok(bench.session.input_view(0U, view))) {
        return false;
    }
    std::copy(input.begin(), input.end(), view.begin());
    start_recording();
    Status status = bench.session.submit();
    if (is_ok(status)) {
        status = is_preempted ? finish_looking() : finish(bench);
    }
    if (!is_ok(status)) {
        report_fault(bench.session.fault());
    }
    return is_ok(status);
}

[[nodiscard]] bool is_same(ByteSpan first, ByteSpan second) noexcept {
    return std::equal(first.begin(), first.end(), second.begin(), second.end());
}

// The line of one seed.
void print_order(std::uint32_t seed, const Order& order) noexcept {
    semihosting::print("seed ");
    semihosting::print_number(seed);
    semihosting::print(" order ");
    semihosting::print_hex(order.hash);
    semihosting::print(" events ");
    semihosting::print_number(order.events);
    semihosting::print(" preemptions ");
    semihosting::print_number(order.preemptions);
    semihosting::print(order.complete ? "\n" : " incomplete\n");
}

[[nodiscard]] bool keep(LoadArea& area, const Arguments& arguments) noexcept {
    ByteSpan output;
    Expected& expected = state().expected;
    expected.output = area.allocate(state().bench.session.output_bytes());
    if (!is_ok(state().bench.session.output_view(0U, output)) || expected.output.empty()) {
        return false;
    }
    std::copy(output.begin(), output.end(), expected.output.begin());
    expected.logs = board::shared_state().logs;
    return semihosting::store_file(arguments.at(3U), expected.output) &&
           semihosting::store_file(arguments.at(4U), bytes_of(expected.logs));
}

[[nodiscard]] bool is_as_expected(std::uint32_t seed) noexcept {
    ByteSpan output;
    const Expected& expected = state().expected;
    const bool same_output = is_ok(state().bench.session.output_view(0U, output)) && is_same(output, expected.output);
    const bool same_logs = is_same(bytes_of(board::shared_state().logs), bytes_of(expected.logs));
    if (!same_output || !same_logs) {
        report(same_output ? "other_log_with_seed" : "other_output_with_seed", seed);
    }
    return same_output && same_logs;
}

}  // namespace

std::int32_t test_interleave(const Arguments& arguments) noexcept {
    if (arguments.count() < 6U) {
        return kWrongUsage;
    }
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const MutableByteSpan input = area.load(arguments.at(2U));
    if (file.empty() || input.empty()) {
        return kNotLoaded;
    }
    const std::uint32_t seeds = arguments.number_at(5U);
    if (seeds == 0U) {
        return (step(file, input, false) && keep(area, arguments)) ? kPassed : kFailed;
    }
    const bool is_proof = arguments.count() > 6U;
    for (std::uint32_t seed = 1U; seed <= seeds; ++seed) {
        if (is_proof && (seed == 2U)) {
            std::reverse(input.begin(), input.end());
        }
        start_preemption(seed);
        if (!step(file, input, true)) {
            return kFailed;
        }
        print_order(seed, recorded_order());
        if (!((seed == 1U) ? keep(area, arguments) : is_as_expected(seed))) {
            return kFailed;
        }
    }
    report("seeds", seeds);
    return kPassed;
}

}  // namespace pianola::baremetal
