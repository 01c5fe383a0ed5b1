#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""last.py - the last measurement: kept as a session of its user's own, shown by `topdown report`, and never a
reason to fail."""
import json
import os
import pathlib
import stat
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    SOURCE,
    check,
    check_failure,
    check_success,
    environment,
    finish,
    need_simulator,
    read_json,
    temporary,
    topdown,
)

SIM = ("--pmu", "sim", "--sim-core", "skylake", "--no-anchor")  # a named core keeps no L3
SAMPLE = SOURCE / "docs/sample-session.json"  # levels 1 to 3, of a PMU


def at(state, **changes):
    return environment(**{"XDG_STATE_HOME": str(state), "TOPDOWN_LAST": None} | changes)


def measure(*words, env, program=("/bin/true",)):
    result = topdown(*SIM, *words, *program, env=env)
    check(result.returncode == 0, f"{words} {program}: exit status", result.returncode)
    return result.stderr


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*"))


def check_kept(scratch):
    state = scratch / "state"
    measure("-l1", env=at(state), program=("/bin/echo", "a b"))
    check(files(state) == ["topdown", "topdown/key", "topdown/last.json"], "what is kept", files(state))
    check((mode(state / "topdown"), mode(state / "topdown/last.json")) == (0o700, 0o600), "its modes")
    session = read_json(state / "topdown/last.json")
    check(session["command"] == "/bin/echo 'a b'", "its command", session["command"])
    shown = topdown("report", "-l2", env=at(state))
    named = topdown("report", "-l2", state / "topdown/last.json", env=at(state))
    check_success(named, "the same by its name")
    check(shown.returncode == 0 and "Fetch_Latency" in shown.stdout, "report without a file", shown)
    strip = [line for line in named.stdout.splitlines() if not line.startswith("Next  topdown report")]
    check(
        [line for line in shown.stdout.splitlines() if not line.startswith("Next  topdown report")] == strip,
        "the same report",
    )
    check(
        shown.stderr == f"topdown: the last measurement: /bin/echo 'a b', {session['started']}\n",
        "which one",
        shown.stderr,
    )
    said = measure("-l1", env=at(state))
    check("\nNext  topdown report --lines -l4\n" in said, "the source lines cost no second simulation", said)
    lines = topdown("report", "--lines", env=at(state))
    check(
        lines.returncode == 0 and "/bin/true, " in lines.stderr, "a later one takes its place", lines.stderr
    )
    check("Lines of " in lines.stdout, "with its lines, which nobody had asked for", lines.stdout)
    said = measure("-l1", "--per-thread", env=at(state))
    check("topdown report -l" in said, "those of a thread are not known", said)
    check(
        files(state) == ["topdown", "topdown/key", "topdown/last.json"], "nothing else is left", files(state)
    )


def check_none(scratch):
    (scratch / "pipe" / "topdown").mkdir(parents=True)
    os.mkfifo(scratch / "pipe" / "topdown" / "last.json")
    check_failure(
        topdown("report", env=at(scratch / "pipe")),
        "a FIFO that nobody writes to",
        "No measurement was kept in ",
    )
    nowhere = topdown("report", env=at("", HOME="/"))
    check_failure(
        nowhere,
        "report without a home",
        "No measurement was kept: HOME is not a directory of this user",
        "`topdown report FILE`",
    )
    check_failure(
        topdown("report", env=at(scratch / "none")), "report without one", f"{scratch}/none/topdown/last.json"
    )
    check_failure(topdown("report", "-l2", "a", "b", env=at(scratch)), "two files", "a is left out")


def check_off(scratch):
    state = scratch / "off"
    measure("-l1", env=at(state, TOPDOWN_LAST="0"))
    said = measure("-l1", "--no-last", env=at(state))
    check(not state.exists(), "switched off")
    check("topdown report" not in said, "no command reads what is not kept", said)
    missing = topdown(*SIM, "./no-such-program", env=at(state))
    check(missing.returncode == 127 and not state.exists(), "nothing was measured", missing)


def check_refused(scratch):
    """Where it can't be kept (unit.last has the cases) the measurement goes on without it."""
    said = measure("-l1", "-v", env=at("", HOME="/"))
    said = [line for line in said.splitlines() if "not kept as the last measurement: " in line]
    check(len(said) == 1, "one line with -v", said)
    check("last measurement" not in measure("-l1", env=at("", HOME="/")), "none without")


def closer(*words, env=None):
    result = topdown("report", *words, env=env)
    check(result.returncode == 0, f"{words}: exit status", result)
    lines = [line for line in result.stdout.splitlines() if line.startswith("Next  ")]
    return lines[0].removeprefix("Next  ") if lines else None


def check_next(scratch):
    """The commands below a tree read the counts as far as these reach, and measure only for what they
    lack."""
    state = scratch / "next"
    (state / "topdown").mkdir(parents=True)
    (state / "topdown").chmod(0o700)
    (state / "topdown/last.json").write_bytes(SAMPLE.read_bytes())
    last, named = closer("-l1", env=at(state)), closer("-l1", str(SAMPLE))
    check(last == "topdown report -l3", "of the last measurement", last)
    check(named == f"topdown report -l3 {SAMPLE}", "of a file", named)
    deeper = closer("-l3", env=at(state))
    check(deeper == "topdown -l4 ./prog", "beyond what was measured", deeper)
    said = topdown("report", "-l5", env=at(state)).stdout
    check("Measured down to level 3: deeper nodes take a" in said, "a level that was not measured", said)
    stream = topdown("report", "-l1", "-", env=at(state), input=SAMPLE.read_text(encoding="utf-8")).stdout
    check("\nNext  topdown -l2 ./prog" in stream, "standard input can't be read again", stream)
    json_report = json.loads(topdown("report", "-l1", "--format", "json", env=at(state)).stdout)
    check(json_report["look_closer"] == last, "the same in JSON", json_report["look_closer"])
    run = scratch / "a run.json"
    said = measure("-l1", "--save", str(run), env=at(state))
    check(f"\nNext  topdown report --lines -l4 '{run}'" in said, "of the file that it was saved to", said)
    said = measure("-l1", env=at(state))
    command = [line.split()[1:] for line in said.splitlines() if line.startswith("Next  topdown report")]
    check(command == [["topdown", "report", "--lines", "-l4"]], "of what was just kept", said)
    check_success(
        topdown(*command[0][1:], str(state / "topdown/last.json"), env=at(state)), "the command works"
    )


def main():
    need_simulator()
    with temporary() as scratch:
        for part in (check_kept, check_none, check_off, check_refused, check_next):
            folder = scratch / part.__name__
            folder.mkdir()
            part(folder)
    finish()


main()
