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
                            parameter_operators(), budget_operators()};
    std::vector<Operator> all;
    for (std::uint16_t rule = 0U; rule < static_cast<std::uint16_t>(Rule::kRuleCount); ++rule) {
        for (const Span<const Operator> table : tables) {
            std::copy_if(table.begin(), table.end(), std::back_inserter(all),
                         [rule](const Operator& each) { return each.rule == static_cast<Rule>(rule); });
        }
    }
    return all;
}

const char* why_never_alone(Rule rule) noexcept {
    switch (rule) {
        case Rule::kEnvSegmentKind:
        case Rule::kEnvSegmentLayout:
        case Rule::kEnvSegmentSize:
            return "segments of another place or size have other checks";
        case Rule::kImgSize:
            return "a manifest that is refused for its size is not opened: without the rule there is nothing to go on "
                   "with";
        case Rule::kImgStructure:
            return "guards memory: a manifest of another structure would be read outside its bytes";
        case Rule::kImgExactSize:
            return "a manifest with bytes behind it is not opened: without the rule there is nothing to go on with";
        case Rule::kCapTables:
            return "a manifest with more tables is not opened: without the rule there is nothing to go on with";
        case Rule::kImgUnion:
            return "guards memory: tables with a row for each kind of command would be read outside";
        case Rule::kParCommand:
        case Rule::kCapPoints:
            return "guards memory: words that are set would be kept outside their lists";
        case Rule::kTrcKernel:
            return "a launch of a kernel that the ROM does not have is of one that the file does not name";
        case Rule::kScrIndex:
            return "guards memory: lists would be read outside";
        default:
            return why_no_mutant(rule);
    }
}

const char* why_no_mutant(Rule rule) noexcept {
    switch (rule) {
        case Rule::kImgBool:
            return "the schema has no truth values";
        case Rule::kAutCounter:
            return "the platform's counter cannot be read: nothing in a file makes it so";
        case Rule::kTgtEvidence:
        case Rule::kTgtInterval:
            return "the session's policy is not in the file";
        default:
            return nullptr;
    }
}

}  // namespace pianola::mutate
