#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""history_damage.py - what must not hurt a history: 50 writers at once, kills at random moments, a full disk,
no rights, damaged and foreign files, versions that are newer or older. What was in it before stays, and
whoever is refused gets one sentence."""
import hashlib
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    EVERY,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_all,
    check_failure,
    environment,
    finish,
    history_file as reader,
    temporary,
    topdown,
)


WRITERS, KILLS, DAMAGES = 50, 40 * max(5 // EVERY, 1), 40 // EVERY
METRICS = 40


def table(path, name, runs, start=1_700_000_000):
    """Runs of a program; each value says which run it is of, so that half a run would show."""
    head = "time,program,machine," + ",".join(f"m{i}" for i in range(METRICS))
    lines = [
        f"{start + n},{name},box," + ",".join(str(start % 1000 + n + i / 64) for i in range(METRICS))
        for n in range(runs)
    ]
    path.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    return path


def whole(path, what):
    """The runs of a file that is in order, each with all of its values."""
    database = sqlite3.connect(path)
    answer = database.execute("PRAGMA integrity_check").fetchone()[0]
    database.close()
    check(answer == "ok", f"{what}: the file is in order", answer)
    runs = reader.values(path)
    check_all(runs.values(), lambda values: len(values) == METRICS, f"{what}: each run is whole")
    first = {run: values["m0"][0] for run, values in runs.items() if "m0" in values}
    check(
        all(
            values[f"m{i}"][0] == first[run] + i / 64
            for run, values in runs.items()
            if len(values) == METRICS
            for i in range(METRICS)
        ),
        f"{what}: each run has its own values",
    )
    return runs


def check_writers(folder):
    """All begin with a file that is not there yet."""
    database = folder / "writers.db"
    tables = [table(folder / f"w{n}.csv", f"prog{n % 3}", 4, 1_700_000_000 + 10 * n) for n in range(WRITERS)]
    running = [
        subprocess.Popen(
            [TOPDOWN, "history", database, "import", path],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for path in tables
    ]
    said = [process.communicate(timeout=PATIENCE) + (process.returncode,) for process in running]
    check_all(said, lambda _, err, status: status == 0 and not err, "writers: all succeed")
    runs = whole(database, "writers")
    check(len(runs) == 4 * WRITERS, "writers: all runs are there", len(runs))


def check_kills(folder):
    database = folder / "kills.db"
    topdown("history", database, "import", table(folder / "first.csv", "prog", 70))
    draw = random.Random(9)
    began = time.monotonic()
    topdown("history", database, "import", table(folder / "k.csv", "prog", 8, 1_800_000_000))
    usual = max(0.01, time.monotonic() - began)
    before = len(reader.values(database))
    for n in range(KILLS):
        path = table(folder / "k.csv", "prog", 8, 1_800_000_100 + 10 * n)
        with subprocess.Popen(
            [TOPDOWN, "history", database, "import", path], env=environment(), stdout=subprocess.DEVNULL
        ) as process:
            time.sleep(draw.uniform(0, usual))
            process.send_signal(signal.SIGKILL)
        if n % 40 == 39:
            runs = len(whole(database, f"kill {n}"))
            check(runs >= before, f"kill {n}: nothing is lost", (runs, before))
            before = runs
    result = topdown("history", database, "import", table(folder / "k.csv", "prog", 8, 1_900_000_000))
    check(
        result.returncode == 0 and len(whole(database, "after the kills")) == before + 8,
        "after the kills it goes on",
        result.stderr,
    )


def check_repeated(folder):
    """A run that has a metric twice must not stand in the way of the columns that it becomes a part of."""
    database, path = folder / "repeated.db", folder / "repeated.csv"
    lines = [
        f"{1_700_000_000 + n},p,{metric},{value}\n"
        for n in range(70)
        for metric, value in (("x", n), ("y", 5), ("x", n))
    ]
    path.write_text("time,program,metric,value\n" + "".join(lines), encoding="utf-8")
    result = topdown("history", database, "import", path)
    check(result.returncode == 0, "a metric twice", result.stderr)
    check(
        [values["x"][0] for _, values in sorted(reader.values(database).items())] == list(range(70)),
        "a metric twice: all runs",
        database,
    )
    path.write_text("time,x,y,x\n1700000000,1,5,1\n", encoding="utf-8")
    check_failure(topdown("history", database, "import", path), "two columns of one name", "'x'")


def check_zero_byte(folder):
    """What is behind it would be lost without a word."""
    path = folder / "zero.csv"
    path.write_bytes(b"time,x\n2024-01-01,1\n\0\n2024-01-02,2\n")
    check_failure(
        topdown("history", folder / "zero.db", "import", path), "a zero byte", "zero byte at offset 20"
    )


def check_far_numbers(folder):
    """Numbers of blocks and metrics that no topdown gives, and whose product is beyond 64 bits."""
    database = folder / "far.db"
    topdown("history", database, "import", table(folder / "far.csv", "prog", 70))
    for sql in (
        "UPDATE metric SET id = 9000000000000000000 WHERE name = 'm0'",
        "UPDATE block SET id = 9223372036854775807",
    ):
        copy = shutil.copy(database, folder / "far-copy.db")
        with sqlite3.connect(copy) as connection:
            connection.execute(sql)
        connection.close()
        check_failure(topdown("history", copy, "--metrics", "m0"), sql, "the file is damaged")
        result = topdown("history", copy, "import", table(folder / "more.csv", "prog", 140, 1_800_000_000))
        check_failure(result, sql, "far-copy.db")


NULLS = (
    "series SET program = NULL",
    "series SET machine = NULL, cpu = NULL",
    "metric SET name = NULL WHERE id = 1",
    "metric SET unit = NULL",
    "surroundings SET model = NULL, microcode = NULL, kernel = NULL",
    "command SET words = NULL",
    "row SET packed = NULL",
)


def check_nulls(folder):
    """A file with tables that allow NULL where topdown's do not is read, or refused, in each form."""
    database = folder / "nulls.db"
    topdown("history", database, "import", table(folder / "nulls.csv", "prog", 3))
    with sqlite3.connect(database) as connection:
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(replace(sql, ' NOT NULL', ''), ') STRICT', ')') WHERE"
            " type = 'table'"
        )
        connection.execute(f"PRAGMA schema_version = {version + 1}")
    connection.close()
    for sql in NULLS:
        copy = shutil.copy(database, folder / "nulls-copy.db")
        with sqlite3.connect(copy) as connection:
            connection.execute(f"UPDATE {sql}")
        connection.close()
        for words in (
            (),
            ("--format", "json"),
            ("--format", "markdown"),
            ("show", "1"),
            ("compare", "1", "2"),
        ):
            result = topdown("history", copy, *words)
            check(result.returncode in (0, 125), f"{sql}, {words}", (result.returncode, result.stderr))


def check_full_disk(folder):
    """A limit on the size of files stands for a full disk; what is beyond it can't be written."""
    database = folder / "full.db"
    topdown("history", database, "import", table(folder / "first.csv", "prog", 100))
    before = len(whole(database, "before the disk is full"))
    for room in (0, 4096, 20_000, 60_000):
        size = database.stat().st_size

        def limit(most=size // 2 + room):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        result = topdown(
            "history",
            database,
            "import",
            table(folder / "more.csv", "prog", 300, 1_800_000_000 + room),
            preexec_fn=limit,
        )
        check(
            result.returncode in (0, 125),
            f"full disk, {room}: exit status",
            (result.returncode, result.stderr),
        )
        if result.returncode:
            check_failure(result, f"full disk, {room}", "full.db")
            check(
                "unchanged" in result.stderr,
                f"full disk, {room}: what was there stays, it says",
                result.stderr,
            )
        runs = len(whole(database, f"full disk, {room}"))
        check(runs >= before, f"full disk, {room}: nothing is lost", (runs, before))
        before = runs
    check(topdown("history", database).returncode == 0, "it is read as before")


def check_small_disk(folder):
    """A file system of 400 KiB, where one can be mounted."""
    place = folder / "small"
    place.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=400k", "none", place], capture_output=True, check=False
        ).returncode
    ):
        print("a small file system is left out: it can't be mounted here")
        return
    try:
        database = place / "small.db"
        for n in range(6):
            result = topdown(
                "history",
                database,
                "import",
                table(folder / "more.csv", "prog", 100, 1_800_000_000 + 1000 * n),
            )
            if result.returncode:
                break
        check_failure(result, "a small file system", "no space left", "unchanged")
        check(len(whole(database, "a small file system")) >= 3, "a small file system: what was there stays")
    finally:
        subprocess.run(["umount", place], check=True)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_damage(folder):
    """Bytes that were changed, or cut off: a sentence or an answer, and the file as it was."""
    original = folder / "good.db"
    topdown("history", original, "import", table(folder / "first.csv", "prog", 80))
    content = original.read_bytes()
    draw = random.Random(3)
    refused = 0
    for n in range(DAMAGES):
        damaged = bytearray(content)
        if n % 4 == 0:
            damaged = damaged[: draw.randrange(1, len(content))]
        else:
            page = draw.randrange(len(content) // 4096) * 4096
            for _ in range(1 + n % 7):
                damaged[page + draw.randrange(200 if n % 2 else 4096)] = draw.randrange(256)
        path = folder / "damaged.db"
        for suffix in ("-wal", "-shm"):
            (folder / f"damaged.db{suffix}").unlink(missing_ok=True)
        path.write_bytes(damaged)
        for words in (["--metrics", "m*"], ["show", "1"], ["import", folder / "more.csv"]):
            table(folder / "more.csv", "prog", 1, 1_900_000_000 + n)
            before = digest(path)
            result = topdown("history", path, *words)
            check(
                result.returncode in (0, 125),
                f"damage {n}, {words[0]}: exit status",
                (result.returncode, result.stderr),
            )
            if result.returncode == 125:
                refused += 1
                check_failure(result, f"damage {n}, {words[0]}", "topdown: ")
                check(digest(path) == before, f"damage {n}, {words[0]}: the file is as it was")
    check(refused > DAMAGES // 4, "damage is noticed", refused)


def check_foreign(folder):
    text = folder / "text.db"
    text.write_text("these are no runs\n" * 100, encoding="utf-8")
    other = folder / "other.db"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE people(name TEXT)")
    database.close()
    newer = folder / "newer.db"
    topdown("history", newer, "import", table(folder / "first.csv", "prog", 3))
    with sqlite3.connect(newer) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    for path, part in (
        (text, "not a history"),
        (other, "another program, not"),
        (newer, "a newer topdown wrote it"),
    ):
        before = digest(path)
        for words in (
            ["history", path],
            ["history", path, "import", folder / "first.csv"],
            ["history", path, "prune", "--keep", "1"],
            ["--history", path, "true"],
        ):
            check_failure(topdown(*words), f"{path.name}: {words[0]}", part)
        check(digest(path) == before, f"{path.name}: it is as it was")


def check_older(folder):
    """A file of version 1 is brought up to date, with what is in it; one that can't be written is refused."""
    older = folder / "older.db"
    with sqlite3.connect(older) as database:
        database.executescript((SOURCE / "tests/history/version-1.sql").read_text(encoding="utf-8"))
    database.close()
    result = topdown("history", older, "--metrics", "wall")
    check(
        result.returncode == 0 and "2.50 s" in result.stdout and "accepted; a note" in result.stdout,
        "an older version is read",
        (result.stdout, result.stderr),
    )
    database = sqlite3.connect(older)
    check(database.execute("PRAGMA user_version").fetchone()[0] == 2, "it is up to date then")
    check(
        [row[1] for row in database.execute("PRAGMA table_info(run)")][-1] == "tool", "with what is new in it"
    )
    database.close()


def as_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def check_rights(folder):
    """Who may only read the file reads it, in a directory that can't be written too."""
    place = pathlib.Path(folder) / "shelf"
    place.mkdir()
    database = place / "read.db"
    topdown("history", database, "import", table(folder / "first.csv", "prog", 5))
    folder.chmod(0o755)
    database.chmod(0o444)
    place.chmod(0o555)
    program = TOPDOWN
    change = {}
    if os.geteuid() == 0:
        program = folder / "topdown"
        shutil.copy(TOPDOWN, program)
        change = {"preexec_fn": as_nobody}
    shown = topdown("history", database, "--metrics", "m1", program=str(program), **change)
    if "not found" in shown.stderr or shown.returncode in (126, 127):
        print("reading without rights is left out: the program can't be run so")
    else:
        check(
            shown.returncode == 0 and "Program  prog" in shown.stdout,
            "a file that can only be read",
            (shown.stdout[:200], shown.stderr),
        )
        check_failure(
            topdown("history", database, "import", folder / "first.csv", program=str(program), **change),
            "it can't be written",
            "read.db",
        )
    place.chmod(0o755)


def check_report_first(folder):
    """The report is there when the history can't be written at last."""
    database = folder / "late.db"
    topdown("history", database, "import", table(folder / "first.csv", "prog", 100))

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (36_000, 36_000))

    result = topdown("sample", "--history", database, "sh", "-c", "exit 3", preexec_fn=limit)
    if not re.search(r" samples? in ", result.stderr) and "--history" not in result.stderr:
        print("a report before its history is left out: nothing can be sampled here:", result.stderr)
        return
    check(
        result.returncode == 125
        and re.search(r" samples? in ", result.stderr)
        and "--history: " in result.stderr.splitlines()[-1],
        "the report is printed, then the error",
        (result.returncode, result.stderr),
    )
    check(len(reader.values(database)) == 100, "and nothing was added")


def main():
    with temporary() as folder:
        folder = pathlib.Path(folder)
        for part in (
            check_writers,
            check_kills,
            check_repeated,
            check_zero_byte,
            check_far_numbers,
            check_nulls,
            check_full_disk,
            check_small_disk,
            check_damage,
            check_foreign,
            check_older,
            check_rights,
            check_report_first,
        ):
            part(folder)
    finish()


if __name__ == "__main__":
    main()
