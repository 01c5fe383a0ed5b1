#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""look.py - colours, bars and letters: only where the terminal, the locale and the user's wish allow them."""
import os
import pty
import struct
import fcntl
import sys
import termios
import threading
import unicodedata
import json
import re

sys.path.append(f"{sys.path[0]}/..")
from lib import COUNTS, SOURCE, check, check_success, environment, finish, topdown

REPORT = ("report", "-l3", COUNTS)
ESCAPE = "\x1b["
FORMATS = ("text", "json", "csv", "markdown")


def on_terminal(*words, columns=80, **env):
    """What topdown writes to a terminal of that width."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    blocks = []
    reader = threading.Thread(target=read_all, args=(master, blocks))
    reader.start()  # a long list is more than a terminal holds
    result = topdown(*words, stdout=terminal, env=environment(**env))
    os.close(terminal)
    reader.join()
    check_success(result, f"{words} on a terminal")
    os.close(master)
    return b"".join(blocks).decode("utf-8").replace("\r\n", "\n")


def read_all(master, blocks):
    while True:
        try:
            blocks.append(os.read(master, 65536))
        except OSError:  # EIO: the other side is closed and everything is read
            return
        if not blocks[-1]:
            return


def columns_of(line):
    """Cells of a terminal."""
    return sum(
        2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in re.sub(r"\x1b\[[0-9;]*m", "", line)
    )


def check_color():
    check(ESCAPE not in topdown(*REPORT).stdout, "no colours in a pipe")
    check(ESCAPE in topdown(*REPORT, "--color", "always").stdout, "--color always in a pipe")
    check(ESCAPE not in topdown(*REPORT, "--color=auto").stdout, "--color auto in a pipe")
    check(ESCAPE in on_terminal(*REPORT), "colours on a terminal")
    check(ESCAPE in on_terminal(*REPORT, NO_COLOR=""), "an empty NO_COLOR means nothing")
    check(ESCAPE not in on_terminal(*REPORT, NO_COLOR="1"), "NO_COLOR on a terminal")
    check(
        ESCAPE in on_terminal(*REPORT, "--color", "always", NO_COLOR="1"),
        "--color always is stronger than NO_COLOR",
    )
    check(ESCAPE not in on_terminal(*REPORT, "--color", "never"), "--color never on a terminal")
    check(ESCAPE not in on_terminal(*REPORT, TERM="dumb"), "a dumb terminal")
    check(ESCAPE not in on_terminal(*REPORT, TERM=None), "a terminal of unknown type")
    for form in FORMATS[1:]:
        result = topdown(*REPORT, "--color", "always", "--format", form)
        check(ESCAPE not in result.stdout, f"no colours in {form}")


def check_letters():
    for form in FORMATS:
        for words in ([*REPORT, "--format", form], ["plan", "-l3", "--cpu", "clx", "--format", form]):
            result = topdown(*words, env=environment(LC_ALL="C"))
            check_success(result, f"{words} in the C locale")
            check(result.stdout.isascii(), f"{words}: ASCII in the C locale")
    check("├─ " in topdown(*REPORT).stdout, "lines of the tree in a UTF-8 locale")
    check("+- " in topdown(*REPORT, env=environment(LC_ALL="C")).stdout, "lines of the tree in the C locale")
    nowhere = topdown(*REPORT, env=environment(LC_ALL="xx_XX.UTF-8"))
    check_success(nowhere, "a locale that is not installed")
    check(nowhere.stdout.isascii(), "a locale that is not installed is the C locale")


def check_lists():
    """Lists and plans fit the terminal; only a name or an encoding in perf's form, which are typed, may be
    longer."""
    lists = [
        ["list", "cpus"],
        ["list", "nodes", "--cpu", "clx"],
        ["list", "metrics", "--cpu", "spr"],
        ["list", "groups", "--cpu", "clx"],
        ["list", "events", "--cpu", "spr"],
        ["list", "nodes", "--cpu", "clx", "Memory_Bound"],
        ["metrics", "--cpu", "clx"],
    ]
    plans = [
        ["plan", "-l6", "--cpu", "spr"],
        ["plan", "-l3", "--cpu", "clx"],
        ["plan", "-l2", "--cpu", "zen4"],
        ["plan", "-l2", "--cpu", "neoverse-v1"],
    ]
    for words in lists:
        for columns in (80, 100, 200):
            wide = [
                line
                for line in on_terminal(*words, columns=columns).splitlines()
                if columns_of(line) > columns
            ]
            check(not wide, f"{words} in {columns} columns", wide[:3])
        wide = [line for line in topdown(*words).stdout.splitlines() if columns_of(line) > 100]
        check(not wide, f"{words} in a pipe", wide[:3])
    for words in plans:
        for columns in (40, 60, 80):
            wide = [
                line
                for line in on_terminal(*words, columns=columns).splitlines()
                if columns_of(line) > columns
                and not re.fullmatch(r" *\S+", re.sub(r"\x1b\[[0-9;]*m", "", line))
            ]
            check(not wide, f"{words} in {columns} columns", wide[:3])
    narrow = on_terminal("plan", "-l1", "--cpu", "spr", columns=40)
    plan = json.loads(topdown("plan", "-l1", "--cpu", "spr", "--format", "json").stdout)
    events = plan["runs"][0]["groups"][0]["events"]
    expected = {
        event["counter"].replace("fixed", "f") for event in events if event["counter"].startswith("fixed")
    }
    general = sum(event["counter"].startswith("gp") for event in events)
    named = set(re.findall(r"\b([fg]\d) \d", narrow))
    check(
        {name for name in named if name[0] == "f"} == expected and len(named) == len(expected) + general > 3,
        "a narrow plan has all counters",
        (named, expected, general),
    )


def check_reasons():
    """What is missing is named in whole words, however narrow the page is."""
    for columns in (80, 100):
        text = on_terminal(
            "report", "-l6", "-v", SOURCE / "tests/golden/clx-two-levels/counts.json", columns=columns
        )
        words = set(re.sub(r"\x1b\[[0-9;]*m", "", text).replace(",", " ").split())
        nodes = json.loads(
            topdown(
                "report", "-l6", "--format", "json", SOURCE / "tests/golden/clx-two-levels/counts.json"
            ).stdout
        )["nodes"]
        named = {event for node in nodes for event in re.split(r",? ", node["reason"] or "") if "." in event}
        check(len(named) > 50 and named <= words, f"events in {columns} columns", sorted(named - words))


def check_empty_lists():
    """Nodes that no instruction has a slot of have no headings of empty tables."""
    session = SOURCE / "tests/cli/formats/simulated.json"
    nodes = json.loads(topdown("report", "-l9", "--format", "json", session).stdout)["nodes"]
    empty = [node["title"] for node in nodes if node["value"] == 0]
    text = topdown("report", "--lines", "--nodes", ",".join(empty), session).stdout
    check(
        empty
        and text.count("No slot of it belongs to an instruction.") == len(empty)
        and "Functions:" not in text,
        "nodes of nothing",
        text,
    )
    check("Functions:" in topdown("report", "--lines", session).stdout, "functions where there are some")


def check_width():
    for columns in (40, 60, 80, 200):
        text = on_terminal(*REPORT, "--color", "never", columns=columns)
        wide = [
            line
            for line in text.splitlines()
            if len(line) > columns and not line.startswith(("  perf record ", "  topdown ", "Next  "))
        ]
        check(not wide, f"no line is wider than {columns}", wide)
    check("█" in on_terminal(*REPORT, columns=100), "bars on a terminal")
    check("█" not in topdown(*REPORT).stdout, "no bars in a pipe")


check_color()
check_letters()
check_width()
check_lists()
check_reasons()
check_empty_lists()
finish()
