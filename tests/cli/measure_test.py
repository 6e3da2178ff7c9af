#!/usr/bin/env python3
"""pianola measure: what it makes of logs, of boards and of their absence. A script plays the emulator; the test measure
of each board has the real one."""
import hashlib
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

import cli_support
from cli_support import DIFFERENT, FAULT, FILE_TROUBLE, OPTIONS, REFUSED, UNSUPPORTED, USAGE

MODEL = "hello_world_int8"
# Layers of 1 to 16, 16 to 16 and 16 to 1 neurons.
MACS = [16, 256, 16]
BOARD = "played"
# Puts the log, and where there are any the counts, where the caller looks for them.
EMULATOR = f"""#!{sys.executable}
import pathlib, sys, time
here = pathlib.Path(__file__).parent
sys.stdout.write((here / "log.txt").read_text())
(here / "words.txt").write_text("\\n".join(sys.argv))
order = [word for word in sys.argv if word.startswith("loader,file=")][-1]
(here / "order.bin").write_bytes(pathlib.Path(order.split(",")[1][5:]).read_bytes())
if (here / "sleep").exists():
    (here / "started").touch()
    time.sleep(60)
for word in sys.argv:
    if "result=" in word and (here / "counts.txt").exists():
        pathlib.Path(word.split("result=")[1]).write_text((here / "counts.txt").read_text())
"""


class Measure(cli_support.CliTest):
    """Reports, refusals and exit codes."""

    def setUp(self):
        super().setUp()
        self.binary = self.capture(MODEL, "--device", self.write("small.json", {"profile": "small_ecu"}))
        shown = json.loads(self.run_pianola("inspect", self.binary, "--json", "--commands").stdout)
        self.commands = [each["command"] for each in shown["traces"][0]["command_list"]]
        self.run_pianola("run", self.binary, "--input", self.write("zero.bin", bytes(1)), "--output", "out.bin")
        self.outputs = hashlib.sha256((self.folder / "out.bin").read_bytes()).hexdigest()

    def log(self, counter="cycles", first=1000, **changes):
        """What an image prints of the binary: counts first, first + 1, ..., or none."""
        count = iter(range(first, first + 1000))
        text = (lambda: "-") if counter == "outside" else (lambda: str(next(count)))
        lines = ["pianola-measure 1", f"board {changes.get('board', BOARD)}", f"counter {counter}", "profile small_ecu",
                 f"binary {changes.get('binary', self.binary.stat().st_size)}"]
        for release in ("at_completion", "verified"):
            lines += [f"release {release}", "phase load", f"service {text()} {text()} write", f"end {text()}",
                      "io views", "phase step"]
            lines += [f"service {text()} {text()} {name}" for name in ["replay", *self.commands, "notify", "-"]]
            lines += [f"end {text()}", f"outputs {changes.get('outputs', self.outputs)}"]
        return "\n".join([*lines, "done 1", ""])

    def report(self, log, *arguments, **options):
        """The JSON of a log."""
        return json.loads(self.run_pianola("measure", self.binary, "--from-log", self.write("console.log", log),
                                           *arguments, "--json", **options).stdout)

    def board(self, log, counts=None, **changes):
        """A folder of a board that prints this log."""
        folder = self.folder / "images" / BOARD
        folder.mkdir(parents=True, exist_ok=True)
        script = folder / "play.py"
        script.write_text(EMULATOR, encoding="utf-8")
        script.chmod(0o755)
        (folder / "log.txt").write_text(log, encoding="utf-8")
        if counts is not None:
            (folder / "counts.txt").write_text(counts, encoding="utf-8")
        (folder / "device.json").write_text('{"profile": "small_ecu"}', encoding="utf-8")
        facts = {"board": BOARD, "emulator": ["@play.py"], "pack": "portable", "ram": [0x60000000, 0x60100000],
                 "core": 0, "markers": {"begin": 16, "end": 32, "pause": 48, "resume": 64}, "skip": [[1, 2]], **changes}
        (folder / "measure.json").write_text(json.dumps(facts), encoding="utf-8")
        return folder

    def on_board(self, *arguments, **options):
        """A run on it."""
        return self.run_pianola("measure", self.binary, "--board", BOARD, "--images", "images", *arguments, **options)

    def test_a_log_by_layers(self):
        shown = self.report(self.log())
        self.assertEqual([each["name"] for each in shown["layers"]],
                         ["0 FULLY_CONNECTED", "1 FULLY_CONNECTED", "2 FULLY_CONNECTED"])
        self.assertEqual([each["macs"] for each in shown["layers"]], MACS)
        self.assertEqual([each["kernels"] for each in shown["layers"]], [["fully_connected"]] * 3)
        # Of the load 3 counts; then session, device in turn: replay, three launches, end, notify, nothing.
        device = [1004 + 2 * number for number in range(7)]
        self.assertEqual([each["count"] for each in shown["layers"]], device[1:4])
        self.assertEqual({each["name"]: each["count"] for each in shown["queue_commands"]},
                         {"replay": device[0], "end": device[4], "notify": device[5]})
        self.assertEqual(shown["step"], {"device": sum(device), "polling": device[6],
                                         "session": sum(1003 + 2 * number for number in range(8))})
        self.assertEqual(shown["load"], {"device": 1001, "polling": 0, "session": 1000 + 1002})
        self.assertEqual(shown["release"], shown["verified_step"]["session"] - shown["step"]["session"])
        self.assertEqual(shown["memory"]["flash_bytes"], self.binary.stat().st_size)
        self.assertIsNone(shown["outputs_equal"])
        self.assertTrue(self.report(self.log(), "--input", "zero.bin")["outputs_equal"])
        text = self.run_pianola("measure", self.binary, "--from-log", "console.log").stdout
        self.assertIn("1 FULLY_CONNECTED", text)
        self.assertEqual([line for line in text.splitlines() if line != line.rstrip()], [])

    def test_json_follows_its_schema(self):
        try:
            import jsonschema  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("no python3-jsonschema")
        folder = OPTIONS.source / "docs/reference/schemas"
        measured = self.write("measured.json", self.report(self.log(), "--input", "zero.bin"))
        jsonschema.validate(json.loads(measured.read_text()), json.loads((folder / "measure.json").read_text()))
        shown = json.loads(self.run_pianola("perf", self.binary, "--measured", measured, "--json").stdout)
        jsonschema.validate(shown, json.loads((folder / "perf.json").read_text()))

    def test_no_bounds_where_costs_are_exact(self):
        self.assertEqual([each["bound"] for each in self.report(self.log())["layers"]], [None] * 3)

    def capture_for_a_core(self, *options):
        """The binary of all that follows."""
        self.binary = self.capture(MODEL, *options)
        shown = json.loads(self.run_pianola("inspect", self.binary, "--json", "--commands").stdout)
        self.commands = [each["command"] for each in shown["traces"][0]["command_list"]]

    def test_bounds_are_those_of_the_core_that_counts(self):
        """Of another core, or of a core that is not known, the binary says nothing: cost model and board differ."""
        boards = {path.parent.name: json.loads(path.read_text(encoding="utf-8")).get("core", {}).get("cost_model")
                  for path in (OPTIONS.source / "hal/boards").glob("*/board.json")}
        own = next(board for board, model in boards.items() if model == "cortex-m55.mve")
        self.capture_for_a_core("--board", own)
        for board in (*boards, BOARD):
            with self.subTest(board=board):
                log = self.log("instructions", board=board)
                bounds = [each["bound"] for each in self.report(log)["layers"]]
                text = self.run_pianola("measure", self.binary, "--from-log", "console.log").stdout
                if boards.get(board) == boards[own]:
                    self.assertNotIn(None, bounds)
                    self.assertIn("of bound", text)
                    self.assertNotIn("no bounds", text)
                else:
                    self.assertEqual(bounds, [None] * 3)
                    self.assertNotIn("of bound", text)
                    self.assertIn(f"\nno bounds: the binary's are for {boards[own]}; the cost model of {board} is "
                                  f"{boards.get(board) or 'not known'}\n", text)
        self.report(self.log("cycles", board=own))
        text = self.run_pianola("measure", self.binary, "--from-log", "console.log").stdout
        self.assertNotIn("bound", text)

    def test_a_count_above_its_bound_is_named(self):
        board = next(path.parent.name for path in (OPTIONS.source / "hal/boards").glob("*/board.json")
                     if "cortex-m7.dsp" in path.read_text(encoding="utf-8"))
        self.capture_for_a_core("--board", board)
        self.report(self.log("instructions", first=10, board=board))
        text = self.run_pianola("measure", self.binary, "--from-log", "console.log").stdout
        self.assertNotIn("above the bound", text)
        shown = self.report(self.log("instructions", first=10**6, board=board))
        above = [each["name"] for each in shown["layers"] + shown["queue_commands"]
                 if each["bound"] is not None and each["count"] > each["bound"]]
        self.assertEqual(above, ["0 FULLY_CONNECTED", "1 FULLY_CONNECTED", "2 FULLY_CONNECTED", "end"])
        text = self.run_pianola("measure", self.binary, "--from-log", "console.log").stdout
        self.assertIn(f"\nabove the bound: {', '.join(above)}\n", text)

    def test_lines_of_others_do_not_disturb(self):
        log = self.log()
        self.assertEqual(self.report("boot\nservice of another kind\n" + log.replace("phase", "[12.3] tick\n\nphase")),
                         self.report(log))

    def test_what_is_no_log_of_the_binary(self):
        log = self.log()
        for wrong in ("", "no log\n", log[:-10], log.replace("measure 1", "measure 2"), self.log(binary=8),
                      log.replace("replay", "write"), log.replace("notify", "-"), log.replace("1004", "many"),
                      log.replace("service 1003 1004", "service 1003"), log.replace("end 1002", "end"),
                      log.replace("phase step", "phase stop"), log.replace("release verified", "release other"),
                      log.replace("cycles", "outside"), log.replace("phase load\n", "")):
            run = self.run_pianola("measure", self.binary, "--from-log", self.write("wrong.log", wrong),
                                   code=FILE_TROUBLE)
            self.assertEqual(run.stdout, "")
            self.assertIn("remedy", run.stderr)

    def test_an_image_that_gives_up(self):
        for line, code, words in (("refused CAP-INTERVALS 96", REFUSED, "CAP-INTERVALS"),
                                  ("fault 5 3 17", FAULT, "command 17"), ("error no order", FAULT, "no order"),
                                  ("room dram_bytes 4096 128", UNSUPPORTED, "dram_bytes")):
            self.write("ended.log", "\n".join(self.log().splitlines()[:6] + [line, ""]))
            run = self.run_pianola("measure", self.binary, "--from-log", "ended.log", code=code)
            self.assertIn(words, run.stderr)

    def test_a_refusal_says_how_to_capture(self):
        log = "\n".join(self.log().splitlines()[:6] + ["refused TGT-PROFILE 96", ""])
        name = next(path.parent.name for path in (OPTIONS.source / "hal/boards").glob("*/board.json")
                    if "core" in json.loads(path.read_text(encoding="utf-8")))
        images = self.board(log, board=name)
        run = self.run_pianola("measure", self.binary, "--board", name, "--images", images, "--own-counter",
                               code=REFUSED)
        self.assertIn("refused by rule TGT-PROFILE", run.stderr)
        self.assertIn(f"capture it with `pianola capture --board {name}`", run.stderr)
        self.board(log)
        self.write("a.log", log)
        for options in (("--board", BOARD, "--images", "images", "--own-counter"), ("--from-log", "a.log")):
            run = self.run_pianola("measure", self.binary, *options, code=REFUSED)
            self.assertIn("`pianola capture --board BOARD`; for a board that is not of this project", run.stderr)

    def test_other_outputs_than_the_simulators(self):
        self.write("other.log", self.log(outputs="0" * 64))
        run = self.run_pianola("measure", self.binary, "--from-log", "other.log", "--input", "zero.bin", code=DIFFERENT)
        self.assertIn("at_completion", run.stderr)

    def test_a_board_is_given_its_order_and_counted(self):
        log = self.log("outside")
        intervals = sum(line.split()[1:].count("-") - line.endswith(" -") * line.startswith("service")
                        for line in log.splitlines() if line.split()[0] in ("service", "end"))
        counts = "".join(f"{'edge' if number % 3 else 'part'} {1000 + number}\n" for number in range(intervals))
        folder = self.board(log, counts + "section 0 1\n")
        shown = json.loads(self.on_board("--input", "zero.bin", "--steps", 1, "--json").stdout)
        self.assertEqual(shown["counter"], "instructions")
        self.assertEqual({**shown, "counter": "cycles"}, self.report(self.log(), "--input", "zero.bin"))
        order = (folder / "order.bin").read_bytes()
        self.assertEqual(struct.unpack_from("<4s5I", order), (b"PMSR", 1, self.binary.stat().st_size, 1, 1, 1))
        self.assertEqual(order[64:64 + self.binary.stat().st_size], self.binary.read_bytes())
        words = (folder / "words.txt").read_text().splitlines()
        self.assertTrue(any(word.endswith(",addr=0x60000000,force-raw=on") for word in words))
        self.assertIn("-plugin", words)
        (folder / "counts.txt").write_text(counts + "part 5\n")
        self.on_board(code=FAULT)
        (folder / "counts.txt").write_text("confused\n")
        self.on_board(code=cli_support.INTERNAL)
        (folder / "counts.txt").unlink()
        self.assertIn("has not counted", self.on_board(code=FAULT).stderr)

    def test_the_order_of_a_real_board(self):
        self.board(self.log())
        self.on_board("--order-out", "order.bin", "--steps", 7, "--transfers")
        order = (self.folder / "order.bin").read_bytes()
        self.assertEqual(struct.unpack_from("<4s5I", order), (b"PMSR", 1, self.binary.stat().st_size, 0, 7, 2))
        self.assertEqual(len(order) % 64, 0)
        self.on_board("--own-counter")
        self.assertNotIn("-plugin", (self.folder / "images" / BOARD / "words.txt").read_text())

    def test_a_model_is_captured_for_the_board(self):
        self.board(self.log())
        run = self.run_pianola("measure", self.model(MODEL), "--board", BOARD, "--images", "images", "--own-counter",
                               "--json")
        self.assertEqual(json.loads(run.stdout)["layers"], self.report(self.log())["layers"])
        self.write("text.tflite", b"\0\0\0\0TFL3 and nothing more")
        self.run_pianola("measure", "text.tflite", "--board", BOARD, "--images", "images", code=UNSUPPORTED)
        self.run_pianola("measure", self.model(MODEL), "--from-log", self.write("a.log", self.log()), code=USAGE)

    def test_what_is_missing_is_said(self):
        self.assertIn("--board", self.run_pianola("measure", self.binary, code=USAGE).stderr)
        names = sorted(path.parent.name for path in (OPTIONS.source / "hal/boards").glob("*/board.json")
                       if "core" in json.loads(path.read_text(encoding="utf-8")))
        for name in names:
            run = self.run_pianola("measure", self.binary, "--board", name, "--images", self.folder, code=USAGE)
            self.assertIn(f"cmake --build --preset {name} --target pianola_measure", run.stderr)
        for images in ((), ("--images", self.folder)):
            run = self.run_pianola("measure", self.binary, "--board", "some_board", *images, code=USAGE)
            self.assertNotIn("preset", run.stderr)
            said = re.search(r"remedy  pass one of ([^;]*); for another board, --images", run.stderr)
            self.assertEqual(sorted(said[1].split(", ")), names)
        self.board(self.log(), emulator=["qemu-system-nothing", "@play.py"])
        run = self.on_board(code=USAGE)
        self.assertIn("qemu-system-nothing: can not be run", run.stderr)
        self.assertIn("install QEMU", run.stderr)
        self.board(self.log(), board="another")
        self.on_board(code=USAGE)
        self.board(self.log(), ram=[0x60000000, 0x60000040])
        self.assertIn("has memory for 64", self.on_board(code=UNSUPPORTED).stderr)
        self.board(self.log(), ram="all of it")
        self.on_board(code=FILE_TROUBLE)
        for damaged in ("{}", "no JSON"):
            (self.folder / "images" / BOARD / "measure.json").write_text(damaged)
            self.on_board(code=FILE_TROUBLE)
        self.board(self.log())
        for wrong in (("--input", "zero.bin", "--input", "zero.bin"), ("--input", self.binary), ("--pack", "dsp"),
                      ("--steps", 0), ("--from-log", "console.log"), ("--timeout-s", 0)):
            self.on_board(*wrong, code=USAGE)
        self.run_pianola("measure", self.write("bad.ptb", self.binary.read_bytes()[:-64]), "--board", BOARD, "--images",
                         "images", code=REFUSED)

    def test_an_emulator_that_does_not_end(self):
        folder = self.board(self.log())
        (folder / "sleep").touch()
        run = self.on_board("--timeout-s", 1, code=FAULT)
        self.assertIn("not ended within 1 s", run.stderr)

    def test_ctrl_c_ends_both_and_leaves_nothing(self):
        folder = self.board(self.log())
        (folder / "sleep").touch()
        for number in (signal.SIGINT, signal.SIGTERM):
            (folder / "started").unlink(missing_ok=True)
            temporary = self.folder / "tmp"
            temporary.mkdir(exist_ok=True)
            command = [OPTIONS.pianola, "measure", self.binary, "--board", BOARD, "--images", "images"]
            with subprocess.Popen(command, cwd=self.folder, env={**os.environ, "TMPDIR": str(temporary)},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
                end = time.monotonic() + 30
                while not (folder / "started").exists() and time.monotonic() < end:
                    time.sleep(0.02)
                child.send_signal(number)
                self.assertEqual(child.wait(timeout=30), -number)
            self.assertEqual(list(temporary.iterdir()), [])

    def test_perf_and_timeline_show_it(self):
        measured = self.write("measured.json", self.report(self.log()))
        counts = [each["count"] for each in json.loads(measured.read_text())["layers"]]
        shown = json.loads(self.run_pianola("perf", self.binary, "--measured", measured, "--json").stdout)
        self.assertEqual(shown["measured"], {"board": BOARD, "counter": "cycles"})
        for mode in shown["modes"]:
            of_layers = {each["name"]: each["measured"] for each in mode["operations"] if "measured" in each}
            self.assertEqual(list(of_layers.values()), counts, mode["mode"])
        text = self.run_pianola("perf", self.binary, "--measured", measured).stdout
        self.assertIn(f"cycles on {BOARD}", text)
        for count in counts:
            self.assertIn(str(count), text)
        text = self.run_pianola("timeline", self.binary, "--measured", measured, "-o", "page.html").stdout
        self.assertIn(f"{sum(counts)} cycles on {BOARD}", text)
        page = (self.folder / "page.html").read_text()
        self.assertIn(f"cycles on {BOARD}", page)
        for count in counts:
            self.assertIn(f"{count:,}", page)
        other = self.capture("ad01_int8")
        for command in ("perf", "timeline"):
            self.run_pianola(command, other, "--measured", measured, code=USAGE)
            self.run_pianola(command, self.binary, "--measured", self.write("no.json", {}), code=FILE_TROUBLE)

    def test_macs_of_known_models(self):
        """Of a model whose layers are known: kws_ref_model, by its shapes."""
        binary = self.capture("kws_ref_model", "--device", "small.json")
        shown = json.loads(self.run_pianola("inspect", binary, "--json", "--commands").stdout)
        names = [each["command"] for each in shown["traces"][0]["command_list"]]
        self.commands, self.binary = names, binary
        macs = [each["macs"] for each in self.report(self.log())["layers"]]
        point, depth = 25 * 5 * 64 * 64, 25 * 5 * 64 * 9
        self.assertEqual(macs, [25 * 5 * 64 * 40, depth, point, depth, point, depth, point, depth, point, 0, 768, 0])


if __name__ == "__main__":
    cli_support.main()
