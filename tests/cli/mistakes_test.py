#!/usr/bin/env python3
"""Mistakes that people make, row by row of mistakes/mistakes.md: the exit code, and that the message says what is
wrong, where, why, and what to do. With --show, prints what each row's command says instead."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import cli_support
from cli_support import OPTIONS, sealed

TABLE = pathlib.Path(__file__).resolve().parent / "mistakes" / "mistakes.md"
NOBODY = 65534
COLUMNS = ("command", "exit", "what", "where", "why", "what to do")


def rows():
    """The table's rows; in a cell, a backslash stands before a bar, and backticks are only for reading."""
    table = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|").strip("`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == len(COLUMNS) and cells[1].isdigit():
            table.append(dict(zip(COLUMNS, cells)))
    return table


class Mistakes(cli_support.CliTest):
    """Each row of the table."""

    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        shutil.copy(OPTIONS.pianola, self.folder / "bin" / "pianola")
        for folder in (self.folder, self.folder / "bin"):
            folder.chmod(0o755)  # for whom has no permission to the files
        self.make_binaries()
        self.make_files()

    def make_binaries(self):
        """Good ones, and those that differ from them in a byte."""
        self.make_sample("--self-test", "1")
        (self.folder / "road_signs.ptb").rename(self.folder / "signs.ptb")
        shutil.copy(self.folder / "sample" / "road_signs.tflite", self.folder / "signs.tflite")
        shutil.rmtree(self.folder / "sample")
        for name, kind in (("key.pem", "p256"), ("other.pem", "p256"), ("receipts.pem", "ed25519")):
            self.run_pianola("keygen", "-o", name, "--type", kind)
        self.run_pianola("sign", "signs.ptb", "--key", "key.pem", "--security-version", "3", "-o", "signed.ptb")
        self.run_pianola("verify", "signs.ptb", "--receipt", "signs.receipt", "--receipt-key", "receipts.pem")
        good = (self.folder / "signs.ptb").read_bytes()
        self.write("cut.ptb", good[:-100])
        self.write("flipped.ptb", good[:5000] + bytes([good[5000] ^ 1]) + good[5001:])
        self.write("later_version.ptb", sealed(good[:8] + b"\x02" + good[9:]))
        self.write("other_schema.ptb", sealed(good[:48] + bytes([good[48] ^ 1]) + good[49:]))
        shown = json.loads(self.run_pianola("inspect", "signs.ptb", "--json").stdout)
        size = shown["inputs"][0]["bytes"]
        for name, count in (("input.bin", size), ("short.bin", size - 1), ("two.bin", 2 * size), ("odd.bin", size + 7)):
            self.write(name, bytes(count))
        self.write("wrong_outputs.bin", bytes(shown["outputs"][0]["bytes"]))

    def make_files(self):
        """What is no binary."""
        self.write("empty", b"")
        self.write("text.txt", "This is no model, and no binary.\n")
        self.write("broken.json", "{\"queue_count\": ")
        self.write("unknown_member.json", {"queues": 2})
        self.write("small.json", {"dram_bytes": 1048576, "l1_bytes": 65536, "trace_region_bytes": 4096})
        self.write("impossible.json", {"l1_bytes": 100})
        self.write("other_family.json", {"family": "toaster"})
        self.write("no_costs.json", {"family": "pl330"})
        self.write("list.txt", "missing.ptb\n")
        self.write("empty_list.txt", "# nothing\n\n")
        (self.folder / "folder").mkdir()
        (self.folder / "locked").mkdir(mode=0o755)
        for name in ("huge.bin", "huge.ptb"):
            self.write(name, b"")
            os.truncate(self.folder / name, 8 << 30)
        shutil.copy(self.folder / "signs.ptb", self.folder / "secret.ptb")
        (self.folder / "secret.ptb").chmod(0)
        if os.geteuid() == 0:
            os.chown(self.folder / "locked", 0, 0)
        else:
            (self.folder / "locked").chmod(0o555)

    def call(self, command):
        """Exit code, and all that is printed."""
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C"}
        words = ["bash", "-c"]
        if command.startswith("as nobody: "):
            command = command.removeprefix("as nobody: ")
            if os.geteuid() == 0:
                words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *words]
        options = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        writer = None
        if command.endswith(" into a closed pipe"):
            command = command.removesuffix(" into a closed pipe")
            reader, writer = os.pipe()
            os.close(reader)
            options = {"stdout": writer, "restore_signals": False}
        run = subprocess.run([*words, command], stderr=subprocess.PIPE, text=True, check=False, cwd=self.folder,
                             env=environment, **options)
        if writer is not None:
            os.close(writer)
        return run.returncode, (run.stdout or "") + run.stderr

    def test_each_row(self):
        table = rows()
        self.assertGreaterEqual(len(table), 60)
        self.assertEqual(len({row["command"] for row in table}), len(table))
        for row in table:
            with self.subTest(row["command"]):
                code, said = self.call(row["command"])
                self.assertEqual(code, int(row["exit"]), said)
                for column in COLUMNS[2:]:
                    self.assertNotEqual(row[column], "")
                    self.assertIn(row[column], said, f"does not say {column}")
                self.assertNotIn("internal error", said)

    def test_a_row_can_fail(self):
        """A message that lacks what its row wants is found."""
        code, said = self.call("pianola verify missing.ptb")
        self.assertEqual(code, cli_support.FILE_TROUBLE)
        self.assertNotIn("road_signs", said)

    def show(self):
        """For whoever adds rows."""
        for row in rows():
            code, said = self.call(row["command"])
            print(f"--- {row['command']} -> {code}\n{said}")


if __name__ == "__main__":
    if "--show" in sys.argv:
        sys.argv.remove("--show")
        Mistakes.test_each_row = Mistakes.show
    cli_support.main(needs_models=False)
