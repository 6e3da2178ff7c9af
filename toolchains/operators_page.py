#!/usr/bin/env python3
"""Prints docs/reference/operators.md. Usage: operators_page.py PIANOLA"""
import json
import subprocess
import sys
import textwrap

ALL_TYPES = ["int8", "int16", "int32", "uint8", "float32", "bool"]
# Limits that many operators have: what the table says, and what it means.
SHORT = {"equal quantisation": "equal quantisation of input and output",
         "broadcasts": "broadcasts along at most 4 dimensions that differ"}

HEAD = """# Operators

`toolchains/operators_page.py` writes this page from `pianola capture --list-operators --json`; the test
`docs.operators_page_is_current` compares them. Versions of an operator, which TensorFlow Lite counts, are captured from
1 to the highest one here. Types are those of the operand that is computed with or moved; the test
`crosscheck.operators` captures a model for each. A model with other operators, versions, types or limits is refused
(exit code 5), with all problems at once.
"""

MEANING = "Types: \"all\" are {}. Limits: {}. TensorFlow Lite Micro has a kernel of each operator except {}."

COLUMNS = """
| Operator | Highest version | Types | Limits |
|---|---:|---|---|"""

FOLDED = ("A convolution (CONV_2D, DEPTHWISE_CONV_2D) computes the PAD or PADV2 before it, and the padded image takes "
          "no memory, if: the padding is of height and width alone, with the input's zero point; the convolution alone "
          "reads the padded image, which is no output of the model; and the kernel takes the padding of both together "
          "(at most 32,767 before each axis). Another PAD has a separate launch.")

TAIL = ("{} are refused too: TensorFlow Lite Micro computes them in float only, so that there is no integer result to "
        "match. Its int16 GREATER has no scales, and its int16 RSQRT no preparation: neither gives a result to match.")


def listing(words):
    """Words as a sentence lists them."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def limits(entry):
    """The limits of an operator, those of SHORT by their short names."""
    text = entry["limits"] or "none"
    for name, meaning in SHORT.items():
        text = text.replace(meaning, name)
    return text


listed = subprocess.run([sys.argv[1], "capture", "--list-operators", "--json"], check=True, stdout=subprocess.PIPE)
support = json.loads(listed.stdout)
print(HEAD)
meanings = "; ".join(f"\"{name}\" is \"{meaning}\"" for name, meaning in SHORT.items())
elsewhere = [entry["operator"] for entry in support["operators"] if not entry["in_tflite_micro"]]
print(textwrap.fill(MEANING.format(listing(ALL_TYPES), meanings, listing(elsewhere)), 120))
print(COLUMNS)
for entry in support["operators"]:
    types = "all" if entry["types"] == ALL_TYPES else ", ".join(entry["types"])
    print(f"| {entry['operator']} | {entry['highest_version']} | {types} | {limits(entry)} |")
print("\n" + textwrap.fill(FOLDED, 120))
print("\n" + textwrap.fill(TAIL.format(listing(support["refused_float_only"])), 120))
