#!/usr/bin/env python3
"""Progress and colours on a terminal, which a pseudo terminal stands for; and their absence everywhere else."""
import os
import pty
import re
import subprocess
import time

import cli_support
from cli_support import OPTIONS

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
REDRAW = re.compile(r"\r[^\r\n]+\x1b\[K")


class Terminal(cli_support.CliTest):
    """Commands with standard output and standard error on a terminal."""

    def start(self, *arguments, **environment):
        """The command with a new terminal for its output and a pipe for its input, and this side of the terminal."""
        all_of_them = {**os.environ, "TERM": "xterm", "NO_COLOR": None, **environment}
        terminal, end_of_command = pty.openpty()
        self.addCleanup(os.close, terminal)
        command = subprocess.Popen([OPTIONS.pianola, *map(str, arguments)], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=end_of_command, stderr=end_of_command,
                                   env={name: value for name, value in all_of_them.items() if value is not None})
        os.close(end_of_command)
        return command, terminal

    def finish(self, command, terminal, code=0):
        """What the terminal still gets."""
        command.stdin.close()
        said = b""
        try:
            while piece := os.read(terminal, 65536):
                said += piece
        except OSError:  # the command is gone
            pass
        self.assertEqual(command.wait(), code, said)
        return said.decode(errors="replace")

    def on_terminal(self, *arguments, code=0, **environment):
        """What the terminal gets, and how long it took."""
        started = time.monotonic()
        said = self.finish(*self.start(*arguments, **environment), code)
        return said, time.monotonic() - started

    def setUp(self):
        super().setUp()
        binaries, _ = self.random_binaries(1)
        self.good = binaries[0][0]

    def test_colours_are_for_terminals(self):
        said, _ = self.on_terminal("verify", self.good)
        self.assertRegex(said, r"\x1b\[32maccepted\x1b\[0m")
        said, _ = self.on_terminal("verify", "missing.ptb", code=6)
        self.assertRegex(said, r"\x1b\[1;31mpianola:\x1b\[0m can not read")
        for arguments, environment in ((("--color", "never"), {}), ((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}),
                                       ((), {"TERM": None})):
            said, _ = self.on_terminal("verify", self.good, *arguments, **environment)
            self.assertIn("accepted", said)
            self.assertNotRegex(said, COLOUR)
        self.assertNotRegex(self.run_pianola("verify", self.good).stdout, COLOUR)
        self.assertRegex(self.run_pianola("verify", self.good, "--color", "always").stdout, COLOUR)
        self.assertRegex(self.run_pianola("--color=always", "verify", self.good).stdout, COLOUR)
        self.assertNotRegex(self.run_pianola("verify", "missing.ptb", code=6).stderr, COLOUR)

    def judge_progress(self, said, seconds, line, result):
        """The line came after half a second, was redrawn at most ten times a second, and was gone before the result."""
        drawn = REDRAW.findall(said)
        self.assertGreater(len(drawn), 1, said[:400])
        self.assertLessEqual(0.5 + 0.1 * (len(drawn) - 1), seconds)
        self.assertRegex(drawn[-1], line)
        self.assertRegex(said, r"\r\x1b\[K[^\r]*" + result)

    def test_progress_of_many_files(self):
        """The second file is standard input, which the command has to wait for until the line was seen."""
        arguments = ("verify", self.good, "-", "--jobs", "1")
        started = time.monotonic()
        command, terminal = self.start(*arguments)
        said = b""
        while len(REDRAW.findall(said.decode())) < 3:
            said += os.read(terminal, 65536)
        command.stdin.write(self.good.read_bytes())
        whole = said.decode() + self.finish(command, terminal)
        self.judge_progress(whole, time.monotonic() - started, r"verify, 0 not accepted, 1/2, \d+ s", r".*accepted")
        self.assertIn("2 files: 2 accepted", whole)

        command, terminal = self.start(*arguments, TERM="dumb")
        time.sleep(1)  # a line would have come by now
        command.stdin.write(self.good.read_bytes())
        self.assertEqual(REDRAW.findall(self.finish(command, terminal)), [])

    def test_progress_of_many_mutants(self):
        """So many that the line is seen."""
        count, said, seconds = 400, "", 0.0
        while count < 1_000_000 and len(REDRAW.findall(said)) < 2:
            count *= 3
            arguments = ("mutate", self.good, "--report-only", "--kind", "flip", "--count", count)
            said, seconds = self.on_terminal(*arguments)
        self.judge_progress(said, seconds, r"mutants \d+/\d+, \d+ s", r".*mutants")
        self.assertEqual(REDRAW.findall(self.on_terminal(*arguments, TERM="dumb")[0]), [])
        plain = self.run_pianola(*arguments)
        self.assertEqual(plain.stderr, "")
        self.assertNotIn("\r", plain.stdout)

    def test_nothing_is_drawn_for_what_is_quick(self):
        said, seconds = self.on_terminal("verify", self.good)
        if seconds < 0.5:
            self.assertEqual(REDRAW.findall(said), [])


if __name__ == "__main__":
    cli_support.main(needs_models=False)
