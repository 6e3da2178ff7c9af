// Every record and every wait of the patterns that users are taught is needed: validate() refuses the pattern without
// it.
//
// Why a rule, by hand. Records and waits of an event take turns in program order, over prologue, step, step and
// epilogue. Without a record, the next wait has none of its own: ORD-EVENT-NEVER, at the wait. Without a wait, the next
// record follows one that nobody has waited for: ORD-EVENT-UNUSED, at the record; where an epilogue ends a run, at the
// record that is left over. Which command comes next is read off the pattern, and may be in the next step. Without an
// event's records and waits alike, turns are kept, and what remains is what the event was for: ORD-RACE, or nothing,
// where the barrier between steps orders as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/proofs/patterns.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

using Kind = ScriptCommandKind;

constexpr std::uint32_t kSetups = 1U;  // scripts of the binary in front of the prologue

struct Judgement {
    std::string rule;  // empty where accepted
    std::string path;
};

Judgement judge(const SmallCase& small) {
    DeviceDescription device;
    refdev::describe(small_device(), device);
    Validator validator{device};
    if (is_ok(validator.validate(binary_of(small)))) {
        return {"", ""};
    }
    return {rule_id(validator.verdict().rule), path_text(validator.verdict())};
}

std::vector<Commands*> scripts_of(SmallCase& small) {
    std::vector<Commands*> scripts;
    if (small.prologue.has_value()) {
        scripts.push_back(&*small.prologue);
    }
    scripts.push_back(&small.step);
    if (small.epilogue.has_value()) {
        scripts.push_back(&*small.epilogue);
    }
    return scripts;
}

bool is_event(const capture::ManifestCommand& command) {
    return (command.kind == Kind::kRecordEvent) || (command.kind == Kind::kWaitEvent);
}

// One record or wait is taken away. Indices of what is refused are those after the removal.
struct Removal {
    std::size_t script;  // 0 is the prologue
    std::size_t command;
    const char* rule;
    std::size_t refused_script;
    std::size_t refused_command;
};

// Prologue: 0 record consumed. Step: 0 wait consumed, 1 write, 2 record written, 3 wait written, 4 replay 0, 5 record
// consumed, 6 replay 1, 7 replay 2, 8 read.
const std::vector<Removal>& removals_of_pattern_one() {
    static const std::vector<Removal> kRemovals{
        {0U, 0U, "ORD-EVENT-NEVER", 1U, 0U},   // the first step's wait for consumption has no record
        {1U, 0U, "ORD-EVENT-UNUSED", 1U, 4U},  // consumed: the prologue's record, then the step's
        {1U, 2U, "ORD-EVENT-NEVER", 1U, 2U},   // the wait for the write
        {1U, 3U, "ORD-EVENT-UNUSED", 1U, 2U},  // written: the first step's record, then the second's
        {1U, 5U, "ORD-EVENT-NEVER", 1U, 0U},   // the second step's wait for consumption
    };
    return kRemovals;
}

// Prologue: 0 record consumed, 1 record read, 2 wait consumed, 3 write, 4 record written. Step: 0 wait written, 1
// replay 0, 2 record consumed, 3 replay 1, 4 wait read, 5 replay 2, 6 record computed, 7 wait consumed, 8 write, 9
// record written, 10 wait computed, 11 read, 12 record read. Epilogue: 0 wait written, 1 replay 0, 2 replay 1, 3 wait
// read, 4 replay 2, 5 record computed, 6 wait computed, 7 read.
const std::vector<Removal>& removals_of_pattern_two() {
    static const std::vector<Removal> kRemovals{
        {0U, 0U, "ORD-EVENT-NEVER", 0U, 1U},    // the prologue's own wait for consumption
        {0U, 1U, "ORD-EVENT-NEVER", 1U, 4U},    // the first step's wait for the read
        {0U, 2U, "ORD-EVENT-UNUSED", 1U, 2U},   // consumed: the prologue's record, then the step's
        {0U, 4U, "ORD-EVENT-NEVER", 1U, 0U},    // the first step's wait for the write
        {1U, 0U, "ORD-EVENT-UNUSED", 1U, 8U},   // written: the prologue's record, then the step's
        {1U, 2U, "ORD-EVENT-NEVER", 1U, 6U},    // the step's wait for consumption
        {1U, 4U, "ORD-EVENT-UNUSED", 1U, 11U},  // read: the prologue's record, then the step's
        {1U, 6U, "ORD-EVENT-NEVER", 1U, 9U},    // the wait for the computation
        {1U, 7U, "ORD-EVENT-UNUSED", 1U, 2U},   // consumed: the first step's record, then the second's
        {1U, 9U, "ORD-EVENT-NEVER", 1U, 0U},    // the second step's wait for the write
        {1U, 10U, "ORD-EVENT-UNUSED", 1U, 6U},  // computed: the first step's record, then the second's
        {1U, 12U, "ORD-EVENT-NEVER", 1U, 4U},   // the second step's wait for the read
        // The last step's records, left over behind the epilogue.
        {2U, 0U, "ORD-EVENT-UNUSED", 1U, 9U},
        {2U, 3U, "ORD-EVENT-UNUSED", 1U, 12U},
        {2U, 5U, "ORD-EVENT-NEVER", 2U, 5U},   // the epilogue's wait for the computation
        {2U, 6U, "ORD-EVENT-UNUSED", 2U, 5U},  // left over in the epilogue
    };
    return kRemovals;
}

void expect_refusals(const SmallCase& pattern, const std::vector<Removal>& removals) {
    SmallCase whole = pattern;
    ASSERT_EQ(judge(whole).rule, "") << judge(whole).path << "\n" << text_of(whole);
    std::size_t events = 0U;
    for (const Commands* const script : scripts_of(whole)) {
        events += static_cast<std::size_t>(std::count_if(script->begin(), script->end(), is_event));
    }
    ASSERT_EQ(removals.size(), events) << "the table has not every record and wait";
    for (const Removal& removal : removals) {
        SmallCase small = pattern;
        Commands& commands = *scripts_of(small).at(removal.script);
        const auto place = commands.begin() + static_cast<std::ptrdiff_t>(removal.command);
        ASSERT_TRUE(is_event(*place));
        commands.erase(place);
        const Judgement judgement = judge(small);
        EXPECT_EQ(judgement.rule, removal.rule) << "without [" << removal.command << "] of\n" << text_of(pattern);
        const std::string where = "scripts[" + std::to_string(removal.refused_script + kSetups) + "].commands[" +
                                  std::to_string(removal.refused_command) + "]";
        EXPECT_EQ(judgement.path.substr(0U, where.size()), where) << "without [" << removal.command << "] of\n"
                                                                  << text_of(pattern);
    }
}

void drop_event(SmallCase& small, std::uint32_t event) {
    for (Commands* const script : scripts_of(small)) {
        script->erase(std::remove_if(script->begin(), script->end(),
                                     [event](const capture::ManifestCommand& command) {
                                         return is_event(command) && (command.object == event);
                                     }),
                      script->end());
    }
}

class Removals : public testing::TestWithParam<std::uint32_t> {
  protected:
    [[nodiscard]] static SmallCase pattern(void (*script)(SmallCase&)) {
        SmallCase small = plain_memory(1U, 1U, 3U);
        small.in_flight = GetParam();
        script(small);
        return small;
    }
    [[nodiscard]] static std::string without_event(void (*script)(SmallCase&), std::uint32_t event) {
        SmallCase small = pattern(script);
        drop_event(small, event);
        return judge(small).rule;
    }
    const bool overlapping_{GetParam() != 1U};
};

TEST_P(Removals, EveryRecordAndWaitOfPatternOneIsNeeded) {
    verifies({"swr~no-races~1"});
    expect_refusals(pattern(script_pattern_one), removals_of_pattern_one());
}

TEST_P(Removals, EveryRecordAndWaitOfPatternTwoIsNeeded) {
    verifies({"swr~no-races~1"});
    expect_refusals(pattern(script_pattern_two), removals_of_pattern_two());
}

TEST_P(Removals, WholeEventsOfPatternOne) {
    EXPECT_EQ(without_event(script_pattern_one, 0U), overlapping_ ? "ORD-RACE" : "");  // consumed, by the step before
    EXPECT_EQ(without_event(script_pattern_one, 1U), "ORD-RACE");                      // written, in this step
}

TEST_P(Removals, WholeEventsOfPatternTwo) {
    EXPECT_EQ(without_event(script_pattern_two, 0U), "ORD-RACE");                      // consumed, in this step
    EXPECT_EQ(without_event(script_pattern_two, 1U), overlapping_ ? "ORD-RACE" : "");  // written, by the step before
    EXPECT_EQ(without_event(script_pattern_two, 2U), "ORD-RACE");                      // computed, in this step
    EXPECT_EQ(without_event(script_pattern_two, 3U), overlapping_ ? "ORD-RACE" : "");  // read, by the step before
}

// A race names both commands: (script << 16) | command, the later one in program order first.
TEST(RaceVerdict, NamesBothCommands) {
    verifies({"swr~no-races~1"});
    SmallCase small = plain_memory(1U, 1U, 1U);
    small.step = {write_input(1U, 0U), replay(0U, 0U), read_output(0U, 0U)};
    DeviceDescription device;
    refdev::describe(small_device(), device);
    Validator validator{device};
    ASSERT_EQ(validator.validate(binary_of(small)), Status::kRefused);
    EXPECT_EQ(validator.verdict().rule, Rule::kOrdRace);
    EXPECT_EQ(validator.verdict().actual, 0x0001'0001U);
    EXPECT_EQ(validator.verdict().limit, 0x0001'0000U);
    // From step to step: the write of the second against the replay of the first.
    script_pattern_one(small);
    drop_event(small, 0U);
    small.in_flight = 2U;
    ASSERT_EQ(validator.validate(binary_of(small)), Status::kRefused);
    EXPECT_EQ(validator.verdict().rule, Rule::kOrdRace);
    EXPECT_EQ(validator.verdict().actual, 0x0002'0000U);  // 0 write, 1 record, 2 wait, 3 replay, 4 read
    EXPECT_EQ(validator.verdict().limit, 0x0002'0003U);
}

INSTANTIATE_TEST_SUITE_P(StepsInFlight, Removals, testing::Values(1U, 2U, 16U));

}  // namespace
}  // namespace pianola::test
