"""Which campaigns can be divided into shards, and the commands that run, divide and merge them.

Words of a command may hold {root}, {build}, {bin} and {python}: the sources, the host build, its programs and the
interpreter that it has found; {out}: the campaign's folder; {work}: an empty folder for one run; {result}: the file
that the run must write. The word {arguments} stands for what is given behind `--`, or for `defaults`; {shard} is the
shard's number from 1 to {shards}; the word {parts} stands for the results of all shards, and {report} is the file that
merging writes.
"""
import dataclasses
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "toolchains"))
import boards  # noqa: E402  pylint: disable=wrong-import-position

_SHARD = ("--shard", "{shard}/{shards}")
_MERGE_RECORDS = ("{python}", "-B", "{root}/toolchains/slurm/merge_records.py", "{parts}", "--record", "{report}")
_RECORDS = ("{root}/tests/campaign/*.py", "{root}/toolchains/slurm/merge_records.py")
_SIMULATOR = {"hal-calls": (), "lies": (), "completions": (), "file-changes": ("--seed", "1", "--samples", "500"),
              "bit-flips": ("--seed", "1", "--samples", "60"), "state": ()}
_MUTANTS = {"envelope": "4000000", "manifest": "1500000", "decoder": "500000", "importer": "4000000", "cli": "20000",
            "json": "200000"}
_CROSSCHECK = "{root}/tests/crosscheck"
_PAIRS = "{out}/pairs.json"


@dataclasses.dataclass(frozen=True)
class Definition:
    """One campaign."""

    title: str
    serial: tuple  # command of the whole campaign
    part: tuple  # command of one shard
    merge: tuple  # command that makes the report of the serial run from the results of all shards
    uses: tuple  # patterns of the files that results depend on, beside files among the arguments
    defaults: tuple = ()  # arguments where none are given
    findings: tuple = (1, )  # exit codes of a run that has ended and found something; others mean that it has failed
    prepare: tuple = ()  # command that is run before the first shard
    result: str = "result"  # pattern of the file in {work} that a run writes


def _simulator(name, defaults):
    serial = ("{bin}/pianola_campaign", name, "{arguments}", "--record", "{result}")
    return Definition(f"faults on the simulator: {name}", serial, (*serial, *_SHARD), _MERGE_RECORDS,
                      ("{bin}/pianola_campaign", *_RECORDS), defaults)


def _capacities():
    serial = ("{python}", "-B", "{root}/tests/campaign/capacity_sweep.py", "--build", "{build}", "--campaign",
              "{bin}/pianola_campaign", "--pianola", "{bin}/pianola", "--sample", "{root}/build/sample", "--jobs", "1",
              "{arguments}", "--record", "{result}")
    return Definition("smaller capacities of the runtime", serial, (*serial, *_SHARD), _MERGE_RECORDS,
                      ("{bin}/pianola_campaign", "{bin}/pianola", *_RECORDS, "{root}/runtime/**/*",
                       "{root}/build/sample/road_signs.tflite"))


def _skips(board):
    command = ("{python}", "-B", "{root}/tests/baremetal/campaigns/skips.py", "--board", board, "{arguments}")
    return Definition(f"instructions that {board} skips", (*command, "--record", "{result}"),
                      (*command, *_SHARD, "--json", "{result}"),
                      ("{python}", "-B", "{root}/tests/baremetal/campaigns/skips.py", "--merge", "{parts}", "--record",
                       "{report}"),
                      ("{root}/tests/baremetal/campaigns/*.py", "{bin}/pianola", "{bin}/pianola_vectors",
                       f"{{root}}/build/{board}/bin/Release/pianola_baremetal_skips.elf"), ("--seed", "1"))


def _bit_flips(board):
    script = ("{python}", "-B", "{root}/tests/baremetal/campaigns/bit_flips.py", board)
    command = (*script, "{arguments}", "--work", "{work}/bench")
    return Definition(f"bits that flip on {board}", (*command, "--record", "{result}"),
                      (*command, *_SHARD, "--json", "{result}"),
                      (*script, "--merge", "{parts}", "--record", "{report}"),
                      ("{root}/tests/baremetal/campaigns/*.py", "{root}/tests/baremetal/tools/*.py", *_RECORDS,
                       "{bin}/pianola", "{root}/build/sample/road_signs.tflite",
                       f"{{root}}/build/{board}/bin/Release/pianola_baremetal_probed.elf"),
                      ("--seed", "7", "--samples", "500"))


def _fuzzer(name, mutants):
    folders = [f"{{root}}/tests/fuzz/{folder}/{name}" for folder in ("corpus", "regressions")
               if (ROOT / "tests/fuzz" / folder / name).is_dir()]
    inputs = folders if "corpus" in "".join(folders) else [f"{{out}}/inputs/{name}", *folders]
    program = f"{{bin}}/pianola_fuzz_{name}_replay"
    serial = (program, "{arguments}", "--record", "{result}", *inputs)
    return Definition(f"seeded mutants for the fuzzer {name}", serial, (*serial, *_SHARD), _MERGE_RECORDS,
                      (program, *_RECORDS, *(f"{folder}/*" for folder in inputs)),
                      ("--seed", "1", "--mutants", mutants), (1, ), ("{bin}/pianola_fuzz_seeds", "{out}/inputs"))


def _models(title, script, defaults, more=(), uses=(), prepare=()):
    command = ("{python}", "-B", f"{_CROSSCHECK}/{script}")
    serial = (*command, "--pianola", "{bin}/pianola", *more, "{arguments}", "--record", "{result}")
    return Definition(title, serial, (*serial, *_SHARD), (*command, "--merge", "{parts}", "--record", "{report}"),
                      ("{bin}/pianola", f"{_CROSSCHECK}/**/*.py", *uses), defaults,
                      prepare=(*command, "--pianola", "{bin}/pianola", *prepare) if prepare else ())


def _mutation():
    serial = ("{bin}/pianola", "mutate", "{arguments}", "--report-only", "-o", "{work}")
    return Definition("mutants of a binary: -- FILE.ptb [--count N] [--seed N]", serial, (*serial, *_SHARD),
                      ("{bin}/pianola", "mutate", "--merge", "{parts}", "-o", "{report}"), ("{bin}/pianola", ),
                      findings=(7, ), result="mutants*.json")


def all_definitions(more=None):
    """{name: Definition}, with those of a JSON file {name: {field: value}} added."""
    found = {
        **{f"simulator.{name}": _simulator(name, defaults) for name, defaults in _SIMULATOR.items()},
        "host.capacities": _capacities(),
        **{f"{board}.skips": _skips(board) for board in boards.with_campaign("skips")},
        **{f"{board}.bit-flips": _bit_flips(board) for board in boards.with_campaign("bit_flips")},
        "mutation": _mutation(),
        **{f"fuzzing.{name}": _fuzzer(name, mutants) for name, mutants in _MUTANTS.items()},
        # Which operators there are is found out once, not by each shard.
        "models.random": _models("random graphs in every form, against the interpreter", "campaign.py",
                                 ("--random", "1000"), ("--pairs", _PAIRS), (_PAIRS, ),
                                 ("--pairs", _PAIRS, "--random", "0")),
        "models.shared": _models("the models beside the tree in every form, against the interpreter",
                                 "campaign_models.py", uses=("{models}/**/*", ), defaults=()),
    }
    if more:
        for name, fields in json.loads(more.read_text(encoding="utf-8")).items():
            found[name] = Definition(**{key: tuple(value) if isinstance(value, list) else value
                                        for key, value in fields.items()})
    return found


def python_of(build):
    """The interpreter that a build has found, which has NumPy; without a build, this one."""
    cache = build / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.is_file() else ""
    found = re.search(r"^_?Python3_EXECUTABLE:[A-Z]+=(.+)$", text, re.M)
    return found[1] if found else sys.executable


def filled(words, values, lists):
    """A command's words with placeholders replaced; those in `lists` become as many words as there are."""
    found = []
    for word in words:
        name = word[1:-1] if word.startswith("{") and word.endswith("}") else ""
        found += map(str, lists[name]) if name in lists else [word.format(**values)]
    return found
