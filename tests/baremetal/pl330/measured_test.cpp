// What a session on the engine costs the ECU core.
//
// stack BINARY: how much of its stack load(), submit() and poll() really use.
// count BINARY [verified]: between the instruction counter's markers one validation, one load, and some steps with
//     zero-copy I/O. A step is input_view(), submit(), every poll() up to the one that returns kOk, and output_view():
//     this core hands the engine program after program, so that polling is its work. The engine moves its bytes
//     meanwhile, and takes no instruction of this core.
// ram: bytes of the objects that an application makes.
#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/counted.h"
#include "tests/baremetal/board_tests/painted_stack.h"
#include "tests/baremetal/pl330/engine_bench.h"
#include "tests/pl330/exchange.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kSteps = 3U;

struct Measured {
    ByteSpan file;
    DeviceDescription description;
    Image image;
    Plan plan;
    SessionConfig config{kDevelopmentTrust, Release::kAtCompletion, Evidence::kNotification};
    Session session{engine_bench().device, engine_bench().platform, engine_bench().command_set, config};
};

Measured& measured() noexcept {
    static Measured the_measured;
    return the_measured;
}

Status load() noexcept {
    return measured().session.load(measured().file, engine_bench().workspace, engine_bench().verdict);
}

Status submit() noexcept {
    return measured().session.submit();
}

Status poll() noexcept {
    return measured().session.poll();
}

// Fills the input of the next step with bytes made from `seed`.
[[nodiscard]] Status fill(MutableByteSpan input, std::uint32_t seed) noexcept {
    if (input.size() != test::kExchangeInput) {
        return Status::kInvalidArgument;
    }
    test::fill_input(input, seed);
    return Status::kOk;
}

[[nodiscard]] Status counted_validation() noexcept {
    Measured& made_before_counting = measured();
    EngineBench& bench = engine_bench();
    Status status = bench.device.describe(made_before_counting.description);
    if (!is_ok(status)) {
        return status;
    }
    pianola_count_begin();
    status = validate(made_before_counting.file, made_before_counting.description, bench.command_set, kDevelopmentTrust,
                      bench.workspace, made_before_counting.image, made_before_counting.plan, bench.verdict);
    pianola_count_end();
    return status;
}

[[nodiscard]] Status counted_load() noexcept {
    pianola_count_begin();
    const Status status = load();
    pianola_count_end();
    return status;
}

// Up to the output, which must be the program's.
[[nodiscard]] Status counted_step(std::uint32_t seed) noexcept {
    const Session& session = measured().session;
    MutableByteSpan input;
    pianola_count_begin();
    Status status = session.input_view(0U, input);
    pianola_count_end();
    status = is_ok(status) ? fill(input, seed) : status;
    if (!is_ok(status)) {
        return status;
    }
    ByteSpan output;
    pianola_count_begin();
    status = submit();
    status = is_ok(status) ? Status::kPending : status;
    while (status == Status::kPending) {  // ends at the deadline
        status = poll();
    }
    status = is_ok(status) ? session.output_view(0U, output) : status;
    pianola_count_end();
    const bool is_right =
        is_ok(status) && (output.size() == test::kExchangeOutput) && (test::exchange_errors(input, output) == 0U);
    return (is_ok(status) && !is_right) ? Status::kInvalidState : status;
}

struct Usage {
    std::uint32_t load{0U};
    std::uint32_t submit{0U};
    std::uint32_t poll{0U};
};

[[nodiscard]] Status painted_step(std::uint32_t seed, Usage& usage) noexcept {
    MutableByteSpan input;
    Status status = measured().session.input_view(0U, input);
    status = is_ok(status) ? fill(input, seed) : status;
    status = is_ok(status) ? call_on_paint(submit, usage.submit) : status;
    status = is_ok(status) ? Status::kPending : status;
    while (status == Status::kPending) {  // ends at the deadline
        status = call_on_paint(poll, usage.poll);
    }
    return status;
}

}  // namespace

std::int32_t test_engine_stack(const Arguments& arguments) noexcept {
    LoadArea area;
    measured().file = area.load(arguments.at(1U));
    Usage usage;
    if (measured().file.empty() || !is_ok(call_on_paint(load, usage.load))) {
        return kNotLoaded;
    }
    for (std::uint32_t step = 0U; step < kSteps; ++step) {
        if (!is_ok(painted_step(step + 1U, usage))) {
            report_fault(measured().session.fault());
            return kFailed;
        }
    }
    report("load_stack", usage.load);
    report("submit_stack", usage.submit);
    report("poll_stack", usage.poll);
    return kPassed;
}

std::int32_t test_engine_count(const Arguments& arguments) noexcept {
    LoadArea area;
    measured().file = area.load(arguments.at(1U));
    if (arguments.count() > 2U) {
        measured().config.release = Release::kVerified;
    }
    if (measured().file.empty() || !is_ok(counted_validation()) || !is_ok(counted_load())) {
        return kNotLoaded;
    }
    for (std::uint32_t step = 0U; step < kSteps; ++step) {
        if (!is_ok(counted_step(step + 1U))) {
            report_fault(measured().session.fault());
            return kFailed;
        }
    }
    report("steps", kSteps);
    report("slices", measured().session.scrub_calls());
    return kPassed;
}

std::int32_t test_engine_ram(const Arguments& /*arguments*/) noexcept {
    report("session_bytes", sizeof(Session));
    report("plan_workspace_bytes", sizeof(PlanWorkspace));
    report("verdict_bytes", sizeof(Verdict));
    report("driver_bytes", sizeof(pl330::Pl330Driver));
    return kPassed;
}

}  // namespace pianola::baremetal
