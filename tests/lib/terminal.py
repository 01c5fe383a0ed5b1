# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal.py - programs on terminals of a known size: a bare one that keeps every byte, and one that tmux
draws."""
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import time
import unicodedata

from lib.program import PATIENCE, TOPDOWN, environment

SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def cells(text):
    """Columns that a terminal takes for it."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in SEQUENCE.sub("", text)
    )


def set_size(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def run_on(columns, *words, rows=24, **changes):
    """(exit status, all that topdown has written) on a terminal of that size, which is its stdout and stderr
    and not its stdin."""
    master, slave = pty.openpty()
    set_size(slave, columns, rows)
    env = environment(**changes)
    with subprocess.Popen(
        [TOPDOWN, *map(str, words)], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=env
    ) as process:
        os.close(slave)
        written = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break
            if not chunk:
                break
            written += chunk
        process.wait()
    os.close(master)
    return process.returncode, written.decode("utf-8", "replace").replace("\r\n", "\n")


class Bare:
    """A program as the leader of a session whose terminal keeps every byte that it is sent."""

    def __init__(self, words, **changes):
        self.master, self.slave = pty.openpty()
        set_size(self.slave, 80, 24)
        self.before = termios.tcgetattr(self.slave)
        self.written = b""
        self.process = subprocess.Popen(
            list(map(str, words)),
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=environment(**changes),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def read(self, seconds=0.0):
        """What comes in that time."""
        if select.select([self.master], [], [], seconds)[0]:
            self.written += os.read(self.master, 65536)

    def wait(self, holds):
        """Reads until what was written is so, or the program has ended."""
        while not holds(self.written) and self.process.poll() is None:
            self.read(0.02)

    def end(self):
        """Reads until the program has ended; its status."""
        self.wait(lambda _: False)
        while select.select([self.master], [], [], 0)[0]:
            self.read()
        return self.process.returncode

    def takes_any(self):
        return bool(select.select([], [self.slave], [], 0)[1])

    def settings_are_back(self):
        return termios.tcgetattr(self.slave) == self.before

    def hang_up(self):
        os.close(self.slave)
        os.close(self.master)
        return self.process.wait(timeout=PATIENCE)

    def close(self):
        os.close(self.slave)
        os.close(self.master)
        self.process.wait(timeout=PATIENCE)


def has_ended(lines):
    return any(re.fullmatch(r"status \d+", line) for line in lines)


class Screen:
    """A window of tmux in which a shell command runs; its folder and server are its own."""

    def __init__(self, command, columns=80, rows=24, **changes):
        self.folder = tempfile.mkdtemp()
        self.socket = os.path.join(self.folder, "tmux")
        self.env = {**environment(**changes), "HOME": self.folder}
        # The terminal stays when the command has ended, so that it can be looked at.
        self("new-session", "-d", "-x", columns, "-y", rows, f"{command}; echo status $?; exec sleep 9999")

    @staticmethod
    def is_there():
        return shutil.which("tmux") is not None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self("kill-server")
        shutil.rmtree(self.folder, ignore_errors=True)

    def __call__(self, *words):
        return subprocess.run(
            ["tmux", "-S", self.socket, "-f", "/dev/null", *map(str, words)],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=PATIENCE,
        ).stdout

    def lines(self, *options):
        return [line.rstrip() for line in self("capture-pane", "-p", *options).splitlines()]

    def text(self):
        return "\n".join(self.lines())

    def type(self, *keys):
        self("send-keys", *keys)

    def resize(self, columns, rows):
        self("resize-window", "-x", columns, "-y", rows)

    def is_other_screen(self):
        return self("display-message", "-p", "#{alternate_on}").strip() == "1"

    def wait(self, holds, seconds=PATIENCE):
        """The first lines for which this holds, or those when the command has ended."""
        end = time.monotonic() + seconds
        while True:
            lines = self.lines()
            if holds(lines) or has_ended(lines) or time.monotonic() > end:
                return lines
            time.sleep(0.02)
