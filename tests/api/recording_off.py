#!/usr/bin/env python3
"""PIANOLA_RECORDING=OFF leaves no instruction of the recording in the API's calls.

Compiles the sources of the calls three times, optimised: without recording, with every mention of it cut out of the
text but the locks, and with recording. The first two must give the same machine code; the third must not, or the comparison sees
nothing.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from compile_commands import compile_commands  # noqa: E402  pylint: disable=wrong-import-position

SOURCES = ("device_queues.cpp", "device_traces.cpp")
DROPPED = ("-g", "-MD")
DROPPED_WITH_VALUE = ("-o", "-c", "-MT", "-MF")


def command_for(build, source):
    """The build's own command line for a source, without its outputs and without debugging and sanitizers."""
    words = next((words for compiled, words in compile_commands(build) if compiled == source.resolve()), None)
    if words is None:
        raise SystemExit(f"no compile command for {source}")
    kept = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in DROPPED_WITH_VALUE:
            skip = True
        elif word not in DROPPED and not word.startswith(
            ("-fsanitize", "-O", "-DPIANOLA_RECORDING", "-D_GLIBCXX_ASSERTIONS")):
            kept.append(word)
    return kept


def machine_code(command, text, recording, folder):
    """Instructions of every function, without addresses and names."""
    source = folder / "source.cpp"
    compiled = folder / "source.o"
    source.write_text(text, encoding="utf-8")
    subprocess.run([*command, "-O2", "-w", f"-DPIANOLA_RECORDING={recording}", "-c",
                    str(source), "-o",
                    str(compiled)], check=True)
    listing = subprocess.run(["objdump", "-d", "--no-addresses", "--no-show-raw-insn", str(compiled)], check=True,
                             capture_output=True, text=True).stdout
    lines = listing.splitlines()[3:]  # the first lines name the file
    code = [re.sub(r"<[^>]*>", "", line).rstrip() for line in lines if line.startswith("\t")]
    # Which of two registers comes first in a comparison for equality is left to chance.
    for i, (line, following) in enumerate(zip(code, code[1:])):
        compared = re.fullmatch(r"\tcmp    (%\w+),(%\w+)", line)
        if compared and re.match(r"\tjn?e\b", following):
            code[i] = "\tcmp    " + ",".join(sorted(compared.groups()))
    return code


def without_recording(text):
    """The text with records cut out, and with the device's lock alone in place of each scope."""
    text = re.sub(r"const RecordingScope recording\{state_->mutex, [^}]*\};", "const Lock lock{state_->mutex};", text)
    return re.sub(r"\n *recording\(\[&\].*?\n? *\}\);", "", text, flags=re.S)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source-dir", type=pathlib.Path, required=True)
    options = parser.parse_args()
    failed = False
    for name in SOURCES:
        source = options.source_dir / "capture_host/host/device" / name
        command = command_for(options.build, source)
        text = source.read_text(encoding="utf-8")
        bare = without_recording(text)
        if "recording" in bare.replace("recording an event", ""):
            raise SystemExit(f"{name}: this test does not know all that belongs to recording any more")
        with tempfile.TemporaryDirectory() as name_of_folder:
            folder = pathlib.Path(name_of_folder)
            off = machine_code(command, text, 0, folder)
            cut = machine_code(command, bare, 0, folder)
            on = machine_code(command, text, 1, folder)
        print(f"{name}: {len(off)} instructions without recording, {len(cut)} where it is cut out, {len(on)} with it")
        if off != cut:
            print(f"{name}: PIANOLA_RECORDING=OFF leaves something")
            failed = True
        if len(on) <= len(off):
            print(f"{name}: recording adds nothing, so that this test proves nothing")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
