#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""view.py - topdown view: a table where there is no terminal, and a screen with keys where there is one; each
number is the JSON report's."""
import json
import os
import re
import signal
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, TOPDOWN, check, check_failure, check_success, finish, read_json, temporary, topdown
from lib.program import PATIENCE
from lib.terminal import SEQUENCE, Bare

SIMULATED = SOURCE / "tests/cli/formats/simulated.json"
PROFILE = SOURCE / "docs/sample-profile.json"
SESSION = SOURCE / "docs/sample-session.json"
KEYS = {"down": b"\033[B", "up": b"\033[A", "enter": b"\r", "escape": b"\033", "end": b"\033[F"}


def report(path, *words):
    return json.loads(topdown("report", "--format", "json", *words, path).stdout)


def simulated(folder):
    """A simulation of three functions with lines, of which the test knows everything."""
    session = read_json(SIMULATED)
    lines = []
    for n, share in enumerate((0.6, 0.3, 0.1)):
        line = session["lines"][0]
        lines.append(
            {
                **line,
                "function": f"part_{n}",
                "file": "/nowhere/work.c",
                "line": 10 + n,
                "counts": {event: value * share for event, value in line["counts"].items()},
            }
        )
    session["lines"] = lines
    path = folder / "sim.json"
    path.write_text(json.dumps(session), encoding="utf-8")
    return path


def check_table(path):
    """On a pipe: functions with level 1, the largest first."""
    done = topdown("view", path)
    check_success(done, "a table")
    lines = done.stdout.splitlines()
    found = [
        (float(value), name) for value, name in re.findall(r"(?m)^ +([\d.]+) .*?  (part_\d)", done.stdout)
    ]
    wanted = report(path, "--lines", "-l6", "--nodes", "Backend_Bound")["profile"]["functions"]
    cycles = {row["name"]: row["base"] for row in wanted}
    check([name for _, name in found] == [row["name"] for row in wanted][:3], "the functions", found)
    for value, name in found:
        check(abs(value - cycles[name]) < 0.051, f"{name}: its cycles", (value, cycles[name]))
    nodes = {node["title"]: node["value"] for node in report(path)["nodes"]}
    for title in ("Frontend_Bound", "Backend_Bound", "Retiring"):
        check(f"{title} {nodes[title]:.1f}" in lines[1], f"{title} in the second line", lines[1])
    check("\033" not in done.stdout, "no sequences")


class Seen(Bare):
    """The last frame that a terminal was sent, by lines."""

    def frame(self):
        text = self.written.decode("utf-8", "replace")
        last = text.rsplit("\033[H", 1)[-1]
        return [line.rstrip() for line in SEQUENCE.sub("", last).split("\r\n")] if "\033[H" in text else []

    def shows(self, holds, what):
        end = time.monotonic() + min(PATIENCE, 60)
        while not holds("\n".join(self.frame())):
            self.read(0.05)
            if time.monotonic() > end:
                check(False, what, self.frame())
                return False
        check(True, what)
        return True

    def type(self, *keys):
        for key in keys:
            os.write(self.master, KEYS.get(key, key.encode()))


def check_keys(path):
    seen = Seen([TOPDOWN, "view", path])
    seen.shows(lambda text: "Functions by cycles" in text and "q: quit" in text, "it begins with functions")
    check(b"\033[?1049h" in seen.written, "on the other screen")
    seen.type("down", "enter")
    seen.shows(
        lambda text: "Lines of part_1" in text and "work.c:11" in text, "Enter shows lines of the second"
    )
    seen.type("escape")
    seen.shows(lambda text: "Functions by cycles" in text, "Escape leads back")
    seen.type("n")
    seen.shows(lambda text: "Functions by Frontend_Bound (" in text, "n is the next node")
    value = report(path)["nodes"][0]["value"]
    check(f"({value:.1f} %)" in "\n".join(seen.frame()), "with its value", (value, seen.frame()[:3]))
    seen.type("N", "/", "_2", "enter")
    seen.shows(lambda text: "part_2" in text and "part_0" not in text, "/ searches")
    seen.type("escape")
    seen.shows(lambda text: "part_0" in text, "Escape ends the search")
    seen.type("q")
    check(seen.end() == 0, "q quits")
    check(b"\033[?1049l" in seen.written and seen.settings_are_back(), "the terminal is as it was")
    seen.close()


def check_signals(path):
    """Ctrl-C and SIGTERM leave the terminal as it was."""
    for number in (signal.SIGINT, signal.SIGTERM):
        seen = Seen([TOPDOWN, "view", path])
        seen.shows(lambda text: "q: quit" in text, "it is shown")
        seen.process.send_signal(number)
        seen.end()
        check(b"\033[?1049l" in seen.written and seen.settings_are_back(), f"{number.name}: as it was")
        seen.close()


def main():
    with temporary() as folder:
        path = simulated(folder)
        check_table(path)
        check_keys(path)
        check_signals(path)
    done = topdown("view", PROFILE)
    check_success(done, "a profile of time")
    first = report(PROFILE, "--functions")["profile"]["functions"][0]
    check(
        re.search(rf"^ +{first['self']:.1f} +{re.escape(first['name'])} ", done.stdout, re.M),
        "its first function",
        done.stdout[:300],
    )
    done = topdown("view", SESSION)
    check_success(done, "counts alone")
    check(
        "Backend_Bound" in done.stdout and "none: --lines" in done.stdout,
        "have a tree, no functions, and a way to have some",
        done.stdout,
    )
    check_failure(topdown("view", "no-such-file.json"), "no file", "no-such-file.json")
    finish()


main()
