#!/usr/bin/env python3
"""What --json prints, held to the JSON Schemas in docs/reference/schemas: of every command that has the option, results
and errors."""
import copy
import json
import os
import re
import warnings

import cli_support
from cli_support import (DIFFERENT, DIFFERENT_BINARIES, FILE_TROUBLE, OPTIONS, REFUSED, UNSUPPORTED, USAGE)

NAMES = {("capture", ): ("capture", "operators"), ("receipt", "check"): ("receipt", ), ("log", "show"): ("log_show", ),
         ("log", "diff"): ("log_diff", )}

REFUSAL = ("rule", "message", "field", "offset", "actual", "limit", "kernel", "found", "expected", "between", "missing")


class Schemas(cli_support.CliTest):
    """One case for each group of commands."""

    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            import jsonschema  # pylint: disable=import-outside-toplevel
        except ImportError as error:
            raise cls.skip_all("no python3-jsonschema") from error
        cls.jsonschema = jsonschema
        cls.folder_of_schemas = OPTIONS.source / "docs/reference/schemas"
        cls.schemas = {path.stem: json.loads(path.read_text()) for path in cls.folder_of_schemas.glob("*.json")}

    @staticmethod
    def skip_all(why):
        """For an interpreter without the package."""
        return cli_support.unittest.SkipTest(why)

    def setUp(self):
        super().setUp()
        self.used = set()

    def validator(self, name):
        """Of a schema, with the others to refer to."""
        store = {f"{each}.json": schema for each, schema in self.schemas.items()}
        validator = self.jsonschema.validators.validator_for(self.schemas[name])
        validator.check_schema(self.schemas[name])
        resolver = self.jsonschema.RefResolver(f"{name}.json", self.schemas[name], store)
        return validator(self.schemas[name], resolver=resolver)

    def hold(self, name, *arguments, code=0, **options):
        """Runs a command with --json, and holds what it prints to the schema."""
        shown = json.loads(self.run_pianola(*arguments, "--json", code=code, **options).stdout)
        errors = sorted(self.validator(name).iter_errors(shown), key=str)
        self.assertEqual([f"{list(each.absolute_path)}: {each.message[:300]}" for each in errors[:3]], [], arguments)
        return shown

    def test_every_command_with_json_has_a_schema(self):
        wanted = {"error"}
        listed = re.findall(r"(?m)^  (\w+) +\S", self.run_pianola("--help").stdout.split("Subcommands:")[1])
        commands = [(name, ) for name in listed if name not in ("log", "receipt")]
        for command in commands + [("log", "show"), ("log", "diff"), ("receipt", "check")]:
            if "--json" in self.run_pianola(*command, "--help").stdout:
                wanted.update(NAMES.get(command, command))
        self.assertEqual(wanted, set(self.schemas))
        for name, schema in self.schemas.items():
            self.assertEqual(schema["$id"], f"{name}.json")
            self.assertNotEqual(schema["title"], "")

    def test_capture_and_what_is_made_of_its_binary(self):
        self.make_sample()
        (self.folder / "sample" / "road_signs.tflite").rename(self.folder / "m.tflite")
        self.hold("operators", "capture", "--list-operators")
        for name, options in (("m.ptb", ("--self-test", "2")), ("queues.ptb", ("--queues", "2", "--pipelined")),
                              ("packed.ptb", ("--pack", "mve"))):
            self.hold("capture", "capture", "m.tflite", "-o", name, *options)
            self.hold("inspect", "inspect", name, "--commands")
            self.hold("verify", "verify", name)
            self.hold("size", "size", name)
            self.hold("size", "size", name, "--ftti-us", "1000000", "--period-us", "1000", "--poll-us", "1000",
                      "--reset-us", "100", "--clock-hz", "1000000000", "--cycles-per-instruction", "1",
                      "--port-instructions", "100")
            self.hold("timeline", "timeline", name)
            self.hold("perf", "perf", name)
        self.hold("embed", "embed", "m.ptb", "-o", "m.c")
        self.hold("decompile", "decompile", "m.ptb", "--against", "m.tflite")
        self.hold("diff", "diff", "m.ptb", "packed.ptb", code=DIFFERENT_BINARIES)
        self.hold("diff", "diff", "m.ptb", "m.ptb")
        size = json.loads(self.run_pianola("inspect", "m.ptb", "--json").stdout)["inputs"][0]["bytes"]
        self.write("in.bin", bytes(size))
        self.write("wrong.bin", bytes(8))
        for name, log in (("m.ptb", "a.log"), ("queues.ptb", "b.log")):
            self.hold("run", "run", name, "--input", "in.bin", "--output", "out.bin", "--log", log)
            self.hold("log_show", "log", "show", log)
        devices = json.loads(self.run_pianola("devices", "--json").stdout)["devices"]
        for device in ((), *(("--device", each["device"]) for each in devices if each.get("missing") == "")):
            self.hold("run", "run", "m.ptb", "--self-test", *device)
        self.hold("log_diff", "log", "diff", "a.log", "b.log", code=DIFFERENT)
        self.hold("mutate", "mutate", "m.ptb", "--report-only", "--count", "2")
        shown = self.hold("error", "capture", "m.tflite", "-o", "x.ptb", "--expect", "in.bin", "wrong.bin",
                          code=DIFFERENT)
        self.assertIn("difference", shown)
        self.write("text.tflite", "no model")
        shown = self.hold("error", "capture", "text.tflite", "-o", "x.ptb", code=UNSUPPORTED)
        self.assertIn("unsupported", shown)

    def test_keys_and_receipts(self):
        binary = self.random_binaries(1)[0][0][0]
        self.hold("keygen", "keygen", "-o", "k.pem")
        self.hold("sign", "sign", binary, "--key", "k.pem", "-o", "s.ptb")
        self.hold("sign", "sign", binary, "--public", "k.pem", "--digest-out", "d", "-o", "p.ptb")
        self.run_pianola("keygen", "-o", "other.pem")
        for arguments, code in (((), 0), (("--key", "k.pem"), 0), (("--key", "other.pem"), REFUSED),
                                (("--revoked", "k.pem"), REFUSED)):
            self.hold("verify", "verify", "s.ptb", *arguments, code=code)
        self.hold("verify", "verify", "s.ptb", "missing.ptb", binary, code=FILE_TROUBLE)
        self.hold("verify", "verify", "missing.ptb", "--report", "junit=r.xml", code=FILE_TROUBLE)
        self.run_pianola("verify", "s.ptb", "--receipt", "r", "--receipt-key", "k.pem")
        self.hold("receipt", "receipt", "check", "r", "--key", "k.pem")
        self.run_pianola("verify", "s.ptb", "--key", "other.pem", "--receipt", "r", "--receipt-key", "k.pem",
                         code=REFUSED)
        self.hold("receipt", "receipt", "check", "r", "--key", "k.pem", code=REFUSED)

    def test_random_programs_and_meshes(self):
        for mesh in ((1, 1), (2, 2)):
            names = [path for path, _ in self.random_binaries(4, mesh=mesh)[0]]
            for name in names:
                for command in ("inspect", "size", "verify"):
                    self.hold(command, command, name)
            for command in ("inspect", "size", "verify"):
                self.hold(command, command, *names, "missing.ptb", code=FILE_TROUBLE)
            self.hold("diff", "diff", *names[:2], code=DIFFERENT_BINARIES)

    def test_every_refusal(self):
        binary, folder = self.random_binaries(1)[0][0][0], self.folder / "mutants"
        self.run_pianola("mutate", binary, "-o", folder, "--kind", "semantic", code=None)
        self.assertGreater(len(os.listdir(folder)), 60)
        said = self.hold("verify", "verify", folder, code=REFUSED)["files"]
        refusals = self.hold("size", "size", folder, code=REFUSED)["files"]
        self.assertGreater(len(said), 60)
        self.assertEqual(*([os.path.basename(each["file"]) for each in files] for files in (said, refusals)))
        for verdict, shown in zip(said, refusals):
            self.assertEqual("refusal" in shown, not verdict["accepted"])
            if not verdict["accepted"]:
                self.judge_refusal(verdict, shown)
        self.judge_inspection(folder, said)
        for command in (("inspect", ), ("run", "--self-test"), ("perf", ), ("diff", binary)):
            damaged = self.write("damaged.ptb", binary.read_bytes()[:-64])
            verdict = self.hold("verify", "verify", damaged, code=REFUSED)
            self.judge_refusal(verdict, self.hold("error", *command, damaged, code=REFUSED))

    def judge_inspection(self, folder, verdicts):
        """`inspect` shows all commands of what it can read, and finds views possible only where `verify` accepts."""
        shown = self.hold("inspect", "inspect", folder, "--commands", code=REFUSED)["files"]
        opened = [(each, verdict) for each, verdict in zip(shown, verdicts) if "error" not in each]
        self.assertGreater(len(opened), 40)
        for each, verdict in opened:
            self.assertEqual(each["file"], verdict["file"])
            self.assertEqual(each["views"]["possible"] is None, not verdict["accepted"], each["file"])
        text = self.run_pianola("inspect", folder, "--commands", code=REFUSED).stdout
        decoded = sum(len(trace["command_list"]) for each, _ in opened for trace in each["traces"])
        self.assertEqual(len(re.findall(r"(?m)^      commands\[", text)), decoded)

    def judge_refusal(self, verdict, error):
        """What another command says of a binary that is refused is what `verify` says."""
        told = {member: verdict[member] for member in REFUSAL if member in verdict}
        self.assertEqual(error["refusal"], told)
        self.assertEqual(error["error"]["kind"], "refused")
        self.assertEqual(error["error"]["remedy"], verdict["remedy"])

    def test_the_machine(self):
        self.hold("devices", "devices")
        self.hold("doctor", "doctor")

    def test_errors(self):
        self.write("text", "no binary")
        for arguments, code in ((("verify", "missing.ptb"), FILE_TROUBLE), (("inspect", "text"), REFUSED),
                                (("size", "text"), REFUSED), (("run", "text", "--self-test"), REFUSED),
                                (("verify", ), USAGE), (("verfy", ), USAGE), (("verify", "--jsom", "x"), USAGE),
                                (("embed", "text", "-o", "x.c", "--format", "x"), USAGE),
                                (("log", "show", "text"), FILE_TROUBLE), (("log", "shwo"), USAGE),
                                (("receipt", "check", "text", "--key", "text"), REFUSED),
                                (("diff", "text", "text"), REFUSED), (("perf", "text"), REFUSED),
                                (("keygen", "-o", "missing/k.pem"), FILE_TROUBLE)):
            shown = self.hold("error", *arguments, code=code)
            self.assertEqual(shown["error"]["code"], code)
            for member in ("message", "remedy"):
                said = self.run_pianola(*arguments, code=code).stderr
                self.assertIn(shown["error"][member], said)

    def test_a_schema_can_fail(self):
        """For each: a member too many, the version missing, a version that is not this one."""
        shown = self.hold("devices", "devices")
        for change in (lambda each: each.update(more=1), lambda each: each.pop("schema_version"),
                       lambda each: each.update(schema_version=2), lambda each: each.pop("devices"),
                       lambda each: each["devices"][0].update(family=3)):
            changed = copy.deepcopy(shown)
            change(changed)
            self.assertTrue(list(self.validator("devices").iter_errors(changed)))
        for name in self.schemas:
            self.assertTrue(list(self.validator(name).iter_errors({"schema_version": 1})), name)


if __name__ == "__main__":
    cli_support.main(needs_models=False)
