#!/usr/bin/env python3
"""Random workloads whose activations overlap, on the models of two cores: outputs equal those without overlap.

  tests/campaign/overlapping.py --program build/release/bin/pianola_link_test --count 1000000 --jobs 2

Runs Overlapping.WorkloadsComputeWhatTheyDoApart (tests/link/overlapping_test.cpp) over that many seeds, in parts. A
part that fails is tried seed by seed. --record FILE writes campaign_record.py's JSON, in which a wrong output is
"silent". Exit code: 1 where there is one.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import campaign_record

PART = 10000
KIND = "activations over the inputs of their launch"


def passes(program, first, count):
    """Whether the outputs of all of these seeds are equal."""
    run = subprocess.run([program, "--gtest_filter=Overlapping.WorkloadsComputeWhatTheyDoApart"],
                         env={**os.environ, "PIANOLA_OVERLAPPING_FIRST": str(first),
                              "PIANOLA_OVERLAPPING_COUNT": str(count)}, capture_output=True, text=True, check=False)
    return run.returncode == 0 and f"\n{count} workloads compute what they do apart\n" in run.stdout


def wrong_seeds(program, first, count):
    """The seeds of a part whose outputs differ."""
    if passes(program, first, count):
        return []
    if count == 1:
        return [first]
    half = count // 2
    return wrong_seeds(program, first, half) + wrong_seeds(program, first + half, count - half)


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--count", type=int, default=1000000, help="seeds; default: 1,000,000")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args(words)
    parts = [(first, min(PART, options.count + 1 - first)) for first in range(1, options.count + 1, PART)]
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = pool.map(lambda part: wrong_seeds(options.program, *part), parts)
        for (first, count), found in zip(parts, runs):
            wrong += found
            print(f"overlapping: {first + count - 1} of {options.count}, {len(wrong)} wrong", flush=True)
    for seed in wrong:
        print(f"overlapping: seed {seed} computes something else", file=sys.stderr)
    if options.record:
        counts = {"injected": options.count, "harmless": options.count - len(wrong), "silent": len(wrong)}
        campaign_record.write(options.record, {
            "campaign": "overlapping", "where": "simulator", "seed": 1, "samples": options.count, "whole": True,
            "modes": [], "kinds": [campaign_record.kind(KIND, counts)], "phases": []
        })
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
