// rules_page: prints docs/reference/rules.md from the runtime's own list of rules.
//
// Place in the whole: build tool. A test compares its output with the page, so that neither can be changed alone.

#include <array>
#include <iostream>
#include <string>

#include "pianola/rule.h"

namespace {

struct Group {
    const char* prefix;
    const char* title;
};
constexpr std::array kGroups{
    Group{"ENV", "Envelope: the header, before anything else is looked at"},
    Group{"AUT", "Authenticity: whose the file is, and how old"},
    Group{"IMG", "Image: the manifest's structure, and strictness of every field"},
    Group{"TGT", "Target: the device is the one that the binary was captured for"},
    Group{"LAY", "Layout: regions, buffers and tensors"},
    Group{"TRC", "Traces: every device command, every byte that it touches"},
    Group{"SCR", "Scripts: what the host does around the traces"},
    Group{"ORD", "Order: queues and events"},
    Group{"PAR", "Parameters: words of traces that change between steps"},
    Group{"BUD", "Budgets: rings, cycles and deadlines"},
    Group{"CAP", "Capacities of the runtime"},
    Group{"HST", "Host: what `pianola verify` adds to the target's checks"},
};

// Empty for a group that has no words here.
std::string title_of(const std::string& prefix) {
    for (const Group& group : kGroups) {
        if (prefix == group.prefix) {
            return group.title;
        }
    }
    return {};
}

}  // namespace

int main() {
    std::cout
        << "# Rules\n\n"
           "Every reason for which a binary is refused. Made from `runtime/include/pianola/rules.inc`; do not edit. A "
           "verdict names\n"
           "the rule, the field (`traces[0].commands[17].output`) and the offset of its first byte in the file. "
           "Host and\n"
           "target run the same checks in the same order, and stop at the first refusal. Ids are stable: none is "
           "ever given\n"
           "a second meaning.\n";
    std::string open_group;
    for (std::uint16_t i = 1U; i < static_cast<std::uint16_t>(pianola::Rule::kRuleCount); ++i) {
        const auto rule = static_cast<pianola::Rule>(i);
        const std::string id = pianola::rule_id(rule);
        const std::string group = id.substr(0U, id.find('-'));
        if (group != open_group) {
            open_group = group;
            if (title_of(group).empty()) {
                std::cerr << "rules_page: the group " << group << " has no title\n";
                return 1;
            }
            std::cout << "\n## " << title_of(group) << "\n\n| rule | refused where | because |\n|---|---|---|\n";
        }
        std::cout << "| `" << id << "` | " << pianola::rule_message(rule) << " | " << pianola::rule_reason(rule)
                  << " |\n";
    }
    return std::cout.flush() ? 0 : 1;
}
