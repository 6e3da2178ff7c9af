#!/usr/bin/env python3
"""Merges the results of all shards of a campaign to the report that one run writes, byte for byte.

    toolchains/slurm/merge.py DIR           writes DIR/report

Exit code: 0: nothing was found; 1: something was, and the report says what; 2: there is no report, since a shard is
missing, has failed, is damaged, or is of another build, of other arguments or of another campaign. Each is named.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from definitions import ROOT
from store import Campaign, Refused, write_whole

MOST_NAMED = 20


def refuse_what_is_not_whole(campaign):
    """Raises Refused where anything but the results of all shards is there."""
    faults = campaign.faults()
    lines = [f"  shard {shard}: {why}" for shard, why in list(faults.items())[:MOST_NAMED]]
    lines += [f"  and {len(faults) - MOST_NAMED} more"] if len(faults) > MOST_NAMED else []
    lines += [f"  shards/{name}: not a shard of this campaign" for name in campaign.strangers()]
    if lines:
        raise Refused("\n".join([f"{len(faults)} of {campaign.shards} shards have no result that can be used:", *lines,
                                 f"  next: submit.py {campaign.asked['campaign']} --out {campaign.folder} --resume"]))


def merge(campaign):
    """The exit code; writes the report."""
    report = campaign.folder / "report"
    report.unlink(missing_ok=True)  # an earlier one says nothing of what is there now
    refuse_what_is_not_whole(campaign)
    results = [campaign.result(shard)[0] for shard in range(1, campaign.shards + 1)]
    found = [result["shard"] for result in results if result["code"] != 0]
    with tempfile.TemporaryDirectory(prefix="merge") as work:
        parts = [pathlib.Path(work) / f"{result['shard']:04}.json" for result in results]
        for part, result in zip(parts, results):
            part.write_text(result["text"], encoding="utf-8")
        merged, code, said = parts[0], 0, ""
        if campaign.shards > 1:  # a single shard's result is the report
            merged = pathlib.Path(work) / "report"
            command = campaign.command(campaign.definition.merge, parts, work=work, report=merged)
            ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            code, said = ended.returncode, ended.stdout.decode(errors="replace").strip()
        if code not in (0, *campaign.definition.findings) or not merged.is_file():
            raise Refused(f"the program that merges ended with {code}: {said}")
        write_whole(report, merged.read_text(encoding="utf-8"))
    if found:
        print(f"merge.py: shards that have found something: {', '.join(map(str, found))}; see {campaign.folder}/log")
    print(f"merge.py: {campaign.shards} shards merged: {report}")
    return 1 if found or code != 0 else 0


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR", help="--out of submit.py")
    options = parser.parse_args(words)
    try:
        return merge(Campaign.load(options.folder))
    except Refused as refused:
        print(f"merge.py: {refused}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
