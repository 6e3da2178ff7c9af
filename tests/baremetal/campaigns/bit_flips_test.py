#!/usr/bin/env python3
"""A sample of the bit flips on a board (bit_flips.py, docs/evidence/campaigns.md): none releases a wrong output, and
the judge can tell one."""
import types
import unittest

import baremetal_support as support
import bit_flips
from baremetal_support import OPTIONS

SEED = 1
SAMPLES = 60
# Flips of these that nobody notices change nothing: the device's clock is not part of a result.
NEVER_NOTICED = ("doorbell times",)
# Enough that some of them show in the outputs.
PROOF_SAMPLES = 60


def options(**changes):
    """Of a campaign, as its command line would give them."""
    return types.SimpleNamespace(
        **{"samples": SAMPLES, "every": False, "seed": SEED, "shard": (1, 1), "region": None, **changes})


class BitFlips(support.BareMetalTest):
    """One board, some hundred flips."""

    def campaign(self, chosen, release="verified"):
        """The reports by region."""
        bench = bit_flips.Bench(OPTIONS.board, OPTIONS.image, OPTIONS.pianola, OPTIONS.sample, self.folder, release)
        self.addCleanup(bench.close)
        reports = bit_flips.campaign(bench, chosen, print)
        return {report.region: report for report in reports}

    def test_no_flip_releases_a_wrong_output(self):
        reports = self.campaign(options())
        self.assertEqual(set(reports), set(bit_flips.REQUIRED))
        for region, report in reports.items():
            with self.subTest(region=region):
                self.assertEqual(report.wrong, [])
                self.assertEqual(sum(report.counts.values()) + report.missed, SAMPLES)
                self.assertLessEqual(report.missed, SAMPLES // 10, "moments that did not come")
                if region not in NEVER_NOTICED:
                    self.assertGreater(report.counts["detected"], 0, "flips are noticed at all")

    def test_without_verification_flips_are_silent(self):
        """Proof that wrong outputs are told: released at completion, damaged weights show in them and nobody
        notices."""
        report = self.campaign(options(samples=PROOF_SAMPLES, region=["weights"]), "completion")["weights"]
        self.assertGreater(report.counts["silent"], 0)
        self.assertEqual(len(report.wrong), report.counts["silent"] + report.counts["hung"])


class Plans(unittest.TestCase):
    """What is tried is a seed's, and shards divide it."""

    MOMENTS = [bit_flips.Moment(1 + k % 3, k, k % len(bit_flips.PHASES), k % 2, k % 5 == 0) for k in range(120)]

    def plan(self, region="weights", **changes):
        """The trials of a region of ten bytes."""
        bench = types.SimpleNamespace(moments=self.MOMENTS, bytes_of=lambda _: 10)
        return bit_flips.plan(bench, region, options(**changes))

    def test_a_seed_is_a_plan(self):
        self.assertEqual(self.plan(), self.plan())
        self.assertNotEqual(self.plan(), self.plan(seed=SEED + 1))

    def test_shards_are_the_whole(self):
        shards = [self.plan(shard=(part, 3)) for part in (1, 2, 3)]
        self.assertEqual(sorted(trial for shard in shards for trial in shard), sorted(self.plan()))

    def test_every_bit_in_every_phase(self):
        trials = self.plan(every=True)
        groups = {(moment.phase, moment.step) for moment in self.MOMENTS if bit_flips.PHASES[moment.phase] != "over"}
        tried = {(trial.byte, trial.bit, trial.moment.phase, trial.moment.step) for trial in trials}
        self.assertEqual((len(tried), len(trials)), (80 * len(groups), 80 * len(groups)))

    def test_a_session_is_sealed_between_its_calls(self):
        self.assertTrue(all(not trial.moment.inside for trial in self.plan("session state")))
        self.assertTrue(all(trial.moment.inside for trial in self.plan("session state, in a call")))


if __name__ == "__main__":
    support.parse()
    support.main()
