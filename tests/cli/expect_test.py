#!/usr/bin/env python3
"""pianola capture --expect: only what computes what another implementation has computed becomes a binary."""
import hashlib
import json
import os
import threading

import cli_support
from cli_support import DIFFERENT, DONE, FILE_TROUBLE, OPTIONS, USAGE

SMALL, TWO_INPUTS, STREAM = "kws_ref_model", "litert_single_add_a8w8", "mww_okay_nabu_v2"


def sha256(contents):
    """In hexadecimal digits."""
    return hashlib.sha256(contents).hexdigest()


class Expect(cli_support.CliTest):
    """Goldens of TensorFlow Lite Micro stand for the other implementation."""

    def record(self, kind, number, name=SMALL):
        """All tensors of one record, one after another."""
        parts, folder = [], OPTIONS.models / name
        while (folder / f"{kind}_{number}_{len(parts)}.bin").is_file():
            parts.append((folder / f"{kind}_{number}_{len(parts)}.bin").read_bytes())
        self.assertTrue(parts, f"{name} has no {kind} {number}")
        return b"".join(parts)

    def pair(self, first, end, name=SMALL, kind="golden"):
        """Files with the inputs and outputs of records [first, end)."""
        inputs = b"".join(self.record("input", i, name) for i in range(first, end))
        outputs = b"".join(self.record(kind, i, name) for i in range(first, end))
        return self.write(f"in{first}-{end}.bin", inputs), self.write(f"out{first}-{end}.bin", outputs)

    def expect(self, *pairs, name=SMALL, options=(), code=DONE):
        """The run of a capture that expects these pairs of files."""
        given = [word for files in pairs for word in ("--expect", *files)]
        return self.run_pianola("capture", self.model(name), "-o", "m.ptb", *given, *options, code=code)

    def refuse(self, *pairs, code=DIFFERENT, **more):
        """What is said of a capture that leaves no file and changes none."""
        said = self.expect(*pairs, code=code, **more).stderr
        self.assertFalse((self.folder / "m.ptb").exists())
        old = self.write("m.ptb", b"old")
        self.assertEqual(self.expect(*pairs, code=code, **more).stderr, said)
        self.assertEqual(old.read_bytes(), b"old")
        self.assertEqual([path.name for path in self.folder.iterdir() if "partial" in path.name], [])
        old.unlink()
        return said

    def vectors(self):
        """The binary's, as `inspect` shows them."""
        return json.loads(self.run_pianola("inspect", "m.ptb", "--json").stdout)["self_test_vectors"]

    def wanted(self, first, end, name=SMALL, kind="golden"):
        """The same of records that were expected."""
        return [{"origin": "expected", "inputs_sha256": sha256(self.record("input", i, name)),
                 "outputs_sha256": sha256(self.record(kind, i, name))} for i in range(first, end)]

    def test_what_is_as_expected_becomes_the_self_test(self):
        summary = json.loads(self.expect(self.pair(0, 3), self.pair(3, 4), options=("--json",)).stdout)
        self.assertEqual((summary["self_tests"], summary["expected"]), (4, 4))
        self.assertEqual(self.vectors(), self.wanted(0, 4))
        self.assertIn("4 self-tests passed", self.run_pianola("run", "m.ptb", "--self-test").stdout)
        verdict = json.loads(self.run_pianola("verify", "m.ptb", "--json").stdout)
        self.assertEqual(verdict["self_tests"], self.wanted(0, 4))
        for command in ("verify", "inspect"):
            self.assertIn("self-tests 4: 4 with outputs as expected, 0 with captured outputs",
                          self.run_pianola(command, "m.ptb").stdout)
        self.run_pianola("keygen", "-o", "key.pem", "--type", "ed25519")
        self.run_pianola("verify", "m.ptb", "--receipt", "r.json", "--receipt-key", "key.pem")
        check = ("receipt", "check", "r.json", "--key", "key.pem", "--binary", "m.ptb")
        self.assertEqual(json.loads(self.run_pianola(*check, "--json").stdout)["self_tests"], self.wanted(0, 4))
        self.assertIn("4 with outputs as expected", self.run_pianola(*check).stdout)

    def test_the_same_files_give_the_same_bytes(self):
        files = [self.pair(0, 2), self.pair(2, 3)]
        self.expect(*files)
        first = (self.folder / "m.ptb").read_bytes()
        self.expect(*files)
        self.assertEqual((self.folder / "m.ptb").read_bytes(), first)
        self.expect(self.pair(0, 3))  # one file or several: the records are the same
        self.assertEqual((self.folder / "m.ptb").read_bytes(), first)
        for path in self.folder.glob("*.bin"):
            self.assertNotIn(path.name.encode(), first)

    def test_vectors_of_the_simulator_follow(self):
        self.expect(self.pair(0, 2), options=("--self-test", "3"))
        vectors = self.vectors()
        self.assertEqual(vectors[:2], self.wanted(0, 2))
        self.assertEqual([vector["origin"] for vector in vectors[2:]], ["captured"] * 3)
        self.assertIn("5 self-tests passed", self.run_pianola("run", "m.ptb", "--self-test").stdout)
        self.capture(SMALL, "--self-test", "3")
        alone = json.loads(self.run_pianola("inspect", f"{SMALL}.ptb", "--json").stdout)["self_test_vectors"]
        self.assertEqual(vectors[2:], alone)

    def test_a_flipped_byte_is_named(self):
        inputs, outputs = self.pair(0, 3)
        golden = bytearray(outputs.read_bytes())
        at = 12 + 5  # record 1, element 5
        right = golden[at] - 256 * (golden[at] > 127)
        for place, flipped in ((at, 0x10), (at + 2, 0x01), (2 * 12 + 11, 0x80)):
            golden[place] ^= flipped
        wrong = golden[at] - 256 * (golden[at] > 127)
        self.write(outputs.name, bytes(golden))
        for options in ((), ("--queues", "2", "--pipelined", "--in-flight", "4"), ("--pack", "mve"),
                        ("--self-test", "1")):
            said = self.refuse((inputs, outputs), options=options)
            self.assertRegex(said, rf"--expect \S*in0-3\.bin \S*out0-3\.bin: record 1, output 0 '\w+' \(int8\), "
                             rf"element 5: {wrong} was expected, the binary gives {right}; 2 of 12 elements of this "
                             r"output differ, 3 in all, in 2 of 3 records")
            self.assertNotIn("state", said)
        run = self.expect((inputs, outputs), options=("--json",), code=DIFFERENT)
        found = json.loads(run.stdout)["difference"]
        self.assertEqual((found["record"], found["output"], found["element"], found["expected"], found["got"],
                          found["differing"], found["differing_in_all"], found["differing_records"],
                          found["records"]), (1, 0, 5, str(wrong), str(right), 2, 3, 2, 3))

    def test_a_record_is_named_by_its_own_file(self):
        second = self.pair(1, 3)
        golden = bytearray(second[1].read_bytes())
        golden[-1] ^= 1
        self.write(second[1].name, bytes(golden))
        said = self.refuse(self.pair(0, 1), second)
        self.assertRegex(said, r"--expect \S*in1-3\.bin \S*out1-3\.bin: record 1, .* element 11: .* in 1 of 3 records")

    def test_steps_that_overlap(self):
        """As many at once as the binary admits, and each alone."""
        for options in (("--queues", "2"), ("--queues", "2", "--pipelined"),
                        ("--queues", "2", "--pipelined", "--in-flight", "4"), ("--pack", "dsp")):
            self.expect(self.pair(0, 9), options=options)
            self.assertEqual(self.vectors(), self.wanted(0, 9))
            self.assertIn("9 self-tests passed", self.run_pianola("run", "m.ptb", "--self-test").stdout)

    def test_a_record_is_all_inputs_one_after_another(self):
        self.expect(self.pair(0, 3, TWO_INPUTS), name=TWO_INPUTS)
        self.assertEqual(self.vectors(), self.wanted(0, 3, TWO_INPUTS))
        (self.folder / "m.ptb").unlink()
        inputs = self.record("input", 0, TWO_INPUTS)
        said = self.refuse((self.write("one.bin", inputs[:len(inputs) // 2]), self.folder / "out0-3.bin"),
                           name=TWO_INPUTS, code=USAGE)
        self.assertIn(f"one.bin has {len(inputs) // 2} bytes; one record is all inputs of one inference, one after "
                      f"another: {len(inputs)} bytes, or a multiple", said)

    def test_a_stream_is_expected_from_its_start(self):
        whole = self.pair(0, 20, STREAM, "seqgolden")
        for pairs in ((whole,), [self.pair(i, i + 1, STREAM, "seqgolden") for i in range(20)]):
            self.expect(*pairs, name=STREAM, options=("--self-test", "2"))
            vectors = self.vectors()
            self.assertEqual(vectors[:20], self.wanted(0, 20, STREAM, "seqgolden"))
            self.assertEqual(len(vectors), 22)
            self.assertIn("22 self-tests passed", self.run_pianola("run", "m.ptb", "--self-test").stdout)
        (self.folder / "m.ptb").unlink()
        steps = [self.pair(i, i + 1, STREAM, "seqgolden") for i in range(20)]
        for pairs in (steps[1:], list(reversed(steps)), [*steps, *steps]):
            said = self.refuse(*pairs, name=STREAM)
            self.assertIn("the model keeps state: records are consecutive steps from a reset", said)
        self.expect(steps[0], name=STREAM)

    def test_what_is_computed_from_a_reset_each_is_no_stream(self):
        """golden_* is a fresh interpreter's, for each record."""
        said = self.refuse(self.pair(0, 20, STREAM), name=STREAM)
        self.assertIn("the model keeps state", said)

    def test_sizes_that_are_wrong(self):
        inputs, outputs = self.pair(0, 2)
        for files, words in (((inputs, self.write("b", outputs.read_bytes() + b"x")), ("b has 25 bytes", "12 bytes")),
                             ((inputs, self.write("c", outputs.read_bytes() * 2)),
                              ("in0-2.bin holds inputs of 2 inferences", "c outputs of 4")),
                             ((self.write("d", b""), outputs), ("d has 0 bytes", "490 bytes")),
                             ((inputs, self.write("e", b"")), ("e has 0 bytes", "12 bytes")),
                             ((self.write("f", bytes(489)), outputs), ("f has 489 bytes", "or a multiple")),
                             ((inputs, inputs), ("in0-2.bin has 980 bytes", "all outputs")),
                             ((outputs, inputs), ("out0-2.bin has 24 bytes", "all inputs"))):
            said = self.refuse(files, code=USAGE)
            for word in ("--expect", *words):
                self.assertIn(word, said)

    def test_files_that_can_not_be_read(self):
        inputs, outputs = self.pair(0, 1)
        (self.folder / "folder").mkdir()
        for files in ((inputs, "missing"), ("missing", outputs), (inputs, "folder"), ("folder", outputs)):
            self.assertIn("can not read", self.refuse(files, code=FILE_TROUBLE))

    def test_one_file_is_not_enough(self):
        inputs, _ = self.pair(0, 1)
        self.run_pianola("capture", self.model(SMALL), "-o", "m.ptb", "--expect", inputs, code=USAGE)
        self.run_pianola("capture", "--expect", inputs, "-o", "m.ptb", self.model(SMALL), code=USAGE)

    def test_the_model_may_stand_behind(self):
        self.run_pianola("capture", "-o", "m.ptb", "--expect", *self.pair(0, 1), self.model(SMALL))
        self.assertEqual(self.vectors(), self.wanted(0, 1))

    def test_the_output_is_neither_file(self):
        inputs, outputs = self.pair(0, 1)
        for files in ((inputs, "m.ptb"), ("m.ptb", outputs)):
            said = self.refuse(files, code=USAGE)
            self.assertIn("would be written over --expect m.ptb", said)

    def test_inputs_and_outputs_may_come_through_a_pipe(self):
        inputs, outputs = self.pair(0, 2)
        contents = inputs.read_bytes()
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(contents,))
        writer.start()
        self.expect((pipe, outputs))
        writer.join()
        self.assertEqual(self.vectors(), self.wanted(0, 2))

    def test_more_than_a_binary_holds(self):
        name = "hello_world_int8"
        one = (self.record("input", 0, name), self.record("golden", 0, name))
        most = (self.write("in", one[0] * 256), self.write("out", one[1] * 256))
        self.expect(most, name=name)
        self.assertEqual(len(self.vectors()), 256)
        self.run_pianola("verify", "m.ptb")
        (self.folder / "m.ptb").unlink()
        single = (self.write("in1", one[0]), self.write("out1", one[1]))
        long = (self.write("in2", one[0] * 257), self.write("out2", one[1] * 257))
        for pairs, options, words in (((most, single), (), "257 records, and 0 of --self-test, are 257 vectors"),
                                      ((most,), ("--self-test", "1"), "256 records, and 1 of --self-test, are 257"),
                                      ((long,), (), "in2 has more than 256 bytes")):
            said = self.refuse(*pairs, name=name, options=options, code=USAGE)
            for word in (words, "at most 256 vectors", "pianola run --batch"):
                self.assertIn(word, said)

    def test_a_target_without_a_simulator_is_refused(self):
        """Nothing is left out silently."""
        model = "ops/reshape_minus1"
        engine = self.write("engine.json", {"family": "pl330"})
        options = ("--device", engine, "--deadline-us", "50000", "--setup-deadline-us", "60000")
        said = self.refuse(self.pair(0, 1, model), name=model, options=options, code=USAGE)
        self.assertIn("--expect: the target of device family pl330 has no simulator", said)

    def test_a_smaller_device_with_its_own_profile(self):
        spec = self.write("spec.json", {"profile": "small_ecu", "clock_khz": 100000})
        self.expect(self.pair(0, 2), options=("--device", spec))
        self.assertEqual(self.vectors(), self.wanted(0, 2))
        self.assertIn("2 self-tests passed", self.run_pianola("run", "m.ptb", "--self-test").stdout)

    def test_damaged_vectors_are_found(self):
        """The evidence is in the binary: a target that computes something else does not pass."""
        self.expect(self.pair(0, 2))
        contents = bytearray((self.folder / "m.ptb").read_bytes())
        vectors = int.from_bytes(contents[80 + 3 * 12 + 4:80 + 3 * 12 + 8], "little")
        contents[vectors + 490] ^= 1
        damaged = self.write("damaged.ptb", cli_support.sealed(bytes(contents)))
        self.run_pianola("run", damaged, "--self-test", code=cli_support.FAULT)


if __name__ == "__main__":
    cli_support.main()
