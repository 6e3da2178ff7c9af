#include "capture_host/mutate/operators.h"

#include <algorithm>

namespace pianola::mutate {

std::vector<Operator> all_operators() {
    std::vector<Operator> all;
    for (const std::vector<Operator>& group :
         {envelope_operators(), authenticity_operators(), image_operators(), target_operators(), layout_operators(),
          trace_operators(), script_operators(), order_operators(), parameter_operators(), budget_operators(),
          work_operators(), host_operators()}) {
        all.insert(all.end(), group.begin(), group.end());
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Operator& left, const Operator& right) { return left.rule < right.rule; });
    return all;
}

}  // namespace pianola::mutate
