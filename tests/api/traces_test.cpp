// Traces: eager against replayed, loops, several at once, the trace region.
#include <random>

#include "capture_host/host/device/device_state.h"
#include "tests/api/trace_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::HostRule;
using host::Memory;
using host::Program;
using host::TraceId;

class OnOneAndInThreads : public testing::TestWithParam<bool> {
  protected:
    [[nodiscard]] static std::shared_ptr<host::Device> open(std::uint32_t queues = 1U) {
        host::DeviceOptions options = small_device(queues);
        options.threaded = GetParam();
        return host::open_device(options);
    }
};
INSTANTIATE_TEST_SUITE_P(Threading, OnOneAndInThreads, testing::Bool(),
                         [](const auto& entry) { return entry.param ? "Threads" : "InProcess"; });

TEST_P(OnOneAndInThreads, OneProgramEagerlyThenTraced) {
    const auto device = open();
    const BufferPtr input = device->allocate(flat(2048U));
    const BufferPtr output = device->allocate(flat(2048U));
    const Bytes data = pattern(2048U, 1U);
    const Bytes golden = plus(data, 9);
    device->enqueue_write(0U, input, view(data));
    Program program = constant_program(input, output, 9);
    device->enqueue_program(0U, program);
    EXPECT_EQ(read(*device, output), golden);
    const TraceId trace = captured(*device, {&program});
    device->enqueue_write(0U, output, view(dead_beef(2048U)));
    EXPECT_EQ(read(*device, output), dead_beef(2048U));  // capturing executed nothing
    device->execute_trace(0U, trace);
    EXPECT_EQ(read(*device, output), golden);
}

TEST_P(OnOneAndInThreads, TwoProgramsAndNewInputs) {
    const auto device = open();
    const BufferPtr a = device->allocate(flat(512U));
    const BufferPtr b = device->allocate(flat(512U, Memory::kL1));
    const BufferPtr c = device->allocate(flat(512U));
    Program first = constant_program(a, b, 60);
    Program second = constant_program(b, c, 60);
    const TraceId trace = captured(*device, {&first, &second});
    EXPECT_EQ(device->trace_info(trace).programs.size(), 2U);
    for (std::uint32_t i = 0U; i < 10U; ++i) {
        const Bytes data = pattern(512U, i);
        device->enqueue_write(0U, a, view(data));
        device->enqueue_write(0U, c, view(dead_beef(512U)));
        device->execute_trace(0U, trace, (i % 2U) == 0U);
        EXPECT_EQ(read(*device, c), plus(plus(data, 60), 60)) << i;
    }
}

TEST_P(OnOneAndInThreads, TenLoopsAreIdentical) {
    const auto device = open();
    const BufferPtr input = device->allocate(flat(777U));
    const BufferPtr output = device->allocate(flat(777U));
    const Bytes data = pattern(777U, 2U);
    device->enqueue_write(0U, input, view(data));
    Program program = constant_program(input, output, -7);
    const TraceId trace = captured(*device, {&program});
    for (int i = 0; i < 10; ++i) {
        device->enqueue_write(0U, output, view(dead_beef(777U)));
        device->execute_trace(0U, trace);
        EXPECT_EQ(read(*device, output), plus(data, -7)) << i;
    }
}

// counter += 1 per replay, exactly.
TEST_P(OnOneAndInThreads, AThousandReplaysCountExactly) {
    const auto device = open();
    const BufferPtr counter = device->allocate(flat(4U));
    device->enqueue_write(0U, counter, view(Bytes(4U)));
    Program program;
    const host::KernelHandle kernel = program.add_kernel("unary", host::one_core({1U, 1U}));
    const host::BufferArgument at{counter, {}, 0U};
    program.set_common_runtime_args(kernel, {at, at, 1U, 4U, 5U, 1U});  // int32 add scalar 1, in place
    const TraceId trace = captured(*device, {&program});
    for (int i = 0; i < 1000; ++i) {
        device->execute_trace(0U, trace);
    }
    EXPECT_EQ(read(*device, counter), (Bytes{0xE8U, 0x03U, 0U, 0U}));
}

TEST_P(OnOneAndInThreads, FourTracesFiveWorkloadsTenTimesTenSetUps) {
    for (std::uint32_t setup = 0U; setup < 10U; ++setup) {
        const auto device = open(2U);
        const BufferPtr input = device->allocate(flat(256U));
        std::vector<BufferPtr> outputs;
        std::vector<Program> programs;
        std::vector<TraceId> traces;
        for (int k = 0; k < 5; ++k) {
            outputs.push_back(device->allocate(flat(256U, (k % 2 == 0) ? Memory::kDram : Memory::kL1)));
            programs.push_back(constant_program(input, outputs.back(), k - 2));
        }
        for (std::size_t k = 0U; k < 4U; ++k) {
            traces.push_back(captured(*device, {&programs[k]}, static_cast<std::uint32_t>(k % 2U)));
        }
        for (std::uint32_t i = 0U; i < 10U; ++i) {
            const Bytes data = pattern(256U, (setup * 100U) + i);
            device->enqueue_write(0U, input, view(data), true);
            for (std::size_t k = 0U; k < 5U; ++k) {
                device->enqueue_write(0U, outputs[k], view(dead_beef(256U)));
                if (k < 4U) {
                    device->execute_trace(0U, traces[k]);
                } else {
                    device->enqueue_program(0U, programs[k]);
                }
                ASSERT_EQ(read(*device, outputs[k]), plus(data, static_cast<int>(k) - 2))
                    << setup << ' ' << i << ' ' << k;
            }
        }
    }
}

// Small and large programs, traced and untraced, at random, against a model of all buffers.
TEST_P(OnOneAndInThreads, RandomProgramsAgainstAModel) {
    std::mt19937 random{20241121U};
    const auto pick = [&random](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    const auto device = open(2U);
    constexpr std::uint32_t kBuffers = 6U;
    constexpr std::uint32_t kBytes = 640U;
    std::vector<BufferPtr> buffers;
    std::vector<Bytes> model;
    for (std::uint32_t i = 0U; i < kBuffers; ++i) {
        buffers.push_back(device->allocate(flat(kBytes, (i % 2U == 0U) ? Memory::kDram : Memory::kL1)));
        model.push_back(pattern(kBytes, i));
        device->enqueue_write(0U, buffers.back(), view(model.back()), true);
    }
    struct Step {
        std::uint32_t from;
        std::uint32_t to;
        int constant;
    };
    struct Workload {
        Program program{"random"};
        std::vector<Step> steps;
        TraceId trace;
    };
    std::vector<Workload> workloads(12U);
    for (std::size_t w = 0U; w < workloads.size(); ++w) {
        Workload& workload = workloads[w];
        const std::uint32_t kernels = (w % 2U == 0U) ? (1U + pick(2U)) : (10U + pick(20U));  // small, large
        for (std::uint32_t k = 0U; k < kernels; ++k) {
            Step step{pick(kBuffers), pick(kBuffers), static_cast<int>(pick(41U)) - 20};
            step.to = (step.to == step.from) ? ((step.to + 1U) % kBuffers) : step.to;
            workload.steps.push_back(step);
            const host::CoreCoord core{pick(2U), pick(2U)};
            const host::KernelHandle kernel = workload.program.add_kernel("requantize", host::one_core(core));
            workload.program.set_runtime_args(
                kernel, core,
                {host::BufferArgument{buffers[step.from], 0U, 0U}, host::BufferArgument{buffers[step.to], 0U, 0U}});
            workload.program.set_common_runtime_args(kernel, add_constant_tail(kBytes, step.constant));
        }
        if (w % 3U != 0U) {
            workload.trace = captured(*device, {&workload.program});
        }
    }
    for (std::uint32_t i = 0U; i < 300U; ++i) {
        Workload& workload = workloads[pick(static_cast<std::uint32_t>(workloads.size()))];
        if (workload.trace.valid() && (pick(4U) != 0U)) {
            device->execute_trace(0U, workload.trace);
        } else {
            device->enqueue_program(0U, workload.program);
        }
        for (const Step& step : workload.steps) {
            model[step.to] = plus(model[step.from], step.constant);
        }
        if (i % 10U == 9U) {
            for (std::uint32_t k = 0U; k < kBuffers; ++k) {
                ASSERT_EQ(read(*device, buffers[k]), model[k]) << i << ' ' << k;
            }
            const std::uint32_t fresh = pick(kBuffers);
            model[fresh] = pattern(kBytes, i);
            device->enqueue_write(0U, buffers[fresh], view(model[fresh]));
        }
    }
}

TEST(Traces, ReadBackMatchesWhatTheDeviceFetches) {
    const auto device = host::open_device(small_device());
    const BufferPtr a = device->allocate(flat(64U));
    const BufferPtr b = device->allocate(flat(64U));
    Program program = constant_program(a, b, 1);
    const TraceId trace = captured(*device, {&program});
    // DISPATCH of 11 words to core 0, kernel 9; the cost: 64 + ceil(64 elements x 4 / 16) + ceil(128 / 8).
    const std::vector<std::uint32_t> words = device->read_back_trace(trace);
    ASSERT_EQ(words.size(), 12U);
    EXPECT_EQ(words[0], 0x000B00C3U);
    EXPECT_EQ(words[1], 0U);
    EXPECT_EQ(words[2], 9U);
    EXPECT_EQ(words[4], a->address());
    EXPECT_EQ(words[5], b->address());
    EXPECT_EQ(words[6], 64U);
    EXPECT_EQ(words[11], 0x0001005AU);
    const host::TraceInfo info = device->trace_info(trace);
    EXPECT_EQ(info.command_count, 2U);
    EXPECT_EQ(info.programs.front().command_count, 1U);
    EXPECT_EQ(info.bytes, 48U);
    // Dispatched in 16 cycles, then the kernel, then the end's 16.
    EXPECT_EQ(info.cost_cycles, 16U + words[3] + 16U);
    ASSERT_EQ(info.reads.size(), 1U);
    EXPECT_EQ(info.reads[0].address, a->address());
    EXPECT_EQ(info.reads[0].bytes, 64U);
    ASSERT_EQ(info.writes.size(), 1U);
    EXPECT_EQ(info.writes[0].address, b->address());
    EXPECT_EQ(info.address, 0x80000000U + (4U << 20U) - (64U * 1024U));
}

TEST(Traces, CoresRunSideBySide) {
    const auto device = host::open_device(small_device());
    std::vector<BufferPtr> buffers;
    Program parallel;
    Program serial;
    for (std::uint32_t i = 0U; i < 4U; ++i) {
        buffers.push_back(device->allocate(flat(8000U)));
        buffers.push_back(device->allocate(flat(8000U)));
        add_constant(parallel, {i % 2U, i / 2U}, buffers[std::size_t{2U} * i], buffers[(std::size_t{2U} * i) + 1U],
                     8000U, 1);
        add_constant(serial, {0U, 0U}, buffers[std::size_t{2U} * i], buffers[(std::size_t{2U} * i) + 1U], 8000U, 1);
    }
    const TraceId side_by_side = captured(*device, {&parallel});
    const TraceId one_by_one = captured(*device, {&serial});
    const std::uint64_t kernel = device->read_back_trace(one_by_one).at(3U);
    EXPECT_EQ(device->trace_info(one_by_one).cost_cycles, 32U + (std::uint64_t{4U} * kernel));
    EXPECT_EQ(device->trace_info(side_by_side).cost_cycles, 80U + kernel);  // four dispatches, the kernels, the end
    // The device takes what the host says.
    device->synchronize();
    for (const TraceId trace : {side_by_side, one_by_one}) {
        device->finish(0U);
        const std::uint64_t before = device->now().host_ns;
        device->execute_trace(0U, trace, true);
        const std::uint64_t cycles = 16U + device->trace_info(trace).cost_cycles + 16U;  // REPLAY, NOTIFY
        EXPECT_NEAR(static_cast<double>(device->now().host_ns - before), 600.0 + (2.0 * static_cast<double>(cycles)),
                    4.0);
    }
}

TEST(Traces, AZeroSizeRegionNamesTheExactNeed) {
    host::DeviceOptions options = small_device(1U, 0U);
    std::uint32_t need = 0U;
    {
        const auto device = host::open_device(options);
        const BufferPtr a = device->allocate(flat(64U));
        const BufferPtr b = device->allocate(flat(64U));
        Program program = constant_program(a, b, 1);
        expect_rule(HostRule::kTraceRegion, "48 bytes", [&] { (void)captured(*device, {&program}); });
        try {
            (void)captured(*device, {&program});
        } catch (const host::HostError& error) {
            const std::string text = error.what();
            const std::string mark = "trace_region_size ";
            need = static_cast<std::uint32_t>(std::stoul(text.substr(text.find(mark) + mark.size())));
        }
        EXPECT_FALSE(device->is_capturing(0U));
        device->enqueue_program(0U, program, true);  // everything else still works
    }
    EXPECT_EQ(need, 64U);
    options.trace_region_size = need;
    const auto device = host::open_device(options);
    const BufferPtr a = device->allocate(flat(64U));
    const BufferPtr b = device->allocate(flat(64U));
    Program program = constant_program(a, b, 1);
    const TraceId trace = captured(*device, {&program});
    EXPECT_EQ(device->trace_region_bytes_used(), 64U);
    expect_rule(HostRule::kTraceRegion, "trace_region_size 128", [&] { (void)captured(*device, {&program}); });
    device->release_trace(trace);
    EXPECT_EQ(device->trace_region_bytes_used(), 0U);
    (void)captured(*device, {&program});
}

TEST(Traces, ReleasedIdsStayUnknown) {
    const auto device = host::open_device(small_device());
    const BufferPtr a = device->allocate(flat(64U));
    const BufferPtr b = device->allocate(flat(64U));
    Program program = constant_program(a, b, 1);
    const TraceId first = captured(*device, {&program});
    device->release_trace(first);
    const TraceId second = captured(*device, {&program});
    EXPECT_NE(first, second);
    for (const TraceId gone : {first, TraceId{}, TraceId{123456U}}) {
        expect_rule(HostRule::kTraceUnknown, "not there", [&] { device->execute_trace(0U, gone); });
        expect_rule(HostRule::kTraceUnknown, "not there", [&] { device->release_trace(gone); });
        expect_rule(HostRule::kTraceUnknown, "not there", [&] { (void)device->collect_trace(gone); });
    }
}

TEST(Traces, WhatACaptureRefuses) {
    const auto device = host::open_device(small_device(2U));
    const BufferPtr a = device->allocate(flat(64U));
    const BufferPtr b = device->allocate(flat(64U));
    const Bytes data(64U);
    device->enqueue_write(0U, a, view(data));
    Program program = constant_program(a, b, 1);
    const TraceId whole = captured(*device, {&program});
    const host::EventId event = device->create_event();
    device->record_event(1U, event);
    const TraceId trace = device->begin_trace_capture(0U);
    const auto refused = [](const std::string& part, const auto& action) {
        expect_rule(HostRule::kTraceCapturing, part, action);
    };
    refused("a write", [&] { device->enqueue_write(0U, a, view(data)); });
    refused("a read", [&] { (void)device->enqueue_read(0U, b); });
    refused("recording an event", [&] { device->record_event(0U, event); });
    refused("waiting for an event", [&] { device->wait_for_event(0U, event); });
    refused("synchronising", [&] { device->event_synchronize(event); });
    refused("a blocking call", [&] { device->enqueue_program(0U, program, true); });
    refused("finish", [&] { device->finish(0U); });
    refused("synchronize", [&] { device->synchronize(); });
    refused("executing a trace", [&] { device->execute_trace(0U, whole); });
    const host::TraceBlob blob = device->collect_trace(whole);
    refused("loading a trace", [&] { (void)device->load_trace(0U, view(blob.bytes)); });
    expect_rule(HostRule::kTraceBusyQueue, "captures trace", [&] { (void)device->begin_trace_capture(0U); });
    device->state().call.mesh = 7U;  // a mesh
    expect_rule(HostRule::kTraceOwner, "which the device by itself captures",
                [&] { device->enqueue_program(0U, program); });
    device->state().call.mesh = 0U;
    Program unknown = constant_program(a, b, 1);
    add_constant(unknown, {1U, 1U}, a, b, 64U, 2);
    expect_rule(HostRule::kProgramNotCompiled, "cannot load new binaries",
                [&] { device->enqueue_program(0U, unknown); });
    expect_rule(HostRule::kTraceUnknown, "not there", [&] { device->execute_trace(1U, trace); });  // not ended
    // The other queue goes on, and may capture by itself.
    device->enqueue_write(1U, a, view(data));
    expect_rule(HostRule::kTraceNotCapturing, "does not capture", [&] { device->end_trace_capture(1U, trace); });
    expect_rule(HostRule::kTraceNotCapturing, "does not capture", [&] { device->end_trace_capture(0U, whole); });
    expect_rule(HostRule::kTraceEmpty, "no program", [&] { device->end_trace_capture(0U, trace); });
    expect_rule(HostRule::kTraceNotCapturing, "does not capture", [&] { device->end_trace_capture(0U, trace); });
    EXPECT_FALSE(device->memory_report().dram.allocations == 0U);
    // With the cache off, nothing can be captured.
    device->finish(1U);
    device->set_program_cache_enabled(false);
    device->enqueue_program(0U, program);
    const TraceId uncached = device->begin_trace_capture(0U);
    expect_rule(HostRule::kProgramNotCompiled, "compile", [&] { device->enqueue_program(0U, program); });
    expect_rule(HostRule::kTraceEmpty, "no program", [&] { device->end_trace_capture(0U, uncached); });
}

TEST(Traces, ATraceClosesTheGapsOfTheHost) {
    const auto device = host::open_device(small_device());
    const BufferPtr a = device->allocate(flat(64U));
    const BufferPtr b = device->allocate(flat(64U));
    Program program = constant_program(a, b, 1);
    const auto took = [&](const auto& work) {
        device->synchronize();
        const std::uint64_t before = device->now().host_ns;
        work();
        device->synchronize();
        return device->now().host_ns - before;
    };
    const std::uint64_t eager = took([&] {
        for (int i = 0; i < 20; ++i) {
            device->enqueue_program(0U, program);
        }
    });
    const TraceId trace = device->begin_trace_capture(0U);
    for (int i = 0; i < 20; ++i) {
        device->enqueue_program(0U, program);
    }
    device->end_trace_capture(0U, trace);
    const std::uint64_t traced = took([&] { device->execute_trace(0U, trace); });
    EXPECT_GE(eager, 186'000U);
    EXPECT_LT(traced * 10U, eager);
}

TEST(Traces, TheDeviceKeepsToTheExtentsThatWerePublished) {
    host::DeviceOptions options = small_device();
    options.check_accesses = true;
    const auto device = host::open_device(options);
    const BufferPtr a = device->allocate(flat(64U));
    const BufferPtr b = device->allocate(flat(64U, Memory::kL1));
    Program program = constant_program(a, b, 1);
    const TraceId trace = captured(*device, {&program});
    device->execute_trace(0U, trace, true);
    EXPECT_EQ(device->access_violations(), 0U);
}

}  // namespace
}  // namespace pianola::test
