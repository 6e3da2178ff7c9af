#!/usr/bin/env python3
"""pianola completion in the shells that are installed, and manual pages."""
import gzip
import re
import shutil
import subprocess

import cli_support
from cli_support import OPTIONS

# What is typed, and what is offered at its end.
TYPED = (("pianola ver", {"verify"}), ("pianola log ", {"show", "diff"}), ("pianola receipt c", {"check"}),
         ("pianola embed --format ", {"c", "asm", "object"}), ("pianola keygen --type e", {"ed25519"}),
         ("pianola capture --pack m", {"mve"}), ("pianola verify a.ptb --lowest", {"--lowest-security-version"}),
         ("pianola diff --fail-on sec", {"security-version"}), ("pianola completion z", {"zsh"}),
         ("pianola verify --key f", {"file.pem", "file.ptb"}), ("pianola inspect f", {"file.pem", "file.ptb"}))


class Completion(cli_support.CliTest):
    """Each shell completes commands of both levels, options, values and files."""

    def setUp(self):
        super().setUp()
        for name in ("file.ptb", "file.pem"):
            self.write(name, "")
        self.scripts = {}
        for shell in ("bash", "zsh", "fish"):
            self.scripts[shell] = self.write(f"pianola.{shell}", self.run_pianola("completion", shell).stdout)

    def need(self, program):
        """Skips the case where a program is not installed."""
        if shutil.which(program) is None:
            self.skipTest(f"no {program}")

    def test_bash(self):
        for typed, offered in TYPED:
            words = typed.split(" ")
            listed = " ".join(f"'{word}'" for word in words)
            script = (f"shopt -s progcomp; compopt() {{ :; }}; source {self.scripts['bash']}; "
                      f"COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _pianola; "
                      "printf '%s\\n' \"${COMPREPLY[@]}\"")
            run = subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(run.stderr, "")
            self.assertLessEqual(offered, set(run.stdout.split()), typed)
            if not typed.endswith(" f"):
                self.assertEqual(set(run.stdout.split()) - {"--help", "-h"}, offered, typed)

    def test_bash_is_clean(self):
        self.need("shellcheck")
        run = subprocess.run(["shellcheck", str(self.scripts["bash"])], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_fish(self):
        self.need("fish")
        for typed, offered in TYPED:
            run = subprocess.run(["fish", "--no-config", "-c", f"source {self.scripts['fish']}; complete -C '{typed}'"],
                                 check=True, capture_output=True, text=True, cwd=self.folder,
                                 env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin"})
            words = {line.split("\t")[0] for line in run.stdout.splitlines()}
            self.assertLessEqual(offered, words, typed)

    def test_zsh(self):
        """Its syntax, and that what it defines offers what bash is offered; compadd and _files are stand-ins."""
        self.need("zsh")
        for typed, offered in TYPED:
            words = " ".join(f"'{word}'" for word in typed.split(" "))
            script = ("compdef() { :; }; _files() { print -l *; }; "
                      "compadd() { if [[ $1 = -a ]]; then print -l -- ${(P)2}; else shift; print -l -- $@; fi; }; "
                      f"source {self.scripts['zsh']}; words=({words}); CURRENT={len(typed.split(' '))}; _pianola")
            run = subprocess.run(["zsh", "-f", "-c", script], check=True, capture_output=True, text=True,
                                 cwd=self.folder)
            self.assertEqual(run.stderr, "")
            last = typed.split(" ")[-1]
            self.assertLessEqual(offered, {word for word in run.stdout.split() if word.startswith(last)}, typed)

    def test_every_command_and_option_is_there(self):
        commands = re.findall(r"(?m)^  (\w+) +\S", self.run_pianola("--help").stdout.split("Subcommands:")[1])
        self.assertGreater(len(commands), 18)
        for command in commands:
            options = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", self.run_pianola(command, "--help").stdout
                                     .split("Options:")[1].split("\n\n")[0]))
            for shell, script in self.scripts.items():
                text = script.read_text()
                self.assertIn(command, text, shell)
                for option in options:
                    spelled = f"-l {option[2:]}" if shell == "fish" else option
                    self.assertIn(spelled, text, f"{shell} {command}")

    def test_a_shell_that_is_not_known(self):
        self.assertIn("bash", self.run_pianola("completion", "bsh", code=cli_support.USAGE).stderr)


class ManualPages(cli_support.CliTest):
    """What the build has made of --help."""

    def test_each_command_has_a_page(self):
        folder = OPTIONS.pianola.parent.parent / "share" / "man1"
        if not folder.is_dir():
            self.skipTest("no help2man")
        for words in ((), ("verify", ), ("log", ), ("log", "show"), ("receipt", "check"), ("doctor", ), ("diff", )):
            name = "-".join(("pianola", *words))
            text = gzip.decompress((folder / f"{name}.1.gz").read_bytes()).decode()
            escaped = name.replace("-", "\\-")
            self.assertIn(f".TH {escaped.upper()} ", text)
            self.assertIn(f".SH NAME\n{escaped} \\- ", text)
            for section in (".SH DESCRIPTION", ".SH OPTIONS"):
                self.assertIn(section, text)
            self.assertNotIn(str(OPTIONS.pianola.parent), text)
            if shutil.which("man"):
                subprocess.run(["man", "--warnings=w", "-E", "UTF-8", "-l", "-Tutf8", folder / f"{name}.1.gz"],
                               check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    cli_support.main(needs_models=False)
