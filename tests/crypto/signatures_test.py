#!/usr/bin/env python3
"""The host's verifier accepts what OpenSSL has signed, and what the standard accepts at the edges, and nothing that is
damaged."""
import argparse
import pathlib
import subprocess
import tempfile
import unittest

import p256
import signatures
from signatures import OK, REFUSED, Case

OPTIONS = argparse.Namespace()
DIGESTS = (bytes(range(32)), bytes([0xFF]) * 32, bytes(31) + b"\1")


class Signatures(unittest.TestCase):
    """Cases in a file, answers in another."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def findings(self, cases):
        """What the verifier under test answers otherwise."""
        records, answers = self.folder / "records.bin", self.folder / "answers.bin"
        records.write_bytes(b"".join(case.record for case in cases))
        subprocess.run([str(OPTIONS.answers), str(records), str(answers)], check=True)
        return signatures.findings(cases, answers.read_bytes())

    def test_what_openssl_signs_is_accepted(self):
        for _ in range(4):
            key = signatures.OpenSslKey(self.folder)
            cases = [Case(digest.hex(), key.record(digest), OK) for digest in DIGESTS]
            self.assertEqual(self.findings(cases), [])

    def test_every_changed_bit_is_refused(self):
        record = signatures.OpenSslKey(self.folder).record(DIGESTS[0])
        bits = signatures.DIGEST_BITS + signatures.SIGNATURE_BITS + signatures.KEY_BITS
        self.assertEqual(bits, 8 * len(record))
        self.assertEqual(self.findings(signatures.flips(record, range(bits))), [])

    def test_hand_made_ones(self):
        self.assertEqual(self.findings(signatures.hand_made()), [])

    def test_random_ones(self):
        self.assertEqual(self.findings(list(signatures.random_ones(32, seed=1))), [])

    def test_hand_made_ones_are_what_the_standard_says(self):
        for case in signatures.hand_made():
            digest, signature, key = signatures.numbers_of(case.record)
            # The one exception is documented: a digest that is zero.
            expected = OK if p256.verify(digest, signature, key) and digest % p256.N != 0 else REFUSED
            with self.subTest(case=case.name):
                self.assertEqual(case.answer, expected)

    def test_a_wrong_answer_is_found(self):
        """Proof that the comparison can fail."""
        record = signatures.OpenSslKey(self.folder).record(DIGESTS[0])
        self.assertEqual(len(self.findings([Case("good", record, REFUSED)])), 1)
        self.assertEqual(len(self.findings([Case("bad", signatures.flipped(record, 0), OK)])), 1)
        self.assertEqual(len(signatures.findings([Case("good", record, OK)], b"")), 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", required=True, type=pathlib.Path, help="the program pianola_signature_answers")
    parser.parse_args(namespace=OPTIONS)
    unittest.main(argv=["signatures_test.py"], verbosity=2)
