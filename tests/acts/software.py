#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""software.py - the kernel's own counters beside those of the PMU: programs that fault, sleep and migrate as
often as the test says, beside getrusage and /usr/bin/time of the same run; by interval, thread, CPU and
cgroup, in every form, natively beside a simulation.
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    check,
    check_all,
    cpu_s,
    finish,
    need_simulator,
    read_json,
    skip,
    temporary,
    topdown,
    until_enough,
    wait_until,
)
from lib.soft_pmu import soft_pmu

KEYS = (
    "task_clock_s",
    "user_s",
    "system_s",
    "context_switches",
    "cpu_migrations",
    "minor_faults",
    "major_faults",
    "alignment_faults",
    "emulation_faults",
    "read_bytes",
    "written_bytes",
)
# From exec to main and from the last getrusage to the end: the loader's pages, its waits for a disk that
# others keep busy, and how often its CPU is taken away. What is chosen is many times that.
START_FAULTS, START_SWITCHES, START_S = 400, 150, 0.5
SLEEPS = 1000
TRIES = 50


def check_status(result, what):
    """Status 0, whatever is said."""
    check(result.returncode == 0, f"{what}: exit status", (result.returncode, result.stderr[-500:]))


def values(rows):
    return {row["name"]: row["value"] for row in rows}


def reasons(rows):
    return {row["name"]: row.get("reason") for row in rows if row["value"] is None}


class Measured:
    """What topdown's session has of a run, and what the program said of itself."""

    def __init__(self, folder, *words, options=(), program=None):
        saved = folder / "run.json"
        saved.unlink(missing_ok=True)
        command = program or [folder / "acts", *map(str, words)]
        self.result = topdown(*options, "--save", saved, "--", *command, cwd=folder)
        check_status(self.result, f"measuring {words}")
        self.session = read_json(saved)
        lines = [line for line in self.result.stdout.splitlines() if line.startswith('{"user_s"')]
        self.own = json.loads(lines[0]) if lines else {}

    def run(self, number=0):
        return values(self.session.get("parts", [self.session])[0]["runs"][number]["software"])


def near(found, wanted, more, what, less=0.0):
    check(found is not None and wanted - less <= found <= wanted + more, what, (found, wanted))


def check_chosen(folder, options):
    """Each act as often as the test chose, against a run without it: what the start costs is in both."""
    base = Measured(folder, options=options).run()
    check(set(base) == set(KEYS), "all kinds are in the session", sorted(base))
    check_all(base.values(), lambda value: value is not None, "root is told everything")
    # Pages are touched once each; the second run may find other pages of the loader in the cache.
    for act in ("touch", "thread", "child"):
        found = Measured(folder, act, 5000, options=options).run()
        near(found["minor_faults"] - base["minor_faults"], 5000, 250, f"{act} 5000 pages", 60)
    measured = Measured(folder, "sleep", SLEEPS, options=options)
    found, own = measured.run(), measured.own
    # Each sleep leaves the CPU once; a busy machine takes it away more often.
    check(found["context_switches"] >= SLEEPS, "sleeps", found["context_switches"])
    near(found["task_clock_s"], own["task_clock_s"], START_S, "sleep is no CPU time", START_S)
    found = Measured(folder, "spin", 1000, options=options).run()
    # Its clock begins with the fork, before the exec. What it costs to give the CPU to others is not in it.
    near(found["task_clock_s"], 1, START_S, "a second of spinning", 0.1)
    # The kernel divides CPU time at its ticks, and counts it from the fork on.
    near(found["user_s"] + found["system_s"], 1, START_S, "user and system time of a second", 0.1)
    if len(os.sched_getaffinity(0)) > 1:
        found = Measured(folder, "migrate", 30, options=options).run()
        # The first may find it there already; the scheduler may move it as well.
        check(found["cpu_migrations"] >= 29, "30 migrations", found["cpu_migrations"])
    found = Measured(folder, "write", 1 << 20, options=options).run()
    if found["written_bytes"] - base["written_bytes"] or "tmpfs" not in filesystem(folder):
        near(found["written_bytes"] - base["written_bytes"], 1 << 20, 1 << 16, "1 MiB written")


def check_storage(folder, options):
    """Pages and bytes that come from storage, where the file system has one: tmpfs has none."""
    if "tmpfs" in filesystem(folder):
        return
    base = Measured(folder, options=options).run()
    measured = Measured(folder, "major", 300, options=options)
    found = measured.run()
    near(found["major_faults"], measured.own["major_faults"], 20, "major faults beside getrusage", 20)
    # The file system chooses the number of pages that come with one fault: at most 16 of 4 KiB.
    near(found["major_faults"] - base["major_faults"], 300, 20, "300 pages from storage", 281)
    found = Measured(folder, "read", 1 << 20, options=options).run()
    near(found["read_bytes"] - base["read_bytes"], 1 << 20, 1 << 18, "1 MiB read", 1 << 16)


def filesystem(folder):
    return subprocess.run(
        ["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=False
    ).stdout


def check_getrusage(folder, options):
    """The program's own account of the same run."""
    measured = Measured(folder, "touch", 3000, "sleep", SLEEPS, "spin", 100, "child", 1000, options=options)
    found, own = measured.run(), measured.own
    near(
        found["minor_faults"] + found["major_faults"],
        own["minor_faults"] + own["major_faults"],
        START_FAULTS,
        "faults beside getrusage",
        START_FAULTS,
    )
    near(
        found["context_switches"],
        own["voluntary"] + own["involuntary"],
        START_SWITCHES,
        "switches beside getrusage",
        START_SWITCHES,
    )
    # Which part is user time is divided anew at the end.
    for key, what in (("user_s", "user"), ("system_s", "system")):
        near(found[key], own[key], START_S, f"{what} time beside getrusage", START_S)


def check_time(folder, options):
    """/usr/bin/time of the same run; what it needs itself is in topdown's numbers only."""
    timed = folder / "time.txt"
    if not os.access("/usr/bin/time", os.X_OK):
        return
    command = [
        "/usr/bin/time",
        "-v",
        "-o",
        timed,
        folder / "acts",
        "touch",
        "4000",
        "sleep",
        str(SLEEPS),
        "spin",
        "100",
    ]
    found = Measured(folder, "time -v", options=options, program=command).run(
        -1
    )  # the last run's is what stays in the file
    text = timed.read_text(encoding="utf-8")
    says = {
        key: float(re.search(re.escape(key) + r".*?: ([\d.]+)", text)[1])
        for key in (
            "User time",
            "System time",
            "Major (requiring I/O) page faults",
            "Minor (reclaiming a frame) page faults",
            "Voluntary context switches",
            "Involuntary context switches",
        )
    }
    faults = says["Major (requiring I/O) page faults"] + says["Minor (reclaiming a frame) page faults"]
    near(
        found["minor_faults"] + found["major_faults"],
        faults,
        START_FAULTS,
        "faults beside time -v",
        START_FAULTS,
    )
    switches = says["Voluntary context switches"] + says["Involuntary context switches"]
    near(found["context_switches"], switches, START_SWITCHES, "switches beside time -v", START_SWITCHES)
    # time prints hundredths
    near(
        found["user_s"] + found["system_s"],
        says["User time"] + says["System time"],
        START_S + 0.02,
        "CPU time beside time -v",
        0.02,
    )


def check_forms(folder, options):
    """The same numbers in each form, from the session and again from the file."""
    saved = folder / "run.json"
    measured = Measured(folder, "touch", 2000, "sleep", 5, options=options)
    wanted = measured.run()
    report = json.loads(topdown("report", "--format", "json", saved).stdout)
    for part in report.get("parts", [report]):
        for key, value in values(part["software"]).items():
            check(
                abs(value - wanted[key]) <= 1e-9 * max(1, wanted[key]), f"JSON: {key}", (value, wanted[key])
            )
    rows = csv.DictReader(io.StringIO(topdown("report", "--format", "csv", saved).stdout))
    found = {row["name"]: float(row["value"]) for row in rows if row["kind"] == "software"}
    check(set(found) == set(KEYS), "CSV: a line for each", sorted(found))
    check_all(
        found,
        lambda key: abs(found[key] - wanted[key]) <= 1e-9 * max(1, wanted[key]),
        "CSV: the session's numbers",
    )
    text = topdown("report", "-v", saved).stdout
    lines = text.split("\nKernel  ", 1)[-1].split("\n")
    first = [lines[0], *[line for line in lines[1:4] if line.startswith("         ")]]
    check("Kernel " in text and len(first) <= 3, "text: at most three lines", first)
    check(
        f"{wanted['minor_faults']:.0f} minor" in " ".join(" ".join(first).split()), "text: the faults", first
    )
    whole = topdown("report", "-v", saved).stdout
    check_all(
        ("alignment faults", "emulation faults", "task-clock"),
        lambda words: words in whole,
        "-v: all of them",
    )
    for form in ("markdown", "html"):
        shown = topdown("report", "--format", form, saved).stdout
        check(f"{wanted['minor_faults']:.0f}" in shown, f"{form}: the faults")


def check_intervals(machine, folder):
    """Each interval has what happened in it; together they have all."""
    saved = folder / "run.json"
    command = [
        folder / "acts",
        "touch",
        "1000",
        "sleep",
        "100",
        "spin",
        "300",
        "touch",
        "2000",
        "sleep",
        "100",
    ]
    result = topdown(
        *machine, "-l1", "-I", "100", "--format", "json", "--save", saved, "--", *command, cwd=folder
    )
    check_status(result, "intervals")
    reports = [json.loads(line) for line in result.stderr.splitlines() if line.startswith("{")]
    intervals = [values(report["software"]) for report in reports if report["interval"]]
    whole = values(reports[-1]["software"])
    check(len(intervals) >= 2, "intervals: some", len(intervals))
    for key in ("minor_faults", "context_switches", "cpu_migrations", "task_clock_s"):
        total = sum(interval[key] for interval in intervals)
        check(
            abs(total - whole[key]) <= 1e-9 + 1e-9 * whole[key],
            f"intervals: {key} adds up",
            (total, whole[key]),
        )
    # Ticks of 10 ms in each interval, microseconds in the whole.
    known = [interval["user_s"] for interval in intervals if interval["user_s"] is not None]
    near(
        sum(known),
        whole["user_s"],
        START_S,
        "intervals: user time adds up",
        START_S + 0.02 * (len(intervals) - len(known)),
    )
    text = topdown(*machine, "-l1", "-v", "-I", "100", "--", *command, cwd=folder).stderr
    check(len(re.findall(r"^Kernel +user", text, flags=re.M)) >= 2, "intervals: as text", text[:600])


def switches_of(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return sum(map(int, re.findall(r"^(?:non)?voluntary_ctxt_switches:\s*(\d+)", status, flags=re.M)))


def part_of(machine, folder, *options):
    saved = folder / "part.json"
    check_status(topdown(*machine, "-l1", *options, "--save", saved), f"{options}")
    session = read_json(saved)
    return values(session.get("parts", [session])[0]["runs"][0]["software"])


def check_subjects(machine, folder):
    """A process, its threads, CPUs and a cgroup."""
    with subprocess.Popen(
        [folder / "acts", "touch", "3000", "sleep", "9999999"], cwd=folder, stdout=subprocess.DEVNULL
    ) as busy:
        check(wait_until(lambda: switches_of(busy.pid) > 10), "it sleeps")
        for options, kind in (
            (("-p", busy.pid), "process"),
            (("--tid", busy.pid), "thread"),
            (("--per-thread", "-p", busy.pid), "per thread"),
        ):
            before = switches_of(busy.pid)
            found = until_enough(
                lambda seconds, options=options: part_of(machine, folder, *options, "--duration", seconds),
                lambda found: found["context_switches"],
            )
            seen = switches_of(busy.pid) - before  # in a longer time: with the start and the end of topdown
            check(
                1 <= found["context_switches"] <= seen, f"{kind}: switches", (found["context_switches"], seen)
            )
            check(
                found["user_s"] is not None and found["read_bytes"] is not None,
                f"{kind}: accounts of /proc",
                found,
            )
        busy.kill()
    saved = folder / "cpus.json"
    check_status(
        topdown(
            *machine,
            "-l1",
            "-a",
            "--per-cpu",
            "--save",
            saved,
            "--",
            folder / "acts",
            "touch",
            "4000",
            "spin",
            "1000",
            cwd=folder,
        ),
        "-a",
    )
    session = read_json(saved)
    rows = {row["name"]: row for row in session.get("parts", [session])[0]["runs"][0]["software"]}
    check(rows["minor_faults"]["value"] >= 4000, "-a: faults of all", rows["minor_faults"])
    check(
        sum(rows["minor_faults"]["by_cpu"]) == rows["minor_faults"]["value"],
        "-a: CPUs add up",
        rows["minor_faults"],
    )
    check(
        rows["user_s"]["value"] + rows["system_s"]["value"] >= 0.2,
        "-a: CPU time by /proc/stat",
        rows["user_s"],
    )
    for key in ("task_clock_s", "read_bytes"):
        check(
            rows[key]["value"] is None and rows[key]["reason"],
            f"-a: {key} is withheld with a reason",
            rows[key],
        )
    report = json.loads(topdown("report", *machine[2:], "--format", "json", saved).stdout)
    faults = [values(part["software"])["minor_faults"] for part in report["parts"]]
    check(
        faults == rows["minor_faults"]["by_cpu"],
        "-a: each CPU's report has its own",
        (faults, rows["minor_faults"]),
    )


def check_asked(machine, folder):
    """-e: beside the PMU's events, and what the kernel has no name for."""
    command = ["--", folder / "acts", "touch", "2500"]
    result = topdown(
        *machine, "-l1", "-e", "page-faults,cs,task-clock", "--format", "json", *command, cwd=folder
    )
    report = json.loads(result.stderr)
    events, software = {row["name"]: row for row in report["events"]}, values(report["software"])
    check(
        list(events) == ["page-faults", "context-switches", "task-clock"], "-e: by perf's names", list(events)
    )
    near(
        events["page-faults"]["value"],
        software["minor_faults"] + software["major_faults"],
        0,
        "-e: page-faults",
    )
    near(events["context-switches"]["value"], software["context_switches"], 0, "-e: cs")
    check(events["task-clock"]["quality"] == "exact", "-e: quality", events["task-clock"])


def check_unprivileged(folder):
    """Another user may not count in the kernel: the accounts stand in, and what has none is withheld."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return
    if int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text(encoding="utf-8")) < 2:
        return
    os.chmod(folder, 0o777)
    saved = folder / "user.json"
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", BUILD / "topdown"]
    result = subprocess.run(
        [
            *map(str, user),
            "sample",
            "--save",
            str(saved),
            "--",
            str(folder / "acts"),
            "touch",
            "3000",
            "sleep",
            str(SLEEPS),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "TOPDOWN_LAST": "0"},
    )
    if result.returncode:
        return
    rows = read_json(saved)["runs"][0]["software"]
    found, why = values(rows), reasons(rows)
    own = json.loads(next(line for line in result.stdout.splitlines() if line.startswith("{")))
    near(found["minor_faults"], own["minor_faults"], START_FAULTS, "another user: faults", START_FAULTS)
    near(
        found["context_switches"],
        own["voluntary"] + own["involuntary"],
        START_SWITCHES,
        "another user: switches",
        START_SWITCHES,
    )
    check(
        found["cpu_migrations"] is None and "paranoid" in why.get("cpu_migrations", ""),
        "another user: why no migrations",
        why,
    )
    check(found["alignment_faults"] == 0, "another user: what happens in user mode", found)


def check_native(folder):
    """Beside a simulation they are those of the native run, never Valgrind's."""
    need_simulator()
    saved = folder / "simulated.json"
    result = topdown(
        "--pmu",
        "sim",
        "-l1",
        "-e",
        "page-faults",
        "--format",
        "json",
        "--anchor",
        "always",
        "--save",
        saved,
        "--",
        folder / "acts",
        "touch",
        "1500",
        "spin",
        "30",
        cwd=folder,
    )
    check_status(result, "simulated")
    report = json.loads(
        result.stderr.split("\n{", 1)[-1].join(("{", ""))
        if not result.stderr.startswith("{")
        else result.stderr
    )
    found = values(report["software"])
    check(report["software_native"] is True, "simulated: natively", report.get("software_native"))
    near(found["minor_faults"], 1500, START_FAULTS, "simulated: the native run's faults")
    check(found["task_clock_s"] < 0.03 + START_S, "simulated: native CPU time", found["task_clock_s"])
    check(
        report["events"][0]["value"] == found["minor_faults"] + found["major_faults"],
        "simulated: -e",
        report["events"],
    )
    again = json.loads(topdown("report", "--format", "json", saved).stdout)
    check(again["software"] == report["software"], "simulated: the session has them")
    text = topdown("report", "-v", saved).stdout
    check("in the native run" in " ".join(text.split()), "simulated: text says native", text[:600])


def check_pressure(folder, machine):
    """Two spinners on one CPU: what the one has not, the other has; and what a kernel without all of it
    says."""
    if not shutil.which("taskset") or not pathlib.Path("/proc/self/schedstat").exists():
        return
    cpu = str(max(os.sched_getaffinity(0)))
    with subprocess.Popen(
        ["taskset", "-c", cpu, folder / "acts", "spin", "9999000"], stdout=subprocess.DEVNULL
    ) as other:
        check(wait_until(lambda: cpu_s(other.pid) > 0), "another one spins")
        measured = Measured(
            folder,
            options=["sample", "-g", "none", "--pressure"],
            program=["taskset", "-c", cpu, folder / "acts", "spin", "1000"],
        )
        other.kill()
    found, wall = measured.run(), measured.session["runs"][0]["wall_s"]
    # It never sleeps: what it does not run, it waits. The last look may be 0.1 s old for the threads of
    # others only.
    near(
        found["run_delay_s"],
        wall - found["task_clock_s"],
        START_S + 0.1 * wall,
        "run delay of a spinner",
        START_S + 0.1 * wall,
    )
    check(found["run_delay_s"] > 0.1, "another one had the CPU", found["run_delay_s"])
    text = " ".join(topdown("report", "-v", folder / "run.json").stdout.split())
    check(" for a CPU" in text, "text: how long it waited", text[:400])
    if pathlib.Path("/proc/pressure/cpu").exists():
        # PSI is a mean over the CPUs that do something, and one of them is the one that is fought for.
        pressure = found["machine_pressure_cpu_s"]
        check(0 < pressure < START_S + 1.1 * wall, "PSI of the machine", (pressure, wall))
    check(
        "run_delay_s" not in Measured(folder, options=["sample", "-g", "none"]).run(),
        "nobody asked: nothing is read",
    )
    intervals = topdown(
        "sample", "-g", "none", "--pressure", "-a", "--duration", "0.2", "--save", folder / "all.json"
    )
    check_status(intervals, "--pressure -a")
    rows = {row["name"]: row for row in read_json(folder / "all.json")["runs"][0]["software"]}
    check(
        rows["run_delay_s"]["value"] is None and "threads only" in rows["run_delay_s"]["reason"],
        "-a: no run delay",
        rows["run_delay_s"],
    )
    refused = topdown("-l1", "--pressure", *machine, "--", "true")
    check(
        refused.returncode == 125 and "CONFIG_PSI" in refused.stderr,
        "a kernel without pressure",
        refused.stderr,
    )


def check_notes(folder):
    """Sentences from measured values alone: of a sleeper, a migrant, and of one that does neither."""
    need_simulator()

    def notes(*words, cpus=None):
        """Again where a busy machine took longer natively than it may."""
        for _ in range(TRIES):
            result = topdown(
                "--pmu",
                "sim",
                "-l1",
                "--format",
                "json",
                "--anchor",
                "always",
                "--",
                folder / "acts",
                *words,
                cwd=folder,
                preexec_fn=lambda: os.sched_setaffinity(0, cpus) if cpus else None,
            )
            check_status(result, f"notes of {words}")
            report = json.loads(result.stderr[result.stderr.index("{") :])
            if report["anchor"]["reason"] is None:
                return " ".join(report["notes"])
        check(False, f"{words}: compared in one of {TRIES} tries", report["anchor"])
        return ""

    every = os.sched_getaffinity(0)
    # One long rest and little to do, all in user space: what a busy machine adds to either is no matter.
    sleeper = notes("work", "20000", "rest", "1500", cpus={min(every)})
    check(
        re.search(r"off CPU for \d+ % of the time|mostly waited", sleeper), "a sleeper was off CPU", sleeper
    )
    check("changed CPUs often" not in sleeper, "a sleeper does not migrate", sleeper)
    if len(every) > 1:
        migrant = notes("migrate", "1600", "work", "200000")
        check("changed CPUs often" in migrant, "a migrant", migrant)


def main():
    if not shutil.which("cc") or topdown("sample", "-g", "none", "true").returncode:
        skip("there is no cc, or nothing can be sampled here")
    with temporary() as folder:
        source = pathlib.Path(__file__).with_name("acts.c")
        subprocess.run(["cc", "-O2", "-pthread", "-o", folder / "acts", source], check=True)
        machine = soft_pmu(folder)
        sampled, counted = ["sample", "-g", "none"], [*machine, "-l1"]
        for options in (sampled, counted):
            check_chosen(folder, options)
            check_storage(folder, options)
            check_getrusage(folder, options)
            check_time(folder, options)
        check_forms(folder, sampled)
        check_intervals(machine, folder)
        check_subjects(machine, folder)
        check_asked(machine, folder)
        check_unprivileged(folder)
        check_pressure(folder, machine)
        check_native(folder)
        check_notes(folder)
    finish()


main()
