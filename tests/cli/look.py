#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""look.py - colours, bars and letters: only where the terminal, the locale and the user's wish allow them."""
import os
import pty
import struct
import fcntl
import termios

from cli import COUNTS, check, check_success, environment, finish, topdown

REPORT = ("report", "-l3", COUNTS)
ESCAPE = "\x1b["
FORMATS = ("text", "json", "csv", "markdown")


def on_terminal(*words, columns=80, **env):
    """What topdown writes to a terminal of that width."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    result = topdown(*words, stdout=terminal, env=environment(**env))
    os.close(terminal)
    check_success(result, f"{words} on a terminal")
    text = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:  # EIO: the other side is closed and everything is read
            break
        if not block:
            break
        text += block
    os.close(master)
    return text.decode("utf-8").replace("\r\n", "\n")


def check_color():
    check(ESCAPE not in topdown(*REPORT).stdout, "no colours in a pipe")
    check(ESCAPE in topdown(*REPORT, "--color", "always").stdout, "--color always in a pipe")
    check(ESCAPE not in topdown(*REPORT, "--color=auto").stdout, "--color auto in a pipe")
    check(ESCAPE in on_terminal(*REPORT), "colours on a terminal")
    check(ESCAPE in on_terminal(*REPORT, NO_COLOR=""), "an empty NO_COLOR means nothing")
    check(ESCAPE not in on_terminal(*REPORT, NO_COLOR="1"), "NO_COLOR on a terminal")
    check(ESCAPE in on_terminal(*REPORT, "--color", "always", NO_COLOR="1"), "--color always is stronger than NO_COLOR")
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


def check_width():
    for columns in (40, 60, 80, 200):
        text = on_terminal(*REPORT, "--color", "never", columns=columns)
        wide = [line for line in text.splitlines() if len(line) > columns and "perf record" not in line]
        check(not wide, f"no line is wider than {columns}", wide)
    check("█" in on_terminal(*REPORT, columns=100), "bars on a terminal")
    check("█" not in topdown(*REPORT).stdout, "no bars in a pipe")


check_color()
check_letters()
check_width()
finish()
