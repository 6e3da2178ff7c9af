// Captured workloads on two queues: the guide's patterns, and what is said where an event is missing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/api/capture_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::CapturedWorkload;
using host::HostRule;
using host::Memory;
using host::Program;
using host::TraceId;
using host::WorkloadCapture;

// The guide's pattern with one queue for inputs and one for everything else.
CapturedWorkload capture_write_queue(bool traced) {
    const auto device = host::open_device(small_device(2U));
    const BufferPtr input = device->allocate(flat(512U));
    const BufferPtr working = device->allocate(flat(512U, Memory::kL1));
    const BufferPtr output = device->allocate(flat(512U));
    Program take = constant_program(input, working, 1, "take");
    Program model = constant_program(working, output, 2, "model");
    device->compile(take);
    device->compile(model);
    TraceId trace;
    if (traced) {
        trace = device->begin_trace_capture(0U);
        device->enqueue_program(0U, model);
        device->end_trace_capture(0U, trace);
    }
    WorkloadCapture capture{device};
    capture.declare_input(input, tensor("in", 512U));
    capture.declare_output(output, tensor("out", 512U));
    const host::EventId op = device->create_event();
    const host::EventId write = device->create_event();
    device->record_event(0U, op);  // the dummy record, before the loop
    for (std::uint32_t i = 0U; i < 3U; ++i) {
        capture.begin_step();
        device->wait_for_event(1U, op);
        device->enqueue_write(1U, input, view(pattern(512U, i)));
        device->record_event(1U, write);
        device->wait_for_event(0U, write);
        device->enqueue_program(0U, take);
        device->record_event(0U, op);
        if (traced) {
            device->execute_trace(0U, trace);
        } else {
            device->enqueue_program(0U, model);
        }
        (void)device->enqueue_read(0U, output);
    }
    CapturedWorkload workload = capture.end();
    expect_verified(workload, device->spec());
    expect_model(workload, device->spec(), 512U, [](const Bytes& bytes) { return plus(plus(bytes, 1), 2); });
    return workload;
}

TEST(Capture, AQueueForInputs) {
    for (const bool traced : {false, true}) {
        const CapturedWorkload workload = capture_write_queue(traced);
        EXPECT_EQ(workload.steps, 3U);
        EXPECT_EQ(workload.manifest.steps_in_flight, 2U);
        EXPECT_EQ(workload.manifest.traces.size(), 2U);
        EXPECT_EQ(script_kinds(workload),
                  (std::vector<ScriptKind>{ScriptKind::kSetup, ScriptKind::kPrologue, ScriptKind::kStep}));
        EXPECT_EQ(commands_of(workload, ScriptKind::kPrologue),
                  (std::vector<ScriptCommandKind>{ScriptCommandKind::kRecordEvent}));
        EXPECT_EQ(commands_of(workload, ScriptKind::kStep),
                  (std::vector<ScriptCommandKind>{ScriptCommandKind::kWaitEvent, ScriptCommandKind::kWriteInput,
                                                  ScriptCommandKind::kRecordEvent, ScriptCommandKind::kWaitEvent,
                                                  ScriptCommandKind::kReplayTrace, ScriptCommandKind::kRecordEvent,
                                                  ScriptCommandKind::kReplayTrace, ScriptCommandKind::kReadOutput}));
    }
}

// The guide's second pattern: queue 1 does all I/O, a step ahead.
TEST(Capture, AQueueForAllTransfers) {
    const auto device = host::open_device(small_device(2U));
    const BufferPtr input = device->allocate(flat(512U));
    const BufferPtr working = device->allocate(flat(512U, Memory::kL1));
    const BufferPtr result = device->allocate(flat(512U, Memory::kL1));
    const BufferPtr output = device->allocate(flat(512U));
    Program take = constant_program(input, working, 1, "take");
    Program model = constant_program(working, result, 2, "model");
    Program give = constant_program(result, output, 3, "give");
    for (Program* const program : {&take, &model, &give}) {
        device->compile(*program);
    }
    WorkloadCapture capture{device};
    capture.declare_input(input, tensor("in", 512U));
    capture.declare_output(output, tensor("out", 512U));
    const host::EventId first_op = device->create_event();
    const host::EventId write = device->create_event();
    const host::EventId last_op = device->create_event();
    const host::EventId fetched = device->create_event();
    std::uint32_t seed = 0U;
    const auto next_input = [&] {
        device->wait_for_event(1U, first_op);
        device->enqueue_write(1U, input, view(pattern(512U, seed)));
        seed += 1U;
        device->record_event(1U, write);
    };
    const auto compute = [&] {
        device->wait_for_event(0U, write);
        device->enqueue_program(0U, take);
        device->record_event(0U, first_op);
        device->enqueue_program(0U, model);
        device->wait_for_event(0U, fetched);
        device->enqueue_program(0U, give);
        device->record_event(0U, last_op);
    };
    const auto fetch = [&] {
        device->wait_for_event(1U, last_op);
        (void)device->enqueue_read(1U, output);
        device->record_event(1U, fetched);
    };
    capture.begin_prologue();
    device->record_event(0U, first_op);
    device->record_event(1U, fetched);
    next_input();
    for (int i = 0; i < 4; ++i) {
        capture.begin_step();
        compute();
        next_input();
        fetch();
    }
    capture.begin_epilogue();
    compute();
    fetch();
    const CapturedWorkload workload = capture.end();
    EXPECT_EQ(workload.steps, 4U);
    EXPECT_EQ(workload.inputs.size(), 5U);
    EXPECT_EQ(workload.manifest.self_test_origins.size(), 5U);
    EXPECT_EQ(workload.manifest.steps_in_flight, 2U);
    EXPECT_EQ(workload.manifest.traces.size(), 3U);
    // Records that nobody waits for have gone: of the first operation and of the last fetch.
    EXPECT_EQ(commands_of(workload, ScriptKind::kEpilogue),
              (std::vector<ScriptCommandKind>{ScriptCommandKind::kWaitEvent, ScriptCommandKind::kReplayTrace,
                                              ScriptCommandKind::kReplayTrace, ScriptCommandKind::kWaitEvent,
                                              ScriptCommandKind::kReplayTrace, ScriptCommandKind::kRecordEvent,
                                              ScriptCommandKind::kWaitEvent, ScriptCommandKind::kReadOutput}));
    expect_verified(workload, device->spec());
    expect_model(workload, device->spec(), 512U, [](const Bytes& bytes) { return plus(plus(plus(bytes, 1), 2), 3); });
}

TEST(Capture, AMissingEventIsARaceThatTheRuntimeRefuses) {
    const auto device = host::open_device(small_device(2U));
    const BufferPtr input = device->allocate(flat(64U));
    const BufferPtr output = device->allocate(flat(64U));
    Program program = constant_program(input, output, 1);
    WorkloadCapture capture{device};
    capture.declare_input(input, tensor("in", 64U));
    capture.declare_output(output, tensor("out", 64U));
    device->enqueue_write(1U, input, view(Bytes(64U)), true);  // the host waits; the binary cannot
    device->enqueue_program(0U, program);
    (void)device->enqueue_read(0U, output);
    expect_rule(
        HostRule::kCaptureRefused,
        "command 1 of the step (programs add constant on queue 0) and command 0 of the step (write of input 'in' "
        "on queue 1) both touch 'in', and no event orders them. Record an event on queue 1 after the latter, and "
        "wait for it on queue 0 before the former. docs/reference/rules.md says what the rule asks for; the "
        "option refused_file keeps the file for `pianola verify`",
        [&] { (void)capture.end(); });
    EXPECT_FALSE(capture.is_active());
}

TEST(Capture, CoresThatTwoQueuesUseAreNamedAsSuch) {
    const auto device = host::open_device(small_device(2U));
    std::vector<BufferPtr> buffers(4U);
    std::generate(buffers.begin(), buffers.end(), [&] { return device->allocate(flat(64U)); });
    Program first = constant_program(buffers.at(0U), buffers.at(1U), 1, "first");
    Program second = constant_program(buffers.at(2U), buffers.at(3U), 1, "second");
    WorkloadCapture capture{device};
    capture.declare_input(buffers.at(0U), tensor("left", 64U));
    capture.declare_output(buffers.at(1U), tensor("left out", 64U));
    capture.declare_input(buffers.at(2U), tensor("right", 64U));
    capture.declare_output(buffers.at(3U), tensor("right out", 64U));
    for (const std::uint32_t queue : {0U, 1U}) {
        const std::size_t input = std::size_t{2U} * queue;
        device->enqueue_write(queue, buffers.at(input), view(Bytes(64U)), true);
        device->enqueue_program(queue, (queue == 0U) ? first : second);
        (void)device->enqueue_read(queue, buffers.at(input + 1U));
        device->synchronize();  // the host waits; the binary cannot
    }
    expect_rule(HostRule::kCaptureRefused,
                "command 4 of the step (programs second on queue 1) and command 1 of the step (programs first on queue "
                "0) both use core (0, 0), and no event orders them. Record an event on queue 0 after the latter, and "
                "wait for it on queue 1 before the former; or give each queue cores of its own: programs on other core "
                "ranges, or results of operations sharded in L1 over other core ranges",
                [&] { (void)capture.end(); });
}

// Whichever cores two queues have in common are said, and only those; none is no refusal.
TEST(Capture, CoresInCommonAreListed) {
    const std::vector<host::CoreCoord> grid{{0U, 0U}, {1U, 0U}, {0U, 1U}, {1U, 1U}};
    const std::vector<std::string> names{"(0, 0)", "(1, 0)", "(0, 1)", "(1, 1)"};
    for (std::uint32_t common = 0U; common < 16U; ++common) {
        SCOPED_TRACE(fmt::format("common {:04b}", common));
        std::vector<std::size_t> shared;
        std::vector<std::size_t> rest;
        for (std::size_t i = 0U; i < grid.size(); ++i) {
            (((common >> i) & 1U) != 0U ? shared : rest).push_back(i);
        }
        std::vector<std::string> said;
        for (const std::size_t i : shared) {
            said.push_back(names[i]);
        }
        const auto device = host::open_device(small_device(2U));
        WorkloadCapture capture{device};
        std::vector<BufferPtr> kept;
        for (const std::uint32_t queue : {0U, 1U}) {
            const BufferPtr input = kept.emplace_back(device->allocate(flat(64U)));
            const BufferPtr output = kept.emplace_back(device->allocate(flat(64U)));
            capture.declare_input(input, tensor(fmt::format("in {}", queue), 64U));
            capture.declare_output(output, tensor(fmt::format("out {}", queue), 64U));
            // The cores in common, and one of those that are left.
            std::vector<std::size_t> cores = shared;
            if (queue < rest.size()) {
                cores.push_back(rest[queue]);
            }
            Program program{"program"};
            for (const std::size_t i : cores) {
                add_constant(program, grid[i], input, output, 64U, 1);
            }
            device->enqueue_write(queue, input, view(Bytes(64U)), true);
            device->enqueue_program(queue, program);
            (void)device->enqueue_read(queue, output);
            device->synchronize();  // the host waits; the binary cannot
        }
        if (shared.empty()) {
            expect_verified(capture.end(), device->spec());
            continue;
        }
        const std::string cores = (shared.size() == 4U)   ? "all 4 cores"
                                  : (shared.size() == 1U) ? "core " + said.front()
                                                          : fmt::format("cores {}", fmt::join(said, ", "));
        expect_rule(HostRule::kCaptureRefused, " both use " + cores + ", and no event orders them",
                    [&] { (void)capture.end(); });
    }
}

// Of many buffers the first four are named; of one that has been freed, what is left to say.
TEST(Capture, ARaceOverManyBuffersNamesSomeAndOneOverAFreedBufferItsBytes) {
    constexpr std::uint32_t kPieces = 6U;
    for (const bool frees : {false, true}) {
        const auto device = host::open_device(small_device(2U));
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        std::vector<BufferPtr> middles;
        std::vector<BufferPtr> results;
        for (std::uint32_t i = 0U; i < (frees ? 1U : kPieces); ++i) {
            middles.push_back(device->allocate(flat(64U)));
            results.push_back(device->allocate(flat(64U)));
        }
        std::vector<Program> programs;
        for (const BufferPtr& middle : middles) {
            programs.push_back(constant_program(input, middle, 1));
        }
        for (std::size_t i = 0U; i < middles.size(); ++i) {
            programs.push_back(constant_program(middles.at(i), (i == 0U) ? output : results.at(i), 1));
        }
        WorkloadCapture capture{device};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        device->enqueue_write(0U, input, view(Bytes(64U)));
        for (std::size_t i = 0U; i < programs.size(); ++i) {
            device->enqueue_program((i < middles.size()) ? 0U : 1U, programs.at(i));
            device->synchronize();  // the host waits; the binary cannot
        }
        (void)device->enqueue_read(1U, output);
        std::string named;
        for (std::size_t i = 0U; i < std::min<std::size_t>(middles.size(), 4U); ++i) {
            named += fmt::format("buffer {} at 0x{:08X}, ", middles.at(i)->id().value, middles.at(i)->address());
        }
        if (frees) {
            named = fmt::format("64 bytes at 0x{:08X}, of a buffer that was freed", middles.front()->address());
            programs.clear();
            middles.clear();
        } else {
            named += "others, and no event orders them";
        }
        expect_rule(HostRule::kCaptureRefused, "both touch " + named, [&] { (void)capture.end(); });
    }
}

TEST(Capture, TheBytesAreReproducible) {
    // Ids rise from run to run; nothing of them is in the file.
    EXPECT_EQ(capture_write_queue(true).file, capture_write_queue(true).file);
}

}  // namespace
}  // namespace pianola::test
