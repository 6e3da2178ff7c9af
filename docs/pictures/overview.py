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

WIDTH, HEIGHT = 740, 460
# The smallest text is 9.7 pixels high where the picture is 400 wide; docs.readme looks at that.
TEXT, TITLE = 18, 19
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
        # Of the model: the summary counts those that have commands.
        model = json.loads(run(program, "decompile", binary, "--against", folder / "road_signs.tflite", "--json"))
        summary["operators"] = model["operators"]
        return summary, size, (folder / "road_signs.tflite").stat().st_size


def text(x, y, words, colour=INK, size=TEXT, weight="normal"):
    """One line of text."""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" font-weight="{weight}">{words}</text>'


def box(x, y, width, height, title):
    """A rounded box with a title."""
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#f6f8fa" stroke="{LINE}"/>' \
        + text(x + 14, y + 28, title, size=TITLE, weight="bold")


def arrow(x, y, length, direction):
    """An arrow to the right or down; its words are a text beside it."""
    turn = {"right": 0, "down": 90}[direction]
    return f'<g transform="translate({x} {y}) rotate({turn})"><path d="M0 0H{length - 9}" stroke="{INK}" ' \
        f'stroke-width="2"/><path d="M{length} 0l-11 -6v12z" fill="{INK}"/></g>'


def bars(x, y, width, size):
    """The file's segments, one a line: name, bytes, and a bar as long as the segment is large."""
    segments = [each for each in size["flash"]["segments"] if each["name"] in SEGMENTS]
    largest = max(each["bytes"] for each in segments)
    parts = []
    for number, each in enumerate(segments):
        line = y + number * 24
        length = max(2.0, width * each["bytes"] / largest)
        parts += [text(x, line, f"{each['name'].replace('_', '-')}, {each['bytes']:,} bytes"),
                  f'<rect x="{x + 240}" y="{line - 12}" width="{length:.1f}" height="12" '
                  f'fill="{SEGMENTS[each["name"]]}"/>']
    return "".join(parts)


def host_parts(summary, size, model_bytes):
    """The upper row: a model becomes a binary."""
    lines = ["road_signs.tflite", f"{model_bytes:,} bytes", f"{summary['operators']} operators", "or calls in C++",
             "or Python"]
    return [box(10, 10, 220, 204, "Model or program"), text(24, 62, "once, on a host", SOFT),
            *(text(24, 96 + number * 24, line) for number, line in enumerate(lines)),
            text(235, 102, "capture"), arrow(238, 114, 68, "right"),
            box(312, 10, 418, 204, "Trace binary"),
            text(326, 62, f"{size['flash']['bytes']:,} bytes, SHA-256, signature", SOFT), bars(326, 96, 150, size)]


def target_parts(summary, size):
    """The lower row: the binary is proved, then replayed."""
    parts = [text(510, 240, "load()"), arrow(498, 218, 34, "down"),
             box(10, 256, 720, 144, "Proved on the target"), text(258, 284, "before the device sees a command", SOFT)]
    for number, proof in enumerate(PROVED):
        line = 312 + number * 24
        parts += [f'<path d="M24 {line - 6}l5 5 8 -10" stroke="#2f7d32" stroke-width="2.5" fill="none"/>',
                  text(44, line, proof)]
    replay = ["the device replays", f"{summary['commands']} commands in",
              f"{size['time']['step_cycles']:,} cycles a step"]
    parts += [f'<path d="M462 298V390" stroke="{LINE}"/>', text(474, 312, "submit(), poll()", weight="bold"),
              *(text(474, 336 + number * 24, line) for number, line in enumerate(replay))]
    return parts


def picture(summary, size, model_bytes):
    """The whole SVG."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="DejaVu Sans, Verdana, sans-serif" role="img" '
        'aria-label="A model is captured once on a host, validated on the target, and replayed on the device">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#ffffff"/>',
        *host_parts(summary, size, model_bytes), *target_parts(summary, size),
        text(12, 424, "The same bits every time. No heap, no interpreter, no exceptions.", SOFT),
        text(12, 448, "A byte that differs is refused, with rule, field and offset.", SOFT),
        "</svg>\n",
    ])


if __name__ == "__main__":
    sys.stdout.write(picture(*facts(*sys.argv[1:])))
