#include "capture_host/mutate/operators.h"

#include <map>

namespace pianola::mutate {

std::vector<Operator> all_operators() {
    std::multimap<Rule, Operator> by_rule;  // equal keys keep their order
    for (const std::vector<Operator>& group :
         {envelope_operators(), authenticity_operators(), image_operators(), target_operators(), layout_operators(),
          trace_operators(), script_operators(), order_operators(), parameter_operators(), budget_operators(),
          work_operators(), host_operators()}) {
        for (const Operator& each : group) {
            by_rule.emplace(each.rule, each);
        }
    }
    std::vector<Operator> all;
    for (const auto& [rule, each] : by_rule) {
        all.push_back(each);
    }
    return all;
}

}  // namespace pianola::mutate
