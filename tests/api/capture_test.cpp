// Whole-workload capture: sections, events, pipelines, constants, parameters; and what it refuses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "capture_host/files/files.h"
#include "capture_host/workload/workload_capture.h"
#include "capture_host/writer/verify.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "tests/api/support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::CapturedWorkload;
using host::CaptureGuard;
using host::HostRule;
using host::Layout;
using host::Memory;
using host::Program;
using host::TraceId;
using host::WorkloadCapture;

host::TensorDeclaration tensor(const std::string& name, std::uint32_t bytes) {
    return {name, ElementType::kInt8, {bytes}, 0.5F, 0};
}

std::vector<ScriptKind> script_kinds(const CapturedWorkload& workload) {
    std::vector<ScriptKind> kinds;
    for (const capture::ManifestScript& script : workload.manifest.scripts) {
        kinds.push_back(script.kind);
    }
    return kinds;
}

std::vector<ScriptCommandKind> commands_of(const CapturedWorkload& workload, ScriptKind kind) {
    std::vector<ScriptCommandKind> commands;
    for (const capture::ManifestScript& script : workload.manifest.scripts) {
        if (script.kind == kind) {
            for (const capture::ManifestCommand& command : script.commands) {
                commands.push_back(command.kind);
            }
        }
    }
    return commands;
}

// New inputs, which the captured run did not have, against arithmetic.
template <typename Model>
void expect_model(const CapturedWorkload& workload, const DeviceDescription& spec, std::uint32_t bytes, Model model) {
    std::vector<std::vector<Bytes>> inputs;
    std::vector<std::vector<Bytes>> golden;
    for (std::uint32_t i = 0U; i < 7U; ++i) {
        inputs.push_back({pattern(bytes, 1000U + i)});
        golden.push_back({model(inputs.back().front())});
    }
    host::compare_to_golden(host::replay_workload(workload, spec, inputs), golden);
}

void expect_verified(const CapturedWorkload& workload, const DeviceDescription& spec) {
    const files::AlignedBytes file{workload.file};
    const refdev::RefdevCommandSet command_set;
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    Image image;
    Verdict verdict;
    EXPECT_EQ(capture::verify(file.view(), spec, command_set, kDevelopmentTrust, *workspace, image, *plan, verdict),
              Status::kOk)
        << rule_id(verdict.rule);
}

TEST(Capture, WithoutMarksEverythingIsOneStep) {
    const auto device = host::open_device(small_device());
    const BufferPtr input = device->allocate(flat(256U));
    const BufferPtr middle = device->allocate(flat(256U, Memory::kL1));
    const BufferPtr output = device->allocate(flat(256U));
    Program first = constant_program(input, middle, 4, "first");
    Program second = constant_program(middle, output, 5, "second");
    WorkloadCapture capture{device};
    capture.declare_input(input, tensor("in", 256U));
    capture.declare_output(output, tensor("out", 256U));
    const Bytes data = pattern(256U, 1U);
    device->enqueue_write(0U, input, view(data));
    device->enqueue_program(0U, first);
    device->enqueue_program(0U, second);
    EXPECT_EQ(read(*device, output), plus(plus(data, 4), 5));
    const CapturedWorkload workload = capture.end();
    EXPECT_FALSE(capture.is_active());
    EXPECT_EQ(workload.steps, 1U);
    EXPECT_EQ(workload.manifest.traces.size(), 1U);  // both programs in one
    EXPECT_EQ(workload.manifest.traces[0].programs[1].name, "second");
    EXPECT_EQ(script_kinds(workload), (std::vector<ScriptKind>{ScriptKind::kSetup, ScriptKind::kStep}));
    EXPECT_EQ(workload.manifest.self_test_count, 1U);
    EXPECT_EQ(workload.manifest.inputs[0].scale, 0.5F);
    expect_verified(workload, device->spec());
    expect_model(workload, device->spec(), 256U, [](const Bytes& bytes) { return plus(plus(bytes, 4), 5); });
    device->enqueue_program(0U, first, true);  // nothing is recorded any more
}

TEST(Capture, ConstantsBecomeSetUpAndLoopsBecomeOneStep) {
    const auto device = host::open_device(small_device());
    const BufferPtr input = device->allocate(flat(128U));
    const BufferPtr weights = device->allocate(sharded(Layout::kWidthSharded, Memory::kL1, 2U, 64U, 2U, 16U,
                                                       {{host::CoreCoord{0U, 0U}, host::CoreCoord{1U, 1U}}}));
    const BufferPtr unused = device->allocate(flat(128U));
    const BufferPtr output = device->allocate(flat(128U));
    // output = input + weights, shard by shard of the weights: 32 bytes each.
    Program program;
    for (std::uint32_t i = 0U; i < 4U; ++i) {
        const host::CoreCoord core{i % 2U, i / 2U};
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core(core));
        program.set_runtime_args(kernel, core,
                                 {host::BufferArgument{input, 0U, i * 32U}, host::BufferArgument{weights, {}, 0U},
                                  host::BufferArgument{output, 0U, i * 32U}});
        program.set_common_runtime_args(kernel, {32U, 1U, 1U});  // int8 add, saturating
    }
    const Bytes values = pattern(128U, 77U);
    CaptureGuard guard{device};
    WorkloadCapture& capture = guard.capture();
    capture.declare_input(input, tensor("in", 128U));
    capture.declare_output(output, tensor("out", 128U));
    device->enqueue_write(0U, unused, view(dead_beef(128U)));  // nobody reads it: not part of the binary
    device->enqueue_write(0U, output, view(dead_beef(128U)));  // nor this, which is overwritten
    device->enqueue_write(0U, weights, view(dead_beef(128U)));
    device->enqueue_write(0U, weights, view(values));  // the last one counts
    device->enqueue_program(0U, program);              // compiles; not part of a step
    for (std::uint32_t i = 0U; i < 5U; ++i) {
        capture.begin_step();
        device->enqueue_write(0U, input, view(pattern(128U, i)));
        device->enqueue_program(0U, program);
        (void)device->enqueue_read(0U, output);
    }
    const CapturedWorkload workload = guard.end();
    EXPECT_EQ(workload.steps, 5U);
    EXPECT_EQ(workload.manifest.self_test_count, 5U);
    EXPECT_EQ(commands_of(workload, ScriptKind::kSetup).size(), 5U);  // four shards, one trace
    EXPECT_EQ(commands_of(workload, ScriptKind::kStep),
              (std::vector<ScriptCommandKind>{ScriptCommandKind::kWriteInput, ScriptCommandKind::kReplayTrace,
                                              ScriptCommandKind::kReadOutput}));
    expect_verified(workload, device->spec());
    expect_model(workload, device->spec(), 128U, [&values](const Bytes& bytes) {
        Bytes sum(128U);
        for (std::size_t i = 0U; i < 128U; ++i) {
            // Shard s holds columns 16 s to 16 s + 15 of both rows of 64.
            const std::size_t shard = i / 32U;
            const std::size_t within = i % 32U;
            const std::size_t at = ((within / 16U) * 64U) + (shard * 16U) + (within % 16U);
            sum[i] = plus({bytes[i]}, static_cast<std::int8_t>(values[at]))[0];
        }
        return sum;
    });
}

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
    EXPECT_EQ(workload.manifest.self_test_count, 5U);
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
        "wait for it on queue 0 before the former. docs/reference/rules.md says what the rule asks for; the option "
        "refused_file "
        "keeps "
        "the file for `pianola verify`",
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

// Steps that the host alone keeps apart: the events that are missing are named, the file is kept, and one step in
// flight is what is left.
TEST(Capture, AFallBackToOneStepInFlightIsSaid) {
    const auto device = host::open_device(small_device(2U));
    const BufferPtr input = device->allocate(flat(64U));
    const BufferPtr middle = device->allocate(flat(64U));
    const BufferPtr output = device->allocate(flat(64U));
    Program first = constant_program(input, middle, 1, "first");
    Program second = constant_program(middle, output, 2, "second");
    const host::EventId made = device->create_event();
    const host::EventId taken = device->create_event();
    const std::string kept = testing::TempDir() + "pianola_refused.ptb";
    (void)std::filesystem::remove(kept);
    const auto captured = [&](std::uint32_t steps_in_flight, bool both_events) {
        host::CaptureOptions options;
        options.steps_in_flight = steps_in_flight;
        options.refused_file = kept;
        WorkloadCapture capture{device, options};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        capture.begin_prologue();
        device->record_event(1U, taken);
        for (std::uint32_t i = 0U; i < 3U; ++i) {
            capture.begin_step();
            device->wait_for_event(0U, taken);
            device->enqueue_write(0U, input, view(pattern(64U, i)));
            device->enqueue_program(0U, first);
            device->record_event(0U, made);
            device->wait_for_event(1U, made);
            if (!both_events) {
                device->record_event(1U, taken);  // before what it stands for
            }
            device->enqueue_program(1U, second);
            (void)device->enqueue_read(1U, output);
            if (both_events) {
                device->record_event(1U, taken);
            }
            device->synchronize();
        }
        capture.begin_epilogue();
        device->wait_for_event(0U, taken);
        return capture.end();
    };
    const std::string needed =
        "command 2 of the step (programs first on queue 0) and command 6 of the step (programs second "
        "on queue 1) in the step before both touch buffer ";
    EXPECT_TRUE(captured(0U, true).warnings.empty());
    EXPECT_FALSE(std::filesystem::exists(kept));
    expect_rule(HostRule::kCaptureRefused, needed, [&] { (void)captured(2U, false); });
    EXPECT_TRUE(std::filesystem::exists(kept));
    const CapturedWorkload workload = captured(0U, false);
    EXPECT_EQ(workload.manifest.steps_in_flight, 1U);
    ASSERT_EQ(workload.warnings.size(), 1U);
    EXPECT_NE(workload.warnings[0].find("captured with one step in flight"), std::string::npos);
    EXPECT_NE(workload.warnings[0].find(needed), std::string::npos) << workload.warnings[0];
    EXPECT_NE(workload.warnings[0].find("one step later"), std::string::npos);
    // The file that is kept breaks the rule by itself.
    const files::AlignedBytes file{files::load_file(kept)};
    const DeviceDescription& description = device->spec();
    const refdev::RefdevCommandSet command_set;
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    Image image;
    Verdict verdict;
    EXPECT_NE(
        capture::verify(file.view(), description, command_set, kDevelopmentTrust, *workspace, image, *plan, verdict),
        Status::kOk);
    EXPECT_EQ(verdict.rule, Rule::kOrdRace);
}

// A record in front of the first step that nobody waits for lets nothing overlap: its event is named, wherever it
// stands and whatever else the prologue holds.
TEST(Capture, ARecordThatNobodyWaitsForIsNamed) {
    struct Case {
        bool prologue;
        bool record;
        bool wait;
        std::uint32_t steps_in_flight;  // of the options
        std::uint32_t expected;
        std::string warning;
    };
    const std::string idle = "captured with one step in flight: a record of event ";
    const std::string nothing = "captured with one step in flight: a prologue was marked, and nothing in it";
    const std::vector<Case> cases{
        {true, true, true, 0U, 2U, ""},     {true, true, false, 0U, 1U, idle}, {false, true, true, 0U, 2U, ""},
        {false, true, false, 0U, 1U, idle}, {true, true, false, 1U, 1U, idle}, {true, false, false, 0U, 1U, nothing},
        {false, false, false, 0U, 1U, ""},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(fmt::format("prologue {} record {} wait {} {}", each.prologue, each.record, each.wait,
                                 each.steps_in_flight));
        const auto device = host::open_device(small_device(2U));
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        Program program = constant_program(input, output, 1);
        const host::EventId unused = device->create_event();
        const host::EventId taken = device->create_event();
        const host::EventId written = device->create_event();
        EXPECT_NE(unused.value, taken.value);
        host::CaptureOptions options;
        options.steps_in_flight = each.steps_in_flight;
        WorkloadCapture capture{device, options};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        if (each.prologue) {
            capture.begin_prologue();
        }
        if (each.record) {
            device->record_event(0U, taken);
        }
        for (std::uint32_t i = 0U; i < 3U; ++i) {
            capture.begin_step();
            if (each.wait) {
                device->wait_for_event(1U, taken);
            }
            device->enqueue_write(1U, input, view(pattern(64U, i)));
            device->record_event(1U, written);
            device->wait_for_event(0U, written);
            device->enqueue_program(0U, program);
            device->record_event(0U, taken);
            (void)device->enqueue_read(0U, output);
            device->synchronize();  // the host waits; the binary cannot
        }
        const CapturedWorkload workload = capture.end();
        EXPECT_EQ(workload.manifest.steps_in_flight, each.expected);
        ASSERT_EQ(workload.warnings.size(), each.warning.empty() ? 0U : 1U);
        if (!each.warning.empty()) {
            EXPECT_EQ(workload.warnings[0].find(each.warning), 0U) << workload.warnings[0];
            EXPECT_EQ(workload.warnings[0].find(fmt::format("a record of event {} on queue 0", taken.value)) !=
                          std::string::npos,
                      each.warning == idle)
                << workload.warnings[0];
        }
        expect_verified(workload, device->spec());
    }
}

// Vectors of a workload with state hold only once, and only in the order of the capture: there must be none. A session
// whose vectors are there passes them at any time, in any order.
TEST(Capture, WorkloadsWithStateHaveNoSelfTestVectors) {
    constexpr std::uint32_t kBytes = 64U;
    enum class Kept { kNothing, kSum, kSumOfNothing, kLast, kTurn, kCount, kMadeAnew };
    for (const Kept kept :
         {Kept::kNothing, Kept::kSum, Kept::kSumOfNothing, Kept::kLast, Kept::kTurn, Kept::kCount, Kept::kMadeAnew}) {
        for (const std::uint32_t steps : {1U, 2U, 3U, 4U}) {
            SCOPED_TRACE(fmt::format("kept {}, {} steps", static_cast<int>(kept), steps));
            const auto device = host::open_device(small_device());
            const BufferPtr input = device->allocate(flat(kBytes));
            const BufferPtr state = device->allocate(flat(kBytes, Memory::kL1));
            const BufferPtr output = device->allocate(flat(kBytes));
            const auto kernel = [](Program& program, const char* name, const host::Arguments& arguments) {
                const host::KernelHandle handle = program.add_kernel(name, host::one_core({0U, 0U}));
                program.set_runtime_args(handle, {0U, 0U}, arguments);
            };
            const host::BufferArgument in{input, {}, 0U};
            const host::BufferArgument memory{state, {}, 0U};
            const host::BufferArgument out{output, {}, 0U};
            Program begin{"begin"};
            kernel(begin, "fill", {memory, kBytes, 0x01010101U});
            Program program{"step"};
            if (kept == Kept::kMadeAnew) {
                kernel(program, "fill", {memory, kBytes, 0x01010101U});
            }
            if ((kept == Kept::kSum) || (kept == Kept::kSumOfNothing) || (kept == Kept::kMadeAnew)) {
                kernel(program, "binary", {memory, in, memory, kBytes, 1U, 1U});  // state += input
            } else if (kept == Kept::kTurn) {
                kernel(program, "unary", {memory, memory, kBytes, 1U, 2U, 0U});  // state = -state
            } else if (kept == Kept::kCount) {
                kernel(program, "unary", {memory, memory, kBytes, 1U, 5U, 1U});  // state += 1
            } else {
                // The state stays, or changes afterwards.
            }
            kernel(program, "binary", {memory, in, out, kBytes, 1U, 1U});  // output = state + input
            if (kept == Kept::kLast) {
                kernel(program, "copy", {in, memory, kBytes});
            }
            WorkloadCapture capture{device};
            capture.declare_input(input, tensor("in", kBytes));
            capture.declare_output(output, tensor("out", kBytes));
            capture.begin_prologue();
            device->enqueue_program(0U, begin);
            for (std::uint32_t i = 0U; i < steps; ++i) {
                capture.begin_step();
                const Bytes data = (kept == Kept::kSumOfNothing) ? Bytes(kBytes) : plus(pattern(kBytes, i), 0);
                device->enqueue_write(0U, input, view(data));
                device->enqueue_program(0U, program);
                (void)device->enqueue_read(0U, output);
            }
            const CapturedWorkload workload = capture.end();
            const bool holds = (kept == Kept::kNothing) || (kept == Kept::kMadeAnew);
            EXPECT_EQ(workload.manifest.self_test_count, holds ? steps : 0U);
            ASSERT_EQ(workload.warnings.size(), holds ? 0U : 1U);
            if (!holds) {
                EXPECT_EQ(workload.warnings[0].find(
                              "the binary has no self-test vectors, because its outputs depend on earlier steps: "),
                          0U)
                    << workload.warnings[0];
            }
            expect_verified(workload, device->spec());
            host::compare_to_capture(workload, device->spec());
            // What an application does: some steps, self-tests, more of both.
            const files::AlignedBytes file{workload.file};
            sim::SimOptions simulated;
            simulated.spec = refdev::spec_of(device->spec());
            sim::SimDevice target{simulated};
            sim::SimPlatform platform{target};
            const refdev::RefdevCommandSet command_set;
            Session session{target, platform, command_set, kDevelopmentConfig};
            const auto workspace = std::make_unique<PlanWorkspace>();
            Verdict verdict;
            ASSERT_EQ(session.load(file.view(), *workspace, verdict), Status::kOk);
            Bytes result(kBytes);
            for (std::uint32_t i = 0U; i < 5U; ++i) {
                const Bytes other = pattern(kBytes, 50U + i);
                const ByteSpan from = view(other);
                const MutableByteSpan to{result.data(), result.size()};
                EXPECT_EQ(session.run({&from, 1U}, {&to, 1U}), Status::kOk);
                EXPECT_EQ(session.self_test({result.data(), result.size()}), Status::kOk);
            }
        }
    }
}

TEST(Capture, TheOutermostCallCounts) {
    // compile() inside enqueue_program() and collection inside data() must not show; two threads record side by side.
    const auto device = host::open_device(small_device(2U));
    const BufferPtr left = device->allocate(flat(64U));
    const BufferPtr right = device->allocate(flat(64U));
    const BufferPtr left_out = device->allocate(flat(64U));
    const BufferPtr right_out = device->allocate(flat(64U));
    WorkloadCapture capture{device};
    capture.declare_input(left, tensor("left", 64U));
    capture.declare_input(right, tensor("right", 64U));
    capture.declare_output(left_out, tensor("left out", 64U));
    capture.declare_output(right_out, tensor("right out", 64U));
    const auto work = [&](std::uint32_t queue, const BufferPtr& in, const BufferPtr& out, host::CoreCoord core) {
        Program program;
        add_constant(program, core, in, out, 64U, 1);
        device->enqueue_write(queue, in, view(Bytes(64U, 3U)));
        device->enqueue_program(queue, program);
        EXPECT_EQ(device->enqueue_read(queue, out).data(), Bytes(64U, 4U));
    };
    std::thread thread{[&] { work(1U, right, right_out, {1U, 0U}); }};
    work(0U, left, left_out, {0U, 0U});
    thread.join();
    const CapturedWorkload workload = capture.end();
    EXPECT_EQ(commands_of(workload, ScriptKind::kStep).size(), 6U);
    expect_verified(workload, device->spec());
}

TEST(Capture, ParametersOfTracesComeAlong) {
    const auto device = host::open_device(small_device());
    const BufferPtr input = device->allocate(flat(64U));
    const BufferPtr output = device->allocate(flat(64U));
    Program program = constant_program(input, output, 1);
    device->compile(program);
    const TraceId trace = device->begin_trace_capture(0U);
    device->enqueue_program(0U, program);
    device->end_trace_capture(0U, trace);
    WorkloadCapture capture{device};
    capture.declare_input(input, tensor("in", 64U));
    capture.declare_output(output, tensor("out", 64U));
    capture.declare_parameter(trace, {"constant", host::TraceParameterKind::kRuntimeArgument, 0U, 100U, 1U,
                                      device->argument_words(trace, 0U, {0U}, 6U)});
    device->enqueue_write(0U, input, view(pattern(64U, 1U)));
    device->execute_trace(0U, trace);
    (void)device->enqueue_read(0U, output);
    const CapturedWorkload workload = capture.end();
    ASSERT_EQ(workload.manifest.parameters.size(), 1U);
    EXPECT_EQ(workload.manifest.parameters[0].name, "constant");
    EXPECT_EQ(workload.manifest.parameters[0].points[0].word, 10U);
    expect_verified(workload, device->spec());
}

// Memories that touch: bytes on both sides of the border are one range of addresses, and two regions.
TEST(Capture, MemoriesThatTouch) {
    constexpr std::uint32_t kBytes = 256U;  // all of L1, 64 bytes a core
    constexpr std::uint32_t kShard = kBytes / 4U;
    const std::uint32_t dram_bytes = refdev::DeviceSpec{}.dram_bytes;
    for (const bool dram_first : {false, true}) {
        SCOPED_TRACE(dram_first);
        host::DeviceOptions options = small_device();
        options.spec.l1_bytes = kBytes;
        options.spec.l1_base =
            dram_first ? (options.spec.dram_base + dram_bytes) : (options.spec.dram_base - options.spec.l1_bytes);
        const auto device = host::open_device(options);
        const DeviceDescription& spec = device->spec();
        const BufferPtr input = device->allocate(flat(kBytes));
        const BufferPtr middle = device->allocate(
            sharded(Layout::kHeightSharded, Memory::kL1, 4U, kShard, 1U, kShard, host::all_cores(spec)));
        const BufferPtr output = device->allocate(flat(kBytes));
        ASSERT_EQ(input->address(), spec.dram_base);
        ASSERT_EQ(middle->shard_address(3U) + kShard, spec.l1_base + spec.l1_bytes);
        Program program{"there and back"};
        for (std::uint32_t i = 0U; i < 4U; ++i) {
            for (const bool back : {false, true}) {
                const host::CoreCoord core{i % 2U, i / 2U};
                const host::KernelHandle kernel = program.add_kernel("requantize", host::one_core(core));
                const host::BufferArgument inside{middle, i, 0U};
                const host::BufferArgument outside{back ? output : input, 0U, i * kShard};
                if (back) {
                    program.set_runtime_args(kernel, core, {inside, outside});
                } else {
                    program.set_runtime_args(kernel, core, {outside, inside});
                }
                program.set_common_runtime_args(kernel, add_constant_tail(kShard, 3));
            }
        }
        WorkloadCapture capture{device};
        capture.declare_input(input, tensor("in", kBytes));
        capture.declare_output(output, tensor("out", kBytes));
        device->enqueue_write(0U, input, view(pattern(kBytes, 4U)));
        device->enqueue_program(0U, program);
        (void)device->enqueue_read(0U, output);
        const CapturedWorkload workload = capture.end();
        ASSERT_EQ(workload.manifest.regions.size(), 3U);
        for (const capture::ManifestRegion& region : workload.manifest.regions) {
            const bool is_l1 = region.memory == MemoryKind::kL1;
            const std::uint64_t base = is_l1 ? spec.l1_base : spec.dram_base;
            const std::uint64_t end = base + (is_l1 ? spec.l1_bytes : spec.dram_bytes);
            EXPECT_GE(region.base, base) << region.name;
            EXPECT_LE(std::uint64_t{region.base} + region.size_bytes, end) << region.name;
        }
        expect_verified(workload, spec);
        expect_model(workload, spec, kBytes, [](const Bytes& bytes) { return plus(plus(bytes, 3), 3); });
    }
}

TEST(Capture, TheSameTraceTwiceInAStep) {
    const auto device = host::open_device(small_device());
    const BufferPtr data = device->allocate(flat(64U));
    const BufferPtr copy = device->allocate(flat(64U));
    Program there = constant_program(data, copy, 1, "there");
    Program back = constant_program(copy, data, 1, "back");
    device->compile(there);
    const TraceId trace = device->begin_trace_capture(0U);
    device->enqueue_program(0U, there);
    device->enqueue_program(0U, back);
    device->end_trace_capture(0U, trace);
    const BufferPtr output = device->allocate(flat(64U));
    Program out = constant_program(data, output, 0);
    WorkloadCapture capture{device};
    capture.declare_input(data, tensor("data", 64U));
    capture.declare_output(output, tensor("out", 64U));
    device->enqueue_write(0U, data, view(Bytes(64U, 10U)));
    device->execute_trace(0U, trace);
    device->execute_trace(0U, trace);
    device->enqueue_program(0U, out);
    EXPECT_EQ(read(*device, output), Bytes(64U, 14U));
    const CapturedWorkload workload = capture.end();
    EXPECT_EQ(workload.manifest.traces.size(), 3U);
    expect_model(workload, device->spec(), 64U,
                 [](const Bytes& bytes) { return plus(plus(plus(plus(bytes, 1), 1), 1), 1); });
}

TEST(Capture, TheBytesAreReproducible) {
    // Ids rise from run to run; nothing of them is in the file.
    EXPECT_EQ(capture_write_queue(true).file, capture_write_queue(true).file);
}

struct Small {
    explicit Small(std::uint32_t queues = 1U) : device{host::open_device(small_device(queues))} {
        input = device->allocate(flat(64U));
        output = device->allocate(flat(64U));
        program = constant_program(input, output, 1);
        device->compile(program);
    }
    void step(std::uint32_t queue = 0U) {
        device->enqueue_write(queue, input, view(Bytes(64U, 1U)));
        device->enqueue_program(queue, program);
        (void)device->enqueue_read(queue, output);
    }
    void declare(WorkloadCapture& capture) const {
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
    }
    std::shared_ptr<host::Device> device;
    BufferPtr input;
    BufferPtr output;
    Program program;
};

TEST(CaptureRefusals, States) {
    Small small{1U};
    expect_rule(HostRule::kCaptureState, "not being captured", [&] { (void)host::end_capture(small.device); });
    expect_rule(HostRule::kCaptureState, "not being captured", [&] { (void)host::current_capture(small.device); });
    host::begin_capture(small.device);
    expect_rule(HostRule::kCaptureState, "already", [&] { host::begin_capture(small.device); });
    expect_rule(HostRule::kCaptureState, "already", [&] { const WorkloadCapture other{small.device}; });
    WorkloadCapture& capture = host::current_capture(small.device);
    small.declare(capture);
    expect_rule(HostRule::kCaptureState, "epilogue comes after a step", [&] { capture.begin_epilogue(); });
    capture.begin_step();
    expect_rule(HostRule::kCaptureState, "prologue comes first", [&] { capture.begin_prologue(); });
    small.step();
    capture.begin_epilogue();
    expect_rule(HostRule::kCaptureState, "no step comes after", [&] { capture.begin_step(); });
    (void)host::end_capture(small.device);
    {
        // Nobody ends it: the guard does, without a result.
        CaptureGuard guard{small.device};
        guard.capture().begin_prologue();
        guard.capture().discard();
        expect_rule(HostRule::kCaptureState, "not being captured", [&] { (void)guard.capture(); });
    }
    try {
        const CaptureGuard guard{small.device};
        throw std::runtime_error{"the application failed"};
    } catch (const std::runtime_error&) {
        CaptureGuard again{small.device};  // free again
        expect_rule(HostRule::kCaptureState, "no step", [&] {
            again.capture().begin_prologue();
            (void)again.end();
        });
    }
}

TEST(CaptureRefusals, Tensors) {
    Small small;
    WorkloadCapture capture{small.device};
    expect_rule(HostRule::kCaptureTensor, "declared with 63 bytes",
                [&] { capture.declare_input(small.input, tensor("in", 63U)); });
    small.declare(capture);
    expect_rule(HostRule::kCaptureTensor, "declared already",
                [&] { capture.declare_output(small.input, tensor("twice", 64U)); });
    const BufferPtr constant = small.device->allocate(flat(64U));
    capture.declare_constant(constant, "table");
    small.step();
    expect_rule(HostRule::kCaptureTensor, "'table' (buffer", [&] { (void)capture.end(); });
    const auto refused = [&](const std::string& part, const auto& calls) {
        WorkloadCapture other{small.device};
        small.declare(other);
        other.begin_step();
        calls();
        expect_rule(HostRule::kCaptureTensor, part, [&] { (void)other.end(); });
    };
    refused("written 0 times", [] {});
    refused("written 2 times", [&] {
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        small.step();
    });
    refused("no declared output", [&] {
        small.step();
        (void)small.device->enqueue_read(0U, small.input);
    });
    refused("no declared input", [&] { small.device->enqueue_write(0U, constant, view(Bytes(64U))); });
}

TEST(CaptureRefusals, StepsThatDiffer) {
    Small small;
    Program other = constant_program(small.input, small.output, 2, "other");
    const auto differ = [&](const std::string& part, const auto& second) {
        WorkloadCapture capture{small.device};
        small.declare(capture);
        capture.begin_step();
        small.step();
        capture.begin_step();
        second();
        expect_rule(HostRule::kCaptureStep, part, [&] { (void)capture.end(); });
    };
    differ(
        "step 2 differs from step 1 at its call 2: program 'other' on queue 0 where step 1 has program 'add constant'",
        [&] {
            small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
            small.device->enqueue_program(0U, other);
        });
    differ("at its call 3: nothing where step 1 has a read", [&] {
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        small.device->enqueue_program(0U, small.program);
    });
    differ("with other commands or addresses", [&] {
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        small.program.set_common_runtime_args({0U}, add_constant_tail(64U, 3));
        small.device->enqueue_program(0U, small.program);
        small.program.set_common_runtime_args({0U}, add_constant_tail(64U, 1));
    });
}

TEST(CaptureRefusals, Contents) {
    Small small{2U};
    const BufferPtr state = small.device->allocate(flat(64U));
    Program read_state = constant_program(state, small.output, 1);
    const auto refused = [&](HostRule rule, const std::string& part, const auto& calls) {
        WorkloadCapture capture{small.device};
        small.declare(capture);
        calls(capture);
        expect_rule(rule, part, [&] { (void)capture.end(); });
    };
    refused(HostRule::kCaptureContent, "reads 64 bytes", [&](WorkloadCapture& capture) {
        capture.begin_step();
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        small.device->enqueue_program(0U, read_state);
        (void)small.device->enqueue_read(0U, small.output);
    });
    Program change = constant_program(small.input, state, 1);
    refused(HostRule::kCaptureContent, "must stay as it is", [&](WorkloadCapture& capture) {
        small.device->enqueue_write(0U, state, view(Bytes(64U)));
        capture.begin_step();
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        small.device->enqueue_program(0U, read_state);
        small.device->enqueue_program(0U, change);
        (void)small.device->enqueue_read(0U, small.output);
    });
    refused(HostRule::kCaptureContent, "begin_epilogue()", [&](WorkloadCapture& capture) {
        capture.begin_prologue();
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        capture.begin_step();
        small.step();
    });
    {
        // Nothing at all, with marks and without.
        WorkloadCapture nothing{small.device};
        expect_rule(HostRule::kCaptureContent, "nothing was captured", [&] { (void)nothing.end(); });
        WorkloadCapture marked{small.device};
        marked.begin_step();
        marked.begin_step();
        expect_rule(HostRule::kCaptureContent, "nothing was captured", [&] { (void)marked.end(); });
    }
    refused(HostRule::kCaptureContent, "record of one step only", [&](WorkloadCapture& capture) {
        const host::EventId once = small.device->create_event();
        small.device->record_event(1U, once);
        capture.begin_step();
        small.device->wait_for_event(0U, once);
        small.step();
    });
}

TEST(CaptureRefusals, Limits) {
    Small small{2U};
    {
        // 200 runs of one input.
        const BufferPtr wide =
            small.device->allocate(sharded(Layout::kWidthSharded, Memory::kDram, 100U, 64U, 100U, 32U));
        WorkloadCapture capture{small.device};
        small.declare(capture);
        capture.declare_input(wide, tensor("wide", 6400U));
        small.device->enqueue_write(0U, wide, view(Bytes(6400U)));
        small.step();
        expect_rule(HostRule::kCaptureLimit,
                    "200 transfers for input 'wide' are needed, 64 fit; use an interleaved DRAM buffer",
                    [&] { (void)capture.end(); });
    }
    {
        WorkloadCapture capture{small.device};
        small.declare(capture);
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        for (int i = 0; i < 20; ++i) {
            small.device->enqueue_program(0U, small.program);
            const host::EventId event = small.device->create_event();
            small.device->record_event(0U, event);
            small.device->wait_for_event(1U, event);
        }
        (void)small.device->enqueue_read(0U, small.output);
        expect_rule(HostRule::kCaptureLimit, "20 events are needed, 8 fit", [&] { (void)capture.end(); });
    }
    {
        host::CaptureOptions options;
        options.step_deadline_us = 1U;
        host::DeviceOptions slow = small_device();
        slow.spec.clock_khz = 1000U;
        const auto device = host::open_device(slow);
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        Program program = constant_program(input, output, 1);
        WorkloadCapture capture{device, options};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        device->enqueue_write(0U, input, view(Bytes(64U)));
        device->enqueue_program(0U, program);
        (void)device->enqueue_read(0U, output);
        expect_rule(HostRule::kCaptureLimit, "deadline is too short", [&] { (void)capture.end(); });
    }
    {
        const host::DeviceOptions tiny = small_device(1U, 64U);
        const auto device = host::open_device(tiny);
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        Program program = constant_program(input, output, 1);
        add_constant(program, {0U, 0U}, output, output, 64U, 1);
        WorkloadCapture capture{device};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        device->enqueue_write(0U, input, view(Bytes(64U)));
        device->enqueue_program(0U, program);
        (void)device->enqueue_read(0U, output);
        expect_rule(HostRule::kTraceRegion, "trace_region_size 128 or more", [&] { (void)capture.end(); });
    }
}

// Words that parameters set, and parameters: as many as fit are taken, one more is refused with need, limit and remedy.
TEST(CaptureRefusals, LimitsOfParameters) {
    struct Case {
        std::uint32_t parameters;
        std::uint32_t kernels;  // that each of them sets a word of
        std::uint32_t executions;
        std::string refusal;
    };
    ASSERT_EQ(kMaxPatchPoints, 16U);
    ASSERT_EQ(kMaxParameters, 8U);
    const std::vector<Case> cases{
        {1U, 16U, 1U, ""},
        {1U, 17U, 1U, "17 words that parameters set are needed, 16 fit; declare fewer, or use them in fewer places"},
        {2U, 8U, 1U, ""},
        {2U, 9U, 1U, "18 words that parameters set are needed, 16 fit; declare fewer"},
        {1U, 8U, 2U, ""},
        {1U, 9U, 2U, "18 words that parameters set are needed, 16 fit; declare fewer"},
        {8U, 2U, 1U, ""},
        {9U, 1U, 1U, "9 parameters are needed, 8 fit; declare fewer"},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(fmt::format("{} x {} x {}", each.parameters, each.kernels, each.executions));
        const auto device = host::open_device(small_device());
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        Program program;
        for (std::uint32_t i = 0U; i < (each.parameters * each.kernels); ++i) {
            add_constant(program, {0U, 0U}, input, output, 64U, 1);
        }
        device->compile(program);
        const TraceId trace = device->begin_trace_capture(0U);
        device->enqueue_program(0U, program);
        device->end_trace_capture(0U, trace);
        WorkloadCapture capture{device};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        for (std::uint32_t p = 0U; p < each.parameters; ++p) {
            host::TraceParameter parameter{
                fmt::format("p{}", p), host::TraceParameterKind::kRuntimeArgument, 0U, 100U, 1U, {}};
            for (std::uint32_t i = 0U; i < each.kernels; ++i) {
                parameter.words.push_back(device->argument_words(trace, 0U, {(p * each.kernels) + i}, 6U).front());
            }
            capture.declare_parameter(trace, parameter);
        }
        device->enqueue_write(0U, input, view(Bytes(64U)));
        for (std::uint32_t i = 0U; i < each.executions; ++i) {
            device->execute_trace(0U, trace);
        }
        (void)device->enqueue_read(0U, output);
        if (each.refusal.empty()) {
            expect_verified(capture.end(), device->spec());
        } else {
            expect_rule(HostRule::kCaptureLimit, each.refusal, [&] { (void)capture.end(); });
        }
    }
}

TEST(CaptureCompare, NamesTheFirstDifference) {
    const std::vector<std::vector<Bytes>> golden{{{1U, 2U, 3U}}, {{4U, 5U, 6U}}};
    std::vector<std::vector<Bytes>> outputs = golden;
    host::compare_to_golden(outputs, golden);
    outputs[1][0][2] = 9U;
    expect_rule(HostRule::kCompare, "output 0 of inference 1 differs at byte 2: it is 0x09, 0x06 is right",
                [&] { host::compare_to_golden(outputs, golden); });
    outputs[1][0].pop_back();
    expect_rule(HostRule::kCompare, "has 2 bytes, 3 are right", [&] { host::compare_to_golden(outputs, golden); });
    outputs.pop_back();
    expect_rule(HostRule::kCompare, "1 inferences", [&] { host::compare_to_golden(outputs, golden); });
}

}  // namespace
}  // namespace pianola::test
