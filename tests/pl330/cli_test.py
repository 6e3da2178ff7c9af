#!/usr/bin/env python3
"""Every command that takes a binary, with one for a PL330: a device of the registry that has no simulator."""
import hashlib
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import cli_support  # noqa: E402
from cli_support import OPTIONS, FILE_TROUBLE, REFUSED, UNSUPPORTED, USAGE  # noqa: E402

NO_SIMULATOR = "the target of device family pl330 has no simulator"
DEADLINES = ("--deadline-us", "50000", "--setup-deadline-us", "500000")


def exchange_vector():
    """The exchange's self-test: input and output as tests/pl330/exchange.h has them."""
    state, values = 2654435761 | 1, bytearray()
    for _ in range(4096):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(state >> 24)
    half = len(values) // 2
    pattern = (0xA5C31E87).to_bytes(4, "little") * 16
    return values, values[:half] + bytes(half) + pattern + values[half:] + bytes(4) + values[1:38] + values[:7]


class Pl330(cli_support.CliTest):
    """The exchange of tests/pl330/exchange.h, and what is wrong with one that leaves an event out."""

    def setUp(self):
        super().setUp()
        subprocess.run([OPTIONS.binary_maker, self.folder], check=True)
        self.binary = self.folder / "exchange.ptb"

    def test_verify(self):
        shown = json.loads(self.run_pianola("verify", self.binary, "--json").stdout)
        given, right = (hashlib.sha256(data).hexdigest() for data in exchange_vector())
        vector = {"origin": "captured", "inputs_sha256": given, "outputs_sha256": right}
        self.assertEqual((shown["accepted"], shown["self_tests"]), (True, [vector]))
        refused = json.loads(
            self.run_pianola("verify", self.folder / "without_event.ptb", "--json", code=REFUSED).stdout)
        self.assertEqual((refused["rule"], refused["missing"]["recorded_on_queue"]), ("ORD-RACE", 0))

    def test_verify_for_another_engine(self):
        smaller = self.write("smaller.json", {"family": "pl330", "dram_bytes": 2097152})
        verdict = json.loads(
            self.run_pianola("verify", self.binary, "--device", smaller, "--json", code=REFUSED).stdout)
        self.assertEqual(verdict["rule"], "TGT-MEMORY")
        other = self.write("other.json", {"family": "pianola-refdev"})
        verdict = json.loads(self.run_pianola("verify", self.binary, "--device", other, "--json", code=REFUSED).stdout)
        self.assertEqual((verdict["rule"], verdict["found"]), ("TGT-FAMILY", "pl330"))
        for wrong, what in (({"family": "nobody's"}, "'family' must be one of"),
                            ({"queue_count": 1}, "a PL330 has queue_count 2"),
                            ({"l1_base": 0x1000000}, "DRAM and L1 overlap")):
            run = self.run_pianola("verify", self.binary, "--device", self.write("wrong.json", wrong), code=USAGE)
            self.assertIn(what, run.stderr)

    def test_inspect(self):
        shown = json.loads(self.run_pianola("inspect", self.binary, "--commands", "--json").stdout)
        target = shown["target"]
        self.assertEqual((target["device_family"], target["attestation"], target["costs"], target["profile"],
                          target["weights_layout"]), ("pl330", "nothing", "not_published", "small_ecu", 1))
        commands = [command for trace in shown["traces"] for command in trace["command_list"]]
        self.assertEqual({command["command"] for command in commands}, {"copy", "fill", "end"})
        self.assertEqual({extent["field"] for command in commands for extent in command["extents"]},
                         {"source", "destination"})
        text = self.run_pianola("inspect", self.binary).stdout
        self.assertIn("attests        nothing but the notification; a session must accept that (least_evidence)", text)
        self.assertIn("costs          not published: deadlines come from the integrator", text)

    def test_size(self):
        shown = json.loads(self.run_pianola("size", self.binary, "--json").stdout)
        device = shown["device"]
        self.assertEqual((device["family"], device["attestation"], device["costs"], device["profile"],
                          device["weights_layout"]), ("pl330", "nothing", "not_published", "small_ecu", 1))
        self.assertEqual(sorted(shown["ram"]),
                         ["driver_bytes", "plan_workspace_bytes", "session_bytes", "verdict_bytes"])
        self.assertEqual(shown["time"]["step_cycles"], 0)
        text = self.run_pianola("size", self.binary).stdout
        self.assertIn("not published: deadlines come from the integrator", text)
        self.assertIn("not published by the device; deadline 60000000 us", text)
        self.assertNotIn("device cycles", text)
        self.assertIn("pl330::EngineSpec kDeviceSpec", self.run_pianola("size", self.binary, "--header").stdout)
        self.assertIn("PIANOLA_DEVICE_DRAM_BYTES", self.run_pianola("size", self.binary, "--ld").stdout)

    def test_the_header_compiles(self):
        self.run_pianola("size", self.binary, "--header", "-o", "manifest.h")
        self.write(
            "main.cpp", '#include "manifest.h"\n'
            'int main() { return static_cast<int>(pianola::manifest::exchange::kStepCycles); }\n')
        run = subprocess.run([
            "g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", f"-I{OPTIONS.source}",
            f"-I{OPTIONS.source}/runtime/include", "-DPIANOLA_PROFILE=kHost", "main.cpp"
        ], check=False, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_run_says_that_there_is_no_simulator(self):
        data = ("--input", self.write("in.bin", bytes(4096)), "--output", "out.bin")
        for arguments in (data, ("--self-test",), (*data, "--threaded"), (*data, "--check-accesses"),
                          (*data, "--views"), (*data, "--log", "l.bin")):
            self.assertIn(NO_SIMULATOR, self.run_pianola("run", self.binary, *arguments, code=USAGE).stderr)
        self.assertFalse((self.folder / "out.bin").exists())

    def test_embed(self):
        self.run_pianola("embed", self.binary, "-o", "exchange.c")
        self.assertIn("exchange[", (self.folder / "exchange.c").read_text(encoding="utf-8"))

    def test_sign_and_receipt(self):
        self.run_pianola("keygen", "-o", "key.pem")
        self.run_pianola("pubkey", "key.pem", "-o", "public.pem")
        self.run_pianola("sign", self.binary, "--key", "key.pem", "-o", "signed.ptb")
        self.run_pianola("verify", "signed.ptb", "--key", "public.pem", "--receipt", "r.json", "--receipt-key",
                         "key.pem")
        shown = json.loads(
            self.run_pianola("receipt", "check", "r.json", "--key", "public.pem", "--binary", "signed.ptb",
                             "--json").stdout)
        device = shown["device"]
        self.assertEqual((device["family"], device["attestation"], device["costs"], device["profile"],
                          device["weights_layout"]), ("pl330", "nothing", "not_published", "small_ecu", 1))
        self.assertIn("pl330, attests nothing, costs not_published",
                      self.run_pianola("receipt", "check", "r.json", "--key", "public.pem").stdout)

    def test_mutate(self):
        report = json.loads(self.run_pianola("mutate", self.binary, "--report-only", "--count", "16", "--json").stdout)
        totals = report["totals"]
        self.assertEqual(totals["as_expected"], totals["mutants"])
        made = {rule["rule"] for rule in report["rules"] if rule["made"]}
        self.assertGreaterEqual(len(made), 80)
        for rule in ("TGT-ATTESTATION", "TGT-COSTS", "TRC-COMMAND", "TRC-BOUNDS", "TRC-PERMISSION", "TRC-UNWRITTEN",
                     "TRC-END", "BUD-DEADLINE"):
            self.assertIn(rule, made)

    def test_log(self):
        """The engine keeps none: the file is judged as the usual device's."""
        self.assertIn("not an execution log", self.run_pianola("log", "show", self.binary, code=FILE_TROUBLE).stderr)
        self.assertIn("not an execution log",
                      self.run_pianola("log", "diff", self.binary, self.binary, code=FILE_TROUBLE).stderr)

    def test_timeline(self):
        text = self.run_pianola("timeline", self.binary, "-o", "t.html").stdout
        self.assertIn("as-captured is not there: device family pl330", text)
        self.assertIn("Device family pl330 publishes no costs", text)
        shown = json.loads(self.run_pianola("timeline", self.binary, "--json").stdout)
        self.assertEqual([mode["mode"] for mode in shown["modes"]],
                         ["eager", "traced", "two-queues", "two-queues-split"])
        self.assertIn(NO_SIMULATOR,
                      self.run_pianola("timeline", self.binary, "--mode", "as-captured", code=USAGE).stderr)

    def test_capture(self):
        engine = self.write("engine.json", {"family": "pl330"})
        if not self.model("ops/reshape_minus1").is_file():
            self.skipTest("../shared/models is not there")
        moves = self.model("ops/reshape_minus1")
        self.run_pianola("capture", moves, "-o", "moves.ptb", "--device", engine, *DEADLINES, "--queues", "2",
                         "--self-test", "2")
        shown = json.loads(self.run_pianola("inspect", "moves.ptb", "--json").stdout)
        self.assertEqual((shown["target"]["device_family"], shown["budgets"]["step_deadline_us"], shown["self_tests"]),
                         ("pl330", 50000, 2))
        self.run_pianola("verify", "moves.ptb")
        for given in ((), DEADLINES[:2], DEADLINES[2:]):
            run = self.run_pianola("capture", moves, "-o", "no.ptb", "--device", engine, *given, code=USAGE)
            self.assertIn("device family pl330 publishes no costs", run.stderr)
        computes = self.run_pianola("capture", self.model("ops/softmax_rows"), "-o", "no.ptb", "--device", engine,
                                    *DEADLINES, code=UNSUPPORTED)
        self.assertIn("command 0: the kernel softmax is nothing that a PL330 can do", computes.stderr)
        run = self.run_pianola("capture", moves, "-o", "no.ptb", "--device",
                               self.write("no.json", {"family": "pl331"}), code=USAGE)
        self.assertIn("'family' must be one of pianola-refdev, pl330", run.stderr)
        self.assertFalse((self.folder / "no.ptb").exists())


if __name__ == "__main__":
    cli_support.main(needs_models=False, more=["--binary-maker"])
