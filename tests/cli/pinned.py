#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pinned.py - a pinned program has the same counts whoever starts it and where, and its layouts cover what
moved code does. Exit status 77 without Valgrind, without a compiler, or where CPUID is not."""
import os
import platform
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    SKIPPED,
    SOURCE,
    check,
    check_failure,
    environment,
    finish,
    need_simulator,
    read_json,
    temporary,
    topdown,
)

HERE = SOURCE / "tests/simulated"
ROUNDS = 300000
ROUND = 8  # instructions of a round of moved.c
SHIFTS = (0, 16, 32, 48)  # instructions of one byte before the loop
NOBODY = 65534
PINNED = "neoverse-v1" if platform.machine() == "aarch64" else "skylake"


def build(folder, source, name, *options):
    subprocess.run(["gcc", "-O2", *options, HERE / source, "-o", folder / name], check=True)
    return folder / name


def simulate(folder, *words, status=0, **more):
    result = topdown(
        "--pmu",
        "sim",
        "--sim-core",
        "zen4",
        "--no-last",
        "--format",
        "json",
        "-o",
        folder / "report",
        *words,
        **more,
    )
    check(result.returncode == status, f"{words}: exit status {result.returncode}", result.stderr)
    return read_json(folder / "report"), result


def counted(report):
    """All that was counted: instructions, cycles and the whole tree."""
    return (
        report["summary"]["instructions"],
        report["summary"]["cycles"],
        [(node["path"], node["value"]) for node in report["nodes"]],
    )


def check_frames(folder):
    """The same binary in another folder, under another name, with 4 KiB more environment, other variables and
    as another user."""
    program = build(folder, "asks.c", "asks")
    away = folder / "a folder with a longer name" / "and one more"
    away.mkdir(parents=True)
    shutil.copy(program, away / "what_it_is_called_there")
    first, result = simulate(folder, "--pinned", program)
    other = {
        **environment(),
        "MORE": "x" * 4096,
        "HOME": "/somewhere",
        "USER": "somebody",
        "LANG": "C.UTF-8",
        "TMPDIR": str(away),
    }
    there, moved = simulate(folder, "--pinned", "./what_it_is_called_there", cwd=away, env=other)
    check(
        counted(first) == counted(there),
        "the same counts elsewhere",
        (counted(first)[:2], counted(there)[:2]),
    )
    check(
        result.stdout == moved.stdout and len(result.stdout.splitlines()) == 9,
        "the same answers",
        (result.stdout, moved.stdout),
    )
    _, beside = simulate(folder, "--pinned", program, "beside")
    check(beside.stdout == "waited 0.3\n", "a wait while another thread makes system calls", beside.stdout)
    check("pinned" in first["summary"]["machine"], "the head says so", first["summary"])
    if os.geteuid() == 0:
        os.chmod(folder, 0o777)
        (folder / "report").unlink()
        third, _ = simulate(
            folder,
            "--pinned",
            program,
            env=environment(TMPDIR=str(folder)),
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
        )
        check(counted(first) == counted(third), "the same counts of another user", counted(third)[:2])
    return result.stdout


def check_answers(text):
    """What asks.c asks for, by instructions and by system calls."""
    answers = dict(line.split(" ", 1) for line in text.splitlines())
    check(answers["year"] == "2020", "the clock begins there", answers)
    check(
        answers["slept"] == "0.2" and answers["waited"] == "0.3",
        "waiting takes the time that was asked for",
        answers,
    )
    check(answers["cpus"] == "4" and answers["memory"] == "16", "CPUs and GiB", answers)
    check(
        answers["avx2"] == "1" and answers["avx512f"] == "0" and answers["rdrand"] == "0",
        "CPUID is everybody's",
        answers,
    )
    check(
        len(set(answers["random"].split())) == 3,
        "random numbers: getrandom, the device, the kernel's at the start",
        answers,
    )


def check_layouts(folder):
    """Where code lies in its lines is what the layouts change; the binaries are the same but for that."""
    shifted = []
    for shift in SHIFTS:
        report, _ = simulate(
            folder, "--pinned", build(folder, "moved.c", f"moved{shift}", f"-DSHIFT={shift}"), str(ROUNDS)
        )
        shifted.append(report["summary"]["cycles"])
        check(
            ROUND * ROUNDS < report["summary"]["instructions"] < ROUND * ROUNDS + 3e5,
            "all instructions",
            report["summary"]["instructions"],
        )
    check(max(shifted) > 1.04 * min(shifted), "it matters where the loop lies", shifted)
    report, result = simulate(folder, "--pinned", "--layouts", "5", folder / "moved0", str(ROUNDS))
    values = report["summary"]["spread"]["cycles"]["values"]
    check(report["summary"]["repeats"] == 5 and len(values) == 5, "five layouts", report["summary"])
    check(abs(values[0] - shifted[0]) < 1, "the first moves nothing", (values, shifted))
    for value in shifted:
        check(
            0.997 * min(values) < value < 1.003 * max(values),
            "what a shift does lies among them",
            (value, values),
        )
    check("runs 5 times" in result.stderr, "said before", result.stderr)
    again, _ = simulate(folder, "--pinned", "--layouts", "5", folder / "moved0", str(ROUNDS))
    check(
        again["summary"]["spread"]["cycles"]["values"] == values,
        "the same five again",
        again["summary"]["spread"]["cycles"],
    )


def check_refusals(folder):
    sim = ("--pmu", "sim", "--no-last")
    check_failure(
        topdown(*sim, "--layouts", "2", "--per-thread", "true"),
        "threads of several runs",
        "--layouts",
        "--per-thread",
    )
    check_failure(topdown(*sim, "--layouts", "300", "true"), "too many", "--layouts")
    result = topdown(
        "--pmu", "sim", "--no-last", "--layouts", "2", "--pinned", "sh", "-c", f"echo x >>{folder}/runs"
    )
    check(result.returncode == 0, "layouts: exit status", result.stderr)
    check(
        (folder / "runs").read_text(encoding="utf-8") == "x\nx\n",
        "it ran twice, and not natively too",
        result.stderr,
    )


def check_core():
    """Where none is named it is one core on every host, and the report says so."""
    said = topdown("--pmu", "sim", "--pinned", "--no-last", "-l1", "-v", "true").stderr.split()
    named = topdown(
        "--pmu", "sim", "--pinned", "--sim-core", "zen4", "--no-last", "-l1", "-v", "true"
    ).stderr.split()
    why = "pinned; without --sim-core this core on every host"
    check(" ".join(said).endswith(f"({PINNED}), {why}"), "the core that is taken", said)
    check(" ".join(named).endswith("(zen4), pinned"), "the core that is named", named)


def check_interrupted(folder):
    """Ctrl-C in the second layout: what it cut is not in the mean."""
    script = (
        f"echo x >>{folder}/turns; i=0; [ $(wc -l <{folder}/turns) -lt 2 ] || kill -INT $PPID; while [ $i -lt"
        " 20000 ]; do i=$((i+1)); done"
    )
    report, result = simulate(
        folder, "--layouts", "3", "--trace-children", "no", "sh", "-c", script, status=130
    )
    summary = report["summary"]
    check(
        summary["repeats"] == 1 and any("1 of 3 repeats" in note for note in report["notes"]),
        "the interrupted layout is left out",
        (summary, report["notes"]),
    )


need_simulator()
if platform.machine() != "x86_64" or not shutil.which("gcc"):
    sys.exit(SKIPPED)
with temporary() as scratch:
    check_answers(check_frames(scratch))
    check_layouts(scratch)
    check_refusals(scratch)
    check_core()
    check_interrupted(scratch)
finish()
