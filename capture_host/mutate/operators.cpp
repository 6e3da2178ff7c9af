#include "capture_host/mutate/operators.h"

#include <map>
#include <utility>

namespace pianola::mutate {

std::vector<Operator> joined(std::initializer_list<std::vector<Operator>> tables) {
    std::vector<Operator> all;
    for (const std::vector<Operator>& table : tables) {
        all.insert(all.end(), table.begin(), table.end());
    }
    return all;
}

std::vector<Operator> all_operators() {
    std::multimap<Rule, Operator> by_rule;  // equal keys keep their order
    for (Operator& each : joined({envelope_operators(), authenticity_operators(), image_operators(), target_operators(),
                                  layout_operators(), trace_operators(), script_operators(), order_operators(),
                                  parameter_operators(), budget_operators(), work_operators(), host_operators()})) {
        by_rule.emplace(each.rule, std::move(each));
    }
    std::vector<Operator> all;
    for (auto& [rule, each] : by_rule) {
        all.push_back(std::move(each));
    }
    return all;
}

}  // namespace pianola::mutate
