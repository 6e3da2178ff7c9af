#!/usr/bin/env python3
"""A build of the validator for 32 bits says of every file what the one for 64 bits says: the same verdict, rule, field
and byte, wherever in memory the file lies.

Usage: widths_test.py --wide PROGRAM [--narrow PROGRAM --loose PROGRAM] ... (see CMakeLists.txt). Exit code 77 where
there is no program for 32 bits, or none can run.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

import compare
from compare import SKIPPED

OPTIONS = argparse.Namespace()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
MUTANTS = 60000  # some seconds


class Widths(unittest.TestCase):
    """The two builds beside each other."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.programs = (OPTIONS.wide, OPTIONS.narrow)
        subprocess.run([OPTIONS.seeds, cls.folder / "seeds"], check=True, capture_output=True)
        cls.accepted = sorted((cls.folder / "seeds/manifest").glob("*.ptb"))

    def assert_same(self, *words):
        """Runs both, and returns the lines that both print."""
        wide, narrow = (compare.lines_of(program, *words) for program in self.programs)
        self.assertIsNone(compare.difference(wide, narrow), f"{words[0]}: 64 and 32 bits differ")
        self.assertEqual([line for line in wide if "depends on the address" in line], [])
        return wide

    def test_vectors(self):
        """Every rule's cases, the binaries that are accepted, and mutants: what boards are given too."""
        judged = []
        for words in ((), ("mutants",), ("meshes",)):
            pack = self.folder / f"vectors{len(judged)}.pack"
            subprocess.run([OPTIONS.vectors, pack, pack.with_suffix(".json"), *words], check=True, capture_output=True)
            judged += [line.split()[1] for line in self.assert_same("pack", pack)]
        self.assertGreater(len(judged), 500)
        self.assertGreater(len(set(judged)), 80)

    def test_kept_files(self):
        """Frozen binaries, what fuzzers found, and seeds of fuzzers."""
        files = [path for folder in ("tests/frozen", "tests/fuzz/regressions") for path in (SOURCE / folder).rglob("*")
                 if path.is_file()]
        files += sorted(path for path in (self.folder / "seeds").rglob("*") if path.is_file())
        self.assertGreater(len(files), 30)
        accepted = [line for line in self.assert_same("files", *files) if line.endswith(" accepted")]
        self.assertGreaterEqual(len(accepted), len(self.accepted))

    def test_mutants_of_the_kit(self):
        binary, folder = self.folder / "captured.ptb", self.folder / "mutants"
        subprocess.run([OPTIONS.capture, binary], check=True, capture_output=True)
        subprocess.run([OPTIONS.pianola, "mutate", binary, "-o", folder, "--count", "100"], check=True,
                       capture_output=True)
        files = sorted(folder.glob("*.ptb"))
        self.assertGreater(len(files), 400)
        self.assert_same("files", binary, *files)

    def test_offsets_that_wrap_round(self):
        """Every element of every list of tables or names, led to a copy of itself in front of it by an offset near
        2^32. The program fails where the files leave out a list of the schema."""
        lines = self.assert_same("wraps", *self.accepted)
        self.assertGreater(len(lines), 200)
        self.assertEqual([line for line in lines if ": IMG-STRUCTURE " not in line], [])

    def test_mutants_of_the_structure(self):
        found, tally = compare.differing_mutant(self.programs, 1, MUTANTS, self.accepted)
        self.assertIsNone(found)
        self.assertEqual(sum(tally.values()), MUTANTS)
        self.assertNotIn("the", tally, "a verdict depends on the address")
        self.assertGreater(tally["accepted"], MUTANTS // 100)
        self.assertGreater(tally["IMG-STRUCTURE"], MUTANTS // 2)
        self.assertGreater(len(tally), 30)

    def test_finds_a_check_that_is_left_out(self):
        """A program that follows the offsets of lists of tables as FlatBuffers does."""
        wide, loose = (compare.lines_of(program, "wraps", *self.accepted) for program in (OPTIONS.wide, OPTIONS.loose))
        self.assertIsNotNone(compare.difference(wide, loose))
        tables = [pair for pair in zip(wide, loose) if not pair[0].startswith("probe names ")]
        self.assertGreater(len(tables), 200)
        self.assertEqual([pair for pair in tables if "IMG-STRUCTURE" in pair[1]], [])
        found, _ = compare.differing_mutant((OPTIONS.wide, OPTIONS.loose), 1, MUTANTS, self.accepted)
        number = found[0].split()[0]
        self.assertEqual(number, found[1].split()[0])
        mutant = self.folder / "mutant.ptb"
        compare.lines_of(OPTIONS.wide, "write", 1, number, mutant, *self.accepted)
        if not found[0].split()[1] == "probe":
            verdicts = [compare.lines_of(program, "files", mutant) for program in (OPTIONS.wide, OPTIONS.loose)]
            self.assertIsNotNone(compare.difference(*verdicts))


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("wide", "seeds", "vectors", "capture", "pianola"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    for name in ("narrow", "loose"):
        parser.add_argument(f"--{name}", type=pathlib.Path)
    parser.parse_args(namespace=OPTIONS)
    if OPTIONS.narrow is None:
        print("skipped: the compiler makes no programs of 32 bits here; the package g++-multilib lets it")
        return SKIPPED
    try:
        compare.lines_of(OPTIONS.narrow, "files")
    except compare.CannotRun as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
