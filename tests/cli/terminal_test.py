#!/usr/bin/env python3
"""Progress and colours on a terminal, which a pseudo terminal stands for; and their absence everywhere else."""
import os
import pty
import re
import select
import time

import cli_support
from cli_support import OPTIONS

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
REDRAW = re.compile(r"\r[^\r\n]+\x1b\[K")


class Terminal(cli_support.CliTest):
    """Commands with standard output and standard error on a terminal."""

    def on_terminal(self, *arguments, code=0, **environment):
        """What the terminal gets, and how long it took."""
        for name in ("NO_COLOR", ):
            environment.setdefault(name, None)
        all_of_them = {**os.environ, "TERM": "xterm", **environment}
        started = time.monotonic()
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execve(OPTIONS.pianola, [str(OPTIONS.pianola), *map(str, arguments)],
                      {name: value for name, value in all_of_them.items() if value is not None})
        said = b""
        while True:
            select.select([terminal], [], [])
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the child is gone
                break
            if not piece:
                break
            said += piece
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), code, said)
        return said.decode(errors="replace"), time.monotonic() - started

    def good_file(self):
        """A binary that takes a while is not needed: colours come at once."""
        binaries, _ = self.random_binaries(1)
        return binaries[0][0]

    def test_colours_are_for_terminals(self):
        good = self.good_file()
        said, _ = self.on_terminal("verify", good)
        self.assertRegex(said, r"\x1b\[32maccepted\x1b\[0m")
        said, _ = self.on_terminal("verify", "missing.ptb", code=6)
        self.assertRegex(said, r"\x1b\[1;31mpianola:\x1b\[0m can not read")
        for arguments, environment in ((("--color", "never"), {}), ((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}),
                                       ((), {"TERM": None})):
            said, _ = self.on_terminal("verify", good, *arguments, **environment)
            self.assertIn("accepted", said)
            self.assertNotRegex(said, COLOUR)
        self.assertNotRegex(self.run_pianola("verify", good).stdout, COLOUR)
        self.assertRegex(self.run_pianola("verify", good, "--color", "always").stdout, COLOUR)
        self.assertRegex(self.run_pianola("--color=always", "verify", good).stdout, COLOUR)
        self.assertNotRegex(self.run_pianola("verify", "missing.ptb", code=6).stderr, COLOUR)

    def grow(self, arguments_for):
        """Arguments that keep a command busy for well over a second on this machine, what the terminal then gets, and
        how long it took."""
        wanted = 400
        while wanted < 1_000_000:
            arguments = arguments_for(wanted)
            said, seconds = self.on_terminal(*arguments)
            if seconds > 3:
                return arguments, said, seconds
            wanted *= 3
        self.fail("nothing takes long")
        return None

    def judge_progress(self, arguments_for, last, result):
        """The line comes, is redrawn at most ten times a second, and is gone before the result."""
        arguments, said, seconds = self.grow(arguments_for)
        drawn = REDRAW.findall(said)
        self.assertGreater(len(drawn), 1, said[:400])
        self.assertLessEqual(len(drawn), 10 * seconds + 2)
        self.assertRegex(drawn[-1], last)
        self.assertRegex(said, r"\r\x1b\[K[^\r]*" + result)
        self.assertEqual(REDRAW.findall(self.on_terminal(*arguments, TERM="dumb")[0]), [])
        plain = self.run_pianola(*arguments)
        self.assertEqual(plain.stderr, "")
        self.assertNotIn("\r", plain.stdout)

    def test_progress_of_many_files(self):
        good = self.good_file()
        folder = self.folder / "many"
        folder.mkdir()

        def arguments_for(count):
            for i in range(len(os.listdir(folder)), count):
                os.link(good, folder / f"{i}.ptb")
            return ("verify", folder, "--jobs", "1")

        self.judge_progress(arguments_for, r"verify, 0 not accepted, \d+/\d+, \d+ s", r".*accepted")

    def test_progress_of_many_mutants(self):
        good = self.good_file()
        self.judge_progress(
            lambda count: ("mutate", good, "--report-only", "--kind", "flip", "--count", count),
            r"mutants \d+/\d+, \d+ s", r".*mutants")

    def test_nothing_is_drawn_for_what_is_quick(self):
        said, seconds = self.on_terminal("verify", self.good_file())
        if seconds < 0.5:
            self.assertEqual(REDRAW.findall(said), [])


if __name__ == "__main__":
    cli_support.main(needs_models=False)
