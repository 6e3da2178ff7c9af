#!/usr/bin/env python3
"""Draws docs/pictures/overview.svg, the picture of README.md, from a real binary: the sample's.

    docs/pictures/overview.py PIANOLA PIANOLA_SAMPLE > docs/pictures/overview.svg

The sample is made and captured; sizes of segments, numbers of operators and commands, and the cycles of a step are what
the tools say of it. Training is short: none of these depends on the weights. A test compares the picture with the one
that is kept.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 960, 330
INK, SOFT, LINE = "#1f2328", "#59636e", "#8c959f"
SEGMENTS = {"header": "#8c959f", "manifest": "#6f8fb8", "weights": "#3f6ea8", "traces": "#c9662b",
            "self_tests": "#6a9a4f"}
PROVED = ["no command reaches outside its regions", "nothing is read before it is written",
          "queues neither deadlock nor race", "deadlines suffice for the proved cycles"]


def facts(program, sample):
    """What the tools say of the captured sample."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*words):
            return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout

        run(sample, "--out", folder, "--steps", "1")
        binary = folder / "model.ptb"
        summary = json.loads(run(program, "capture", folder / "road_signs.tflite", "-o", binary, "--self-test", "1",
                                 "--json"))
        size = json.loads(run(program, "size", binary, "--json"))
        return summary, size, (folder / "road_signs.tflite").stat().st_size


def text(x, y, words, size=13, colour=INK, anchor="start", weight="normal"):
    """One line of text."""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" ' \
           f'font-weight="{weight}">{words}</text>'


def box(x, y, width, height, title, subtitle):
    """A rounded box with a title and a line under it."""
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#f6f8fa" stroke="{LINE}"/>' \
        + text(x + 16, y + 26, title, 15, weight="bold") + text(x + 16, y + 45, subtitle, 12, SOFT)


def arrow(x1, x2, y, words):
    """An arrow to the right with words above it."""
    return f'<path d="M{x1} {y}H{x2 - 7}" stroke="{INK}" stroke-width="2"/>' \
        f'<path d="M{x2} {y}l-9 -5v10z" fill="{INK}"/>' + text((x1 + x2) / 2, y - 9, words, 12, INK, "middle")


def bar(x, y, width, size):
    """The file's segments, one above the other, as long as they are large."""
    segments = [each for each in size["flash"]["segments"] if each["name"] in SEGMENTS]
    largest = max(each["bytes"] for each in segments)
    parts = []
    for number, each in enumerate(segments):
        top = y + number * 34
        parts.append(text(x, top + 11, f"{each['name'].replace('_', '-')}, {each['bytes']:,} bytes", 12))
        length = max(2.0, width * each["bytes"] / largest)
        parts.append(f'<rect x="{x}" y="{top + 16}" width="{length:.1f}" height="9" '
                     f'fill="{SEGMENTS[each["name"]]}"/>')
    return "".join(parts)


def picture(summary, size, model_bytes):
    """The whole SVG."""
    cycles = size["time"]["step_cycles"]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 30 {WIDTH} {HEIGHT - 30}" width="{WIDTH}" '
        f'height="{HEIGHT - 30}" '
        'font-family="DejaVu Sans, Verdana, sans-serif" role="img" '
        'aria-label="A model is captured once on a host, validated on the target, and replayed on the device">',
        f'<rect y="30" width="{WIDTH}" height="{HEIGHT - 30}" rx="10" fill="#ffffff"/>',
        box(20, 50, 200, 230, "Model or program", "once, on a host"),
        text(36, 125, "road_signs.tflite"), text(36, 145, f"{model_bytes:,} bytes", 12, SOFT),
        text(36, 165, f"{summary['operators']} operators", 12, SOFT), text(36, 215, "or calls in C++"),
        text(36, 235, "or Python"),
        arrow(226, 316, 165, "capture"),
        box(322, 50, 220, 230, "Trace binary", f"{size['flash']['bytes']:,} bytes, SHA-256, signature"),
        bar(338, 110, 188, size),
        arrow(548, 618, 165, "load()"),
        box(624, 50, 316, 230, "Proved on the target", "before the device sees a command"),
    ]
    for number, proof in enumerate(PROVED):
        parts += [f'<path d="M642 {115 + number * 22}l4 4 7 -8" stroke="#2f7d32" stroke-width="2" fill="none"/>',
                  text(662, 120 + number * 22, proof, 12)]
    parts += [
        f'<path d="M640 200H924" stroke="{LINE}"/>',
        text(640, 222, "submit(), poll()", 13, weight="bold"),
        text(640, 242, f"the device replays {summary['commands']} commands,", 12),
        text(640, 260, f"{cycles:,} cycles a step, the same bits every time", 12),
        text(20, 310, "No heap, no interpreter, no exceptions. A byte that differs is refused, with rule, field and "
             "offset.", 12, SOFT),
        "</svg>\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(picture(*facts(*sys.argv[1:])))
