// Every rule refuses what it is for, and says where: the rule, the path and the byte.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/runtime/rule_case.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

// Rules that no file can break through validate() alone, and the test that shows them at work.
const std::map<Rule, std::string>& rules_elsewhere() {
    static const std::map<Rule, std::string> kRules{
        {Rule::kEnvAlignment, "Rules.RefuseAMisalignedFile: not a property of the file"},
        {Rule::kImgBool, "Strictness.RefusesTruthValues...: the schema has no truth values today"},
        {Rule::kAutVersion, "TrustRules.RefusesWhatIsOlder...: what the device admits"},
        {Rule::kAutUnsigned, "TrustRules.RefusesWhatIsNotSigned...: what the device admits"},
        {Rule::kAutKey, "TrustRules.RefusesUnknownKeys...: what the device admits"},
        {Rule::kAutRevoked, "TrustRules.RefusesRevokedKeys...: what the device admits"},
        {Rule::kAutSignature, "TrustRules.RefusesSignaturesThatDoNotHold...: what the device admits"},
        {Rule::kAutCounter, "SessionTrust.RefusesEverythingWhereTheCounterCanNotBeRead: not a property of the file"},
        {Rule::kTgtEvidence, "SessionAttestation.DrivesNoDeviceThatAttestsTooLittle: what the session accepts"},
        {Rule::kTgtInterval, "SessionInterval.WhatDoesNotSufficeIsRefused: what the session is configured for"},
        {Rule::kHstCanonical, "Rules.CanonicalFormIsChecked: the host's check"},
    };
    return kRules;
}

TEST(Rules, UndamagedWorkloadsAreAccepted) {
    for (const AcceptedCase& accepted : accepted_cases()) {
        SCOPED_TRACE(accepted.what);
        Validator validator;
        EXPECT_EQ(validator.validate(accepted.file), Status::kOk) << path_text(validator.verdict());
        EXPECT_EQ(validator.verdict().status, Status::kOk);
        EXPECT_TRUE(validator.is_canonical());
    }
}

TEST(Rules, WriterAndFormatDescriptionAgree) {
    const Workload workload = make_workload(2U, 1U);
    EXPECT_EQ(workload.file(), assemble(capture::encode_manifest(workload.manifest), workload.segments,
                                        capture::checks_of(workload.manifest, workload.segments)));
}

TEST(Rules, EveryRuleHasACase) {
    std::set<Rule> covered;
    for (const RuleCase& rule_case : all_cases()) {
        covered.insert(rule_case.rule);
    }
    const std::vector<Rule> rules{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_RULE(name, id, message, why, cause, remedy) Rule::name,
#include "pianola/rules.inc"
#undef PIANOLA_RULE
    };
    for (const Rule rule : rules) {
        EXPECT_EQ(covered.count(rule) + rules_elsewhere().count(rule), 1U) << rule_id(rule);
    }
}

TEST(Rules, EachRefusesItsCases) {
    verifies({"swr~verdict-starts-as-failure~1"});
    std::set<std::string> shown;
    for (const RuleCase& rule_case : all_cases()) {
        SCOPED_TRACE(std::string{rule_id(rule_case.rule)} + ": " + rule_case.what);
        if (shown.insert(rule_id(rule_case.rule)).second) {
            verifies({"rule~" + std::string{rule_id(rule_case.rule)} + "~1"});
        }
        const Mutant mutant = rule_case.make();
        Validator validator{mutant.device};
        EXPECT_EQ(validator.validate(mutant.file), Status::kRefused);
        const Verdict& verdict = validator.verdict();
        EXPECT_STREQ(rule_id(verdict.rule), rule_id(rule_case.rule));
        EXPECT_EQ(verdict.status, Status::kRefused);
        EXPECT_EQ(path_text(verdict), rule_case.path);
        EXPECT_EQ(verdict.file_offset, rule_case.offset(mutant.file));
    }
}

TEST(Rules, RefuseAMisalignedFile) {
    verifies({"rule~ENV-ALIGNMENT~1"});
    const std::vector<std::uint8_t> file = make_workload(1U).file();
    for (std::size_t shift = 1U; shift < 64U; ++shift) {
        std::vector<std::uint8_t> shifted(shift);
        shifted.insert(shifted.end(), file.begin(), file.end());
        const files::AlignedBytes bytes{shifted};
        Validator validator;
        EXPECT_EQ(validator.validate(bytes.view().subspan(shift, file.size())), Status::kRefused);
        EXPECT_EQ(validator.verdict().rule, Rule::kEnvAlignment) << shift;
        EXPECT_EQ(path_text(validator.verdict()), "header.magic");
    }
}

// FlatBuffers ignores padding inside the manifest: only writing it anew shows that something hides there.
TEST(Rules, CanonicalFormIsChecked) {
    verifies({"rule~HST-CANONICAL~1"});
    const Workload workload = make_workload(1U);
    const std::vector<std::uint8_t> file = workload.file();
    std::uint32_t hidden = 0U;
    for (std::uint32_t i = 0U; i < segment_bytes(file, 0U); ++i) {
        std::vector<std::uint8_t> changed = file;
        const std::size_t at = std::size_t{segment_offset(file, 0U)} + i;
        changed[at] = static_cast<std::uint8_t>(changed[at] ^ 1U);
        capture::fix_digest(changed);
        Validator validator;
        if (!is_ok(validator.validate(changed))) {
            continue;
        }
        const bool says_the_same = capture::encode_manifest(capture::read_manifest(validator.image())) ==
                                   capture::encode_manifest(workload.manifest);
        EXPECT_FALSE(says_the_same && validator.is_canonical()) << "byte " << at;
        hidden += says_the_same ? 1U : 0U;
    }
    EXPECT_GT(hidden, 0U);
}

TEST(Rules, TextsAreCompleteAndIdsUnique) {
    verifies({"swr~verdict-starts-as-failure~1"});
    std::set<std::string> ids;
    for (std::uint16_t i = 0U; i < static_cast<std::uint16_t>(Rule::kRuleCount); ++i) {
        const auto rule = static_cast<Rule>(i);
        EXPECT_TRUE(ids.insert(rule_id(rule)).second) << rule_id(rule);
        EXPECT_GT(std::string{rule_message(rule)}.size(), 10U) << rule_id(rule);
        EXPECT_GT(std::string{rule_reason(rule)}.size(), 10U) << rule_id(rule);
    }
    EXPECT_STREQ(rule_id(Rule::kRuleCount), "NOT-RUN");
    EXPECT_STREQ(rule_id(Rule::kAccepted), "ACCEPTED");
    EXPECT_STREQ(rule_message(Rule::kAccepted), "the file is accepted");
    EXPECT_NE(std::string{rule_reason(Rule::kAccepted)}, rule_reason(Rule::kNotRun));
}

}  // namespace
}  // namespace pianola::test
