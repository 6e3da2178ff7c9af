// The usual cause and the remedy of each refusal.
//
// A target has a rule's id and message only. `pianola verify` and docs/guide/refusals.md take their texts from
// remedies.inc.
#pragma once

#include "pianola/rule.h"

namespace pianola {

// One or two sentences, static lifetime; empty if `rule` is no rule.
[[nodiscard]] const char* rule_cause(Rule rule) noexcept;
[[nodiscard]] const char* rule_remedy(Rule rule) noexcept;

}  // namespace pianola
