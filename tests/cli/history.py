#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""history.py - topdown history: what was put in comes out, beside another reader of the file
(tests/lib/history_file.py), other
statistics (Python's) and other change points (tests/lib/divisive.py); and its subcommands."""
import csv
import gzip
import io
import json
import math
import os
import pathlib
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    SOURCE,
    check,
    check_all,
    check_failure,
    check_success,
    environment,
    finish,
    history_file as reader,
    temporary,
    topdown,
)
from lib.divisive import changes

SAMPLE = SOURCE / "docs/sample-session.json"
START = 1_700_000_000
FIELDS = [
    "time",
    "commit",
    "branch",
    "program",
    "machine",
    "model",
    "microcode",
    "kernel",
    "metric",
    "unit",
    "value",
    "low",
    "high",
    "n",
]


def commit(n):
    return f"{n * 2654435761 % (1 << 64):016x}" * 3


def made(draw, runs):
    """The lines of a table: two programs, a kernel that changes after two thirds, steps, gaps, and metrics
    without intervals."""
    for n in range(runs):
        for program, step in (("alpha 6", 90), ("beta", 40)):
            if program == "beta" and n % 3:
                continue
            kernel = "6.1.0" if n < 2 * runs // 3 else "6.8.0"
            head = [
                START + 60 * n,
                commit(n),
                "main" if n % 10 else "feature/x",
                program,
                "box",
                "CPU 9",
                "0x1",
                kernel,
            ]
            for metric, unit, level in (
                ("wall", "s", 2.0),
                ("IPC", "", 1.5),
                ("tma_retiring", "%", 40.0),
                ("odd", "MPKI", 0.0),
            ):
                if metric == "odd" and n % 7 == 3:
                    continue
                value = level * (1.06 if n >= step else 1.0) + draw.gauss(0, 0.01 * (level or 1))
                spread = (
                    [f"{value - 0.125:.17g}", f"{value + 0.25:.17g}", 5] if metric != "IPC" else ["", "", 1]
                )
                yield head + [metric, unit, f"{value:.17g}"] + spread


def write(path, lines, fields=FIELDS):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(fields)
        out.writerows(lines)
    return path


def is_close(a, b, error=1e-10):  # JSON has twelve digits
    if a is None or b is None or math.isnan(b):
        return a is None and (b is None or math.isnan(b))
    return abs(a - b) <= error * max(1.0, abs(a), abs(b))


def expected_of(lines):
    """{(program, kernel, metric): [(value, low, high, n)] by time}, from the lines that were put in."""
    series, times = {}, {}
    for line in lines:
        entry = dict(zip(FIELDS, line))
        key = entry["program"], entry["kernel"]
        times.setdefault(key, [])
        if entry["time"] not in times[key]:
            times[key].append(entry["time"])
        value = [
            float(entry[name]) if entry[name] != "" else math.nan for name in ("value", "low", "high")
        ] + [entry["n"]]
        series.setdefault((*key, entry["metric"]), {})[entry["time"]] = value
    return {key: [found.get(time) for time in times[key[:2]]] for key, found in series.items()}


def check_statistics(name, metric, values, kept):
    """Rolling mean, z-score and changes of what was measured, by other means."""
    measured = [value for value in values if value is not None]
    points = changes(measured, segment=3)
    least = 0.5 if metric["unit"] == "%" else None
    found = [kept["runs"].index(change["run"]) for change in metric["changes"]]
    places = [i for i, value in enumerate(values) if value is not None]
    bounds = [0] + [places.index(run) for run in found] + [len(measured)]
    scores, means = [], []
    for low, high in zip(bounds, bounds[1:]):
        part = measured[low:high]
        means += [statistics.fmean(part[max(0, i - 6) : i + 1]) for i in range(len(part))]
        scores += [
            (value - statistics.fmean(part)) / statistics.stdev(part) if len(part) > 1 else None
            for value in part
        ]
    for what, ours, theirs in (("mean7", metric["mean7"], means), ("z", metric["z"], scores)):
        ours = [value for value, there in zip(ours, values) if there is not None]
        check_all(zip(ours, theirs), lambda a, b: is_close(a, b, 1e-9), f"{name}: {what}")
    if not least and all(abs(statistics.fmean(measured)) > 1e-3 for _ in (0,)):
        large = [at for at in points if at in [places.index(run) for run in found]]
        check(
            len(large) == len(found) and len(points) - len(found) <= 2, f"{name}: changes at {found}", points
        )


def check_series(folder):
    lines = list(made(random.Random(5), 200))
    database = folder / "series.db"
    result = topdown("history", database, "import", write(folder / "made.csv", lines))
    check("267 runs were added" in result.stdout, "import: so many runs", result.stdout)
    again = topdown("history", database, "import", folder / "made.csv")
    check("0 runs were added" in again.stdout, "import: what is there is left out", again.stdout)
    check(database.stat().st_mode & 0o777 == 0o600, "a new file is its owner's", oct(database.stat().st_mode))
    check(
        not list(folder.glob("series.db-*")),
        "nothing is left beside the file",
        list(folder.glob("series.db-*")),
    )

    by_hand = reader.values(database)
    connection = sqlite3.connect(database)
    check(
        connection.execute("SELECT count(*) FROM block").fetchone()[0] == 4,
        "rows became columns",
        connection.execute("SELECT count(*) FROM block").fetchone(),
    )
    connection.close()
    page = json.loads(topdown("history", database, "--format", "json", "--least", "0").stdout)
    check(
        [page["format"], page["version"]] == ["topdown-history", 1],
        "JSON says what it is",
        [page["format"], page["version"]],
    )
    expected = expected_of(lines)
    seen = set()
    for series in page["series"]:
        kept = {"runs": [run["run"] for run in series["runs"]]}
        check(
            {run["status"] for run in series["runs"]} == {None},
            "a table says nothing of a status",
            series["runs"][0],
        )
        for metric in series["metrics"]:
            key = series["program"], series["kernel"], metric["name"]
            seen.add(key)
            name = "/".join(key)
            want = [entry or [math.nan] * 3 + [0] for entry in expected[key]]
            check(len(metric["values"]) == len(want), f"{name}: so many runs", len(metric["values"]))
            check_all(zip(metric["values"], want), lambda a, b: is_close(a, b[0]), f"{name}: values")
            for field, place in (("low", 1), ("high", 2)):
                check_all(
                    zip(metric[field], want), lambda a, b: is_close(a, b[place], 1e-6), f"{name}: {field}"
                )
            check(metric["n"] == [entry[3] for entry in want], f"{name}: n", metric["n"][:5])
            read = [by_hand[run].get(metric["name"], (math.nan,))[0] for run in kept["runs"]]
            check_all(
                zip(metric["values"], read), lambda a, b: is_close(a, b), f"{name}: as another reader has it"
            )
            check_statistics(
                name, metric, [None if entry is None else entry[0] for entry in expected[key]], kept
            )
    check(seen == set(expected), "all series", seen ^ set(expected))
    check_views(database, page)
    check_planted(page)
    return database


def check_planted(page):
    """The steps of 6 % stand where they were put, and say which way is worse: shares and IPC not, whose
    time got worse when they got better."""
    series = {(entry["program"], entry["kernel"]): entry for entry in page["series"]}
    alpha = series["alpha 6", "6.1.0"]
    metrics = {metric["name"]: metric for metric in alpha["metrics"]}
    for name, verdict in (("wall", "worse"), ("IPC", "changed"), ("tma_retiring", "changed")):
        found = [
            (change["commit"], change["verdict"])
            for change in metrics[name]["changes"]
            if abs(change["percent"]) > 3
        ]
        near = [commit(n) for n in (89, 90, 91)]
        check(
            len(found) == 1 and found[0][0] in near and found[0][1] == verdict,
            f"alpha: the step of {name}",
            found,
        )
    check(
        metrics["odd"]["worse"] is None
        and metrics["wall"]["worse"] == "more"
        and metrics["IPC"]["worse"] == "less",
        "directions",
        [metric["worse"] for metric in alpha["metrics"]],
    )
    split = series["alpha 6", "6.8.0"]
    check(
        "kernel 6.8.0 instead of 6.1.0" in split["split"] and split["earlier"] == 133,
        "the split is told",
        split["split"],
    )
    check(not alpha["split"], "the first part is no split", alpha["split"])


def check_views(database, page):
    rows = list(csv.DictReader(io.StringIO(topdown("history", database, "--format", "csv").stdout)))
    check(
        len(rows)
        == sum(
            sum(value is not None for value in metric["values"])
            for series in page["series"]
            for metric in series["metrics"]
        ),
        "CSV has a line for each value",
        len(rows),
    )
    text = topdown("history", database)
    check_success(text, "text")
    check(
        "Program  alpha 6" in text.stdout
        and "▁" in text.stdout
        and "The series was split: kernel 6.8.0" in " ".join(text.stdout.split()),
        "text",
        text.stdout[:500],
    )
    answers = re.findall(
        r"^(\w+): [+-][\d.]+ \S+, \w+(?: and accepted)?, since run (\d+) of", text.stdout, re.M
    )
    shown = [part for part in page["series"] if f"kernel {part['kernel']}" in text.stdout]
    latest = [
        max((change["run"] for metric in part["metrics"] for change in metric["changes"]), default=None)
        for part in shown
    ]
    check(
        sorted(int(run) for _, run in answers) == sorted(run for run in latest if run),
        "a first line has the latest change",
        (answers, latest),
    )
    check(text.stdout.count("No change in ") == latest.count(None), "or says that there is none", latest)
    plain = topdown("history", database, env=environment(LC_ALL="C")).stdout
    check(plain.isascii() and "#" in plain, "a locale without UTF-8 gets ASCII", plain[:400])
    markdown = topdown("history", database, "--format", "markdown", "-v").stdout
    check("| Metric |" in markdown and markdown.count("alpha 6") == 2, "Markdown", markdown[:300])
    one = topdown("history", database, "--metrics", "RETIRING", "--program", "beta", "--last", "4").stdout
    check(
        len([line for line in one.splitlines() if "2023-11-1" in line and "Z" in line]) == 4,
        "--metrics, --program, --last",
        one,
    )
    check_failure(
        topdown("history", database, "--metrics", "retirng"), "a wrong name", "did you mean retiring?"
    )
    check_failure(
        topdown("history", database, "--program", "gamma"),
        "a program that is not there",
        "no run matches the options",
    )
    check_failure(topdown("history", database, "--since", "yesterday"), "a wrong time", "--since yesterday")
    branch = json.loads(
        topdown("history", database, "--format", "json", "--branch", "feature/x", "--program", "alpha").stdout
    )
    check(
        sum(len(series["runs"]) for series in branch["series"]) == 20,
        "--branch",
        branch["series"][0]["runs"][:1],
    )


def check_runs(folder, database):
    """accept, annotate, show, compare and prune."""
    check_success(topdown("history", database, "annotate", commit(90)[:12], "inlining", "lost"), "annotate")
    check("inlining lost" in topdown("history", database, "-v").stdout, "the note is shown")
    accepted = topdown("history", database, "accept", "3")
    check("Run 3 is accepted" in accepted.stdout and accepted.returncode == 0, "accept", accepted.stderr)
    entry = json.loads(topdown("history", database, "--format", "json").stdout)["series"][0]["runs"]
    check(
        [run["run"] for run in entry if run["accepted"]] in ([3], []),
        "the accepted run",
        [run for run in entry if run["accepted"]],
    )
    show = topdown("history", database, "show", "1", "--format", "json")
    values = {row["name"]: row["value"] for row in json.loads(show.stdout)["values"]}
    check(is_close(values["wall"], reader.values(database)[1]["wall"][0]), "show: a run's values", values)
    pair = json.loads(
        topdown("history", database, "compare", "1", commit(120)[:9], "--format", "json").stdout
    )
    check(
        {row["name"] for row in pair["values"]} >= {"wall", "IPC"}, "compare: without sessions a table", pair
    )
    for words, part in (
        (("show", "zzzz"), "no run 'zzzz'"),
        (("show", "99999"), "no run '99999'"),
        (("show",), "show RUN"),
        (("shwo", "1"), "Did you mean show?"),
        (("prune",), "--keep"),
        (("accept", "1", "2"), "accept RUN"),
    ):
        check_failure(topdown("history", database, *words), " ".join(words), part)
    before = set(reader.values(database))
    pruned = topdown("history", database, "prune", "--keep", "30")
    left = reader.values(database)
    check(
        f"{len(before) - len(left)} runs" in pruned.stdout and 60 <= len(left) <= 63,
        "prune: the newest stay",
        (len(left), pruned.stdout),
    )
    check(
        3 in left and all("wall" in values for values in left.values()),
        "prune: accepted and annotated runs stay",
        sorted(left)[:5],
    )
    shown = json.loads(topdown("history", database, "--format", "json", "--program", "alpha").stdout)[
        "series"
    ]
    ids = [run["run"] for series in shown for run in series["runs"]]
    want = [left[run]["wall"][0] for run in ids]
    have = [
        value
        for series in shown
        for metric in series["metrics"]
        if metric["name"] == "wall"
        for value in metric["values"]
    ]
    check(
        all(map(is_close, have, want)) and len(have) == len(want),
        "prune: values stay with their runs",
        have[:3],
    )
    copy = folder / "copy.db"
    table = folder / "round.csv"
    table.write_text(topdown("history", database, "--format", "csv").stdout, encoding="utf-8")
    topdown("history", copy, "import", table)
    check(len(reader.values(copy)) == len(left), "what CSV has can be imported", len(reader.values(copy)))
    none = folder / "pruned.db"
    check_success(topdown("history", none, "import", SAMPLE), "import")
    pruned = topdown("history", none, "prune", "--before", "2999-01-01")
    check(pruned.stdout == "1 run was deleted.\n", "prune: all", (pruned.stdout, pruned.stderr))
    for run in ("last", "1"):
        check_failure(topdown("history", none, "accept", run), f"{run} of no runs", "no run")
    for run in ("first", "-1", "-12"):
        check_failure(topdown("history", none, "accept", run), f"{run} of no runs", "there is no run")


def check_sessions(folder):
    """A session goes in and comes out: the report is the same, and two are compared."""
    database = folder / "sessions.db"
    result = topdown(
        "history", database, "import", SAMPLE, "--tag", "compiler=gcc-12", "--tag", "commit=abcdef0123"
    )
    check(
        result.returncode == 0 and "1 run was added" in result.stdout, "a session is imported", result.stderr
    )
    shown, report = topdown("history", database, "show", "abcdef"), topdown("report", SAMPLE)
    head = "\n".join(report.stdout.splitlines()[:20])
    check(shown.stdout.startswith(head), "show: the session's report", shown.stdout[:200])
    check("compiler=gcc-12" in shown.stderr, "show: its tags", shown.stderr)
    filtered = topdown("history", database, "--tag", "compiler=gcc-13")
    check_failure(filtered, "--tag that no run has", "no run matches the options")
    nodes = {
        node["name"]: node["value"]
        for node in json.loads(topdown("report", "-v", "--format", "json", SAMPLE).stdout)["nodes"]
    }
    kept = reader.values(database)[1]
    check(
        all(
            is_close(kept[name][0], value, 1e-9)
            for name, value in nodes.items()
            if value is not None and name in kept
        )
        and len([name for name in nodes if name in kept]) > 10,
        "every node is kept",
        len(kept),
    )
    for words in (["1", "last"], ["first", "-1"], ["-1", "1"]):
        compared = topdown("history", database, "compare", *words)
        check("run 1" in compared.stdout + compared.stderr, words, compared.stderr)
    check_success(
        topdown("history", database, "import", SOURCE / "docs/sample-roofline.json"), "a second session"
    )
    numbers = {
        word: topdown("history", database, "show", word).stderr.split(",")[0]
        for word in ("first", "-2", "last", "-1", "2")
    }
    check(list(numbers.values()) == ["topdown: run 1"] * 2 + ["topdown: run 2"] * 3, "which run", numbers)
    check_failure(topdown("history", database, "show", "-3"), "one run more than there are", "it has fewer")
    check_failure(topdown("history", database, "show", "-1x"), "no count", "unknown option '-1'")
    check_failure(topdown("report", "-1", SAMPLE), "a count where there are no runs", "unknown option '-1'")
    check(
        compared.returncode == 0 and "run 1" in compared.stdout + compared.stderr,
        "compare: of sessions",
        compared.stderr + compared.stdout[:300],
    )


def check_tables(folder):
    """Other tools' tables, and what is none."""
    database = folder / "tables.db"
    wide = folder / "parser.csv"
    wide.write_text(
        'time,commit,metric1,metric2\r\n2024-01-01,aaaa1111,154023,"10.5"\r\n2024-01-02,bbbb2222,,10.75\r\n',
        encoding="utf-8",
    )
    check(topdown("history", database, "import", wide).returncode == 0, "a wide table")
    check(
        {
            run: {name: value[0] for name, value in values.items()}
            for run, values in reader.values(database).items()
        }
        == {1: {"metric1": 154023, "metric2": 10.5}, 2: {"metric2": 10.75}},
        "its values",
        reader.values(database),
    )
    check(
        "parser" in topdown("history", database, "--metrics", "*").stdout, "the program is the table's name"
    )
    for text, part in (
        ("a,b\n1,2\n", "no column time"),
        ("time,x\n2024-01-01,abc\n", "line 2: 'abc': no number, in the column x"),
        ("time,x\nnever,1\n", "line 2: 'never': no time"),
        ("", "no column time"),
        ("time,x,y,x\n2024-01-01,1,2,3\n", "two columns are called 'x'"),
    ):
        bad = folder / "bad.csv"
        bad.write_text(text, encoding="utf-8")
        check_failure(topdown("history", database, "import", bad), f"table {text!r}", part)
    check(len(reader.values(database)) == 2, "nothing of a wrong table came in")
    marked = folder / "marked.csv"
    marked.write_text("time,x,X,,\n2024-01-03,1.5,2.5,,\n", encoding="utf-8-sig")
    check_success(
        topdown("history", database, "import", marked), "a table with UTF-8's mark, as spreadsheets write it"
    )
    check(
        {name: value[0] for name, value in reader.values(database)[3].items()} == {"x": 1.5, "X": 2.5},
        "its values",
        reader.values(database),
    )


def check_equal(folder):
    """Values that are all the same have no z-score: none of their mean's last bits is one."""
    table = folder / "equal.csv"
    for value in ("58.4", "0.1", "0.7"):
        table.write_text(
            "time,x\n" + "".join(f"2024-01-0{day},{value}\n" for day in range(1, 8)), encoding="utf-8"
        )
        database = folder / f"equal-{value}.db"
        topdown("history", database, "import", table)
        metric = json.loads(topdown("history", database, "--format", "json").stdout)["series"][0]["metrics"][
            0
        ]
        check(
            metric["values"] == 7 * [float(value)] and metric["z"] == 7 * [None],
            f"7 times {value}",
            metric["z"],
        )


DIRECTIONS = {
    "wall": "more",
    "cpu_time": "more",
    "wall.lock": "more",
    "instructions": "more",
    "cycles": "more",
    "IPC": "less",
    "CPI": "more",
    "GHz": None,
    "cpus": None,
    "L1D_MPKI": "more",
    "LLC_MPKI": "more",
    "tma_retiring": "less",
    "tma_dram_bound": "more",
    "tma_bad_speculation": "more",
    "tma_info_thread_ipc": "less",
    "tma_load_latency": "more",
    "cpu_atom/IPC": "less",
    "cpu_core/wall": "more",
    "syscalls": "more",
    "tma_mem_bandwidth": None,
    "tma_light_operations": None,
}


def check_directions(folder):
    """Which way is worse, by what each metric is."""
    table = folder / "ways.csv"
    table.write_text(
        "\n".join(
            [",".join(["time", *DIRECTIONS]), ",".join(["2024-01-01", *("1" for _ in DIRECTIONS)]), ""]
        ),
        encoding="utf-8",
    )
    topdown("history", folder / "ways.db", "import", table)
    series = json.loads(topdown("history", folder / "ways.db", "--format", "json").stdout)["series"]
    ways = {metric["name"]: metric["worse"] for metric in series[0]["metrics"]}
    check(
        ways == DIRECTIONS, "directions", {name: way for name, way in ways.items() if way != DIRECTIONS[name]}
    )


def simulated_series(folder, name, *changes):
    """A history of twelve runs of a simulated session; from the seventh on these events count more."""
    database, sessions = folder / f"{name}.db", []
    for number in range(12):
        session = json.loads((SOURCE / "tests/cli/formats/simulated.json").read_text(encoding="utf-8"))
        values = {count["event"]: count for count in session["counts"]}
        slots = values["slots.all"]["value"]
        for event, more in changes if number >= 6 else ():
            values[event]["value"] += more * slots
            values[event]["raw"] = int(values[event]["value"])
        values["inst.retired"]["value"] += number % 3  # no two runs count alike
        session["started"] = f"2026-01-{number + 1:02}T00:00:00Z"
        sessions.append(folder / f"{name}-{number}.json")
        sessions[-1].write_text(json.dumps(session), encoding="utf-8")
    result = topdown("history", database, "import", *sessions, "--tag", "program=it")
    check("12 runs were added" in result.stdout, f"{name}: imported", result)
    report = json.loads(topdown("history", database, "--format", "json").stdout)
    metrics = {metric["name"]: metric["changes"] for metric in report["series"][0]["metrics"]}
    return metrics, topdown("history", database).stdout


def check_causes(folder):
    """A change has the cause that the sessions beside it have: here the slots that the test has added."""
    width = 1 / 6  # cycles of a slot, about: the session's own core says it
    metrics, text = simulated_series(
        folder, "slower", ("core.cycles", 0.3 * width), ("slots.all", 0.3), ("lost.icache", 0.3)
    )
    change = metrics["cycles"][0]
    check(change["run"] == 7 and change["verdict"] == "worse", "cycles got worse at run 7", change)
    check("more cycles are ICache_Misses" in (change["cause"] or ""), "its cause", change)
    check(f"Run 7: {change['cause']}." in " ".join(text.split()), "the text has it", text)
    check(text.startswith("cycles: +"), "the answer is about the cost", text)
    check(metrics["IPC"][0]["verdict"] == "worse", "IPC agrees with the cycles", metrics["IPC"])
    metrics, text = simulated_series(folder, "neutral", ("lost.icache", 0.05), ("lost.divider", -0.05))
    moved = {name: rows for name, rows in metrics.items() if rows and name != "cycles"}
    check(
        moved and not metrics["cycles"],
        "shares changed, and the cycles did not",
        (list(moved), metrics["cycles"]),
    )
    verdicts = {
        row["verdict"] for name, rows in moved.items() if name.endswith(("bound", "retiring")) for row in rows
    }
    check(verdicts == {"changed"}, "then a share is neither better nor worse", moved)


def check_measured(folder):
    """A measurement adds itself: with tags, a status, this machine, and its session."""
    database = folder / "measured.db"
    place = folder / "checkout"
    (place / ".git").mkdir(parents=True)
    (place / ".git/HEAD").write_text("ref: refs/heads/topic\n")
    (place / ".git/refs/heads").mkdir(parents=True)
    (place / ".git/refs/heads/topic").write_text("0123456789abcdef0123456789abcdef01234567\n")
    result = topdown(
        "sample",
        "--history",
        database,
        "--tag",
        "compiler=gcc",
        "--tag",
        "branch=said",
        "sh",
        "-c",
        "exit 3",
        cwd=place,
    )
    if " samples in " not in result.stderr:
        print("a measurement is left out: nothing can be sampled here:", result.stderr)
        return
    check(result.returncode == 3, "the program's status stays", (result.returncode, result.stderr))
    env = environment(TOPDOWN_HISTORY=str(database), TOPDOWN_MACHINE="ci-large", GITHUB_SHA="f" * 40)
    topdown("sample", "/bin/true", cwd=folder, env=env)
    connection = sqlite3.connect(database)
    rows = connection.execute(
        "SELECT program, machine, words, status, revision, branch, host, kernel, tool FROM run JOIN series ON"
        " series.id = series JOIN command ON command.id = command JOIN surroundings ON surroundings.id ="
        " surroundings ORDER BY run.id"
    ).fetchall()
    tags = connection.execute("SELECT run, key, value FROM tag").fetchall()
    sessions = connection.execute("SELECT packed FROM session ORDER BY run").fetchall()
    connection.close()
    host, kernel = os.uname().nodename, os.uname().release
    version = topdown("--version").stdout.split()[1]
    check(
        len(rows) == 2
        and rows[0][2:]
        == ("sh -c 'exit 3'", 3, "0123456789abcdef0123456789abcdef01234567", "said", host, kernel, version),
        "what is known of a run",
        rows[:1],
    )
    check(rows[1][:6] == ("true", "ci-large", "/bin/true", 0, "f" * 40, None), "by the environment", rows[1:])
    check(
        rows[0][1] != host and len(rows[0][1]) == 16 or not pathlib.Path("/etc/machine-id").exists(),
        "the machine's id",
        rows[0][1],
    )
    check(tags == [(1, "compiler", "gcc")], "tags", tags)
    session = json.loads(gzip.decompress(sessions[0][0]))
    check(
        session["format"] == "topdown-session" and session["command"] == "sh -c 'exit 3'",
        "its session",
        session["command"],
    )
    kept = reader.values(database)[1]
    check(set(kept) == {"wall", "cpu_time"} and kept["wall"][0] > 0, "its times", kept)
    (run,) = session["runs"]
    check(
        (kept["wall"][0], kept["cpu_time"][0]) == (run["wall_s"], run["cpu_s"]),
        "as its session has them",
        run,
    )


def check_wall(folder):
    """The parts of the main thread's wall clock are metrics, as its session has them."""
    database = folder / "wall.db"
    result = topdown("sample", "--wall", "--history", database, "sleep", "0.2", cwd=folder)
    if " samples in " not in result.stderr:
        return
    connection = sqlite3.connect(database)
    (packed,) = connection.execute("SELECT packed FROM session").fetchone()
    connection.close()
    session, (kept,) = json.loads(gzip.decompress(packed)), reader.values(database).values()
    if session["wall"].get("refused"):
        return
    parts = {name: value[0] for name, value in kept.items() if name.startswith("wall.")}
    check(
        parts == session["wall_parts"] and len(parts) == 11, "the wall clock", (parts, session["wall_parts"])
    )
    check(0.19 < parts["wall.timer"] < 0.21 + parts["wall.ready"], "a sleep", parts)


def check_changed_files(folder):
    """A run beside changed files is of the commit with a +, which finds it too; an untracked file is none."""
    place, database = folder / "changed", folder / "changed.db"
    place.mkdir()
    env = environment(
        GIT_CONFIG_GLOBAL="/dev/null",
        GIT_AUTHOR_NAME="a",
        GIT_AUTHOR_EMAIL="a@b",
        GIT_COMMITTER_NAME="a",
        GIT_COMMITTER_EMAIL="a@b",
    )

    def git(*words):
        return subprocess.run(
            ["git", *words], cwd=place, env=env, capture_output=True, text=True, check=True
        ).stdout.strip()

    def measured(what):
        result = topdown("sample", "--history", database, "true", cwd=place, env=env)
        check(result.returncode == 0, f"{what}: exit status", result.stderr)

    if not shutil.which("git"):
        print("changed files are left out: no git")
        return
    git("init")
    (place / "file").write_text("one", encoding="utf-8")
    git("add", "file")
    git("commit", "-m", "one")
    head = git("rev-parse", "HEAD")
    (place / "other").write_text("unknown to git", encoding="utf-8")
    measured("as committed")
    (place / "file").write_text("other", encoding="utf-8")
    measured("changed")
    git("add", "file")
    measured("staged")
    document = json.loads(topdown("history", database, "--format", "json").stdout)
    check(
        [run["commit"] for run in document["series"][0]["runs"]] == [head, head + "+", head + "+"],
        "commits",
        document["series"][0]["runs"],
    )
    check(
        f"commit {head[:10]}+" in topdown("history", database).stdout,
        "in text",
        topdown("history", database).stdout,
    )
    for word, number in ((head[:7], 3), (head[:7] + "+", 3), (head, 3), ("1", 1)):
        shown = topdown("history", database, "accept", word)
        check(shown.returncode == 0 and f"Run {number}" in shown.stdout, f"found by {word}", shown)


def check_simulated(folder):
    """Of a simulation every node is there, and the machine is no part of it."""
    if not any((BUILD / "libexec/topdown").glob("topdown-*-linux")) or not shutil.which("valgrind"):
        print("a simulation is left out: there is no simulator, or no Valgrind")
        return
    database = folder / "simulated.db"
    result = topdown("--pmu", "sim", "--anchor", "never", "--history", database, "--format", "json", "true")
    nodes = {
        node["name"]: node["value"] for node in json.loads(result.stderr[result.stderr.index("{") :])["nodes"]
    }
    kept = reader.values(database)[1]
    check_all(
        [name for name in nodes if nodes[name] is not None],
        lambda name: is_close(nodes[name], kept[name][0]),
        "a simulation's nodes",
    )
    check("wall" not in kept and kept["instructions"][0] > 1000, "not the simulator's time", kept.get("wall"))
    series = json.loads(topdown("history", database, "--format", "json").stdout)["series"][0]
    check(
        [series["machine"], series["kernel"], series["microcode"]] == ["simulated", "", ""],
        "its machine",
        series["machine"],
    )


def check_words(folder):
    nothing = folder / "none.db"
    check_failure(topdown("history"), "no file", "which file?")
    check_failure(topdown("history", nothing), "a missing file", "No such file")
    kept = folder / "kept.db"
    table = folder / "kept.csv"
    table.write_text("time,x\n2024-01-01,1\n", encoding="utf-8")
    check(topdown("history", kept, "import", table).returncode == 0, "a history", kept)
    check_failure(topdown("report", kept), "report of a history", "`topdown history FILE`")
    check_failure(topdown("history", nothing, "accept", "1"), "accept in a missing file", "no such history")
    check(not nothing.exists(), "nothing is made by looking")
    check_failure(topdown("--tag", "a=b", "true"), "--tag without a history", "--history FILE.db")
    check_failure(topdown("--history", nothing, "--tag", "word", "true"), "a tag without =", "KEY=VALUE")
    check_failure(topdown("--history", folder, "true"), "a directory", "--history")
    by_name = folder / ":memory:"
    wide = folder / "p.csv"
    wide.write_text("time,x\n2024-01-01,1\n", encoding="utf-8")
    topdown("history", ":memory:", "import", "p.csv", cwd=folder)
    check(by_name.is_file() and len(reader.values(by_name)) == 1, "a file that is called :memory:")
    env = environment(TOPDOWN_HISTORY=str(by_name))
    check("Program  p" in topdown("history", env=env).stdout, "TOPDOWN_HISTORY names the file")
    check("Run 1" in topdown("history", "accept", "1", env=env).stdout, "TOPDOWN_HISTORY, and a subcommand")


def main():
    with temporary() as folder:
        folder = pathlib.Path(folder)
        database = check_series(folder)
        check_runs(folder, database)
        check_sessions(folder)
        check_tables(folder)
        check_equal(folder)
        check_directions(folder)
        check_causes(folder)
        check_measured(folder)
        check_wall(folder)
        check_changed_files(folder)
        check_simulated(folder)
        check_words(folder)
    finish()


if __name__ == "__main__":
    main()
