#!/usr/bin/env python3
"""Prints docs/evidence/seeded_defects.md. Usage: defects_page.py PIANOLA_DECOMPILE_TEST"""
import subprocess
import sys

HEAD = """# Seeded defects

Defects that an importer, a planner or a linker might have are put into a lowered program or a linked binary, one at a
time, before the binary's digests are made. There are five models: two convolutions of one input, their sum, a
difference, a pool and a fully connected layer; a pool of each of two inputs; a fully connected layer of int16 and the
logistic function; two SVDF layers, which have state; a variable that holds the last twelve inputs. `pianola decompile`
compares each binary with its model. The test
`Decompile.EverySeededDefectIsNamed` (tests/decompile) runs them and fails where one is not found; this page is what it
prints (`docs.seeded_defects_page_is_current`). `Decompile.EveryByteOfConstantsCounts` changes a bit in every byte of
the constants that they have, plain and packed for either kind of core: each is a difference, but for the bytes between
constants.

The validator proves what a binary does to memory, not what it computes: it accepts most of them, as it must.

| Part | Defect | Validator | What `decompile` says |
|---|---|---|---|"""

run = subprocess.run([sys.argv[1], "--gtest_filter=Decompile.EverySeededDefectIsNamed"], check=True,
                     stdout=subprocess.PIPE, text=True)
print(HEAD)
print("\n".join(line for line in run.stdout.splitlines() if line.startswith("| ")))
