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

Each rule's meaning, usual cause and remedy. Made from `runtime/include/pianola/rules.inc` and
`capture_host/binary/remedies.inc`; do not edit. [rules](../reference/rules.md) has the reason for each rule.

A refusal has four parts, which `pianola verify FILE` prints (with `--json` for programs); on a target they are the
members of `Verdict`.

| part | for example | says |
|---|---|---|
| rule | `TRC-BOUNDS` | what is wrong; find it below |
| field | `traces[0].commands[17].output` | the path of the field in the manifest, or of the operand in a trace |
| offset | `0x1a40` | where it begins in the file; for a field of the manifest, where its table begins |
| found | `found 64 bytes at 0x80003780` | the bytes at fault, or both numbers: `found 7, expected or limit 5` |

1. **`ENV-`**: the file is not what was captured: compare its SHA-256 with that of the original.
2. **`TGT-`**: the file is sound and for another device or version. `pianola inspect FILE` shows its device.
3. **`AUT-`**: the file is sound, and the device does not trust it.
4. **`CAP-`, `BUD-` or `IMG-COUNT`**: the program is larger than what the runtime was built for.
5. **Any other rule**: the program, or the tool that wrote the file, does something that cannot be proved safe.
   `pianola inspect --commands FILE` shows the command that the field names. Where `pianola capture` wrote the file from
   a model, please report a defect of Pianola.

Host and target refuse with the same rule, field and offset, so `pianola verify FILE` reproduces a refusal of a target,
with `--device SPEC.json` for its description and `--key` for its keys. Only a runtime itself refuses features that were
left out of it by linking ([integration](integration.md)).
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
