#!/usr/bin/env python3
"""Help, wrong command lines, and a standard output that nobody can write to."""
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

import cli_support
from cli_support import FILE_TROUBLE, OPTIONS, USAGE

COMMANDS = ("capture", "verify", "inspect", "run", "embed", "size", "timeline", "perf", "measure", "mutate", "diff",
            "doctor")
LOG_COMMANDS = ("show", "diff")


class Usage(cli_support.CliTest):
    """What the parser and main() promise."""

    def test_help_lists_every_sub_command_and_exit_code(self):
        text = self.run_pianola("--help").stdout
        for word in (*COMMANDS, "log", "Exit codes:", "Example:"):
            self.assertIn(word, text)
        for code in (*range(8), 70):
            self.assertRegex(text, rf"\b{code} [a-z]")

    def test_every_sub_command_teaches(self):
        for command in COMMANDS:
            text = self.run_pianola(command, "--help").stdout
            for word in ("Usage:", "Options:", "--json"):
                self.assertIn(word, text, command)
            described = [line for line in text.splitlines() if line.startswith("  -") and len(line.split()) > 3]
            self.assertGreaterEqual(len(described), 2, command)
            self.assertRegex(text.rstrip().splitlines()[-1], r"\.$", f"{command}: no explanation at the end")

    def test_log_teaches(self):
        text = self.run_pianola("log", "--help").stdout
        for word in (*LOG_COMMANDS, "Examples:", "exit code 7"):
            self.assertIn(word, text)
        for command in LOG_COMMANDS:
            self.assertIn("--json", self.run_pianola("log", command, "--help").stdout)

    def test_version(self):
        self.assertRegex(self.run_pianola("--version").stdout, r"^pianola \d+\.\d+\.\d+$")

    def test_wrong_command_lines(self):
        for arguments in ((), ("unknown", ), ("capture", ), ("capture", "model.tflite"), ("verify", ), ("run", ),
                          ("inspect", ), ("verify", "a.ptb", "--unknown"), ("capture", "m.tflite", "-o", "m.ptb",
                                                                            "--queues", "3"),
                          ("capture", "m.tflite", "-o", "m.ptb", "--queues",
                           "two"), ("capture", "m.tflite", "-o", "m.ptb", "--self-test",
                                    "257"), ("capture", "m.tflite", "-o", "m.ptb", "--self-test",
                                             "-1"), ("run", "m.ptb", "--repeat", "0"), ("embed", ), ("embed", "a.ptb"),
                          ("embed", "a.ptb", "-o", "a.c", "--format", "hex"), ("size", ), ("size", "a.ptb", "--json",
                                                                                           "--ld"),
                          ("size", "a.ptb", "--header",
                           "--ld"), ("size", "a.ptb", "--header",
                                     "--json"), ("log", ), ("log", "show"), ("log", "diff", "a.log"), ("timeline", ),
                          ("perf", ), ("mutate", ), ("mutate", "a.ptb"), ("mutate", "a.ptb", "-o", "d", "--kind",
                                                                                   "all")):
            self.run_pianola(*arguments, code=USAGE)

    def test_a_command_that_is_not_there_is_named(self):
        for arguments, complaint in ((("foo", ), "pianola has no command 'foo'"), (("foo", "--json"),
                                                                                   "pianola has no command 'foo'"),
                                     (("log", "foo"), "pianola log has no command 'foo'"),
                                     (("receipt", "foo", "x"), "pianola receipt has no command 'foo'")):
            self.assertIn(complaint, self.run_pianola(*arguments, code=USAGE).stderr)

    def test_what_was_probably_meant_is_named(self):
        for arguments, meant in ((("verfy", ), "verify"), (("inspct", "x"), "inspect"), (("exit", ), None),
                                 (("log", "shwo"), "show"), (("verify", "x", "--jsno"), "--json"),
                                 (("verify", "x", "--kye", "k"), "--key"), (("embed", "x", "--outpt", "y"), "--output"),
                                 (("capture", "x", "-o", "y", "--self-tests", "2"), "--self-test"),
                                 (("embed", "x", "-o", "y", "--format", "obj"), "object"),
                                 (("keygen", "-o", "y", "--type", "p265"), "p256"),
                                 (("size", "x", "--frobnicate"), None), (("diff", "a", "b", "--fail-on", "timming"),
                                                                         "timing")):
            said = self.run_pianola(*arguments, code=USAGE).stderr
            self.assertEqual("did you mean" in said, meant is not None, said)
            if meant is not None:
                self.assertIn(f"did you mean {meant}?", said)
            self.assertIn("  remedy  ", said)
            self.assertIn("--help", said)

    def test_bytes_of_a_slice_are_those_of_the_runtime(self):
        config = (OPTIONS.source / "runtime/include/pianola/config.h").read_text()
        slice_bytes = int(re.search(r"kScrubSliceBytes = (\d+)U;", config)[1])
        said = re.findall(r"poll\(\) for each (\d+) KiB", self.run_pianola("capture", "--help").stdout)
        self.assertEqual([int(number) * 1024 for number in said], [slice_bytes])
        pages = [path.read_text() for path in (OPTIONS.source / "docs").rglob("*.md")]
        said = [number for page in pages
                for number in re.findall(r"([\d,]+) bytes of (?:weights and traces|traces\s+and weights)", page)]
        self.assertGreater(len(said), 2)
        self.assertEqual(set(said), {f"{slice_bytes:,}"})

    def test_each_help_has_its_own_examples(self):
        end = self.run_pianola("--help").stdout.rstrip().splitlines()[-1]
        for command in (*COMMANDS, "keygen", "pubkey", "sign", "receipt", "log"):
            text = self.run_pianola(command, "--help").stdout
            self.assertNotIn(end, text.splitlines(), command)
            self.assertNotIn("Exit codes: 0 done", text, command)

    def test_numbers_out_of_their_range(self):
        """Every option that takes one says the range."""
        options = 0
        for command in (*COMMANDS, "keygen", "pubkey", "sign"):
            for name, most in re.findall(r"^ .*(--[a-z-]+) U?INT(?:\S* in \[\d+ - (\d+)\])?",
                                         self.run_pianola(command, "--help").stdout, re.MULTILINE):
                for value in (str(int(most or 0xFFFFFFFF) + 1), "-1"):
                    run = self.run_pianola(command, name, value, code=USAGE)
                    self.assertRegex(run.stderr, rf"{name}: Value {value} not in range", command)
                options += 1
        self.assertGreaterEqual(options, 8)

    def test_missing_files(self):
        for arguments in (("capture", "missing.tflite", "-o",
                           "m.ptb"), ("verify", "missing.ptb"), ("inspect", "missing.ptb"), ("run", "missing.ptb"),
                          ("verify", self.folder), ("verify", "missing.ptb", "--device", "missing.json"),
                          ("embed", "missing.ptb", "-o", "m.c"), ("size", "missing.ptb"), ("timeline", "missing.ptb"),
                          ("perf", "missing.ptb"),
                          ("mutate", "missing.ptb", "--report-only"), ("mutate", "--merge", "missing.json"),
                          ("log", "show", "missing.log"), ("log", "diff", "missing.log", "a.log")):
            run = self.run_pianola(*arguments, code=FILE_TROUBLE)
            self.assertRegex(run.stderr, r"can not read \S+")

    def test_a_full_or_closed_standard_output_is_noticed(self):
        binary = self.capture()
        for arguments in (("verify", binary), ("inspect", binary), ("inspect", binary, "--commands", "--json"),
                          ("--help", )):
            with open("/dev/full", "w", encoding="utf-8") as full:
                self.run_pianola(*arguments, code=FILE_TROUBLE, stdout=full)
            quoted = [str(OPTIONS.pianola), *map(str, arguments)]
            run = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *quoted], stderr=subprocess.PIPE, text=True,
                                 check=False)
            self.assertEqual(run.returncode, FILE_TROUBLE, f"{arguments}: {run.stderr}")

    def test_a_full_or_closed_standard_error_changes_nothing(self):
        """Results and exit codes are those of a standard error that somebody reads."""
        binary = self.capture()
        gone = self.folder / "gone.ptb"
        for arguments in (("verify", binary), ("verify", gone), ("verify", gone, "--json"), ("verify", binary, gone),
                          ("inspect", binary, gone, "--json"), ("verify", "--jsom"), ("run", binary, "--repeat", "0"),
                          ("mutate", binary, "--report-only", "--count", "1", "--kind", "flip")):
            quoted = [str(OPTIONS.pianola), *map(str, arguments)]
            heard = self.run_pianola(*arguments, code=None)
            for target in ("&-", "/dev/full"):
                run = subprocess.run(["sh", "-c", f'"$@" 2>{target}', "sh", *quoted], stdout=subprocess.PIPE, text=True,
                                     check=False)
                self.assertEqual((run.returncode, run.stdout), (heard.returncode, heard.stdout), (arguments, target))
            run = subprocess.run(["sh", "-c", '"$@" >&- 2>&-', "sh", *quoted], check=False)
            self.assertIn(run.returncode, (FILE_TROUBLE, heard.returncode), arguments)

    def test_a_name_that_no_source_can_hold_is_no_obstacle(self):
        """Of a file in another language, or none: only an assembler source must have the name itself."""
        contents = self.capture().read_bytes()
        for name in ("zeichen_f\u00fcr.ptb", 'a"b*.ptb', "two\nlines.ptb", "no\udcffutf.ptb"):
            binary = self.write(name, contents)
            for arguments in (("size", ), ("size", "--json"), ("size", "--header"), ("size", "--ld"), ("perf", ),
                              ("perf", "--json"), ("timeline", "--json"), ("timeline", "-o", "t.html"),
                              ("timeline", "-o", "t.svg"), ("timeline", "-o", "t.json"),
                              ("inspect", "--html", "i.html"),
                              ("mutate", "--report-only", "--count", "1", "--kind", "flip", "-o", "mutants"),
                              ("embed", "-o", "e.c", "--header", "e.h")):
                self.run_pianola(arguments[0], binary, *arguments[1:], errors="surrogateescape")
            xml.etree.ElementTree.parse(self.folder / "t.svg")
            for output in ("t.html", "i.html", "t.json", "e.c", "e.h", "mutants/mutants.json"):
                (self.folder / output).read_text(encoding="utf-8")
            self.run_pianola("mutate", "--merge", "mutants/mutants.json")
            shutil.rmtree(self.folder / "mutants")
            run = self.run_pianola("embed", binary, "-o", "e.S", code=USAGE, errors="surrogateescape")
            self.assertIn("printable ASCII", run.stderr)
        self.run_pianola("size", self.folder, errors="surrogateescape")

    def test_numbers_with_zeros_in_front_are_not_octal(self):
        binary = self.capture()
        self.run_pianola("keygen", "-o", "k.pem")
        sign = ("sign", binary, "--key", "k.pem", "-o", "s.ptb", "--security-version")
        for command in (sign, ("run", binary, "--self-test", "--repeat"), ("timeline", binary, "--steps")):
            for number in ("010", "007", "00"):
                run = self.run_pianola(*command, number, code=USAGE)
                self.assertIn(number, run.stderr)
        for number, value in (("10", 10), ("0x10", 16), ("0", 0)):
            self.run_pianola(*sign, number)
            shown = json.loads(self.run_pianola("verify", "s.ptb", "--json").stdout)
            self.assertEqual(shown["security_version"], value)

    def test_no_option_takes_a_number_with_zeros_in_front(self):
        """Counts, sizes, parts of a whole, and values of names: whichever the help lists."""
        named = set()
        for command in (*COMMANDS, "keygen", "pubkey", "sign"):
            for name, kind in re.findall(r"^ .*(--[a-z0-9-]+) (U?INT|FLOAT|NAME=)",
                                         self.run_pianola(command, "--help").stdout, re.MULTILINE):
                for value in ("010", "-00", "+07", "\t010", "010M",
                              *(("01/2", "1/02", "a=010", "a=b=00") if kind == "NAME=" else ())):
                    run = self.run_pianola(command, f"{name}={value}", code=USAGE)
                    self.assertIn("a 0 in front", run.stderr, (command, name))
                    self.assertIn(value, run.stderr)
                named.add(name)
        self.assertLessEqual({"--dram", "--l1", "--trace-region", "--shard", "--set", "--jobs", "--clock-hz"}, named)
        self.assertIn("a 0 in front", self.run_pianola("run", "x", "--device", "vulkan:01", code=USAGE).stderr)
        for arguments in (("verify", "007"), ("verify", "a=01"), ("embed", "x", "-o", "01.c"),
                          ("embed", "x", "-o", "x.o", "--compiler", "cc", "--compiler-flag=-Da=010"),
                          ("mutate", "x", "--shard", "1/10", "--report-only"), ("run", "x", "--set", "a=0")):
            self.run_pianola(*arguments, code=FILE_TROUBLE)  # names and numbers as they should be, of files that miss

    def test_long_output_into_a_full_device(self):
        binary = self.capture("vww_96_int8")
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.run_pianola("inspect", binary, "--commands", code=FILE_TROUBLE, stdout=full)
            self.run_pianola("inspect", binary, "--commands", "--json", code=FILE_TROUBLE, stdout=full)

    def test_a_reader_that_goes_away_is_no_defect(self):
        binary = self.capture("vww_96_int8")
        read_end, write_end = os.pipe()
        os.close(read_end)
        with open(write_end, "wb") as gone:
            run = subprocess.run([OPTIONS.pianola, "inspect", binary, "--commands"], stdout=gone,
                                 stderr=subprocess.PIPE, text=True, check=False)
        self.assertIn(run.returncode, (FILE_TROUBLE, -13), run.stderr)


if __name__ == "__main__":
    cli_support.main()
