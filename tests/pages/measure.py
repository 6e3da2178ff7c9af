#!/usr/bin/env python3
"""Opens HTML pages and pictures in headless Chromium and fails where a reader could not read them.

    tests/pages/measure.py PAGE ... [--width N ...] [--screenshots DIR] [--least N]

Pages are files (.html, .svg) or folders, of which every .html file is taken. At each width (1400 and 400 pixels, where
nothing else is said) is looked for: a page that scrolls sideways, text that is cut off or lies beyond the right edge,
text of an SVG picture outside of it, and text over text. Details: measure.js. --least N: fewer than N pages are a
failure. Exit code 77: no Chromium.
"""
import argparse
import pathlib
import sys

from browser import Browser, find_browser

SCRIPT = pathlib.Path(__file__).with_name("measure.js").read_text(encoding="utf-8")
WIDTHS = (1400, 400)
SKIPPED = 77


def pages_of(names):
    """The files that are meant, in order."""
    for name in names:
        yield from sorted(name.rglob("*.html")) if name.is_dir() else [name]


def measure(pages, widths=WIDTHS, screenshots=None):
    """(elements looked at, findings as text) of all pages at all widths."""
    seen, found = 0, []
    with Browser() as browser:
        for page in pages:
            for width in widths:
                browser.open(page.resolve().as_uri(), width)
                if page.suffix == ".svg":  # as a page would show it, at its own size
                    picture = page.read_text(encoding="utf-8")
                    browser.open("about:blank", max(width, 1400))
                    frame = browser.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
                    browser.call("Page.setDocumentContent", frameId=frame,
                                 html=f"<!DOCTYPE html><title>{page.name}</title><body style='margin:0'>{picture}")
                result = browser.evaluate(SCRIPT)
                seen += result["seen"]
                found += [f"{page.name} at {width}: {each['what']}: {each['where']} \"{each['text']}\" "
                          f"{each['detail']}" for each in result["findings"]]
                if screenshots:
                    browser.screenshot(screenshots / f"{page.parent.name}_{page.stem}_{width}.png")
    return seen, found


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--width", action="append", type=int)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--least", type=int, default=1)
    options = parser.parse_args(words)
    if find_browser() is None:
        print("no Chromium: skipped")
        return SKIPPED
    pages = list(pages_of(options.pages))
    if len(pages) < options.least:
        print(f"{len(pages)} pages, at least {options.least} are expected", file=sys.stderr)
        return 1
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    seen, found = measure(pages, options.width or WIDTHS, options.screenshots)
    print("\n".join(found), file=sys.stderr)
    print(f"{len(pages)} pages, {seen} elements, {len(found)} findings")
    return 1 if found or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
