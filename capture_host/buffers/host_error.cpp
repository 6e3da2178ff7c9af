#include "capture_host/buffers/host_error.h"

#include <algorithm>

namespace pianola::host {

const std::vector<HostRuleText>& host_rules() {
    static const std::vector<HostRuleText> kRules{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_HOST_RULE(name, id, text) {HostRule::name, id, text},
#include "capture_host/buffers/host_rules.inc"
#undef PIANOLA_HOST_RULE
    };
    return kRules;
}

const char* host_rule_id(HostRule rule) {
    const std::vector<HostRuleText>& rules = host_rules();
    const auto found =
        std::find_if(rules.begin(), rules.end(), [rule](const HostRuleText& text) { return text.rule == rule; });
    return (found == rules.end()) ? "API-UNSPECIFIED" : found->id;
}

HostError::HostError(HostRule rule, const std::string& message)
    : std::runtime_error{std::string{host_rule_id(rule)} + ": " + message}, rule_{rule} {}

}  // namespace pianola::host
