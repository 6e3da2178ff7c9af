#!/usr/bin/env python3
"""pianola run on a Vulkan device: each of its options works as on the simulator, or is refused by name."""
import json
import os
import re

import cli_support
from cli_support import DONE, REFUSED, USAGE

DEVICE = f"vulkan:{os.environ.get('PIANOLA_VULKAN_DEVICE', 0)}"
MODEL = "kws_ref_model"
RECORDS = 3
HERE = ("--device", DEVICE)


class RunOnVulkan(cli_support.CliTest):
    """Outputs are compared with goldens, or with those of the simulator."""

    def setUp(self):
        super().setUp()
        listed = json.loads(self.run_pianola("devices", "--json").stdout)["devices"]
        if not any(entry["device"] == DEVICE and not entry["missing"] for entry in listed if "missing" in entry):
            self.skipTest(f"there is no {DEVICE}")

    def tensor(self, kind, record):
        """One tensor of a record, as a file's name."""
        return cli_support.OPTIONS.models / MODEL / f"{kind}_{record}_0.bin"

    def batch(self):
        """Records in one file, and their goldens."""
        return (self.write("batch.bin", b"".join(self.tensor("input", i).read_bytes() for i in range(RECORDS))),
                b"".join(self.tensor("golden", i).read_bytes() for i in range(RECORDS)))

    def same_as_on_the_simulator(self, binary, shown, *options, records=1):
        """Whether a run there is as one here; gives the outputs."""
        arguments = ["--batch"] if records > 1 else []
        for i, tensor in enumerate(shown["inputs"]):
            data = bytes((37 * k + 11 * i) % 251 for k in range(records * tensor["bytes"]))
            arguments += ["--input", self.write(f"in{i}.bin", data)]
        outputs = [self.folder / f"out{i}.bin" for i in range(len(shown["outputs"]))]
        for output in outputs:
            arguments += ["--output", output]
        results = []
        for where in ((), HERE):
            self.run_pianola("run", binary, *arguments, *options, *where)
            results.append([output.read_bytes() for output in outputs])
            for output in outputs:
                output.unlink()
        self.assertEqual(results[1], results[0], (binary.name, options))
        return results[1]

    # Each option: what it is given, and how it ends. Golden: outputs are the model's.
    GOLDEN = object()
    TABLE = {
        "--input": ((), GOLDEN), "--output": ((), GOLDEN),
        "--repeat": (("--repeat", 3), GOLDEN),
        "--batch": (("--batch",), GOLDEN),
        "--views": (("--views",), GOLDEN),
        "--self-test": (("--self-test",), GOLDEN),
        "--json": (("--json",), GOLDEN),
        "--set": (("--set", "gain=1"), "the binary declares no parameter gain"),  # those that it has: below
        "--device": ((), GOLDEN),
        "--threaded": (("--threaded",), "no simulator with a thread per queue"),
        "--check-accesses": (("--check-accesses",), "no simulator that checks accesses"),
        "--log": (("--log", "log.bin"), "on a Vulkan device the target of device family"),
        "--jobs": (("--jobs", "2"), "is one device"),
        "--plugin": (("--plugin", "no_such_target.so"), "no_such_target.so"),
    }

    def test_every_option(self):
        text = self.run_pianola("run", "--help").stdout
        self.assertEqual(set(re.findall(r"(?m)^ +(?:-\w,)?(--[\w-]+)", text)) - {"--help"}, set(self.TABLE))
        binary = self.capture(MODEL, "--self-test", "2")
        batch, of_batch = self.batch()
        for name, (words, end) in self.TABLE.items():
            is_batch = "--batch" in words
            call = ("run", binary, "--input", batch if is_batch else self.tensor("input", 0), "--output", "out.bin",
                    *words, *HERE)
            if end is self.GOLDEN:
                run = self.run_pianola(*call)
                golden = of_batch if is_batch else self.tensor("golden", 0).read_bytes()
                self.assertEqual((self.folder / "out.bin").read_bytes(), golden, name)
                (self.folder / "out.bin").unlink()
                if name == "--json":
                    report = json.loads(run.stdout)
                    self.assertIsNone(report["cycles"], "a Vulkan device has no device time")
                    self.assertEqual((report["records"], report["steps"]), (1, 1))
                elif name == "--self-test":
                    self.assertIn("2 self-tests passed", run.stdout)
                else:
                    self.assertIn(f"{DEVICE} has no device time", run.stdout)
            else:
                run = self.run_pianola(*call, code=None)
                self.assertNotIn(run.returncode, (DONE, REFUSED), name)
                self.assertIn(end, run.stderr)
                self.assertFalse((self.folder / "out.bin").exists(), name)
                self.assertFalse((self.folder / "log.bin").exists(), name)

    def test_steps_that_overlap(self):
        batch, golden = self.batch()
        binary = self.capture(MODEL, "--queues", "2", "--pipelined", "--in-flight", "3")
        self.run_pianola("run", binary, "--input", batch, "--output", "out.bin", "--batch", *HERE)
        self.assertEqual((self.folder / "out.bin").read_bytes(), golden)
        refused = self.run_pianola("run", binary, "--input", self.tensor("input", 0), "--output", "out.bin", "--views",
                                   *HERE, code=USAGE)
        self.assertIn("steps overlap", refused.stderr)

    def test_parameters_and_scripts_of_random_binaries(self):
        binaries, _ = self.random_binaries(60)
        seen = set()
        for binary, shown in binaries:
            scripts = {script["kind"] for script in shown["scripts"]}
            kinds = (bool(shown["parameters"]), "prologue" in scripts, "epilogue" in scripts)
            if kinds in seen:
                continue
            seen.add(kinds)
            captured = self.same_as_on_the_simulator(binary, shown, records=2)
            for parameter in shown["parameters"][:1]:
                step = parameter["alignment"]
                first = -(-parameter["minimum"] // step) * step
                self.same_as_on_the_simulator(binary, shown, "--set", f"{parameter['name']}={first}", records=2)
            self.assertTrue(captured)
        self.assertGreater(len(seen), 3)
        self.assertTrue(any(has_parameters for has_parameters, *_ in seen))

    def test_meshes_of_two(self):
        binaries, _ = self.random_binaries(6, mesh=(1, 2))
        self.assertGreater(len(binaries), 2)
        for binary, shown in binaries[:3]:
            self.same_as_on_the_simulator(binary, shown, records=2)

    def test_commands_that_execute_nothing_there(self):
        binary = self.capture()
        calls = {"verify": (), "size": (), "perf": (), "timeline": ("-o", "timeline.json"), "embed": ("-o", "a.c"),
                 "mutate": ("-o", "mutants"), "decompile": ("--against", self.model("hello_world_int8")),
                 "capture": ("-o", "other.ptb")}
        for command, more in calls.items():
            file = self.model("hello_world_int8") if command == "capture" else binary
            run = self.run_pianola(command, file, *more, *HERE, code=USAGE)
            self.assertIn(f"--device {DEVICE}: only `pianola run` executes on a Vulkan device", run.stderr)
        self.assert_no_leftovers(binary.name)

    def test_a_device_that_there_is_not(self):
        run = self.run_pianola("run", self.capture(), "--device", "vulkan:999", code=USAGE)
        self.assertIn("vulkan:999 can not be opened; missing: ", run.stderr)


if __name__ == "__main__":
    cli_support.main()
