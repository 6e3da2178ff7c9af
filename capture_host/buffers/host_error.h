// HostError: how the host API says no.
//
// Place in the whole: the one exception of capture_host/api. what() begins with the id of the broken rule, names need
// and limit, and says what to do; nothing was changed by the call that throws it, unless its header says otherwise.
// Host only.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace pianola::host {

enum class HostRule : std::uint32_t {
    kUnspecified = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_HOST_RULE(name, id, text) name,
#include "capture_host/buffers/host_rules.inc"
#undef PIANOLA_HOST_RULE
};

struct HostRuleText {
    HostRule rule;
    const char* id;
    const char* text;  // what holds where the rule is kept
};

// All rules, in the order of their list.
[[nodiscard]] const std::vector<HostRuleText>& host_rules();
[[nodiscard]] const char* host_rule_id(HostRule rule);

class HostError : public std::runtime_error {
  public:
    HostError(HostRule rule, const std::string& message);

    [[nodiscard]] HostRule rule() const noexcept { return rule_; }
    [[nodiscard]] const char* rule_id() const { return host_rule_id(rule_); }

  private:
    HostRule rule_;
};

}  // namespace pianola::host
