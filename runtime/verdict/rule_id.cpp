// Ids are separate from messages: an ECU prints the id, and the linker then omits the texts.
#include <array>

#include "pianola/rule.h"

namespace pianola {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Rule::kRuleCount)> kRuleIds{{
    "NOT-RUN",
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_RULE(name, id, message, why, cause, remedy) id,
#include "pianola/rules.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_RULE
}};

}  // namespace

const char* rule_id(Rule rule) noexcept {
    if (rule == Rule::kAccepted) {
        return "ACCEPTED";
    }
    const auto index = static_cast<std::size_t>(rule);
    return kRuleIds[(index < kRuleIds.size()) ? index : 0U];
}

}  // namespace pianola
