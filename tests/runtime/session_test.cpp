// What a session promises while nothing is broken: order of calls, sizes, refusals, self-tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes memory_of(Bench& bench) {
    const refdev::DeviceSpec& spec = bench.device.spec();
    const std::uint8_t* const dram = bench.device.memory_at(spec.dram_base, spec.dram_bytes);
    const std::uint8_t* const l1 = bench.device.memory_at(spec.l1_base, spec.l1_bytes);
    Bytes all{dram, dram + spec.dram_bytes};
    all.insert(all.end(), l1, l1 + spec.l1_bytes);
    return all;
}

TEST(Session, ReplaysTheWorkload) {
    verifies({"swr~validate-twice~1"});
    for (const std::uint32_t queues : {1U, 2U}) {
        const files::AlignedBytes file{make_workload(queues).file()};
        Bench bench;
        ASSERT_EQ(bench.load(file.view()), Status::kOk);
        for (std::uint32_t step = 1U; step <= 20U; ++step) {
            const Bytes input = workload_input(step);
            Bytes output(kWorkloadBytes);
            ASSERT_EQ(bench.run(input, output), Status::kOk);
            EXPECT_EQ(output, workload_output(input));
            EXPECT_EQ(bench.session.steps_completed(), step);
            EXPECT_EQ(bench.platform.watchdog_services(), step);
        }
        EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
        EXPECT_EQ(bench.session.unload(), Status::kOk);
        EXPECT_FALSE(bench.session.is_loaded());
    }
}

TEST(Session, WithholdsAResultThatIsLookedAtAfterTheDeadline) {
    verifies({"swr~deadline~1"});
    const files::AlignedBytes file{make_workload(1U).file()};
    const Bytes input = workload_input(1U);
    Bench bench;
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    const std::uint32_t deadline_us = bench.session.plan().step.deadline_us;

    Bytes output(kWorkloadBytes, 0x77U);
    ASSERT_EQ(bench.submit(input, output), Status::kOk);
    const std::uint64_t started_us = bench.platform.now_us();
    while ((bench.platform.now_us() - started_us) <= deadline_us) {
        bench.platform.idle();  // the device would be done by now; nobody looks
    }
    EXPECT_EQ(bench.session.poll(), Status::kTimeout);
    EXPECT_EQ(output, Bytes(kWorkloadBytes, 0U));
    EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
    EXPECT_EQ(bench.platform.watchdog_services(), 0U);
    EXPECT_EQ(bench.session.fault().deadline_us, deadline_us);
    EXPECT_EQ(bench.session.steps_completed(), 0U);
}

TEST(Session, RefusesCallsOutOfOrder) {
    verifies({"swr~whole-steps~1"});
    const files::AlignedBytes file{make_workload(1U).file()};
    const Bytes input = workload_input(1U);
    Bytes output(kWorkloadBytes, 0x77U);
    Bench bench;
    EXPECT_FALSE(bench.session.is_loaded());
    EXPECT_EQ(bench.submit(input, output), Status::kInvalidState);
    EXPECT_EQ(bench.session.poll(), Status::kInvalidState);
    EXPECT_EQ(bench.session.self_test(0U, {output.data(), output.size()}), Status::kInvalidState);

    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    EXPECT_EQ(bench.session.poll(), Status::kInvalidState);
    ASSERT_EQ(bench.submit(input, output), Status::kOk);
    EXPECT_EQ(bench.submit(input, output), Status::kInvalidState);
    EXPECT_EQ(bench.load(file.view()), Status::kInvalidState);
    EXPECT_EQ(bench.verdict.status, Status::kInvalidState);
    EXPECT_EQ(bench.session.unload(), Status::kInvalidState);
    EXPECT_EQ(bench.session.self_test(0U, {output.data(), output.size()}), Status::kInvalidState);
    EXPECT_EQ(bench.session.wait(), Status::kOk);
    EXPECT_EQ(output, workload_output(input));
    EXPECT_EQ(bench.session.poll(), Status::kInvalidState);
    EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
}

TEST(Session, RunIsRefusedWhileAStepIsUnderWay) {
    const files::AlignedBytes file{make_workload(2U).file()};
    const Bytes input = workload_input(1U);
    Bytes output(kWorkloadBytes);
    Bytes other(kWorkloadBytes, 0x77U);
    Bench bench;
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    ASSERT_EQ(bench.submit(input, output), Status::kOk);
    EXPECT_EQ(bench.run(workload_input(2U), other), Status::kInvalidState);
    EXPECT_EQ(other, Bytes(kWorkloadBytes, 0x77U));
    EXPECT_EQ(bench.session.wait(), Status::kOk);
    EXPECT_EQ(output, workload_output(input));
    EXPECT_EQ(bench.run(workload_input(2U), other), Status::kOk);
    EXPECT_EQ(other, workload_output(workload_input(2U)));
}

TEST(Session, RefusesWrongSizesAndCountsAndStartsNothing) {
    verifies({"swr~bound-memory~1"});
    const files::AlignedBytes file{make_workload(2U).file()};
    Bench bench;
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    Bytes memory(std::size_t{2U} * kWorkloadBytes, 0x77U);
    const Bytes before_device = memory_of(bench);
    for (const std::size_t inputs : {0U, 1U, 2U}) {
        for (const std::size_t outputs : {0U, 1U, 2U}) {
            for (const std::size_t bytes : {std::size_t{0U}, std::size_t{kWorkloadBytes - 1U},
                                            std::size_t{kWorkloadBytes}, std::size_t{kWorkloadBytes + 1U}}) {
                const std::array<ByteSpan, 2> in{ByteSpan{memory.data(), kWorkloadBytes},
                                                 ByteSpan{memory.data(), bytes}};
                const std::array<MutableByteSpan, 2> out{MutableByteSpan{memory.data(), bytes},
                                                         MutableByteSpan{memory.data(), kWorkloadBytes}};
                if ((inputs == 1U) && (outputs == 1U) && (bytes == kWorkloadBytes)) {
                    continue;
                }
                EXPECT_EQ(bench.session.submit({in.data(), inputs}, {out.data(), outputs}), Status::kInvalidArgument);
            }
        }
    }
    const std::array<ByteSpan, 1> short_input{ByteSpan{memory.data(), kWorkloadBytes - 1U}};
    const std::array<MutableByteSpan, 1> output{MutableByteSpan{memory.data(), kWorkloadBytes}};
    EXPECT_EQ(bench.session.submit(Span<const ByteSpan>{short_input}, Span<const MutableByteSpan>{output}),
              Status::kInvalidArgument);
    EXPECT_EQ(bench.session.poll(), Status::kInvalidState);
    EXPECT_EQ(memory, Bytes(std::size_t{2U} * kWorkloadBytes, 0x77U));
    EXPECT_EQ(memory_of(bench), before_device);
    EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
    Bytes result(kWorkloadBytes);
    EXPECT_EQ(bench.run(workload_input(1U), result), Status::kOk);
}

TEST(Session, RefusedLoadLeavesTheDeviceAlone) {
    verifies({"swr~refused-load-leaves-device~1"});
    const files::AlignedBytes good{make_workload(1U).file()};
    Bytes damaged = make_workload(2U).file();
    damaged.back() ^= 1U;
    const files::AlignedBytes bad{damaged};
    Bench bench;
    std::uint8_t* const dram = bench.device.memory_at(bench.device.spec().dram_base, bench.device.spec().dram_bytes);
    std::fill_n(dram, bench.device.spec().dram_bytes, std::uint8_t{0x5AU});
    const Bytes untouched = memory_of(bench);
    EXPECT_EQ(bench.load(bad.view()), Status::kRefused);
    EXPECT_EQ(bench.verdict.rule, Rule::kEnvPadding);
    EXPECT_EQ(memory_of(bench), untouched);
    EXPECT_EQ(bench.device.progress(), 0U);
    EXPECT_FALSE(bench.session.is_loaded());

    ASSERT_EQ(bench.load(good.view()), Status::kOk);
    EXPECT_EQ(bench.verdict.status, Status::kOk);
    EXPECT_EQ(bench.verdict.rule, Rule::kAccepted);
    const Bytes loaded = memory_of(bench);
    const std::uint64_t progress = bench.device.progress();
    EXPECT_EQ(bench.load(bad.view()), Status::kRefused);
    EXPECT_EQ(memory_of(bench), loaded);
    EXPECT_EQ(bench.device.progress(), progress);
    EXPECT_FALSE(bench.session.is_loaded());
    Bytes output(kWorkloadBytes, 0x77U);
    EXPECT_EQ(bench.run(workload_input(1U), output), Status::kInvalidState);
    EXPECT_EQ(output, Bytes(kWorkloadBytes, 0x77U));
    EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
    ASSERT_EQ(bench.load(good.view()), Status::kOk);
    EXPECT_EQ(bench.run(workload_input(1U), output), Status::kOk);
    EXPECT_EQ(output, workload_output(workload_input(1U)));
}

TEST(Session, SelfTestsPass) {
    verifies({"swr~self-test~1"});
    const files::AlignedBytes file{make_workload(2U, 3U).file()};
    Bench bench;
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    EXPECT_EQ(bench.session.output_bytes(), kWorkloadBytes);
    Bytes scratch(kWorkloadBytes + 5U);
    for (std::uint32_t i = 0U; i < 3U; ++i) {
        EXPECT_EQ(bench.session.self_test(i, {scratch.data(), scratch.size()}), Status::kOk);
    }
    EXPECT_EQ(bench.session.self_test(3U, {scratch.data(), scratch.size()}), Status::kInvalidArgument);
    EXPECT_EQ(bench.session.self_test(0U, {scratch.data(), kWorkloadBytes - 1U}), Status::kInvalidArgument);
    EXPECT_EQ(bench.session.steps_completed(), 3U);
    EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
}

TEST(Session, SelfTestWithAnotherResultLatches) {
    verifies({"swr~self-test~1"});
    for (const std::uint32_t damaged : {0U, kWorkloadBytes - 1U}) {
        Workload workload = make_workload(1U, 2U);
        const std::size_t second_output = 3U * std::size_t{kWorkloadBytes};
        workload.segments.self_tests.at(second_output + damaged) ^= 1U;
        const files::AlignedBytes file{workload.file()};
        Bench bench;
        ASSERT_EQ(bench.load(file.view()), Status::kOk);
        Bytes scratch(kWorkloadBytes);
        EXPECT_EQ(bench.session.self_test(0U, {scratch.data(), scratch.size()}), Status::kOk);
        EXPECT_EQ(bench.session.self_test(1U, {scratch.data(), scratch.size()}), Status::kIntegrity);
        EXPECT_EQ(bench.session.fault().stage, FaultStage::kSelfTest);
        EXPECT_EQ(bench.session.fault().status, Status::kIntegrity);
        EXPECT_EQ(scratch, Bytes(kWorkloadBytes));
        EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
        EXPECT_EQ(bench.session.self_test(0U, {scratch.data(), scratch.size()}), Status::kFaultLatched);
        Bytes output(kWorkloadBytes, 0x77U);
        EXPECT_EQ(bench.run(workload_input(1U), output), Status::kFaultLatched);
        EXPECT_EQ(output, Bytes(kWorkloadBytes, 0x77U));
    }
}

// A binary without inputs and outputs, and without traces, is of no use, but it is no reason to stumble either.
TEST(Session, ReplaysNothing) {
    Workload workload = make_workload(1U);
    capture::Manifest& manifest = workload.manifest;
    manifest.inputs.clear();
    manifest.outputs.clear();
    manifest.traces.clear();
    manifest.scripts[0].commands.clear();
    manifest.scripts[1].commands.clear();
    manifest.step_cycles = 0U;
    manifest.self_test_origins.assign(2U, SelfTestOrigin::kCaptured);
    workload.segments.traces.clear();
    const files::AlignedBytes file{workload.file()};
    Bench bench;
    ASSERT_EQ(bench.load(file.view()), Status::kOk) << path_text(bench.verdict);
    EXPECT_EQ(bench.session.run({}, {}), Status::kOk);
    EXPECT_EQ(bench.session.self_test(1U, {}), Status::kOk);
    EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
}

}  // namespace
}  // namespace pianola::test
