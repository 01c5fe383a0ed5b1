#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""roofline.py - topdown roofline: what it keeps and when that is stale, what it shows of known ceilings in
each form, and that measuring here gives rows that hold together. No figure of this machine is checked: that
is tests/bench/ceilings.py.
"""
import csv
import io
import json
import math
import os
import pty
import re
import signal
import subprocess
import sys

from ceilings_made import made_up, write_kept

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    FAILED,
    PATIENCE,
    TOPDOWN,
    check,
    check_all,
    check_failure,
    check_success,
    environment,
    finish,
    temporary,
    topdown,
)

SCOPES = {"thread", "all", "socket", "node"}


def shown(folder, *words, ceilings=None):
    """Of the machine that is made up."""
    _, machine, env = write_kept(folder, ceilings or made_up())
    return topdown("roofline", "--sysroot", machine, *words, env=environment(**env))


def plot_rows(text):
    """The rows of the plot's area, without what stands before the axis."""
    return [line.split("│", 1)[1] for line in text.splitlines() if "│" in line]


def check_text(folder):
    text = shown(folder / "text").stdout
    for part in (
        "Xeon(R) made up",
        "a quota of 3.5 CPUs",
        "L1 48 KiB, L2 2.0 MiB, L3 30 MiB",
        "2.00 GHz at the peak of one thread, nominal 2.00 GHz",
        "the hypervisor took 1.0 %",
        "one thread per core",
    ):
        check(part in " ".join(text.split()), f"the head says {part!r}", text)
    # 32 FLOP a cycle, and four times that of four threads
    check(
        re.search(r"^f64 512-bit FMA +64\.0 Gop/s +32\.0 +256 Gop/s +4\.00$", text, re.M),
        "a row of computing",
        text,
    )
    check(re.search(r"^f32 SVE 512-bit FMA +128 Gop/s", text, re.M), "scalable vectors say so", text)
    check(re.search(r"^int scalar add +- +-", text, re.M), "what was not measured is -", text)
    check(
        re.search(r"^DRAM read +120 MiB +16\.0 GB/s +8\.0 +40\.0 GB/s +2\.50 +quota$", text, re.M),
        "a row of bandwidth",
        text,
    )
    check(
        re.search(r"^DRAM write-nt +120 MiB +12\.0 GB/s +6\.0 +load, memory$", text, re.M),
        "one that all cores lack",
        text,
    )
    check(re.search(r"^node 1 +DRAM read +2 +20\.0 GB/s", text, re.M), "a row of a node", text)
    check(
        "With fewer than 6.4 operations (f64) per byte" in " ".join(text.split()),
        "256 / 40: where memory is the limit",
        text,
    )
    for limit in ("quota", "memory", "load"):
        check(f"* {limit}: " in text, f"{limit} is explained", text)
    check("* steal: " not in text, "and nothing else is", text)


def check_plot(folder):
    """Slanting ceilings rise by a decade in a decade, and stand apart by the logarithm of their ratio."""
    text = shown(folder / "plot").stdout
    rows = plot_rows(text)
    check(len(rows) == 16, "the plot has its rows", len(rows))
    places = {
        sign: {row: line.index(sign) for row, line in enumerate(rows) if sign in line and "FLOP" not in line}
        for sign in "123D"
    }
    ticks = re.search(r"^ *0\.01 +(0\.1) +(1) +10 +100$", text, re.M)
    decade = ticks.start(2) - ticks.start(1) - 1  # a number stands around its place
    for higher, lower, ratio in (("1", "2", 2), ("2", "3", 4), ("3", "D", 128 / 40)):
        gaps = [places[lower][row] - places[higher][row] for row in places[higher] if row in places[lower]]
        expected = decade * math.log10(ratio)
        check(
            gaps and all(abs(gap - expected) <= 1.5 for gap in gaps),
            f"{lower} stands right of {higher} by a ratio of {ratio}",
            (gaps, expected),
        )
    check(
        "512-bit FMA 256 GFLOP/s ─" in text and "scalar FMA 32.0 GFLOP/s ─" in text,
        "level ceilings have their names",
        text,
    )
    check(
        "1 L1 1.02 TB/s   2 L2 512 GB/s   3 L3 128 GB/s   D DRAM 40.0 GB/s" in text,
        "the legend has the slanting ones",
        text,
    )
    _, machine, env = write_kept(folder / "ascii", made_up())
    plain = topdown("roofline", "--sysroot", machine, env=environment(LC_ALL="C", **env))
    check(
        plain.stdout.isascii() and "512-bit FMA 256 GFLOP/s -" in plain.stdout,
        "without UTF-8 it is ASCII",
        plain.stdout,
    )
    check(max(map(len, plain.stdout.splitlines())) <= 80, "it fits 80 columns")


def check_forms(folder):
    ceilings = made_up()
    document = json.loads(shown(folder / "json", "--format", "json").stdout)
    check(
        document["format"] == "topdown-roofline" and document["stale"] is None and document["kept"],
        "the head of JSON",
        document,
    )
    for here, there in zip(document["ceilings"], ceilings["ceilings"], strict=True):
        for key in ("value", "threads", "bits", "scope", "spread", "attempts", "clock_hz"):
            check(here[key] == there[key], f"JSON has {key}", (here, there))
        check(sorted(here["limits"]) == sorted(there["limits"]), "JSON has limits", here)
        check((here["level"] is None) == (here["kind"] == "compute"), "what is no question is null", here)
    check(
        document["ceilings"][3]["per_cycle"] == 32,
        "64 GFLOP/s at 2 GHz are 32 a cycle",
        document["ceilings"][3],
    )
    rows = list(csv.DictReader(io.StringIO(shown(folder / "csv", "--format", "csv").stdout)))
    check(
        len(rows) == len(ceilings["ceilings"]) and rows[3]["value"] == "64000000000",
        "CSV has the same rows",
        rows[3],
    )
    markdown = shown(folder / "markdown", "--format", "markdown").stdout
    check(
        "```\n" in markdown and "| f64 512-bit FMA |" in markdown,
        "Markdown has the plot and the tables",
        markdown,
    )
    page = shown(folder / "html", "--format", "html").stdout
    check(
        page.count("<svg") >= 2 and "Roofline of one thread" in page and "Roofline of all cores" in page,
        "the page has two plots",
    )
    check(
        "<script src" not in page and "https://" not in re.sub(r"xmlns=\S+", "", page),
        "and needs nothing from elsewhere",
    )


def check_stale(folder):
    """Of another machine's files stale ceilings are shown as such; broken ones are none."""
    for key, value, says in (
        ("kernel", "5.4.0", "the kernel is 6.1.0 instead of 5.4.0"),
        ("cpus", "0-1", "the allowed CPUs are 0-3 instead of 0-1"),
        ("governor", "powersave", "the governor is unknown instead of powersave"),
        ("microcode", "0x1", "its microcode is 0x2b000603 instead of 0x1"),
    ):
        result = shown(folder / key, ceilings=made_up(**{key: value}))
        check(
            f"These ceilings are stale: {says}." in " ".join(result.stdout.split()),
            f"another {key} makes them stale",
            result.stdout,
        )
    result = shown(folder / "wrong", ceilings={**made_up(), "version": 7})
    check(
        result.returncode == FAILED
        and "version: expected 1, found 7" in result.stderr
        and "none are saved" in result.stderr,
        "a file of another version",
        result.stderr,
    )
    _, machine, env = write_kept(folder / "none", made_up())
    check_failure(
        topdown("roofline", "--sysroot", machine, env=environment(**{**env, "TOPDOWN_MACHINE": "other"})),
        "nothing kept",
        "can only be measured there",
    )
    missing = topdown("roofline", "word")
    check(
        missing.returncode == 127 and "no such program" in missing.stderr,
        "a program that is not there, before anything is measured",
        missing.stderr,
    )


def check_rows(rows, cpus):
    """What holds on any machine."""
    # Fewer than three attempts: a machine so busy, or so slow, that the time was over.
    check(
        all(
            row["scope"] in SCOPES and row["value"] and row["value"] > 0 and row["attempts"] >= 1
            for row in rows
        )
        and all((row["spread"] is None) == (row["attempts"] < 3) for row in rows),
        "every row was measured",
        [row for row in rows if not row["value"]],
    )

    def key(row):
        return tuple(row[name] for name in ("type", "operation", "level", "pattern", "bits", "scalable"))

    by_scope = {scope: {key(row): row for row in rows if row["scope"] == scope} for scope in SCOPES}
    check(
        set(by_scope["thread"]) == set(by_scope["all"]) and len(by_scope["thread"]) > 10,
        "one thread and all have the same rows",
    )
    check_all(by_scope["all"].values(), lambda row: row["threads"] == cpus, f"all are {cpus} threads")
    check({"L1", "DRAM"} <= {row["level"] for row in rows}, "the first level and memory are there")
    # A loop that the compiler took away would do more than any core can: 512-bit FMA in four units is 128
    # operations of f32 a cycle
    check_all(
        [row for row in rows if row["kind"] == "compute"],
        lambda row: row["per_cycle"] < 1000,
        "no core does as much",
    )
    # Of two that were measured beside other programs none is faster by necessity.
    bits = {row["bits"] for row in by_scope["thread"].values() if row["kind"] == "compute"}
    check(64 in bits and max(bits) > 64, "vectors and scalar code are measured", bits)


def check_measured(folder):
    """Here, for a second, on one CPU; then what was kept is shown without measuring; then it is stale, and
    measured again."""
    env = environment(XDG_STATE_HOME=str(folder), TOPDOWN_MACHINE="here")
    one = min(os.sched_getaffinity(0))

    def alone():
        os.sched_setaffinity(0, {one})

    first = topdown("roofline", "--seconds", 1, "--format", "json", env=env, preexec_fn=alone)
    check_success(first, "measuring for a second")
    document = json.loads(first.stdout)
    check_rows(document["ceilings"], 1)
    check(
        document["kept"] is None and document["conditions"]["cpus"] == str(one),
        "only the allowed CPU is used",
        document["conditions"],
    )
    again = json.loads(topdown("roofline", "--format", "json", env=env, preexec_fn=alone).stdout)
    check(
        again["ceilings"] == document["ceilings"] and again["kept"].endswith("ceilings-here.json"),
        "the next time they are kept",
        again["kept"],
    )
    fresh = json.loads(
        topdown("roofline", "--fresh", "--seconds", 0.5, "--format", "json", env=env, preexec_fn=alone).stdout
    )
    check(fresh["kept"] is None and fresh["conditions"] != document["conditions"], "--fresh measures")
    file = folder / "topdown/ceilings-here.json"
    check(file.stat().st_mode & 0o777 == 0o600, "the file is its user's")
    file.write_text(file.read_text(encoding="utf-8").replace(os.uname().release, "1.2.3"), encoding="utf-8")
    stale = topdown("roofline", "--seconds", 0.5, "--format", "json", env=env, preexec_fn=alone)
    check(
        f"stale, because the kernel is {os.uname().release} instead of 1.2.3: measuring again"
        in stale.stderr,
        "it says why",
        stale.stderr,
    )
    check(json.loads(stale.stdout)["kept"] is None, "and measures")
    file.write_text("{", encoding="utf-8")
    broken = topdown("roofline", "--seconds", 0.5, "--format", "json", env=env, preexec_fn=alone)
    check(broken.returncode == 0 and "warning" in broken.stderr, "a broken file is a warning", broken.stderr)
    if len(os.sched_getaffinity(0)) > 1:
        both = json.loads(topdown("roofline", "--seconds", 1, "--format", "json", env=env).stdout)
        check(
            both["conditions"]["cpus"] != str(one) and max(row["threads"] for row in both["ceilings"]) >= 1,
            "another affinity is stale too",
        )


def check_interrupted(folder):
    """Ctrl-C ends it at once, by the signal, with the line wiped and nothing kept."""
    master, slave = pty.openpty()
    env = environment(XDG_STATE_HOME=str(folder), TOPDOWN_MACHINE="cut")
    with subprocess.Popen(
        [TOPDOWN, "roofline", "--seconds", "600"],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=slave,
    ) as process:
        os.close(slave)
        seen = b""
        while b"measuring this machine" not in seen:
            seen += os.read(master, 1000)
        process.send_signal(signal.SIGINT)
        status = process.wait(PATIENCE)
        while True:
            try:
                part = os.read(master, 1000)
            except OSError:
                break
            if not part:
                break
            seen += part
    os.close(master)
    check(status == -signal.SIGINT, "it ends by the signal", status)
    check(seen.endswith(b"\r\x1b[K"), "the line is wiped", seen[-80:])
    check(not (folder / "topdown").exists() or not list((folder / "topdown").iterdir()), "nothing is kept")


def main():
    for part in (check_text, check_plot, check_forms, check_stale, check_measured, check_interrupted):
        with temporary() as folder:
            part(folder)
    finish()


main()
