#include <array>

#include "pianola/rule.h"

namespace pianola {
namespace {

struct RuleText {
    const char* message;
    const char* reason;
};

constexpr std::array<RuleText, static_cast<std::size_t>(Rule::kRuleCount)> kRuleTexts{{
    RuleText{"the file has not been validated", "a verdict that nobody reached is a refusal"},
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_RULE(name, id, message, why, cause, remedy) RuleText{message, why},
#include "pianola/rules.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_RULE
}};

constexpr RuleText kAcceptedText{"the file is accepted", "every check was made"};

[[nodiscard]] const RuleText& text_of(Rule rule) noexcept {
    if (rule == Rule::kAccepted) {
        return kAcceptedText;
    }
    const auto index = static_cast<std::size_t>(rule);
    return kRuleTexts[(index < kRuleTexts.size()) ? index : 0U];
}

}  // namespace

const char* rule_message(Rule rule) noexcept {
    return text_of(rule).message;
}
const char* rule_reason(Rule rule) noexcept {
    return text_of(rule).reason;
}

}  // namespace pianola
