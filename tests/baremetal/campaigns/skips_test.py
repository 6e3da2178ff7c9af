#!/usr/bin/env python3
"""A seeded sample of the campaign of skipped instructions, and the proof that it sees a start. The whole campaign:
docs/evidence/campaigns.md."""
import argparse
import sys

import baremetal_support as support
import skip_binaries
import skip_board
import skips
from baremetal_support import OPTIONS
from skip_board import Skip, SkipBoard

SAMPLE = 20  # skips of every binary and width
DECIDING = ("authenticate", "validate", "check_signature", "WeakLoader")


class Skips(support.BareMetalTest):
    """One board, one skip per run."""

    def test_nothing_starts(self):
        options = argparse.Namespace(
            **{
                **vars(OPTIONS), "work": self.folder, "seed": 1, "sample": SAMPLE, "shard": (
                    1, 1), "binary": None, "function": None
            })
        results = skips.campaign(options)
        self.assertTrue(skips.report(results))
        self.assertGreater(len(results["binaries"]), 8, "binaries that must be refused")
        for binary in results["binaries"]:
            self.assertEqual(sorted(binary["widths"]), ["1", "2", "4"], binary["name"])

    def test_the_counter_is_read_for_certain(self):
        """Every skip where the platform's counter is read. One of them started an older binary while a single read
        decided."""
        options = argparse.Namespace(
            **{
                **vars(OPTIONS), "work": self.folder, "seed": 1, "sample": None, "shard": (
                    1, 1), "binary": ["too old"], "function": ["Platform::", "::validate_twice"]
            })
        self.assertTrue(skips.report(skips.campaign(options)))

    def test_a_start_is_seen(self):
        """Proof that the campaign can fail: where one branch decides, a skip of it starts the device."""
        target = skip_binaries.all_targets(self.folder, OPTIONS.vectors, OPTIONS.pianola)["weak loader: bad signature"]
        table = skip_board.functions(OPTIONS.image)
        with SkipBoard(OPTIONS.board, OPTIONS.image, target, self.folder / "skip", OPTIONS.plugin) as board:
            self.assertFalse(board.clean.started)
            points = [
                point for point in board.skippable()
                if any(name in skips.name_of(point.address, table) for name in DECIDING)
            ]
            _, findings = skips.run_target(board, [Skip(point.address, 1, 1) for point in points if point.count <= 2],
                                           table)
        started = [finding["at"] for finding in findings if finding["outcome"] == "silent"]
        print(f"{len(started)} of {len(points)} skips start the device: {started}", file=sys.stderr)
        self.assertTrue(started)

    def test_state_of_it_blocks(self):
        """ITAdvance(): the mask moves up, the condition stays, and behind the last there is no block."""
        state = (0x0B & 0xFC) << 8 | (0x0B & 0x03) << 25  # condition 0
        after = skip_board.advanced(state)
        self.assertEqual((after >> 8 & 0xFC) | (after >> 25 & 3), 0x16)
        self.assertEqual(skip_board.advanced(0x0100_0000 | 0x08 << 8), 0x0100_0000, "the last of a block")
        self.assertEqual(skip_board.advanced(0x6100_0000), 0x6100_0000, "no block")


if __name__ == "__main__":
    support.parse(("--vectors", {"required": True, "type": support.pathlib.Path}),
                  ("--plugin", {"required": True, "type": support.pathlib.Path}))
    support.main()
