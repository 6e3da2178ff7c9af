#!/usr/bin/env python3
"""What an inference and a load cost the ECU core, in instructions, against thresholds.json.

Counted are instructions of the ECU core that are its own work: not those of waiting for the device, nor those of a
device that shares the core. How that is told apart is said in counted.h and count_test.cpp.
"""
import json
import pathlib
import unittest

import baremetal_support as support
import instruction_counts

THRESHOLDS = json.loads(
    (pathlib.Path(__file__).resolve().parents[1] / "thresholds.json").read_text(encoding="utf-8"))["instructions"]
SHORT_MODEL, LONG_MODEL, LOADED_MODEL = "hello_world_int8", "vww_96_int8", "kws_ref_model"
REPETITIONS = 5


class InstructionCounts(support.BareMetalTest):
    """Thresholds, and that counts repeat."""

    def counts(self, name):
        """Counts of a model; the histograms stay in the case's folder."""
        counts = instruction_counts.measure(self.model(name), self.folder)
        text = ["load", *instruction_counts.histogram(counts.load)]
        text += ["last inference", *instruction_counts.histogram(counts.inferences[-1])]
        text += ["last inference, verified", *instruction_counts.histogram(counts.verified[-1])]
        (self.folder / f"{name}.histogram.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
        print(f"{name}: validation {instruction_counts.without_digest(counts.validation)} without digest, "
              f"load {counts.load.total}, of that digest {counts.load.of_layer('digest')}, with an engine "
              f"{counts.load_with_engine.total}; "
              f"inferences {[inference.total for inference in counts.inferences]}, "
              f"verified release {counts.release}, {counts.per_slice} for each of {counts.slices} slices, "
              f"within an interval {counts.share}")
        return counts

    def test_an_inference_is_cheap_and_does_not_depend_on_the_trace(self):
        short, long = (max(i.total for i in self.counts(name).inferences) for name in (SHORT_MODEL, LONG_MODEL))
        self.assertLessEqual(max(short, long), THRESHOLDS["inference"][support.board().architecture])
        self.assertLessEqual(abs(long - short) / short, THRESHOLDS["inference_spread"])

    def test_load_and_validation(self):
        counts = self.counts(LOADED_MODEL)
        architecture = support.board().architecture
        for section, limit in ((counts.validation, "validation_without_digest"), (counts.load, "load_without_digest")):
            self.assertGreater(section.of_layer("digest"), 0, "the digest was not seen")
            self.assertLessEqual(instruction_counts.without_digest(section), THRESHOLDS[limit][architecture])
        self.assertLessEqual(counts.load.total, THRESHOLDS["load"][architecture])
        self.assertLess(counts.load_with_engine.of_layer("digest"), counts.load.of_layer("digest") // 40,
                        "the engine's work was counted")
        self.assertLessEqual(counts.load_with_engine.total, THRESHOLDS["load_with_engine"][architecture])

    def test_verified_release(self):
        architecture = support.board().architecture
        for model, limits in THRESHOLDS["verified_release"].items():
            counts = self.counts(model)
            self.assertGreater(counts.per_slice, 0)
            self.assertLessEqual(counts.per_slice, THRESHOLDS["verified_release_per_slice"][architecture])
            self.assertLessEqual(counts.release, limits[architecture])
            self.assertLessEqual(counts.share, THRESHOLDS["release_within_interval"][model][architecture])
            self.assertGreaterEqual(counts.share * 8, counts.release, "eight steps share a verification")

    def test_counts_repeat(self):
        first, *others = (self.counts(LOADED_MODEL).numbers() for _ in range(REPETITIONS))
        for other in others:
            self.assertEqual(other, first)


if __name__ == "__main__":
    support.parse(("--plugin", {"required": True, "type": pathlib.Path}))
    unittest.TestCase.maxDiff = None
    support.main()
