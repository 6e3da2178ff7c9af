// A validator that passes over one rule.
//
// Every refusal is made by refuse() or refuse_wide(); the executable of these tests is linked so that both go through
// lenient_verdict.cpp. A check that refuses last is passed over as a whole. One that refuses and returns leaves the
// rest of its function undone; mutate::why_never_alone() lists the rules for which that is too much.
#pragma once

#include "pianola/rule.h"

namespace pianola::test {

// Passes over the rule until the end of the scope.
class RuleIgnored {
  public:
    explicit RuleIgnored(Rule rule) noexcept;
    ~RuleIgnored();
    RuleIgnored(const RuleIgnored&) = delete;
    RuleIgnored& operator=(const RuleIgnored&) = delete;

    // How often it would have refused.
    [[nodiscard]] static unsigned times() noexcept;
};

}  // namespace pianola::test
