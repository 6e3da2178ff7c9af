// Operators: the ways in which a file is made to break one rule.
//
// Place in the whole: a source for each group of rules, each with a table of operators. A new rule needs a line in its
// group's table, or a reason in coverage.cpp; a new group a source, a line below and one in all_operators(). Host only.
#pragma once

#include <array>
#include <vector>

#include "capture_host/mutate/draft.h"
#include "pianola/rule.h"
#include "pianola/span.h"

namespace pianola::mutate {

struct Operator {
    Rule rule;         // that the mutant must trip
    const char* name;  // unique within the rule; part of file names
    const char* what;  // is wrong with the mutant
    // Nothing else is wrong: a validator without the rule would accept the mutant. False where passing over the rule is
    // unsafe, or where another rule catches the mutant as well.
    bool is_alone;
    void (*apply)(Draft& draft);  // throws NotApplicable
    // That the verdict must name, as Draft::expect_path() takes it; empty where `apply` knows it, or any will do.
    const char* path{""};
    void apply_to(Draft& draft) const;  // and expects the path
};

[[nodiscard]] Span<const Operator> envelope_operators();
[[nodiscard]] Span<const Operator> authenticity_operators();
[[nodiscard]] Span<const Operator> image_operators();
[[nodiscard]] Span<const Operator> target_operators();
[[nodiscard]] Span<const Operator> layout_operators();
[[nodiscard]] Span<const Operator> trace_operators();
[[nodiscard]] Span<const Operator> script_operators();
[[nodiscard]] Span<const Operator> order_operators();
[[nodiscard]] Span<const Operator> parameter_operators();
[[nodiscard]] Span<const Operator> budget_operators();  // and capacities
[[nodiscard]] Span<const Operator> work_operators();
[[nodiscard]] Span<const Operator> host_operators();

// In the order of the rules.
[[nodiscard]] std::vector<Operator> all_operators();

}  // namespace pianola::mutate
