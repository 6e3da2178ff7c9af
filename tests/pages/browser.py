"""Headless Chromium, driven over a pipe: opens pages at a width, evaluates JavaScript there, takes screenshots.

Chromium's own protocol, without a port and without other programs: commands go to its file descriptor 3, answers come
from 4; both are JSON that ends with a zero byte.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
           "--no-first-run", "--disable-extensions", "--disable-background-networking",
           "--allow-file-access-from-files", "--force-device-scale-factor=1"]
HEIGHT = 900


class BrowserError(RuntimeError):
    """The browser did not start, ended, or refused a command."""


def find_browser():
    """Its path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One process with one page. Use it in a with statement."""

    def __init__(self, timeout_s=120.0):
        program = find_browser()
        if program is None:
            raise BrowserError("no Chromium: run toolchains/setup-debian.sh")
        self._timeout_s = timeout_s
        self._profile = tempfile.TemporaryDirectory()
        to_child, self._out = os.pipe()
        self._in, from_child = os.pipe()

        def give_pipes():
            os.dup2(to_child, 13)  # beyond both, so that neither is overwritten
            os.dup2(from_child, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self._process = subprocess.Popen(  # pylint: disable=subprocess-popen-preexec-fn
            [program, *OPTIONS, f"--user-data-dir={self._profile.name}", "about:blank"], preexec_fn=give_pipes,
            close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self._buffer = b""
        self._number = 0
        self._events = []
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._out)  # the browser ends where its pipe does
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        self._profile.cleanup()

    def _receive(self, until):
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0.0, until - time.monotonic()))[0]:
                raise BrowserError("no answer from the browser in time")
            part = os.read(self._in, 1 << 16)
            if not part:
                raise BrowserError("the browser has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        """Sends a command and returns its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self._timeout_s
        while True:
            answer = self._receive(until)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self._events.append(answer["method"])

    def open(self, url, width):
        """Opens a page in a window of this width and waits until it is there, its fonts included."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1,
                  mobile=False)
        self._events.clear()
        if "errorText" in self.call("Page.navigate", url=url):
            raise BrowserError(f"{url} cannot be opened")
        until = time.monotonic() + self._timeout_s
        while "Page.loadEventFired" not in self._events:
            self._events.append(self._receive(until).get("method"))
        self.evaluate("document.fonts.ready.then(() => true)")

    def evaluate(self, script):
        """The value of a JavaScript expression, waited for where it is a promise."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise BrowserError(str(result["exceptionDetails"].get("exception", result)))
        return result["result"].get("value")

    def screenshot(self, file):
        """The whole page as PNG."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))
