#include "capture_host/api/host_error.h"

namespace pianola::host {

const std::vector<HostRuleText>& host_rules() {
    static const std::vector<HostRuleText> rules{
#define PIANOLA_HOST_RULE(name, id, text) {HostRule::name, id, text},
#include "capture_host/api/host_rules.inc"
#undef PIANOLA_HOST_RULE
    };
    return rules;
}

const char* host_rule_id(HostRule rule) noexcept {
    switch (rule) {
#define PIANOLA_HOST_RULE(name, id, text) \
    case HostRule::name:                  \
        return id;
#include "capture_host/api/host_rules.inc"
#undef PIANOLA_HOST_RULE
        case HostRule::kUnspecified:
        default:
            return "API-UNSPECIFIED";
    }
}

HostError::HostError(HostRule rule, const std::string& message)
    : std::runtime_error{std::string{host_rule_id(rule)} + ": " + message}, rule_{rule} {}

}  // namespace pianola::host
