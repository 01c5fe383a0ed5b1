#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare.py - topdown compare: sessions whose difference is known, two commands in turns, and what can't be
compared."""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    FAILED,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_all,
    check_failure,
    check_success,
    environment,
    finish,
    read_json,
    temporary,
    topdown,
)

SESSION = SOURCE / "docs/sample-session.json"  # levels 1 to 3, of a PMU
SIMULATED = SOURCE / "tests/cli/formats/simulated.json"


def written(path, session):
    path.write_text(json.dumps(session), encoding="utf-8")
    return path


def compared(*words, **options):
    result = topdown("compare", *words, "--format", "json", **options)
    check_success(result, f"compare {words}")
    return json.loads(result.stdout)


def scaled(session, factor, count=8, instructions=1):
    """The same work in repeats that vary by a permille, all counts but instructions times factor."""
    session = copy.deepcopy(session)
    first = {
        "planned_runs": session["planned_runs"],
        "groups": session["groups"],
        "runs": session["runs"],
        "counts": session["counts"],
    }
    session["planned_repeats"] = count

    def varied(number):
        repeat = copy.deepcopy(first)
        for item in repeat["counts"]:
            wobble = 1 + 0.001 * ((number * 7 + 3) % count - count / 2) / count
            by = instructions if item["event"].lower().startswith("inst") else factor
            if item["value"] is not None:
                item["value"] *= by * wobble
                item["raw"] = int(item["raw"] * by * wobble)
        for run in repeat["runs"]:
            run["wall_s"] *= factor
        return repeat

    session.update(varied(0))
    session["repeats"] = [varied(number) for number in range(1, count)]
    return session


def check_itself(folder, session):
    """The same session twice, under one name or two: that is said, and no more is asked for."""
    copied = written(folder / "copied.json", read_json(session))
    counts = written(
        folder / "flat.json",
        {
            "format": "topdown-counts",
            "cpu": "skylakex",
            "counts": {"CPU_CLK_UNHALTED.THREAD": 5e8, "INST_RETIRED.ANY": 1e9},
        },
    )
    for one, other in (
        (SESSION, SESSION),
        (session, copied),
        (SIMULATED, SIMULATED),
        (SOURCE / "docs/sample-profile.json",) * 2,
        (counts, counts),
    ):
        report = compared(one, other)
        check(
            report["verdict"] == "same" and "same session" in report["sentence"] and report["next"] is None,
            f"{one.name} and itself",
            report["sentence"],
        )
    longer = read_json(SESSION)
    longer["runs"][0]["wall_s"] *= 1.001
    report = compared(SESSION, written(folder / "longer.json", longer))
    check("same session" not in report["sentence"], "another time is another measurement", report["sentence"])
    twin = written(folder / "twin.json", read_json(counts))
    check(
        "same session" not in compared(counts, twin)["sentence"],
        "equal counts of two files may be two measurements",
    )


def check_known(folder):
    """Cycles and all slots grow by a fifth, instructions don't: the tree's shares stay, and each node takes
    its share of the rest."""
    base = read_json(SESSION)
    before, after = (
        written(folder / f"{name}.json", scaled(base, factor))
        for name, factor in (("before", 1), ("after", 1.2))
    )
    report = compared(before, after)
    check(
        report["verdict"] == "slower" and report["sentence"].startswith("slower by 20.0 % (95 %: "),
        "a fifth slower",
        report["sentence"],
    )
    metrics = {metric["name"]: metric for metric in report["metrics"]}
    check(
        abs(metrics["cycles"]["ratio"] - 1.2) < 1e-3 and metrics["cycles"]["p"] < 0.001,
        "cycles",
        metrics["cycles"],
    )
    check(
        metrics["cycles"]["p_paired"] is None and metrics["cycles"]["change"] == "more",
        "files are no pairs",
        metrics["cycles"],
    )
    whole = report["cycles_after"] - report["cycles_before"]
    terms = sum(term["cycles"] for term in report["terms"])
    check(abs(terms - whole) <= 1e-6 * whole, "reasons add up", (terms, whole))
    level_1 = sum(node["cycles"] for node in report["nodes"] if node["level"] == 1)
    check(abs(level_1 - whole) <= 1e-6 * whole, "level 1 adds up", (level_1, whole))
    check_all(
        report["terms"], lambda term: term["cycles_low"] <= term["cycles"] <= term["cycles_high"], "intervals"
    )
    other = compared(after, before)
    check(
        other["verdict"] == "faster" and other["sentence"].startswith("faster by 16.7 %"),
        "the other way round",
        other["sentence"],
    )
    check(
        {t["title"]: -round(t["cycles"]) for t in other["terms"]}
        == {t["title"]: round(t["cycles"]) for t in report["terms"]},
        "reasons change their sign",
        other["terms"],
    )
    later = written(folder / "later.json", scaled(base, 1) | {"started": "2026-11-21T04:00:00Z"})
    same = compared(before, later)
    check(
        same["verdict"] == "same" and same["sentence"] == "the same within 1 %" and not same["terms"],
        "the same again",
        same["sentence"],
    )
    check_itself(folder, before)
    few = compared(written(folder / "few.json", scaled(base, 1, 4)), after)
    check(
        few["verdict"] == "unknown" and few["more_pairs"] >= 1 and "can't tell: about" in few["sentence"],
        "four repeats",
        few["sentence"],
    )
    explained = [note for note in report["notes"] if "mean of both sides" in note]
    check(not explained, "what a reason counts is explained only where it is odd", explained)
    fewer = compared(before, written(folder / "fewer.json", scaled(base, 1, instructions=0.3)))
    cycles_each = metrics["cycles"]["before"] / metrics["instructions"]["before"]
    first = fewer["terms"][0]
    price = f"{(cycles_each + cycles_each / 0.3) / 2:.2f}"
    check(
        first["title"] == f"fewer instructions, {price} cycles each"
        and abs(first["percent"] + 70 * (1 + 1 / 0.3) / 2) < 1,
        "more than all cycles before",
        first,
    )
    note = next((note for note in fewer["notes"] if "mean of both sides" in note), "")
    check(
        f"{cycles_each:.2f} before" in note and f"{cycles_each / 0.3:.2f} now" in note,
        "and why",
        fewer["notes"],
    )
    level = compared("-l1", before, after)
    check({node["level"] for node in level["nodes"]} == {1}, "-l1", level["nodes"])


def check_environment(folder):
    base = read_json(SESSION)
    old = written(
        folder / "old.json", scaled(base | {"kernel": "6.1.0", "microcode": "0x1", "command": "./a 6"}, 1)
    )
    new = written(
        folder / "new.json", scaled(base | {"kernel": "6.6.1", "microcode": "0x2", "command": "./b 7"}, 1.2)
    )
    report = compared(old, new)
    found = {row["what"]: (row["before"], row["after"], row["important"]) for row in report["environment"]}
    check(
        found
        == {
            "kernel": ("6.1.0", "6.6.1", True),
            "microcode": ("0x1", "0x2", True),
            "arguments": ("6", "7", True),
            "command": ("./a 6", "./b 7", False),
        },
        "what differs",
        found,
    )
    quoted = [
        written(folder / f"quoted-{name}.json", base | {"command": f"'./it'\\''s {name}' now"})
        for name in ("old", "new")
    ]
    found = [row["what"] for row in compared(*quoted)["environment"]]
    check(found == ["command"], "the same argument behind programs with blanks and quotes", found)
    text = topdown("compare", old, new).stdout
    check(text.index("microcode: 0x1, now 0x2") < text.index("\nLeft  "), "beside the verdict", text)


def steps_of(before, after):
    """The rows of a screen between both sides: cycles as printed, where their bar is, and the rest."""
    text = topdown("compare", before, after, env=environment(LC_ALL="C")).stdout
    rows = [re.match(r" *([-+]?[\d.]+(?: [kMGT])?)  ( *[-+#]*) *(\S.*)$", line) for line in text.splitlines()]
    return [(row[1], row[2], row[3]) for row in rows if row], text


def number_of(text):
    digits, unit = (text.split() + [""])[:2]
    return float(digits) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit]


def check_steps(folder):
    """On a screen reasons are steps from all cycles before to all after: those under 0.5 % together."""
    session = read_json(SIMULATED)
    values = {count["event"]: count for count in session["counts"]}
    cycles, slots = values["core.cycles"]["value"], values["slots.all"]["value"]
    for event, more in (("core.cycles", cycles / 5), ("slots.all", slots / 5), ("lost.icache", slots / 5)):
        values[event]["value"] += more
        values[event]["raw"] = int(values[event]["value"])
    for event, more in (("inst.retired", 0.02), ("slots.retired", 0)):
        values[event]["value"] *= 1 + more
        values[event]["raw"] = int(values[event]["value"])
    other = written(folder / "steps.json", session)
    report = compared(SIMULATED, other)
    steps, text = steps_of(SIMULATED, other)
    check(len(text.splitlines()) <= 18, "at most 18 lines", text)
    first, *reasons, last = steps
    for side, key in ((first, "cycles_before"), (last, "cycles_after")):
        check(abs(number_of(side[0]) / report[key] - 1) < 0.01, key, (side, report[key]))
        check(set(side[1].strip()) == {"#"}, f"{key}: a full bar", side)
    least = 0.005 * report["cycles_before"]
    own = [term for term in report["terms"][:6] if abs(term["cycles"]) >= least]
    for term, row in zip(own, reasons):
        check(row[2].startswith(term["title"]), "a row of its own", (term, row))
        check(
            abs(number_of(row[0]) - term["cycles"]) <= 0.01 * abs(term["cycles"]), "its cycles", (term, row)
        )
    check(len(reasons) == len(own) + 1 and "others (-v)" in reasons[-1][2], "the others together", reasons)
    total = sum(number_of(row[0]) for row in [first, *reasons])
    check(abs(total / report["cycles_after"] - 1) < 0.02, "they add up", (total, report["cycles_after"]))


def check_several():
    """More than two commands: fastest first, beside the first one, and why the farthest is."""
    words = [f"{BUILD}/kernels/multiply {rounds}" for rounds in (20000, 40000, 10000)]
    text = topdown("compare", "--run", "--pmu", "sim", *words).stderr
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("Fastest first, beside")), None)
    check(start is not None, "an order", text)
    order = [line.split()[1] for line in lines[start + 1 : start + 4]]
    check(order == ["10000", "20000", "40000"] and "the first command" in lines[start + 2], "it", lines)
    check_failure(
        topdown("compare", "--run", "--format", "json", *words), "as JSON", "more than two commands"
    )


def check_inputs(folder):
    """Files that the command names, and standard input, by their contents: other ones are said, and nothing
    of them is kept."""
    data = folder / "data.txt"
    large = folder / "large"
    with large.open("wb") as file:
        file.truncate((16 << 20) + 1)
    (folder / "same.txt").write_text("secret 1\n", encoding="utf-8")

    def session(name, text, *words, stdin=None):
        data.write_text(text, encoding="utf-8")
        with open(folder / stdin if stdin else os.devnull, encoding="utf-8") as given:
            result = subprocess.run(
                [TOPDOWN, "sample", "-o", os.devnull, "--save", name, *words],
                cwd=folder,
                env=environment(),
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
        check(result.returncode == 0, f"{name}: measured", result.stderr)
        kept = (folder / name).read_text(encoding="utf-8")
        check("secret" not in kept, f"{name}: contents are not kept", kept)
        return {row["name"]: (row["bytes"], row["digest"]) for row in json.loads(kept).get("inputs", [])}

    first = session("first.json", "secret 1\n", "cat", "data.txt")
    check(list(first) == ["data.txt"] and first["data.txt"][0] == 9, "an argument", first)
    other = session("other.json", "secret 2\n", "cat", "data.txt")
    longer = session("longer.json", "secret 10\n", "cat", "data.txt")
    check(
        len({first["data.txt"], other["data.txt"], longer["data.txt"]}) == 3,
        "digests",
        (first, other, longer),
    )
    check(
        session("copy.json", "secret 10\n", "cat", "same.txt")["same.txt"] == first["data.txt"],
        "equal contents, equal digests",
    )
    check(
        session("stdin.json", "secret 1\n", "cat", stdin="data.txt") == {"standard input": first["data.txt"]},
        "standard input",
    )
    behind = session(
        "behind.json", "secret 1\n", "true", f"--input={data}", "--other=7", "data.txt", ".", str(large)
    )
    check(
        behind
        == {str(data): first["data.txt"], "data.txt": first["data.txt"], str(large): ((16 << 20) + 1, None)},
        "behind a =",
        behind,
    )

    def rows(before, after):
        found = compared(folder / before, folder / after)["environment"]
        return {
            row["what"]: (row["before"], row["after"])
            for row in found
            if row["what"] not in ("arguments", "command") and row["important"]
        }

    check(rows("first.json", "first.json") == {}, "the same", rows("first.json", "first.json"))
    check(
        rows("first.json", "other.json")
        == {"contents of data.txt": (f"9 bytes {first['data.txt'][1]}", f"9 bytes {other['data.txt'][1]}")},
        "other contents of the same size",
        rows("first.json", "other.json"),
    )
    check(
        rows("first.json", "longer.json") == {"contents of data.txt": ("9 bytes", "10 bytes")},
        "longer",
        rows("first.json", "longer.json"),
    )
    check(
        rows("first.json", "copy.json") == {},
        "another name, the same contents",
        rows("first.json", "copy.json"),
    )
    check(
        rows("longer.json", "copy.json") == {"input": ("data.txt, 10 bytes", "same.txt, 9 bytes")},
        "another file",
        rows("longer.json", "copy.json"),
    )
    check(rows("first.json", "behind.json") == {}, "one file and three", rows("first.json", "behind.json"))


def check_unlike(folder):
    """Two CPUs are compared in what both have; one of them is a simulated core."""
    report = compared(SESSION, SIMULATED)
    check(any("was simulated" in note for note in report["notes"]), "measured and simulated", report["notes"])
    check(
        any("The CPUs differ, sapphirerapids and sim" in note for note in report["notes"]),
        "of different CPUs",
        report["notes"],
    )
    check(
        any("Only one side (after) has a profile" in note for note in report["notes"]),
        "a profile of one side",
        report["notes"],
    )
    check(
        {"Frontend_Bound", "Retiring"} <= {node["title"] for node in report["nodes"]},
        "nodes of both",
        report["nodes"],
    )
    check({"CPU", "model"} <= {row["what"] for row in report["environment"]}, "CPUs", report["environment"])
    sample = folder / "sample.json"
    topdown("sample", "--save", sample, "-o", folder / "sample.txt", "true")
    check_failure(
        topdown("compare", SIMULATED, sample), "cycles with times", "no number in common", "samples only"
    )


def check_layout(folder):
    """The same instructions, and a tenth more cycles in which the frontend waits for code: exactly that is
    the first reason."""
    session = read_json(SIMULATED)
    values = {count["event"]: count for count in session["counts"]}
    cycles, slots = values["core.cycles"]["value"], values["slots.all"]["value"]
    for event, more in (("core.cycles", cycles / 10), ("slots.all", slots / 10), ("lost.icache", slots / 10)):
        values[event]["value"] += more
        values[event]["raw"] = int(values[event]["value"])
    report = compared(SIMULATED, written(folder / "layout.json", session))
    first = report["terms"][0]
    check(
        first["title"] == "ICache_Misses" and abs(first["cycles"] - cycles / 10) < 1e-6 * cycles,
        "the first reason",
        first,
    )
    check(
        report["layout_suspected"] and report["verdict"] == "slower",
        "a layout is suspected",
        report["sentence"],
    )
    text = topdown("compare", SIMULATED, folder / "layout.json").stdout
    check("layout of the code may be all that changed" in " ".join(text.split()), "it is said", text)
    check("topdown compare --run --pmu sim --layouts 5 " in text, "and how to check it", text)


def check_wrong(folder):
    check_failure(topdown("compare"), "nothing", "which two", "--run")
    check_failure(topdown("compare", SESSION, SESSION, SESSION), "three", "which two")
    check_failure(topdown("compare", SESSION), "one, and no last", "No measurement was kept")
    check_failure(topdown("compare", SESSION, __file__), "no session", "neither a session")
    check_failure(topdown("compare", SESSION, folder / "none.json"), "no file", "none.json")
    check_failure(topdown("compare", "--run", "true"), "one command", "two commands")
    check_failure(
        topdown("compare", "--run", "echo 'a", "true"), "a quote", "the quote ' in column 6 is not closed"
    )
    check_failure(topdown("compare", "--run", "echo a | cat", "true"), "a pipe", "needs a shell", "sh -c")
    check_failure(topdown("compare", "-r", "3", SESSION, SESSION), "-r of files", "--run")
    check_failure(topdown("compare", "--pin", "0", SESSION, SESSION), "--pin of files", "--run")
    check_failure(topdown("compare", "--run", "--pin", "x", "true", "true"), "--pin x", "numbers and ranges")
    missing = topdown("compare", "--run", "./missing", "true", cwd=folder)
    check(missing.returncode == 127 and "missing" in missing.stderr, "a missing program", missing)


def check_last(folder):
    state = folder / "state/topdown"
    state.mkdir(parents=True)
    (state / "last.json").write_bytes(SESSION.read_bytes())
    result = topdown(
        "compare", SESSION, env=environment(XDG_STATE_HOME=str(folder / "state"), TOPDOWN_LAST=None)
    )
    check(
        result.returncode == 0
        and "the last measurement" in result.stderr
        and "the same within" not in result.stderr,
        "the last one",
        result,
    )


def check_run(folder):
    """Times of two scripts, of which one sleeps longer; their output once, the same input each time."""
    (folder / "input").write_text("5 words\n", encoding="utf-8")
    for name, seconds in (("quick", 0.01), ("slow", 0.06)):
        (folder / name).write_text(
            f"#!/bin/sh\nread a b\nsleep {seconds}\necho $a {name} $1\necho x >>{name}.log\n",
            encoding="utf-8",
        )
        (folder / name).chmod(0o755)
    for given in ("file", "pipe"):
        words = [
            TOPDOWN,
            "compare",
            "--run",
            "--format",
            "json",
            "-o",
            "run.json",
            "-r",
            "6",
            "./quick 'a b'",
            "./slow c",
        ]
        options = (
            {"input": "5 words\n"} if given == "pipe" else {"stdin": open(folder / "input", encoding="utf-8")}
        )  # noqa: SIM115
        result = subprocess.run(
            words,
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
            **options,
        )
        check(result.returncode == 0, f"{given}: exit status", result)
        check(
            sorted(result.stdout.splitlines()) == ["5 quick a b", "5 slow c"],
            f"{given}: what they print",
            result.stdout,
        )
    report = read_json(folder / "run.json")
    check(report["paired"] and report["pairs"] == 6, "pairs", report)
    wall = next(metric for metric in report["metrics"] if metric["name"] == "wall_s")
    check(
        wall["before"] >= 0.01 and wall["after"] >= 0.06 and wall["change"], "the time that passed", wall
    )  # on any host
    runs = [
        len((folder / f"{name}.log").read_text(encoding="utf-8").splitlines()) for name in ("quick", "slow")
    ]
    check(runs in ([12, 12], [14, 14]), "six pairs, and perhaps a sampled run of each, twice", runs)
    if len(os.sched_getaffinity(0)) > 1:
        duet = topdown("compare", "--run", "--duet", "-r", "5", "sleep 0.01", "sleep 0.05")
        check(
            duet.returncode == 0 and "\nMeasured 5 pairs" in duet.stderr and "\nWall time " in duet.stderr,
            "--duet",
            duet,
        )
    with temporary() as folder:
        log = folder / "log"
        words = [f"sh -c 'echo {name} >> {log}'" for name in ("a", "b")]
        prepared = topdown(
            *("compare", "--run", "-r", "3", "--warmup", "2", "--prepare", f"echo p >> {log}; echo words"),
            *words,
        )
        check(
            prepared.returncode == 0 and "words" not in prepared.stdout + prepared.stderr,
            "--prepare, --warmup",
            prepared,
        )
        runs = log.read_text(encoding="utf-8").split()
        warm, measured = runs[:8], runs[8:20]
        check(warm == ["p", "a", "p", "b"] * 2, "each twice before", runs)
        check(
            measured[::2] == ["p"] * 6 and sorted(measured[1::2]) == ["a"] * 3 + ["b"] * 3,
            "prepared before each of three pairs",
            runs,
        )
        check("Measured 3 pairs" in prepared.stderr, "warm-ups are no pairs", prepared.stderr)
    broken = topdown("compare", "--run", "--prepare", "exit 7", "true", "true")
    check(
        broken.returncode == 125 and "--prepare 'exit 7' ended with exit status 7" in broken.stderr,
        "--prepare fails",
        broken,
    )
    failing = topdown("compare", "--run", "-r", "5", "--ignore-failure", "true", "false")
    check(
        failing.returncode == 0 and "exit status: 0, now 1" in failing.stderr, "a program that fails", failing
    )
    for commands in (("true", "false"), ("false", "true"), ("false", "false")):
        failing = topdown("compare", "--run", "-r", "5", *commands)
        said = (
            "topdown: compare: 'false' ended with exit status 1; --ignore-failure compares it all the same\n"
        )
        check(failing.returncode == FAILED, f"{commands}: exit status", failing)
        check(
            failing.stderr.endswith(said) and "Before" not in failing.stderr,
            f"{commands}: it is said",
            failing,
        )


with temporary() as scratch:
    scratch = pathlib.Path(scratch)
    check_known(scratch)
    check_steps(scratch)
    check_several()
    check_environment(scratch)
    check_inputs(scratch)
    check_unlike(scratch)
    check_layout(scratch)
    check_wrong(scratch)
    check_last(scratch)
    check_run(scratch)
finish()
