// Two steps stand for every number: what is accepted with two steps in flight is safe with more of them, tried in every
// way, and the verdict is the same.
#include <gtest/gtest.h>

#include <iostream>
#include <stdexcept>

#include "tests/proofs/generator.h"
#include "tests/proofs/patterns.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kCasesInFlight = 1500U / PIANOLA_PROOFS_PART;  // of each origin
constexpr std::uint32_t kMostSteps = 6U;

class ManyInFlight : public testing::TestWithParam<Origin> {};

TEST_P(ManyInFlight, WhatIsSafeWithTwoIsSafeWithMore) {
    verifies({"swr~no-races~1"});
    Random random{71U + static_cast<std::uint32_t>(GetParam())};
    DeviceDescription device;
    refdev::describe(small_device(), device);
    Validator validator{device};
    std::uint32_t accepted = 0U;
    std::uint32_t racy = 0U;
    std::size_t states = 0U;
    for (std::uint32_t i = 0U; i < kCasesInFlight; ++i) {
        SmallCase small = random_case(random, GetParam());
        small.in_flight = 2U;
        const Status said = validator.validate(binary_of(small));
        const Rule rule = validator.verdict().rule;
        for (std::uint32_t in_flight = 3U; in_flight <= kMostSteps; ++in_flight) {
            small.in_flight = in_flight;
            ASSERT_EQ(validator.validate(binary_of(small)), said) << text_of(small);
            ASSERT_EQ(validator.verdict().rule, rule) << text_of(small);
            Findings findings;
            try {
                findings = explore(submissions_of(small, {in_flight}), in_flight);
            } catch (const std::length_error&) {
                break;  // longer than the explorer can follow
            }
            states += findings.states;
            ASSERT_TRUE(findings.safe() || !is_ok(said)) << findings.what << "\n" << text_of(small);
            racy += findings.race() ? 1U : 0U;
            accepted += is_ok(said) ? 1U : 0U;
        }
    }
    std::cout << accepted << " accepted, " << racy << " racy, " << states << " states\n";
    EXPECT_GE(accepted, 500U / PIANOLA_PROOFS_PART);
    EXPECT_GE(racy, 300U / PIANOLA_PROOFS_PART);
}

INSTANTIATE_TEST_SUITE_P(Origins, ManyInFlight, testing::Values(Origin::kPattern, Origin::kOrdered, Origin::kTurns),
                         [](const testing::TestParamInfo<Origin>& origin) {
                             return std::string{(origin.param == Origin::kPattern)   ? "patterns"
                                                : (origin.param == Origin::kOrdered) ? "ordered"
                                                                                     : "turns"};
                         });

}  // namespace
}  // namespace pianola::test
