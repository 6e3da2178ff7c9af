// faults BINARY INPUT KIND NUMBER [views|transfers]: one good step, one that goes wrong, and what becomes of it.
//
//   doorbell NUMBER      the doorbell of this number, counted from the start of load(), does not arrive
//   completion NUMBER    the completion of this number is not reported, nor any after it on its queue
//   dead NUMBER          the core that serves queue 0 answers nothing more after this many commands of the second step
//
// With NUMBER 0 nothing goes wrong. Reports what it finds; the host judges.
#include <algorithm>
#include <array>
#include <cstring>

#include "hal/boards/common/board.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/probed/probe.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint8_t kMark = 0xC3U;  // in memory that a step may not write

bool is_kind(const Arguments& arguments, const char* kind) noexcept {
    return std::strcmp(arguments.at(3U), kind) == 0;
}

refdev::FaultScript script_of(const Arguments& arguments) noexcept {
    refdev::FaultScript script;
    script.lose_doorbell = is_kind(arguments, "doorbell") ? arguments.number_at(4U) : 0U;
    script.lose_completion = is_kind(arguments, "completion") ? arguments.number_at(4U) : 0U;
    return script;
}

// Memory of the application.
struct Memory {
    ByteSpan input;
    MutableByteSpan result;   // a copy of what the good step gave
    MutableByteSpan bound;    // where transfers put outputs
    MutableByteSpan guarded;  // the same with marks on both sides
};

class FaultTest {
  public:
    FaultTest(const Arguments& arguments, Bench& bench) noexcept
        : bench_{bench}, transfers_{(arguments.count() > 5U) && (std::strcmp(arguments.at(5U), "transfers") == 0)} {}

    [[nodiscard]] bool prepare(LoadArea& area, ByteSpan input) noexcept {
        constexpr std::uint32_t kGuardBytes = 64U;
        const std::uint32_t output_bytes = bench_.session.output_bytes();
        memory_.input = input;
        memory_.result = area.allocate(output_bytes);
        memory_.guarded = area.allocate(output_bytes + (2U * kGuardBytes));
        memory_.bound = memory_.guarded.subspan(kGuardBytes, output_bytes);
        std::fill(memory_.guarded.begin(), memory_.guarded.end(), kMark);
        return !memory_.result.empty() && !memory_.guarded.empty();
    }

    [[nodiscard]] Status step() noexcept {
        Status status = start();
        if (is_ok(status)) {
            status = finish(bench_);
        }
        return status;
    }

    // That queue 0 executes in one step. Transfers are two of them: one input, one output.
    [[nodiscard]] std::uint32_t commands() const noexcept {
        constexpr std::uint32_t kTransferCommands = 2U;
        return bench_.session.plan().step.executed_commands[0][0] - (transfers_ ? 0U : kTransferCommands);
    }

    // The output of the last step, wherever it is.
    [[nodiscard]] ByteSpan output() const noexcept {
        ByteSpan view = memory_.bound;
        if (!transfers_) {
            static_cast<void>(bench_.session.output_view(0U, view));
        }
        return view;
    }

    void keep_result() const noexcept {
        const ByteSpan good = output();
        std::copy(good.begin(), good.end(), memory_.result.begin());
        std::fill(memory_.bound.begin(), memory_.bound.end(), kMark);
    }
    [[nodiscard]] bool is_result(ByteSpan output) const noexcept {
        return std::equal(output.begin(), output.end(), memory_.result.begin(), memory_.result.end());
    }

    // After a step that went wrong.
    void report_aftermath(std::uint64_t ended_us) noexcept {
        const FaultRecord& fault = bench_.session.fault();
        report_fault(fault);
        report("noticed_after_us", fault.time_us - fault.started_us);
        report("ended_after_us", ended_us - fault.started_us);
        report("safe_state_entries", bench_.platform.safe_state_entries());
        report("watchdog", bench_.platform.watchdog_services());
        report_memory();
        report_refusals();
        report("safe_state_entries_later", bench_.platform.safe_state_entries());
    }

  private:
    [[nodiscard]] Status start() noexcept {
        if (transfers_) {
            const std::array<ByteSpan, 1U> inputs{memory_.input};
            const std::array<MutableByteSpan, 1U> outputs{memory_.bound};
            return bench_.session.submit(inputs, outputs);
        }
        MutableByteSpan view;
        const Status status = bench_.session.input_view(0U, view);
        if (!is_ok(status)) {
            return status;
        }
        std::copy(memory_.input.begin(), memory_.input.end(), view.begin());
        return bench_.session.submit();
    }

    static std::uint32_t count_of(ByteSpan bytes, std::uint8_t value) noexcept {
        return static_cast<std::uint32_t>(std::count(bytes.begin(), bytes.end(), value));
    }

    // What was bound holds zeros where transfers were under way, and is as it was where not; around it nothing may
    // change.
    void report_memory() const noexcept {
        const std::uint32_t bound = static_cast<std::uint32_t>(memory_.bound.size());
        const std::uint32_t marks_in_bound = count_of(memory_.bound, kMark);
        report("output_bytes", bound);
        report("bound_zeros", count_of(memory_.bound, 0U));
        report("bound_marks", marks_in_bound);
        report("guard_changed", static_cast<std::uint32_t>(memory_.guarded.size()) - bound -
                                    (count_of(memory_.guarded, kMark) - marks_in_bound));
    }

    void report_refusals() noexcept {
        MutableByteSpan input;
        ByteSpan output;
        report("later_input_view", static_cast<std::uint32_t>(bench_.session.input_view(0U, input)));
        report("later_output_view", static_cast<std::uint32_t>(bench_.session.output_view(0U, output)));
        report("later_views_empty", (input.empty() && output.empty()) ? 1U : 0U);
        report("later_poll", static_cast<std::uint32_t>(bench_.session.poll()));
        report("later_submit", static_cast<std::uint32_t>(bench_.session.submit()));
        const std::array<ByteSpan, 1U> inputs{memory_.input};
        const std::array<MutableByteSpan, 1U> outputs{memory_.bound};
        report("later_transfers", static_cast<std::uint32_t>(bench_.session.submit(inputs, outputs)));
    }

    Bench& bench_;
    bool transfers_;
    Memory memory_;
};

}  // namespace

std::int32_t test_faults(const Arguments& arguments) noexcept {
    if (arguments.count() < 5U) {
        return kWrongUsage;
    }
    static Bench bench{script_of(arguments), refdev::kResetLimitUs};
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan input = area.load(arguments.at(2U));
    FaultTest test{arguments, bench};
    if (file.empty() || input.empty() || !load_binary(bench, file) || !test.prepare(area, input)) {
        return kNotLoaded;
    }
    const Status good = test.step();
    if (!is_ok(good)) {
        report_fault(bench.session.fault());
        return kFailed;
    }
    test.keep_result();
    if (is_kind(arguments, "dead")) {
        stop_core_after(0U, arguments.number_at(4U));
    }
    const Status status = test.step();
    report("status", static_cast<std::uint32_t>(status));
    report("step_commands", test.commands());
    if (is_ok(status)) {  // nothing was to go wrong
        report("safe_state_entries", bench.platform.safe_state_entries());
        return kPassed;
    }
    test.report_aftermath(board::now_us());

    // A load is what ends a fault, where the device can be reset.
    const Status reloaded = bench.session.load(file, bench.workspace, bench.verdict);
    report("reloaded", static_cast<std::uint32_t>(reloaded));
    if (is_ok(reloaded)) {
        report("replayed", static_cast<std::uint32_t>(test.step()));
        report("replayed_right", test.is_result(test.output()) ? 1U : 0U);
    }
    return kPassed;
}

}  // namespace pianola::baremetal
