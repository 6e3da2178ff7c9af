#!/usr/bin/env python3
"""The conformance kit for ports on a board's own driver, device cores and platform: docs/guide/porting.md."""
import re

import baremetal_support as support

# What the test application does not offer: its platform has no counter, the device's digest leaves arguments to the
# scrub, and no board has a unit that computes digests.
NOT_OFFERED = {
    "PORT-COUNTER-RAISE",
    "PORT-DIGEST-ARGUMENTS",
    "PORT-ENGINE-BEGIN",
    "PORT-ENGINE-DIGEST",
    "PORT-ENGINE-LONG",
    "PORT-ENGINE-PIECES",
}


class Conformance(support.BareMetalTest):
    """Every check passes, but for those that are not offered."""

    def conform(self, icount):
        """One run of the whole kit."""
        run = support.Run("conformance", icount=icount)
        failed = [line for line in run.output.splitlines() if line.startswith("FAILED")]
        self.assertEqual(failed, [])
        run.require()
        self.assertEqual(set(re.findall(r"^not offered +([A-Z-]+):", run.output, re.MULTILINE)), NOT_OFFERED)
        passed = set(re.findall(r"^passed +([A-Z-]+):", run.output, re.MULTILINE))
        self.assertIn(f"conformance: {len(passed)} passed, 0 failed, {len(NOT_OFFERED)} not offered", run.output)
        self.assertGreater(len(passed), 80)

    def test_with_counted_instructions(self):
        self.conform(icount=True)

    def test_in_parallel(self):
        self.conform(icount=False)


if __name__ == "__main__":
    support.parse()
    support.main()
