#!/usr/bin/env python3
"""The ECU core's protection unit, set up from the memory manifest: a slot replays behind it, and reaches nothing of
another slot."""
import json

import baremetal_support as support
from baremetal_support import OPTIONS


class Protection(support.BareMetalTest):
    """Two slots, of which one runs at a time."""

    def windows(self, file):
        """The manifest, and the window sizes of session and flash: exact, and as powers of two."""
        manifest = json.loads(support.checked(OPTIONS.pianola, "size", file, "--json"))
        windows = manifest["windows"]
        named = {window["name"]: window for window in windows} if isinstance(windows, list) else windows
        return manifest, [named[name][size] for name in ("Session", "Flash") for size in ("bytes", "pow2_bytes")]

    def binary(self):
        """The sample with self-tests, which both slots replay."""
        model = self.model(support.SAMPLE)
        file = self.folder / "self_tests.ptb"
        support.checked(OPTIONS.pianola, "capture", model.source, "-o", file, "--self-test", "2", "--device",
                        support.DEVICE, "--deadline-us", support.DEADLINE_US, "--setup-deadline-us",
                        support.DEADLINE_US)
        return file

    def test_a_slot_is_closed_to_the_other(self):
        file = self.binary()
        manifest, sizes = self.windows(file)
        run = support.Run("protection", file, *sizes).require()
        self.assertEqual(run.values["session_bytes"], manifest["ram"]["session_bytes"],
                         "the manifest's figure is exact")
        self.assertIn(run.values["window_bytes"], sizes[:2])
        self.assertEqual(run.values["wrong_count"], 0)
        self.assertGreater(run.values["right"], 40)
        self.assertEqual(run.values["replays"], 2)

    def test_without_the_unit_strays_succeed(self):
        """Proof that the test can fail: nothing is refused, and the damage is found."""
        file = self.binary()
        run = support.Run("protection", file, *self.windows(file)[1], "off").require(1)
        self.assertGreater(run.values["wrong_count"], 20)


if __name__ == "__main__":
    support.parse()
    support.main()
