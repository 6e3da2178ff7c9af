// What a session does when the device misbehaves: one fault, latched, with outputs withheld, and a way back.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

const Bytes& no_output() {
    static const Bytes kBytes(kWorkloadBytes, 0U);
    return kBytes;
}

struct FaultCase {
    const char* what;
    sim::FaultScript faults;
    bool at_load;
    Status status;
    FaultStage stage;
    std::uint32_t executed{0U};  // commands of the script that the device had executed, after a timeout
};

std::ostream& operator<<(std::ostream& stream, const FaultCase& fault_case) {
    return stream << fault_case.what;
}

// The set-up of the workload on one queue rings 1 doorbell, gives 1 completion, makes 3 enqueues, 5 regions, 2 binds, 1
// reset and 3 read-backs; each step 1 doorbell, 1 completion, 4 enqueues and 2 binds.
sim::FaultScript script(std::uint32_t sim::FaultScript::* field, std::uint32_t n) {
    sim::FaultScript faults;
    faults.*field = n;
    return faults;
}

const std::vector<FaultCase>& fault_cases() {
    using Script = sim::FaultScript;
    static const std::vector<FaultCase> kCases{
        {"reset at load", script(&Script::fail_reset, 1U), true, Status::kTimeout, FaultStage::kReset},
        {"first region", script(&Script::refuse_region, 1U), true, Status::kDeviceFault, FaultStage::kProgram},
        {"last region", script(&Script::refuse_region, 5U), true, Status::kDeviceFault, FaultStage::kProgram},
        {"weights not bound", script(&Script::refuse_bind, 1U), true, Status::kDeviceFault, FaultStage::kProgram},
        {"traces not bound", script(&Script::refuse_bind, 2U), true, Status::kDeviceFault, FaultStage::kProgram},
        {"set-up not enqueued", script(&Script::refuse_enqueue, 2U), true, Status::kDeviceFault, FaultStage::kSetup},
        {"set-up's notify not enqueued", script(&Script::refuse_enqueue, 3U), true, Status::kDeviceFault,
         FaultStage::kSetup},
        {"set-up's doorbell lost", script(&Script::lose_doorbell, 1U), true, Status::kTimeout, FaultStage::kSetup},
        {"set-up's completion lost", script(&Script::lose_completion, 1U), true, Status::kTimeout, FaultStage::kSetup,
         3U},
        {"first read-back damaged", script(&Script::damage_read_back, 1U), true, Status::kIntegrity,
         FaultStage::kReadBack},
        {"last read-back damaged", script(&Script::damage_read_back, 2U), true, Status::kIntegrity,
         FaultStage::kReadBack},
        {"input not bound", script(&Script::refuse_bind, 7U), false, Status::kDeviceFault, FaultStage::kSubmit},
        {"output not bound", script(&Script::refuse_bind, 8U), false, Status::kDeviceFault, FaultStage::kSubmit},
        {"step not enqueued", script(&Script::refuse_enqueue, 9U), false, Status::kDeviceFault, FaultStage::kSubmit},
        {"step's notify not enqueued", script(&Script::refuse_enqueue, 11U), false, Status::kDeviceFault,
         FaultStage::kSubmit},
        {"step's doorbell lost", script(&Script::lose_doorbell, 3U), false, Status::kTimeout, FaultStage::kStep},
        {"step's completion lost", script(&Script::lose_completion, 3U), false, Status::kTimeout, FaultStage::kStep,
         7U},
    };
    return kCases;
}

class EachSessionFault : public testing::TestWithParam<FaultCase> {};

void expect_latched(Bench& bench, const FaultCase& expected) {
    const FaultRecord& fault = bench.session.fault();
    EXPECT_EQ(fault.status, expected.status);
    EXPECT_EQ(fault.stage, expected.stage);
    EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
    EXPECT_EQ(bench.platform.last_fault().stage, expected.stage);
    EXPECT_GE(fault.time_us, fault.started_us);
    if ((expected.status == Status::kTimeout) && (expected.stage != FaultStage::kReset)) {
        EXPECT_GT(fault.time_us - fault.started_us, fault.deadline_us);
        EXPECT_EQ(fault.command, expected.executed);
    }
    Bytes output(kWorkloadBytes, 0x77U);
    EXPECT_EQ(bench.run(workload_input(9U), output), Status::kFaultLatched);
    EXPECT_EQ(bench.session.poll(), Status::kFaultLatched);
    EXPECT_EQ(bench.session.self_test(0U, {output.data(), output.size()}), Status::kFaultLatched);
    EXPECT_EQ(output, Bytes(kWorkloadBytes, 0x77U));
    EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
}

TEST_P(EachSessionFault, LatchOnceAndANewLoadRecovers) {
    verifies({"swr~latching~1"});
    const FaultCase& fault_case = GetParam();
    const files::AlignedBytes file{make_workload(1U).file()};
    Bench bench{fault_case.faults};
    const Status loaded = bench.load(file.view());
    if (fault_case.at_load) {
        EXPECT_EQ(loaded, fault_case.status);
    } else {
        ASSERT_EQ(loaded, Status::kOk);
        Bytes output(kWorkloadBytes);
        ASSERT_EQ(bench.run(workload_input(1U), output), Status::kOk);
        EXPECT_EQ(output, workload_output(workload_input(1U)));
        output.assign(kWorkloadBytes, 0x77U);
        EXPECT_EQ(bench.run(workload_input(2U), output), fault_case.status);
        EXPECT_EQ(output, no_output());
        EXPECT_EQ(bench.session.fault().step, 3U);
        EXPECT_EQ(bench.session.steps_completed(), 1U);
        EXPECT_EQ(bench.platform.watchdog_services(), 1U);
    }
    expect_latched(bench, fault_case);

    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    EXPECT_EQ(bench.session.fault().stage, FaultStage::kNone);
    Bytes output(kWorkloadBytes);
    EXPECT_EQ(bench.run(workload_input(3U), output), Status::kOk);
    EXPECT_EQ(output, workload_output(workload_input(3U)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, EachSessionFault, testing::ValuesIn(fault_cases()),
                         [](const auto& parameter) { return "case_" + std::to_string(parameter.index); });

TEST(SessionFaults, DeviceFaultInAStepIsReported) {
    verifies({"swr~latching~1"});
    const files::AlignedBytes file{make_workload(1U).file()};
    Bench bench;
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    // The second command's kernel id, in the trace region, after it was read back.
    const std::uint32_t base = bench.session.plan().trace_region_base;
    *bench.device.memory_at(base + (11U * 4U), 1U) ^= 0x80U;
    Bytes output(kWorkloadBytes, 0x77U);
    EXPECT_EQ(bench.run(workload_input(1U), output), Status::kDeviceFault);
    EXPECT_EQ(output, no_output());
    EXPECT_EQ(bench.session.fault().stage, FaultStage::kStep);
    EXPECT_EQ(bench.session.fault().device_fault, DeviceFault::kUnknownKernel);
    EXPECT_EQ(bench.session.fault().command, 4U);  // WriteInput, ReplayTrace and two launches
    EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
}

// Four barriers of the trace become one fill, which is as long and does no harm: only the device's own count tells.
TEST(SessionFaults, AnotherNumberOfCommandsIsNoticed) {
    verifies({"swr~evidence~1"});
    constexpr std::uint32_t kBarrier = 0x0001'004DU;
    constexpr std::uint32_t kFill = 0x0004'003CU;
    constexpr std::uint32_t kFirstBarrier = 40U;
    Workload workload = make_workload(1U);
    std::vector<std::uint32_t> words = words_of(workload.segments.traces);
    words.insert(words.end() - 1, 4U, kBarrier);
    set_trace(workload, words);
    const files::AlignedBytes file{workload.file()};
    Bench bench;
    ASSERT_EQ(bench.load(file.view()), Status::kOk) << path_text(bench.verdict);
    Bytes output(kWorkloadBytes);
    ASSERT_EQ(bench.run(workload_input(1U), output), Status::kOk);

    const std::uint32_t address = bench.session.plan().trace_region_base + (kFirstBarrier * 4U);
    const Bytes fill = bytes_of({kFill, workload.manifest.regions[3].base, 1U, 0U});
    std::copy(fill.begin(), fill.end(), bench.device.memory_at(address, fill.size()));
    EXPECT_EQ(bench.run(workload_input(1U), output), Status::kIntegrity);
    EXPECT_EQ(bench.session.fault().stage, FaultStage::kStep);
    EXPECT_EQ(bench.session.fault().command,
              8U);  // three fewer than WriteInput, ReplayTrace, seven, ReadOutput and notify
    EXPECT_EQ(output, no_output());
    EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
}

TEST(SessionFaults, ResetThatFailsAtUnloadLatches) {
    verifies({"swr~unload~1"});
    const files::AlignedBytes file{make_workload(1U).file()};
    Bench bench{script(&sim::FaultScript::fail_reset, 2U)};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    EXPECT_EQ(bench.session.unload(), Status::kTimeout);
    EXPECT_EQ(bench.session.fault().stage, FaultStage::kReset);
    EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
}

TEST(SessionFaults, TheRecordSaysWhetherTheDeviceStopped) {
    verifies({"swr~latching~1"});
    const files::AlignedBytes file{make_workload(1U).file()};
    for (const bool stops : {true, false}) {
        sim::FaultScript faults;
        faults.lose_completion = 2U;          // the first is that of the set-up
        faults.fail_reset = stops ? 0U : 2U;  // the first is that of load()
        Bench bench{faults};
        ASSERT_EQ(bench.load(file.view()), Status::kOk);
        std::vector<std::uint8_t> output(kWorkloadBytes, 0x77U);
        EXPECT_EQ(bench.run(workload_input(1U), output), Status::kTimeout);
        EXPECT_EQ(bench.session.fault().device_stopped, stops);
        EXPECT_EQ(output, no_output());
        EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
    }
}

// The N-th call of each kind fails, for every N until nothing fails any more.
TEST(SessionFaults, NoSingleFailureGivesAWrongOutput) {
    verifies({"swr~latching~1"});
    using Script = sim::FaultScript;
    for (const auto field :
         {&Script::lose_doorbell, &Script::lose_completion, &Script::refuse_enqueue, &Script::refuse_region,
          &Script::refuse_bind, &Script::damage_read_back, &Script::fail_reset}) {
        for (const std::uint32_t queues : {1U, 2U}) {
            const files::AlignedBytes file{make_workload(queues).file()};
            std::uint32_t failures = 0U;
            bool clean = false;
            for (std::uint32_t n = 1U; !clean; ++n) {
                ASSERT_LT(n, 200U);
                Bench bench{script(field, n)};
                Status status = bench.load(file.view());
                for (std::uint32_t step = 1U; is_ok(status) && (step <= 4U); ++step) {
                    const Bytes input = workload_input(step);
                    Bytes output(kWorkloadBytes, 0x77U);
                    status = bench.run(input, output);
                    ASSERT_EQ(output, is_ok(status) ? workload_output(input) : no_output()) << "n " << n;
                }
                status = is_ok(status) ? bench.session.unload() : status;
                clean = is_ok(status);
                failures += clean ? 0U : 1U;
                EXPECT_EQ(bench.platform.safe_state_entries(), clean ? 0U : 1U);
                if (clean) {
                    continue;
                }
                ASSERT_EQ(bench.load(file.view()), Status::kOk);
                Bytes output(kWorkloadBytes);
                ASSERT_EQ(bench.run(workload_input(7U), output), Status::kOk);
                EXPECT_EQ(output, workload_output(workload_input(7U)));
            }
            EXPECT_GT(failures, 0U);
        }
    }
}

}  // namespace
}  // namespace pianola::test
