#!/usr/bin/env python3
"""Draws docs/pictures/overview.svg, the picture of README.md, from a real binary: the sample's.

    docs/pictures/overview.py PIANOLA PIANOLA_SAMPLE > docs/pictures/overview.svg

The sample is made and captured; sizes of segments, numbers of operators and commands, and the cycles of a step are what
the tools say of it. Training is short: none of these depends on the weights. A test compares the picture with the one
that is kept, and another looks at the height of its texts: they can be read where the picture is 400 pixels wide.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 640, 282
SIZE = 15  # of the smallest text: more than 9 pixels where the picture is 400 wide
INK, SOFT, LINE = "#1f2328", "#59636e", "#8c959f"
SEGMENTS = {"header": "#8c959f", "manifest": "#6f8fb8", "weights": "#3f6ea8", "traces": "#c9662b",
            "self_tests": "#6a9a4f"}
PROVED = ["memory regions", "initialised reads", "no deadlock, race", "deadlines"]


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


def text(x, y, words, colour=INK, anchor="start", weight="normal"):
    """One line of text."""
    return f'<text x="{x}" y="{y}" font-size="{SIZE}" fill="{colour}" text-anchor="{anchor}" ' \
           f'font-weight="{weight}">{words}</text>'


def box(x, width, title, subtitle):
    """A rounded box with a title and a line under it."""
    return f'<rect x="{x}" y="8" width="{width}" height="{HEIGHT - 16}" rx="8" fill="#f6f8fa" stroke="{LINE}"/>' \
        + text(x + 10, 32, title, weight="bold") + text(x + 10, 54, subtitle, SOFT)


def arrow(x1, x2, words):
    """An arrow to the right with words above it."""
    return f'<path d="M{x1} 150H{x2 - 7}" stroke="{INK}" stroke-width="2"/>' \
        f'<path d="M{x2} 150l-9 -5v10z" fill="{INK}"/>' + text((x1 + x2) / 2, 140, words, INK, "middle")


def bars(x, y, width, size):
    """The file's segments, one above the other, as long as they are large."""
    segments = [each for each in size["flash"]["segments"] if each["name"] in SEGMENTS]
    largest = max(each["bytes"] for each in segments)
    parts = []
    for number, each in enumerate(segments):
        top = y + number * 39
        parts.append(text(x, top + 12, f"{each['name'].replace('_', '-')} {each['bytes']:,}"))
        length = max(2.0, width * each["bytes"] / largest)
        parts.append(f'<rect x="{x}" y="{top + 18}" width="{length:.1f}" height="9" '
                     f'fill="{SEGMENTS[each["name"]]}"/>')
    return "".join(parts)


def picture(summary, size, model_bytes):
    """The whole SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="DejaVu Sans, Verdana, sans-serif" role="img" '
        'aria-label="A model is captured once on a host, proved on the target, and replayed on the device">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#ffffff"/>',
        box(8, 132, "Model", "on a host"),
        text(18, 100, "TensorFlow Lite"), text(18, 122, f"{model_bytes:,} bytes", SOFT),
        text(18, 144, f"{summary['operators']} operators", SOFT),
        text(18, 190, "or a program"), text(18, 212, "in C++, Python", SOFT),
        arrow(144, 210, "capture"),
        box(214, 162, "Trace binary", f"{size['flash']['bytes']:,} bytes"),
        bars(224, 74, 142, size),
        arrow(380, 432, "load"),
        box(436, 196, "Proved", "on the target, before"),
        text(446, 76, "the device sees it:", SOFT),
    ]
    for number, proof in enumerate(PROVED):
        parts += [f'<path d="M448 {96 + number * 22}l4 4 7 -8" stroke="#2f7d32" stroke-width="2" fill="none"/>',
                  text(466, 101 + number * 22, proof)]
    parts += [
        f'<path d="M446 184H622" stroke="{LINE}"/>',
        text(446, 208, "Replayed", weight="bold"),
        text(446, 230, f"{summary['commands']} commands,", SOFT),
        text(446, 252, f"{size['time']['step_cycles']:,} cycles", SOFT),
        "</svg>\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(picture(*facts(*sys.argv[1:])))
