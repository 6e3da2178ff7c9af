#!/usr/bin/env python3
"""docs/evidence/mutation.md says what `pianola mutate` does: rules, counts, devices, and tests."""
import json
import re

import cli_support
from cli_support import OPTIONS


class Page(cli_support.CliTest):
    """The page's tables."""

    def mutate(self, *arguments):
        """The report that the program prints."""
        return json.loads(self.run_pianola("mutate", *arguments, "--json", code=cli_support.DONE).stdout)

    def test_the_page_has_every_rule(self):
        """docs/evidence/mutation.md lists the rules, and how many operators each has."""
        page = (OPTIONS.source / "docs/evidence/mutation.md").read_text(encoding="utf-8")
        report = self.mutate(self.capture("kws_ref_model", "--queues", 2), "--report-only", "--kind", "semantic")
        operators = {}
        for entry in report["mutants"] + report["not_applicable"]:
            rule = entry["name"].split(".")[0]
            operators[rule] = operators.get(rule, 0) + 1
        for rule in report["rules"]:
            note = rule.get("never_alone", "")
            line = f"| `{rule['rule']}` | {operators.get(rule['rule'], 0)} | {'no: ' + note if note else 'yes'} |"
            self.assertIn(line, page.splitlines())

    def test_the_page_says_which_device_gives_which_count(self):
        page = (OPTIONS.source / "docs/evidence/mutation.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| (the default device|`\{.*\}`) \| (\d+) \| (\d+) \| (.*) \|$", page, re.MULTILINE)
        self.assertGreaterEqual(len(rows), 4)
        for device, made, alone, without in rows:
            options = () if device.startswith("the") else ("--device", self.write("device.json", device.strip("`")))
            report = self.mutate(self.capture("kws_ref_model", *options), "--report-only", "--kind", "semantic",
                                 *options)
            self.assertEqual((report["totals"]["rules_with_mutant"], report["totals"]["rules_with_mutant_alone"]),
                             (int(made), int(alone)), device)
            self.assertEqual(
                {rule["rule"]
                 for rule in report["rules"] if rule["made"] == 0}
                - {"AUT-COUNTER", "IMG-BOOL", "TGT-EVIDENCE", "TGT-INTERVAL"},
                set(re.findall(r"`([A-Z-]+)`", without)), device)

    def test_the_page_names_a_test_for_each_rule_without_a_mutant(self):
        """And that test is there."""
        page = (OPTIONS.source / "docs/evidence/mutation.md").read_text(encoding="utf-8")
        report = self.mutate(self.capture(), "--report-only", "--kind", "semantic")
        never = {rule["rule"] for rule in report["rules"] if "never_alone" in rule}
        named = dict(re.findall(r"^\| `([A-Z-]+)` \| .* \| `(\w+\.\w+)` \|$", page, re.MULTILINE))
        self.assertEqual(set(named), never)
        no_mutant = {"AUT-COUNTER", "IMG-BOOL", "TGT-EVIDENCE", "TGT-INTERVAL"}
        numbers = [
            int(number) for number in re.findall(r"^\| (?:all|that|of these)\b.* \| (\d+) \|$", page, re.MULTILINE)
        ]
        rules = len(report["rules"])
        self.assertEqual(numbers, [rules, rules - len(no_mutant), rules - len(never), len(never - no_mutant),
                                   len(no_mutant)])
        sources = "\n".join(path.read_text(encoding="utf-8") for path in (OPTIONS.source / "tests").rglob("*_test.cpp"))
        for rule, test in named.items():
            self.assertRegex(sources, rf"TEST(_F|_P)?\({test.replace('.', ', ')}\)", rule)


if __name__ == "__main__":
    cli_support.main()
