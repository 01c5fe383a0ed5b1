#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""live_screen.py - --live on a terminal that tmux draws: frames beside the JSON of the same intervals, one
write for each, keys,
another size, signals; and where there is no such terminal, lines."""
import json
import re
import shlex
import shutil
import subprocess
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, environment, finish, read_json, skip, soft_pmu, temporary, topdown
from lib.terminal import Screen, cells

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

# Page faults that come and go, by a clock of its own; what it reads and writes is what is left to it of the
# terminal.
PROGRAM = """
import mmap, sys, time
print("it says this", flush=True)
end, n = time.monotonic() + float(sys.argv[1]), 0
try:
    while time.monotonic() < end:
        pages = 40 if int(time.monotonic() * 2) % 2 else 1
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

    def words(self, *options, seconds=20):
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
            str(seconds),
        ]

    def command(self, *options, seconds=20):
        return shlex.join(self.words(*options, seconds=seconds))


def has_frame(lines, least=0.0):
    found = re.match(r"(?:paused at )?(\d+\.\d{3}) s[,;]", lines[0]) if lines else None
    return float(found.group(1)) if found and float(found.group(1)) > least else None


def settled(screen, least=0.0):
    """A frame after that time which is not just being drawn."""
    screen.wait(lambda lines: has_frame(lines, least))
    lines = screen.lines()
    while lines != (again := screen.lines()):
        lines = again
    return lines


def rows_of(lines):
    """{title: (value, the line of recent values)} of the tree's rows."""
    rows = {}
    for line in lines:
        found = re.match(r"[│├└─ ]*([A-Z]\w+) +(\d+\.\d) % slots *!?\s*([▁▂▃▄▅▆▇█]*)", line)
        if found:
            rows[found.group(1)] = float(found.group(2)), found.group(3)
    return rows


def spark(values, width):
    """Of the last values the newest at the right, by the largest of them, which counts as 1 % at least."""
    values = values[-width:]
    most = max([1.0] + values)
    return "".join(SPARK[int(value / most * 7 + 0.5)] for value in values)


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
        expected = spark([values[title] for values in before], 20)
        near = len(recent) == len(expected) and all(
            abs(SPARK.index(a) - SPARK.index(b)) == 0 for a, b in zip(recent, expected)
        )
        check(near, f"{name}: recent values of {title}", (recent, expected))


def frames(world):
    """As many frames as can be caught of a run, beside its JSON."""
    out = world.folder / "frames.json"
    caught, last = [], 0.0
    with Screen(world.command("--format", "json", "-o", out, seconds=4)) as screen:
        while last < 2.5 and len(caught) < 20:
            lines = settled(screen, last)
            if not has_frame(lines, last):
                break
            last = has_frame(lines)
            caught.append(lines)
            check(screen.is_other_screen(), "frames: the other screen")
        lines = screen.wait(lambda lines: "status 0" in lines)
        check(not screen.is_other_screen(), "frames: the usual screen afterwards")
        check(
            lines[:3] == ["it says this", "it read '' and has a terminal: False", "status 0"],
            "frames: what is left",
            lines[:5],
        )
    intervals, is_whole = series(out)
    check(len(caught) >= 4 and is_whole, "frames: some were caught", (len(caught), is_whole))
    for lines in caught:
        check_frame(lines, intervals)
    values = [values["Faulty"] for _, values in intervals]
    check(max(values) - min(values) > 5, "frames: there is something to see", values)


def one_write(world):
    """strace sees what is written to the terminal: the entrance, whole frames, the way out, and what the
    program said."""
    log = world.folder / "strace.log"
    trace = ["strace", "-e", "trace=write", "-s", "100000", "-o", str(log)]
    if (
        not shutil.which("strace")
        or subprocess.run([*trace, "true"], check=False, stderr=subprocess.DEVNULL).returncode
    ):
        print("strace can't be used here: the number of writes was not looked at")
        return
    with Screen(shlex.join(trace) + " " + world.command(seconds=2)) as screen:
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


def resize(world):
    with Screen(world.command(), columns=100, rows=40) as screen:
        lines = settled(screen)
        check(
            len(rows_of(lines)) == len(NODES) and not any("taller" in line for line in lines),
            "resize: all fits 40 rows",
            lines,
        )
        for columns, rows in ((60, 10), (40, 8), (132, 12), (30, 5), (80, 24)):
            screen.resize(columns, rows)
            at_once = screen.wait(lambda lines, rows=rows: has_frame(lines) and len(lines) <= rows, 1)
            check(has_frame(at_once) is not None, f"resize {columns}x{rows}: a frame at once", at_once)
            lines = settled(screen, has_frame(settled(screen)) or 0)
            name = f"resize {columns}x{rows}"
            check(
                len(lines) <= rows and all(cells(line) <= columns for line in lines), f"{name}: fits", lines
            )
            shown = [
                title for title in re.findall(r"(?m)^[│├└─ ]*(Faulty|Calm|Part\d|Leaf\d) ", "\n".join(lines))
            ]
            waiting = sum(int(found) for found in re.findall(r"(\d+) more node", "\n".join(lines)))
            if rows >= 8:
                check(
                    len(shown) + waiting == len(NODES),
                    f"{name}: nodes that are shown, and those that wait",
                    (shown, waiting, lines),
                )
                check(all(title in shown for title in WORST), f"{name}: the worst path stays", shown)


def pause(world):
    out = world.folder / "paused.json"
    with Screen(world.command("--format", "json", "-o", out)) as screen:
        settled(screen, 0.3)
        screen.type("p")
        frozen = screen.wait(lambda lines: lines[0].startswith("paused at"))
        check(frozen[0].startswith("paused at"), "pause: it says so", frozen[:1])
        lines = settled(screen)
        before = len(out.read_text(encoding="utf-8").splitlines())
        time.sleep(1.2)
        check(screen.lines() == lines, "pause: the picture stays", (lines, screen.lines()))
        check(len(out.read_text(encoding="utf-8").splitlines()) > before, "pause: counting goes on")
        stopped = has_frame(lines)
        screen.type("Space")
        lines = screen.wait(
            lambda lines: not lines[0].startswith("paused") and has_frame(lines, stopped + 0.7), 1
        )
        check(has_frame(lines, stopped + 0.7), "pause: it goes on with the newest", (stopped, lines[:1]))
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
    words = world.words(seconds=0.6)
    result = subprocess.run(
        words,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    check(
        "\x1b" not in result.stderr
        and result.stderr.count("--live prints intervals as lines: standard error is not a terminal") == 1
        and result.stderr.count("\n[0.") >= 1
        and "[all of the time]" in result.stderr,
        "a pipe: lines",
        result.stderr[:300],
    )
    for name, before, options, why in (
        ("TERM=dumb", "TERM=dumb ", [], "this terminal (TERM)"),
        ("no TERM", "env -u TERM ", [], "this terminal"),
        ("JSON", "", ["--format", "json"], "only text can be drawn"),
    ):
        with Screen(before + world.command(*options, seconds=0.6), columns=200, rows=100) as screen:
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
    with Screen(shlex.join(words), rows=60) as screen:
        screen.wait(
            lambda lines: len(
                [line for line in lines if re.match(r" +\d+\.\d ", line) and "(no name)" not in line]
            )
            >= 3
        )
        lines = settled(screen)
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
    check(0.9 * expected - 5 <= total <= expected, "sample: the interval's samples", (total, expected))
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
    with Screen(shlex.join(words), columns=100, rows=40) as screen:
        screen.wait(
            lambda lines: len(rows_of(lines)) == len(NODES)
            and any("(no name)" not in line for line in functions_of(lines))
        )
        lines = settled(screen)
        check(sorted(rows_of(lines)) == sorted(n["Title"] for n in NODES), "both: the tree", lines)
        check(len(functions_of(lines)) >= 1, "both: functions below it", lines)
        for columns, rows in ((100, 24), (60, 12), (40, 8)):
            screen.resize(columns, rows)
            lines = settled(screen, has_frame(settled(screen)) or 0)
            check(
                len(lines) <= rows and all(cells(line) <= columns for line in lines),
                f"both: {columns}x{rows} fits",
                lines,
            )
            check(rows < 24 or len(functions_of(lines)) >= 1, f"both: {columns}x{rows} has functions", lines)
        screen.type("q")
        screen.wait(lambda lines: any(line.startswith("status") for line in lines))
    documents = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    intervals = [document for document in documents if document["interval"]]
    session = read_json(saved)
    rows = session["profile"]["rows"]
    for number, document in enumerate(intervals[:-1]):
        shown = sum(row["samples"] for row in document["profile"]["functions"])
        taken = sum(count for count, interval in zip(rows["samples"], rows["interval"]) if interval == number)
        check(
            0.9 * taken - 5 <= shown <= taken and shown > 0,
            f"both: interval {number}: samples",
            (shown, taken),
        )
        check(
            len(document["nodes"]) == len(NODES) and all(n["value"] is not None for n in document["nodes"]),
            f"both: interval {number}: nodes",
            document["nodes"],
        )
    check(len(intervals) >= 3, "both: intervals", len(intervals))


def functions_of(lines):
    """The rows of the table of functions."""
    heads = [number for number, line in enumerate(lines) if line.startswith("Functions of")]
    return [line for line in lines[heads[0] + 2 :] if re.match(r" *\d+\.\d ", line)] if heads else []


TESTS = (frames, one_write, resize, pause, ends, stop, elsewhere, sampled, both)


def main():
    if not Screen.is_there():
        skip("there is no tmux to draw the terminal")
    with temporary() as folder:
        world = World(folder)
        probe = topdown(*world.options, "-l1", "--", "true")
        if probe.returncode:
            skip(f"this user can't count the kernel's software events: {probe.stderr.strip()}")
        for test in TESTS:
            if len(sys.argv) < 2 or test.__name__ in sys.argv[1:]:
                test(world)
    finish()


if __name__ == "__main__":
    main()
