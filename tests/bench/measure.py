#!/usr/bin/env python3
"""Counts instructions with callgrind and holds them against thresholds.

Of one inference of each model on the simulator, from submit() to the poll() that completes it: all instructions; those
below run() of kernels; those that the C library takes to move the bytes of transfers and copies, as a
device's DMA would; and the rest, which is Pianola's own: runtime, queues and the device's front end. What verified
release adds to it, for each slice of traces and weights that is compared and each poll() that does so. Of one
verification: against one SHA-256 over the same file with the same code. Counts repeat exactly for the same build; no
clock is involved.

Exit codes: 0 within the thresholds, 1 not, 2 something could not be measured, 77 there are no models.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from callgrind import collected  # noqa: E402  pylint: disable=wrong-import-position

SKIPPED = 77
VERIFIED_MODEL = "vww_96_int8"
KERNEL = re.compile(r"^pianola::refdev::run\(")
MOVE = re.compile(r"^_*mem(cpy|move|set)")
CALLER = re.compile(r"^pianola::refdev::CommandProcessor::")


def parse_profile(lines):
    """(total, below kernels, moving bytes) of a callgrind profile that was written without compression.

    Kernels are entered from the command processor only, so the inclusive costs of those calls are the kernels' share.
    """
    total, kernels, moves, function, callee, call_follows = 0, 0, 0, "", "", False
    for line in lines:
        line = line.rstrip("\n")
        if line.startswith("fn="):
            function, callee = line[3:], ""
        elif line.startswith("cfn="):
            callee = line[4:]
        elif line.startswith("calls="):
            call_follows = True
        elif re.match(r"^[+*\d]", line):
            if call_follows:
                call_follows = False
                if CALLER.match(function) and KERNEL.match(callee):
                    kernels += int(line.split()[1])
                elif CALLER.match(function) and MOVE.match(callee):
                    moves += int(line.split()[1])
        elif line.startswith("summary:"):
            total = int(line.split()[1])
    return total, kernels, moves


def profile(valgrind, command, function, folder):
    """(total, below kernels, moving bytes, what the command printed as JSON) with only `function` counted."""
    output = pathlib.Path(folder) / "callgrind.out"
    printed, _ = collected(command, "--compress-strings=no", "--compress-pos=no", out=output,
                           inside=(f"*{function}*", ), valgrind=valgrind)
    with output.open(encoding="utf-8") as lines:
        total, kernels, moves = parse_profile(lines)
    if total == 0:
        raise RuntimeError(f"nothing was counted in {function}")
    return total, kernels, moves, json.loads(printed)


def measure(options, models, folder):
    """All measurements, as printed by --json."""
    inferences, verification = [], None
    for name in models:
        binary = pathlib.Path(folder) / f"{name}.ptb"
        model = options.models / name / "model.tflite"
        subprocess.run([options.pianola, "capture", model, "-o", binary], check=True, stdout=subprocess.DEVNULL)
        total, kernels, moves, facts = profile(options.valgrind, [options.bench, "infer", binary],
                                               "pianola_counted_inference", folder)
        if kernels == 0:
            raise RuntimeError(f"{name}: no kernel was seen")
        verified, _, _, _ = profile(options.valgrind, [options.bench, "infer-verified", binary],
                                    "pianola_counted_inference", folder)
        inferences.append({"model": name, "commands": facts["commands"], "total": total, "kernels": kernels,
                           "transfers": moves, "overhead": total - kernels - moves, "slices": facts["slices"],
                           "release": verified - total})
        if name == VERIFIED_MODEL:
            command = [options.bench, "verify", binary]
            verify, _, _, facts = profile(options.valgrind, command, "pianola_counted_verify", folder)
            digest, _, _, _ = profile(options.valgrind, command, "pianola_counted_digest", folder)
            verification = {"model": name, "file_bytes": facts["file_bytes"], "verify": verify, "sha256": digest,
                            "ratio": round(verify / digest, 4)}
    return {"inferences": inferences, "verification": verification}


def inner_loops():
    """Which of the kernels' inner loops this processor runs: docs/reference/device.md."""
    flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    if flags is None:
        return "portable"
    return "avx2" if "avx2" in flags.group(1).split() else "sse2"


def read_thresholds(file, loops):
    """Those of these inner loops."""
    thresholds = json.loads(file.read_text(encoding="utf-8"))
    thresholds["total_instructions"] = thresholds["total_instructions"][loops]
    return thresholds


def allowed_overhead(thresholds, commands):
    """Instructions that an inference of that many device commands may take beside kernels and moving bytes."""
    limits = thresholds["overhead"]
    return limits["per_inference"] + limits["per_command"] * commands


def allowed_release(thresholds, slices):
    """Instructions that verified release may add to an inference with that many slices of constants."""
    limits = thresholds["verified_release"]
    return limits["per_inference"] + limits["per_slice"] * slices


def violations(results, thresholds):
    """What exceeds its threshold, in words."""
    found = []
    for row in results["inferences"]:
        limit = thresholds["total_instructions"][row["model"]]
        if row["total"] > limit:
            found.append(f"{row['model']}: {row['total']} instructions, at most {limit} are allowed")
        limit = allowed_overhead(thresholds, row["commands"])
        if row["overhead"] > limit:
            found.append(f"{row['model']}: {row['overhead']} instructions of overhead, at most {limit} are allowed")
        limit = allowed_release(thresholds, row["slices"])
        if row["release"] > limit:
            found.append(
                f"{row['model']}: {row['release']} instructions for verified release, at most {limit} are allowed")
    row = results["verification"]
    if row is not None and row["ratio"] > thresholds["verify_to_sha256"]:
        found.append(f"verify of {row['model']}: {row['ratio']} times a SHA-256 over the file, at most "
                     f"{thresholds['verify_to_sha256']} is allowed")
    return found


def to_markdown(results, thresholds):
    """The tables for people."""
    lines = [
        "| model | commands | instructions | allowed | in kernels | moving bytes | overhead | allowed | overhead per "
        "command |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    ]
    for row in results["inferences"]:
        lines.append(
            f"| {row['model']} | {row['commands']} | {row['total']:,} | "
            f"{thresholds['total_instructions'][row['model']]:,} | {row['kernels']:,} | {row['transfers']:,} | "
            f"{row['overhead']:,} | "
            f"{allowed_overhead(thresholds, row['commands']):,} | {row['overhead'] / row['commands']:.0f} |")
    lines += [
        "", "| model | slices of 16,384 bytes | verified release adds | allowed | per slice |",
        "|---|---:|---:|---:|---:|"
    ]
    for row in results["inferences"]:
        lines.append(
            f"| {row['model']} | {row['slices']} | {row['release']:,} | "
            f"{allowed_release(thresholds, row['slices']):,} | "
            f"{row['release'] / row['slices']:.0f} |")
    row = results["verification"]
    if row is not None:
        lines += [
            "", "| verify | file bytes | instructions | one SHA-256 | ratio | allowed |",
            "|---|---:|---:|---:|---:|---:|",
            f"| {row['model']} | {row['file_bytes']:,} | {row['verify']:,} | {row['sha256']:,} | {row['ratio']} | "
            f"{thresholds['verify_to_sha256']} |"
        ]
    return "\n".join(lines)


def main(arguments):
    """Measures, prints, judges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, type=pathlib.Path, help="the program pianola_bench")
    parser.add_argument("--pianola", required=True, type=pathlib.Path, help="the program pianola")
    parser.add_argument("--models", required=True, type=pathlib.Path, help="folder of models")
    parser.add_argument("--thresholds", required=True, type=pathlib.Path)
    parser.add_argument("--inner-loops", default=inner_loops(), choices=("avx2", "sse2", "portable"),
                        help="what the program of --bench runs; by default what this processor has")
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--only", action="append", help="only this model; may be repeated")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    options = parser.parse_args(arguments)
    if "PIANOLA_SHARED" in os.environ:
        options.models = pathlib.Path(os.environ["PIANOLA_SHARED"]) / "models"
    if not options.models.is_dir():
        print("skipped: no models; set PIANOLA_SHARED")
        return SKIPPED
    thresholds = read_thresholds(options.thresholds, options.inner_loops)
    models = options.only or list(thresholds["total_instructions"])
    try:
        with tempfile.TemporaryDirectory() as folder:
            results = measure(options, models, folder)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    found = violations(results, thresholds)
    if options.json:
        print(json.dumps({**results, "thresholds": thresholds, "violations": found}, indent=2))
    else:
        print(to_markdown(results, thresholds))
    for line in found:
        print(f"EXCEEDED {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
