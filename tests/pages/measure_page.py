#!/usr/bin/env python3
"""Lays pages out in headless Chromium, and says what in them overflows, is clipped or overlaps.

    measure_page.py PAGE...                                    files or URLs, at 1400 and 400 pixels
    measure_page.py --screenshots OUT --scheme dark PAGE...    and a picture of each

A finding is a line on standard output: page, width and colour scheme, what is wrong, where, the text. What is found:

    scrolls sideways      the page is wider than the window
    no viewport           a phone would lay the page out for a desktop
    beyond the edge       text, picture or control that ends beyond the window
    clipped               text in an element that hides what overflows; text beyond a canvas, or its clip
    outside its picture   text of an SVG beyond that SVG
    wider than its box    text of an SVG that starts in the rectangle drawn just before it, and ends beyond
    labels overlap        two texts of an SVG or a canvas, by more than 2 x 3 pixels
    script fails          an exception, or an error on the console
    loads                 with --self-contained: anything that the page asks for, from wherever
    low contrast          with --contrast: text below WCAG 2's AA

What is invisible, fixed, inside something that scrolls, or matches --allow is left out. Exit code 0: nothing found; 1:
findings; 2: wrong usage, or a page cannot be loaded; 77: there is no Chromium.
"""
import argparse
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CLEAN, FOUND, FAILED, SKIPPED = 0, 1, 2, 77
NAMES = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--no-first-run", "--remote-debugging-pipe", "--disable-background-networking", "--disable-extensions"]
SECONDS = 300  # for one answer: many times what a page takes on a busy machine
HEIGHT = 900
MOST_OF_A_KIND = 5  # that are printed
TALLEST = 16000  # pixels of a screenshot; Chromium draws no taller ones
# Chromium talks on descriptors 3 and 4.
LAUNCHER = ("import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
            "os.execvp(sys.argv[3], sys.argv[3:])")
SCRIPT = pathlib.Path(__file__).with_suffix(".js")
CANVAS_SCRIPT = pathlib.Path(__file__).with_name("measure_canvas.js")
UNFOLD = "document.querySelectorAll('details').forEach((each) => { each.open = true; });"


class PageError(Exception):
    """A page that cannot be measured, or a browser that does not answer."""


def find_browser():
    return next((found for found in map(shutil.which, NAMES) if found), None)


class Browser:
    """One Chromium with one page, driven by its debugging protocol over pipes."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="pages_", ignore_cleanup_errors=True)
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, str(to_read), str(to_write), program, *SWITCHES,
             f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(to_read, to_write), start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile.name})
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.events, self.number, self.session = b"", [], 0, None

    def __enter__(self):
        try:
            targets = self.call("Target.getTargets")["targetInfos"]
            page = next((each for each in targets if each["type"] == "page"), None)
            target = page["targetId"] if page else self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log"):
                self.call(domain + ".enable")
            self.call("Page.addScriptToEvaluateOnNewDocument", source=CANVAS_SCRIPT.read_text(encoding="utf-8"))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        """Also where the browser hangs: it and what it started are one group of processes."""
        self.session = None
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (PageError, OSError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.profile.cleanup()

    def receive(self, end):
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
                raise PageError(f"the browser gave no answer within {SECONDS} s")
            part = os.read(self.from_browser, 1 << 20)
            if not part:
                raise PageError("the browser ended")
            self.buffer += part
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        end = time.monotonic() + SECONDS
        while True:
            message = self.receive(end)
            if message.get("id") == self.number:
                if "error" in message:
                    raise PageError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, method):
        end = time.monotonic() + SECONDS
        while not any(each.get("method") == method for each in self.events):
            self.events.append(self.receive(end))

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise PageError(result["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return result["result"].get("value")

    def open(self, url, width, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        # By way of an empty page: a URL that differs in its fragment only would not be loaded again.
        for each in ("about:blank", url):
            self.events.clear()
            answer = self.call("Page.navigate", url=each)
            if "errorText" in answer:
                raise PageError(answer["errorText"])
            self.wait_for("Page.loadEventFired")
        self.evaluate("document.fonts.ready.then(() => new Promise((done) => "
                      "requestAnimationFrame(() => requestAnimationFrame(() => done(0)))))")

    def screenshot(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], TALLEST), "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"])


def overheard(events, url, self_contained):
    """What the browser said while the page was loaded."""
    document = url.partition("#")[0]
    for event in events:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            yield "script fails", details.get("exception", {}).get("description", details["text"])
        elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            yield "script fails", f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}".rstrip()
        elif event.get("method") == "Network.requestWillBeSent" and self_contained:
            asked = parameters["request"]["url"].partition("#")[0]
            if asked != document and not asked.startswith("data:") and not asked.endswith("/favicon.ico"):
                yield "loads", asked


def measure(browser, url, width, scheme, *, contrast=False, self_contained=False, unfold=False, allow=()):
    """Opens the page, and gives its findings as (kind, where, what)."""
    browser.open(url, width, scheme)
    if unfold:
        browser.evaluate(UNFOLD)
    options = json.dumps({"contrast": contrast, "allow": list(allow)})
    found = [(each["kind"], each["where"], each["what"])
             for each in browser.evaluate(f"({SCRIPT.read_text(encoding='utf-8')})({options})")]
    return found + [(kind, "", what) for kind, what in overheard(browser.events, url, self_contained)]


def url_of(page):
    if "://" in page:
        return page
    file, _, fragment = page.partition("#")
    path = pathlib.Path(file)
    if not path.is_file():
        raise PageError("no such file")
    return path.resolve().as_uri() + (("#" + fragment) if fragment else "")


def picture_name(page, width, scheme):
    stem = pathlib.PurePath(page.partition("#")[0].partition("?")[0]).stem or "page"
    return f"{stem}-{width}-{scheme}.png"


def report(view, found):
    """A few of each kind: a table that is too wide is as many findings as it has cells."""
    for kind in dict.fromkeys(each[0] for each in found):
        alike = [each for each in found if each[0] == kind]
        for _, where, what in alike[:MOST_OF_A_KIND]:
            print(f"{view}: {kind}: {where}: {what}" if where else f"{view}: {kind}: {what}")
        if len(alike) > MOST_OF_A_KIND:
            print(f"{view}: {kind}: {len(alike) - MOST_OF_A_KIND} more")


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", metavar="PAGE", help="HTML file or URL")
    parser.add_argument("--width", type=int, action="append", help="of the window; default: 1400 and 400")
    parser.add_argument("--scheme", choices=("light", "dark"), action="append", help="of colours; default: light")
    parser.add_argument("--screenshots", type=pathlib.Path, metavar="FOLDER", help="where pictures of the pages go")
    parser.add_argument("--contrast", action="store_true", help="also find text of low contrast")
    parser.add_argument("--self-contained", action="store_true", help="also find what a page loads")
    parser.add_argument("--unfold", action="store_true", help="open what is folded (details)")
    parser.add_argument("--allow", action="append", default=[], metavar="SELECTOR",
                        help="CSS selector of what is left out")
    return parser.parse_args(arguments)


def main(arguments):
    chosen = parse_arguments(arguments)
    program = find_browser()
    if program is None:
        print("skipped: no Chromium (Debian package chromium)", file=sys.stderr)
        return SKIPPED
    if chosen.screenshots:
        chosen.screenshots.mkdir(parents=True, exist_ok=True)
    code, looks = CLEAN, 0
    with Browser(program) as browser:
        for page in chosen.pages:
            for width in chosen.width or (1400, 400):
                for scheme in chosen.scheme or ("light",):
                    try:
                        found = measure(browser, url_of(page), width, scheme, contrast=chosen.contrast,
                                        self_contained=chosen.self_contained, unfold=chosen.unfold,
                                        allow=chosen.allow)
                        if chosen.screenshots:
                            picture = chosen.screenshots / picture_name(page, width, scheme)
                            picture.write_bytes(browser.screenshot())
                    except PageError as error:
                        print(f"{page}: {error}", file=sys.stderr)
                        return FAILED
                    looks += 1
                    report(f"{page} [{width} {scheme}]", found)
                    code = FOUND if found else code
    print(f"{len(chosen.pages)} pages, {looks} views measured", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
