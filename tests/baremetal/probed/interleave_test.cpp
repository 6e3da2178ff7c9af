// interleave BINARY INPUT OUTPUT LOG FIRST_SEED SEED_COUNT: the same step again and again, each time with other moments at which cores
// give way to one another.
//
// Prints a line for each seed: a hash of the order in which cores did what they did. Outputs and execution logs of all steps must be
// those of the first one, which nothing preempts, and which the host compares with the simulator's.
#include <algorithm>
#include <array>
#include <cstring>

#include "hal/board/board.h"
#include "hal/board/semihosting.h"
#include "hal/board/shared_memory.h"
#include "tests/baremetal/bench.h"
#include "tests/baremetal/probed/preemption.h"
#include "tests/baremetal/probed/probe.h"

namespace pianola::baremetal {
namespace {

using Logs = decltype(refdev::SharedState::logs);

struct State {
    Bench bench{refdev::FaultScript{}};
    Logs first_logs;
};

State& state() noexcept {
    static State the_state;
    return the_state;
}

ByteSpan bytes_of(const Logs& logs) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return {reinterpret_cast<const std::uint8_t*>(logs.data()), sizeof(logs)};
}

[[nodiscard]] Status finish_looking() noexcept {
    Bench& bench = state().bench;
    Status status = Status::kPending;
    while (status == Status::kPending) {  // ends at the deadline
        note_look();
        may_give_way(kEcuCoreLooks);
        status = bench.session.poll();
        if (status == Status::kPending) {
            bench.platform.idle();
        }
    }
    return status;
}

// From a fresh load, so that logs and digests depend on nothing that was before.
[[nodiscard]] bool step(ByteSpan file, ByteSpan input, std::uint32_t seed, bool is_preempted) noexcept {
    Bench& bench = state().bench;
    MutableByteSpan view;
    if (!load_binary(bench, file) || !is_ok(bench.session.input_view(0U, view))) {
        return false;
    }
    std::copy(input.begin(), input.end(), view.begin());
    start_recording();
    if (is_preempted) {
        start_preemption(seed);
    }
    Status status = bench.session.submit();
    if (is_ok(status)) {
        status = finish_looking();
    }
    stop_preemption();
    if (!is_ok(status)) {
        report_fault(bench.session.fault());
    }
    return is_ok(status);
}

[[nodiscard]] bool is_same(ByteSpan first, ByteSpan second) noexcept {
    return std::equal(first.begin(), first.end(), second.begin(), second.end());
}

// The line of one seed.
void print_order(std::uint32_t seed, const Order& order, std::uint32_t given_way) noexcept {
    semihosting::print("seed ");
    semihosting::print_number(seed);
    semihosting::print(" order ");
    semihosting::print_hex(order.hash);
    semihosting::print(" events ");
    semihosting::print_number(order.events);
    semihosting::print(" preemptions ");
    semihosting::print_number(given_way);
    semihosting::print(order.complete ? "\n" : " incomplete\n");
}

[[nodiscard]] bool run_seed(ByteSpan file, ByteSpan input, ByteSpan expected, std::uint32_t seed) noexcept {
    const std::uint32_t before = preemptions();
    if (!step(file, input, seed, true)) {
        return false;
    }
    print_order(seed, recorded_order(), preemptions() - before);
    ByteSpan output;
    const bool same_output = is_ok(state().bench.session.output_view(0U, output)) && is_same(output, expected);
    const bool same_logs = is_same(bytes_of(board::shared_state().logs), bytes_of(state().first_logs));
    if (!same_output || !same_logs) {
        report(same_output ? "other_log_with_seed" : "other_output_with_seed", seed);
    }
    return same_output && same_logs;
}

}  // namespace

std::int32_t test_interleave(const Arguments& arguments) noexcept {
    if (arguments.count() < 7U) {
        return kWrongUsage;
    }
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan input = area.load(arguments.at(2U));
    if (file.empty() || input.empty() || !step(file, input, 0U, false)) {
        return kNotLoaded;
    }
    const Order undisturbed = recorded_order();
    ByteSpan output;
    const MutableByteSpan expected = area.allocate(state().bench.session.output_bytes());
    if (!is_ok(state().bench.session.output_view(0U, output)) || expected.empty()) {
        return kFailed;
    }
    std::copy(output.begin(), output.end(), expected.begin());
    state().first_logs = board::shared_state().logs;
    print_order(0U, undisturbed, 0U);
    if (!semihosting::store_file(arguments.at(3U), expected) ||
        !semihosting::store_file(arguments.at(4U), bytes_of(state().first_logs))) {
        return kFailed;
    }
    const std::uint32_t first = arguments.number_at(5U);
    const std::uint32_t count = arguments.number_at(6U);
    for (std::uint32_t seed = first; seed < (first + count); ++seed) {
        if (!run_seed(file, input, expected, seed)) {
            return kFailed;
        }
    }
    report("seeds", count);
    return kPassed;
}

}  // namespace pianola::baremetal
