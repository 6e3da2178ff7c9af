#!/usr/bin/env python3
"""Writes C++ that compares every enumerator of the runtime's public enumerations with its constant of the C API.

    enumerators.py RUNTIME_INCLUDE OUTPUT.cpp

Enumerators are read from the C++ headers: one that is new there has no constant, and what is written here does not
compile.
"""
import pathlib
import re
import sys

# The enumerations that the C API has, with the beginning of their constants' names.
ENUMERATIONS = {
    "Status": "PNL", "FaultStage": "PNL_FAULT_STAGE", "DeviceFault": "PNL_DEVICE_FAULT",
    "Attestation": "PNL_ATTESTATION", "CostKind": "PNL_COST_KIND", "ViewsAnswer": "PNL_VIEWS_ANSWER",
    "Release": "PNL_RELEASE", "Evidence": "PNL_EVIDENCE", "SignaturePolicy": "PNL_SIGNATURE_POLICY",
    "KeyState": "PNL_KEY_STATE", "QueueCommandKind": "PNL_QUEUE_COMMAND", "Access": "PNL_ACCESS",
    "CommandKind": "PNL_COMMAND", "PatchKind": "PNL_PATCH",
}
HEADERS = ("status.h", "fault.h", "device.h", "plan.h", "session_config.h", "trust.h", "command_set.h")
ENUM = re.compile(r"^enum class (?:\[\[nodiscard\]\] )?(\w+) : [\w:]+ \{(.*?)^\};", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//[^\n]*")


def enumerations(folder):
    """{enumeration: names of its enumerators} of the headers."""
    found = {}
    for header in HEADERS:
        text = COMMENT.sub("", (folder / "pianola" / header).read_text(encoding="utf-8"))
        for name, body in ENUM.findall(text):
            found[name] = re.findall(r"\b(k[A-Z]\w*)\b(?=\s*(?:=|,|$|\s*\}))", body)
    return found


def constant(prefix, enumerator):
    """kFaultLatched is PNL_FAULT_LATCHED."""
    return prefix + "_" + re.sub(r"(?<!^)([A-Z])", r"_\1", enumerator[1:]).upper()


def source(found):
    """The text of the comparisons."""
    lines = ['// Made by enumerators.py.', '#include "pianola/session.h"', '#include "runtime/c/pianola.h"', '']
    for name, prefix in ENUMERATIONS.items():
        for enumerator in found[name]:
            lines.append(f"static_assert(static_cast<unsigned>(pianola::{name}::{enumerator}) == "
                         f"{constant(prefix, enumerator)});")
            lines.append(f"static_assert(sizeof(pianola::{name}) == sizeof(pnl_"
                         + re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() + "_t));")
    return "\n".join(lines) + "\n"


def main(folder, output):
    """Returns the exit code."""
    found = enumerations(pathlib.Path(folder))
    missing = sorted(name for name in ENUMERATIONS if len(found.get(name, ())) < 2)
    unknown = sorted(set(found) - set(ENUMERATIONS))
    if missing or unknown:
        print(f"enumerators.py: not found: {missing}; of no use in C, or forgotten: {unknown}", file=sys.stderr)
        return 1
    pathlib.Path(output).write_text(source(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
