#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""strangers.py - a report reads sources by the names in a session only where its own user measured on this
machine, or below --source; whatever a stranger's session names is not read, and never waited for. And no name
in it becomes a formula of a spreadsheet."""
import csv
import io
import json
import math
import os
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_failure, check_success, environment, finish, read_json, temporary, topdown

SECRET = "this line is no source"
SOURCE = """#include <stdio.h>
__attribute__((noinline)) unsigned hot(unsigned n)
{
	unsigned sum = 0;
	while (n--)
		sum = sum * n ^ 12345; /* the hot line */
	return sum;
}
int main(void) { return printf("%u\\n", hot(20000)) < 0; }
"""


def measure(folder):
    """A session that this user makes here, and its folder of sources."""
    sources = folder / "build" / "src"
    sources.mkdir(parents=True)
    (sources / "hot.c").write_text(SOURCE)
    subprocess.run(["cc", "-g", "-O1", "-o", folder / "hot", sources / "hot.c"], check=True)
    simulate = ("--pmu", "sim", "--anchor", "never", "--lines", "-o", folder / "report.txt")
    own = environment(XDG_STATE_HOME=str(folder / "me"))
    check_success(topdown(*simulate, "--save", folder / "own.json", folder / "hot", env=own), "a simulation")
    return folder / "own.json", sources / "hot.c"


def annotated(session, *options, form="text", **changes):
    """What is shown of the function. A report that waits for what it reads is ended."""
    words = ("report", "--nodes", "Core_Bound", "--annotate", "hot", "--format", form, *options, session)
    return topdown(*words, env=environment(**{"XDG_STATE_HOME": str(session.parent / "me"), **changes}))


def renamed(session, path, to):
    """The session as a stranger would write it: the source has another name, all else is as it was."""
    target = session.with_name("stranger.json")
    text = session.read_text()
    check(json.dumps(str(path)) in text, f"the session names {path}")
    target.write_text(text.replace(json.dumps(str(path)), json.dumps(str(to))))
    return target


def check_own(session, elsewhere):
    check("the hot line" in annotated(session).stdout, "the user's own session has its source")
    check("seal" in read_json(session), "it is sealed")
    stranger = annotated(session, XDG_STATE_HOME=str(elsewhere)).stdout
    check("the hot line" not in stranger, "another user reads no source")
    check("--source DIR says where" in " ".join(stranger.split()), "and is told how", stranger)
    check(not elsewhere.exists(), "and reading makes no key")


def check_names(session, source, folder):
    """A file of the reader's, what waits for a writer, and what the kernel makes."""
    secret, fifo = folder / "secret", folder / "fifo"
    secret.write_text(f"{SECRET}\n" * 20)
    os.mkfifo(fifo)
    for path in (secret, fifo, "/proc/kmsg", "/dev/zero", "../secret"):
        for form in ("text", "html", "json"):
            done = annotated(renamed(session, source, path), form=form)
            check_success(done, f"{path} as a source, {form}")
            check(SECRET not in done.stdout, f"{path} as a source, {form}: it is not read")
    # What comes out of a stranger's session again is not sealed.
    made = annotated(renamed(session, source, secret), form="html")
    page = folder / "page.html"
    page.write_text(made.stdout)
    check(SECRET not in annotated(page).stdout, "nor from a page that was made of it")


def check_folder(session, source, folder):
    """Below the folder the file is found by the end of its path; no link leads out of it."""
    state = {"XDG_STATE_HOME": str(folder / "nobody")}
    moved, outside = folder / "moved", folder / "outside"
    (moved / "src").mkdir(parents=True)
    outside.mkdir()
    (moved / "src" / "hot.c").write_text(SOURCE)
    done = annotated(session, "--source", moved, **state)
    check("the hot line" in done.stdout, "the file with the end of its path is read", done.stdout)
    check(f"was read from {moved}/src/hot.c" in " ".join(done.stdout.split()), "and named", done.stdout)
    check(
        "the hot line" in annotated(session, "--source", source.parent, **state).stdout,
        "the folder that has it",
    )
    (moved / "src" / "hot.c").unlink()
    (outside / "hot.c").write_text(f"{SECRET}\n" * 20)
    (moved / "src" / "hot.c").symlink_to(outside / "hot.c")
    (folder / "empty").mkdir()
    for wanted in (moved, folder / "empty"):
        done = annotated(session, "--source", wanted, **state)
        check_success(done, f"--source {wanted}")
        check(
            SECRET not in done.stdout and "the hot line" not in done.stdout,
            f"--source {wanted}: nothing is read",
        )
    check(
        SECRET not in annotated(renamed(session, source, "/proc/kmsg"), "--source", "/proc").stdout,
        "nor from proc",
    )
    check_failure(
        topdown("report", "--source", moved, session), "--source alone", "--source needs --annotate"
    )
    for wanted in (folder / "none", outside / "hot.c"):
        check_failure(annotated(session, "--source", wanted), f"--source {wanted}", "it is not a folder")


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def check_sheets(session):
    """No cell is a formula, whatever a function or a command is called."""
    evil = ["=cmd|' /C calc'!A0", "@SUM(1+1)", "+1+cmd", "-2+3+cmd"]
    for name in evil:
        stranger = session.with_name("sheet.json")
        text = (
            session.read_text()
            .replace('"hot"', json.dumps(name))
            .replace(json.dumps(str(session.parent / "hot")), json.dumps(name))
        )
        stranger.write_text(text)
        for words in (("report", "--functions", "--nodes", "Core_Bound"), ("compare", session)):
            done = topdown(*words, "--format", "csv", stranger)
            check(done.returncode == 0, f"{words[0]} of {name} as CSV", done.stderr)
            cells = [cell for row in csv.reader(io.StringIO(done.stdout)) for cell in row]
            check(words[0] != "report" or f"'{name}" in cells, f"{words[0]}: a cell has {name}")
            found = [cell for cell in cells if len(cell) > 1 and cell[0] in "=+-@" and not is_number(cell)]
            check(not found, f"{words[0]} of {name}: formulas", found)


def main():
    with temporary() as folder:
        session, source = measure(folder)
        check_own(session, folder / "nobody")
        check_names(session, source, folder)
        check_folder(session, source, folder)
        check_sheets(session)
    finish()


if __name__ == "__main__":
    main()
