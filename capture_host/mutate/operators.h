// Operators: the ways in which a file is made to break one rule.
//
// Place in the whole: a source for each group of rules, each with a table of operators. A new rule needs a line in its
// group's table, or a reason in coverage.cpp; a new group a source, a line below and one in all_operators(). Host only.
#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "capture_host/mutate/draft.h"
#include "pianola/rule.h"

namespace pianola::mutate {

struct Operator {
    Rule rule;         // that the mutant must trip
    const char* name;  // unique within the rule; part of file names
    const char* what;  // is wrong with the mutant
    // Nothing else is wrong: a validator without the rule would accept the mutant. False where passing over the rule is
    // unsafe, or where another rule catches the mutant as well.
    bool is_alone;
    std::function<void(Draft& draft)> apply;  // throws NotApplicable
};

[[nodiscard]] std::vector<Operator> envelope_operators();
[[nodiscard]] std::vector<Operator> authenticity_operators();
[[nodiscard]] std::vector<Operator> image_operators();
[[nodiscard]] std::vector<Operator> target_operators();
[[nodiscard]] std::vector<Operator> layout_operators();
[[nodiscard]] std::vector<Operator> trace_operators();
[[nodiscard]] std::vector<Operator> script_operators();
[[nodiscard]] std::vector<Operator> order_operators();
[[nodiscard]] std::vector<Operator> parameter_operators();
[[nodiscard]] std::vector<Operator> budget_operators();  // and capacities
[[nodiscard]] std::vector<Operator> work_operators();
[[nodiscard]] std::vector<Operator> host_operators();

// In the order of the rules.
[[nodiscard]] std::vector<Operator> all_operators();

// One behind the other.
[[nodiscard]] std::vector<Operator> joined(std::initializer_list<std::vector<Operator>> tables);

}  // namespace pianola::mutate
