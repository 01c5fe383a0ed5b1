# SPDX-License-Identifier: GPL-2.0-or-later
"""chromium.py - a page in a headless Chromium, driven through its DevTools protocol over two pipes, with the
network off."""
import base64
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from lib.program import PATIENCE

KEYS = {
    "Enter": (13, "\r"),
    "Escape": (27, None),
    "Tab": (9, None),
    "Home": (36, None),
    "ArrowLeft": (37, None),
    "ArrowUp": (38, None),
    "ArrowRight": (39, None),
    "ArrowDown": (40, None),
    "/": (191, "/"),
    " ": (32, " "),
}
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find():
    """The browser's path, or None."""
    return os.environ.get("CHROMIUM") or next((path for path in map(shutil.which, NAMES) if path), None)


class Failed(Exception):
    pass


class Browser:
    """Closed by `with`. A tab is Browser.open(path)."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="topdown-browser-")
        read, to_browser = os.pipe()
        from_browser, write = os.pipe()
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-extensions",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--disable-background-networking",
            "--hide-scrollbars",
            f"--user-data-dir={self.profile}",
            "--remote-debugging-pipe",
            "about:blank",
        ]
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{read} 4>&{write}', find(), *options],
            pass_fds=(read, write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read)
        os.close(write)
        self.out, self.into = os.fdopen(to_browser, "wb", 0), os.fdopen(from_browser, "rb", 0)
        os.set_blocking(from_browser, False)
        self.rest, self.numbers, self.answers, self.events = b"", itertools.count(1), {}, []

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        self.out.close()
        self.into.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self):
        """What the browser has said since the last call goes to answers and events."""
        data = self.into.read()
        if data == b"":
            raise Failed("the browser has ended")
        if data is None:
            time.sleep(0.005)
            return
        *messages, self.rest = (self.rest + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.events.append(message)

    def call(self, method, parameters=None, tab=None):
        number = next(self.numbers)
        message = {
            "id": number,
            "method": method,
            "params": parameters or {},
            **({"sessionId": tab} if tab else {}),
        }
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[self.out.write(data) :]
        until = time.monotonic() + PATIENCE
        while number not in self.answers:
            if time.monotonic() > until:
                raise Failed(f"{method}: no answer in {PATIENCE} s")
            self.read()
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, path, **how):
        return Tab(self, pathlib.Path(path).resolve(), **how)


class Tab:
    """A page that has been loaded. messages: what it wrote to the console, and errors; requests: the
    addresses it asked for."""

    def __init__(self, browser, path, width=1280, height=900, has_script=True, is_dark=False):
        self.browser = browser
        target = browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.target = target
        self.tab = browser.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
            self.call(f"{domain}.enable")
        self.call(
            "Network.emulateNetworkConditions",
            {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
        )
        self.call("Emulation.setScriptExecutionDisabled", {"value": not has_script})
        self.call(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]},
        )
        self.resize(width, height)
        begin = time.monotonic()
        self.call("Page.navigate", {"url": path.as_uri()})
        self.wait_for("Page.loadEventFired")
        self.load_s = time.monotonic() - begin

    def call(self, method, parameters=None):
        return self.browser.call(method, parameters, self.tab)

    def own_events(self, *methods):
        return [
            event["params"]
            for event in self.browser.events
            if event.get("sessionId") == self.tab and event["method"] in methods
        ]

    def wait_for(self, method):
        until = time.monotonic() + PATIENCE
        while not self.own_events(method):
            if time.monotonic() > until:
                raise Failed(f"no {method} in {PATIENCE} s")
            self.browser.read()

    def resize(self, width, height=900):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def run(self, script):
        """The value of a JavaScript expression, which may be a promise."""
        answer = self.call(
            "Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True}
        )
        if "exceptionDetails" in answer:
            raise Failed(answer["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return answer["result"].get("value")

    def press(self, key, code=0, text=None):
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", **common, **({"text": text} if text else {})})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **common})

    def point(self, *steps):
        """(kind, x, y) each: pointerMove, pointerDown or pointerUp."""
        kinds = {"pointerMove": "mouseMoved", "pointerDown": "mousePressed", "pointerUp": "mouseReleased"}
        is_down = False
        for kind, x, y in steps:
            is_down = (is_down or kind == "pointerDown") and kind != "pointerUp"
            self.call(
                "Input.dispatchMouseEvent",
                {
                    "type": kinds[kind],
                    "x": x,
                    "y": y,
                    "button": "none" if kind == "pointerMove" and not is_down else "left",
                    "buttons": int(is_down),
                    "clickCount": int(kind != "pointerMove"),
                },
            )

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def picture(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 8000), "scale": 1}
        shot = self.call(
            "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True}
        )
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def small_picture(self, path, width, height, scale):
        """The window as it is at first, smaller."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": scale}
        shot = self.call("Page.captureScreenshot", {"format": "png", "clip": clip})
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", {"printBackground": False})["data"])

    @property
    def messages(self):
        said = [event["entry"]["text"] for event in self.own_events("Log.entryAdded")]
        said += [
            " ".join(str(part.get("value", part.get("description"))) for part in event["args"])
            for event in self.own_events("Runtime.consoleAPICalled")
        ]
        return said + [
            event["exceptionDetails"]
            .get("exception", {})
            .get("description", event["exceptionDetails"]["text"])
            for event in self.own_events("Runtime.exceptionThrown")
        ]

    @property
    def requests(self):
        return [event["request"]["url"] for event in self.own_events("Network.requestWillBeSent")]

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})
