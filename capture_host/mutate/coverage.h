// Coverage: which rules no mutant can be the only ones to trip, and why.
//
// Place in the whole: the reports and docs/evidence/mutation.md say it, and tests/mutate holds both to it. Host only.
#pragma once

#include "pianola/rule.h"

namespace pianola::mutate {

// nullptr for a rule that has, or can have, a mutant with nothing else wrong.
[[nodiscard]] const char* why_never_alone(Rule rule) noexcept;

// Rules without any operator; nullptr for the others.
[[nodiscard]] const char* why_no_mutant(Rule rule) noexcept;

}  // namespace pianola::mutate
