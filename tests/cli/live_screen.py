#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""live_screen.py - --live on a terminal that tmux draws: frames beside the JSON of the same intervals, one
write for each, keys, another size, signals; and where there is no such terminal, lines."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    TOPDOWN,
    can_trace,
    check,
    check_all,
    children_of,
    environment,
    finish,
    is_there,
    lines_in,
    read_json,
    skip,
    soft_pmu,
    temporary,
    topdown,
    wait_until,
)
from lib.terminal import Bare, Screen, cells, has_ended

SPARK = "▁▂▃▄▅▆▇█"
SHARE = "FAULTS / (FAULTS + SWITCHES + 20)"


def node(name, level, parent, formula, threshold):
    groups = f"TopdownL{level}" + (f";tma_{parent}_group" if parent else "")
    return {
        "MetricName": f"tma_{name}",
        "Title": name.capitalize(),
        "MetricExpr": formula,
        "MetricGroup": groups,
        "MetricThreshold": f"tma_{name} > {threshold}",
        "ScaleUnit": "100%",
        "CountDomain": "Slots",
    }


# The worst path is Faulty, Part6, Leaf4, whatever is counted.
NODES = [node("faulty", 1, None, SHARE, 0.05), node("calm", 1, None, f"1 - {SHARE}", 2)]
NODES += [node(f"part{i}", 2, "faulty", f"{i} / 21 * {SHARE}", 0.001) for i in range(1, 7)]
NODES += [node(f"leaf{i}", 3, "part6", f"{i} / 60 * {SHARE}", 0.0001) for i in range(1, 5)]
WORST = ("Faulty", "Part6", "Leaf4")

# Page faults that come and go, until a file says that it is enough; what it reads and writes is what is left
# to it of the terminal.
PROGRAM = """
import mmap, os, sys, time
print("it says this", flush=True)
n = 0
try:
    while not os.path.exists(sys.argv[1]):
        n += 1
        pages = 40 if n // 50 % 2 else 1
        memory = mmap.mmap(-1, 4096 * pages)
        for page in range(pages):
            memory[4096 * page] = 1
        memory.close()
        time.sleep(0.005)
except KeyboardInterrupt:
    print("it was interrupted")
read = "a terminal" if sys.stdin.isatty() else repr(sys.stdin.read())
print("it read", read, "and has a terminal:", sys.stdout.isatty())
"""


# Page faults all of the time, in one process: short ones end before they are sampled.
BUSY = """
import mmap
while True:
    memory = mmap.mmap(-1, 4096 * 40)
    for page in range(40):
        memory[4096 * page] = 1
    memory.close()
"""


class World:
    """A machine with that model, and the program."""

    def __init__(self, folder):
        self.folder = folder
        soft_pmu.FILES["db/models/soft.json"] = json.dumps(
            {"Header": {"Cpu": "soft", "Version": "1"}, "Metrics": NODES}
        )
        self.options = list(map(str, soft_pmu.soft_pmu(folder)))
        self.program = folder / "program.py"
        self.program.write_text(PROGRAM, encoding="utf-8")
        self.enough = folder / "enough"

    def words(self, *options):
        """topdown's, and those of the program, which runs until enough() is called."""
        self.enough.unlink(missing_ok=True)
        return [
            TOPDOWN,
            *self.options,
            "-l3",
            "--live",
            "-I",
            "250",
            *map(str, options),
            "--",
            sys.executable,
            str(self.program),
            str(self.enough),
        ]

    def command(self, *options):
        return shlex.join(self.words(*options))


def has_frame(lines, least=0.0):
    found = re.match(r"(?:paused at )?(\d+\.\d{3}) s[,;]", lines[0]) if lines else None
    return float(found.group(1)) if found and float(found.group(1)) > least else None


def is_paused(lines):
    return bool(lines) and lines[0].startswith("paused at")


def settled(screen, least=0.0):
    """A frame after that time which is not just being drawn."""
    screen.wait(lambda lines: has_frame(lines, least))
    seen = [screen.lines() for _ in range(3)]
    while not seen[0] == seen[1] == seen[2]:
        seen = [*seen[1:], screen.lines()]
    return seen[0]


def frozen(screen, holds):
    """A frame for which this holds, which stays."""
    while True:
        lines = screen.wait(lambda lines: has_frame(lines) and holds(lines))
        if has_ended(lines):
            return lines
        screen.type("p")
        screen.wait(is_paused)
        lines = settled(screen)
        if holds(lines):
            return lines
        screen.type("Space")
        screen.wait(lambda lines: not is_paused(lines))


def rows_of(lines):
    """{title: (value, the line of recent values)} of the tree's rows."""
    rows = {}
    for line in lines:
        found = re.match(r"[│├└─ ]*([A-Z]\w+) +(\d+\.\d) % slots *!?\s*([▁▂▃▄▅▆▇█]*)", line)
        if found:
            rows[found.group(1)] = float(found.group(2)), found.group(3)
    return rows


def is_spark(drawn, values, width):
    """Of the last values the newest at the right, by the largest of them, which counts as 1 % at least. What
    is between two heights may have either: the JSON's values are rounded."""
    values = values[-width:]
    most = max([1.0] + values)
    return len(drawn) == len(values) and all(
        abs(SPARK.index(char) - value / most * 7) < 0.5 + 1e-6 for char, value in zip(drawn, values)
    )


def series(path):
    """[(end, {title: value})] of the intervals, and whether all of the time stands at the end."""
    documents = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [
        (d["interval"]["to_s"], {n["title"]: n["value"] for n in d["nodes"]})
        for d in documents
        if d["interval"]
    ]
    return found, documents[-1]["interval"] is None


def check_frame(lines, intervals):
    end = has_frame(lines)
    before = [values for to_s, values in intervals if to_s <= end + 0.0005]
    name = f"frame of {end} s"
    check(
        any(abs(to_s - end) < 0.0006 for to_s, _ in intervals),
        f"{name}: its interval is in the JSON",
        [to_s for to_s, _ in intervals],
    )
    found = rows_of(lines)
    check(sorted(found) == sorted(n["Title"] for n in NODES), f"{name}: nodes", lines)
    for title, (value, recent) in found.items():
        check(abs(value - before[-1][title]) <= 0.0501, f"{name}: {title}", (value, before[-1][title]))
        values = [values[title] for values in before]
        check(is_spark(recent, values, 20), f"{name}: recent values of {title}", (recent, values))


def frames(world):
    """Frames of a run, beside its JSON: some, and until there is something to see. Each stays while it is
    read."""
    out = world.folder / "frames.json"
    caught, shares = [], []
    with Screen(world.command("--format", "json", "-o", out)) as screen:
        while len(caught) < 4 or max(shares) - min(shares) <= 5:
            last = has_frame(caught[-1]) if caught else 0.0
            caught.append(frozen(screen, lambda lines, last=last: has_frame(lines, last)))
            rows = rows_of(caught[-1])
            check("Faulty" in rows, "frames: a tree is drawn", caught[-1])
            if "Faulty" not in rows:
                return
            shares.append(rows["Faulty"][0])
            check(screen.is_other_screen(), "frames: the other screen")
            screen.type("Space")
            screen.wait(lambda lines: not is_paused(lines))
        world.enough.touch()
        lines = screen.wait(lambda lines: "status 0" in lines)
        check(not screen.is_other_screen(), "frames: the usual screen afterwards")
        check(
            lines[:3] == ["it says this", "it read '' and has a terminal: False", "status 0"],
            "frames: what is left",
            lines[:5],
        )
    intervals, is_whole = series(out)
    check(is_whole, "frames: the time as a whole at the end")
    for lines in caught:
        check_frame(lines, intervals)


def one_write(world):
    """strace sees what is written to the terminal: the entrance, whole frames, the way out, and what the
    program said."""
    log = world.folder / "strace.log"
    trace = ["strace", "-e", "trace=write", "-s", "100000", "-o", str(log)]
    if not can_trace():
        return "strace can't be used here: the number of writes was not looked at"
    with Screen(shlex.join(trace) + " " + world.command()) as screen:
        last = 0.0
        for _ in range(3):
            last = has_frame(screen.wait(lambda lines, last=last: has_frame(lines, last)))
        world.enough.touch()
        screen.wait(lambda lines: any(line.startswith("status") for line in lines))
    writes = [line for line in log.read_text(encoding="utf-8").splitlines() if "\\33[?" in line]
    begins = [line for line in writes if "\\33[?2026h" in line]
    whole = [
        line for line in begins if re.search(r'"\\33\[\?2026h\\33\[H.*\\33\[\?2026l", (\d+)\) = \1$', line)
    ]
    check(len(begins) == len(whole) >= 3, "one write for a frame", (len(begins), len(whole)))
    check(
        ["1049h" in writes[0], "1049l" in writes[-1], len(writes) - len(begins)] == [True, True, 2],
        "nothing else is drawn",
        [line[:80] for line in writes if line not in begins],
    )
    return None


def fits(lines, columns, rows):
    return (
        has_frame(lines) is not None and len(lines) <= rows and all(cells(line) <= columns for line in lines)
    )


def shown_of(lines):
    """The nodes that are shown, and the number of those that wait for more room."""
    text = "\n".join(lines)
    shown = re.findall(r"(?m)^[│├└─ ]*(Faulty|Calm|Part\d|Leaf\d) ", text)
    return shown, sum(map(int, re.findall(r"(\d+) more node", text)))


def has_all(lines, columns, rows):
    """Drawn for this size, and not cut by the terminal."""
    shown, waiting = shown_of(lines)
    return fits(lines, columns, rows) and (rows < 8 or len(shown) + waiting == len(NODES))


def resize(world):
    with Screen(world.command(), columns=100, rows=40) as screen:
        lines = settled(screen)
        check(
            len(rows_of(lines)) == len(NODES) and not any("taller" in line for line in lines),
            "resize: all fits 40 rows",
            lines,
        )
        # What a smaller window has cut is back at once, and not only when another interval has ended.
        at = has_frame(frozen(screen, has_frame))
        screen.resize(30, 5)
        screen.wait(lambda lines: fits(lines, 30, 5))
        screen.resize(100, 40)
        lines = screen.wait(lambda lines: len(rows_of(lines)) == len(NODES))
        check(is_paused(lines) and has_frame(lines) == at, "resize: the same interval", lines)
        screen.type("Space")
        for columns, rows in ((60, 10), (40, 8), (132, 12), (30, 5), (80, 24)):
            name = f"resize {columns}x{rows}"
            screen.resize(columns, rows)
            lines = screen.wait(lambda lines, size=(columns, rows): has_all(lines, *size))
            check(has_all(lines, columns, rows), f"{name}: fits, with all nodes or their number", lines)
            if rows >= 8:
                check_all(
                    WORST, lambda title, shown=shown_of(lines)[0]: title in shown, f"{name}: the worst path"
                )


def pause(world):
    out = world.folder / "paused.json"
    with Screen(world.command("--format", "json", "-o", out)) as screen:
        lines = frozen(screen, lambda lines: has_frame(lines, 0.3))
        check(is_paused(lines), "pause: it says so", lines[:1])
        before = len(lines_in(out))
        check(wait_until(lambda: len(lines_in(out)) >= before + 3), "pause: counting goes on")
        newest = json.loads(lines_in(out)[before + 1])["interval"]["to_s"]
        check(screen.lines() == lines, "pause: the picture stays", (lines, screen.lines()))
        screen.type("Space")
        lines = screen.wait(lambda lines: has_frame(lines) and not is_paused(lines))
        check(has_frame(lines, newest), "pause: it goes on with the newest", (newest, lines[:1]))
        screen.type("x", "Up", "Down")
        check(screen.is_other_screen() and has_frame(settled(screen)), "keys without a meaning do nothing")


def check_end(lines, name, status):
    text = "\n".join(lines)
    places = [
        text.find(part)
        for part in ("it says this", "it was interrupted", "[all of the time]", "Leaf4", f"status {status}")
    ]
    check(
        all(place >= 0 for place in places) and places == sorted(places),
        f"{name}: what the program wrote, then the report",
        lines,
    )


def ends(world):
    """By a key, by Ctrl-C, by a signal: the terminal is as it was."""
    for name, end, status in (("q", "q", 130), ("Ctrl-C", "C-c", 130), ("SIGTERM", None, 143)):
        pid = world.folder / "pid"
        program = (
            world.command() if end else f"sh -c {shlex.quote(f'echo $$ > {pid}; exec {world.command()}')}"
        )
        settings = world.folder / "stty"
        with Screen(
            f"stty -a > {settings}.0; {program}; s=$?; stty -a > {settings}.1; (exit $s)", rows=60
        ) as screen:
            settled(screen, 0.3)
            if end:
                screen.type(end)
            else:
                subprocess.run(["kill", "-TERM", pid.read_text(encoding="utf-8").strip()], check=True)
            lines = screen.wait(lambda lines, status=status: f"status {status}" in lines)
            check(not screen.is_other_screen(), f"{name}: the usual screen")
            if end:
                check_end(lines, name, status)
            else:
                check(
                    f"status {status}" in lines and any("[all of the time]" in line for line in lines),
                    f"{name}: the report",
                    lines,
                )
            check(
                (world.folder / "stty.0").read_text(encoding="utf-8")
                == (world.folder / "stty.1").read_text(encoding="utf-8"),
                f"{name}: the terminal's settings",
                (world.folder / "stty.1").read_text(encoding="utf-8"),
            )


def stop(world):
    """Ctrl-Z under a shell that has jobs, and back."""
    with Screen(f"PS1='> ' {shutil.which('bash')} --norc --noediting -i", rows=60) as screen:
        screen.wait(lambda lines: any(line.startswith(">") for line in lines))
        screen.type("-l", world.command())
        screen.type("Enter")
        settled(screen, 0.3)
        screen.type("C-z")
        lines = screen.wait(lambda lines: any("Stopped" in line for line in lines))
        check(
            any("Stopped" in line for line in lines) and not screen.is_other_screen(),
            "Ctrl-Z: the usual screen",
            lines,
        )
        screen.type("fg", "Enter")
        lines = screen.wait(lambda lines: has_frame(lines))
        check(has_frame(lines) and screen.is_other_screen(), "fg: the frame is back", lines)
        screen.type("q")
        lines = screen.wait(lambda lines: any("[all of the time]" in line for line in lines))
        check(any("[all of the time]" in line for line in lines), "q after fg: the report", lines)


def elsewhere(world):
    """Lines, and a sentence that says why."""
    with subprocess.Popen(
        world.words(),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        stderr = ""
        for line in process.stderr:
            stderr += line
            if re.match(r" +\d+\.\d{3} ", line):
                world.enough.touch()
    check(
        "\x1b" not in stderr
        and stderr.count("--live prints intervals as lines: standard error is not a terminal") == 1
        and re.search(r"\n +Seconds .*\n +\d+\.\d{3} ", stderr)
        and "[all of the time]" in stderr,
        "a pipe: lines",
        stderr[:300],
    )
    for name, before, options, why in (
        ("TERM=dumb", "TERM=dumb ", [], "this terminal (TERM)"),
        ("no TERM", "env -u TERM ", [], "this terminal"),
        ("JSON", "", ["--format", "json"], "only text can be drawn"),
    ):
        with Screen(before + world.command(*options), columns=200, rows=100) as screen:
            world.enough.touch()
            screen.wait(lambda lines: "status 0" in lines)
            lines = screen.lines("-J", "-S", "-")
            text = "\n".join(lines)
            check(why in text and text.count("--live prints") == 1, f"{name}: says why", lines[:4])
            check(
                "it says this" in text and "has a terminal: True" in text,
                f"{name}: the program keeps the terminal",
                lines[:4],
            )
            check(("[all of the time]" in text) == (name != "JSON"), f"{name}: lines", lines)
    for words in (["--pmu", "sim"], ["--repeat", "2"]):
        result = topdown(*world.options, "--live", *words, "true")
        check(result.returncode == 125, f"--live {words}: refused", result.stderr)


def sampled(world):
    """The hottest functions of each interval, beside the session's samples of it."""
    saved = world.folder / "sampled.json"
    words = [
        TOPDOWN,
        "sample",
        "--live",
        "-I",
        "300",
        "--save",
        str(saved),
        "--",
        "sh",
        "-c",
        "while :; do i=$((i+1)); done",
    ]

    def has_names(lines):
        return len([line for line in lines if re.match(r" +\d+\.\d ", line) and "(no name)" not in line]) >= 3

    with Screen(shlex.join(words), rows=60) as screen:
        lines = frozen(screen, has_names)
        check("Functions of time, in percent of the interval:" in lines, "sample: functions", lines)
        screen.type("q")
        screen.wait(lambda lines: any(line.startswith("status") for line in lines))
    session = read_json(saved)
    total = next(
        (int(found.group(1)) for found in map(re.compile(r"(\d+) samples").match, lines) if found), 0
    )
    rows = [line.split() for line in lines if re.match(r" +\d+\.\d ", line)]
    named = [row for row in rows if "(no" not in row]
    profile = session["profile"]
    end = has_frame(lines)
    number = min(
        range(len(profile["intervals"]["to_s"])), key=lambda i: abs(profile["intervals"]["to_s"][i] - end)
    )
    expected = sum(
        count
        for count, interval in zip(profile["rows"]["samples"], profile["rows"]["interval"])
        if interval == number
    )
    # Those that came after it was drawn are in the file only.
    check(0 < total <= expected, "sample: the interval's samples", (total, expected))
    shown = sum(float(row[0]) for row in rows)
    check(
        len(named) >= 3 and 0 < shown <= 100.1 + 0.05 * len(rows),
        "sample: named, in percent, each rounded",
        (shown, rows),
    )


def both(world):
    """Counted and sampled in the same run: one frame has the tree and the hottest functions, the file has
    each interval with both."""
    more = {**soft_pmu.EVENTS, "Header": {**soft_pmu.EVENTS["Header"], "GeneralCounters": 6}}
    more["Events"] = [{**event, "Counter": "0,1,2,3,4,5"} for event in more["Events"]]
    (world.folder / "db/events/soft.json").write_text(json.dumps(more), encoding="utf-8")
    out, saved = world.folder / "both.json", world.folder / "both.session.json"
    words = [
        TOPDOWN,
        *world.options,
        "-l3",
        "--live",
        "-I",
        "300",
        "--functions",
        "--format",
        "json",
        "-o",
        str(out),
        "--save",
        str(saved),
        "--",
        sys.executable,
        "-c",
        BUSY,
    ]

    def has_both(lines):
        return len(rows_of(lines)) == len(NODES) and any(
            "(no name)" not in line for line in functions_of(lines)
        )

    with Screen(shlex.join(words), columns=100, rows=40) as screen:
        lines = frozen(screen, has_both)
        check(sorted(rows_of(lines)) == sorted(n["Title"] for n in NODES), "both: the tree", lines)
        check(len(functions_of(lines)) >= 1, "both: functions below it", lines)
        for columns, rows in ((100, 24), (60, 12), (40, 8)):
            screen.resize(columns, rows)
            screen.wait(lambda lines, size=(columns, rows): fits(lines, *size))
            lines = settled(screen)
            check(fits(lines, columns, rows), f"both: {columns}x{rows} fits", lines)
            check(rows < 24 or len(functions_of(lines)) >= 1, f"both: {columns}x{rows} has functions", lines)
        check(wait_until(lambda: len(lines_in(out)) >= 4), "both: intervals")
        screen.type("q")
        screen.wait(lambda lines: any(line.startswith("status") for line in lines))
    documents = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    intervals = [document for document in documents if document["interval"]]
    session = read_json(saved)
    rows = session["profile"]["rows"]
    found = []
    for number, document in enumerate(intervals[:-1]):
        shown = sum(row["samples"] for row in document["profile"]["functions"])
        taken = sum(count for count, interval in zip(rows["samples"], rows["interval"]) if interval == number)
        check(shown <= taken, f"both: interval {number}: samples", (shown, taken))
        check(len(document["nodes"]) == len(NODES), f"both: interval {number}: nodes", document["nodes"])
        # Where the program had no CPU, nothing was counted.
        found.append((shown, [n["value"] for n in document["nodes"]]))
    check(any(shown and None not in values for shown, values in found), "both: both in one interval", found)
    check(len(intervals) >= 3, "both: intervals", len(intervals))


def functions_of(lines):
    """The rows of the table of functions."""
    heads = [number for number, line in enumerate(lines) if line.startswith("Functions of")]
    return [line for line in lines[heads[0] + 2 :] if re.match(r" *\d+\.\d ", line)] if heads else []


ENTERED, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"


def shown(world, *options):
    """On a bare terminal, which shows the screen."""
    terminal = Bare(world.words(*options))
    terminal.wait(lambda written: ENTERED in written)
    return terminal


def rare(world):
    """Signals that nobody expects."""
    for number in (
        signal.SIGXCPU,
        signal.SIGVTALRM,
        signal.SIGPROF,
        signal.SIGIO,
        signal.SIGTRAP,
        signal.SIGRTMAX,
    ):
        terminal = shown(world)
        os.kill(terminal.process.pid, number)
        name = f"signal {int(number)}"
        check(terminal.end() == 128 + number, f"{name}: status", terminal.process.returncode)
        check(LEFT in terminal.written, f"{name}: the usual screen", terminal.written[-300:])
        check(terminal.settings_are_back(), f"{name}: the terminal's settings")
        terminal.close()


def stuck(world):
    """Ctrl-S, and nobody types Ctrl-Q."""
    terminal = shown(world)
    os.write(terminal.master, b"\x13")
    check(wait_until(lambda: not terminal.takes_any()), "Ctrl-S: the terminal stands")
    terminal.process.terminate()
    check(terminal.end() == 143, "Ctrl-S and SIGTERM: status", terminal.process.returncode)
    check(LEFT in terminal.written, "Ctrl-S and SIGTERM: the usual screen", terminal.written[-300:])
    check(terminal.settings_are_back(), "Ctrl-S and SIGTERM: the terminal's settings")
    terminal.close()


def hang_up(world):
    """The terminal is gone, and the kernel says so to the leader of the session alone."""
    terminal = shown(world)
    programs = children_of(terminal.process.pid)
    check(terminal.hang_up() == 128 + signal.SIGHUP, "hang-up: status", terminal.process.returncode)
    check(programs and wait_until(lambda: not any(map(is_there, programs))), "hang-up: the program", programs)


def much(world):
    """A program that writes more than anybody reads."""
    script = "yes it says this | head -c 20000000; echo the end"
    terminal = Bare([TOPDOWN, *world.options, "-l1", "--live", "-I", "100", "sh", "-c", script])
    check(terminal.end() == 0, "much: status", terminal.process.returncode)
    text = terminal.written.decode("utf-8", "replace")
    check("the end\r\n" in text, "much: its end", text[-300:])
    check(len(terminal.written) < 4000000, "much: no more than is kept", len(terminal.written))
    check(re.search(r"topdown: 1[89]\.\d MB that the program wrote are left out", text), "much: it is said")
    terminal.close()


TESTS = (frames, one_write, resize, pause, ends, stop, elsewhere, sampled, both, rare, stuck, hang_up, much)


def main():
    if not Screen.is_there():
        skip("there is no tmux to draw the terminal")
    with temporary() as folder:
        world = World(folder)
        probe = topdown(*world.options, "-l1", "--", "true")
        if probe.returncode:
            skip(f"this user can't count the kernel's software events: {probe.stderr.strip()}")
        chosen = [test for test in TESTS if len(sys.argv) < 2 or test.__name__ in sys.argv[1:]]
        missing = [reason for reason in [test(world) for test in chosen] if reason]
    if missing:
        skip("; ".join(missing))
    finish()


if __name__ == "__main__":
    main()
