#!/usr/bin/env python3
"""Prints docs/evidence/seeded_defects.md. Usage: defects_page.py PIANOLA_DECOMPILE_TEST PIANOLA_WRITE_DEFECTS PIANOLA

Fails where nothing finds a defect, where decompile does not, or where a binary without a defect is found to have one.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "crosscheck"))

import generator  # pylint: disable=wrong-import-position
import models  # pylint: disable=wrong-import-position
from interpreter import Interpreter  # pylint: disable=wrong-import-position
from product import Failed, Product  # pylint: disable=wrong-import-position

HEAD = """# Seeded defects

Possible defects of an importer, a planner or a linker are put into a lowered program or a linked binary, one at a time,
before the binary's digests are made. There are five models: two convolutions of one input, their sum, a difference, a
pool and a fully connected layer; a pool of each of two inputs; a fully connected layer of int16 and the logistic
function; two SVDF layers, which have state; a variable that holds the last twelve inputs.
`tests/decompile/defects_page.py` prints this page and looks for each defect in four ways
(`docs.seeded_defects_page_is_current` runs it, and fails where one is not found):

- **Validator**: `pianola run` refuses the binary. The validator proves what a binary does to memory, not what it
  computes, so it accepts most defects.
- **Outputs**: a replay of two records in sequence, the usual number beside a model, against outputs of the interpreter
  of [crosscheck](crosscheck.md).
- **Interpreter**: a replay of 32 records in sequence, the first four extreme, as in a crosscheck of a random graph.
- **`decompile`**: compares the binary with the model. `Decompile.EverySeededDefectIsNamed` (tests/decompile) checks all
  defects. `Decompile.EveryByteOfConstantsCounts` changes a bit in every byte of these models' constants, plain and
  packed for either kind of core: each is a difference, except for bytes between constants.

Comparisons of outputs miss what the records do not show: a bound that no value reaches, a rounding that no sum needs, a
state that is wrong twenty steps later, what the manifest says of a tensor. `decompile` needs no records.

In the last column `...` stands for `computes what no operator of the model does; nearest is`.
"""
OFTEN = "computes what no operator of the model does; nearest is"
TABLE = """
| Part | Defect | Validator | Outputs | Interpreter | What `decompile` says |
|---|---|---|---|---|---|"""
FEW, MANY = 2, 32


def expected(model, records):
    """The outputs of each record by the interpreter."""
    interpreter = Interpreter(model)
    return [[output.tobytes() for output in interpreter.invoke(record)] for record in records]


def look(product, folder):
    """Whether the binary is refused, and whether a few records and many show that it is another model's."""
    model = models.read((folder / "model.tflite").read_bytes())
    records = generator.records(model, 1, generator.EXTREMES + MANY)
    # Records that lie beside a model are not extreme.
    few, many = records[generator.EXTREMES:generator.EXTREMES + FEW], records[:MANY]
    for chosen in (few, many):
        if product.run(folder / "sound.ptb", model, chosen) != expected(model, chosen):
            raise SystemExit(f"{folder}: the binary without the defect differs")
    try:
        have = [product.run(folder / "binary.ptb", model, chosen) for chosen in (few, many)]
    except Failed as failed:
        if "ended with 3" not in str(failed):
            raise
        return True, False, False
    return False, have[0] != expected(model, few), have[1] != expected(model, many)


def said(test):
    """What decompile says of each defect, by part and name."""
    run = subprocess.run([test, "--gtest_filter=Decompile.EverySeededDefectIsNamed"], check=True,
                         stdout=subprocess.PIPE, text=True)
    rows = [line.strip("| ").split(" | ", 3) for line in run.stdout.splitlines() if line.startswith("| ")]
    return {(part, what): text for part, what, _, text in rows}


def main():
    """The page."""
    test, write, program = sys.argv[1:]
    texts = said(test)
    with tempfile.TemporaryDirectory() as folder:
        listed = subprocess.run([write, folder], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        found = [(part, what, *look(Product(program, folder), pathlib.Path(folder) / number), texts.get((part, what)))
                 for number, part, what in (line.split("|") for line in listed)]
    total = len(found)
    missed = [what for _, what, *by, text in found if not text or not any([*by, text])]
    if missed or len(texts) != total:
        raise SystemExit(f"not found: {missed}; {len(texts)} of {total} named")
    refused, few, many = (sum(row[column] for row in found) for column in (2, 3, 4))
    print(HEAD)
    print(f"Of {total} defects the validator refuses {refused}, two records of outputs show {few}, the interpreter"
          f" with {MANY} records {many},\nand `decompile` names {total}. {total} of {total} are found.")
    print(TABLE)
    for part, what, is_refused, by_few, by_many, text in found:
        marks = ("refused" if is_refused else "accepted", *("-" if is_refused else "differ" if seen else "equal"
                                                            for seen in (by_few, by_many)))
        print(f"| {part} | {what} | {' | '.join(marks)} | {text.replace(OFTEN, '...')} |")


if __name__ == "__main__":
    main()
