#!/usr/bin/env python3
"""Results of shards: what is merged, what is refused, and what is run again. Needs no Slurm: shards are run here."""
import argparse
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

from slurm_support import ROOT, SlurmCase

import merge  # from toolchains/slurm
import run_shard
import store
import submit

SHARDS = 5
OPTIONS = None


class Shards(SlurmCase):
    """A campaign whose shards are run one after another."""

    def make(self, *arguments, out=None, shards=SHARDS, campaign="stand-in"):
        """A campaign that was submitted, without a result."""
        words = self.words("--shards", shards, "--", *arguments, out=out, campaign=campaign)
        return submit.created(submit.parse(words))

    def run_all(self, campaign, but=()):
        """Runs shards as the tasks of an array do."""
        for shard in range(1, campaign.shards + 1):
            if shard not in but:
                self.said(run_shard.main, ["--out", str(campaign.folder), "--shard", str(shard)])

    @staticmethod
    def said(function, words):
        """(exit code, what it has printed)."""
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            code = function(words)
        return code, text.getvalue()

    def merged(self, campaign):
        """(exit code, what merge.py has printed)."""
        return self.said(merge.main, [str(campaign.folder)])

    def serial(self, *arguments, campaign="stand-in"):
        """The report of one run."""
        out = self.folder / "serial"
        code, text = self.said(submit.main, self.words("--serial", "--", *arguments, out=out, campaign=campaign))
        self.assertIn(code, (0, 1), text)
        return (out / "report").read_bytes()

    def assert_refused(self, campaign, *texts):
        """There is no report, and the message has these texts."""
        code, text = self.merged(campaign)
        self.assertEqual(code, 2, text)
        for each in texts:
            self.assertIn(each, text)
        self.assertFalse((campaign.folder / "report").exists())


class TestMerge(Shards):
    """The stand-in's campaign, attacked."""

    def test_report_is_that_of_one_run(self):
        campaign = self.make("--seed", 7)
        self.run_all(campaign)
        self.assertEqual(self.merged(campaign)[0], 0)
        self.assertEqual((campaign.folder / "report").read_bytes(), self.serial("--seed", "7"))

    def test_one_shard_is_the_whole(self):
        campaign = self.make(shards=1)
        self.run_all(campaign)
        self.assertEqual(self.merged(campaign)[0], 0)
        self.assertEqual((campaign.folder / "report").read_bytes(), self.serial())

    def test_missing_shards_are_named_and_an_old_report_goes(self):
        campaign = self.make()
        self.run_all(campaign, but=(2, 4))
        (campaign.folder / "report").write_text("an earlier one", encoding="utf-8")
        self.assert_refused(campaign, "2 of 5 shards", "shard 2: missing", "shard 4: missing", "--resume")

    def test_half_a_file_is_no_result(self):
        campaign = self.make()
        self.run_all(campaign)
        file = campaign.result_file(3)
        whole = file.read_text(encoding="utf-8")
        for text in (whole[:len(whole) // 2], "", "null", "[]", whole.replace("[2, 7", "[2, 8")):
            file.write_text(text, encoding="utf-8")
            self.assert_refused(campaign, "shard 3: damaged")
        self.run_all(campaign)
        self.assertEqual(self.merged(campaign)[0], 0)

    def test_a_program_that_writes_half_a_result_has_failed(self):
        marks = self.folder / "marks"
        marks.mkdir()
        campaign = self.make("--half-once", 2, "--started", marks)
        self.run_all(campaign)
        self.assert_refused(campaign, "1 of 5 shards", "shard 2: failed: exit code 0, no result that can be used")
        self.run_all(campaign)
        self.assertEqual(self.merged(campaign)[0], 0)
        self.assertEqual(len(list(marks.iterdir())), SHARDS + 1, "only the shard without a result was run again")

    def test_a_shard_that_fails_is_reported_and_never_merged(self):
        campaign = self.make("--fails", 4)
        for _ in range(2):
            self.run_all(campaign)
            self.assert_refused(campaign, "shard 4: failed: exit code 3", "the stand-in cannot do this shard")

    def test_a_shard_that_is_killed_is_reported(self):
        campaign = self.make("--ends-badly", 1)
        self.run_all(campaign)
        self.assert_refused(campaign, "shard 1: failed: ended by signal 11")

    def test_findings_are_a_result_and_fail_the_campaign(self):
        campaign = self.make("--finds", 5)
        self.run_all(campaign)
        code, text = self.merged(campaign)
        self.assertEqual(code, 1)
        self.assertIn("shards that have found something: 5;", text)
        self.assertTrue((campaign.folder / "report").exists())

    def test_results_of_another_seed_are_refused(self):
        campaign, other = self.make("--seed", 1), self.make("--seed", 2, out=self.folder / "other")
        self.run_all(campaign)
        self.run_all(other)
        campaign.result_file(2).write_bytes(other.result_file(2).read_bytes())
        self.assert_refused(campaign, "shard 2: of another build, seed or other arguments")

    def test_results_of_another_number_of_shards_are_refused(self):
        campaign, other = self.make(), self.make(out=self.folder / "other", shards=SHARDS + 1)
        self.run_all(campaign)
        self.run_all(other)
        campaign.result_file(2).write_bytes(other.result_file(2).read_bytes())
        self.assert_refused(campaign, "shard 2: of another campaign: stand-in in 6 shards")

    def test_results_of_another_build_are_refused(self):
        campaign = self.make()
        self.run_all(campaign, but=(2, ))
        with open(self.program, "a", encoding="utf-8") as stream:
            stream.write("# another version\n")
        self.run_all(campaign)
        self.assert_refused(campaign, "shard 2: failed: changed since the campaign was submitted", "stand_in.py")
        code, text = self.said(submit.main, self.words("--resume"))
        self.assertEqual(code, 2)
        self.assertIn("changed since the campaign was submitted", text)
        other = self.make(out=self.folder / "other")
        self.run_all(other)
        campaign.result_file(2).write_bytes(other.result_file(2).read_bytes())
        self.assert_refused(campaign, "shard 2: of another build, seed or other arguments")

    def test_a_shard_that_is_there_twice_is_refused(self):
        campaign = self.make()
        self.run_all(campaign)
        campaign.result_file(2).write_bytes(campaign.result_file(3).read_bytes())
        self.assert_refused(campaign, "shard 2: the result of shard 3")
        self.run_all(campaign)
        (campaign.folder / "shards/0006.json").write_bytes(campaign.result_file(3).read_bytes())
        self.assert_refused(campaign, "shards/0006.json: not a shard of this campaign")

    def test_a_changed_campaign_is_refused(self):
        campaign = self.make("--seed", 1)
        self.run_all(campaign)
        file = campaign.folder / "campaign.json"
        asked = json.loads(file.read_text(encoding="utf-8"))
        asked["arguments"] = ["--seed", "2"]
        file.write_text(json.dumps(asked), encoding="utf-8")
        self.assertIn("it was changed", self.merged(campaign)[1])
        file.write_text("{", encoding="utf-8")
        self.assertIn("damaged", self.merged(campaign)[1])
        file.unlink()
        self.assertEqual(self.merged(campaign)[0], 2)

    def test_a_result_that_is_there_is_not_made_again(self):
        campaign = self.make()
        self.run_all(campaign)
        before = {shard: campaign.result_file(shard).stat().st_ino for shard in range(1, SHARDS + 1)}
        self.run_all(campaign)
        self.assertEqual(before, {shard: campaign.result_file(shard).stat().st_ino for shard in before})

    def test_what_cannot_be_submitted(self):
        campaign = self.make("--seed", 1)
        for words, text in ((("--shards", 5), "has a campaign: use --resume"),
                            (("--resume", "--shards", 6), "the campaign has 5"),
                            (("--resume", "--", "--seed", "3"), "the campaign has other arguments: --seed 1")):
            code, said = self.said(submit.main, self.words(*words))
            self.assertEqual(code, 2, said)
            self.assertIn(text, said)
        self.assertIn("--shards is needed", self.said(submit.main, self.words(out=self.folder / "new"))[1])
        self.assertEqual(self.said(run_shard.main, ["--out", str(campaign.folder), "--shard", "6"])[0], 1)
        with self.assertRaises(store.Refused):
            store.Campaign.load(self.folder)


class TestCampaigns(Shards):
    """The real ones: merged, they give the bytes of one run. Each is made short by its arguments."""

    def assert_same(self, campaign, *arguments, shards=3):
        whole = self.serial(*arguments, campaign=campaign)
        parts = self.make(*arguments, campaign=campaign, shards=shards)
        self.run_all(parts)
        code, text = self.merged(parts)
        self.assertEqual(code, 0, text)
        self.assertEqual((parts.folder / "report").read_bytes(), whole)
        self.assertGreater(len(whole), 100)

    def test_simulator(self):
        self.assert_same("simulator.file-changes", "--seed", "3", "--samples", "2", shards=7)

    def test_more_shards_than_there_is_to_do(self):
        self.assert_same("simulator.completions", "--mode", "views-1-fixed-1q-plain-verified", "--mode",
                         "transfers-1-fixed-1q-plain-verified", shards=3)

    def test_fuzzing(self):
        self.assert_same("fuzzing.decoder", "--seed", "5", "--mutants", "50")

    def test_mutation(self):
        files = self.folder / "files"
        files.mkdir()
        subprocess.run([self.build / "bin/pianola_campaign", "write-files", files], check=True)
        self.assert_same("mutation", str(files / "small_0.ptb"), "--count", "8", "--kind", "flip,semantic")

    def test_models(self):
        for out in ("serial", "out"):
            (self.folder / out).mkdir()
            (self.folder / out / "pairs.json").write_text('[["ADD", "INT8"], ["CONV_2D", "INT8"]]', encoding="utf-8")
        self.assert_same("models.random", "--random", "4", "--steps", "2", shards=3)

    def test_bit_flips_on_a_board(self):
        """On what two shards would have written: emulators are not needed to add numbers up."""
        sys.path[:0] = [str(ROOT / "tests/baremetal/campaigns"), str(ROOT / "tests/baremetal/tools")]
        import bit_flips  # pylint: disable=import-outside-toplevel
        board = bit_flips.boards.with_campaign("bit_flips")[0]
        regions = [{"region": "weights", "bytes": 64, "detected": 3, "harmless": 1, "silent": 0, "hung": 0, "missed": 0,
                    "detected_by": {"scrub": 1, "digest": 2}, "not_tolerated": [],
                    "phases": {"running": {"detected": 3, "harmless": 1, "silent": 0, "hung": 0}}}]
        files = []
        for number, change in enumerate(({"shard": [1, 2]}, {"shard": [2, 2]}, {"shard": [2, 2], "seed": 8})):
            files.append(self.folder / f"{number}.json")
            files[-1].write_text(json.dumps({
                "board": board, "seed": 7, "samples": 8, "chosen": None, "release": "verified", "every": False,
                "moments": 5, "regions": regions, **change}), encoding="utf-8")
        record = self.folder / "record.json"
        for chosen, code in (((0, 1), 0), ((0, 2), 2), ((0, ), 2), ((0, 0), 2)):
            words = [board, "--merge", *(str(files[number]) for number in chosen), "--record", str(record)]
            self.assertEqual(self.said(bit_flips.main, words)[0], code, chosen)
        found = json.loads(record.read_text(encoding="utf-8"))
        self.assertTrue(found["whole"])
        self.assertEqual((found["kinds"][0]["injected"], found["kinds"][0]["note"]), (8, "64 bytes; digest 4; scrub 2"))
        self.assertEqual(found["phases"][0]["detected"], 6)

    def test_capacities(self):
        """With counts that are made up: what is compiled for each capacity does not depend on the shard."""
        sys.path.insert(0, str(ROOT / "tests/campaign"))
        import capacity_sweep  # pylint: disable=import-outside-toplevel

        def sweep(_compiler, name, value, _files, _expected):
            counts = {"injected": 2, "detected": 1, "harmless": 1, "silent": 0, "crashed": 0}
            return {"name": name, "from": value, **counts, "steps": [{"value": 1}, {"value": 0}]}

        compiler = mock.Mock()
        compiler.return_value.compile.return_value = ("program", "")
        parts, whole, merged = [], self.folder / "whole.json", self.folder / "merged.json"
        with mock.patch.multiple(capacity_sweep, sweep=sweep, Compiler=compiler, make_files=mock.Mock(return_value=[]),
                                 outcomes=mock.Mock(return_value=[])):
            words = ["--build", ".", "--campaign", "c", "--pianola", "p", "--sample", ".", "--draw", "5", "--record"]
            self.assertEqual(self.said(capacity_sweep.main, [*words, str(whole)])[0], 0)
            for part in range(1, 8):  # more than there are capacities
                parts.append(self.folder / f"part_{part}.json")
                code, text = self.said(capacity_sweep.main, [*words, str(parts[-1]), "--shard", f"{part}/7"])
                self.assertEqual(code, 0, text)
        program = [sys.executable, "-B", ROOT / "toolchains/slurm/merge_records.py", *parts, "--record", merged]
        subprocess.run(program, check=True)
        self.assertEqual(merged.read_bytes(), whole.read_bytes())
        self.assertEqual(len(json.loads(whole.read_text(encoding="utf-8"))["kinds"]), 5)

    def test_records_of_other_shards_are_refused(self):
        program = [sys.executable, "-B", ROOT / "toolchains/slurm/merge_records.py"]
        parts = []
        for part, seed in (("1/2", "1"), ("2/2", "1"), ("2/2", "2")):
            parts.append(self.folder / f"part_{len(parts)}.json")
            subprocess.run([self.build / "bin/pianola_campaign", "file-changes", "--seed", seed, "--samples", "1",
                            "--meshes", "48", "--shard", part, "--record", parts[-1]], check=True,
                           stdout=subprocess.DEVNULL)
        for chosen, code in (((0, 1), 0), ((1, 0), 0), ((0, ), 2), ((0, 0), 2), ((0, 2), 2), ((0, 1, 2), 2)):
            command = [*program, *(parts[number] for number in chosen), "--record", self.folder / "whole.json"]
            self.assertEqual(subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode, code, chosen)


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    PARSER.add_argument("--build", type=pathlib.Path, required=True)
    OPTIONS, REST = PARSER.parse_known_args()
    SlurmCase.build = OPTIONS.build
    unittest.main(argv=[sys.argv[0], *REST])
