#!/usr/bin/env python3
"""What the package has of the command line: the same members and bytes, one line for each refusal, and pages for
notebooks that hostile names cannot leave."""
import html.parser
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy
import pianola
from python_support import main

PROGRAM = os.environ["PIANOLA_PROGRAM"]
# Short enough for a manifest, and everything that a page could take for markup.
HOSTILE = "<script>alert('x')</script>&\"-->"


def simple_workload(name="x"):
    """A captured workload whose input has this name, by the host API."""
    with pianola.manage_device(trace_region_size=32768) as device:
        array = numpy.arange(64, dtype=numpy.int8).reshape(4, 16)
        here = pianola.from_numpy(array, device=device)
        with pianola.capture(device) as workload:
            workload.declare_input(here, name)
            pianola.copy_host_to_device_tensor(pianola.from_numpy(array), here)
            there = pianola.relu(here)
            workload.declare_output(there, "y")
            there.cpu(blocking=False)
        return workload.result.file


class Elements(html.parser.HTMLParser):
    """The elements of a page, and the contents of frames."""

    def __init__(self, page):
        super().__init__()
        self.names, self.frames, self.text, self.links = [], [], "", []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        values = dict(attrs)
        self.links += [value for name, value in values.items() if name in ("src", "href")]
        if "srcdoc" in values:
            self.frames.append(values)

    def handle_data(self, data):
        self.text += data


class Tools(unittest.TestCase):
    """On one binary."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="pianola_tools")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.binary = simple_workload()
        cls.path = cls.folder / "x.ptb"
        cls.path.write_bytes(cls.binary)

    def printed(self, *words, code=0):
        """What the command line prints as JSON."""
        done = subprocess.run([PROGRAM, *map(str, words), "--json"], capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def test_members_are_those_of_the_command_line(self):
        self.assertEqual(pianola.verify(self.path), self.printed("verify", self.path))
        self.assertEqual(pianola.inspect(self.path), self.printed("inspect", self.path))
        self.assertEqual(pianola.inspect(self.path, commands=True), self.printed("inspect", self.path, "--commands"))
        drawn = self.printed("timeline", self.path, "--steps", 2)
        self.assertEqual(drawn.pop("output"), "")
        self.assertEqual(pianola.timeline(self.path, steps=2), drawn)

    def test_bytes_are_as_good_as_a_file(self):
        self.assertEqual(pianola.verify(self.binary), {**pianola.verify(str(self.path)), "file": "<bytes>"})
        self.assertEqual(pianola.inspect(self.binary), {**pianola.inspect(self.path), "file": "<bytes>"})

    def test_names_that_look_like_options(self):
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        for name in ("--json", "-", "@list", "a b; echo c.ptb"):
            pathlib.Path(name).write_bytes(self.binary)
            with self.subTest(name):
                self.assertTrue(pianola.verify(name)["accepted"])

    def test_a_refusal_is_one_line_with_its_verdict(self):
        damaged = self.binary[:len(self.binary) // 2]
        for call in (pianola.verify, pianola.inspect, pianola.timeline):
            with self.subTest(call.__name__), self.assertRaises(pianola.RefusedError) as raised:
                call(damaged)
            error = raised.exception
            self.assertIsInstance(error, pianola.Error)
            self.assertEqual(error.rule, "ENV-TOTAL-SIZE")
            self.assertEqual(str(error), "ENV-TOTAL-SIZE: header.total_bytes: the stated size is not the size of the "
                                         f"file (byte 16, value {len(self.binary)}, limit {len(damaged)})")
            self.assertEqual((error.verdict["offset"], error.verdict["accepted"]), (16, False))
        path = self.folder / "damaged.ptb"
        path.write_bytes(damaged)
        self.assertEqual(error.verdict, {**self.printed("verify", path, code=3), "file": "<bytes>"})

    def test_keys_and_versions(self):
        key = self.folder / "key.pem"
        public = self.folder / "public.pem"
        subprocess.run([PROGRAM, "keygen", "-o", key], check=True, stdout=subprocess.DEVNULL)
        public.write_bytes(subprocess.run([PROGRAM, "pubkey", key], check=True, capture_output=True).stdout)
        signed = self.folder / "signed.ptb"
        subprocess.run([PROGRAM, "sign", self.path, "--key", key, "--security-version", "2", "-o", signed], check=True,
                       stdout=subprocess.DEVNULL)
        self.assertTrue(pianola.verify(signed, keys=[public])["accepted"])
        for rule, file, options in (("AUT-UNSIGNED", self.path, {"keys": [public]}),
                                    ("AUT-REVOKED", signed, {"keys": [public], "revoked": [public]}),
                                    ("AUT-VERSION", signed, {"keys": [public], "lowest_security_version": 3})):
            with self.subTest(rule), self.assertRaises(pianola.RefusedError) as raised:
                pianola.verify(file, **options)
            self.assertEqual(raised.exception.rule, rule)

    def test_a_device_is_a_dictionary_or_a_file(self):
        device = {"profile": "small_ecu"}
        file = self.folder / "device.json"
        file.write_text(json.dumps(device), encoding="utf-8")
        for each in (device, file, str(file)):
            for call in (pianola.verify, pianola.timeline):
                with self.subTest(each), self.assertRaisesRegex(pianola.RefusedError, "^TGT-TRACE-REGION") as raised:
                    call(self.path, device=each)
                self.assertEqual(raised.exception.verdict["device"]["profile"], "small_ecu")

    def test_other_complaints_are_one_line_of_a_usual_kind(self):
        for kind, text, call in (
                (OSError, "nothing.ptb", lambda: pianola.verify(self.folder / "nothing.ptb")),
                (ValueError, "^--mode: ", lambda: pianola.timeline(self.path, mode="none")),
                (ValueError, "^--device <device>", lambda: pianola.verify(self.path, device={"dram_bytes": 3})),
                (ValueError, "^--queues: ", lambda: pianola.capture_tflite(b"", queues=3)),
                (pianola.Error, "^<bytes>: not a TFLite file", lambda: pianola.capture_tflite(b"nothing")),
                (TypeError, "", lambda: pianola.verify(3))):
            with self.subTest(text), self.assertRaisesRegex(kind, text) as raised:
                call()
            self.assertNotIn("\n", str(raised.exception))

    def test_captures_are_those_of_the_command_line(self):
        shared = pathlib.Path(os.environ.get("PIANOLA_SHARED", pathlib.Path(__file__).parents[3] / "shared"))
        model = shared / "models/hello_world_int8/model.tflite"
        if not model.is_file():
            self.skipTest(f"{model} is not there")
        here, there = self.folder / "here.ptb", self.folder / "there.ptb"
        for options, words in (({}, ()), ({"queues": 2, "pipelined": True, "in_flight": 3, "self_test": 1},
                                          ("--queues", 2, "--pipelined", "--in-flight", 3, "--self-test", 1)),
                               ({"pack": "dsp", "dram": 1 << 20, "deadline_us": 50000},
                                ("--pack", "dsp", "--dram", 1 << 20, "--deadline-us", 50000))):
            with self.subTest(options):
                captured = pianola.capture_tflite(model, **options)
                captured.save(here)
                summary = self.printed("capture", model, "-o", there, *words)
                self.assertEqual(here.read_bytes(), there.read_bytes())
                self.assertEqual(captured, {name: value for name, value in summary.items() if name != "output"})
                self.assertEqual(captured.file, here.read_bytes())

    def test_pages_are_complete_in_themselves(self):
        tables = Elements(pianola.inspect(self.path)._repr_html_())
        self.assertEqual(tables.names.count("table"), 6)
        frame = Elements(pianola.timeline(self.path)._repr_html_())
        self.assertEqual(frame.names, ["iframe"])
        self.assertEqual(frame.frames[0]["sandbox"], "allow-scripts")
        page = Elements(frame.frames[0]["srcdoc"])
        self.assertIn("script", page.names)
        self.assertIn("as-captured", page.text)
        for each in (tables, frame, page):
            self.assertEqual(each.links, [], "nothing is loaded from elsewhere")

    def test_hostile_names_stay_text(self):
        binary = simple_workload(HOSTILE)
        inspection = pianola.inspect(binary)
        self.assertEqual(inspection["inputs"][0]["name"], HOSTILE)
        tables = Elements(inspection._repr_html_())
        self.assertNotIn("script", tables.names)
        self.assertIn(HOSTILE, tables.text)
        frame = Elements(pianola.timeline(binary)._repr_html_())
        self.assertEqual(frame.names, ["iframe"])
        self.assertNotIn(HOSTILE, frame.frames[0]["srcdoc"])


if __name__ == "__main__":
    main()
