#!/usr/bin/env python3
"""pianola capture for a processor core that executes the kernels: --board, --cost-model, and the core's clock."""
import itertools
import json
import re

import cli_support
from cli_support import OPTIONS, REFUSED, UNSUPPORTED, USAGE

LINE_BYTES = 64
MODEL = "kws_ref_model"
COST_MODEL = "cortex-m7.dsp"


def known_boards():
    """The core of each board, as board.json has it; None where no core executes the kernels."""
    facts = {path.parent.name: json.loads(path.read_text(encoding="utf-8"))
             for path in (OPTIONS.source / "hal/boards").glob("*/board.json")}
    return {name: each.get("core") for name, each in facts.items()}


def board_with(cost_model):
    """The name of a board with such a core; of None, one without."""
    return next(name for name, core in known_boards().items() if (core or {}).get("cost_model") == cost_model)


class CaptureForACore(cli_support.CliTest):
    """One case for each promise."""

    def setUp(self):
        super().setUp()
        self.board = board_with(COST_MODEL)

    def capture_with(self, *options, code=0):
        """The finished run; the binary is m.ptb."""
        return self.run_pianola("capture", self.model(MODEL), "-o", self.folder / "m.ptb", *options, code=code)

    def summary(self, *options):
        """Of a capture."""
        return json.loads(self.capture_with(*options, "--json").stdout)

    def target(self):
        """Of the binary that was captured last."""
        return json.loads(self.run_pianola("inspect", "m.ptb", "--json").stdout)["target"]

    def test_each_board_gives_its_costs_and_clock(self):
        boards = {name: core for name, core in known_boards().items() if core is not None}
        self.assertGreater(len(boards), 4)
        for name, core in boards.items():
            with self.subTest(board=name):
                summary = self.summary("--board", name)
                self.assertEqual((summary["cost_model"], summary["costs"]), (core["cost_model"], "upper_bound"))
                self.assertEqual(summary["pack"]["layout"], core["cost_model"].split(".")[-1])
                target = self.target()
                self.assertEqual(
                    [target[member] for member in ("cost_model_name", "core_khz", "millicycles_per_instruction")],
                    [core[member] for member in ("cost_model", "core_khz", "millicycles_per_instruction")])
                self.assertEqual(target["clock_khz"],
                                 core["core_khz"] * 1000 // core["millicycles_per_instruction"])
                self.assertEqual((target["profile"], target["grid_columns"], target["grid_rows"]), ("small_ecu", 1, 1))
                self.run_pianola("verify", "m.ptb")

    def test_the_binary_computes_what_every_other_does(self):
        source = self.model(MODEL).parent
        self.capture_with("--board", self.board)
        self.run_pianola("run", "m.ptb", "--input", source / "input_0_0.bin", "--output", "out.bin")
        self.assertEqual((self.folder / "out.bin").read_bytes(), (source / "golden_0_0.bin").read_bytes())

    def test_memories_are_the_smallest(self):
        """A line less than the capture chose is refused, of DRAM and of the trace region. With a line less of L1,
        activations are in DRAM."""
        activations = self.summary("--board", self.board)["activations"]
        self.assertEqual(activations["memory"], "L1")
        fitted = self.target()
        l1_bytes, dram_bytes, region_bytes = (fitted[f"{each}_bytes"] for each in ("l1", "dram", "trace_region"))
        self.assertEqual(l1_bytes, -(-activations["planned_bytes"] // LINE_BYTES) * LINE_BYTES)
        same = ("--board", self.board, "--trace-region", str(region_bytes))
        self.capture_with(*same, "--dram", str(dram_bytes))
        self.assertEqual(self.target(), fitted)
        run = self.capture_with(*same, "--dram", str(dram_bytes - LINE_BYTES), code=UNSUPPORTED)
        said = re.search(r"(\d+) bytes are needed, (\d+) are there\n  remedy  pass --dram (\d+), ", run.stderr)
        self.assertIsNotNone(said, run.stderr)
        self.assertEqual([int(each) for each in said.groups()], [dram_bytes, dram_bytes - LINE_BYTES, dram_bytes])
        run = self.capture_with("--board", self.board, "--trace-region", str(region_bytes - LINE_BYTES),
                                code=UNSUPPORTED)
        self.assertIn(f"remedy  pass --trace-region {region_bytes}, ", run.stderr)
        less = self.summary("--board", self.board, "--l1", str(l1_bytes - LINE_BYTES))
        self.assertEqual(less["activations"]["memory"], "DRAM")

    def test_weights_stay_in_the_file(self):
        """Of a board, whose device reads flash: they take nothing of its memory, and no command of the set-up. Other
        devices get a copy, and refuse the binary."""
        summary = self.summary("--board", self.board)
        self.assertTrue(summary["weights_in_file"])
        weight_bytes = summary["weight_bytes"]
        shown = json.loads(self.run_pianola("size", "m.ptb", "--json").stdout)
        first = shown["regions"][0]
        self.assertEqual((first["kind"], first["memory"], first["bytes"]), ("weights", "file", weight_bytes))
        self.assertEqual([first[each] for each in ("kernels_read", "kernels_write", "queues_write", "fetch")],
                         [True, False, False, False])
        self.assertEqual(shown["device"]["file_used_bytes"], weight_bytes)
        self.assertLess(shown["totals"]["device_bytes"], weight_bytes)
        self.run_pianola("decompile", "m.ptb", "--against", self.model(MODEL))
        (self.folder / "file.ptb").write_bytes((self.folder / "m.ptb").read_bytes())
        clock = ("--core-mhz", "1000", "--cycles-per-instruction", "1")
        self.assertFalse(self.summary("--cost-model", COST_MODEL, *clock)["weights_in_file"])
        copied = json.loads(self.run_pianola("size", "m.ptb", "--json").stdout)
        self.assertEqual((copied["device"]["file_used_bytes"], copied["regions"][0]["memory"]), (0, "DRAM"))
        device = self.write("d.json", {"cost_model": COST_MODEL, "core_khz": 1000000,
                                       "millicycles_per_instruction": 1000, "profile": "small_ecu"})
        run = self.run_pianola("verify", "file.ptb", "--device", device, code=REFUSED)
        self.assertIn("TGT-MEMORY", run.stdout + run.stderr)

    def test_a_window_that_is_too_small_is_named(self):
        device = self.write("d.json", {"file_base": 0x40000000, "file_bytes": 64})
        run = self.capture_with("--device", device, code=UNSUPPORTED)
        self.assertRegex(run.stderr, r"file window is too small.*\n  remedy  describe a device with file_bytes \d+,")
        over = self.write("o.json", {"file_base": 0x80000000, "file_bytes": 64})
        self.assertIn("overlaps DRAM or L1", self.capture_with("--device", over, code=USAGE).stderr)

    def test_a_deadline_below_the_bound_says_how_far(self):
        cycles = self.summary("--board", self.board)["step_cycles"]
        needed = -(-cycles * 1000 // self.target()["clock_khz"])
        self.capture_with("--board", self.board, "--deadline-us", str(needed))
        for deadline in (needed - 1, needed // 3):
            run = self.capture_with("--board", self.board, "--deadline-us", str(deadline), code=USAGE)
            said = re.search(r"--deadline-us: .* a step takes (\d+) us, (\d+) are wanted: too slow by a factor of "
                             r"(\d+\.\d\d)\n", run.stderr)
            self.assertIsNotNone(said, run.stderr)
            self.assertEqual([int(said[1]), int(said[2])], [needed, deadline])
            self.assertGreater(float(said[3]), 1)
            self.assertAlmostEqual(float(said[3]), needed / deadline, delta=0.01)

    def test_the_default_deadline_has_room_for_a_verified_release(self):
        """Of ad01_int8 with 270,000 bytes of weights, which a core with 25 million instructions in a second compares in
        tens of milliseconds. A given deadline and that of the set-up do not change."""
        board = board_with("cortex-m55.mve")
        clock = ("--core-mhz", "25", "--cycles-per-instruction", "1")

        def budgets(*options):
            self.run_pianola("capture", self.model("ad01_int8"), "-o", "m.ptb", "--board", board, *clock, *options)
            shown = json.loads(self.run_pianola("inspect", "m.ptb", "--json").stdout)
            return shown["budgets"], 4 * sum(each["words"] for each in shown["traces"])

        shown, trace_bytes = budgets()
        summary = json.loads(self.run_pianola("capture", self.model("ad01_int8"), "-o", "m.ptb", "--board", board,
                                              *clock, "--json").stdout)
        released = summary["weight_bytes"] + trace_bytes
        # The step and, at most, what verified_release_per_slice of tests/baremetal/thresholds.json admits.
        slices = -(-released // 16384)
        self.assertGreater(shown["step_deadline_us"], 17200)
        self.assertGreater(shown["step_deadline_us"], (summary["step_cycles"] + slices * 25500) * 1000 // 25000)
        self.assertAlmostEqual(shown["step_deadline_us"], 4 * (summary["step_cycles"] + 2 * released) * 1000 // 25000,
                               delta=100)
        self.assertEqual(budgets("--deadline-us", "17200")[0], {**shown, "step_deadline_us": 17200})
        self.assertEqual(budgets("--setup-deadline-us", "60000")[0], {**shown, "setup_deadline_us": 60000})
        summary = json.loads(self.run_pianola("capture", self.model("ad01_int8"), "-o", "m.ptb", "--json").stdout)
        shown = json.loads(self.run_pianola("inspect", "m.ptb", "--json").stdout)
        needed = -(-summary["step_cycles"] * 1000 // shown["target"]["clock_khz"])
        self.assertEqual(shown["budgets"]["step_deadline_us"], max(4 * needed, 10000))

    def test_time_is_that_of_the_core_in_use(self):
        """Half the clock, and a third more cycles for an instruction: as many instructions, and the longer time."""
        fast = self.summary("--board", self.board)
        slow = self.summary("--board", self.board, "--core-mhz", "500", "--cycles-per-instruction", "1.25")
        self.assertEqual(slow["step_cycles"], fast["step_cycles"])
        target = self.target()
        self.assertEqual([target[member] for member in ("core_khz", "millicycles_per_instruction", "clock_khz")],
                         [500000, 1250, 400000])

    def test_numbers_of_the_core_round_to_the_slower_core(self):
        for mhz, khz, cycles, millicycles in (
            ("480", 480000, "1.3", 1300), ("0.29", 290, "1.1", 1100), ("32.768", 32768, "2.001", 2001),
            ("32.7689", 32768, "1.3001", 1301), ("4.0009", 4000, "0.0011", 2), ("4000000", 4 * 10**9, "1000", 10**6),
        ):
            with self.subTest(mhz=mhz, cycles=cycles):
                # A deadline that no step exceeds, also on the slowest.
                self.capture_with("--cost-model", COST_MODEL, "--core-mhz", mhz, "--cycles-per-instruction", cycles,
                                  "--deadline-us", 3600000000, "--setup-deadline-us", 3600000000)
                target = self.target()
                self.assertEqual([target["core_khz"], target["millicycles_per_instruction"]], [khz, millicycles])

    def test_a_core_without_a_board_has_the_usual_memories(self):
        clock = ("--core-mhz", "480", "--cycles-per-instruction", "1.3")
        summary = self.summary("--cost-model", COST_MODEL, *clock)
        self.assertEqual((summary["cost_model"], summary["pack"]["layout"]), (COST_MODEL, "dsp"))
        target = self.target()
        self.assertEqual((target["dram_bytes"], target["profile"], target["clock_khz"]), (4 << 20, "default", 369230))
        device = self.write("d.json", {"cost_model": COST_MODEL, "core_khz": 480000,
                                       "millicycles_per_instruction": 1300})
        said = (self.folder / "m.ptb").read_bytes()
        self.run_pianola("verify", "m.ptb", "--device", device)
        self.capture_with("--device", device)
        self.assertEqual((self.folder / "m.ptb").read_bytes(), said)
        self.write("d.json", {"cost_model": COST_MODEL, "core_khz": 480000, "millicycles_per_instruction": 1301})
        self.run_pianola("verify", "m.ptb", "--device", device, code=REFUSED)
        for clock_khz, code in ((369230, 0), (369231, USAGE)):
            self.write("d.json", {"cost_model": COST_MODEL, "core_khz": 480000, "millicycles_per_instruction": 1300,
                                  "clock_khz": clock_khz})
            run = self.capture_with("--device", device, code=code)
        self.assertIn("'clock_khz' is 369231, but core_khz and millicycles_per_instruction give 369230", run.stderr)

    def test_the_weights_layout_can_be_another(self):
        summary = self.summary("--board", self.board, "--pack", "portable")
        self.assertEqual(summary["pack"], {"layout": "portable", "layers": 0})
        self.assertGreater(summary["step_cycles"], self.summary("--board", self.board)["step_cycles"])

    def test_a_layout_that_the_core_does_not_read_is_refused(self):
        for cost_model in ("cortex-m33.dsp", "cortex-m55.mve", "rv32im.portable"):
            own = cost_model.split(".")[1]
            core = (("--board", board_with(cost_model)),
                    ("--cost-model", cost_model, "--core-mhz", "100", "--cycles-per-instruction", "1"))
            for layout, options in itertools.product(("portable", "dsp", "mve"), core):
                with self.subTest(cost_model=cost_model, layout=layout, options=options):
                    if own in (layout, "portable") or layout == "portable":
                        self.assertEqual(self.summary(*options, "--pack", layout)["pack"]["layout"], layout)
                        continue
                    run = self.capture_with(*options, "--pack", layout, code=USAGE)
                    self.assertIn(f"--pack {layout}: the kernels of {cost_model} do not read this layout", run.stderr)
                    self.assertIn(f"pass --pack {own} or --pack portable", run.stderr)

    def test_what_does_not_belong_together(self):
        device = self.write("d.json", {"profile": "small_ecu"})
        clock = ("--core-mhz", "480", "--cycles-per-instruction", "1")
        without = board_with(None)
        boards = ", ".join(re.search(r"executes the\s+kernels \(([^)]*)\)",
                                     self.run_pianola("capture", "--help").stdout)[1].split(", "))
        for options, said in (
            (("--board", "board"), f"--board board: must be one of {boards}"),
            (("--board", without), f"--board {without}: must be one of {boards}"),
            (("--board", self.board, "--device", device), "--device excludes --board"),
            (("--board", self.board, "--cost-model", COST_MODEL), "--board excludes --cost-model"),
            (("--board", self.board, "--queues", "2"), "--queues 2: the device has 1"),
            (("--cost-model", "cortex-m7", *clock), f"--cost-model cortex-m7: must be one of virtual, {COST_MODEL}, "),
            (("--cost-model", COST_MODEL), "--core-mhz is needed"),
            (("--cost-model", COST_MODEL, *clock[2:]), "--core-mhz is needed"),
            (("--cost-model", COST_MODEL, *clock[:2]), "--cycles-per-instruction is needed"),
            (("--board", self.board, *clock[:2]), "--cycles-per-instruction is needed beside --core-mhz"),
            (("--board", self.board, *clock[2:]), "--core-mhz is needed beside --cycles-per-instruction"),
            (("--cost-model", "virtual", *clock[:2]), "need --board or --cost-model"),
            (("--cost-model", "virtual", *clock[2:]), "need --board or --cost-model"),
            (clock, "need --board or --cost-model"),
            (("--cost-model", COST_MODEL, "--core-mhz", "0", *clock[2:]), "--core-mhz"),
        ):
            with self.subTest(options=options):
                self.assertIn(said, self.capture_with(*options, code=USAGE).stderr)
        for option, other in (("--core-mhz", "--cycles-per-instruction"), ("--cycles-per-instruction", "--core-mhz")):
            for value in ("nan", "-nan", "inf", "1e999"):
                run = self.capture_with("--board", self.board, option, value, other, "1", code=USAGE)
                self.assertIn(f"{option}: '{value}' is not a valid number", run.stderr)
            self.capture_with("--board", self.board, option, "0.0009", other, "1", code=USAGE)
        run = self.capture_with("--board", self.board, "--core-mhz", "0.001", "--cycles-per-instruction", "1.5",
                                code=USAGE)
        self.assertIn("fewer than 1000 instructions in a second", run.stderr)
        self.assert_no_leftovers("d.json")


if __name__ == "__main__":
    cli_support.main()
