// Operators: the ways in which a file is made to break one rule.
//
// A source for each group of rules, each with a table of operators. A new rule needs a line in its group's table, or a
// reason in why_no_mutant(); a new group a source, a line below and one in all_operators().
#pragma once

#include <array>
#include <vector>

#include "capture_host/mutate/draft.h"
#include "pianola/rule.h"
#include "pianola/span.h"

namespace pianola::mutate {

struct Operator {
    Rule rule{};           // that the mutant must trip
    const char* name{""};  // unique within the rule; part of file names
    const char* what{""};  // is wrong with the mutant
    // Nothing else is wrong: a validator without the rule would accept the mutant. False if skipping the rule is
    // unsafe, or if another rule catches the mutant as well.
    bool is_alone{false};
    void (*apply)(Draft& draft){nullptr};  // throws NotApplicable
    // The path that the verdict must name, as in Draft::expect_path(); empty if `apply` knows it, or for any.
    const char* path{""};
    void apply_to(Draft& draft) const;  // and expects the path
};

[[nodiscard]] Span<const Operator> envelope_operators();
[[nodiscard]] Span<const Operator> authenticity_operators();
[[nodiscard]] Span<const Operator> image_operators();  // and the canonical form
[[nodiscard]] Span<const Operator> target_operators();
[[nodiscard]] Span<const Operator> layout_operators();
[[nodiscard]] Span<const Operator> trace_operators();
[[nodiscard]] Span<const Operator> script_operators();
[[nodiscard]] Span<const Operator> order_operators();
[[nodiscard]] Span<const Operator> parameter_operators();
[[nodiscard]] Span<const Operator> budget_operators();  // and capacities

// In the order of the rules.
[[nodiscard]] std::vector<Operator> all_operators();

// Why no mutant can break this rule alone; nullptr if one can. Reports and docs/evidence/mutation.md give the reason,
// and tests/mutate checks both.
[[nodiscard]] const char* why_never_alone(Rule rule) noexcept;

// Rules without any operator; nullptr for the others.
[[nodiscard]] const char* why_no_mutant(Rule rule) noexcept;

}  // namespace pianola::mutate
