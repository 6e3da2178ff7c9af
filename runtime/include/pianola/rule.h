// Rule: the stable name of every reason for which a binary is refused.
//
// rules.inc is the single origin of ids, messages and docs/reference/rules.md. An id is never given a second meaning.
#pragma once

#include <cstdint>

namespace pianola {

enum class Rule : std::uint16_t {
    kNotRun = 0U,  // no check has been made: a verdict's initial value, which is a failure
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_RULE(name, id, message, why, cause, remedy) name,
#include "pianola/rules.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_RULE
    kRuleCount,
    kAccepted = 0x5ACEU,  // every check has passed; not a rule, and many bits away from kNotRun
};

// Texts of a rule; static lifetime. In a separate translation unit, so that an image which does not print can omit
// them.
[[nodiscard]] const char* rule_id(Rule rule) noexcept;       // "ENV-MAGIC"
[[nodiscard]] const char* rule_message(Rule rule) noexcept;  // what is wrong, one clause
[[nodiscard]] const char* rule_reason(Rule rule) noexcept;   // what the rule protects from

}  // namespace pianola
