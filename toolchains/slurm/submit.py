#!/usr/bin/env python3
"""Runs a campaign as an array job of Slurm and merges its shards to the report of one run. docs/guide/slurm.md.

    toolchains/slurm/submit.py simulator.lies --shards 40 --slots 4 --out DIR           submits, and a job that merges
    toolchains/slurm/submit.py simulator.lies --shards 40 --slots 4 --out DIR --wait    waits, shows progress, merges
    toolchains/slurm/submit.py simulator.lies --out DIR --resume                        only shards without a result
    toolchains/slurm/submit.py mutation --shards 8 --out DIR -- model.ptb --count 10000
    toolchains/slurm/submit.py simulator.lies --out DIR --serial                        one run here, without Slurm
    toolchains/slurm/submit.py --list

What stands behind `--` goes to the campaign's program, in the place of the defaults that --list shows. DIR lies where
all nodes see it. Exit code: of merge.py with --wait; otherwise 0 where the jobs are submitted; 2 where they are not.
"""
import argparse
import pathlib
import shlex
import subprocess
import sys
import time

import merge
from definitions import ROOT, all_definitions, python_of
from run_shard import run_apart, why_failed
from store import Campaign, Refused, write_whole

HERE = pathlib.Path(__file__).resolve().parent
POLL_SECONDS = 1.0
PATIENCE_SECONDS = 300.0  # with a controller that does not answer: it may be started again
DEFAULT_SLOTS = 4


def called(*words, stdin=None):
    """A Slurm command's output."""
    try:
        ended = subprocess.run(words, input=stdin, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Refused(f"{words[0]} is not installed: this machine is no Slurm client; see --serial") from None
    if ended.returncode != 0:
        raise Refused(f"{words[0]}: {ended.stderr.strip().splitlines()[-1] if ended.stderr.strip() else 'failed'}")
    return ended.stdout


def ranges(numbers):
    """1,2,3,7 as 1-3,7."""
    found = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def queued(job):
    """{shard: state and reason} of an array's tasks in the queue."""
    try:
        lines = called("squeue", "-h", "-r", "-j", job, "-o", "%K %T %r").splitlines()
    except Refused as refused:
        if "Invalid job id" in str(refused):  # it has been forgotten: it has ended
            return {}
        raise
    return {int(shard): state for shard, _, state in (line.partition(" ") for line in lines)}


def open_tasks(campaign, job):
    """The same of shards that have neither a result nor failed. A controller that was killed may show a task as running
    that has ended, until it asks the node."""
    return {shard: state for shard, state in queued(job).items()
            if not (campaign.result_file(shard).exists() or campaign.failure_file(shard).exists())}


def last_job(campaign):
    """The array that was submitted last, or None."""
    file = campaign.folder / "job"
    return file.read_text(encoding="utf-8").strip() if file.is_file() else None


def submit(campaign, shards, options):
    """The number of the array job for some shards."""
    limit = [line for line in called("scontrol", "show", "config").splitlines() if line.startswith("MaxArraySize")]
    most = int(limit[0].split("=")[1]) - 1 if limit else campaign.shards
    if max(shards) > most:
        raise Refused(f"--shards {campaign.shards}: this cluster's arrays have indices up to {most} (MaxArraySize)")
    (campaign.folder / "log").mkdir(parents=True, exist_ok=True)
    for shard in shards:  # what is there without being usable would count as done
        campaign.result_file(shard).unlink(missing_ok=True)
        campaign.failure_file(shard).unlink(missing_ok=True)
    common = ["sbatch", "--parsable", f"--chdir={ROOT}", *options.sbatch]
    python = python_of(campaign.build)
    run = shlex.join([python, "-B", str(HERE / "run_shard.py"), "--out", str(campaign.folder)])
    job = called(*common, f"--array={ranges(shards)}%{options.slots}", f"--job-name={campaign.asked['campaign']}",
                 f"--output={campaign.folder}/log/task-%a.txt", stdin=f"#!/bin/sh\nexec {run}\n").split(";")[0].strip()
    write_whole(campaign.folder / "job", f"{job}\n")
    if not options.wait:
        last = shlex.join([python, "-B", str(HERE / "merge.py"), str(campaign.folder)])
        called(*common, f"--dependency=afterany:{job}", f"--job-name=merge-{campaign.asked['campaign']}",
               f"--output={campaign.folder}/log/merge.txt", stdin=f"#!/bin/sh\nexec {last}\n")
    return job


def wait(campaign, job):
    """Returns once every task of an array has a result, has failed or has left the queue, but for those that Slurm
    holds and will not start again."""
    said, answered = None, time.monotonic()
    while True:
        try:
            states = open_tasks(campaign, job)
            answered = time.monotonic()
        except Refused:
            if time.monotonic() - answered > PATIENCE_SECONDS:
                raise
            time.sleep(POLL_SECONDS)
            continue
        done = sum(campaign.result_file(shard).exists() for shard in range(1, campaign.shards + 1))
        now = f"{done} of {campaign.shards} shards done"
        if now != said:
            said = now
            print(f"submit.py: job {job}: {now}", file=sys.stderr, flush=True)
        if all("held" in state.lower() for state in states.values()):
            return
        time.sleep(POLL_SECONDS)


def prepare(campaign):
    """What a campaign needs before its first shard."""
    if campaign.definition.prepare:
        log = campaign.folder / "log/prepare.txt"
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "wb") as stream:
            command = campaign.command(campaign.definition.prepare)
            if subprocess.run(command, cwd=ROOT, stdout=stream, stderr=stream, check=False).returncode != 0:
                raise Refused(f"{command[0]} has failed: see {log}")


def serial(options):
    """One run, without shards: the exit code."""
    campaign = Campaign.new(options.out, **asked_of(options, 1))
    prepare(campaign)
    campaign.uses()  # says what is missing
    log = campaign.folder / "log/serial.txt"
    code, text = run_apart(campaign, campaign.definition.serial, log)
    if code not in (0, *campaign.definition.findings) or text is None:
        raise Refused(why_failed(code, log))
    write_whole(campaign.folder / "report", text)
    print(f"submit.py: {campaign.folder}/report")
    return 0 if code == 0 else 1


def asked_of(options, shards):
    """What a new campaign's folder says of it."""
    return {"campaign": options.campaign, "arguments": options.arguments, "shards": shards,
            "build": str(options.build.resolve()),
            "definitions": str(options.definitions.resolve()) if options.definitions else ""}


def resumed(options):
    """A campaign that was submitted, where it can go on."""
    campaign = Campaign.load(options.out)
    asked = campaign.asked
    if options.campaign != asked["campaign"]:
        raise Refused(f"{options.out} is the folder of {asked['campaign']}")
    if options.shards not in (None, campaign.shards):
        raise Refused(f"--shards {options.shards}: the campaign has {campaign.shards}; leave it away")
    if options.arguments and options.arguments != asked["arguments"]:
        raise Refused(f"the campaign has other arguments: {shlex.join(asked['arguments']) or 'its defaults'}")
    changed = campaign.changed()
    if changed:
        raise Refused(f"changed since the campaign was submitted: {', '.join(changed[:5])}; use another --out")
    job = last_job(campaign)
    states = open_tasks(campaign, job) if job else {}
    if states:
        raise Refused(f"job {job} still has {len(states)} tasks in the queue: wait, or scancel {job}")
    return campaign


def created(options):
    """A new campaign, in a folder that has none."""
    if (options.out / "campaign.json").exists():
        raise Refused(f"{options.out} has a campaign: use --resume, or another folder")
    if not options.shards:
        raise Refused("--shards is needed")
    campaign = Campaign.new(options.out, **asked_of(options, options.shards))
    prepare(campaign)
    campaign.save()
    return campaign


def run(options):
    """The exit code."""
    if options.serial:
        return serial(options)
    campaign = resumed(options) if options.resume else created(options)
    shards = list(campaign.faults())
    if not shards:
        return merge.merge(campaign)
    job = submit(campaign, shards, options)
    print(f"submit.py: job {job}: {len(shards)} of {campaign.shards} shards, {options.slots} at once", flush=True)
    if not options.wait:
        print(f"submit.py: squeue -j {job} shows them; afterwards {campaign.folder}/report, or log/merge.txt says why "
              "there is none")
        return 0
    wait(campaign, job)
    return merge.merge(campaign)


def count(text):
    """A number from 1 on."""
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text}: a number from 1 on is needed")
    return int(text)


def parse(words):
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", nargs="?", help="one that --list shows")
    parser.add_argument("--list", action="store_true", help="campaigns, with what they run")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR", help="folder of results and report")
    parser.add_argument("--shards", type=count, metavar="N", help="tasks of the array")
    parser.add_argument("--slots", type=count, default=DEFAULT_SLOTS, metavar="N", help="at once; default: 4")
    parser.add_argument("--resume", action="store_true", help="run again what has no result")
    parser.add_argument("--wait", action="store_true", help="until all have ended, then merge")
    parser.add_argument("--serial", action="store_true", help="one run here, without Slurm")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="default: build/release")
    parser.add_argument("--definitions", type=pathlib.Path, metavar="FILE", help="more campaigns, as JSON")
    parser.add_argument("--sbatch", action="append", default=[], metavar="OPTION", help="for sbatch; repeat for more")
    own = words[:words.index("--")] if "--" in words else words
    options = parser.parse_args(own)
    options.arguments = words[len(own) + 1:]
    definitions = all_definitions(options.definitions)
    if options.list:
        for name, definition in definitions.items():
            print(f"{name}: {definition.title}\n    {' '.join(definition.serial)}")
            if definition.defaults:
                print(f"    -- {' '.join(definition.defaults)}")
        sys.exit(0)
    if options.campaign not in definitions:
        parser.error(f"no campaign {options.campaign!r}: see --list")
    if not options.out:
        parser.error("--out is needed")
    return options


def main(words):
    """Returns the exit code."""
    options = parse(words)
    try:
        return run(options)
    except Refused as refused:
        print(f"submit.py: {refused}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("submit.py: not waiting any longer; the tasks go on: squeue shows them, --resume merges", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
