# SPDX-License-Identifier: GPL-2.0-or-later
"""firefox.py - a page in a headless Firefox, driven through Marionette, with the network off."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from lib.program import PATIENCE

PREFERENCES = {
    "network.proxy.type": 1,  # a proxy that is not there
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False,
    "app.update.enabled": False,
    "devtools.console.stdout.content": True,
    "browser.dom.window.dump.enabled": True,
    "datareporting.healthreport.uploadEnabled": False,
}
# https://www.w3.org/TR/webdriver2/#keyboard-actions
KEYS = {
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Tab": "\ue004",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}


def find():
    """The browser's path, or None."""
    return os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")


class Failed(Exception):
    pass


class Browser:
    """Closed by `with`."""

    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="topdown-browser-"))
        profile = self.home / "profile"
        profile.mkdir()
        (profile / "user.js").write_text(
            "".join(
                f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in PREFERENCES.items()
            ),
            encoding="utf-8",
        )
        self.log = open(self.home / "log", "w+b")
        self.process = subprocess.Popen(
            [find(), "--headless", "--marionette", "--no-remote", "--profile", str(profile)],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "HOME": str(self.home),
                "MOZ_HEADLESS_WIDTH": "1280",
                "MOZ_HEADLESS_HEIGHT": "1000",
            },
        )
        self.socket, self.rest, self.number = self.connect(profile / "MarionetteActivePort"), b"", 0
        self.receive()  # who it is
        self.call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})

    def connect(self, port):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise Failed("the browser has ended")
            try:
                return socket.create_connection(("127.0.0.1", int(port.read_text())), PATIENCE)
            except (OSError, ValueError):
                time.sleep(0.05)
        raise Failed("no connection to the browser")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        self.socket.close()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def receive(self):
        """A message: its length, a colon, JSON."""
        while b":" not in self.rest or len(self.rest) < self.rest.index(b":") + 1 + int(
            self.rest[: self.rest.index(b":")]
        ):
            data = self.socket.recv(1 << 20)
            if not data:
                raise Failed("the browser has ended")
            self.rest += data
        length, _, rest = self.rest.partition(b":")
        self.rest = rest[int(length) :]
        return json.loads(rest[: int(length)])

    def call(self, command, parameters=None):
        self.number += 1
        data = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.socket.sendall(str(len(data)).encode() + b":" + data)
        _, _, error, result = self.receive()
        if error:
            raise Failed(f"{command}: {error['message']}")
        return result

    def open(self, path):
        self.call("WebDriver:Navigate", {"url": pathlib.Path(path).resolve().as_uri()})
        return Tab(self)


class Tab:
    """The one that has been opened last: as far as it goes, used as chromium's."""

    def __init__(self, browser):
        self.browser = browser

    def run(self, script):
        """The value of a JavaScript expression, which may be a promise."""
        done = self.browser.call(
            "WebDriver:ExecuteAsyncScript",
            {
                "script": f"const done = arguments[0]; Promise.resolve(({script})).then(done);",
                "args": [],
                "sandbox": None,
            },
        )
        return done["value"]

    def press(self, key, *unused):
        text = KEYS.get(key, key)
        actions = [{"type": "keyDown", "value": text}, {"type": "keyUp", "value": text}]
        self.browser.call(
            "WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]}
        )

    def point(self, *steps):
        """(kind, x, y) each: pointerMove, pointerDown or pointerUp."""
        actions = []
        for kind, x, y in steps:
            if kind == "pointerMove":
                actions.append(
                    {"type": kind, "x": round(x), "y": round(y), "duration": 0, "origin": "viewport"}
                )
            else:
                actions.append({"type": kind, "button": 0})
        self.browser.call(
            "WebDriver:PerformActions",
            {
                "actions": [
                    {
                        "type": "pointer",
                        "id": "mouse",
                        "parameters": {"pointerType": "mouse"},
                        "actions": actions,
                    }
                ]
            },
        )

    def close(self):
        """It is used for the next page."""

    @property
    def messages(self):
        """What pages wrote to the console."""
        self.browser.log.flush()
        text = (self.browser.home / "log").read_text(encoding="utf-8", errors="replace")
        return [line for line in text.splitlines() if line.startswith("JavaScript error") and ".html" in line]
