#!/usr/bin/env python3
"""The conformance kit for ports on the engine of zynq_a9, its driver and the board's platform: docs/guide/porting.md,
docs/reference/pl330.md.
"""
import re

import baremetal_support as support

# Each leaves an assumption of use; docs/reference/pl330.md says why.
NO_REGIONS = {
    "PORT-REGION-ALL",
    "PORT-REGION-HONEST",
    "PORT-REGION-KERNEL-READ",
    "PORT-REGION-KERNEL-WRITE",
    "PORT-BIND-HONEST",
}
NO_DIGEST = {
    "PORT-DIGEST-ARGUMENTS",
    "PORT-DIGEST-DEVICE",
    "PORT-DIGEST-EXECUTED",
    "PORT-DIGEST-PATCH",
    "PORT-DIGEST-TRACE",
    "PORT-DIGEST-WORDS",
    "PORT-RESET-DIGEST",
}
NO_COUNT = {"PORT-COMPLETION-PROGRESS", "PORT-COUNT-WIDE"}
NO_COSTS = {"PORT-COST", "PORT-COST-QUEUE"}
NO_COUNTER = {"PORT-COUNTER-RAISE"}  # of the test application's platform
NO_ENGINE = {"PORT-ENGINE-BEGIN", "PORT-ENGINE-DIGEST", "PORT-ENGINE-LONG", "PORT-ENGINE-PIECES"}
NO_KERNELS = {"PORT-KERNELS"}
NO_FILE = {"PORT-FILE-EXTENT", "PORT-FILE-READ", "PORT-FILE-REPORT", "PORT-FILE-WRITE"}  # no file window
LEAST_PASSED = 70


class Conformance(support.BareMetalTest):
    """Every check passes, or is not offered."""

    def test_conformance(self):
        run = support.Run("conformance")
        self.assertEqual([line for line in run.output.splitlines() if line.startswith("FAILED")], [])
        run.require()
        left_out = dict(re.findall(r"^not offered +([A-Z-]+): (.*)$", run.output, re.MULTILINE))
        self.assertEqual(set(left_out), NO_REGIONS | NO_DIGEST | NO_COUNT | NO_COSTS | NO_COUNTER | NO_ENGINE |
                         NO_KERNELS | NO_FILE)
        for name, text in left_out.items():
            self.assertIn("; assumed: ", text, name)
        passed = set(re.findall(r"^passed +([A-Z-]+):", run.output, re.MULTILINE))
        self.assertIn(f"conformance: {len(passed)} passed, 0 failed, {len(left_out)} not offered", run.output)
        self.assertGreaterEqual(len(passed), LEAST_PASSED)


if __name__ == "__main__":
    support.parse()
    support.main()
