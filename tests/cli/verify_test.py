#!/usr/bin/env python3
"""pianola verify and inspect: what they accept, what they refuse and how they say so."""
import hashlib
import json

import cli_support
from cli_support import REFUSED, USAGE, sealed

SMALLER_L1 = {"l1_bytes": 65536}


class Verify(cli_support.CliTest):
    """Refusals have a rule, a field and an offset."""

    def refuse(self, *arguments):
        """The verdict of a refused binary."""
        verdict = json.loads(self.run_pianola("verify", *arguments, "--json", code=REFUSED).stdout)
        facts = ["remedy"]
        if "segments" in verdict:  # the header can be read
            facts += ["segments", "security_version", "signature"]
        self.assertEqual(sorted(verdict),
                         sorted(["accepted", "actual", "bytes", "device", "field", "file", "limit", "message", "offset",
                                 "rule", "schema_version", "sha256", *facts]))
        self.assertIs(verdict["accepted"], False)
        self.assertNotEqual(verdict["message"], "")
        text = self.run_pianola("verify", *arguments, code=REFUSED).stdout
        for part in (verdict["rule"], verdict["message"], verdict["remedy"], "refused", "field", "offset"):
            self.assertIn(part, text)
        return verdict

    def test_a_captured_binary_is_accepted(self):
        binary = self.capture()
        self.assertIn("accepted", self.run_pianola("verify", binary).stdout)
        shown = json.loads(self.run_pianola("verify", binary, "--json").stdout)
        self.assertEqual((shown["accepted"], shown["file"], shown["bytes"]), (True, str(binary), binary.stat().st_size))
        self.assertEqual(shown["sha256"], hashlib.sha256(binary.read_bytes()).hexdigest())
        self.assertLess(sum(shown["segments"].values()), shown["bytes"])

    def test_truncated_extended_and_empty_files(self):
        contents = self.capture().read_bytes()
        for size in (0, 1, 100, 191, 192, 1024, len(contents) - 64, len(contents) - 1):
            self.assertRegex(self.refuse(self.write("cut.ptb", contents[:size]))["rule"], r"^ENV-")
        self.assertRegex(self.refuse(self.write("long.ptb", contents + bytes(64)))["rule"], r"^ENV-")

    def test_a_changed_byte_anywhere_is_noticed(self):
        contents = self.capture().read_bytes()
        for offset in (0, 8, 24, 48, 100, 140, 160, 192, len(contents) // 2, len(contents) - 1):
            damaged = bytearray(contents)
            damaged[offset] ^= 0x10
            self.assertRegex(self.refuse(self.write("damaged.ptb", bytes(damaged)))["rule"], r"^ENV-")

    def test_another_device_is_refused(self):
        binary = self.capture()
        other = self.write("other.json", SMALLER_L1)
        verdict = self.refuse(binary, "--device", other)
        self.assertRegex(verdict["rule"], r"^TGT-")
        self.assertIn("l1_bytes", verdict["field"])
        run = self.run_pianola("run", binary, "--device", other, code=REFUSED)
        self.assertIn("TGT-", run.stderr)
        for text in (verdict["remedy"], run.stderr):
            self.assertIn("--device", text)

    def test_json_says_what_the_text_says(self):
        """Of a mutant for every rule: commands, the missing event, names, remedies, and no number that means
        nothing."""
        binary, folder = self.capture("hello_world_int8", "--queues", "2"), self.folder / "mutants"
        self.run_pianola("mutate", binary, "-o", folder, "--kind", "semantic")
        # without it a file is judged for the device that it names
        device = ("--device", self.write("default.json", {}))
        rules = set()
        for path in folder.glob("[!AE]*.ptb"):
            run = self.run_pianola("verify", path, *device, "--json", code=None)
            verdict, text = json.loads(run.stdout), self.run_pianola("verify", path, *device, code=None).stdout
            rule = verdict["rule"]
            rules.add(rule)
            self.assertEqual("between" in verdict, rule in ("ORD-RACE", "ORD-CORES"))
            for command in verdict.get("between", ()):
                self.assertIn(
                    f"{command['command']} {command['object']} on queue {command['queue']} ({command['field']}, "
                    f"{command['script']})",
                    text)
                self.assertEqual(f"({command['field']}, {command['script']}) of the next step" in text,
                                 command["next_step"])
            if "between" in verdict:
                self.assertIn(f"queue {verdict['missing']['recorded_on_queue']} records", text)
                self.assertIn(f"queue {verdict['missing']['waited_for_on_queue']} waits", text)
                self.assertNotIn("found", text)
                self.assertNotIn(str(verdict["actual"]), text)
            self.assertEqual("expected" in verdict, rule in ("TGT-FAMILY", "TGT-KERNEL-LIBRARY"))
            if "expected" in verdict:
                self.assertIn(f"found   {verdict['found']}, expected {verdict['expected']}", text)
            self.assertIn(f"remedy  {verdict['remedy']}", text)
            if rule.startswith("CAP-"):
                self.assertIn(f"found   at least {verdict['actual']}, limit {verdict['limit']}", text)
        self.assertGreaterEqual(rules, {
            "ORD-RACE", "ORD-CORES", "TGT-FAMILY", "TGT-GRID", "TGT-CLOCK", "CAP-COMMANDS", "CAP-INTERVALS",
            "CAP-TABLES"
        })

    def test_views_of_a_foreign_device_are_not_looked_at(self):
        binary, folder = self.capture(), self.folder / "mutants"
        self.assertIs(json.loads(self.run_pianola("inspect", binary, "--json").stdout)["views"]["possible"], True)
        self.run_pianola("mutate", binary, "-o", folder, "--kind", "semantic")
        for name, why in (("TGT-FAMILY.family", "for another device family"), ("TGT-COMMAND-SET.version",
                                                                               "for another device family"),
                          ("TGT-KERNEL-LIBRARY.digest",
                           "for another device family"), ("TRC-BOUNDS.no-region", "the binary is refused: TRC-BOUNDS")):
            views = json.loads(self.run_pianola("inspect", folder / f"{name}.ptb", "--json").stdout)["views"]
            self.assertIsNone(views["possible"])
            self.assertIn(why, views["why_not"])
            self.assertIn(f"not looked at: {views['why_not']}",
                          self.run_pianola("inspect", folder / f"{name}.ptb").stdout)

    def test_a_binary_for_another_device_is_accepted_there_only(self):
        other = self.write("other.json", SMALLER_L1)
        binary = self.capture("hello_world_int8", "--device", other)
        self.run_pianola("verify", binary, "--device", other)
        self.assertRegex(self.refuse(binary, "--device", self.write("default.json", {}))["rule"], r"^TGT-")

    def test_a_binary_says_which_device_it_is_for(self):
        """Without --device: nothing of it need be repeated, however unusual the device."""
        unusual = {
            "dram_base": 0x40000000, "dram_bytes": 2**20, "l1_base": 0x20000000, "l1_bytes": 3 * 2**15,
            "trace_region_bytes": 2**15, "clock_khz": 123_457, "queue_count": 1, "grid_columns": 3, "grid_rows": 1,
            "dram_banks": 7
        }
        binary = self.capture("hello_world_int8", "--self-test", "2", "--device", self.write("unusual.json", unusual))
        self.assertIn("accepted", self.run_pianola("verify", binary).stdout)
        self.assertIn("2 self-tests passed", self.run_pianola("run", binary, "--self-test").stdout)
        sizes = json.loads(self.run_pianola("size", binary, "--json").stdout)["device"]
        self.assertEqual({name: sizes[name] for name in unusual}, unusual)
        self.run_pianola("mutate", binary, "--report-only", "--kind", "envelope", "--count", "2")
        self.run_pianola("embed", binary, "-o", "m.c")
        self.run_pianola("timeline", binary)

    def test_a_device_that_can_not_be_is_none(self):
        """Its numbers are not taken over, and the refusal says why; those of another possible device are."""
        binary, folder = self.capture(), self.folder / "mutants"
        self.run_pianola("mutate", binary, "-o", folder, "--kind", "semantic")
        verdict = self.refuse(folder / "TGT-MEMORY.l1-bytes.ptb")
        self.assertEqual((verdict["rule"], verdict["field"]), ("TGT-MEMORY", "target.l1_bytes"))
        self.assertIn("no device of family 'pianola-refdev' has these sizes: l1_bytes is 262208 for 4 cores",
                      verdict["remedy"])
        clock = folder / "TGT-CLOCK.frequency.ptb"
        self.run_pianola("verify", clock)
        self.assertEqual(self.refuse(clock, "--device", self.write("default.json", {}))["rule"], "TGT-CLOCK")

    def test_an_unknown_family_is_named_with_those_that_are_known(self):
        binary, folder = self.capture(), self.folder / "mutants"
        self.run_pianola("mutate", binary, "-o", folder, "--kind", "semantic")
        stranger = folder / "TGT-FAMILY.family.ptb"
        family = json.loads(self.run_pianola("inspect", stranger, "--json").stdout)["target"]["device_family"]
        for command in (("verify", stranger), ("run", stranger, "--self-test"), ("size", stranger),
                        ("embed", stranger, "-o", "m.c"), ("timeline", stranger), ("mutate", stranger,
                                                                                   "--report-only")):
            run = self.run_pianola(*command, code=REFUSED)
            for part in ("TGT-FAMILY", f"no device family '{family}'", "pianola-refdev", "--plugin"):
                self.assertIn(part, run.stdout + run.stderr, command)
        shown = self.run_pianola("inspect", stranger, "--commands").stdout
        self.assertIn(f"no device family '{family}'", shown)

    def test_a_command_that_was_changed_and_sealed_again_is_refused(self):
        binary = self.capture()
        contents = bytearray(binary.read_bytes())
        traces = int.from_bytes(contents[80 + 2 * 12 + 4:80 + 2 * 12 + 8], "little")
        contents[traces] ^= 0x01  # the first opcode
        verdict = self.refuse(self.write("changed.ptb", sealed(bytes(contents))))
        self.assertRegex(verdict["rule"], r"^TRC-")
        self.assertIn("commands[0]", verdict["field"])

    def test_device_descriptions_are_checked(self):
        binary = self.capture()
        for contents, text in (({"l1_byte": 65536}, "unknown member 'l1_byte'"), ({"l1_bytes": -64}, "l1_bytes"),
                               ({"l1_bytes": "64"}, "l1_bytes"), ({"l1_bytes": 65}, "multiples of 64"),
                               ({"queue_count": 3}, "queue_count"), ({"grid_columns": 0}, "grid_columns"),
                               ({"grid_rows": 9}, "grid_rows"), ({"dram_banks": 0}, "dram_banks"),
                               ({"dram_banks": 9}, "dram_banks"), ({"l1_bytes": 1152}, "multiple of 256"),
                               ({"grid_columns": 3}, "multiple of 384"), ({"l1_base": 0x80000000}, "overlap"), ({
                                   "l1_bytes": 2**32
                               }, "l1_bytes"), ({"profile": "tiny"}, "profile"), ({"profile": 1}, "profile"),
                               ([], "not a JSON object"), ("{", "not a JSON object"), ("", "not a JSON object")):
            run = self.run_pianola("verify", binary, "--device", self.write("spec.json", contents), code=USAGE)
            self.assertIn(text, run.stderr)
            self.assertIn("spec.json", run.stderr)

    def test_inspect_has_stable_keys(self):
        binary = self.capture("kws_ref_model", "--queues", "2")
        shown = json.loads(self.run_pianola("inspect", binary, "--json", "--commands").stdout)
        self.assertEqual(sorted(shown), [
            "budgets", "buffers", "file", "inputs", "outputs", "packed", "parameters", "provenance", "regions",
            "schema_version", "scripts", "self_test_vectors", "self_tests", "state", "target", "traces", "views"
        ])
        self.assertEqual(shown["provenance"]["source_name"], "model.tflite")
        self.assertEqual(shown["inputs"][0]["shape"], [1, 49, 10, 1])
        commands = shown["traces"][0]["command_list"]
        self.assertEqual(len(commands), shown["traces"][0]["commands"])
        self.assertEqual(commands[-1]["command"], "end")
        for command in commands[:-1]:
            self.assertGreater(len(command["extents"]), 0)
        self.assertEqual([script["kind"] for script in shown["scripts"]], ["setup", "step"])
        text = self.run_pianola("inspect", binary, "--commands").stdout
        for word in ("target", "memory", "tensors", "traces", "script step", "budgets", "conv2d", "wait_event"):
            self.assertIn(word, text)

    def test_inspect_refuses_what_is_not_whole(self):
        contents = self.capture().read_bytes()
        run = self.run_pianola("inspect", self.write("cut.ptb", contents[:-1]), code=REFUSED)
        self.assertIn("ENV-", run.stderr)


if __name__ == "__main__":
    cli_support.main()
