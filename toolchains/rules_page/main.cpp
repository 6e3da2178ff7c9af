// rules_page: prints docs/reference/rules.md from the runtime's own list of rules.
//
// A test compares its output with the page, so that neither can be changed alone.

#include <iostream>
#include <string>

#include "pianola/rule.h"
#include "toolchains/rules_page/rule_groups.h"

int main() {
    std::cout
        << "# Rules\n\n"
           "Every reason for which a binary is refused. Made from `runtime/include/pianola/rules.inc`; do not edit. A "
           "verdict names\n"
           "the rule, the field (`traces[0].commands[17].output`) and an offset in the file: that of the field, or of "
           "the table\n"
           "of the manifest that has it. Host and target run the same checks in the same order, and stop at the first "
           "refusal.\n"
           "Ids are stable: none is ever given a second meaning.\n";
    std::string open_group;
    for (std::uint16_t i = 1U; i < static_cast<std::uint16_t>(pianola::Rule::kRuleCount); ++i) {
        const auto rule = static_cast<pianola::Rule>(i);
        const std::string id = pianola::rule_id(rule);
        const std::string group = rule_group(id);
        if (group != open_group) {
            open_group = group;
            if (rule_group_title(group).empty()) {
                std::cerr << "rules_page: the group " << group << " has no title\n";
                return 1;
            }
            std::cout << "\n## " << rule_group_title(group)
                      << "\n\n| rule | refused where | because |\n|---|---|---|\n";
        }
        std::cout << "| `" << id << "` | " << pianola::rule_message(rule) << " | " << pianola::rule_reason(rule)
                  << " |\n";
    }
    return std::cout.flush() ? 0 : 1;
}
