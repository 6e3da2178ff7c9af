// Every semantic mutant is refused by its rule; and for every rule there is a mutant that nothing but this rule
// refuses.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "capture_host/mutate/operators.h"
#include "tests/mutate/lenient_verdict.h"
#include "tests/mutate/subjects.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

using mutate::Operator;

std::string text_of(const Verdict& verdict) {
    return std::string{rule_id(verdict.rule)} + " " + path_text(verdict);
}

// One after the other, with what the kit says of each.
class Campaign {
  public:
    explicit Campaign(const NamedSubject& named) : subject_{named.subject}, checker_{named.subject} {}

    // What the largest file is made of does not matter: with_largest is for one subject.
    void run(std::set<Rule>& killed_alone, bool with_largest) {
        for (const Operator& by : mutate::all_operators()) {
            const bool is_largest = (by.rule == Rule::kEnvFileSize) && by.is_alone;
            if (is_largest && !with_largest) {
                continue;
            }
            SCOPED_TRACE(std::string{rule_id(by.rule)} + "." + by.name);
            mutate::Draft draft{subject_, checker_};
            try {
                by.apply_to(draft);
            } catch (const mutate::NotApplicable& reason) {
                skipped_[by.rule].emplace_back(reason.what());
                continue;
            }
            const mutate::Bytes file = draft.write();
            const Verdict& verdict = checker_.check(file, draft.shift_bytes(), draft.trust());
            made_ += 1U;
            EXPECT_EQ(verdict.status, Status::kRefused);
            EXPECT_EQ(rule_id(verdict.rule), std::string{rule_id(by.rule)}) << text_of(verdict);
            if (!draft.path().empty()) {
                EXPECT_EQ(path_text(verdict), draft.path());
            }
            if (by.is_alone && is_accepted_without(by.rule, file, draft)) {
                killed_alone.insert(by.rule);
            }
        }
    }
    [[nodiscard]] const std::map<Rule, std::vector<std::string>>& skipped() const noexcept { return skipped_; }
    [[nodiscard]] std::uint32_t made() const noexcept { return made_; }

  private:
    // A check that refuses at once leaves the plan as the file before has left it: this one is whole, and for the same
    // device.
    bool is_accepted_without(Rule rule, const mutate::Bytes& file, const mutate::Draft& draft) {
        EXPECT_EQ(checker_.check(subject_.file).status, Status::kOk);
        const RuleIgnored ignored{rule};
        const Verdict& verdict = checker_.check(file, draft.shift_bytes(), draft.trust());
        EXPECT_EQ(verdict.status, Status::kOk) << "also refused by " << text_of(verdict);
        EXPECT_GT(RuleIgnored::times(), 0U);
        return is_ok(verdict.status);
    }

    const mutate::Subject& subject_;
    mutate::Checker checker_;
    std::map<Rule, std::vector<std::string>> skipped_;
    std::uint32_t made_{0U};
};

void run_all(const std::vector<NamedSubject>& subjects, std::set<Rule>& killed_alone, bool with_largest = false) {
    for (const NamedSubject& named : subjects) {
        SCOPED_TRACE(named.name);
        Campaign campaign{named};
        campaign.run(killed_alone, with_largest && (&named == &subjects.front()));
        std::cout << named.name << ": " << campaign.made() << " mutants\n";
        for (const auto& [rule, reasons] : campaign.skipped()) {
            for (const std::string& reason : reasons) {
                std::cout << "  " << rule_id(rule) << ": " << reason << '\n';
            }
        }
    }
}

TEST(Kill, EveryRuleHasAMutantThatNothingElseRefuses) {
    std::set<Rule> killed_alone;
    run_all(small_subjects(), killed_alone, true);
    for (std::uint16_t i = 1U; i < static_cast<std::uint16_t>(Rule::kRuleCount); ++i) {
        const auto rule = static_cast<Rule>(i);
        EXPECT_EQ(killed_alone.count(rule) == 1U, mutate::why_never_alone(rule) == nullptr) << rule_id(rule);
    }
    std::cout << killed_alone.size() << " of " << (static_cast<std::uint32_t>(Rule::kRuleCount) - 1U)
              << " rules have a mutant that nothing else refuses\n";
}

TEST(Kill, AWorkloadOfTheHostApi) {
    std::set<Rule> killed_alone;
    run_all({api_subject()}, killed_alone);
    EXPECT_GT(killed_alone.size(), 70U);
}

TEST(Kill, CapturedModels) {
    const std::vector<NamedSubject> subjects = model_subjects();
    if (subjects.empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    std::set<Rule> killed_alone;
    run_all(subjects, killed_alone);
    EXPECT_GT(killed_alone.size(), 70U);
}

}  // namespace
}  // namespace pianola::test
