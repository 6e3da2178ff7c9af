// The explorer finds what it is for: in sequences whose answer is known by hand.
#include "tests/proofs/explorer.h"

#include <gtest/gtest.h>

namespace pianola::test {
namespace {

using Command = ExploredCommand;

Command touch(std::uint32_t queue, std::uint64_t reads, std::uint64_t writes) {
    return {Command::Kind::kTouch, queue, reads, writes, 0U};
}
Command record(std::uint32_t queue, std::uint32_t event) {
    return {Command::Kind::kRecord, queue, 0U, 0U, event};
}
Command wait(std::uint32_t queue, std::uint32_t event) {
    return {Command::Kind::kWait, queue, 0U, 0U, event};
}

Findings explore_one(const std::vector<Command>& commands) {
    return explore({{"script", commands, true}}, 1U);
}

TEST(Explorer, OneQueueIsNeverARace) {
    EXPECT_TRUE(explore_one({touch(0U, 0U, 1U), touch(0U, 1U, 2U), touch(0U, 2U, 0U)}).safe());
    EXPECT_TRUE(explore_one({}).safe());
}

TEST(Explorer, TwoQueuesRaceForAByteThatOneWrites) {
    for (const Command& other : {touch(1U, 1U, 0U), touch(1U, 0U, 1U), touch(1U, 1U, 1U)}) {
        EXPECT_TRUE(explore_one({touch(0U, 0U, 1U), other}).race());
        EXPECT_TRUE(explore_one({other, touch(0U, 0U, 1U)}).race());
    }
    EXPECT_TRUE(explore_one({touch(0U, 1U, 0U), touch(1U, 1U, 0U)}).safe());  // two readers
    EXPECT_TRUE(explore_one({touch(0U, 0U, 1U), touch(1U, 2U, 4U)}).safe());  // other bytes
}

TEST(Explorer, AnEventOrders) {
    const Command write = touch(0U, 0U, 1U);
    const Command read = touch(1U, 1U, 0U);
    EXPECT_TRUE(explore_one({write, record(0U, 3U), wait(1U, 3U), read}).safe());
    EXPECT_TRUE(explore_one({record(0U, 3U), write, wait(1U, 3U), read}).race());
    EXPECT_TRUE(explore_one({write, record(0U, 3U), read, wait(1U, 3U)}).race());
    EXPECT_TRUE(explore_one({write, record(0U, 3U), wait(1U, 2U), read}).race());  // nobody records event 2
    EXPECT_TRUE(explore_one({wait(1U, 3U), write, record(0U, 3U), read}).race());  // the wait is for no record
}

TEST(Explorer, OrderIsTransitive) {
    EXPECT_TRUE(explore_one({touch(0U, 0U, 1U), record(0U, 0U), wait(1U, 0U), touch(1U, 2U, 0U), record(1U, 1U),
                             wait(0U, 1U), touch(0U, 0U, 2U), record(0U, 2U), wait(1U, 2U), touch(1U, 3U, 0U)})
                    .safe());
}

// Step: queue 1 writes, queue 0 reads. Within a step an event orders them; from one step to the next, only the barrier
// does.
TEST(Explorer, StepsInFlightOverlap) {
    const std::vector<Command> step{touch(1U, 0U, 1U), record(1U, 0U), wait(0U, 0U), touch(0U, 1U, 0U)};
    const std::vector<Submission> sequence{{"a", step, true}, {"b", step, false}};
    EXPECT_TRUE(explore(sequence, 1U).safe());
    EXPECT_TRUE(explore(sequence, 2U).race());
    const std::vector<Submission> idle{{"a", step, true}, {"b", step, true}};
    EXPECT_TRUE(explore(idle, 2U).safe());
}

// A script may overlap with the next, but not with the one behind that.
TEST(Explorer, TwoInFlightAreNotThree) {
    const std::vector<Command> first{touch(0U, 0U, 1U)};
    const std::vector<Command> nothing{touch(0U, 0U, 2U)};
    const std::vector<Command> last{touch(1U, 1U, 0U)};
    EXPECT_TRUE(explore({{"a", first, true}, {"b", nothing, false}, {"c", last, false}}, 2U).safe());
    EXPECT_TRUE(explore({{"a", first, true}, {"b", nothing, false}, {"c", last, false}}, 3U).race());
    EXPECT_TRUE(explore({{"a", first, true}, {"c", last, false}}, 2U).race());
}

// Two queues that record one event set its counter back and forth: a wait can miss its record.
TEST(Explorer, FindsADeadlock) {
    const Findings findings = explore_one({record(0U, 0U), record(1U, 0U), touch(0U, 1U, 0U), wait(0U, 0U)});
    EXPECT_TRUE(findings.deadlock);
    EXPECT_FALSE(findings.race());
    EXPECT_NE(findings.what.find("script[3] on queue 0 is held back"), std::string::npos) << findings.what;
    EXPECT_FALSE(explore_one({record(0U, 0U), touch(0U, 1U, 0U), wait(1U, 0U)}).deadlock);
}

// Found apart from overlaps, although commands that can run in either order can mostly overlap as well.
TEST(Explorer, FindsEitherOrder) {
    const Findings both = explore_one({touch(0U, 0U, 1U), touch(1U, 1U, 0U)});
    EXPECT_TRUE(both.overlap);
    EXPECT_TRUE(both.either_order);
    const Findings one = explore_one({touch(0U, 0U, 1U), record(0U, 0U), wait(1U, 0U), touch(1U, 1U, 0U)});
    EXPECT_FALSE(one.overlap);
    EXPECT_FALSE(one.either_order);
}

// The counter is compared as a difference: what comes before 2^32 and what comes behind it make no difference.
TEST(Explorer, CountersWrap) {
    const std::vector<Command> step{touch(1U, 0U, 1U), record(1U, 0U), wait(0U, 0U),
                                    touch(0U, 1U, 0U), record(0U, 1U), wait(1U, 1U)};
    const std::vector<Submission> sequence{{"a", step, true}, {"b", step, false}, {"c", step, false}};
    for (const std::uint32_t first : {0U, 0x7FFF'FFFEU, 0x7FFF'FFFFU, 0xFFFF'FFFDU, 0xFFFF'FFFEU, 0xFFFF'FFFFU}) {
        EXPECT_TRUE(explore(sequence, 2U, first).safe()) << first;
    }
}

// Two queues of n commands that touch memory have (2n + 1)^2 states: under way and done are told apart.
TEST(Explorer, VisitsEveryState) {
    constexpr std::size_t kCommands = 5U;
    std::vector<Command> commands;
    for (std::size_t i = 0U; i < kCommands; ++i) {
        commands.push_back(touch(0U, 1U, 0U));
        commands.push_back(touch(1U, 1U, 0U));
    }
    EXPECT_EQ(explore_one(commands).states, ((2U * kCommands) + 1U) * ((2U * kCommands) + 1U));
}

// Devices have memory and events of their own, and complete a script together.
TEST(Explorer, KeepsDevicesApart) {
    const auto on = [](std::uint32_t device, Command command) {
        command.device = device;
        return command;
    };
    const Command write = touch(0U, 0U, 1U);
    const Command read = touch(1U, 1U, 0U);
    EXPECT_TRUE(explore_one({on(0U, write), on(1U, read)}).safe());
    EXPECT_TRUE(explore_one({on(1U, write), on(1U, read)}).race());
    // Another device's record is no record of this one's.
    EXPECT_TRUE(explore_one({on(1U, write), on(0U, record(0U, 3U)), on(1U, wait(1U, 3U)), on(1U, read)}).race());
    EXPECT_TRUE(explore_one({on(1U, write), on(1U, record(0U, 3U)), on(1U, wait(1U, 3U)), on(1U, read)}).safe());
    EXPECT_TRUE(
        explore_one({on(3U, record(0U, 0U)), on(3U, record(1U, 0U)), on(3U, wait(0U, 0U)), on(0U, write)}).deadlock);
    // The first device is done long before: the next script still waits for the second one.
    const std::vector<Submission> sequence{{"a", {on(0U, read), on(1U, write)}, true},
                                           {"b", {on(0U, write), on(1U, read)}, false}};
    EXPECT_TRUE(explore(sequence, 1U).safe());
    EXPECT_TRUE(explore(sequence, 2U).race());
}

TEST(Explorer, RefusesWhatItCanNotHold) {
    EXPECT_THROW((void)explore_one(std::vector<Command>(128U, touch(0U, 1U, 0U))), std::length_error);
    EXPECT_THROW((void)explore_one(std::vector<Command>(64U, record(0U, 0U))), std::length_error);
    EXPECT_NO_THROW((void)explore_one(std::vector<Command>(127U, touch(0U, 1U, 0U))));
}

}  // namespace
}  // namespace pianola::test
