// What validate() accepts, no timing can break, and what it calls a race is one: thousands of small cases, each tried
// in every way.
#include <gtest/gtest.h>

#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/proofs/generator.h"
#include "tests/proofs/patterns.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kCasesOfOrigin = 6000U / PIANOLA_PROOFS_PART;  // of each origin
// Of each origin, so that neither an explorer nor a validator that always says the same would pass.
constexpr std::uint32_t kLeast = 500U / PIANOLA_PROOFS_PART;

DeviceDescription small_description() {
    DeviceDescription device;
    refdev::describe(small_device(), device);
    return device;
}

// What is wrong with an acceptance; nothing where nothing is.
std::optional<std::string> counterexample(const SmallCase& small, bool accepted, const Findings& findings) {
    if (!accepted || findings.safe()) {
        return std::nullopt;
    }
    return "accepted, but " + findings.what + "\n" + text_of(small);
}

// Counters stand where they do after a reset, or where they are about to wrap.
Findings explore_case(const SmallCase& small, std::uint32_t first_count = 0U) {
    return explore(submissions_of(small), small.in_flight, first_count);
}

bool starts_with(const std::string& text, const char* start) {
    return text.rfind(start, 0U) == 0U;
}

struct Tally {
    std::uint32_t accepted{0U};
    std::uint32_t racy{0U};
    std::uint32_t deadlocking{0U};
    std::uint32_t safe{0U};
    std::uint32_t judged{0U};                           // safe, and either accepted or refused by order
    std::map<std::string, std::uint32_t> refused;       // by rule
    std::map<std::string, std::uint32_t> refused_safe;  // by rule
};

void count(Tally& tally, const std::string& rule, const Findings& findings) {
    const bool accepted = rule.empty();
    tally.accepted += accepted ? 1U : 0U;
    tally.racy += findings.race() ? 1U : 0U;
    tally.deadlocking += findings.deadlock ? 1U : 0U;
    tally.safe += findings.safe() ? 1U : 0U;
    tally.judged += (findings.safe() && (accepted || starts_with(rule, "ORD-"))) ? 1U : 0U;
    if (!accepted) {
        tally.refused[rule] += 1U;
        tally.refused_safe[rule] += findings.safe() ? 1U : 0U;
    }
}

// How often the proofs refuse what could not go wrong: never for a race, but often for records and waits that do not
// take turns, which is asked of them so that a lost one is noticed.
void print(const Tally& tally) {
    std::cout << tally.accepted << " accepted, " << tally.racy << " racy, " << tally.deadlocking << " with a deadlock, "
              << tally.safe << " safe\n";
    std::uint32_t order = 0U;
    for (const auto& [rule, cases] : tally.refused) {
        const std::uint32_t safe = tally.refused_safe.at(rule);
        std::cout << "  " << std::left << std::setw(20) << rule << std::right << std::setw(6) << cases
                  << " refused, of which safe " << std::setw(5) << safe << "\n";
        order += starts_with(rule, "ORD-") ? safe : 0U;
    }
    std::cout << "  safe and refused for order: " << order << " of " << tally.judged << " ("
              << ((100.0 * order) / tally.judged) << " %)\n";
}

// Rules that generated cases are meant to break. Any other one would mean that the binaries are wrong in another way.
bool is_about_scripts(const std::string& rule) {
    return starts_with(rule, "ORD-") || starts_with(rule, "SCR-") || (rule == "TRC-UNWRITTEN");
}

class Corpus : public testing::TestWithParam<Origin> {};

TEST_P(Corpus, WhatIsAcceptedIsSafeAndWhatIsCalledARaceIsOne) {
    verifies({"swr~published-extents~1", "swr~no-unwritten-reads~1", "swr~no-races~1"});
    Random random{20260U + static_cast<std::uint32_t>(GetParam())};
    Validator validator{small_description()};
    Tally tally;
    for (std::uint32_t i = 0U; i < kCasesOfOrigin; ++i) {
        const SmallCase small = random_case(random, GetParam());
        const bool accepted = is_ok(validator.validate(binary_of(small)));
        const std::string rule = accepted ? "" : rule_id(validator.verdict().rule);
        const Findings findings = explore_case(small, ((i % 2U) == 0U) ? 0U : 0xFFFF'FFFAU);
        const std::optional<std::string> wrong = counterexample(small, accepted, findings);
        ASSERT_FALSE(wrong.has_value()) << "case " << i << ": " << *wrong;
        const bool calls_it_racy = (rule == "ORD-RACE") || (rule == "ORD-CORES");
        ASSERT_FALSE(calls_it_racy && !findings.race())
            << "case " << i << ": " << rule << " at " << path_text(validator.verdict()) << ", but it is safe\n"
            << text_of(small);
        ASSERT_TRUE(accepted || is_about_scripts(rule))
            << "case " << i << ": " << rule << " at " << path_text(validator.verdict()) << "\n"
            << text_of(small);
        count(tally, rule, findings);
    }
    print(tally);
    EXPECT_GE(tally.accepted, kLeast);
    EXPECT_GE(tally.racy, kLeast);
}

std::string name_of(const testing::TestParamInfo<Origin>& info) {
    switch (info.param) {
        case Origin::kPattern:
            return "patterns";
        case Origin::kOrdered:
            return "ordered";
        case Origin::kTurns:
            return "turns";
        case Origin::kArbitrary:
        default:
            return "arbitrary";
    }
}

INSTANTIATE_TEST_SUITE_P(Origins, Corpus,
                         testing::Values(Origin::kPattern, Origin::kOrdered, Origin::kTurns, Origin::kArbitrary),
                         name_of);

// The comparison itself: a validator that called these safe would be found out.
TEST(CorpusComparison, FindsWhatAWrongValidatorAccepts) {
    SmallCase racy = plain_memory(1U, 1U, 2U);
    racy.step = {write_input(1U, 0U), replay(0U, 0U), replay(0U, 1U), read_output(0U, 0U)};
    SmallCase stuck = plain_memory(1U, 1U, 1U);
    stuck.step = {record(0U, 0U),      record(1U, 0U), wait(0U, 0U),
                  write_input(0U, 0U), replay(0U, 0U), read_output(0U, 0U)};
    SmallCase across = plain_memory(1U, 1U, 1U);
    script_pattern_one(across);
    across.prologue.reset();
    across.in_flight = 2U;
    across.step = {write_input(1U, 0U), record(1U, 1U), wait(0U, 1U), replay(0U, 0U), read_output(0U, 0U)};
    for (const SmallCase& small : {racy, stuck, across}) {
        EXPECT_TRUE(counterexample(small, true, explore_case(small)).has_value()) << text_of(small);
        EXPECT_FALSE(counterexample(small, false, explore_case(small)).has_value());
    }
    across.in_flight = 1U;
    EXPECT_FALSE(counterexample(across, true, explore_case(across)).has_value());
}

}  // namespace
}  // namespace pianola::test
