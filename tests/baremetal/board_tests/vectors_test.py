#!/usr/bin/env python3
"""The validator on a board gives the verdicts that the host suite asks for: every damaged and every undamaged file."""
import json
import pathlib
import re
import struct
import unittest

import baremetal_support as support
from baremetal_support import OPTIONS

HEADER, TRUST, RECORD = struct.Struct("<3I52x"), struct.Struct("<I188x"), struct.Struct("<3I180x")
TRUSTS = 2
REQUIRED, OPTIONAL = 0x63C99C36, 0x9C3663C9  # SignaturePolicy
RESULT = struct.Struct("<2I2Q24s144s")
ALIGNMENT = 64
RULES = pathlib.Path(__file__).resolve().parents[3] / "runtime" / "include" / "pianola" / "rules.inc"
# No file can break the first three; the next is the host's; for the last the boards' devices have too short traces, and
# one of the host suite's own cases breaks it.
WITHOUT_MUTANT = {"AUT-COUNTER", "IMG-BOOL", "TGT-EVIDENCE", "TGT-INTERVAL", "HST-CANONICAL", "CAP-WORK"}


def text(raw):
    """A text that ends with a zero."""
    return raw.split(b"\0")[0].decode("ascii")


def results_of(raw):
    """What the board wrote, in the words of the expectations."""
    return [{
        "status": status, "offset": offset, "actual": actual, "limit": limit, "rule": text(rule), "path": text(path)
    } for status, offset, actual, limit, rule, path in RESULT.iter_unpack(raw)]


def findings(expectations, results):
    """One line for every number or text that differs."""
    if len(expectations) != len(results):
        return [f"{len(results)} results for {len(expectations)} vectors"]
    return [f"{expected['name']}: {member} is {result[member]}, not {value}"
            for expected, result in zip(expectations, results)
            for member, value in expected.items() if member != "name" and result[member] != value]


class PackTest(support.BareMetalTest):
    """A pack of vectors on this board."""
    words = ()  # for the maker of packs

    def setUp(self):
        super().setUp()
        self.pack = self.folder / "vectors.bin"
        expectations = self.folder / "vectors.json"
        support.checked(OPTIONS.vectors, self.pack, expectations, *self.words)
        self.expectations = json.loads(expectations.read_text(encoding="utf-8"))

    def validate(self, pack):
        """The board's results for a pack."""
        output = self.folder / "results.bin"
        output.unlink(missing_ok=True)
        run = support.Run("vectors", pack, output).require()
        self.assertEqual(run.values["vectors"], len(self.expectations))
        return results_of(output.read_bytes())


class Vectors(PackTest):
    """The host suite's own cases."""

    def test_every_verdict_is_the_hosts(self):
        self.assertEqual(findings(self.expectations, self.validate(self.pack)), [])
        refused = {expected["rule"] for expected in self.expectations}
        self.assertGreater(len(refused), 50, "rules with a vector")
        self.assertEqual(sum(expected["rule"] == "ACCEPTED" for expected in self.expectations), 15,
                         "accepted files: four workloads, seven with a declared parameter, three with two in a "
                         "command, one with the costs of a core")
        self.assertIn("BUD-DEADLINE: costs of a core", {expected["name"] for expected in self.expectations})
        self.assertIn("CAP-WORK", refused, "which has no mutant here")

    def test_a_changed_file_is_noticed(self):
        """Proof that the comparison can fail: one flipped bit in the first file, which was accepted, and is refused
        now."""
        pack = bytearray(self.pack.read_bytes())
        pack[HEADER.size + TRUSTS * TRUST.size + RECORD.size + ALIGNMENT * 4] ^= 1
        found = findings(self.expectations, self.validate(self.write("flipped.bin", bytes(pack))))
        self.assertTrue(found and all(line.startswith(self.expectations[0]["name"]) for line in found), found)
        self.assertTrue(any("rule is ENV-DIGEST" in line for line in found), found)


class Mutants(PackTest):
    """What the mutation kit makes of small files."""
    words = ("mutants",)

    def test_every_verdict_is_the_kits(self):
        self.assertEqual(findings(self.expectations, self.validate(self.pack)), [])
        rules = set(re.findall(r'^PIANOLA_RULE\(\w+, "([A-Z-]+)"', RULES.read_text(encoding="utf-8"), re.MULTILINE))
        self.assertEqual(rules - {expected["rule"]
                                  for expected in self.expectations}, WITHOUT_MUTANT, "every rule has a mutant")
        accepted = [expected["name"] for expected in self.expectations if expected["rule"] == "ACCEPTED"]
        self.assertTrue(accepted and all("HST-" in name for name in accepted),
                        f"accepted: the host's rule alone: {accepted}")

    def test_what_the_device_trusts_is_applied(self):
        """Proof that the board looks at the pack's trust: one that admits what is not signed accepts what has no
        signature of a listed key."""
        pack = bytearray(self.pack.read_bytes())
        policy = HEADER.size + TRUST.size
        self.assertEqual(int.from_bytes(pack[policy:policy + 4], "little"), REQUIRED)
        pack[policy:policy + 4] = OPTIONAL.to_bytes(4, "little")
        found = findings(self.expectations, self.validate(self.write("optional.bin", bytes(pack))))
        names = {line.split(": ")[0].split(", ")[1] for line in found}
        self.assertEqual({name
                          for name in names if not name.startswith("resealed.")},
                         {"AUT-KEY.renamed", "AUT-KEY.stranger", "AUT-UNSIGNED.no-signature"})
        self.assertTrue(any("AUT-UNSIGNED.no-signature: rule is ACCEPTED" in line for line in found), found)


class Findings(unittest.TestCase):
    """Proof that a missing or different result is found."""

    def test_they_are_found(self):
        expected = {"name": "x", "status": 1, "rule": "A", "path": "p", "offset": 2, "actual": 3, "limit": 4}
        same = {member: value for member, value in expected.items() if member != "name"}
        self.assertEqual(findings([expected], [same]), [])
        self.assertEqual(len(findings([expected], [])), 1)
        for member, value in same.items():
            other = {**same, member: value + 1 if isinstance(value, int) else value + "x"}
            self.assertEqual(len(findings([expected], [other])), 1, member)


if __name__ == "__main__":
    support.parse(("--vectors", {"required": True}))
    support.main()
