// Whole-workload capture on one queue: sections, constants, state, parameters, memories.
#include <fmt/format.h>

#include <memory>
#include <thread>

#include "hal/devices/refdev/host/refdev_target.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/session.h"
#include "pianola_host/files.h"
#include "tests/api/capture_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::CapturedWorkload;
using host::CaptureGuard;
using host::Layout;
using host::Memory;
using host::Program;
using host::TraceId;
using host::WorkloadCapture;

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
    EXPECT_EQ(workload.manifest.self_test_origins.size(), 1U);
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
    EXPECT_EQ(workload.manifest.self_test_origins.size(), 5U);
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

// Vectors of a workload with state hold only once, and only in the order of the capture: there must be none. A session
// whose vectors are there passes them at any time, in any order.
TEST(Capture, WorkloadsWithStateHaveNoSelfTestVectors) {
    constexpr std::uint32_t kBytes = 64U;
    enum class Kept { kNothing, kSum, kSumOfNothing, kMaximumOfEqual, kLast, kTurn, kCount, kMadeAnew };
    for (const Kept kept : {Kept::kNothing, Kept::kSum, Kept::kSumOfNothing, Kept::kMaximumOfEqual, Kept::kLast,
                            Kept::kTurn, Kept::kCount, Kept::kMadeAnew}) {
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
            } else if (kept == Kept::kMaximumOfEqual) {
                kernel(program, "binary", {memory, in, memory, kBytes, 1U, 5U});  // state = max(state, input)
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
                const Bytes data = (kept == Kept::kSumOfNothing)
                                       ? Bytes(kBytes)
                                       : pattern(kBytes, (kept == Kept::kMaximumOfEqual) ? 0U : i);
                device->enqueue_write(0U, input, view(data));
                device->enqueue_program(0U, program);
                (void)device->enqueue_read(0U, output);
            }
            const CapturedWorkload workload = capture.end();
            const bool holds = (kept == Kept::kNothing) || (kept == Kept::kMadeAnew);
            EXPECT_EQ(workload.manifest.self_test_origins.size(), holds ? steps : 0U);
            ASSERT_EQ(workload.warnings.size(), holds ? 0U : 1U);
            if (!holds) {
                EXPECT_EQ(workload.warnings[0].find(
                              "the binary has no self-test vectors, because its outputs depend on earlier steps: "),
                          0U)
                    << workload.warnings[0];
            }
            expect_verified(workload, device->spec());
            host::compare_to_capture(workload, device->spec(), tested_vulkan());
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
    const TraceId other = device->begin_trace_capture(0U);
    device->enqueue_program(0U, program);
    device->end_trace_capture(0U, other);
    WorkloadCapture capture{device};
    capture.declare_input(input, tensor("in", 64U));
    capture.declare_output(output, tensor("out", 64U));
    capture.declare_parameter(trace, {"constant", host::TraceParameterKind::kRuntimeArgument, 0U, 100U, 1U,
                                      device->argument_words(trace, 0U, {0U}, 6U)});
    // A name is one parameter, also where another trace has one of that name.
    const auto again = [&](const TraceId& of) {
        capture.declare_parameter(of, {"constant", host::TraceParameterKind::kRuntimeArgument, 0U, 100U, 1U,
                                       device->argument_words(of, 0U, {0U}, 6U)});
    };
    expect_rule(host::HostRule::kTraceParameter, "a parameter 'constant' already", [&] { again(trace); });
    expect_rule(host::HostRule::kTraceParameter, "a parameter 'constant' already", [&] { again(other); });
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

}  // namespace
}  // namespace pianola::test
