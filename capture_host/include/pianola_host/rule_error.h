// RuleError: refusals of the host libraries.
//
// The base of their exceptions. what() begins with the id of the broken rule. Each library lists its rules in an .inc
// file, which makes the enumerators and in the same order their ids.
#pragma once

#include <stdexcept>
#include <string>

namespace pianola::host {

class RuleError : public std::runtime_error {
  public:
    // The id must outlive the error.
    RuleError(const char* id, const std::string& message)
        : std::runtime_error{std::string{id} + ": " + message}, id_{id} {}

    [[nodiscard]] const char* rule_id() const noexcept { return id_; }

  private:
    const char* id_;
};

// The error of a library with the rules `Rule`; id_of(Rule) gives their ids.
template <typename Rule>
class Refusal : public RuleError {
  public:
    Refusal(Rule rule, const std::string& message) : RuleError{id_of(rule), message}, rule_{rule} {}

    [[nodiscard]] Rule rule() const noexcept { return rule_; }

  private:
    Rule rule_;
};

}  // namespace pianola::host
