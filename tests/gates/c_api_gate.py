#!/usr/bin/env python3
"""Gate: every public function of the session has its counterpart in C, and C of the project follows MISRA C:2012.

Counterparts: the public functions of class Session, the free functions of session.h, and the constants of footprint.h,
are read from the C++ headers; each must be in runtime/c/pianola.h as pnl_session_<name>, or under the name that RENAMED
gives it. What is new in C++ is therefore a finding.

Constants: what the conformance kit holds a port to, a port in C has to know. Each constant of the runtime's headers for
ports that the kit's sources use must be compared with its macro in runtime/c/twins.cpp.

MISRA: cppcheck's addon over the C API's headers and docs/examples/c. The rules of DEVIATIONS have a row in
misra/README.md; a finding of any other rule fails, and so does a row that nothing needs any more.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from own_sources import report

SESSION = "runtime/include/pianola/session.h"
# What stands beside the class, and an application can use.
BESIDE = ("runtime/include/pianola/session_config.h", "runtime/include/pianola/footprint.h")
C_HEADER = "runtime/c/pianola.h"
TWINS, KIT = "runtime/c/twins.cpp", "hal/port_kit"
PORT_HEADERS = ("config.h", "device.h", "command_set.h", "signature.h")
# What the kit compares with, and a port does not have to know: the runtime's own bounds.
NOT_FOR_PORTS = {"kMaxIntervals", "kMaxPatchesPerCommand", "kMaxScriptCycles"}
EXAMPLE = ("Pnl.c", "app.c", "board_config.c")
# Overloads by the number of their parameters, and what has another form in C.
RENAMED = {
    ("submit", 0): "pnl_session_submit_views",
    ("self_test", 1): "pnl_session_self_test_all",
    ("Session", 4): "pnl_session_init",
    ("validate", 8): "pnl_validate",
    ("is_enough", 2): "pnl_is_enough",
    ("kSubmitPollStackBytes", None): "PNL_SUBMIT_POLL_STACK_BYTES",
    ("kLoadStackBytes", None): "PNL_LOAD_STACK_BYTES",
}
# Numbers for hosts that can not ask sizeof: C has the types.
NOT_IN_C = {"kVerdictBytes32", "session_bytes32", "plan_workspace_bytes32"}
COMMENT = re.compile(r"//[^\n]*")
FUNCTION = re.compile(r"(?<![\w.>:])(\w+)\(([^()]*)\)\s*(?:const )?noexcept")
CONSTANT = re.compile(r"inline constexpr std::uint(?:32|64)_t (k\w+) =")
PORT_CONSTANT = re.compile(r"^inline constexpr std::uint(?:32|64)_t (k\w+) =", re.MULTILINE)
FREE = re.compile(r"^(?:\[\[nodiscard\]\] )?(?:constexpr )?[\w:]+ (\w+)\(([^()]*)\) noexcept", re.MULTILINE)
FINDING = re.compile(r"^(\S+?):(\d+):.*\[(misra-c2012-[\d.]+)\]$", re.MULTILINE)
ROW = re.compile(r"^\| (\d+\.\d+) \|", re.MULTILINE)


def parameters(text):
    """How many there are."""
    depth, count = 0, 1 if text.strip() else 0
    for character in text:
        depth += {"<": 1, ">": -1}.get(character, 0)
        count += character == "," and depth == 0
    return count


def public_functions(session, beside):
    """(name, number of parameters; None of a constant) of all that an ECU's application can use."""
    session, beside = COMMENT.sub("", session), COMMENT.sub("", beside)
    begin = session.index("class Session {")
    body = session[session.index("public:", begin):session.index("private:", begin)]
    found = {(name, parameters(listed)) for name, listed in FUNCTION.findall(body)}
    for text in (session[:begin], beside):
        found |= {(name, parameters(listed)) for name, listed in FREE.findall(text)}
    return found | {(name, None) for name in CONSTANT.findall(beside)}


def missing(session, beside, header):
    """Findings: functions without their counterpart."""
    findings = []
    functions = public_functions(session, beside)
    for name, count in sorted(functions, key=str):
        if name in NOT_IN_C:
            continue
        wanted = RENAMED.get((name, count), f"pnl_session_{name}")
        if not re.search(rf"\b{wanted}\b", header):
            findings.append(f"{name}, {count} parameters: no {wanted} in {C_HEADER}")
    findings += [f"{name}: not in C++ any more" for name, count in RENAMED if (name, count) not in functions]
    return findings, len(functions)


def constants_missing(headers, kit, twins):
    """(findings, how many there are): constants of C++ `headers` that the `kit` uses and `twins` does not compare."""
    used = {name for name in PORT_CONSTANT.findall(headers) if re.search(rf"\b{name}\b", kit)}
    findings = [f"{name}: the conformance kit uses it, and {TWINS} compares no macro of C with it"
                for name in sorted(used - NOT_FOR_PORTS)
                if not re.search(rf"static_assert\(PNL_\w+ == {name}\);", twins)]
    return findings + [f"{name}: the kit does not use it" for name in sorted(NOT_FOR_PORTS - used)], len(used)


def misra(root, names, sizes):
    """(file, line, rule) of cppcheck's findings; `sizes` is the folder of pianola_sizes.h."""
    # Without a folder of its own it leaves files beside the sources for a moment, which other gates then find.
    with tempfile.TemporaryDirectory() as work:
        run = subprocess.run(
            ["cppcheck", "--addon=misra", "--std=c99", "--enable=style", "--quiet", "--suppress=missingIncludeSystem",
             f"--cppcheck-build-dir={work}", f"-I{root / 'runtime/c'}", f"-I{sizes}", *map(str, names)],
            capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return {(pathlib.Path(file).name, int(line), rule.rsplit("-", 1)[1])
            for file, line, rule in FINDING.findall(run.stderr)}


def judge_misra(found, admitted):
    """Findings over what cppcheck has found, and the rules that misra/README.md admits."""
    findings = [f"{file}:{line}: MISRA C:2012 {rule}" for file, line, rule in sorted(found) if rule not in admitted]
    return findings + [f"misra/README.md: rule {rule} has a row that nothing needs"
                       for rule in sorted(admitted - {rule for _, _, rule in found})]


def admitted_rules(readme):
    """The rules of the table for C."""
    return set(ROW.findall(readme[readme.index("## MISRA C:2012"):]))


def main(root):
    """Returns the exit code."""
    read = lambda name: (root / name).read_text(encoding="utf-8")  # noqa: E731
    findings, examined = missing(read(SESSION), "".join(map(read, BESIDE)), read(C_HEADER))
    found, constants = constants_missing(
        "".join(read(f"runtime/include/pianola/{name}") for name in PORT_HEADERS),
        "".join(path.read_text(encoding="utf-8") for path in sorted((root / KIT).glob("*.*"))), read(TWINS))
    findings, examined = findings + found, examined + constants
    folder = root / "docs/examples/c"
    with tempfile.TemporaryDirectory() as generated:
        # What the command line makes for the board's configuration.
        place = pathlib.Path(generated)
        for name in ("fleet_key_c99.h", "road_signs_c99.h", "road_signs_manifest_c99.h"):
            (place / name).write_text("", encoding="utf-8")
        (place / "pianola_sizes.h").write_text((root / "runtime/c/bootstrap/pianola_sizes.h").read_text())
        found = misra(root, [folder / name for name in EXAMPLE], place)
    findings += judge_misra(found, admitted_rules(read("misra/README.md")))
    return report("c_api", examined, findings)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    sys.exit(main(parser.parse_args().root))
