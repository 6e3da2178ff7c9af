#!/usr/bin/env python3
"""Sums the JUnit files of several ctest runs into one line, "N passed, N failed", and the exit code.

A step that failed before its tests ran (configure, build) counts as one failure. A skipped test is neither passed nor
failed, and is named. No passed test at all is a failure, and so is a result file without a test.
"""
import argparse
import sys
import xml.etree.ElementTree as ElementTree


def outcomes(path):
    """(name, outcome) of each test in one result file; outcome is passed, skipped or failed."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        status, skipped = case.get("status"), case.find("skipped")
        # ctest also calls a test skipped whose program it could not find. Only a test that asked for it is.
        asked = status == "disabled" or (skipped is not None and skipped.get("message", "").startswith("SKIP_"))
        if status == "run" and case.find("failure") is None:
            yield case.get("name"), "passed"
        elif status in ("notrun", "disabled") and asked:
            yield case.get("name"), "skipped"
        else:
            yield case.get("name"), "failed"


def summarise(failed_steps, paths):
    """(lines to print, exit code)."""
    lines, counts = [f"FAILED {step}"
                     for step in failed_steps], {"passed": 0, "skipped": 0, "failed": len(failed_steps)}
    for path in paths:
        seen = 0
        for name, outcome in outcomes(path):
            seen += 1
            counts[outcome] += 1
            if outcome != "passed":
                lines.append(f"{outcome.upper()} {name} ({path})")
        if seen == 0:
            lines.append(f"FAILED {path}: no test ran")
            counts["failed"] += 1
    if counts["passed"] == 0 and counts["failed"] == 0:
        lines.append("FAILED: no test passed")
        counts["failed"] += 1
    if counts["skipped"]:
        lines.append(f"{counts['skipped']} skipped")
    lines.append(f"{counts['passed']} passed, {counts['failed']} failed")
    return lines, 1 if counts["failed"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failed-steps", type=int, default=0, help="how many of the arguments name failed steps")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    text, code = summarise(options.arguments[: options.failed_steps], options.arguments[options.failed_steps :])
    print("\n".join(text))
    sys.exit(code)
