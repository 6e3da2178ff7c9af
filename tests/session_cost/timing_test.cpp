// The formulas of a session's cost against one session, and what is calculated from them. All plans, calls and faults
// are counts.py's.
#include <gtest/gtest.h>

#include "capture_host/timeline/cost/ftti.h"
#include "tests/session_cost/rig.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

const CostPlan& typical() {
    return cost_plans().front();
}

Counts counted(Rig& rig, Call call) {
    Counts counts{};
    counted_in = &counts;
    static_cast<void>(rig.perform(call));
    counted_in = nullptr;
    return counts;
}

TEST(SessionCost, NoCallDoesMoreThanItsFormula) {
    verifies({"swr~stated-cost~1"});
    Rig rig{typical(), Release::kVerified, true};
    for (const Call call :
         {Call::kLoad, Call::kSubmitTransfers, Call::kPoll, Call::kScrub, Call::kRun, Call::kUnload}) {
        for (const Fault fault : {Fault::kNone, Fault::kTimeout, Fault::kState, Fault::kReset}) {
            if (!rig.can_strike(fault, call)) {
                continue;
            }
            rig.renew();
            rig.prepare(call);
            rig.arm(fault, call);
            const Counts counts = counted(rig, call);
            Situation situation = rig.situation(call);
            situation.has_fault = !is_ok(rig.session().fault().status);
            EXPECT_EQ(situation.has_fault, fault != Fault::kNone) << name_of(call);
            const Counts formula = cost_of(call, rig.facts(), situation);
            for (std::size_t i = 0U; i < counts.size(); ++i) {
                EXPECT_LE(counts.at(i), formula.at(i)) << name_of(call) << ": " << name_of(static_cast<Term>(i));
            }
        }
    }
}

timeline::EcuTiming ecu() {
    timeline::EcuTiming ecu;
    ecu.clock_hz = 1'000'000'000U;
    ecu.cycles_per_instruction = 1.0;
    ecu.period_us = 5000U;
    ecu.poll_us = 1000U;
    ecu.deadline_us = 10'000U;
    ecu.reset_us = 200U;
    return ecu;
}

TEST(FaultHandlingTime, IsTheSumOfItsAddendsAndFitsToTheMicrosecond) {
    verifies({"swr~fault-handling-time~1"});
    const Rig rig{typical(), Release::kVerified, true};
    timeline::EcuTiming timing = ecu();
    std::uint64_t sum = 0U;
    for (const timeline::Addend& each : timeline::answer(rig.facts(), timing).addends) {
        sum += each.time_us;
    }
    EXPECT_GT(sum, timing.period_us + timing.deadline_us + timing.poll_us + timing.reset_us);
    timing.ftti_us = sum;
    EXPECT_EQ(timeline::answer(rig.facts(), timing).handling_us(), sum);
    EXPECT_TRUE(timeline::answer(rig.facts(), timing).fits);
    timing.ftti_us = sum - 1U;
    EXPECT_FALSE(timeline::answer(rig.facts(), timing).fits);
}

TEST(FaultHandlingTime, CountsEveryStepInFlightAndEveryDevice) {
    const Rig rig{typical(), Release::kVerified, true};
    SessionFacts facts = rig.facts();
    const timeline::FttiAnswer one = timeline::answer(facts, ecu());
    facts.steps_in_flight = 3U;
    EXPECT_GE(timeline::answer(facts, ecu()).detection_us, one.detection_us + (2U * ecu().deadline_us));
    facts.devices = 4U;
    EXPECT_GE(timeline::answer(facts, ecu()).reaction_us, one.reaction_us + (3U * ecu().reset_us));
}

TEST(FaultHandlingTime, CountsTheStepsThatShareAVerification) {
    verifies({"swr~fault-handling-time~1"});
    const Rig rig{typical(), Release::kVerified, true};
    SessionFacts facts = rig.facts();
    facts.slices = 16U;
    timeline::EcuTiming timing = ecu();
    const timeline::FttiAnswer alone = timeline::answer(facts, timing);
    timing.release_steps = 8U;
    const timeline::FttiAnswer shared = timeline::answer(facts, timing);
    EXPECT_EQ(shared.detection_us, alone.detection_us + (7U * timing.period_us));
    EXPECT_EQ(shared.reaction_us, alone.reaction_us);
    EXPECT_EQ(shared.least_deadline_us, alone.least_deadline_us) << "a step that comes late verifies everything";
}

// A core that takes next to no time for the session: each poll() of it is rounded up to 1 us. At 480 MHz the device's
// commands take 1, 9000 and 500 us.
TEST(FaultHandlingTime, OfADeviceOnTheCallersCoreIsInPoll) {
    const Rig rig{typical(), Release::kVerified, true};
    SessionFacts facts = rig.facts();
    facts.steps_in_flight = 1U;
    facts.slices = 2U;
    timeline::DeviceWork work;
    work.clock_khz = 480'000U;
    work.poll_cycles = 4'320'000U;
    work.command_cycles = {480U, 4'320'000U, 240'000U};
    timeline::EcuTiming timing = ecu();
    timing.clock_hz = 1'000'000'000'000'000U;
    timing.deadline_us = 15'001U;
    timing.ftti_us = 100'000U;
    const timeline::FttiAnswer own = timeline::answer(facts, timing);
    timing.work = &work;
    const timeline::FttiAnswer callers = timeline::answer(facts, timing);
    EXPECT_EQ(callers.step_polls, 3U);
    EXPECT_EQ(callers.polled_us, 1000U + 9001U + 1000U);
    EXPECT_EQ(callers.waited_us, 9501U + 3U + 2U);
    EXPECT_EQ(callers.least_deadline_us, 11'001U + (4U * 1000U));
    EXPECT_FALSE(callers.deadline_suffices);
    EXPECT_EQ(callers.detection_us, own.detection_us + (9001U - 1000U) + 9000U);
    EXPECT_EQ(callers.reaction_us, own.reaction_us);
    EXPECT_EQ(own.step_polls, 0U);
    timing.deadline_us += 1U;
    EXPECT_TRUE(timeline::answer(facts, timing).deadline_suffices);
}

}  // namespace
}  // namespace pianola::test
