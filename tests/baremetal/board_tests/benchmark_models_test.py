#!/usr/bin/env python3
"""Models of the benchmark on a board, with toolchains/run_benchmark.py as the host: each has that benchmark's form of
input and results, and outputs equal the interpreter's goldens.
"""
import math
import random
import struct
from fractions import Fraction

import baremetal_support as support
from baremetal_support import OPTIONS
import benchmark_test
import run_benchmark

# Between two steps of the scale of ad01's input, halfway, and on one.
ORDINARY = [0.391015232 * (number / 8) for number in range(-12, 13)]
MOST = 4  # records of a model


class Models(benchmark_test.HostTest):
    """The images of benchmark_image.cmake."""

    def test_models(self):
        for name in ("kws_ref_model", "ad01_int8", "pretrainedResnet_quant", "vww_96_int8"):
            with self.subTest(model=name):
                image = self.image_of(name)
                report = self.report("--records", OPTIONS.models / name, "--windows", 1, "--iterations", 1, "--warmups",
                                     0, "--most", MOST, image=image)
                self.assertEqual(report["accuracy"]["records"], MOST)
                self.assertEqual(report["accuracy"]["compared_with_goldens"], MOST)
                self.assertEqual(report["accuracy"]["different"], [])

    def image_of(self, name):
        """The image with a model; the case is skipped where there is none."""
        for pair in OPTIONS.model_image:
            model, _, image = pair.partition("=")
            if model == name:
                return image
        return self.skipTest("no models when the build was configured")

    def test_inference_that_misses_its_deadline(self):
        failed = ["m-warmup-start-0", "m-warmup-done", "m-infer-start-1", "m-[Safe state]",
                  "e-[Inference failed: reset the device]"]
        with benchmark_test.device(self.image_of("late")) as dut:
            dut.load(bytes(3072))
            self.assertEqual(dut.write(b"infer 1 0%"), failed)
            self.assertEqual(dut.write(b"results%"), ["e-[No inference has completed]"])
            # The fault is latched: no second safe state, and no result.
            self.assertEqual(dut.write(b"infer 1 0%"), failed[:3] + failed[4:])

    def test_reals(self):
        """ad01 takes float32: rounded, kept within int8, and never a trap."""
        image = self.image_of("ad01_int8")
        model = self.model("ad01_int8")
        rng = random.Random(1)
        with benchmark_test.device(image) as dut:
            identity = run_benchmark.Identity(dut)
            source, goal = identity.inputs[0], identity.outputs[0]
            step = Fraction(source.scale)
            for case, special in enumerate((ORDINARY, [1e9, -1e9, 3e38, -3e38], [1e-30, -1e-45, 0.0, -0.0])):
                values = [run_benchmark.float32(rng.uniform(-100, 40)) for _ in range(source.elements)]
                values[:len(special)] = map(run_benchmark.float32, special)
                steps = [Fraction(value) / step for value in values]
                away = [math.floor(abs(each) + Fraction(1, 2)) * (1 if each >= 0 else -1) for each in steps]
                stored = self.write(f"input_{case}", struct.pack("640b", *(
                    max(-128, min(127, each + source.zero_point)) for each in away)))
                output = self.folder / f"output_{case}"
                support.checked(OPTIONS.pianola, "run", model.file, "--input", stored, "--output", output)
                dut.load(struct.pack("<640f", *values))
                kept = [max(-2048.0, min(2048.0, value)) for value in values]
                error, bound = run_benchmark.squares(kept, goal.real(output.read_bytes()))
                self.assertLessEqual(abs(dut.infer(1).results[0] - error), bound)
            dut.load(struct.pack("<640f", *([math.nan, math.inf, -math.inf] * 213 + [1.0])))
            self.assertEqual(len(dut.infer(1).results), 1)


if __name__ == "__main__":
    support.parse(("--model-image", {"action": "append", "default": [], "metavar": "MODEL=IMAGE"}))
    support.main()
