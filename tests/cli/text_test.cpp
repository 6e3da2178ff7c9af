// What the command line says of a refusal that is about two commands: both by name, both queues, and the event that is
// missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "capture_host/cli/cli.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

std::string refusal_text(Rule rule, const std::string& what) {
    const std::vector<RuleCase> cases = all_cases();
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const RuleCase& rule_case) {
        return (rule_case.rule == rule) && (what.empty() || (rule_case.what == what));
    });
    if (found == cases.end()) {
        return "no such case: " + what;
    }
    const Mutant mutant = found->make();
    Validator validator{mutant.device};
    EXPECT_EQ(validator.validate(mutant.file), Status::kRefused);
    EXPECT_STREQ(rule_id(validator.verdict().rule), rule_id(rule));
    return cli::describe_verdict(validator.verdict(), validator.image(), mutant.device, refdev::target());
}

TEST(VerdictText, ARaceNamesBothCommandsBothQueuesAndTheMissingEvent) {
    const std::string text = refusal_text(Rule::kOrdRace, "the replay does not wait for the input");
    EXPECT_NE(text.find("ORD-RACE"), std::string::npos) << text;
    EXPECT_NE(text.find("between write_input 0 on queue 0 (scripts[1].commands[0], step)"), std::string::npos) << text;
    EXPECT_NE(text.find("and replay_trace 0 on queue 1 (scripts[1].commands[1], step)"), std::string::npos) << text;
    EXPECT_NE(
        text.find(
            "missing an event that queue 0 records behind the first and queue 1 waits for in front of the second"),
        std::string::npos)
        << text;
    EXPECT_EQ(text.find("found"), std::string::npos) << "numbers that stand for commands are not shown: " << text;
}

TEST(VerdictText, ARaceWithTheNextStepSaysSo) {
    const std::string text = refusal_text(Rule::kOrdRace, "the next input does not wait for the replay");
    EXPECT_NE(text.find("and write_input 0 on queue 1 (scripts[1].commands[0], step) of the next step"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("between replay_trace 0 on queue 0"), std::string::npos) << text;
}

TEST(VerdictText, CoresThatTwoTracesUseNameBothTraces) {
    const std::string text = refusal_text(Rule::kOrdCores, "two traces on all cores");
    EXPECT_NE(text.find("ORD-CORES"), std::string::npos) << text;
    EXPECT_NE(text.find("replay_trace 0 on queue 0"), std::string::npos) << text;
    EXPECT_NE(text.find("replay_trace 1 on queue 1"), std::string::npos) << text;
}

// Rules that compare no numbers show none, such as 0 and 1 for two names.
TEST(VerdictText, AnotherDeviceIsNamed) {
    DeviceDescription device;
    refdev::describe({}, device);
    const std::string text = refusal_text(Rule::kTgtFamily, "");
    EXPECT_NE((text + "\n").find(std::string{"found   "} + device.family + "x, expected " + device.family + "\n"),
              std::string::npos)
        << text;
    const std::string library = refusal_text(Rule::kTgtKernelLibrary, "");
    EXPECT_NE((library + "\n").find(", expected " + cli::to_hex(ByteSpan{device.kernel_library}) + "\n"),
              std::string::npos)
        << library;
}

TEST(VerdictText, BytesAtFaultHaveTheirAddress) {
    for (const Rule rule : {Rule::kLayTensorOverlap, Rule::kTrcBounds, Rule::kTrcPermission, Rule::kTrcUnwritten,
                            Rule::kTrcCoreRace, Rule::kScrUnwritten}) {
        const std::string text = refusal_text(rule, "");
        EXPECT_NE(text.find(" at 0x"), std::string::npos) << text;
        EXPECT_EQ(text.find("expected or limit"), std::string::npos) << text;
    }
}

TEST(VerdictText, OtherRulesShowTheirNumbers) {
    const std::string text = refusal_text(Rule::kBudCycles, "a cycle more");
    EXPECT_NE(text.find("BUD-CYCLES"), std::string::npos) << text;
    EXPECT_NE(text.find("field   budgets.step_cycles"), std::string::npos) << text;
    EXPECT_NE(text.find("expected or limit"), std::string::npos) << text;
    EXPECT_EQ(text.find("missing an event"), std::string::npos) << text;
}

}  // namespace
}  // namespace pianola::test
