// refusals_page: prints docs/guide/refusals.md from the runtime's list of rules and the host's list of remedies.
//
// A test compares its output with the page, so that neither can be changed alone.

#include <iostream>
#include <string>

#include "capture_host/binary/remedies.h"
#include "pianola/rule.h"
#include "toolchains/rules_page/rule_groups.h"

namespace {

constexpr const char* kHead = R"(# Why was it refused?

For each rule: what it means, what usually causes it, and what to do. Made from `runtime/include/pianola/rules.inc` and
`capture_host/binary/remedies.inc`; do not edit. Why each rule exists says [rules](../reference/rules.md).

A refusal has four parts. `pianola verify FILE` prints all of them, with `--json` for programs; on a target they are the
members of `Verdict`.

| part | for example | says |
|---|---|---|
| rule | `TRC-BOUNDS` | what is wrong; find it below |
| field | `traces[0].commands[17].output` | where: the path of the field in the manifest, or of the operand in a trace |
| offset | `0x1a40` | where it begins in the file; of a field of the manifest, where its table begins |
| found | `found 64 bytes at 0x80003780` | the bytes at fault, or both numbers: `found 7, expected or limit 5` |

In this order:

1. **The rule begins with `ENV-`.** The file is not what was captured: compare its SHA-256 with that of the original.
2. **It begins with `TGT-`.** The file is sound and for another device or version. `pianola inspect FILE` shows the
   device that it was captured for.
3. **It begins with `AUT-`.** The file is sound, and the device does not trust it.
4. **It begins with `CAP-` or `BUD-`, or is `IMG-COUNT`.** The program is larger than what the runtime was built for.
5. **Any other rule.** The program, or the tool that wrote the file, does something that cannot be proved safe.
   `pianola inspect --commands FILE` shows the command that the field names. Where `pianola capture` wrote the file
   from a model, it is a defect of Pianola: please report it.

Host and target refuse with the same rule, field and offset, so that a refusal on a target is reproduced on a desk:
`pianola verify FILE`, with `--device SPEC.json` for the target's description, and `--key` for its keys. What was left
out of a runtime by linking is refused by that runtime alone ([integration](integration.md)).
)";

}  // namespace

int main() {
    std::cout << kHead;
    std::string open_group;
    for (std::uint16_t i = 1U; i < static_cast<std::uint16_t>(pianola::Rule::kRuleCount); ++i) {
        const auto rule = static_cast<pianola::Rule>(i);
        const std::string id = pianola::rule_id(rule);
        const std::string group = rule_group(id);
        if (group != open_group) {
            open_group = group;
            if (rule_group_title(group).empty()) {
                std::cerr << "refusals_page: the group " << group << " has no title\n";
                return 1;
            }
            std::cout << "\n## " << rule_group_title(group)
                      << "\n\n| rule | meaning | usual cause | what to do |\n|---|---|---|---|\n";
        }
        std::cout << "| `" << id << "` | " << pianola::rule_message(rule) << " | " << pianola::rule_cause(rule) << " | "
                  << pianola::rule_remedy(rule) << " |\n";
    }
    return std::cout.flush() ? 0 : 1;
}
