#!/usr/bin/env python3
"""pianola run: golden outputs, records, self-tests, and what goes wrong."""
import collections
import json

import cli_support
from cli_support import DONE, FAULT, FILE_TROUBLE, OPTIONS, REFUSED, USAGE, checked, sealed

MODEL = "kws_ref_model"
RECORDS = 9


class Run(cli_support.CliTest):
    """Replays on the simulator."""

    def tensor(self, kind, record):
        """One tensor of a record, as a file's name."""
        return OPTIONS.models / MODEL / f"{kind}_{record}_0.bin"

    def test_every_record_gives_its_golden(self):
        for options in ((), ("--threaded",), ("--check-accesses",), ("--views",), ("--views", "--threaded")):
            for queues in ("1", "2"):
                binary = self.capture(MODEL, "--queues", queues)
                for record in range(RECORDS if not options else 1):
                    self.run_pianola("run", binary, "--input", self.tensor("input", record), "--output", "out.bin",
                                     *options)
                    self.assertEqual((self.folder / "out.bin").read_bytes(), self.tensor("golden", record).read_bytes())

    def test_views_that_are_not_there(self):
        binary = self.capture(MODEL, "--queues", "2", "--pipelined")
        run = self.run_pianola("run", binary, "--input", self.tensor("input", 0), "--output", "out.bin", "--views",
                               code=USAGE)
        self.assertIn("can not be replayed with --views: steps overlap", run.stderr)

    def test_a_batch_is_all_records_one_after_another(self):
        binary = self.capture(MODEL)
        batch = self.write("batch.bin", b"".join(self.tensor("input", i).read_bytes() for i in range(RECORDS)))
        report = json.loads(
            self.run_pianola("run", binary, "--input", batch, "--output", "out.bin", "--batch", "--repeat", "3",
                             "--json").stdout)
        self.assertEqual(sorted(report),
                         ["cycles", "outputs", "records", "repeat", "schema_version", "self_tests_passed",
                          "step_cycles", "steps"])
        self.assertEqual((report["records"], report["repeat"], report["steps"]), (RECORDS, 3, 3 * RECORDS))
        self.assertEqual(report["cycles"], 3 * RECORDS * report["step_cycles"])
        self.assertEqual((self.folder / "out.bin").read_bytes(),
                         b"".join(self.tensor("golden", i).read_bytes() for i in range(RECORDS)))

    def test_several_jobs_give_what_one_gives(self):
        binary = self.capture(MODEL, "--self-test", "2")
        batch = self.write("batch.bin", b"".join(self.tensor("input", i).read_bytes() for i in range(RECORDS)))
        golden = b"".join(self.tensor("golden", i).read_bytes() for i in range(RECORDS))
        modes = ((), ("--views",), ("--threaded",), ("--check-accesses",), ("--repeat", 3), ("--self-test",))
        for options in modes[::OPTIONS.each]:
            for form in ((), ("--json",)):
                said = set()
                for jobs in (1, 2, 5, RECORDS + 7):
                    out = self.folder / "out.bin"
                    out.unlink(missing_ok=True)
                    run = self.run_pianola("run", binary, "--input", batch, "--output", out, "--batch", "--jobs", jobs,
                                           *options, *form)
                    self.assertEqual(out.read_bytes(), golden, (options, jobs))
                    said.add((run.stdout, run.stderr))
                self.assertEqual(len(said), 1, said)

    def test_several_jobs_replay_random_binaries_or_refuse_them(self):
        """Each with several records, with parameters, prologue, epilogue and on meshes."""
        tried = collections.Counter()
        for mesh in ((1, 1), (1, 2)):
            binaries, device = self.random_binaries(100, mesh=mesh)
            for binary, shown in binaries[::OPTIONS.each]:
                arguments = [*device, "--batch", "--json"]
                for i, tensor in enumerate(shown["inputs"]):
                    data = bytes((37 * k + 11 * i) % 251 for k in range(4 * tensor["bytes"]))
                    arguments += ["--input", self.write(f"in{i}.bin", data)]
                outputs = [self.folder / f"out{i}.bin" for i in range(len(shown["outputs"]))]
                for output in outputs:
                    arguments += ["--output", output]
                alone = (self.run_pianola("run", binary, *arguments).stdout, [out.read_bytes() for out in outputs])
                depends = (any(script["kind"] == "prologue" for script in shown["scripts"])
                           or any(region["kind"] == "state" for region in shown["regions"]))
                for output in outputs:
                    output.unlink()
                run = self.run_pianola("run", binary, *arguments, "--jobs", 3, code=USAGE if depends else DONE)
                tried[depends] += 1
                if depends:
                    self.assertFalse(any(output.exists() for output in outputs))
                    self.assertIn("are replayed in order", run.stderr)
                else:
                    self.assertEqual((run.stdout, [out.read_bytes() for out in outputs]), alone, binary.name)
        self.assertGreater(min(tried[False], tried[True]), 3)

    def test_what_several_jobs_do_not_do(self):
        """Each refusal names the option and the reason, and nothing is written."""
        pipelined = self.capture(MODEL, "--queues", "2", "--pipelined").rename(self.folder / "pipelined.ptb")
        plain = self.capture(MODEL, "--self-test", "1")
        state = self.capture("trained_lstm_int8")
        one = ("--input", self.tensor("input", 0), "--output", "out.bin")
        of_state = ("--input", OPTIONS.models / "trained_lstm_int8" / "input_0_0.bin", "--output", "out.bin")
        for arguments, why in (((pipelined, *one), "are replayed in order: its steps overlap"),
                               ((state, *of_state), "are replayed in order: it has state"),
                               ((plain, *one, "--log", "log.bin"), "--log is written of one simulator"),
                               ((plain, "--self-test"), "--jobs are about records"),
                               ((plain, *one, "--device", "vulkan"), "--device vulkan is one device")):
            run = self.run_pianola("run", *arguments, "--jobs", 2, code=USAGE)
            self.assertIn(why, run.stderr)
            self.assert_no_leftovers("pipelined.ptb", plain.name, state.name)
        for arguments in ((pipelined, *one), (state, *of_state)):
            self.run_pianola("run", *arguments, "--jobs", 1)
        for jobs in (0, 257, "x"):
            self.run_pianola("run", plain, *one, "--jobs", jobs, code=USAGE)

    def test_cycles_of_a_stream_count_every_reset(self):
        """All records are replayed again from a reset, which takes what the prologue takes."""
        folder = OPTIONS.models / "trained_lstm_int8"
        batch = self.write("batch.bin", b"".join((folder / f"input_{i}_0.bin").read_bytes() for i in range(RECORDS)))
        binary = self.capture("trained_lstm_int8")
        cycles = [json.loads(self.run_pianola("run", binary, "--input", batch, "--output", "out.bin", "--batch",
                                              "--repeat", repeat, "--json").stdout)["cycles"] for repeat in (1, 3)]
        self.assertGreater(cycles[0], 0)
        self.assertEqual(cycles[1], 3 * cycles[0])

    def test_random_binaries_with_and_without_views(self):
        """With a prologue, an epilogue, both or neither: a step takes what was proved, and views give what transfers
        give."""
        binaries, device = self.random_binaries(100)
        seen, tried = set(), collections.Counter()
        for binary, shown in binaries:
            scripts = {
                script["kind"]: [command["command"] for command in script.get("commands", ())]
                for script in shown["scripts"]
            }
            pipelined = "read_output" in scripts.get("epilogue", ())
            kind = ("prologue" in scripts, "epilogue" in scripts, pipelined, shown["views"]["possible"])
            tried[kind] += 1
            if tried[kind] > 15 // OPTIONS.each and OPTIONS.each > 1:
                continue
            arguments = [*device, "--batch", "--check-accesses", "--json"]
            for i, tensor in enumerate(shown["inputs"]):
                data = bytes((37 * k + 11 * i) % 251 for k in range(3 * tensor["bytes"]))
                arguments += ["--input", self.write(f"in{i}.bin", data)]
            for i in range(len(shown["outputs"])):
                arguments += ["--output", self.folder / f"out{i}.bin"]
            results = []
            for views in ((), ("--views",)) if shown["views"]["possible"] else ((),):
                report = json.loads(self.run_pianola("run", binary, *arguments, *views).stdout)
                results.append([(self.folder / f"out{i}.bin").read_bytes() for i in range(len(shown["outputs"]))])
                proved = shown["budgets"]["step_cycles"]
                if views:
                    self.assertLessEqual(report["step_cycles"], proved)
                else:
                    self.assertEqual(report["step_cycles"], proved)
                steps = report["steps"] * report["step_cycles"]
                if pipelined:
                    self.assertEqual(report["steps"], max(report["records"] - 1, 1))
                elif "prologue" in scripts or "epilogue" in scripts:
                    self.assertGreaterEqual(report["cycles"], steps)
                else:
                    self.assertEqual(report["cycles"], steps)
                seen.add(("prologue" in scripts, "epilogue" in scripts, pipelined, bool(views)))
            self.assertEqual(results[0], results[-1], binary.name)
        for prologue, epilogue in ((True, False), (False, True), (True, True), (False, False)):
            for views in (False, True):
                self.assertIn((prologue, epilogue, False, views), seen)
        self.assertIn((True, True, True, False), seen)

    def test_several_parameters_of_random_binaries(self):
        """Values that are set give what the same file gives with these words in its traces."""
        binaries, device = self.random_binaries(400, most=400 // OPTIONS.each)
        several = [(binary, shown) for binary, shown in binaries if len(shown["parameters"]) > 1]
        self.assertGreater(len(several), 10 // OPTIONS.each)
        changed = 0
        for binary, shown in several:
            contents = bytearray(binary.read_bytes())
            traces = int.from_bytes(contents[80 + 2 * 12 + 4:80 + 2 * 12 + 8], "little")
            values = []
            for i, parameter in enumerate(shown["parameters"]):
                step = parameter["alignment"]
                allowed = range(-(-parameter["minimum"] // step) * step, parameter["maximum"] + 1, step)
                value = allowed[(7 * i + len(contents)) % len(allowed)]
                values += ["--set", f"{parameter['name']}={value}"]
                for point in parameter["points"]:
                    at = traces + shown["traces"][point["trace"]]["offset"] + 4 * point["word"]
                    contents[at:at + 4] = value.to_bytes(4, "little")
            arguments = list(device)
            for i, tensor in enumerate(shown["inputs"]):
                data = bytes((37 * k + 11 * i) % 251 for k in range(tensor["bytes"]))
                arguments += ["--input", self.write(f"in{i}.bin", data)]
            outputs = [self.folder / f"out{i}.bin" for i in range(len(shown["outputs"]))]
            for output in outputs:
                arguments += ["--output", output]
            results = []
            for file, options in ((binary, ()), (self.write("with_values.ptb", checked(bytes(contents), shown)), ()),
                                  (binary, values), (binary, [*values[2:], *values[:2]])):
                self.run_pianola("run", file, *arguments, *options)
                results.append([output.read_bytes() for output in outputs])
            captured, wanted, *given = results
            self.assertEqual(given, [wanted, wanted], binary.name)
            changed += captured != wanted
        self.assertGreater(changed, 3 // OPTIONS.each, "values that are set show in the outputs")

    def test_cycles_of_a_pipelined_binary(self):
        """A step's are those that were proved, whatever runs beside or around it."""
        binary = self.capture(MODEL, "--queues", "2", "--pipelined")
        proved = json.loads(self.run_pianola("inspect", binary, "--json").stdout)["budgets"]["step_cycles"]
        batch = self.write("batch.bin", b"".join(self.tensor("input", i).read_bytes() for i in range(RECORDS)))
        cycles = {}
        for name, options in (("one", ("--input", self.tensor("input", 0))),
                              ("repeated", ("--input", self.tensor("input", 0), "--repeat", 3)),
                              ("batch", ("--input", batch, "--batch")), ("repeated batch", ("--input", batch, "--batch",
                                                                                            "--repeat", 3))):
            command = ("run", binary, *options, "--output", "out.bin")
            report = json.loads(self.run_pianola(*command, "--json").stdout)
            self.assertEqual(report["step_cycles"], proved, name)
            cycles[name] = report["cycles"]
            self.assertIn(f", {proved} device cycles per step, {report['cycles']} in all with prologue and epilogue",
                          self.run_pianola(*command).stdout)
        self.assertGreater(cycles["one"], proved)
        self.assertEqual((cycles["repeated"], cycles["repeated batch"]),
                         (3 * cycles["one"], 3 * RECORDS * cycles["one"]))
        self.assertLess(cycles["batch"], RECORDS * cycles["one"], "steps overlap")

    def test_many_steps_in_flight(self):
        """As many as are asked for, which the file says; the values are the same."""
        batch = self.write("batch.bin", b"".join(self.tensor("input", i).read_bytes() for i in range(RECORDS)))
        golden = b"".join(self.tensor("golden", i).read_bytes() for i in range(RECORDS))
        for steps in (1, 3, 10, 16):
            binary = self.capture(MODEL, "--queues", "2", "--pipelined", "--in-flight", str(steps))
            budgets = json.loads(self.run_pianola("inspect", binary, "--json").stdout)["budgets"]
            self.assertEqual(budgets["steps_in_flight"], steps)
            self.run_pianola("run", binary, "--input", batch, "--output", "out.bin", "--batch")
            self.assertEqual((self.folder / "out.bin").read_bytes(), golden, steps)

    def test_self_tests_pass_and_are_needed(self):
        binary = self.capture(MODEL, "--self-test", "4")
        report = json.loads(self.run_pianola("run", binary, "--self-test", "--json").stdout)
        self.assertEqual((report["self_tests_passed"], report["records"]), (4, 0))
        self.assertIn("4 self-tests passed", self.run_pianola("run", binary, "--self-test").stdout)
        run = self.run_pianola("run", self.capture(MODEL), "--self-test", code=USAGE)
        self.assertIn("--self-test", run.stderr)

    def test_self_tests_alone_hold_every_option_that_is_given(self):
        binary = self.capture(MODEL, "--self-test", "2")
        run = self.run_pianola("run", binary, "--self-test", "--set", "gain=1", code=USAGE)
        self.assertIn("the binary declares no parameter gain", run.stderr)
        self.run_pianola("run", binary, "--self-test", "--set", "gain", code=USAGE)
        overlapping = self.capture(MODEL, "--queues", "2", "--pipelined", "--self-test", "2")
        run = self.run_pianola("run", overlapping, "--self-test", "--views", code=USAGE)
        self.assertIn("steps overlap", run.stderr)

    def test_a_self_test_with_another_result_is_a_fault(self):
        binary = self.capture(MODEL, "--self-test", "2")
        contents = bytearray(binary.read_bytes())
        entry = 80 + 3 * 12
        offset, size = (int.from_bytes(contents[entry + k:entry + k + 4], "little") for k in (4, 8))
        contents[offset + size - 1] ^= 1  # the last output byte of the last vector
        damaged = self.write("damaged.ptb", sealed(bytes(contents)))
        self.run_pianola("verify", damaged)
        old = self.write("out.bin", b"old")
        run = self.run_pianola("run", damaged, "--self-test", "--input", self.tensor("input", 0), "--output", old,
                               code=FAULT)
        self.assertIn("self-test", run.stderr)
        self.assertEqual(old.read_bytes(), b"old")
        several = self.run_pianola("run", damaged, "--self-test", "--input", self.tensor("input", 0), "--output", old,
                                   "--jobs", 2, code=FAULT)
        self.assertEqual(several.stderr, run.stderr)
        self.assertEqual(old.read_bytes(), b"old")

    def test_inputs_of_the_wrong_size(self):
        binary = self.capture(MODEL)
        for size in (0, 489, 491, 980):
            run = self.run_pianola("run", binary, "--input", self.write("in.bin", bytes(size)), "--output", "out.bin",
                                   code=USAGE)
            self.assertIn("490 bytes", run.stderr)
            self.assertIn("int8[1,49,10,1]", run.stderr)
        for size in (0, 981):
            self.run_pianola("run", binary, "--input", self.write("in.bin", bytes(size)), "--output", "out.bin",
                             "--batch", code=USAGE)
        self.assertFalse((self.folder / "out.bin").exists())

    def test_the_wrong_number_of_tensors(self):
        binary = self.capture(MODEL)
        data = self.tensor("input", 0)
        for arguments in ((), ("--input", data), ("--output", "o"), ("--input", data, "--input", data, "--output", "o"),
                          ("--input", data, "--output", "o", "--output", "p")):
            run = self.run_pianola("run", binary, *arguments, code=USAGE)
            self.assertIn("1 inputs and 1 outputs", run.stderr)

    def test_damaged_binaries_are_refused(self):
        contents = self.capture(MODEL).read_bytes()
        run = self.run_pianola("run", self.write("cut.ptb", contents[:-1]), "--input", self.tensor("input", 0),
                               "--output", "out.bin", code=REFUSED)
        self.assertIn("ENV-", run.stderr)

    def test_files_that_can_not_be_read_or_written(self):
        binary = self.capture(MODEL)
        self.run_pianola("run", binary, "--input", "missing.bin", "--output", "out.bin", code=FILE_TROUBLE)
        self.run_pianola("run", binary, "--input", self.tensor("input", 0), "--output", "missing/out.bin",
                         code=FILE_TROUBLE)
        self.assert_no_leftovers(f"{MODEL}.ptb")


if __name__ == "__main__":
    cli_support.main()
