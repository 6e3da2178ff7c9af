#!/usr/bin/env python3
"""Runs one shard of a campaign and keeps its result: what a task of the Slurm array does.

    toolchains/slurm/run_shard.py --out DIR [--shard I]      default: SLURM_ARRAY_TASK_ID

A shard whose result is there is not run again. Exit code: 0 with a result, whether or not the program has found
something; 1 without, and DIR/failed says why.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from definitions import ROOT
from store import Campaign, Refused, write_whole

LAST_LINES = 5  # of a program's output, in the record of its failure


def run(command, pattern, work, log):
    """(exit code, what the program has written or None)."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as stream:
        code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT,
                              check=False).returncode
    files = sorted(pathlib.Path(work).glob(pattern))
    return code, files[0].read_text(encoding="utf-8") if len(files) == 1 else None


def run_apart(campaign, words, log, **more):
    """The same in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="shard") as work:
        command = campaign.command(words, work=work, result=f"{work}/result", **more)
        try:
            return run(command, campaign.definition.result, work, log)
        except OSError as error:
            raise Refused(f"{command[0]}: {error.strerror}") from None


def is_whole(text, shards):
    """Whether a program has written what is merged: JSON, unless there is nothing to merge."""
    try:
        return text is not None and (shards == 1 or json.loads(text) is not None)
    except ValueError:
        return False


def why_failed(code, log):
    """In one text: how a program has ended, and what it said last."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]
    how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    return "\n".join([f"failed: {how}, no result that can be used; the end of {log.name}:", *lines])


def run_shard(campaign, shard):
    """Keeps the result of a shard, or raises Refused."""
    if campaign.result(shard)[0]:
        return
    changed = campaign.changed()
    if changed:
        raise Refused(f"failed: changed since the campaign was submitted: {', '.join(changed[:5])}")
    log = campaign.log_file(shard)
    code, text = run_apart(campaign, campaign.definition.part, log, shard=shard)
    if code not in (0, *campaign.definition.findings) or not is_whole(text, campaign.shards):
        raise Refused(why_failed(code, log))
    campaign.keep(shard, code, text)


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--shard", type=int, default=os.environ.get("SLURM_ARRAY_TASK_ID"))
    options = parser.parse_args(words)
    try:
        campaign = Campaign.load(options.out)
        if options.shard is None or not 1 <= options.shard <= campaign.shards:
            raise Refused(f"--shard {options.shard}: the campaign has shards 1 to {campaign.shards}")
    except Refused as refused:
        print(f"run_shard.py: {refused}", file=sys.stderr)
        return 1
    try:
        run_shard(campaign, options.shard)
        return 0
    except Refused as refused:
        write_whole(campaign.failure_file(options.shard), f"{refused}\n")
        print(f"run_shard.py: shard {options.shard}: {refused}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
