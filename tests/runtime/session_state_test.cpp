// A session whose own memory changes between two calls, and what it remembers of its faults.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "runtime/session/armed.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A session in memory that the test can reach, as a fault of that memory does.
struct Exposed {
    explicit Exposed(Release release, const sim::SimOptions& options = {})
        : config{kDevelopmentTrust, release}, device{options} {}

    Status load() { return session.load(file.view(), *workspace, verdict); }
    Status submit() {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        return session.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    std::uint8_t* memory() {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
        return reinterpret_cast<std::uint8_t*>(&session);
    }
    // Where the word lies in the session; its size where it does not.
    std::size_t find(std::uint32_t word) {
        std::size_t at = 0U;
        while ((at < sizeof(Session)) && (std::memcmp(memory() + at, &word, sizeof(word)) != 0)) {
            at += sizeof(word);
        }
        return at;
    }

    SessionConfig config;
    files::AlignedBytes file{make_workload(1U).file()};
    sim::SimDevice device;
    sim::SimPlatform platform{device};
    refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set, config};
    std::unique_ptr<PlanWorkspace> workspace{std::make_unique<PlanWorkspace>()};
    Verdict verdict;
    Bytes input = workload_input(1U);
    Bytes output = Bytes(kWorkloadBytes, 0x77U);
};

// Everything that the calls go on from: one bit of any word of it, and nothing else is done. What the binary makes no
// use of, the rest of the lists, is no part of it: a change there changes nothing.
TEST(SessionState, AChangedBitLatchesAtTheNextCall) {
    verifies({"swr~sealed-state~1"});
    constexpr std::size_t kStride = 52U;
    Exposed exposed{Release::kVerified};
    ASSERT_EQ(exposed.load(), Status::kOk);
    const std::size_t armed = exposed.find(kArmed);
    ASSERT_LT(armed, sizeof(Session));
    std::uint32_t faults = 0U;
    std::uint32_t without_effect = 0U;
    for (std::size_t at = armed; at < sizeof(Session); at += kStride) {
        ASSERT_EQ(exposed.load(), Status::kOk);
        exposed.memory()[at] ^= static_cast<std::uint8_t>(1U << (at % 8U));
        MutableByteSpan view;
        if (exposed.session.input_view(0U, view) == Status::kOk) {
            without_effect += 1U;
            ASSERT_EQ(exposed.submit(), Status::kOk) << at;
            EXPECT_EQ(exposed.session.wait(), Status::kOk) << at;
            EXPECT_EQ(exposed.output, workload_output(exposed.input)) << at;
            exposed.output.assign(kWorkloadBytes, 0x77U);
            continue;
        }
        EXPECT_EQ(exposed.session.input_view(0U, view), Status::kIntegrity) << "const calls refuse, and latch nothing";
        EXPECT_TRUE(view.empty());
        EXPECT_EQ(exposed.session.output_bytes(), 0U);
        EXPECT_EQ(exposed.session.scrub_calls(), 0U);
        EXPECT_EQ(exposed.session.release_steps(), 0U);
        EXPECT_EQ(exposed.platform.safe_state_entries(), faults);
        faults += 1U;
        EXPECT_EQ(exposed.submit(), Status::kIntegrity) << at;
        EXPECT_EQ(exposed.session.fault().stage, FaultStage::kState);
        EXPECT_EQ(exposed.session.fault().status, Status::kIntegrity);
        EXPECT_EQ(exposed.platform.safe_state_entries(), faults);
        EXPECT_EQ(exposed.submit(), Status::kFaultLatched);
        EXPECT_EQ(exposed.output, Bytes(kWorkloadBytes, 0x77U)) << "nothing was bound, so nothing is withheld";
    }
    EXPECT_EQ(exposed.session.fault_count(), faults);
    EXPECT_GT(faults, 0U);
    EXPECT_GT(without_effect, 0U);
}

// Every bit of what a step relies on most is noticed.
TEST(SessionState, EveryBitOfTheCommandsAndTheirNumberIsNoticed) {
    verifies({"swr~sealed-state~1"});
    Exposed exposed{Release::kVerified};
    ASSERT_EQ(exposed.load(), Status::kOk);
    const Plan& plan = exposed.session.plan();
    const std::uint32_t count = plan.epilogue.first + plan.epilogue.count;
    const auto place = [&exposed](const auto& object) {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
        return static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(&object) - exposed.memory());
    };
    std::vector<std::size_t> words;
    for (std::size_t at = place(plan.step); at < place(plan.inputs); at += sizeof(std::uint32_t)) {
        words.push_back(at);
    }
    for (std::size_t at = place(plan.commands[0]); at < place(plan.commands[count]); at += sizeof(std::uint32_t)) {
        words.push_back(at);
    }
    MutableByteSpan view;
    for (const std::size_t at : words) {
        for (std::size_t bit = 0U; bit < 32U; ++bit) {
            exposed.memory()[at + (bit / 8U)] ^= static_cast<std::uint8_t>(1U << (bit % 8U));
            ASSERT_EQ(exposed.session.input_view(0U, view), Status::kIntegrity) << at << " bit " << bit;
            exposed.memory()[at + (bit / 8U)] ^= static_cast<std::uint8_t>(1U << (bit % 8U));
        }
    }
    EXPECT_EQ(exposed.session.input_view(0U, view), Status::kOk);
}

TEST(SessionState, EveryCallLooks) {
    verifies({"swr~sealed-state~1"});
    using CallOf = Status (*)(Exposed&);
    const std::array<CallOf, 10> calls{
        [](Exposed& exposed) { return exposed.session.submit(); },
        [](Exposed& exposed) { return exposed.submit(); },
        [](Exposed& exposed) { return exposed.session.poll(); },
        [](Exposed& exposed) { return exposed.session.start({}); },
        [](Exposed& exposed) { return exposed.session.stop({}); },
        [](Exposed& exposed) { return exposed.session.run({}, {}); },
        [](Exposed& exposed) { return exposed.session.set_parameters({}); },
        [](Exposed& exposed) { return exposed.session.scrub(); },
        [](Exposed& exposed) { return exposed.session.confirm_start(); },
        [](Exposed& exposed) { return exposed.session.unload(); },
    };
    for (const CallOf call : calls) {
        Exposed exposed{Release::kVerified};
        ASSERT_EQ(exposed.load(), Status::kOk);
        exposed.memory()[exposed.find(kArmed)] ^= 1U;
        EXPECT_EQ(call(exposed), Status::kIntegrity);
        EXPECT_EQ(exposed.session.fault().stage, FaultStage::kState);
        EXPECT_EQ(exposed.platform.safe_state_entries(), 1U);
    }
}

// Where the state is not sealed, the doorbells still ask whether two validations have passed.
TEST(SessionState, AWordThatIsNotArmedRingsNoDoorbell) {
    verifies({"swr~validate-twice~1"});
    for (std::uint32_t bit = 0U; bit < 32U; ++bit) {
        Exposed exposed{Release::kAtCompletion};
        ASSERT_EQ(exposed.load(), Status::kOk);
        const std::size_t armed = exposed.find(kArmed);
        ASSERT_LT(armed, sizeof(Session));
        exposed.memory()[armed + (bit / 8U)] ^= static_cast<std::uint8_t>(1U << (bit % 8U));
        EXPECT_EQ(exposed.submit(), Status::kIntegrity) << bit;
        EXPECT_EQ(exposed.session.fault().stage, FaultStage::kArm);
        EXPECT_EQ(exposed.output, Bytes(kWorkloadBytes, 0U));
        EXPECT_EQ(exposed.platform.safe_state_entries(), 1U);
        EXPECT_EQ(exposed.device.peek(0U).completed_token, 0U) << "the reset has cleared the set-up's";
        EXPECT_EQ(exposed.session.poll(), Status::kFaultLatched);
    }
}

TEST(SessionState, AnotherReleaseRunsSteps) {
    Exposed exposed{Release::kAtCompletion};
    ASSERT_EQ(exposed.load(), Status::kOk);
    ASSERT_EQ(exposed.submit(), Status::kOk);
    EXPECT_EQ(exposed.session.wait(), Status::kOk);
    EXPECT_EQ(exposed.output, workload_output(exposed.input));
    EXPECT_FALSE(exposed.session.is_verifying());
}

// Where the part of the session begins that is sealed: behind the records of faults, and their count.
std::size_t first_sealed(Exposed& exposed) {
    const auto* const last = &exposed.session.past_fault(0U);  // the end of the ring, while there was no fault
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const auto* const end = reinterpret_cast<const std::uint8_t*>(last + 1);
    return static_cast<std::size_t>(end - exposed.memory()) + sizeof(std::uint64_t);
}

// A load begins anew: what the session remembered of bound memory, in any of its copies, is forgotten before a fault of
// that load could withhold anything. The memory is the application's.
TEST(SessionState, AFaultOfALoadTouchesNoMemory) {
    constexpr std::size_t kBoundBytes = 528U;  // what is bound, and its copy: the first that is sealed
    std::size_t first = 0U;
    {
        Exposed exposed{Release::kVerified};
        first = first_sealed(exposed);
    }
    for (std::size_t flip = 0U; flip < kBoundBytes; ++flip) {
        sim::SimOptions options;
        options.faults.refuse_bind = 7U;  // weights and traces; a step's two twice, there and back; the second load's
        Exposed exposed{Release::kVerified, options};
        ASSERT_EQ(exposed.load(), Status::kOk);
        ASSERT_EQ(exposed.submit(), Status::kOk);
        ASSERT_EQ(exposed.session.wait(), Status::kOk);
        exposed.memory()[first + flip] ^= static_cast<std::uint8_t>(1U << (flip % 8U));
        exposed.output.assign(kWorkloadBytes, 0x77U);
        ASSERT_EQ(exposed.load(), Status::kDeviceFault);
        ASSERT_EQ(exposed.output, Bytes(kWorkloadBytes, 0x77U)) << flip;
    }
}

// A fault stays until the next load.
TEST(SessionState, UnloadForgetsNoFault) {
    verifies({"swr~unload~1"});
    Exposed exposed{Release::kVerified};
    ASSERT_EQ(exposed.load(), Status::kOk);
    exposed.memory()[exposed.find(kArmed)] ^= 1U;
    ASSERT_EQ(exposed.submit(), Status::kIntegrity);
    EXPECT_EQ(exposed.session.unload(), Status::kFaultLatched);
    EXPECT_EQ(exposed.submit(), Status::kFaultLatched);
    EXPECT_EQ(exposed.session.fault().stage, FaultStage::kState);
    ASSERT_EQ(exposed.load(), Status::kOk);
    EXPECT_EQ(exposed.session.unload(), Status::kOk);
    EXPECT_EQ(exposed.submit(), Status::kInvalidState);
    EXPECT_EQ(exposed.session.unload(), Status::kOk) << "nothing to forget";
}

// With a step under way, words are flipped in turn. Some are of a copy that nothing reads while the original is whole,
// or of what the binary makes no use of: the step ends as if nothing were changed. All else is noticed, and then the
// output is withheld, also where it is the place of the output that was flipped.
TEST(SessionState, WhateverChangesTheOutputIsWithheld) {
    verifies({"swr~sealed-state~1"});
    std::size_t noticed = 0U;
    std::size_t first = 0U;
    {
        Exposed exposed{Release::kVerified};
        first = first_sealed(exposed);
    }
    constexpr std::size_t kDense = 2U * sizeof(MutableByteSpan) * kMaxOutputs;  // what is bound, word by word
    for (std::size_t at = first; at < sizeof(Session); at += (at < (first + kDense)) ? 4U : 124U) {
        Exposed exposed{Release::kVerified};
        ASSERT_EQ(exposed.load(), Status::kOk);
        ASSERT_EQ(exposed.submit(), Status::kOk);
        exposed.memory()[at] ^= 1U;
        const Status status = exposed.session.poll();
        if ((status == Status::kPending) || (status == Status::kOk)) {
            EXPECT_EQ((status == Status::kOk) ? status : exposed.session.wait(), Status::kOk) << at;
            EXPECT_EQ(exposed.output, workload_output(exposed.input)) << at;
            continue;
        }
        noticed += 1U;
        EXPECT_EQ(status, Status::kIntegrity) << at;
        EXPECT_EQ(exposed.session.fault().stage, FaultStage::kState);
        EXPECT_EQ(exposed.output, Bytes(kWorkloadBytes, 0U)) << at;
    }
    EXPECT_GT(noticed, sizeof(MutableByteSpan) * kMaxOutputs / 4U) << "all that the one step has bound, and more";
}

// What was there before a load that is refused may have changed: nothing reads it.
TEST(SessionState, NothingIsReadOfWhatARefusedLoadLeaves) {
    verifies({"swr~sealed-state~1"});
    constexpr std::size_t kStride = 52U;
    Exposed exposed{Release::kVerified};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const auto* const plan = reinterpret_cast<const std::uint8_t*>(&exposed.session.plan());
    for (auto at = static_cast<std::size_t>(plan - exposed.memory()); at < sizeof(Session); at += kStride) {
        ASSERT_EQ(exposed.load(), Status::kOk);
        exposed.memory()[at] ^= 0x80U;
        ASSERT_EQ(exposed.session.load(ByteSpan{}, *exposed.workspace, exposed.verdict), Status::kRefused);
        EXPECT_EQ(exposed.session.output_bytes(), 0U) << at;
        EXPECT_EQ(exposed.session.scrub_calls(), 0U) << at;
        EXPECT_EQ(exposed.session.release_steps(), 0U) << at;
        EXPECT_EQ(exposed.session.self_test({exposed.output.data(), exposed.output.size()}), Status::kInvalidState)
            << at;
    }
}

// A fault that latches goes by nothing that is damaged: neither by the number of devices, which no seal covers, nor by
// what chooses among the steps under way.
TEST(SessionState, LatchingGoesByNothingThatIsDamaged) {
    verifies({"swr~sealed-state~1"});
    constexpr std::size_t kNumberOfDevices = sizeof(std::array<Device*, kMaxMeshDevices>);
    constexpr std::uint32_t kFarAway = 1U << 20U;
    constexpr std::uint32_t kFirstStep = 2U;  // its token
    for (const bool is_number : {true, false}) {
        Exposed exposed{Release::kVerified};
        ASSERT_EQ(exposed.load(), Status::kOk);
        ASSERT_EQ(exposed.submit(), Status::kOk);
        ASSERT_FALSE(exposed.device.bound_destination(0U).empty());
        const auto change = [&exposed](std::size_t at, std::uint32_t bits) {
            std::uint32_t word = 0U;
            std::memcpy(&word, exposed.memory() + at, sizeof(word));
            word ^= bits;
            std::memcpy(exposed.memory() + at, &word, sizeof(word));
        };
        if (is_number) {
            ASSERT_EQ(exposed.find(1U), kNumberOfDevices);
            change(kNumberOfDevices, 1U);
        } else {
            change(first_sealed(exposed), kFarAway);  // what chooses
            std::uint32_t tokens = 0U;
            for (std::size_t at = exposed.find(kFirstStep); at < sizeof(Session); at = exposed.find(kFirstStep)) {
                change(at, kFarAway);
                tokens += 1U;
            }
            ASSERT_GT(tokens, 0U);
        }
        EXPECT_EQ(exposed.session.poll(), Status::kIntegrity);
        EXPECT_TRUE(exposed.session.fault().device_stopped);
        EXPECT_TRUE(exposed.device.bound_destination(0U).empty()) << "it was reset";
        EXPECT_EQ(exposed.output, Bytes(kWorkloadBytes, 0U));
    }
}

// The last one first, over loads; the oldest go.
TEST(SessionState, PastFaultsOutliveLoads) {
    verifies({"swr~latching~1"});
    const files::AlignedBytes file{make_workload(1U).file()};
    sim::FaultScript faults;
    faults.fail_reset = 1U;
    Bench bench{faults};
    EXPECT_EQ(bench.session.fault_count(), 0U);
    EXPECT_EQ(bench.session.past_fault(0U).status, Status::kOk);
    EXPECT_EQ(bench.session.past_fault(kMaxFaultRecords - 1U).stage, FaultStage::kNone);
    ASSERT_EQ(bench.load(file.view()), Status::kTimeout);
    EXPECT_EQ(bench.session.past_fault(0U).stage, FaultStage::kReset);
    EXPECT_EQ(bench.session.past_fault(0U).status, Status::kTimeout);
    for (std::uint32_t count = 2U; count <= (kMaxFaultRecords + 2U); ++count) {
        ASSERT_EQ(bench.load(file.view()), Status::kOk);
        EXPECT_EQ(bench.session.fault().stage, FaultStage::kNone);
        *bench.device.memory_at(bench.session.plan().trace_region_base, 1U) ^= 1U;
        Status status = Status::kOk;
        for (std::uint32_t call = 0U; is_ok(status) && (call < bench.session.scrub_calls()); ++call) {
            status = bench.session.scrub();
        }
        EXPECT_EQ(status, Status::kIntegrity);
        EXPECT_EQ(bench.session.fault_count(), count);
        EXPECT_EQ(bench.session.past_fault(0U).stage, FaultStage::kScrub);
        EXPECT_EQ(bench.session.past_fault(0U).time_us, bench.session.fault().time_us);
        const bool first_is_there = count <= kMaxFaultRecords;
        const std::uint32_t oldest = first_is_there ? (count - 1U) : (kMaxFaultRecords - 1U);
        EXPECT_EQ(bench.session.past_fault(oldest).stage, first_is_there ? FaultStage::kReset : FaultStage::kScrub);
    }
}

// The record of a fault is for people; what latches is the state.
TEST(SessionState, AFaultStaysLatchedWithoutItsRecord) {
    Exposed exposed{Release::kVerified};
    ASSERT_EQ(exposed.load(), Status::kOk);
    const std::size_t armed = exposed.find(kArmed);
    exposed.memory()[armed] ^= 1U;
    ASSERT_EQ(exposed.submit(), Status::kIntegrity);
    exposed.memory()[armed] ^= 1U;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const auto* const record = reinterpret_cast<const std::uint8_t*>(&exposed.session.fault());
    const FaultRecord none;
    std::memcpy(exposed.memory() + (record - exposed.memory()), &none, sizeof(none));
    EXPECT_EQ(exposed.submit(), Status::kFaultLatched);
    EXPECT_EQ(exposed.session.poll(), Status::kFaultLatched);
    EXPECT_EQ(exposed.output, Bytes(kWorkloadBytes, 0x77U));
}

}  // namespace
}  // namespace pianola::test
