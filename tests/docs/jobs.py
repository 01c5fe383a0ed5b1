#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""jobs.py - the commands of docs/jobs/ and docs/AGENTS.md: each one that looks at data or simulates ends well
and prints something; each one that measures is understood, and gets as far as a machine without counters lets
it. Every page fits a screen or two, and has a command."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, COUNTS, NO_PMU, PATIENCE, SOURCE, TOPDOWN, check, environment, finish, temporary
from lib.job_sessions import rank_session, write

PAGES = SOURCE / "docs/jobs"
PROFILE = SOURCE / "docs/sample-profile.json"
SESSION = SOURCE / "docs/sample-session.json"
LOOKING = {"plan", "list", "explain", "report", "export", "doctor"}  # commands that measure nothing
ALONE = {"metrics", "compare"}  # the same without a program, or of files
MOST_LINES = 65
MOST_FOR_PROGRAMS = 150  # lines of docs/AGENTS.md
FUNCTION = "hot"  # of the sample profile, in the place of main
CPUS = {"amd.md": " --cpu zen5", "arm.md": " --cpu neoverse-v2"}  # whose words a page uses where it measures
COUNT = 1000000
# In the place of a launcher what it gives its processes; tests/cli/ranks_launched.py has the real ones.
LAUNCHERS = {
    "mpirun -n 4 ": "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 ",
    "srun ": "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4 SLURM_JOB_ID=77 ",
}


def perf_text(path):
    """What `perf stat -x,` prints of the events of level 2 on Zen 5, each a million times."""
    plan = json.loads(
        subprocess.run(
            [TOPDOWN, "plan", "-l2", "--cpu", "zen5", "--format", "json"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    names = {event["perf"] for run in plan["runs"] for group in run["groups"] for event in group["events"]}
    path.write_text(
        "".join(f"{COUNT},,{name},1000000,100.00,,\n" for name in sorted(names)), encoding="utf-8"
    )


def prepare(folder):
    (folder / "prog").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "prog").chmod(0o755)
    for name in ("before.json", "after.json"):
        shutil.copy(SESSION, folder / name)
    (folder / "state/topdown").mkdir(parents=True)
    shutil.copy(PROFILE, folder / "state/topdown/last.json")
    shutil.copy(COUNTS, folder / "counts.json")
    shutil.copy(SESSION, folder / "evening.json")
    subprocess.run(["gzip", folder / "evening.json"], check=True)
    perf_text(folder / "perf.txt")
    for job in ("folder", "before", "after", "."):
        (folder / job).mkdir(exist_ok=True)
        for rank in range(4):
            write(folder / job / f"r-{rank}.json", rank_session(rank, 4))
    (folder / "bin").mkdir()
    (folder / "bin/topdown").symlink_to(TOPDOWN)


def run(line, folder):
    env = environment(
        PATH=f"{folder}/bin:{os.environ['PATH']}", XDG_STATE_HOME=f"{folder}/state", TOPDOWN_LAST=None
    )
    return subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )


def has_simulator():
    return any((BUILD / "libexec/topdown").glob("topdown-*-linux")) and shutil.which("valgrind")


def is_looking(command, words):
    return command in LOOKING or command in ALONE and "--" not in words and "--run" not in words


def check_measuring(line, command, page, folder, variables):
    """Options, names and words are right: the only obstacle is the machine."""
    if not command:
        line = line.replace("topdown", f"topdown --sysroot {NO_PMU} --pmu cpu{CPUS.get(page, '')}", 1)
    elif command == "metrics":
        line = line.replace("metrics", f"metrics --sysroot {NO_PMU} --pmu cpu{CPUS.get(page, '')}", 1)
    result = run(variables + line, folder)
    if command == "sample" or command == "compare":
        is_named = "1234" in result.stderr or result.returncode == 0 or "sampled" in result.stderr.lower()
    elif command == "gate":
        is_named, wrong = "baseline" in (result.stdout + result.stderr).lower(), None
    else:
        is_named = re.search(r"counters|counted|PMU|1234|db\.service|cgroup", result.stderr)
    if command != "gate":
        wrong = re.search(r"unknown option|did you mean|has no use|is no |which program", result.stderr)
    check(
        is_named and not wrong and result.returncode in (0, 4, 125),
        line,
        (result.returncode, result.stderr[-400:]),
    )


def check_line(line, page, folder, variables):
    shutil.copy(PROFILE, folder / "state/topdown/last.json")  # what the line before measured is kept there
    line = re.sub(r"(--annotate|--callers) main", rf"\1 {FUNCTION}", line)
    words = line.split()
    command = words[1] if re.fullmatch("[a-z]+", words[1]) else ""
    if "--pmu sim" in line and command != "gate":
        if has_simulator():
            result = run(line, folder)
            check(
                result.returncode == 0
                and "simulated" in result.stderr
                or "the program had ended before" in result.stderr,
                line,
                result.stderr[-400:],
            )
    elif is_looking(command, words):
        result = run(line, folder)
        statuses = (0, 1) if command == "doctor" else (0,)
        check(
            result.returncode in statuses and (result.stdout.strip() or " -o " in line),
            line,
            (result.returncode, result.stderr[-400:]),
        )
    else:
        check_measuring(line, command, page, folder, variables)


def main():
    pages = [*sorted(PAGES.glob("*.md")), SOURCE / "docs/AGENTS.md"]
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    number = 0
    with temporary() as folder:
        prepare(folder)
        for page in pages:
            text = page.read_text(encoding="utf-8")
            lines = [
                line
                for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
                for line in block.splitlines()
            ]
            check(
                page.name == "README.md" or lines and (f"`{page.name}`" in index or page.parent != PAGES),
                f"{page.name} has commands, and stands in the index",
            )
            most = MOST_LINES if page.parent == PAGES else MOST_FOR_PROGRAMS
            check(len(text.splitlines()) <= most, f"{page.name} is short", len(text.splitlines()))
            for line in lines:
                launcher = next((one for one in LAUNCHERS if line.startswith(one)), "")
                line = line[len(launcher) :]
                check(line.startswith("topdown "), f"{page.name}: a command", line)
                check_line(line, page.name, folder, LAUNCHERS.get(launcher, ""))
                number += 1
    check(len(pages) >= 7 and number >= 30, "pages and commands", (len(pages), number))
    print(f"{number} commands of {len(pages)} pages")
    finish()


main()
