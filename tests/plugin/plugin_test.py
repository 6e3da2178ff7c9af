#!/usr/bin/env python3
"""--plugin: every command that takes a binary, with one of a device that the product tree does not know."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import cli_support  # noqa: E402
from cli_support import OPTIONS, DONE, FAULT, FILE_TROUBLE, REFUSED, USAGE  # noqa: E402

COPY, END = "1", "2"
OPTIONS_PYTHON = os.environ.get("PIANOLA_PYTHON_PACKAGE")  # its folder, where the build has the package


class Plugin(cli_support.CliTest):
    """A copy-npu: it copies, and has a simulator without device time, threads or logs."""

    def setUp(self):
        super().setUp()
        self.library = OPTIONS.plugins / "pianola_copy_npu.so"
        self.plugin = ("--plugin", self.library)
        self.digest = hashlib.sha256(self.library.read_bytes()).hexdigest()
        self.binary = self.make("copy.ptb")

    def make(self, name, *arguments):
        """A binary for a copy-npu."""
        subprocess.run([OPTIONS.binary_maker, self.library, self.folder / name, COPY, END, *map(str, arguments)],
                       check=True)
        return self.folder / name

    def test_verify(self):
        shown = json.loads(self.run_pianola("verify", self.binary, *self.plugin, "--json").stdout)
        self.assertEqual((shown["accepted"], shown["plugin"]), (True, self.digest))
        self.assertIn(self.digest, self.run_pianola("verify", self.binary, *self.plugin).stdout)

    def test_without_the_plugin_the_family_is_unknown(self):
        for command in (("verify", self.binary), ("run", self.binary, "--self-test"), ("size", self.binary)):
            run = self.run_pianola(*command, code=REFUSED)
            for part in ("TGT-FAMILY", "no device family 'copy-npu'", "pianola-refdev", "--plugin"):
                self.assertIn(part, run.stdout + run.stderr)

    def test_a_binary_for_the_built_in_device_is_judged_for_it(self):
        stranger = self.write("no.ptb", self.binary.read_bytes().replace(b"copy-npu", b"copy-gpu"))
        damaged = self.run_pianola("verify", stranger, *self.plugin, "--json", code=REFUSED)
        self.assertIn("ENV-", damaged.stdout)
        stranger.write_bytes(cli_support.sealed(stranger.read_bytes()))
        verdict = json.loads(self.run_pianola("verify", stranger, *self.plugin, "--json", code=REFUSED).stdout)
        self.assertIn("no device family 'copy-gpu', but copy-npu, pianola-refdev", verdict["remedy"])

    def test_another_device_of_the_family(self):
        smaller = self.make("smaller.ptb", 32768)
        self.run_pianola("verify", smaller, *self.plugin)
        shown = json.loads(self.run_pianola("size", smaller, *self.plugin, "--json").stdout)
        self.assertEqual(shown["device"]["dram_bytes"], 32768)
        verdict = json.loads(
            self.run_pianola("verify", smaller, *self.plugin, "--device", self.write("d.json", {}), "--json",
                             code=REFUSED).stdout)
        self.assertEqual(verdict["rule"], "TGT-MEMORY")
        run = self.run_pianola("verify", smaller, *self.plugin, "--device", self.write("d.json", {"queue_count": 2}),
                               code=USAGE)
        self.assertIn("a copy-npu has one queue", run.stderr)
        larger = self.make("larger.ptb", 131072)
        self.assertIn("up to 64 KiB", self.run_pianola("verify", larger, *self.plugin, code=REFUSED).stdout)

    def test_inspect(self):
        shown = json.loads(self.run_pianola("inspect", self.binary, *self.plugin, "--commands", "--json").stdout)
        self.run_pianola("inspect", self.binary, *self.plugin, "--html", "page.html")
        self.assertIn(shown["target"]["plugin"], (self.folder / "page.html").read_text(encoding="utf-8"))
        self.assertEqual((shown["target"]["device_family"], shown["target"]["plugin"]), ("copy-npu", self.digest))
        commands = shown["traces"][0]["command_list"]
        self.assertEqual([command["command"] for command in commands], ["copy", "copy", "end"])
        self.assertEqual([extent["field"] for extent in commands[0]["extents"]], ["from", "to"])
        self.assertIs(shown["views"]["possible"], True)

    def test_run(self):
        data = bytes(range(64))
        run = self.run_pianola("run", self.binary, *self.plugin, "--input", self.write("in.bin", data), "--output",
                               "out.bin", "--repeat", "3")
        self.assertEqual((self.folder / "out.bin").read_bytes(), data)
        self.assertIn("the simulator has no device time", run.stdout)
        report = json.loads(
            self.run_pianola("run", self.binary, *self.plugin, "--input", "in.bin", "--output", "out.bin",
                             "--json").stdout)
        self.assertEqual((report["step_cycles"], report["cycles"], report["steps"]), (259, None, 1))

    def test_a_command_that_strays_is_found_by_every_replay_that_looks(self):
        plugin = ("--plugin", OPTIONS.plugins / "pianola_copy_npu_that_strays.so")
        data = ("--input", self.write("in.bin", bytes(64)), "--output", "out.bin")
        for arguments in (data, ("--self-test", ), (*data, "--self-test")):
            self.run_pianola("run", self.binary, *plugin, *arguments)
            (self.folder / "out.bin").unlink(missing_ok=True)
            run = self.run_pianola("run", self.binary, *plugin, *arguments, "--check-accesses", code=FAULT)
            self.assertIn("a command touched bytes outside its extents", run.stderr)
            self.assertFalse((self.folder / "out.bin").exists())

    def test_what_the_simulator_does_not_offer_is_named(self):
        data = ("--input", self.write("in.bin", bytes(64)), "--output", "out.bin")
        for option, what in ((("--threaded", ), "a thread per queue"), (("--check-accesses", ), "checks accesses"),
                             (("--log", "l.bin"), "execution logs")):
            run = self.run_pianola("run", self.binary, *self.plugin, *data, *option, code=USAGE)
            self.assertIn("device family copy-npu", run.stderr)
            self.assertIn(what, run.stderr)
        run = self.run_pianola("run", self.binary, *self.plugin, *data, "--views", code=USAGE)
        self.assertIn("--views: the device shows nobody its memory", run.stderr)
        run = self.run_pianola("timeline", self.binary, *self.plugin, "--mode", "as-captured", code=USAGE)
        self.assertIn("copy-npu does not offer a log of commands", run.stderr)
        run = self.run_pianola("log", "show", self.write("any.log", bytes(64)), *self.plugin, code=USAGE)
        self.assertIn("copy-npu has no execution logs", run.stderr)

    def test_an_executor_of_the_plugin_replays(self):
        data = bytes(range(64))
        arguments = ("run", self.binary, *self.plugin, "--input", self.write("in.bin", data), "--output", "out.bin")
        for device in ("rig", "rig:0"):
            self.run_pianola(*arguments, "--device", device)
            self.assertEqual((self.folder / "out.bin").read_bytes(), data)
            (self.folder / "out.bin").unlink()
            run = self.run_pianola(*arguments, "--device", device, "--check-accesses", code=FAULT)
            self.assertIn("a command touched bytes outside its extents", run.stderr)
        for options, what in ((("rig:1", ), "rig:1 has no power"), (("rig:01", ), "01 has a 0 in front"),
                              (("rig", "--threaded"), "on a Rig device the target of device family copy-npu"),
                              (("vulkan", ), "no Vulkan device")):
            self.assertIn(what, self.run_pianola(*arguments, "--device", *options, code=USAGE).stderr)

    def test_an_executor_of_the_plugin_is_listed_and_known_to_every_command(self):
        shown = json.loads(self.run_pianola("devices", *self.plugin, "--json").stdout)
        self.assertEqual([each for each in shown["devices"] if each["family"] == "copy-npu"],
                         [{"device": "simulator", "family": "copy-npu"},
                          {"device": "rig:0", "family": "copy-npu", "name": "the first rig", "rig": "2.1",
                           "missing": ""},
                          {"device": "rig:1", "family": "copy-npu", "name": "the second rig", "rig": "2.0",
                           "missing": "no power"}])
        self.assertIsNone(shown["no_rig"])
        text = self.run_pianola("devices", *self.plugin).stdout
        self.assertIn("rig:1         copy-npu: the second rig, Rig 2.0; cannot be opened: no power", text)
        self.assertNotIn("rig", self.run_pianola("devices").stdout)
        run = self.run_pianola("verify", self.binary, *self.plugin, "--device", "rig", code=USAGE)
        self.assertIn("only `pianola run` executes on a Rig device", run.stderr)
        self.assertIn("rig", self.run_pianola("verify", self.binary, "--device", "rig", code=FILE_TROUBLE).stderr)

    def test_in_python(self):
        program = ("import sys, numpy, pianola\n"
                   "_, file, plugin, executor = sys.argv\n"
                   "session = pianola.Session(file, plugin=plugin, executor=executor)\n"
                   "record = numpy.arange(64, dtype=numpy.int8).reshape(session.inputs[0]['shape'])\n"
                   "assert (session.run([[record]])[0][0] == record).all()\n"
                   "assert (pianola.replay(file, [{session.inputs[0]['name']: record}], plugin=plugin,\n"
                   "                       executor=executor)[0][session.outputs[0]['name']] == record).all()\n")
        for plugin, executor, what in ((self.library, "simulator", ""), (self.library, "rig", ""),
                                       (self.library, "rig:1", "rig:1 has no power"),
                                       (self.library, "vulkan", "no Vulkan device"),
                                       (self.folder / "missing.so", "rig", "OSError"),
                                       (self.binary, "rig", "PLAYER-TARGET")):
            run = subprocess.run([sys.executable, "-c", program, self.binary, plugin, executor], capture_output=True,
                                 text=True, check=False, env={**os.environ, "PYTHONPATH": OPTIONS_PYTHON})
            self.assertEqual(run.returncode, 1 if what else 0, run.stderr)
            self.assertIn(what, run.stderr)

    def test_size_and_embed(self):
        shown = json.loads(self.run_pianola("size", self.binary, *self.plugin, "--json").stdout)
        self.assertEqual(sorted(shown["ram"]), ["plan_workspace_bytes", "session_bytes", "verdict_bytes"])
        self.assertEqual((shown["rings"]["capacity_words"], shown["time"]["step_cycles"]), (128, 259))
        self.assertIn("kStepCycles = 259U", self.run_pianola("size", self.binary, *self.plugin, "--header").stdout)
        self.run_pianola("embed", self.binary, *self.plugin, "-o", "copy.c")
        self.assertIn("copy[", (self.folder / "copy.c").read_text(encoding="utf-8"))

    def test_sign_and_receipt(self):
        self.run_pianola("keygen", "-o", "key.pem")
        self.run_pianola("sign", self.binary, *self.plugin, "--key", "key.pem", "-o", "signed.ptb")
        self.run_pianola("verify", "signed.ptb", *self.plugin, "--key", "key.pem", "--receipt", "r.json",
                         "--receipt-key", "key.pem")
        shown = json.loads(
            self.run_pianola("receipt", "check", "r.json", "--key", "key.pem", "--binary", "signed.ptb",
                             "--json").stdout)
        self.assertEqual(shown["validator"]["plugin"], self.digest)
        self.assertEqual(shown["device"]["family"], "copy-npu")
        self.assertIn(self.digest, self.run_pianola("receipt", "check", "r.json", "--key", "key.pem").stdout)

    def test_mutate(self):
        report = json.loads(
            self.run_pianola("mutate", self.binary, *self.plugin, "--report-only", "--count", "8", "--json").stdout)
        totals = report["totals"]
        self.assertEqual(totals["as_expected"], totals["mutants"])
        rules = {rule["rule"]: rule for rule in report["rules"]}
        for rule in ("TGT-FAMILY", "TRC-COMMAND", "TRC-END", "TRC-COST", "BUD-CYCLES", "LAY-REGION-OVERLAP"):
            self.assertIn(rule, rules)
        self.assertGreater(rules["TRC-COMMAND"]["made"], 0)
        self.assertIn("the device's target gives no sample of such a command", rules["TRC-KERNEL"]["not_applicable"])

    def test_timeline(self):
        shown = json.loads(self.run_pianola("timeline", self.binary, *self.plugin, "-o", "t.html", "--json").stdout)
        self.assertEqual([mode["mode"] for mode in shown["modes"]], ["eager", "traced"])
        self.assertIn("as-captured is not there: device family copy-npu",
                      self.run_pianola("timeline", self.binary, *self.plugin).stdout)

    def test_what_is_no_plugin_of_this_version(self):
        text = self.write("text.so", "no shared object")
        for library, what in ((OPTIONS.plugins / "pianola_copy_npu_of_another_version.so",
                               "is built for version 6 of the interface"), (OPTIONS.plugins / "pianola_no_target.so",
                                                                            "has no symbol kPianolaTargetPlugin"),
                              (text, "can not be loaded"), (self.folder / "missing.so", "missing.so")):
            for command in (("verify", self.binary), ("inspect", self.binary), ("log", "show", self.binary)):
                self.assertIn(what, self.run_pianola(*command, "--plugin", library, code=FILE_TROUBLE).stderr)

    def test_a_plugin_is_not_looked_for_elsewhere(self):
        """A name without folders is a file of the working folder, never one of the system's libraries."""
        run = self.run_pianola("verify", self.binary, "--plugin", "libm.so.6", code=FILE_TROUBLE)
        self.assertIn("libm.so.6", run.stderr)
        (self.folder / "mine.so").symlink_to(self.library)
        self.assertIn("accepted", self.run_pianola("verify", self.binary, "--plugin", "mine.so", code=DONE).stdout)


if not OPTIONS_PYTHON:  # builds without the package have nothing to skip
    del Plugin.test_in_python


if __name__ == "__main__":
    cli_support.main(needs_models=False, more=["--plugins", "--binary-maker"])
