#!/usr/bin/env python3
"""Cases of the host API once more, on a Vulkan device.

Usage: on_vulkan.py AREA --pianola PROGRAM (--gtest PROGRAM | --unittest SCRIPT | --command WORD...)

Runs every case of a test program, whose devices all are the Vulkan device that PIANOLA_VULKAN_DEVICE names by its
number, else the first. A case that is not in the page's table must pass. One that is must fail, and each of its
failures must say what the table's reason says: so a case that is refused is known to be refused by name, and a row that
is no longer needed is an error. A command passes where it ends with 0. Exit code 77 without a device, and where a case
was skipped.
"""
import argparse
import fnmatch
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
PAGE = pathlib.Path(__file__).parents[2] / "docs/evidence/vulkan.md"
HEAD = "| area | cases | reason |\n|---|---|---|\n"
# What a failure for this reason says: each is a refusal of the product's.
REASONS = {
    "threads": r"leave out threaded|no simulator with a thread per queue",
    "log": r"leave out keep_log",
    "accesses": r"leave out check_accesses",
}


def rows_of(page, area):
    """(pattern, reason) of each row of the page's table for an area."""
    lines = itertools.takewhile(lambda line: line.startswith("|"), page.split(HEAD)[1].splitlines())
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(pattern.strip("`"), reason) for where, patterns, reason in rows if where == area
            for pattern in patterns.split(", ")]


def run_gtest(program):
    """Failures of each case, and the number of those that were skipped."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        run = subprocess.run([program, f"--gtest_output=json:{report}"], check=False)
        if run.returncode not in (0, 1) or not report.is_file():
            sys.exit(f"{program} ended with {run.returncode}")
        suites = json.loads(report.read_text(encoding="utf-8"))["testsuites"]
    cases = [(f"{suite['name']}.{case['name']}", case) for suite in suites for case in suite["testsuite"]]
    return ({name: [each["failure"] for each in case.get("failures", ())] for name, case in cases},
            sum(case["result"] == "SKIPPED" for _, case in cases))


class Result(unittest.TextTestResult):
    """Keeps the failures of each case with those of its parts."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.of_cases = {}

    def startTest(self, test):  # noqa: N802 -- unittest's name
        super().startTest(test)
        self.of_cases[name_of(test)] = []

    def told(self, test, error):
        """A failure of a case, or of one of its parts."""
        self.of_cases.setdefault(name_of(test), []).append(self._exc_info_to_string(error, test))

    def addError(self, test, err):  # noqa: N802
        super().addError(test, err)
        self.told(test, err)

    def addFailure(self, test, err):  # noqa: N802
        super().addFailure(test, err)
        self.told(test, err)

    def addSubTest(self, test, subtest, err):  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.told(test, err)


def name_of(test):
    """Class and method."""
    return ".".join(test.id().split(" ")[0].split(".")[-2:])


def run_unittest(script):
    """Failures of each case, and the number of those that were skipped."""
    import pianola  # pylint: disable=import-outside-toplevel
    assert pianola.open_device.__wrapped__, "every_device is not in PYTHONPATH"
    sys.path.insert(0, str(script.parent))
    sys.argv = [str(script)]  # some scripts have options of their own
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName(script.stem)
    except SystemExit as end:  # 0 would be taken for a pass
        raise RuntimeError(f"{script} ends where it is imported") from end
    result = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(suite)
    return result.of_cases, len(result.skipped)


def judge(failures, rows):
    """What is not as the table has it, in words."""
    wrong = []
    for name, texts in failures.items():
        reasons = [reason for pattern, reason in rows if fnmatch.fnmatchcase(name, pattern)]
        for text in texts:
            if not any(re.search(REASONS[reason], text) for reason in reasons):
                wrong.append(f"{name}: {text.strip().splitlines()[-1]}" if not reasons else
                             f"{name}: fails for another reason than {reasons}: {text}")
    for pattern, _ in rows:
        if not any(texts for name, texts in failures.items() if fnmatch.fnmatchcase(name, pattern)):
            wrong.append(f"{pattern}: no such case fails; its row is not needed")
    return list(dict.fromkeys(wrong))


def main():
    """Runs one program. Exit code 1 where something is not as the table has it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("area")
    parser.add_argument("--pianola", required=True)
    parser.add_argument("--gtest")
    parser.add_argument("--unittest", type=pathlib.Path)
    parser.add_argument("--command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    executor = f"vulkan:{os.environ.get('PIANOLA_VULKAN_DEVICE', 0)}"
    os.environ["PIANOLA_TEST_EXECUTOR"] = "vulkan"
    devices = subprocess.run([options.pianola, "devices", "--json"], check=True, stdout=subprocess.PIPE).stdout
    listed = json.loads(devices)
    if not any(entry["device"] == executor and not entry.get("missing") for entry in listed["devices"]):
        print(f"skipped: there is no {executor}")
        return SKIPPED
    if options.command:
        return subprocess.run(options.command, check=False).returncode
    rows = rows_of(PAGE.read_text(encoding="utf-8"), options.area)
    failures, skipped = run_gtest(options.gtest) if options.gtest else run_unittest(options.unittest)
    wrong = judge(failures, rows)
    print(f"{len(failures)} cases on {executor}: {sum(not texts for texts in failures.values())} as on the simulator, "
          f"{sum(bool(texts) for texts in failures.values())} refused or different, {skipped} skipped")
    for each in wrong:
        print("WRONG:", each)
    return 1 if wrong or not failures else SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
