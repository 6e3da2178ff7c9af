#include "capture_host/mutate/operators.h"

#include <algorithm>

namespace pianola::mutate {

std::vector<Operator> joined(std::initializer_list<std::vector<Operator>> tables) {
    std::vector<Operator> all;
    for (const std::vector<Operator>& table : tables) {
        all.insert(all.end(), table.begin(), table.end());
    }
    return all;
}

std::vector<Operator> all_operators() {
    std::vector<Operator> all =
        joined({envelope_operators(), authenticity_operators(), image_operators(), target_operators(),
                layout_operators(), trace_operators(), script_operators(), order_operators(), parameter_operators(),
                budget_operators(), work_operators(), host_operators()});
    std::stable_sort(all.begin(), all.end(),
                     [](const Operator& left, const Operator& right) { return left.rule < right.rule; });
    return all;
}

}  // namespace pianola::mutate
