// What validate() accepts of scripts over several devices, no timing can break: thousands of small meshes, each tried
// in every way, all devices together.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "tests/proofs/generator.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kUsualCases = 400U;
constexpr std::size_t kLongestStep = 9U;  // all devices' queues are explored at once

// The environment asks for more with PIANOLA_MESH_CASES.
std::uint32_t case_count() {
    const char* const wanted = std::getenv("PIANOLA_MESH_CASES");
    return (wanted == nullptr) ? kUsualCases : static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10));
}

DeviceRange one_device(const SmallCase& small, std::uint32_t device) {
    return {static_cast<std::uint8_t>(device / small.mesh_columns),
            static_cast<std::uint8_t>(device % small.mesh_columns), 1U, 1U};
}

DeviceRange all_devices(const SmallCase& small) {
    return {0U, 0U, static_cast<std::uint8_t>(small.mesh_rows), static_cast<std::uint8_t>(small.mesh_columns)};
}

// Mostly for all devices; else for one, or left to each device in a command of its own, which may come elsewhere.
void spread(Random& random, const SmallCase& small, Commands& commands) {
    Commands spread_out;
    for (capture::ManifestCommand command : commands) {
        command.devices = all_devices(small);
        if (random.one_in(12U)) {
            command.devices = one_device(small, random.below(small.devices()));
            spread_out.push_back(command);
        } else if (random.one_in(5U)) {
            for (std::uint32_t device = 0U; device < small.devices(); ++device) {
                command.devices = one_device(small, device);
                const std::uint32_t back = random.one_in(3U) ? random.below(3U) : 0U;
                const std::size_t place = spread_out.size() - std::min<std::size_t>(spread_out.size(), back);
                spread_out.insert(spread_out.begin() + static_cast<std::ptrdiff_t>(place), command);
            }
        } else {
            spread_out.push_back(command);
        }
    }
    commands = spread_out;
}

SmallCase random_mesh(Random& random) {
    for (;;) {
        SmallCase small = random_case(random, static_cast<Origin>(random.below(4U)));
        if (small.step.size() > kLongestStep) {
            continue;
        }
        small.mesh_rows = random.one_in(2U) ? 1U : 2U;
        small.mesh_columns = (small.mesh_rows == 1U) ? 2U : 1U;
        spread(random, small, small.step);
        for (std::optional<Commands>* const script : {&small.prologue, &small.epilogue}) {
            if (script->has_value()) {
                spread(random, small, **script);
            }
        }
        return small;
    }
}

TEST(MeshCorpus, WhatIsAcceptedIsSafe) {
    DeviceDescription device;
    refdev::describe(small_device(), device);
    Validator validator{device};
    Random random{20261U};
    std::uint32_t accepted = 0U;
    std::uint32_t unsafe = 0U;
    std::uint32_t refused_safe = 0U;
    std::size_t states = 0U;
    std::map<std::string, std::uint32_t> rules;
    const std::uint32_t cases = case_count();
    for (std::uint32_t i = 0U; i < cases; ++i) {
        const SmallCase small = random_mesh(random);
        const bool is_accepted = is_ok(validator.validate(binary_of(small)));
        const std::string rule = is_accepted ? "accepted" : rule_id(validator.verdict().rule);
        const bool is_about_scripts =
            (rule.rfind("ORD-", 0U) == 0U) || (rule.rfind("SCR-", 0U) == 0U) || (rule == "TRC-UNWRITTEN");
        ASSERT_TRUE(is_accepted || is_about_scripts)
            << "case " << i << ": " << rule << " at " << path_text(validator.verdict()) << "\n"
            << text_of(small);
        const Findings findings = explore(submissions_of(small, {3U}), small.in_flight, ((i % 2U) == 0U) ? 0U : ~5U);
        ASSERT_TRUE(!is_accepted || findings.safe()) << "case " << i << ": accepted, but " << findings.what << "\n"
                                                     << text_of(small);
        // Without what scripts may name, which is a matter of counting, data flow stands beside order.
        ASSERT_TRUE(!is_accepted || data_flows(small)) << "case " << i << "\n" << text_of(small);
        accepted += is_accepted ? 1U : 0U;
        unsafe += findings.safe() ? 0U : 1U;
        refused_safe += (!is_accepted && findings.safe() && (rule.rfind("ORD-", 0U) == 0U)) ? 1U : 0U;
        states += findings.states;
        rules[rule] += 1U;
    }
    std::cout << cases << " meshes, " << states << " states: " << accepted << " accepted, " << unsafe
              << " unsafe, all of them refused; " << refused_safe << " safe and refused for order;";
    for (const auto& [rule, count] : rules) {
        std::cout << " " << rule << " " << count;
    }
    std::cout << "\n";
    // It is about something.
    EXPECT_GT(accepted, cases / 20U);
    EXPECT_GT(unsafe, cases / 10U);
}

}  // namespace
}  // namespace pianola::test
