// What usually causes a refusal, and what to do about it.
//
// Host only, where texts cost nothing; a target has a rule's id and message. remedies.inc is the single origin of what
// `pianola verify` prints and of docs/guide/refusals.md.
#pragma once

#include "pianola/rule.h"

namespace pianola {

// One or two sentences, static lifetime; empty where `rule` is no rule.
[[nodiscard]] const char* rule_cause(Rule rule) noexcept;
[[nodiscard]] const char* rule_remedy(Rule rule) noexcept;

}  // namespace pianola
