// A validator that passes over one rule.
//
// Every refusal is made by refuse() or refuse_wide(); the executable of these tests is linked so that both go through
// lenient_verdict.cpp. Of a check that refuses last, passing over is all; one that refuses and ends leaves what comes
// behind it in the same function undone: operators.cpp lists the rules for which that is too much.
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
