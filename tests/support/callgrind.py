"""Instructions of a program under callgrind, such that counts repeat wherever the same code runs."""
import os
import re
import subprocess

COLLECTED = re.compile(r"Collected : (\d+)")
ENVIRONMENT = {
    # "rep movsb" counts once per byte, and whether the C library uses it depends on the machine.
    "GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=0x10000000:glibc.cpu.x86_rep_stosb_threshold=0x10000000",
    # Where symbols are looked up at their first use, that use counts what it takes to go through all libraries.
    "LD_BIND_NOW": "1",
}


def run(*command):
    """What a program prints that must succeed, in the environment of a count: (stdout, stderr)."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def collected(command, *options, out=os.devnull, inside=(), valgrind="valgrind"):
    """(what the program prints, instructions) of a run; of functions of these names alone where there are any."""
    toggles = [f"--toggle-collect={name}" for name in inside]
    printed, report = run(valgrind, "--tool=callgrind", f"--callgrind-out-file={out}", *options, *toggles, *command)
    return printed, int(COLLECTED.search(report).group(1))
