#!/usr/bin/env python3
"""Campaigns on a private Slurm cluster with four slots: tasks and the controller are killed, and what comes out is what
one run gives. Exit code 77 where Slurm is not installed."""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from slurm_support import SLURM, SlurmCase

import local_cluster  # from toolchains/slurm

SLOTS, SHARDS, KILLED = 4, 40, 2
PATIENCE_SECONDS = 120.0


class TestCluster(SlurmCase):
    """One cluster for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = local_cluster.Cluster(SLOTS)
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.__exit__)

    def start(self, *more, **where):
        """submit.py, under way."""
        process = subprocess.Popen([sys.executable, "-B", SLURM / "submit.py", *self.words(*more, **where)],
                                   env=self.cluster.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        """(exit code, output)."""
        text, _ = process.communicate(timeout=PATIENCE_SECONDS)
        return process.returncode, text

    def submit(self, *more, **where):
        """submit.py to its end."""
        return self.finish(self.start(*more, **where))

    def until(self, condition):
        """Waits for something to be true, which it returns."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            found = condition()
            if found:
                return found
            self.assertLess(time.monotonic(), end, "it has not come to that")
            time.sleep(0.05)

    def results(self):
        """{name: identity} of all results; one that is written again is another file."""
        return {file.name: (file.stat().st_ino, file.stat().st_mtime_ns)
                for file in (self.out / "shards").glob("*.json")}

    def running(self):
        """{shard: process} of the tasks that run a program just now, as the kernel knows them."""
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if str(SLURM / "run_shard.py").encode() in words and str(self.out).encode() in words:
                    environment = (folder / "environ").read_bytes().split(b"\0")
                    children = (folder / f"task/{folder.name}/children").read_text(encoding="ascii")
                    if children.strip():
                        task = [word for word in environment if word.startswith(b"SLURM_ARRAY_TASK_ID=")]
                        found[int(task[0].split(b"=")[1])] = int(folder.name)
            except (OSError, IndexError):  # it has ended
                continue
        return found

    def kill_tasks(self):
        """Kills tasks that run; those that were killed have no result."""
        killed = set()
        while len(killed) < KILLED:
            shard, process = self.until(lambda: sorted(self.running().items()))[0]
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.until(lambda process=process: not pathlib.Path(f"/proc/{process}/cmdline").exists()
                       or not pathlib.Path(f"/proc/{process}/cmdline").read_bytes())
            if not (self.out / f"shards/{shard:04}.json").exists():
                killed.add(shard)
        return killed

    def test_killed_tasks_are_resumed_and_the_report_is_that_of_one_run(self):
        what = ("--", "--seed", "11", "--samples", "40")
        serial = self.folder / "serial"
        code, text = self.submit("--serial", *what, campaign="simulator.file-changes", out=serial)
        self.assertEqual(code, 0, text)
        whole = (serial / "report").read_bytes()
        process = self.start("--shards", SHARDS, "--slots", SLOTS, "--wait", *what, campaign="simulator.file-changes")
        killed = self.kill_tasks()
        code, text = self.finish(process)
        self.assertEqual(code, 2, text)
        self.assertIn(f"{KILLED} of {SHARDS} shards have no result", text)
        for shard in killed:
            self.assertIn(f"shard {shard}: missing", text)
        self.assertFalse((self.out / "report").exists())
        before = self.results()
        self.assertEqual(len(before), SHARDS - KILLED)
        code, text = self.submit("--resume", "--wait", campaign="simulator.file-changes")
        self.assertEqual(code, 0, text)
        self.assertIn(f"{KILLED} of {SHARDS} shards", text)
        self.assertEqual((self.out / "report").read_bytes(), whole)
        after = self.results()
        self.assertEqual(len(after), SHARDS)
        self.assertEqual({name: after[name] for name in before}, before, "only what was missing was run again")

    def test_the_controller_is_killed_and_started_again(self):
        marks = self.folder / "marks"
        marks.mkdir()
        process = self.start("--shards", 10, "--slots", SLOTS, "--wait", "--", "--seconds", "2", "--started", marks)
        self.until(lambda: len(list(marks.iterdir())) >= 3)
        # It saves its state five seconds after a change at the latest; a job that was submitted after that is lost.
        now, state = time.time(), self.cluster.folder / "state/job_state"
        self.until(lambda: state.exists() and state.stat().st_mtime > now)
        self.cluster.kill_controller()
        self.assertIsNone(process.poll(), "the campaign is under way")
        time.sleep(1.0)
        self.cluster.start_controller()
        code, text = self.finish(process)
        self.assertEqual(code, 0, text)
        self.assertEqual(len(list(marks.iterdir())), 10, "no shard was run twice")
        self.submit("--serial", out=self.folder / "serial")
        self.assertEqual((self.out / "report").read_bytes(), (self.folder / "serial/report").read_bytes())

    def test_a_shard_that_always_fails_is_never_merged_and_the_merge_job_says_so(self):
        marks = self.folder / "marks"
        marks.mkdir()
        code, text = self.submit("--shards", 6, "--slots", SLOTS, "--", "--fails", "2", "--half-once", "5", "--started",
                                 marks)
        self.assertEqual(code, 0, text)
        log = self.out / "log/merge.txt"
        self.until(lambda: log.is_file() and "next:" in log.read_text(encoding="utf-8"))
        text = log.read_text(encoding="utf-8")
        self.assertIn("2 of 6 shards have no result", text)
        self.assertIn("shard 2: failed: exit code 3", text)
        self.assertIn("shard 5: failed: exit code 0", text)
        code, text = self.submit("--resume", "--wait")
        self.assertEqual(code, 2, text)
        self.assertIn("1 of 6 shards have no result", text)
        self.assertFalse((self.out / "report").exists())
        self.assertEqual(len(list(marks.iterdir())), 6 + 2)

    def test_what_still_runs_is_not_resumed(self):
        code, text = self.submit("--shards", 2, "--", "--seconds", "1")
        self.assertEqual(code, 0, text)
        code, text = self.submit("--resume")
        self.assertEqual(code, 2)
        self.assertIn("tasks in the queue", text)
        self.until((self.out / "report").is_file)
        code, text = self.submit("--shards", 2000, out=self.folder / "many")
        self.assertEqual(code, 2)
        self.assertIn("MaxArraySize", text)


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    PARSER.add_argument("--build", type=pathlib.Path, required=True)
    OPTIONS, REST = PARSER.parse_known_args()
    if local_cluster.missing():
        print(f"not installed: {', '.join(local_cluster.missing())}")
        sys.exit(local_cluster.SKIPPED)
    SlurmCase.build = OPTIONS.build
    unittest.main(argv=[sys.argv[0], *REST])
