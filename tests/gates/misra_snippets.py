"""Shows of each check of misra/guidelines.csv that it finds what the guideline is about, and nothing else.

A guideline has a snippet in misra/snippets. It is given to the check that the table names, with the configuration and
the compiler's arguments of target code. Findings must be exactly on the lines that end in "// violates", or that are
above a line which ends in "// ^ violates".
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import misra_text

CLANG_TIDY = "clang-tidy-19"
CLANG = "clang++-19"
GCC = "g++"
CONFIGS = (".clang-tidy", "runtime/.clang-tidy", "hal/.clang-tidy")
FINDING = re.compile(r"^(?:[^\n:]*):(\d+):\d+: (?:warning|error): .*\[([^\]\n]+)\]$", re.MULTILINE)
SANITIZER_REPORTS = {"sanitizer-address": "AddressSanitizer", "sanitizer-undefined": "runtime error"}


def snippet_of(root, guideline):
    """The guideline's snippet: None where it has none."""
    stem = root / "misra" / "snippets" / guideline.replace(".", "_")
    return next((path for path in (stem.with_suffix(".cxx"), stem.with_suffix(".hh")) if path.exists()), None)


def marked_lines(text):
    """The numbers of the lines that violate the guideline."""
    lines = text.split("\n")
    return ({number for number, line in enumerate(lines, 1) if line.endswith("// violates")} |
            {number - 1 for number, line in enumerate(lines, 1) if line.endswith("// ^ violates")})


def target_arguments(commands):
    """The compiler's arguments for a source of the runtime, without what names files."""
    entry = next(entry for entry in commands if entry["file"].endswith("runtime/verdict/verdict.cpp"))
    words, kept = iter(shlex.split(entry["command"])), []
    for word in words:
        if word in ("-o", "-MF", "-MT", "-MQ", "-c"):
            if word != "-c":
                next(words, None)
        elif word.startswith(("-W", "-f", "-D", "-std", "-U")):
            kept.append(word)
        elif word == "-isystem":
            kept += [word, next(words)]
    return kept


class Checker:
    """Runs checks on snippets, in folders that claim to be the runtime's."""

    def __init__(self, root, plugin, arguments):
        self.root, self.plugin, self.arguments = root, plugin, arguments

    def is_off(self, check):
        """Whether the configuration of the runtime switches this check off, by a deviation record."""
        return f"  -{check}," in (self.root / "runtime/.clang-tidy").read_text(encoding="utf-8")

    def tidy(self, snippet, checks):
        """Lines where clang-tidy, as toolchains/lint.sh calls it, finds one of `checks`."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for config in CONFIGS:
                (folder / config).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.root / config, folder / config)
            source = folder / "runtime" / snippet.name
            shutil.copy(snippet, source)
            off = [check for check in checks if self.is_off(check)]
            language = ["-x", "c++-header" if snippet.suffix == ".hh" else "c++"]
            run = subprocess.run(
                [CLANG_TIDY, "--quiet", f"--load={self.plugin}", "--checks=" + ",".join(["pianola-own-code", *off]),
                 str(source), "--", CLANG, *self.arguments, *language, "-c", str(source)],
                cwd=folder, capture_output=True, text=True, check=False)
            return {int(match.group(1)) for match in FINDING.finditer(run.stdout)
                    if any(one.strip() in checks for one in match.group(2).split(","))}

    def sanitized(self, snippet, check):
        """(does the sanitizer stop the program where it violates the guideline, and not where it does not)."""
        kind = check.removeprefix("sanitizer-")
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "snippet"
            subprocess.run([CLANG, "-std=c++17", "-g", "-O0", f"-fsanitize={kind}", "-fno-sanitize-recover=all", "-w",
                            "-x", "c++", str(snippet), "-o", str(program)], check=True)
            good = subprocess.run([str(program)], capture_output=True, text=True, check=False)
            bad = subprocess.run([str(program), "violate"], capture_output=True, text=True, check=False)
            return good.returncode == 0 and bad.returncode != 0 and SANITIZER_REPORTS[check] in bad.stderr

    def findings(self, guideline, checks):
        """What is wrong with the checks of a guideline."""
        snippet = snippet_of(self.root, guideline)
        if snippet is None:
            return [f"{guideline}: no snippet"]
        proving = [check for check in checks if not check.startswith("gates.")]
        special = [check for check in proving if check.startswith(("sanitizer-", "link-"))]
        if special:
            shown = {check: self.sanitized(snippet, check) if check.startswith("sanitizer-") else
                     refuses_two_definitions(snippet) for check in special}
            return [f"{guideline}: {check} does not tell the snippet's halves apart"
                    for check, shows in shown.items() if not shows]
        text = snippet.read_text(encoding="utf-8")
        expected = marked_lines(text)
        by_tidy = [check for check in proving if not check.startswith("misra-text-")]
        found = self.tidy(snippet, by_tidy) if by_tidy else set()
        found |= {number for number, check in misra_text.findings(text, snippet.suffix == ".hh") if check in proving}
        problems = [f"{guideline}: {snippet.name}:{line}: no check finds it" for line in sorted(expected - found)]
        problems += [f"{guideline}: {snippet.name}:{line}: found, and is none" for line in sorted(found - expected)]
        return problems if expected else [f"{guideline}: {snippet.name} violates nothing"]


def one_definition(sources, arguments, folder):
    """What GCC's linker says of sources that become one program: types, functions and objects that differ."""
    objects = []
    for number, (source, extra) in enumerate(sources):
        objects.append(str(folder / f"{number}.o"))
        subprocess.run([GCC, *arguments, *extra, "-w", "-O0", "-flto", "-x", "c++", "-c", str(source),
                        "-o", objects[-1]], check=True)
    run = subprocess.run([GCC, "-flto", "-O0", "-Wodr", "-Wlto-type-mismatch", "-Werror=odr",
                          "-Werror=lto-type-mismatch", "-r", "-flinker-output=nolto-rel", "-o", str(folder / "all.o"),
                          *objects], capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


def refuses_two_definitions(snippet):
    """Whether the linker refuses the snippet beside itself with OTHER, and accepts it alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        alone, _ = one_definition([(snippet, [])], ["-std=c++17"], folder)
        both, _ = one_definition([(snippet, []), (snippet, ["-DOTHER"])], ["-std=c++17"], folder)
        return alone == 0 and both != 0
