#!/usr/bin/env python3
"""Several files for verify, inspect and size: names, folders, lists, standard input; one order, one exit code; JUnit
and SARIF reports."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import xml.etree.ElementTree

import cli_support
from cli_support import DONE, FILE_TROUBLE, INTERNAL, OPTIONS, REFUSED, UNSUPPORTED, USAGE

COPIES = 300


def shape(required=(), **properties):
    """A JSON Schema of an object."""
    return {"type": "object", "required": list(required) or list(properties), "properties": properties}


def array(items, least=0):
    """A JSON Schema of a list."""
    return {"type": "array", "minItems": least, "items": items}


TEXT = shape(text={"type": "string", "minLength": 10})
LEVEL = {"enum": ["none", "note", "warning", "error"]}
NUMBER = {"type": "integer", "minimum": 0}
# What SARIF 2.1.0 asks of what we write; not its official schema, which is 136 KB.
SARIF_RULE = shape(id={"type": "string", "pattern": "^[A-Z0-9]+(-[A-Z0-9]+)+$"}, shortDescription=TEXT,
                   fullDescription=TEXT, help=TEXT, defaultConfiguration=shape(level=LEVEL))
SARIF_PLACE = shape(physicalLocation=shape(
    artifactLocation=shape(uri={"type": "string", "pattern": "^[A-Za-z0-9._~/%-]+$"}),
    region=shape(byteOffset=NUMBER, byteLength=NUMBER)))
SARIF_RESULT = shape(ruleId={"type": "string"}, ruleIndex=NUMBER, level=LEVEL, message=TEXT,
                     locations=array(SARIF_PLACE, 1),
                     partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}})
SARIF_RUN = shape(
    tool=shape(driver=shape(name={"type": "string"}, version={"type": "string"}, rules=array(SARIF_RULE, 50))),
    invocations=array(shape(executionSuccessful={"type": "boolean"}), 1), results=array(SARIF_RESULT))
SARIF_SCHEMA = shape(version={"const": "2.1.0"}, runs=array(SARIF_RUN, 1), **{"$schema": {"type": "string"}})


def base_name(shown):
    """Of a file in JSON: `size` says it so, others say what was given."""
    return pathlib.Path(shown["file"]).name


class VerifyMany(cli_support.CliTest):
    """A folder of good, damaged and unreadable files."""

    def setUp(self):
        super().setUp()
        binaries, _ = self.random_binaries(1)
        self.good = binaries[0][0]
        self.release = self.folder / "release"
        self.release.mkdir()

    def put(self, name, damage=None):
        """A copy of the good file, with one byte changed."""
        contents = bytearray(self.good.read_bytes())
        if damage is not None:
            contents[damage] ^= 1
        path = self.release / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
        return path

    def test_with_fewer_threads_than_jobs(self):
        """Those that there are do the work, or the memory beside their stacks is too small; no signal ends it."""
        if json.loads(self.run_pianola("doctor", "--json").stdout)["build"]["sanitizers"]:
            self.skipTest("a sanitizer needs more address space than the limit")
        for i in range(64):
            self.put(f"{i}.ptb")

        def few_threads():
            resource.setrlimit(resource.RLIMIT_AS, (200_000_000, 200_000_000))

        run = subprocess.run([OPTIONS.pianola, "verify", self.release, "--jobs", "64"], preexec_fn=few_threads,
                             capture_output=True, text=True, check=False)
        if run.returncode == DONE:
            self.assertIn("64 accepted", run.stdout)
        else:
            self.assertEqual((run.returncode, run.stdout), (INTERNAL, ""))
            self.assertIn("bad_alloc", run.stderr)

    def test_no_name_forges_a_line_or_commands_a_terminal(self):
        name = "a\x1b[32m\nb.ptb: accepted, 1 bytes\x7f.ptb"
        self.put(name, damage=200)
        self.put("c.ptb")
        named = self.folder / name
        named.write_bytes(self.good.read_bytes())
        model = self.write(f"{name}.tflite", "no model")
        for code, *arguments in ((REFUSED, "verify", "release"), (REFUSED, "inspect", "release"),
                                 (REFUSED, "size", "release"), (DONE, "verify", named), (DONE, "inspect", named),
                                 (DONE, "size", named), (DONE, "diff", named, named), (USAGE, "run", named),
                                 (DONE, "embed", named, "-o", f"{name}.c"), (DONE, "keygen", "-o", f"{name}.pem"),
                                 (DONE, "sign", named, "--key", f"{name}.pem", "-o", f"{name}.signed"),
                                 (REFUSED, "receipt", "check", named, "--key", f"{name}.pem"),
                                 (FILE_TROUBLE, "verify", f"missing/{name}"),
                                 (UNSUPPORTED, "capture", model, "-o", "x"),
                                 (UNSUPPORTED, "decompile", named, "--against", model),
                                 (DONE, "timeline", named, "-o", f"{name}.svg"), (DONE, "perf", named),
                                 (FILE_TROUBLE, "log", "show", named), (USAGE, "capture", model, "-o", model),
                                 (USAGE, "diff", named, named, named), (USAGE, named)):
            run = self.run_pianola(*arguments, code=code)
            self.assertNotRegex(run.stdout + run.stderr, "[\x00-\x09\x0b-\x1f\x7f]", arguments)
            self.assertNotRegex(run.stdout + run.stderr, "(?m)^b.ptb", arguments)

    def test_no_listed_file_is_written_over(self):
        binary = self.put("a.ptb")
        self.write("list", str(binary))
        kept = binary.read_bytes()
        for command in ("verify", "inspect", "size"):
            for listed in ("release", "@list"):
                with binary.open("ab") as itself:
                    self.run_pianola(command, listed, code=USAGE, stdout=itself)
                    self.assertEqual(binary.read_bytes(), kept)
                    run = subprocess.run([OPTIONS.pianola, command, listed], stdout=subprocess.PIPE, stderr=itself,
                                         cwd=self.folder, check=False)
                self.assertEqual((run.returncode, run.stdout), (USAGE, b""))
                binary.write_bytes(kept)  # without the message

    def test_a_device_is_read_once(self):
        """A pipe has it once only."""
        self.put("a.ptb")
        self.put("b.ptb")
        for command in ("verify", "size"):
            reader, writer = os.pipe()
            os.write(writer, json.dumps({"profile": "small_ecu"}).encode())
            os.close(writer)
            self.addCleanup(os.close, reader)
            run = self.run_pianola(command, "release", "--device", f"/dev/fd/{reader}", "--json", code=None,
                                   pass_fds=(reader, ))
            self.assertIn(run.returncode, (DONE, REFUSED))
            self.assertEqual(len(json.loads(run.stdout)["files"]), 2)

    def test_another_family_is_a_verdict(self):
        self.put("a.ptb")
        device = self.write("pl330.json", {"family": "pl330"})
        for shown in json.loads(self.run_pianola("verify", "release", self.good, "--device", device, "--json",
                                                 code=REFUSED).stdout)["files"]:
            self.assertEqual((shown["rule"], shown["expected"]), ("TGT-FAMILY", "pl330"))
            self.assertIn("without --device", shown["remedy"])

    def many(self):
        """Hundreds of files at several depths, one in eleven damaged."""
        for i in range(COPIES):
            self.put(f"{i % 7}/{i:05}.ptb", damage=200 + i if i % 11 == 0 else None)
        return sum(1 for i in range(COPIES) if i % 11 == 0)

    def test_every_file_is_looked_at_whatever_the_jobs(self):
        refused = self.many()
        reports = {}
        for jobs in (1, 2, 16):
            options = ("--jobs", jobs, "--report", f"junit=j{jobs}.xml", "--report", f"sarif=s{jobs}.sarif")
            text = self.run_pianola("verify", "release", *options, code=REFUSED).stdout
            shown = self.run_pianola("verify", "release", *options, "--json", code=REFUSED).stdout
            reports[jobs] = (text, shown, (self.folder / f"j{jobs}.xml").read_text(),
                             (self.folder / f"s{jobs}.sarif").read_text())
        self.assertEqual(reports[1], reports[2])
        self.assertEqual(reports[1], reports[16])
        text, shown, _, _ = reports[1]
        self.assertTrue(text.endswith(
            f"{COPIES} files: {COPIES - refused} accepted, {refused} refused, 0 not looked at\n"), text[-200:])
        verdicts = json.loads(shown)
        self.assertEqual((verdicts["accepted"], verdicts["refused"]), (COPIES - refused, refused))
        names = [each["file"] for each in verdicts["files"]]
        self.assertEqual(names, sorted(names))
        self.assertEqual(len(names), COPIES)

    def test_one_bad_file_does_not_hide_the_others(self):
        good, bad = self.put("good.ptb"), self.put("bad.ptb", 300)
        run = self.run_pianola("verify", bad, "missing.ptb", good, "--json", code=FILE_TROUBLE)
        shown = json.loads(run.stdout)
        self.assertEqual([each.get("accepted") for each in shown["files"]], [False, None, True])
        self.assertEqual(shown["files"][1]["error"]["code"], FILE_TROUBLE)
        self.assertEqual(shown["not_looked_at"], 1)
        for command in ("inspect", "size"):
            run = self.run_pianola(command, bad, "missing.ptb", good, "--json", code=FILE_TROUBLE)
            shown = json.loads(run.stdout)["files"]
            self.assertEqual([each.get("error", {}).get("code", DONE) for each in shown], [REFUSED, FILE_TROUBLE, DONE])
            for name in (bad.name, "missing.ptb"):
                self.assertIn(name, run.stderr)
            text = self.run_pianola(command, good, bad, code=REFUSED)
            self.assertIn("bad.ptb", text.stderr)
            self.assertIn("good.ptb", text.stdout)

    def test_a_folder_or_list_without_files_does_not_hide_the_others(self):
        good = self.put("good.ptb")
        (self.folder / "empty").mkdir()
        listed = self.write("nothing.txt", "# nothing\n")
        nested = self.write("nested.txt", f"empty\n{good}\n")
        for without, said in (("empty", "holds no file that ends in .ptb"), (f"@{listed}", "the list names no file"),
                              ("@missing.txt", "No such file")):
            for command in ("verify", "inspect", "size"):
                for arguments in ((without, good), (good, without), (without, f"@{nested}")):
                    run = self.run_pianola(command, *arguments, "--json", code=FILE_TROUBLE)
                    shown = {base_name(each): each.get("error") for each in json.loads(run.stdout)["files"]}
                    self.assertEqual(len(shown), len({*arguments, *(("empty", ) if f"@{nested}" in arguments else ())}))
                    self.assertIsNone(shown[good.name])
                    self.assertIn(said, shown[pathlib.Path(without).name]["message"])
                    self.assertIn(said, run.stderr)
                    self.assertIn(good.name, self.run_pianola(command, *arguments, code=FILE_TROUBLE).stdout)
                alone = self.run_pianola(command, without, "--json", code=FILE_TROUBLE)
                self.assertIn(said, json.loads(alone.stdout)["error"]["message"])
        self.run_pianola("verify", "empty", good, "--report", "junit=r.xml", code=FILE_TROUBLE)
        cases = xml.etree.ElementTree.parse(self.folder / "r.xml").getroot()[0]
        self.assertEqual([case.find("error") is not None for case in cases], [True, False])

    def test_each_file_once_however_it_is_named(self):
        self.put("a.ptb")
        (self.folder / "link").symlink_to("release")
        (self.folder / "b.ptb").symlink_to("release/a.ptb")
        names = ["release/a.ptb", "./release/a.ptb", "release/../release//a.ptb", "link/a.ptb", "b.ptb",
                 str(self.folder / "release/a.ptb"), "release", "./link/"]
        listed = self.write("names.txt", "\n".join(names))
        for first in names[:-2]:
            for command in ("verify", "inspect", "size"):
                run = self.run_pianola(command, first, *names, f"@{listed}", "--json")
                shown = [each["file"] for each in json.loads(run.stdout)["files"]]
                self.assertEqual(shown, [pathlib.Path(first).name if command == "size" else first])
        run = self.run_pianola("verify", "missing", "./missing", "--json", code=FILE_TROUBLE)
        self.assertEqual(len(json.loads(run.stdout)["files"]), 1)
        shutil.copy(self.folder / "release/a.ptb", self.folder / "-")
        with open(self.folder / "-", "rb") as stream:  # standard input is no file of that name
            run = self.run_pianola("verify", "-", "./-", "--json", stdin=stream)
        self.assertEqual([each["file"] for each in json.loads(run.stdout)["files"]], ["-", "./-"])

    def test_one_report_of_each_form(self):
        path = self.put("a.ptb")
        for form in ("junit", "sarif"):
            for names in ((path, ), (path, self.put("b.ptb"))):
                run = self.run_pianola("verify", *names, "--report", f"{form}=1", "--report", f"{form}=2", code=USAGE)
                self.assertIn(f"--report {form}=2", run.stderr)
        self.assertEqual([name for name in ("1", "2") if (self.folder / name).exists()], [])

    def test_what_names_files(self):
        paths = [self.put(name) for name in ("b.ptb", "a/c.ptb", "a/b/d.ptb", "not_this.bin")]
        listed = self.write("names.txt", f"# a comment\n\n{paths[3]}\r\n{self.release / 'a'}\n{paths[0]}\n")
        for arguments, names in (((self.release, ), [paths[2], paths[1], paths[0]]),
                                 ((f"@{listed}", ), [paths[3], paths[2], paths[1], paths[0]]),
                                 ((paths[0], paths[0], self.release), [paths[0], paths[2], paths[1]])):
            shown = json.loads(self.run_pianola("verify", *arguments, "--json").stdout)
            self.assertEqual([each["file"] for each in shown["files"]], [str(name) for name in names])

    def test_standard_input(self):
        path = self.put("a.ptb")
        for command in ("verify", "inspect", "size"):
            with open(path, "rb") as stream:
                shown = json.loads(self.run_pianola(command, "-", "--json", stdin=stream).stdout)
            direct = json.loads(self.run_pianola(command, path, "--json").stdout)
            for each in (shown, direct):
                each.pop("file")
                each.pop("symbol", None)
            self.assertEqual(shown, direct)
        piped = subprocess.run(["sh", "-c", f"cat {path} | {OPTIONS.pianola} verify -"], check=True,
                               capture_output=True, text=True)
        self.assertIn("-: accepted", piped.stdout)
        with open(path, "rb") as stream:
            shown = json.loads(self.run_pianola("verify", "-", self.put("bad.ptb", 9), "--json", code=REFUSED,
                                                stdin=stream).stdout)
        self.assertEqual([each["accepted"] for each in shown["files"]], [True, False])
        self.run_pianola("verify", "-", "-", code=USAGE, stdin=subprocess.DEVNULL)
        shutil.copy(path, self.folder / "same.ptb")
        with open(self.folder / "same.ptb", "rb") as stream:
            self.run_pianola("embed", "-", "-o", "same.ptb", "--format", "c", code=USAGE, stdin=stream)
            self.run_pianola("embed", "-", "-o", "no_name_to_include.S", code=USAGE, stdin=stream)
        self.run_pianola("keygen", "-o", "k.pem")
        self.run_pianola("verify", path, "--receipt", "r.json", "--receipt-key", "k.pem")
        for name, code in (("same.ptb", DONE), ("k.pem", REFUSED)):
            with open(self.folder / name, "rb") as stream:
                self.run_pianola("receipt", "check", "r.json", "--key", "k.pem", "--binary", "-", code=code,
                                 stdin=stream)

    def test_junit(self):
        self.put("good.ptb")
        self.put("bad <&\">.ptb", 250)
        self.run_pianola("verify", "release", "missing\u0007.ptb", "--report", "junit=r.xml", code=FILE_TROUBLE)
        suite = xml.etree.ElementTree.parse(self.folder / "r.xml").getroot()
        self.assertEqual(suite.tag, "testsuites")
        for each in (suite, suite[0]):
            self.assertEqual({name: each.get(name) for name in ("tests", "failures", "errors", "skipped")},
                             {"tests": "3", "failures": "1", "errors": "1", "skipped": "0"})
        cases = {case.get("name"): case for case in suite[0]}
        self.assertEqual(set(cases), {"release/bad <&\">.ptb", "release/good.ptb", "missing?.ptb"})
        self.assertEqual(len(cases["release/good.ptb"]), 0)
        failure = cases["release/bad <&\">.ptb"].find("failure")
        self.assertEqual(failure.get("type"), "ENV-DIGEST")
        self.assertIn("the digest does not match", failure.get("message"))
        self.assertIn("byte", failure.get("message"))
        self.assertEqual(cases["missing?.ptb"].find("error").get("type"), "file")

    def test_sarif(self):
        try:
            import jsonschema  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("no python3-jsonschema")
        self.put("good.ptb")
        self.put("not good.ptb", 250)
        self.run_pianola("verify", "release", "--report", "sarif=r.sarif", code=REFUSED)
        report = json.loads((self.folder / "r.sarif").read_text())
        jsonschema.validate(report, SARIF_SCHEMA)
        run = report["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        (result, ) = run["results"]
        self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        self.assertEqual(result["ruleId"], "ENV-DIGEST")
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "release/not%20good.ptb")
        self.assertIs(run["invocations"][0]["executionSuccessful"], True)
        for wrong in ({"level": "fatal"}, {"locations": []}, {"ruleIndex": -1}):  # the schema can fail
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate({**report, "runs": [{**run, "results": [{**result, **wrong}]}]}, SARIF_SCHEMA)
        self.run_pianola("verify", "release/good.ptb", "missing.ptb", "--report", "sarif=r.sarif", code=FILE_TROUBLE)
        run = json.loads((self.folder / "r.sarif").read_text())["runs"][0]
        self.assertEqual(run["results"], [])
        self.assertIs(run["invocations"][0]["executionSuccessful"], False)
        self.assertIn("missing.ptb", run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"])

    def test_a_report_replaces_nothing_that_is_read(self):
        path = self.put("good.ptb")
        before = path.read_bytes()
        listed = self.write("names.txt", f"{path}\n")
        for arguments in ((path, ), (self.release, ), (f"@{listed}", )):
            run = self.run_pianola("verify", *arguments, "--report", f"junit={path}", code=USAGE)
            self.assertIn("--report", run.stderr)
            self.assertEqual(path.read_bytes(), before)
        self.run_pianola("verify", f"@{listed}", "--report", f"junit={listed}", code=USAGE)

    def test_what_an_accepted_file_says(self):
        path = self.put("good.ptb")
        self.run_pianola("keygen", "-o", "key.pem")
        key = json.loads(self.run_pianola("pubkey", "key.pem", "--format", "json").stdout)["id"]
        self.run_pianola("sign", path, "--key", "key.pem", "--security-version", "5", "-o", "signed.ptb")
        for arguments, state, words in (((path, ), "unsigned", ("none: the file is not signed", )),
                                        (("signed.ptb", ), "not_checked", (f"by key {key}, not checked: no key", )),
                                        (("signed.ptb", "--key", "key.pem"), "valid", (f"by key {key}, valid", ))):
            text = self.run_pianola("verify", *arguments).stdout
            for word in words:
                self.assertIn(word, text)
            shown = json.loads(self.run_pianola("verify", *arguments, "--json").stdout)
            self.assertEqual(shown["signature"]["state"], state)
            self.assertEqual(shown["security_version"], 0 if state == "unsigned" else 5)
            self.assertIn(f"version {shown['security_version']}", text)
            self.assertIn(shown["sha256"], text)
            self.assertIn(f"{shown['rules']['checked']} checked", text)
            self.assertIn("AUT-COUNTER", shown["rules"]["not_applied"])
            self.assertEqual("AUT-KEY" in shown["rules"]["not_applied"], state != "valid")
            listed = sum(1 for line in (OPTIONS.source / "runtime/include/pianola/rules.inc").read_text().splitlines()
                         if line.startswith("PIANOLA_RULE("))
            self.assertEqual(shown["rules"]["checked"] + len(shown["rules"]["not_applied"]), listed)
        refused = json.loads(self.run_pianola("verify", "signed.ptb", "--revoked", "key.pem", "--json",
                                              code=REFUSED).stdout)
        self.assertEqual(refused["signature"]["state"], "refused")


if __name__ == "__main__":
    cli_support.main(needs_models=False)
