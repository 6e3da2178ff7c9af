#include "capture_host/mutate/operators.h"

#include <algorithm>
#include <iterator>

namespace pianola::mutate {

void Operator::apply_to(Draft& draft) const {
    apply(draft);
    if (*path != '\0') {
        draft.expect_path(path);
    }
}

std::vector<Operator> all_operators() {
    const std::array tables{envelope_operators(),  authenticity_operators(), image_operators(),  target_operators(),
                            layout_operators(),    trace_operators(),        script_operators(), order_operators(),
                            parameter_operators(), budget_operators(),       work_operators(),   host_operators()};
    std::vector<Operator> all;
    for (std::uint16_t rule = 0U; rule < static_cast<std::uint16_t>(Rule::kRuleCount); ++rule) {
        for (const Span<const Operator> table : tables) {
            std::copy_if(table.begin(), table.end(), std::back_inserter(all),
                         [rule](const Operator& each) { return each.rule == static_cast<Rule>(rule); });
        }
    }
    return all;
}

}  // namespace pianola::mutate
