// The groups of rules, by the letters that their ids begin with, and their titles on pages.
//
// docs/reference/rules.md and docs/guide/refusals.md have the same headings.
#pragma once

#include <array>
#include <string>

struct RuleGroup {
    const char* prefix;
    const char* title;
};
constexpr std::array kRuleGroups{
    RuleGroup{"ENV", "Envelope: the header, before anything else is looked at"},
    RuleGroup{"AUT", "Authenticity: whose the file is, and how old"},
    RuleGroup{"IMG", "Image: the manifest's structure, and strictness of every field"},
    RuleGroup{"TGT", "Target: the device is the one that the binary was captured for"},
    RuleGroup{"LAY", "Layout: regions, buffers and tensors"},
    RuleGroup{"TRC", "Traces: every device command, every byte that it touches"},
    RuleGroup{"SCR", "Scripts: what the host does around the traces"},
    RuleGroup{"ORD", "Order: queues and events"},
    RuleGroup{"PAR", "Parameters: words of traces that change between steps"},
    RuleGroup{"BUD", "Budgets: rings, cycles and deadlines"},
    RuleGroup{"CAP", "Capacities of the runtime"},
    RuleGroup{"HST", "Host: what `pianola verify` adds to the target's checks"},
};

// Of the group of a rule's id; empty for a group that has no words here.
[[nodiscard]] inline std::string rule_group(const std::string& id) {
    return id.substr(0U, id.find('-'));
}
[[nodiscard]] inline std::string rule_group_title(const std::string& prefix) {
    for (const RuleGroup& group : kRuleGroups) {
        if (prefix == group.prefix) {
            return group.title;
        }
    }
    return {};
}
