#!/usr/bin/env python3
"""The verifier on a board gives the answers that tests/crypto asks of the host's: OpenSSL's signatures hold, damaged
ones do not."""
import baremetal_support as support
import signatures
import stack_bounds
from baremetal_support import OPTIONS
from signatures import OK, REFUSED, Case

DIGEST = bytes(range(32))
# A bit of every fourth byte of digest, signature and key, another one each time; the host's test changes every bit.
FLIPPED_BITS = [32 * word + word % 32 for word in range(8 * signatures.RECORD_BYTES // 32)]


class Signatures(support.BareMetalTest):
    """Cases in a file, answers in another."""

    def ask(self, cases):
        """(what the board answers otherwise, what it reported)."""
        records = self.write("records.bin", b"".join(case.record for case in cases))
        answers = self.folder / "answers.bin"
        answers.unlink(missing_ok=True)
        run = support.Run("signature", records, answers).require()
        self.assertEqual(run.values["signatures"], len(cases))
        return signatures.findings(cases, answers.read_bytes()), run.values

    def test_what_openssl_signs_is_accepted_and_what_was_changed_is_not(self):
        record = signatures.OpenSslKey(self.folder).record(DIGEST)
        cases = [Case("signed", record, OK), *signatures.flips(record, FLIPPED_BITS)]
        found, values = self.ask(cases)
        self.assertEqual(found, [])
        bound = stack_bounds.bounds(OPTIONS.objects[0])["verify"]
        # Unlike other calls', this bound leaves no room by itself: the deepest chain is one that every signature takes.
        interrupt = stack_bounds.interrupt_bound(OPTIONS.objects[0])
        print(f"verify used {values['verify_stack']} of {bound} + {interrupt} bytes of stack")
        self.assertGreater(values["verify_stack"], 0)
        self.assertLessEqual(values["verify_stack"], bound + interrupt)

    def test_hand_made_ones(self):
        self.assertEqual(self.ask(signatures.hand_made())[0], [])

    def test_a_wrong_answer_is_found(self):
        """Proof that the comparison can fail."""
        record = signatures.OpenSslKey(self.folder).record(DIGEST)
        found, _ = self.ask([Case("signed", record, REFUSED), Case("changed", signatures.flipped(record, 0), OK)])
        self.assertEqual(len(found), 2)


if __name__ == "__main__":
    support.parse(("--objects", {"required": True, "type": support.pathlib.Path, "nargs": 2}))
    support.main()
