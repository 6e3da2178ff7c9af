#!/usr/bin/env python3
"""Prints docs/reference/operators.md. Usage: operators_page.py PIANOLA"""
import json
import subprocess
import sys
import textwrap

HEAD = """# Operators

Made from what `pianola capture --list-operators --json` prints; `toolchains/operators_page.py` writes this page, and
the test `docs.operators_page_is_current` holds it to the program. Versions of an operator, which TensorFlow
Lite counts, are captured from 1 to the highest one here. Types are those of the operand that is computed with or moved;
the test `crosscheck.operators` captures a model for each of them. The last column says whether TensorFlow Lite Micro
has a kernel of the operator. A model with other operators, versions, types or limits is refused (exit code 5), with
everything that is in the way at once.

| Operator | Highest version | Types | Limits | TensorFlow Lite Micro |
|---|---:|---|---|---|"""

TAIL = ("{} are refused too: TensorFlow Lite Micro computes them in float only, so that no result of integers exists "
        "which a binary could match. Its int16 GREATER has no scales, and its int16 RSQRT no preparation: neither "
        "gives a result to match.")

listed = subprocess.run([sys.argv[1], "capture", "--list-operators", "--json"], check=True, stdout=subprocess.PIPE)
print(HEAD)
support = json.loads(listed.stdout)
for entry in support["operators"]:
    print(f"| {entry['operator']} | {entry['highest_version']} |"
          f" {', '.join(entry['types'])} | {entry['limits'] or 'none'} |"
          f" {'yes' if entry['in_tflite_micro'] else 'no'} |")
*most, last = support["refused_float_only"]
print("\n" + textwrap.fill(TAIL.format(f"{', '.join(most)} and {last}"), 120))
