"""What the tables of docs/safety name as evidence, and whether it is there.

  test:<name>                  a test, by its name in CTest's results, without instance and parameter
  record:<campaign>/<kind>     a kind of fault of a recorded campaign, of which none was silent or crashed
  aou:<name>                   an assumption of docs/safety/assumptions.toml
"""
import argparse
import json
import pathlib
import re
import textwrap
import tomllib
import xml.etree.ElementTree as ElementTree

PROBLEMS = ("failure", "error", "skipped")


class Evidence:
    """The assumptions and recorded campaigns of a working tree."""

    def __init__(self, root):
        self.root = root
        with open(root / "docs/safety/assumptions.toml", "rb") as file:
            self.assumptions = {entry["id"]: entry for entry in tomllib.load(file)["assumption"]}

    def findings(self, evidence):
        """What is wrong with one piece, as far as can be said without results."""
        kind, _, what = evidence.partition(":")
        if kind == "aou":
            return [] if f"aou~{what}" in self.assumptions else [f"there is no aou~{what}"]
        if kind == "record":
            counts = self.counts(what)
            if counts is None:
                return [f"no campaign has recorded {what}"]
            if counts["injected"] == 0 or counts["silent"] or counts["crashed"]:
                return [f"{what} was not injected, or was silent or crashed"]
            return []
        return [] if kind == "test" and what else [f"{evidence} is no evidence"]

    def counts(self, what):
        """The counts of <campaign>/<kind>; None where there is none."""
        campaign, _, kind = what.partition("/")
        path = self.root / "tests/campaign/recorded" / f"{campaign}.json"
        kinds = json.loads(path.read_text(encoding="utf-8"))["kinds"] if path.exists() else []
        return next((entry for entry in kinds if entry["kind"].replace(" ", "_") == kind), None)

    def shown(self, evidence):
        """One piece, for a page."""
        kind, _, what = evidence.partition(":")
        if kind == "aou":
            return f"`aou~{what}`"
        if kind == "record":
            counts = self.counts(what)
            numbers = " / ".join(f"{counts[column]:,}" for column in ("injected", "detected", "harmless"))
            return f"{what.partition('/')[0]}, {counts['kind']}: {numbers}"
        return f"`{what}`"


def argument_parser(description):
    """What the programs that check a part of the package have in common on their command lines."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[3])
    parser.add_argument("--results", type=pathlib.Path, nargs="+", default=[],
                        help="CTest's JUnit files of a whole run")
    return parser


def not_passed(pieces, passed):
    """What is wrong with `pieces` where only the tests `passed` have."""
    return [f"{piece[5:]} has not passed" for piece in pieces if piece.startswith("test:") and piece[5:] not in passed]


def has_passed(case):
    """Whether a test of CTest's JUnit files ran, and nothing in it failed or was skipped."""
    return case.get("status") == "run" and not any(case.find(what) is not None for what in PROBLEMS)


def outcomes(paths):
    """{name of a test: whether each of its runs and instances passed; a run that was skipped is None}."""
    found = {}
    for path in paths:
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            skipped = case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None
            found.setdefault(plain_name(case.get("name")), []).append(None if skipped else has_passed(case))
    return found


def passed_tests(paths):
    """Names of the tests that passed, and failed in no build and no instance."""
    return {name for name, found in outcomes(paths).items() if True in found and False not in found}


def passed_areas(paths):
    """Names of tests that passed, and of areas below which tests passed and none failed."""
    areas, tests = {}, outcomes(paths)
    for name, found in tests.items():
        words = name.split(".")
        for count in range(1, len(words)):
            areas.setdefault(".".join(words[:count]), []).extend(found)
    return passed_tests(paths) | {area for area, found in areas.items()
                                  if True in found and False not in found and area not in tests}


def result_findings(paths):
    """Result files that cannot be read, or in which no test ran."""
    for path in paths:
        try:
            if not any(True in found or False in found for found in outcomes([path]).values()):
                yield f"{path.name}: no test ran"
        except (OSError, ElementTree.ParseError) as error:
            yield f"{path.name}: {error}"


def plain_name(name):
    """The name of a test without instance and parameter: area.Instance/Suite.Case/7 is area.Suite.Case."""
    return re.sub(r"^(\w+)\.\w+/(\w+\.\w+)", r"\1.\2", name).split("/", 1)[0]


def is_current(root, name, text):
    """Whether a generated page is what its program writes."""
    page = root / name
    return page.exists() and page.read_bytes() == (text + "\n").encode()


def wrapped(text, indent=""):
    """Lines of a page's paragraph, or of an item of a list at `indent`."""
    later = f"{indent}  " if text.startswith("- ") else indent
    return textwrap.wrap(text, 120, initial_indent=indent, subsequent_indent=later, break_long_words=False,
                         break_on_hyphens=False)
