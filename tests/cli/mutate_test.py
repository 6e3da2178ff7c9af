#!/usr/bin/env python3
"""pianola mutate: every mutant is what its report says, shards make up the whole, and an interrupted run goes on."""
import base64
import hashlib
import itertools
import json
import os
import signal
import subprocess

import cli_support
from cli_support import DIFFERENT, FILE_TROUBLE, OPTIONS, REFUSED, USAGE

RANDOM_KINDS = ("truncation", "flip", "envelope", "structure", "resealed")
QUICK = ("--kind", ",".join(RANDOM_KINDS), "--count", 6)
# A key's SubjectPublicKeyInfo up to its point: RFC 5480, section 2.
KEY_INFO = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
LARGEST = "ENV-FILE-SIZE.too-long"  # 64 MiB
MEMBERS = [
    "format", "tool_version", "file", "device", "seed", "kinds", "count", "jobs", "trusts", "shard", "shards",
    "complete", "mutants", "not_applicable", "rules", "totals", "schema_version"
]


class Mutate(cli_support.CliTest):
    """Mutants, reports, shards."""

    def mutate(self, *arguments, code=cli_support.DONE):
        """The report that the program prints."""
        return json.loads(self.run_pianola("mutate", *arguments, "--json", code=code).stdout)

    def report(self, folder, name="mutants.json"):
        """The report that lies beside the mutants."""
        return json.loads((folder / name).read_text(encoding="utf-8"))

    def trust_options(self, trust):
        """What makes `verify` trust as a report's trust says."""
        options = []
        for key in trust["keys"]:
            info = base64.b64encode(KEY_INFO + bytes.fromhex(key["point"])).decode("ascii")
            path = self.write(f"{key['id']}.pem",
                              f"-----BEGIN PUBLIC KEY-----\n{info[:64]}\n{info[64:]}\n-----END PUBLIC KEY-----\n")
            options += ["--key" if key["state"] == "trusted" else "--revoked", path]
        self.assertEqual(trust["policy"], "required" if options else "optional")
        return options + ["--lowest-security-version", trust["lowest_security_version"]]

    def assert_all_as_expected(self, report):
        """Complete, and each mutant refused."""
        self.assertEqual(list(report), MEMBERS)
        self.assertIs(report["complete"], True)
        for mutant in report["mutants"]:
            self.assertTrue(mutant["as_expected"] and not mutant["verdict"]["accepted"], mutant)
        totals = report["totals"]
        self.assertEqual((totals["accepted"], totals["refused_otherwise"]), (0, 0))
        self.assertEqual(totals["mutants"] + totals["not_applicable"], report["jobs"])

    def test_every_kind_on_captured_models(self):
        for model, queues in (("hello_world_int8", ("--queues", 2, "--pipelined")), ("kws_ref_model", ())):
            report = self.mutate(self.capture(model, *queues), "--report-only")
            self.assert_all_as_expected(report)
            self.assertEqual({mutant["kind"] for mutant in report["mutants"]}, {*RANDOM_KINDS, "semantic"})
            unmade = {rule["rule"]: rule["not_applicable"] for rule in report["rules"] if rule["made"] == 0}
            self.assertEqual(sorted(unmade), ["AUT-COUNTER", "BUD-SETUP-RING", "CAP-WORK", "IMG-BOOL", "TGT-EVIDENCE",
                                              "TGT-INTERVAL"],
                             "rules that a captured model can not break")
            self.assertTrue(all(unmade.values()))
            for rule in report["rules"]:
                self.assertEqual(rule["made"], rule["as_expected"])
                self.assertTrue(rule["alone"] or "never_alone" in rule or "not_applicable" in rule, rule)

    def test_every_rule_on_random_binaries(self):
        """With a prologue, an epilogue, both or neither, pipelined or not: a binary's own scripts are in no operator's
        way."""
        binaries, device = self.random_binaries(60)
        seen, made = {}, set()
        for binary, shown in binaries:
            scripts = {
                script["kind"]: [command["command"] for command in script.get("commands", ())]
                for script in shown["scripts"]
            }
            kind = ("prologue" in scripts, "epilogue" in scripts, "read_output" in scripts.get("epilogue", ()))
            if seen.get(kind, 0) < max(3 // OPTIONS.each, 1):
                seen[kind] = seen.get(kind, 0) + 1
                report = self.mutate(binary, *device, "--report-only", "--kind", "semantic")
                self.assert_all_as_expected(report)
                if any(mutant["name"] == "CAP-COMMANDS.output-in-pieces" for mutant in report["mutants"]):
                    made.add(kind)
        self.assertEqual(set(seen), {(False, False, False), (True, False, False), (False, True, False),
                                     (True, True, False), (True, True, True)})
        self.assertGreaterEqual(made, {(True, False, False), (False, True, False), (True, True, True)},
                                "it needs a pipelined binary, and makes one")

    def test_the_files_are_what_the_report_says(self):
        """Each has its hash, and `verify` gives the verdict, as a port's validator must."""
        binary, folder = self.capture(), self.folder / "mutants"
        device = ("--device", self.write("device.json", {}))  # the mutants' device, whatever device a mutant names
        self.run_pianola("mutate", binary, "-o", folder, "--count", 8)
        report = self.report(folder)
        trusts = {name: self.trust_options(trust) for name, trust in report["trusts"].items()}
        self.assertEqual(
            report["file"], {
                "name": binary.name, "bytes": binary.stat().st_size, "sha256": hashlib.sha256(
                    binary.read_bytes()).hexdigest(), "signature_dropped": False
            })
        self.assertEqual({path.name
                          for path in folder.iterdir()}, {mutant["file"]
                                                          for mutant in report["mutants"]} | {"mutants.json"})
        for mutant in report["mutants"]:
            contents = (folder / mutant["file"]).read_bytes()
            self.assertEqual((hashlib.sha256(contents).hexdigest(), len(contents)), (mutant["sha256"], mutant["bytes"]))
            if mutant["name"] == LARGEST:
                self.assertGreater(len(contents), 64 << 20)
                continue
            if mutant["shift_bytes"] != 0:
                self.assertEqual(contents, binary.read_bytes(), "the file is whole, its place in memory is not")
                continue
            verdict = json.loads(
                self.run_pianola("verify", folder / mutant["file"], *device, *trusts[mutant["trust"]], "--json",
                                 code=REFUSED).stdout)
            for member, name in (("rule", "rule"), ("path", "field"), ("offset", "offset"), ("actual", "actual"),
                                 ("limit", "limit")):
                self.assertEqual(mutant["verdict"][member], verdict[name], mutant["name"])
            expected = mutant["expected"]
            if "rule" in expected:
                self.assertEqual(expected["rule"], verdict["rule"])
            else:
                self.assertIn(verdict["rule"].split("-")[0], expected["any_of_group"])
            self.assertEqual(expected.get("path", verdict["field"]), verdict["field"])

    def test_the_same_seed_gives_the_same_bytes(self):
        binary = self.capture()
        one, same, other = (self.mutate(binary, "--report-only", "--seed", seed, *QUICK) for seed in (5, 5, 6))
        self.assertEqual(one, same)
        self.assertNotEqual([mutant["sha256"] for mutant in one["mutants"]],
                            [mutant["sha256"] for mutant in other["mutants"]])
        self.assert_all_as_expected(other)

    def test_kinds_are_chosen(self):
        binary = self.capture()
        report = self.mutate(binary, "--report-only", "--kind", "flip", "--kind", "truncation", "--count", 3)
        self.assertEqual([mutant["name"] for mutant in report["mutants"]],
                         [f"{kind}.{number:06}" for kind in ("truncation", "flip") for number in range(3)])

    def test_shards_make_up_the_whole(self):
        binary = self.capture()
        whole, parts = self.folder / "whole", self.folder / "parts"
        self.run_pianola("mutate", binary, "-o", whole, *QUICK)
        for shard in (3, 1, 2):
            self.run_pianola("mutate", binary, "-o", parts, "--shard", f"{shard}/3", *QUICK)
        reports = [parts / f"mutants-{shard}of3.json" for shard in (1, 2, 3)]
        merged = self.mutate("--merge", *reports, "-o", parts / "mutants.json")
        self.assertEqual(merged.pop("schema_version"), 1)  # of what is printed, not of the file
        self.assertEqual(merged, self.report(whole))
        self.assertEqual(self.report(parts), merged)
        for path in whole.glob("*.ptb"):
            self.assertEqual(path.read_bytes(), (parts / path.name).read_bytes())
        run = self.run_pianola("mutate", "--merge", *reports[:2], code=USAGE)
        self.assertIn("3/3 is missing", run.stderr)
        run = self.run_pianola("mutate", "--merge", reports[0], *reports, code=USAGE)
        self.assertIn("1/3 is given twice", run.stderr)
        self.run_pianola("mutate", binary, "-o", self.folder / "seed", "--shard", "3/3", "--seed", 9, *QUICK)
        run = self.run_pianola("mutate", "--merge", *reports[:2], self.folder / "seed" / "mutants-3of3.json",
                               code=USAGE)
        self.assertIn("another seed", run.stderr)

    def test_an_interrupted_run_goes_on(self):
        binary, folder = self.capture(), self.folder / "mutants"
        self.run_pianola("mutate", binary, "-o", folder, *QUICK)
        finished = (folder / "mutants.json").read_bytes()
        # As after the eighth mutant; one of these was damaged since, and one is lost.
        half = self.report(folder)
        half["mutants"] = half["mutants"][:8]
        half["complete"] = False
        half["mutants"][0].update({"verdict": {"accepted": True}, "as_expected": False})  # of another validator, say
        (folder / "mutants.json").write_text(json.dumps(half), encoding="utf-8")
        kept, damaged, lost = (folder / half["mutants"][number]["file"] for number in (5, 6, 7))
        before = kept.stat().st_mtime_ns
        right = damaged.read_bytes()
        damaged.write_bytes(b"something else")
        lost.unlink()
        run = self.run_pianola("mutate", binary, "-o", folder, *QUICK)
        self.assertIn("6 of an earlier run", run.stderr)
        self.assertEqual((folder / "mutants.json").read_bytes(), finished)
        self.assertEqual((kept.stat().st_mtime_ns, damaged.read_bytes(), lost.is_file()), (before, right, True))
        run = self.run_pianola("mutate", binary, "-o", folder, "--seed", 2, *QUICK)
        self.assertNotIn("earlier run", run.stderr)

    def test_a_run_that_was_killed_goes_on(self):
        """Killed as soon as there is a report, which is then of a part; what comes out in the end is what one run
        writes."""
        binary, whole, folder = self.capture(), self.folder / "whole", self.folder / "mutants"
        count = 1500 // OPTIONS.each
        many = ("--kind", "flip,resealed", "--count", count)
        self.run_pianola("mutate", binary, "-o", whole, *many)
        with subprocess.Popen([OPTIONS.pianola, "mutate", binary, "-o", folder, *map(str, many)],
                              stdout=subprocess.DEVNULL) as run:
            while run.poll() is None and not (folder / "mutants.json").exists():
                pass
            run.kill()
        self.assertEqual(run.returncode, -signal.SIGKILL, "it was still at work")
        part = self.report(folder)
        self.assertFalse(part["complete"])
        self.assertGreaterEqual(len(part["mutants"]), 32, "what is stored from time to time")
        self.assertLess(len(part["mutants"]), 2 * count)
        run = self.run_pianola("mutate", binary, "-o", folder, *many)
        self.assertIn(f"{len(part['mutants'])} of an earlier run", run.stderr)
        unfinished = list(folder.glob("*.partial-*"))
        self.assertLessEqual(len(unfinished), 1, "what the run was writing when it was killed")
        for path in unfinished:
            path.unlink()
        self.assertEqual(*({path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                            for path in each.iterdir()} for each in (whole, folder)))

    def test_a_signed_binary_is_damaged_without_its_signature(self):
        binary, signed = self.capture(), self.folder / "signed.ptb"
        self.run_pianola("keygen", "-o", "private.pem")
        self.run_pianola("sign", binary, "--key", "private.pem", "--security-version", 0, "-o", signed)
        plain, report = (self.mutate(file, "--report-only", "--count", 6) for file in (binary, signed))
        self.assert_all_as_expected(report)
        self.assertEqual(
            report["file"], {
                "name": "signed.ptb", "bytes": signed.stat().st_size, "sha256": hashlib.sha256(
                    signed.read_bytes()).hexdigest(), "signature_dropped": True
            })
        self.assertEqual(report["mutants"], plain["mutants"])

    def test_a_report_without_files(self):
        binary, folder = self.capture(), self.folder / "report"
        self.run_pianola("mutate", binary, "-o", folder, "--report-only", *QUICK)
        self.assertEqual([path.name for path in folder.iterdir()], ["mutants.json"])

    def test_a_report_of_something_unexpected_ends_with_7(self):
        binary, folder = self.capture(), self.folder / "mutants"
        self.run_pianola("mutate", binary, "-o", folder, *QUICK)
        report = self.report(folder)
        report["mutants"][3]["verdict"] = {"accepted": True}
        report["mutants"][3]["as_expected"] = False
        report["totals"].update({"as_expected": report["totals"]["as_expected"] - 1, "accepted": 1})
        run = self.run_pianola("mutate", "--merge", self.write("wrong.json", report), code=DIFFERENT)
        self.assertIn("expected ENV-*, got accepted", run.stdout)
        self.assertIn("1 accepted", run.stdout)

    def damaged_reports(self, report):
        """Texts of the report with each member missing, of another type, negative, broken, wrapped round, and twice:
        where, and the text. With --each a sample of them."""
        def places(value, path):
            entries = ()
            if isinstance(value, dict):
                entries = value.items()
            elif isinstance(value, list):  # one of each shape
                shapes = {
                    json.dumps(
                        [sorted(each), sorted(each.get("expected", (
                        ))), sorted(each.get("verdict", ()))] if isinstance(each, dict) else ""): number
                    for number, each in enumerate(value)
                }
                entries = [(number, value[number]) for number in shapes.values()]
            for name, each in entries:
                yield (*path, name)
                yield from places(each, (*path, name))

        damages = itertools.product(places(report, ()), ("missing", "other type", -1, 1.5, "wrapped", "twice"))
        for path, what in itertools.islice(damages, 0, None, OPTIONS.each):
            damaged = json.loads(json.dumps(report))
            parent = damaged
            for name in path[:-1]:
                parent = parent[name]
            name, value, twice = path[-1], parent[path[-1]], None
            number = isinstance(value, int) and not isinstance(value, bool)
            if what == "missing":
                del parent[name]
            elif what == "other type":
                parent[name] = "7" if number else {} if isinstance(value,
                                                                   list) else [] if isinstance(value, dict) else 7
            elif what == "wrapped":
                parent[name] = 2 ** 32 + (value if number else 0)
            elif what != "twice":
                parent[name] = what
            elif isinstance(parent, list):
                parent.insert(name, value)
            else:
                parent["twice, marked"], twice = value, name
            text = json.dumps(damaged)
            yield path, what, text if twice is None else text.replace('"twice, marked":', f'"{twice}":')

    def test_a_report_is_believed_as_a_whole_or_not_at_all(self):
        binary, folder = self.capture(), self.folder / "report"
        self.run_pianola("mutate", binary, "-o", folder, "--report-only", "--kind", "truncation,semantic", "--count", 2)
        report = self.report(folder)
        self.run_pianola("mutate", "--merge", self.write("good.json", report))
        tried = 0
        for path, what, text in self.damaged_reports(report):
            # What a run need not write; and the verdict's numbers have 64 bits.
            if (what == "missing" and path[-1] in ("added", "path") and
                    "verdict" not in path) or (what == "wrapped" and path[-1] in ("actual", "limit")):
                continue
            run = self.run_pianola("mutate", "--merge", self.write("damaged.json", text), code=None)
            self.assertIn(run.returncode, (USAGE, FILE_TROUBLE), f"{path}: {what}\n{run.stdout}")
            self.assertIn("damaged.json", run.stderr, f"{path}: {what}")
            tried += 1
        self.assertGreater(tried, 400 // OPTIONS.each)

    def test_another_device_is_another_run(self):
        binary, folder = self.capture(), self.folder / "mutants"
        host = self.write("host.json", {"profile": "host"})
        self.run_pianola("mutate", binary, "-o", folder, "--shard", "1/2", *QUICK)
        run = self.run_pianola("mutate", binary, "-o", folder, "--shard", "1/2", "--device", host, *QUICK)
        self.assertNotIn("earlier run", run.stderr)
        self.assertEqual(self.report(folder, "mutants-1of2.json")["device"]["profile"], "host")
        self.run_pianola("mutate", binary, "-o", folder, "--shard", "2/2", *QUICK)
        run = self.run_pianola("mutate", "--merge", folder / "mutants-1of2.json", folder / "mutants-2of2.json",
                               code=USAGE)
        self.assertIn("another device", run.stderr)

    def test_output_into_a_file_of_the_folder(self):
        """Each name that the folder gets, as standard output and as standard error; others may be."""
        binary = self.capture()
        for stream in ("stdout", "stderr"):
            for name, options, code in (
                    ("mutants.json", (), USAGE), ("flip.000001.ptb", (), USAGE),
                    ("mutants-1of2.json", ("--shard", "1/2"), USAGE), ("mutants.json", ("--report-only", ), USAGE),
                    ("flip.000001.ptb", ("--report-only", ), 0), ("flip.000002.ptb", (), 0), ("else.json", (), 0)):
                folder = self.folder / f"{stream}-{name}{len(options)}"
                folder.mkdir()
                with open(folder / name, "w", encoding="utf-8") as file:
                    run = subprocess.run([
                        OPTIONS.pianola, "mutate", binary, "-o", folder, "--kind", "flip", "--count", "2", "--json",
                        *options
                    ], check=False, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: file})
                self.assertEqual(run.returncode, code, f"{stream} {name} {options}")
                if code:
                    self.assertEqual([path.name for path in folder.iterdir()], [name], "nothing is changed")

    def test_reports_that_are_none(self):
        for contents in ("", "{", "[]", {"mutants": 1}, {"mutants": [], "not_applicable": []},
                         {"mutants": [{}], "not_applicable": []}):
            self.run_pianola("mutate", "--merge", self.write("report.json", contents), code=FILE_TROUBLE)

    def test_wrong_arguments(self):
        binary = self.capture()
        for shard in ("0/2", "3/2", "1", "1/", "/2", "a/b", "1/2/3", "1/5000", "-1/2", "99999999999/2", "1/0"):
            self.run_pianola("mutate", binary, "--report-only", "--shard", shard, code=USAGE)
        for arguments in (("--count", 0), ("--count", 1000001), ("--seed", -1), ("--kind", "bits")):
            self.run_pianola("mutate", binary, "--report-only", *arguments, code=USAGE)
        self.run_pianola("mutate", binary, "-o", binary, code=USAGE)
        self.run_pianola("mutate", binary, "-o", self.write("taken", "x"), code=FILE_TROUBLE)

    def test_a_binary_that_is_refused_has_no_mutants(self):
        contents = bytearray(self.capture().read_bytes())
        contents[-1] ^= 1
        run = self.run_pianola("mutate", self.write("damaged.ptb", bytes(contents)), "-o", self.folder / "mutants",
                               code=REFUSED)
        self.assertIn("refused", run.stderr)
        self.assertFalse((self.folder / "mutants").exists())


if __name__ == "__main__":
    cli_support.main()
