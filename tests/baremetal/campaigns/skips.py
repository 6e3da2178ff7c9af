#!/usr/bin/env python3
"""Campaign: the core skips 1, 2 or 4 instructions while it loads a binary that must be refused, and nothing may start.

    tests/baremetal/campaigns/skips.py --board BOARD --json skips.json

tries every instruction that a run executes between the call of load() and the end of the application's own attempts, at
its first execution, at every execution where there are few, and at one later execution that the seed draws;
docs/evidence/campaigns.md says more. --sample N draws N of these for every binary and width instead. A campaign is
divided with --shard I/N, and its parts are joined with --merge.
--record FILE writes the counts alone.

Exit code: 0 where nothing started; 1 where something did, where a run came to no end, or where nothing was injected; 2
for wrong usage.
"""
import argparse
import collections
import hashlib
import json
import pathlib
import random
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("toolchains", "tests/campaign", "tests/baremetal/tools")]
import boards  # noqa: E402  pylint: disable=wrong-import-position
import campaign_record  # noqa: E402  pylint: disable=wrong-import-position
import skip_binaries  # noqa: E402  pylint: disable=wrong-import-position
import skip_board  # noqa: E402  pylint: disable=wrong-import-position
from skip_board import Skip, SkipBoard  # noqa: E402  pylint: disable=wrong-import-position

WIDTHS = (1, 2, 4)
FEW = 2  # executions: all of them are tried
LATEST = skip_board.LATEST_OCCURRENCE  # that the seed may draw: each costs a stop
ARITHMETIC = 300  # of the points inside BearSSL, for each width
OUTCOMES = ("injected", "detected", "harmless", "false ok", "silent", "undecided")
RELEASE = ROOT / "build/release/bin"


def occurrences(point, source):
    """The executions of a point that are tried."""
    if point.count <= FEW:
        return range(1, point.count + 1)
    return (1, source.randint(FEW, min(point.count, LATEST)))


def name_of(address, table):
    """function+offset."""
    for first, behind, name in table:
        if first & ~1 <= address < behind:
            return f"{name.replace('(anonymous namespace)::', '').split('(')[0]}+{address - (first & ~1):#x}"
    return f"{address:#x}"


def all_skips(board, seed, table, widths=WIDTHS):
    """Every skip of the full campaign of a target, in the order of the run. Of BearSSL's arithmetic, which alone has
    millions of executions, a sample; where it is there, only it and what calls it is of interest: the rest is that of
    the stand-in."""
    source = random.Random(f"{seed} {board.target.name}")
    points = board.skippable()
    if board.target.verifier == skip_binaries.BEARSSL:
        names = {point: name_of(point.address, table) for point in points}
        inside = [point for point in points if names[point].startswith("br_")]
        around = [
            point for point in points
            if "Verifier" in names[point] or "check_signature" in names[point] or "authenticate" in names[point]
        ]
        skips = [Skip(point.address, 1, width) for width in widths for point in around]
        for width in widths:
            drawn = source.sample(inside, min(ARITHMETIC, len(inside)))
            skips += [Skip(point.address, source.randint(1, min(point.count, LATEST)), width) for point in drawn]
        return skips
    return [
        Skip(point.address, occurrence, width) for point in points for occurrence in occurrences(point, source)
        for width in widths
    ]


def within(skips, functions, table):
    """Those inside functions with one of these words in their names; all where there are none."""
    return [skip for skip in skips if not functions or any(word in name_of(skip.address, table) for word in functions)]


def sampled(skips, count, seed):
    """`count` of every width."""
    if count is None:
        return skips
    source = random.Random(seed)
    kinds = {width: [skip for skip in skips if skip.width == width] for width in WIDTHS}
    return [skip for few in kinds.values() for skip in source.sample(few, min(count, len(few)))]


class Tally:
    """What came of the skips of one width on one binary."""

    def __init__(self):
        self.counts = dict.fromkeys(OUTCOMES, 0)
        self.ways = collections.Counter()

    def add(self, outcome, way):
        """One run."""
        self.counts["injected"] += 1
        self.counts[outcome] += 1
        self.ways[way] += 1

    def __str__(self):
        return ", ".join(f"{self.counts[outcome]} {outcome}" for outcome in OUTCOMES
                         if outcome != "undecided" or self.counts[outcome])


def say(text):
    """Progress, apart from results."""
    print(text, file=sys.stderr, flush=True)


def run_target(board, skips, table, progress=say):
    """({width: Tally}, [findings]) of one target."""
    tallies, findings, last = {}, [], time.monotonic()
    for number, skip in enumerate(skips):
        ending = board.run(skip)
        if ending is None:  # not executed that often: it was the interrupt of the clock, which comes at other moments
            continue
        outcome, way = skip_board.classify(board.clean, ending)
        tallies.setdefault(skip.width, Tally()).add(outcome, way)
        if outcome in ("silent", "false ok", "undecided"):
            findings.append({
                "binary": board.target.name, "outcome": outcome, "address": skip.address,
                "at": name_of(skip.address, table), "occurrence": skip.occurrence, "width": skip.width,
                "evidence": list(ending.evidence)
            })
        if time.monotonic() - last > 10.0:
            last = time.monotonic()
            progress(f"  {board.target.name}: {number + 1} of {len(skips)}")
    return tallies, findings


def report(results, stream=sys.stdout):
    """A line for every binary and width, and one for each start. True where nothing started."""
    total = collections.Counter()
    for result in results["binaries"]:
        for width, tally in sorted(result["widths"].items(), key=lambda item: int(item[0])):
            total.update(tally["counts"])
            text = ", ".join(f"{tally['counts'][outcome]} {outcome}" for outcome in OUTCOMES)
            print(f"{result['name']:<24} {width} skipped   {text}", file=stream)
    for finding in results["findings"]:
        if finding["outcome"] != "false ok":
            print(
                f"{finding['outcome']}: {finding['binary']}, {finding['width']} skipped at {finding['address']:#x} "
                f"({finding['at']}), execution "
                f"{finding['occurrence']}", file=stream)
    print(f"{'all':<24} {' ':<10} {', '.join(f'{total[outcome]} {outcome}' for outcome in OUTCOMES)}", file=stream)
    return total["injected"] > 0 and total["silent"] == 0 and total["undecided"] == 0


def merged(parts):
    """The results of all shards as those of one run."""
    whole = {**parts[0], "binaries": [], "findings": [finding for part in parts for finding in part["findings"]]}
    campaigns = {(part["seed"], part["shards"], part["image_sha256"]) for part in parts}
    if len(campaigns) != 1 or sorted(part["shard"] for part in parts) != list(range(1, parts[0]["shards"] + 1)):
        raise SystemExit("skips: not all shards of one campaign")
    for binaries in zip(*(part["binaries"] for part in parts)):
        widths = {}
        for binary in binaries:
            for width, tally in binary["widths"].items():
                sums = widths.setdefault(
                    width, {"counts": collections.Counter(dict.fromkeys(OUTCOMES, 0)), "ways": collections.Counter()})
                sums["counts"].update(tally["counts"])
                sums["ways"].update(tally["ways"])
        whole["binaries"].append({**binaries[0], "widths": widths})
    return whole


def campaign(options, progress=say):
    """The results of a campaign, ready for JSON."""
    table = skip_board.functions(options.image)
    targets = skip_binaries.all_targets(options.work, options.vectors, options.pianola)
    chosen = [targets[name] for name in options.binary or [target.name for target in targets.values()
                                                           if target.rule and target.loader == skip_binaries.SESSION]]
    results = {
        "format": 2, "board": options.board, "seed": options.seed, "shard": options.shard[0],
        "shards": options.shard[1], "sample": options.sample, "functions": options.function,
        "image_sha256": hashlib.sha256(options.image.read_bytes()).hexdigest(), "binaries": [], "findings": []
    }
    with SkipBoard(options.board, options.image, targets["accepted"], options.work / "skip", options.plugin) as board:
        accepted = board.instructions
        if not board.clean.started:
            raise SystemExit("skips: the binary that must run does not")
    for target in chosen:
        with SkipBoard(options.board, options.image, target, options.work / "skip", options.plugin, accepted) as board:
            if board.rule != target.rule:
                raise SystemExit(f"skips: {target.name} is refused by {board.rule}")
            skips = sampled(within(all_skips(board, options.seed, table), options.function, table), options.sample,
                            options.seed)
            skips = skips[options.shard[0] - 1::options.shard[1]]
            progress(
                f"{target.name}: {board.instructions} instructions at {len(board.skippable())} addresses, "
                f"{len(skips)} skips"
            )
            tallies, findings = run_target(board, skips, table, progress)
            progress("\n".join(f"  {width} skipped: {tally}" for width, tally in sorted(tallies.items())))
        results["binaries"].append({
            "name": target.name, "rule": target.rule, "instructions": board.instructions,
            "addresses": len(board.skippable()),
            "widths": {str(width): {"counts": tally.counts, "ways": tally.ways}
                       for width, tally in tallies.items()}
        })
        results["findings"] += findings
    return results


def record_of(results, whole):
    """The counts, as every campaign has them. A run that was not decided counts as crashed."""
    kinds = []
    for binary in results["binaries"]:
        for width, tally in sorted(binary["widths"].items(), key=lambda item: int(item[0])):
            counts = {**tally["counts"], "crashed": tally["counts"]["undecided"]}
            kinds.append(campaign_record.kind(f"{binary['name']}, {width} skipped", counts, note=binary["rule"]))
    return {"campaign": "skips", "where": results["board"], "seed": results["seed"], "samples": results["sample"],
            "whole": whole, "modes": [], "kinds": kinds, "phases": []}


def shard(text):
    """I/N as (I, N)."""
    part, slash, parts = text.partition("/")
    if not slash or not 1 <= int(part) <= int(parts):
        raise argparse.ArgumentTypeError(f"{text}: write I/N, I from 1 to N")
    return int(part), int(parts)


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", choices=boards.with_campaign("skips"), help="whose build is in build/BOARD")
    parser.add_argument("--image", type=pathlib.Path, help="default: the board's pianola_baremetal_skips.elf")
    parser.add_argument("--plugin", type=pathlib.Path, help="default: executed_points.so of the same build")
    parser.add_argument("--pianola", type=pathlib.Path, default=RELEASE / "pianola")
    parser.add_argument("--vectors", type=pathlib.Path, default=RELEASE / "pianola_vectors",
                        help="the maker of test vectors")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, metavar="N", help="N skips of every binary and width; without it, all")
    parser.add_argument("--shard", type=shard, default=(1, 1), metavar="I/N", help="part I of N only")
    parser.add_argument("--binary", action="append",
                        help="this binary only; repeat for more. Also the weak loader's, of which some start")
    parser.add_argument("--function", action="append",
                        help="instructions of functions with this in their names only; repeat for more")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the results, with every finding")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE", help="write the counts alone")
    parser.add_argument("--merge", type=pathlib.Path, nargs="+", metavar="FILE", help="join the results of all shards")
    options = parser.parse_args(words)
    if options.merge:
        results = merged([json.loads(file.read_text(encoding="utf-8")) for file in options.merge])
    else:
        if not options.board:
            parser.error("--board is needed")
        build = ROOT / "build" / options.board
        options.image = options.image or build / "bin/Release/pianola_baremetal_skips.elf"
        options.plugin = options.plugin or build / "tests/baremetal/executed_points.so"
        with tempfile.TemporaryDirectory(prefix="skips") as folder:
            options.work = pathlib.Path(folder)
            results = campaign(options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if options.record:
        is_part = results["shards"] != 1 and not options.merge
        is_whole = not (is_part or options.binary or results["sample"] or results["functions"])
        campaign_record.write(options.record, record_of(results, is_whole))
    return 0 if report(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
