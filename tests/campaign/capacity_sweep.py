#!/usr/bin/env python3
"""Makes every capacity of runtime/include/pianola/config.h smaller, step by step, until nothing is accepted any more.

For each value what it reaches of the runtime, the reference device and the simulator is compiled with it, with the
sanitizers, and they replay files that the capacities as they stand admit. For each file it counts as

  detected   it is refused by a rule, or the value does not compile: the compiler's or a static_assert's message
  harmless   every output of every step is the same, byte for byte
  silent     anything else: other outputs, a fault
  crashed    the runner does not end as it should: a finding of a sanitizer, or a signal

A capacity is done once all files are refused, or the value does not compile. Ends with 1 where anything was silent or
crashed.

  --draw N --seed S     only N capacities, drawn by the seed: what CI does
  --only NAME           only this one; may be repeated
  --shard I/N           each N-th capacity only, from the I-th on; toolchains/slurm/merge_records.py joins the records
  --record FILE         writes the counts: campaign_record.py
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

import campaign_record

SOURCES = pathlib.Path(__file__).resolve().parents[2]
INCLUDES = "runtime/include"
CONFIG = f"{INCLUDES}/pianola/config.h"
CAPACITY = re.compile(r"^inline constexpr std::uint(?:32|64)_t (kMax\w+|kScrubSliceBytes) = ([^;]+);", re.M)
# The profile of the devices that the runner makes, and the one that a build for the host has its arrays from.
JUDGED, BUILT = "kDefault", "kHost"
PROFILE = r"constexpr Capacities {}\{{.*?^}};"
MEMBER = re.compile(r"^    ([^,\"]+),(?=\s+// (\w+))", re.M)
PARTS = ("/pianola_runtime.dir/", "/pianola_refdev.dir/", "/pianola_kernels.dir/", "/pianola_sim.dir/",
         "/pianola_base.dir/", "/pianola_capacity_runner.dir/")
SANITIZERS = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize=vptr", "-fno-sanitize-recover=all"]
REFUSED = re.compile(r"[A-Z]{3}-[A-Z-]+")
ENDED = "exit code"  # what is said of a runner that has not ended with 0
MESH = re.compile(r"_(\d+)x(\d+)$")  # at the end of a file's name: the shape of its mesh


def capacities():
    """{name: value} as the configuration has them."""
    text = (SOURCES / CONFIG).read_text(encoding="utf-8")
    built = members(text, BUILT)
    found = {}
    for name, value in [
            *CAPACITY.findall(text), *((f"{JUDGED}.{name}", value) for name, value in members(text, JUDGED).items())
    ]:
        # What stands there is an expression of numbers and of capacities: 64U * 1024U, 1U << 20U, kMaxFileBytes / 4U.
        value = re.sub(r"(\d)U\b", r"\1",
                       re.sub(r"kCapacities\.(\w+)", lambda match: built[match[1]], value).replace(" / ", " // "))
        found[name] = eval(value, {"__builtins__": {}, "UINT16_MAX": 0xFFFF, **found})  # pylint: disable=eval-used
    return found


def members(text, profile):
    """{name: expression} of a profile."""
    block = re.search(PROFILE.format(profile), text, re.M | re.S)[0]
    return {name: value for value, name in MEMBER.findall(block)}


def smaller(value):
    """The values to try: a half, a quarter, then in larger steps, down to none at all."""
    values = []
    while value > 0:
        value //= 2 if len(values) < 2 else 8
        values.append(value)
    return values


def depending_on(name):
    """The names in the configuration whose definitions lead back to `name`, itself among them."""
    text = (SOURCES / CONFIG).read_text(encoding="utf-8")
    definitions = {}
    for definition in text.split("constexpr ")[1:]:
        defined = re.match(r"[^=({]*?(\w+)\s*[=({]", definition)
        if defined is None:
            continue
        definitions.setdefault(defined[1], set()).update(re.findall(r"\bk\w+|\b[a-z_]+(?=\()", definition))
    found, before = {name.split(".")[0]}, set()
    while found != before:
        before = set(found)
        found |= {other for other, names in definitions.items() if names & found}
    return found


class Compiler:
    """Compiles the runner with a configuration of its own: of its sources those that a capacity reaches, for an object
    without any name that depends on it is the same as before. One more is always among them, for what the configuration
    asserts by itself."""

    def __init__(self, build, folder, jobs):
        self.folder = folder
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.commands = []
        for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
            words = shlex.split(entry["command"])
            if any(part in entry["command"] for part in PARTS):
                kept = [word for word in words[:words.index("-o")] if not word.startswith(("-O", "-M"))]
                self.commands.append((pathlib.Path(entry["directory"]), kept, entry["file"]))
        if not self.commands:
            raise RuntimeError(f"{build} has no commands for the runtime")
        self.names, reads = zip(*self.pool.map(self.names_in, self.commands))
        self.reader = reads.index(True)

    @staticmethod
    def names_in(command):
        """The names that a source reads, headers included, outside the configuration; and whether it reads that."""
        directory, words, source = command
        run = subprocess.run([*words, "-E", source], cwd=directory, capture_output=True, text=True, check=True)
        names, inside, reads = set(), False, False
        for line in run.stdout.splitlines():
            if line.startswith("# "):
                inside = CONFIG in line
                reads = reads or inside
            elif not inside:
                names.update(re.findall(r"\b[a-zA-Z_]\w*", line))
        return names, reads

    def compile(self, overlay, name):
        """The program's path, or what the compiler says. Without a name, everything is compiled, and kept."""
        reached = None if name is None else depending_on(name)
        objects = [self.folder / f"kept_{index}.o" for index in range(len(self.commands))]
        jobs = []
        for index, command in enumerate(self.commands):
            if reached is None:
                jobs.append((objects[index], command))
            elif index == self.reader or self.names[index] & reached:
                objects[index] = self.folder / f"{index}.o"
                jobs.append((objects[index], command))

        def one(job):
            target, (directory, words, source) = job
            run = subprocess.run(
                [words[0], f"-I{overlay / INCLUDES}", *words[1:], *SANITIZERS, "-H", "-o", target, "-c", source],
                cwd=directory, capture_output=True, text=True, check=False)
            if name is not None and run.returncode == 0 and str(overlay) not in run.stderr:
                raise RuntimeError(f"{source} has not read the configuration of {overlay}")
            return run.stderr if run.returncode != 0 else None
        complaints = [text for text in self.pool.map(one, jobs) if text]
        if complaints:
            return None, complaints[0]
        program = self.folder / "runner"
        run = subprocess.run([self.commands[0][1][0], *SANITIZERS, *objects, "-pthread", "-lfmt", "-o", program],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"does not link: {run.stderr}")
        return program, ""


def overlay_with(folder, name, value):
    """A folder whose configuration has another value."""
    overlay = folder / "overlay"
    text = (SOURCES / CONFIG).read_text(encoding="utf-8")
    if name is not None:
        if "." in name:
            profile, member = name.split(".")
            block = re.search(PROFILE.format(profile), text, re.M | re.S)[0]
            changed, count = re.subn(rf"^    [^,]+(,\s+// {member}$)", rf"    {value}U\1", block, flags=re.M)
            text = text.replace(block, changed)
        else:
            text, count = re.subn(rf"(constexpr std::uint(?:32|64)_t {name} = )[^;]+;", rf"\g<1>{value}U;", text)
        if count != 1:
            raise RuntimeError(f"{name}: {count} definitions")
    (overlay / CONFIG).parent.mkdir(parents=True, exist_ok=True)
    (overlay / CONFIG).write_text(text, encoding="utf-8")
    return overlay


def first_complaint(text):
    """The line of a sanitizer's report that says what it is about."""
    return next((line for line in text.splitlines() if "error:" in line or "ERROR:" in line), text[:200])


def outcomes(program, files):
    """One line for each file; of a runner that ends in another way, what it says."""
    lines = []
    for file in files:
        shape = MESH.search(file.stem)
        words = [program, file, *(shape.groups() if shape else ())]
        run = subprocess.run(words, capture_output=True, text=True, check=False,
                             env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        ended = f"{ENDED} {run.returncode}: {first_complaint(run.stderr)}"
        lines.append(run.stdout.strip() if run.returncode == 0 else ended)
    return lines


def judge(found, expected):
    """'detected', 'harmless', 'silent' or 'crashed'."""
    if found == expected:
        return "harmless"
    if found.startswith(ENDED):
        return "crashed"
    return "detected" if REFUSED.fullmatch(found) else "silent"


def sweep(compiler, name, value, files, expected):
    """{outcome: count} of one capacity, and its last value."""
    tally = {"injected": 0, "detected": 0, "harmless": 0, "silent": 0, "crashed": 0}
    seen = []
    for tried in smaller(value):
        program, complaint = compiler.compile(overlay_with(compiler.folder, name, tried), name)
        if program is None:
            tally["injected"] += 1
            tally["detected"] += 1
            message = next((line for line in complaint.splitlines() if "error:" in line), complaint[:200])
            seen.append({"value": tried, "compiler": message.split("error:")[-1].strip()})
            break
        found = outcomes(program, files)
        verdicts = [judge(*pair) for pair in zip(found, expected)]
        for verdict in verdicts:
            tally["injected"] += 1
            tally[verdict] += 1
        seen.append({
            "value": tried,
            "files": [text if verdict != "harmless" else "same" for text, verdict in zip(found, verdicts)]
        })
        if all(verdict == "detected" for verdict in verdicts):
            break
    return {"name": name, "from": value, **tally, "steps": seen}


def make_files(options, folder):
    """Files that the configuration as it stands accepts."""
    subprocess.run([options.campaign, "write-files", folder], check=True, stdout=subprocess.DEVNULL)
    model = options.sample / "road_signs.tflite"
    for name, more in (("model", []), ("pipelined", ["--queues", "2", "--pipelined"])):
        subprocess.run([options.pianola, "capture", model, "-o", folder / f"{name}.ptb", *more], check=True,
                       stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*.ptb"))


def main(arguments):
    """Sweeps, prints, judges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="a host build with compile_commands.json")
    parser.add_argument("--campaign", required=True, type=pathlib.Path, help="the program pianola_campaign")
    parser.add_argument("--pianola", required=True, type=pathlib.Path)
    parser.add_argument("--sample", required=True, type=pathlib.Path, help="folder with the sample's model")
    parser.add_argument("--draw", type=int, help="only so many capacities")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--shard", type=campaign_record.shard, default=(1, 1), metavar="I/N")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args(arguments)
    table = capacities()
    names = options.only or list(table)
    if options.draw:
        names = random.Random(options.seed).sample(names, options.draw)
    part, parts = options.shard
    own = names[part - 1::parts]
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        files_folder = folder / "files"
        files_folder.mkdir()
        files = make_files(options, files_folder)
        compiler = Compiler(options.build.resolve(), folder, options.jobs)
        program, complaint = compiler.compile(overlay_with(folder, None, 0), None)
        if program is None:
            raise RuntimeError(complaint)
        expected = outcomes(program, files)
        wrong = [line for line in expected if not line.startswith("outputs ")]
        if wrong:
            raise RuntimeError(f"a file is not accepted as things stand: {wrong[0]}")
        for name in own:
            row = sweep(compiler, name, table[name], files, expected)
            rows.append(row)
            if not options.json:
                steps = ", ".join(f"{step['value']}" for step in row["steps"])
                print(
                    f"{name:22} {table[name]:>9} -> {steps:40} {row['injected']} injected, {row['detected']} detected, "
                    f"{row['harmless']} harmless, {row['silent']} silent, {row['crashed']} crashed", flush=True)
                for step in row["steps"]:
                    for text in step.get("files", []):
                        if judge(text, "same") in campaign_record.WRONG:
                            print(f"    {step['value']}: {text}")
    if options.json:
        print(json.dumps(rows, indent=2))
    kinds = []
    for row in rows:
        tried = ", ".join(str(step["value"]) for step in row["steps"])
        kinds.append(campaign_record.kind(row["name"], row, note=f"{row['from']}: {tried}"))
    if options.record:
        head = {"campaign": "capacities", "where": "host, with sanitizers",
                "seed": options.seed if options.draw else None, "samples": options.draw,
                "whole": len(names) == len(table), "modes": [], "kinds": kinds, "phases": []}
        items = [(names.index(each["kind"]), [each]) for each in kinds]
        campaign_record.write(options.record, head if parts == 1
                              else campaign_record.part_of(head, options.shard, len(names), items))
    return 0 if campaign_record.is_good(kinds) or not own else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
