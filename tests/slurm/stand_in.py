"""A program for tests of toolchains/slurm: `serial` and `part` count letters, `merge` adds the counts up.

    stand_in.py RESULT [SHARD/SHARDS] [--seconds S] [--fails K] [--ends-badly K] [--half-once K] [--finds K] [--started
                FOLDER]
    stand_in.py --merge PART... REPORT

Shard K of an option fails, is killed, writes half of its result the first time, or finds something.
"""
import argparse
import json
import os
import pathlib
import signal
import sys
import time

ITEMS = 100


def main(words):
    """Returns the exit code."""
    if words[0] == "--merge":
        parts = [json.loads(pathlib.Path(file).read_text(encoding="utf-8")) for file in words[1:-1]]
        report = {"seed": parts[0]["seed"], "items": sorted(sum((part["items"] for part in parts), []))}
        pathlib.Path(words[-1]).write_text(json.dumps(report), encoding="utf-8")
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("shard", nargs="?", default="1/1")
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--started", type=pathlib.Path)
    for option in ("--fails", "--ends-badly", "--half-once", "--finds"):
        parser.add_argument(option, type=int, default=0)
    options = parser.parse_args(words)
    part, parts = map(int, options.shard.split("/"))
    is_first = True
    if options.started:
        mark = options.started / f"{part}.{os.getpid()}"
        is_first = not list(options.started.glob(f"{part}.*"))
        mark.touch()
    time.sleep(options.seconds)
    text = json.dumps({"seed": options.seed, "items": list(range(ITEMS))[part - 1::parts]})
    if part == options.fails:
        print("the stand-in cannot do this shard")
        return 3
    if part == options.ends_badly:
        os.kill(os.getpid(), signal.SIGSEGV)
    if part == options.half_once and is_first:
        text = text[:len(text) // 2]
    options.result.write_text(text, encoding="utf-8")
    return 1 if part == options.finds else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
