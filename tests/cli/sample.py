#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sample.py - topdown sample: functions have the shares of the time that they measured themselves; all ways
to say what is sampled, and for how long; statuses; sessions; and, on a PMU of software events, events, nodes
and --lines after the counts."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    PATIENCE,
    TOPDOWN,
    check,
    check_failure,
    check_success,
    children_of,
    cpu_s,
    environment,
    finish,
    run,
    skip,
    state_of,
    temporary,
    topdown,
    until_enough,
    wait_until,
)
from lib.soft_pmu import soft_pmu

PROGRAMS = int(os.environ.get("TOPDOWN_PROGRAMS", "20"))
FUNCTIONS = 6
FEW = 30  # samples: fewer say nothing

# Spins in each function for about as many microseconds as the arguments say, in turns, and prints the CPU
# time of each, and how much of it a sample each 1/1999 s can see: where the host stops the machine, however
# long, the clock that was due meanwhile is late and gives one sample.
SOURCE = (
    """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sink;
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
"""  # noqa: E501
    + "".join(
        f"""
__attribute__((noinline)) static double work{i}(double seconds, double *seen)
{{
	double begin = now(), before = begin, after = begin;
	for (; after - begin < seconds; before = after) {{
		for (int i = 0; i < 20000; i++)
			sink += i ^ {i};
		after = now();
		*seen += after - before < 1. / 1999 ? after - before : 1. / 1999;
	}}
	return after - begin;
}}
"""
        for i in range(FUNCTIONS)
    )
    + """
int main(int argc, char **argv)
{
	double (*const work[])(double, double *) = { """
    + ", ".join(f"work{i}" for i in range(FUNCTIONS))
    + """ };
	double spent[sizeof(work) / sizeof(*work)] = { 0 }, seen[sizeof(work) / sizeof(*work)] = { 0 };
	for (int turn = 0; turn < 10; turn++)
		for (int i = 0; i + 1 < argc; i++)
			spent[i] += work[i](atof(argv[i + 1]) / 1e7, &seen[i]);
	for (int i = 0; i + 1 < argc; i++)
		printf("%.9f %.9f\\n", spent[i], seen[i]);
	return 0;
}
"""
)

TOUCHING = """
#include <stdio.h>
#include <sys/mman.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void touch(void)
{
	for (int i = 0; i < 40; i++) {
		char *pages = mmap(0, 4096 * 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (long k = 0; k < 100; k++)
			pages[k * 4096] = 1;
		munmap(pages, 4096 * 100);
	}
}
__attribute__((noinline)) static void spin(void) { for (long i = 0; i < 20000000; i++) sink += i; }
int main(void)
{
	FILE *runs = fopen("runs", "a");
	fputs("x", runs);
	fclose(runs);
	touch();
	spin();
	return 0;
}
"""


def compiled(folder, name, text):
    path = folder / name
    path.with_suffix(".c").write_text(text, encoding="utf-8")
    subprocess.run(
        ["cc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", path, path.with_suffix(".c")], check=True
    )
    return path


def sampled(*words, **options):
    """The report as data, and the result."""
    result = topdown("sample", "--format", "json", *words, **options)
    try:
        return json.loads(result.stderr), result
    except ValueError:
        check(False, f"sample {words}: JSON", result.stderr[:500])
        return {}, result


def functions(report):
    return {row["name"]: row for row in report.get("profile", {}).get("functions", []) if row["name"]}


def check_shares(program):
    """Within 6 standard errors, and some more: a late clock makes samples fewer, and depend on each other. Of
    all programs together a point or two."""
    draws = random.Random(15)
    all_found, all_expected, all_samples = [0] * FUNCTIONS, [0] * FUNCTIONS, 0
    for number in range(PROGRAMS):
        micros = [draws.randrange(0, 40000) for _ in range(FUNCTIONS)]

        def measure(times, micros=tuple(micros)):
            return sampled("-F", "1999", "-g", "fp", program, *(str(round(times * each)) for each in micros))

        report, result = until_enough(
            measure, lambda found: found[0].get("profile", {}).get("samples", 0) >= 100, 1
        )
        check(result.returncode == 0, f"program {number}: exit status", result.returncode)
        seen = [float(line.split()[1]) for line in result.stdout.splitlines()]
        samples, found = report["profile"]["samples"], functions(report)
        check(samples >= 100, f"program {number}: samples", samples)
        all_samples += samples
        for i, seconds in enumerate(seen):
            share = seconds / sum(seen)
            error = (share * (1 - share) / samples) ** 0.5 + 1.5 / samples
            total = found.get(f"work{i}", {"total": 0})["total"] / 100
            check(
                abs(total - share) < 6 * error + 0.03,
                f"program {number}: work{i} has {share:.3f} of the time",
                (found.get(f"work{i}"), samples),
            )
            all_found[i] += total * samples
            all_expected[i] += share * samples
    off = [abs(a - b) / all_samples for a, b in zip(all_found, all_expected)]
    check(max(off) < 0.03, f"shares of {PROGRAMS} programs together", (off, all_samples))


def check_head(program):
    report, result = until_enough(
        lambda seconds: sampled("-g", "none", program, seconds * 1e6),
        lambda found: found[0]["sampled"]["samples"],
    )
    head, spent = report["sampled"], float(result.stdout.split()[0])
    check(
        head["samples"] == report["profile"]["samples"] == report["sampled_events"][0]["samples"],
        "all samples are in the table",
        head,
    )
    check(head["stacks"] is None and head["exit_status"] == 0 and head["runs"] == 1, "what was done", head)
    check(report["sampled_events"][0]["frequency"] == 997, "997 a second", report["sampled_events"])
    # Fewer come where the clock is late; the start is beside what it has spent.
    check(0 < head["samples"] < 997 * spent + 50, "no more samples come", (head["samples"], spent))
    report, result = until_enough(
        lambda seconds: sampled("-c", "5000000", program, seconds * 1e6),
        lambda found: found[0]["sampled"]["samples"],
    )
    check(
        report["sampled_events"][0]["period"] == 5000000
        and 0 < report["sampled"]["samples"] < float(result.stdout.split()[0]) / 0.005 + 10,
        "-c: one in 5 ms",
        (report["sampled"], result.stdout),
    )
    text = topdown("sample", "-e", "task-clock", program, "500000").stderr
    check("task-clock" in text and "work0" in text and "\nRun   " in text and "95 %" in text, "as text", text)


def check_session(program, folder):
    first, _ = sampled("--save", folder / "run.json", "--callers", "main", program, "400000", "200000")
    check(
        stat.S_IMODE((folder / "run.json").stat().st_mode) == 0o600,
        "a session with a profile is its owner's only",
    )
    again = topdown("report", "--format", "json", "--callers", "main", folder / "run.json")
    check_success(again, "the session is read")
    again = json.loads(again.stdout)
    check(
        again["profile"] == first["profile"] and again["sampled"] == first["sampled"],
        "and has the same",
        again["sampled"],
    )
    check_success(topdown("report", folder / "run.json"), "without options")
    check_failure(
        topdown("report", "--callers", "wrok0", folder / "run.json"), "a misspelt function", "work0"
    )
    folded = topdown("export", "--to", "folded", folder / "run.json")
    check(folded.returncode == 0 and "main;work0" in folded.stdout, "export", folded)
    state = environment(XDG_STATE_HOME=str(folder / "state"), TOPDOWN_LAST=None)
    topdown("sample", program, "300000", env=state)
    last = topdown("report", env=state)
    check(last.returncode == 0 and "work0" in last.stdout, "the last measurement has the profile", last)
    sheet = topdown("report", "--format", "csv", folder / "run.json").stdout.splitlines()
    check(any(line.startswith("function,") and "work0" in line for line in sheet), "as CSV", sheet[:3])


def check_statuses(folder):
    for words, status in (
        (["true"], 0),
        (["sh", "-c", "exit 5"], 5),
        (["sh", "-c", "kill -TERM $$"], 143),
        (["--", "no-such-program"], 127),
        ([folder], 126),
    ):
        result = topdown("sample", *words)
        check(result.returncode == status, f"sample {words}: exit status", (result.returncode, result.stderr))
    for words, part in (
        ([], "which program? `topdown sample [OPTION]... PROGRAM"),
        (["-F", "99", "-c", "99", "true"], "exclude each other"),
        (["-g", "frame", "true"], "dwarf"),
        (["-F", "0", "true"], "1 to"),
        (["-c", "x", "true"], "from 1"),
        (["-l3", "true"], "no use for it"),
        (["--per-thread", "true"], "no use for it"),
        (["-e", "page-faults", "true"], "the only software events that can"),
        (["--duration", "1"], "of what"),
        (["--by", "interval", "true"], "-I MS"),
        (["-I", "100", "--interval-plan", "all", "true"], "no use for it"),
    ):
        check_failure(topdown("sample", *words), f"sample {words}", part)
    said = topdown("sample", "-e", "task-clokc", "true").stderr
    check(
        "did you mean task-clock" in said
        or "cpu-clock and task-clock" in said
        or "unknown event 'task-clokc'" in said,
        "a misspelt clock",
        said,
    )
    check("pmu=on" not in said or "only cpu-clock" in said, "a misspelt clock is no matter of the host", said)


def check_few():
    """Few samples name no place, whatever they hit: a share of one is between a fifth and all of the time."""
    empty = topdown("sample", "-F", "1", "true")
    check("0 samples in" in empty.stderr, "a program that hardly runs", empty.stderr)
    for count, freq in ((0, "1"), (None, "2000")):
        report = json.loads(topdown("sample", "-F", freq, "--format", "json", "true").stderr)
        samples, verdict = report["sampled"]["samples"], report["verdict"]
        check(count is None or samples == count, "samples of a program that hardly runs", samples)
        if samples >= FEW:
            continue  # a busy host made it long
        says = (
            "Nothing shows where" if not samples else f"Only {samples} sample{'s' * (samples > 1)}, too few"
        )
        check(says in verdict["answer"] and not verdict["place"], f"{samples} samples name no place", verdict)


def check_interrupt(program):
    with subprocess.Popen(
        [TOPDOWN, "sample", "--format", "json", program, "9999000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
        encoding="utf-8",
    ) as child:
        has_worked = lambda: any(cpu_s(pid) > 0.3 for pid in children_of(child.pid))  # noqa: E731
        check(wait_until(has_worked), "Ctrl-C: the program has worked")
        child.send_signal(signal.SIGINT)
        _, text = child.communicate(timeout=PATIENCE)
    report = json.loads(text)
    check(
        child.returncode == 128 + signal.SIGINT and "work0" in functions(report),
        "Ctrl-C: the report is printed all the same",
        text[:300],
    )


def is_counting(pid):
    """It has opened its events, and waits."""
    try:
        files = [os.readlink(entry) for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return False
    return any("perf_event" in file for file in files) and state_of(pid) == "S"


def check_late(pid):
    """Intervals that could not be kept, since topdown stood still: the remark has remedies that sampling
    knows."""
    with subprocess.Popen(
        [TOPDOWN, "sample", "--no-last", "-I", "100", "-p", pid],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as topdown_itself:
        for _ in range(3):
            check(wait_until(lambda: is_counting(topdown_itself.pid)), "-I: it samples")
            topdown_itself.send_signal(signal.SIGSTOP)
            time.sleep(0.5)  # at least
            topdown_itself.send_signal(signal.SIGCONT)
            time.sleep(0.1)
        check(wait_until(lambda: is_counting(topdown_itself.pid)), "-I: it goes on")
        topdown_itself.send_signal(signal.SIGINT)
        text = " ".join(topdown_itself.communicate(timeout=PATIENCE)[1].split())
    check(
        "could not be kept" in text and "a longer -I is kept better" in text and "level" not in text,
        "-I: late intervals",
        text[-500:],
    )


def for_seconds(*words, is_enough=lambda report: {"work0", "work1"} & set(functions(report))):
    """As long as it takes until something is seen of the program."""
    return until_enough(
        lambda seconds: sampled(*words, "--duration", f"{seconds:g}"), lambda found: is_enough(found[0]), 0.3
    )


def check_container(program):
    """All CPUs, seen from a PID namespace of its own: what is outside has no number, nor names of others."""
    own = ["unshare", "--mount", "--pid", "--fork", "--mount-proc"]
    if not shutil.which("unshare") or run(*own, "true").returncode:
        print("sample.py: not tried in a container: no PID namespace can be made here")
        return
    words = ["sample", "-a", "-e", "cpu-clock", "--by", "process", "--format", "json", "-o", "-", "--no-last"]
    with subprocess.Popen([program, "9999000000", "9999000000"], stdout=subprocess.DEVNULL) as running:
        try:
            report = until_enough(
                lambda seconds: json.loads(run(*own, TOPDOWN, *words, "--duration", f"{seconds:g}").stdout),
                lambda found: found["sampled"]["samples"] >= 20,
            )
        finally:
            running.kill()
    names = [row["name"] for row in report["profile"]["processes"]]
    check("outside (0)" in names and not any("swapper" in name for name in names), "in a container", names)
    check("outside this container" in json.dumps(report), "in a container: it says so", report["sampled"])


def check_subjects(program, folder):
    """Something that runs already: it goes on."""
    with subprocess.Popen([program, "9999000000", "9999000000"], stdout=subprocess.DEVNULL) as running:
        try:
            pid = str(running.pid)
            for words in (
                ["-p", pid],
                ["--tid", pid],
                ["-a"],
                ["-C", ",".join(map(str, sorted(os.sched_getaffinity(running.pid))))],
            ):
                report, result = for_seconds(*words)
                check(
                    result.returncode == 0 and {"work0", "work1"} & set(functions(report)),
                    f"{words}: it is seen",
                    result.stderr[:300],
                )
                check(running.poll() is None, f"{words}: it goes on")
            report, result = for_seconds(
                "-I",
                "100",
                "-p",
                pid,
                is_enough=lambda report: functions(report) and len(report["profile"]["intervals"]) >= 2,
            )
            check(result.returncode == 0 and functions(report), "-I", result.stderr[:300])
            rows = report["profile"]["intervals"]
            check(
                len(rows) >= 2 and sum(row["samples"] for row in rows) == report["profile"]["samples"],
                "-I: a row for each",
                rows,
            )
            check(
                rows[0]["from_s"] == 0
                and all(a["to_s"] == b["from_s"] for a, b in zip(rows, rows[1:]))
                and rows[-1]["to_s"] > 0.25,
                "and its times",
                rows,
            )
            check_late(pid)
            report, _ = sampled("-I", "100", "--by", "thread", "-p", pid, "--duration", "0.5")
            check(
                "threads" in report["profile"] and "intervals" not in report["profile"],
                "-I with another --by",
                list(report["profile"]),
            )
            begin = time.monotonic()
            report, result = for_seconds(
                "-p", pid, "-D", "300", is_enough=lambda report: report["sampled"]["samples"]
            )
            # All that a busy host adds makes room for more.
            least, most = 0.6, 997 * (time.monotonic() - begin - 0.3) + 5
            check(
                0 < report["sampled"]["samples"] < most and time.monotonic() - begin >= least,
                "-D: later",
                report["sampled"],
            )
            check_control(pid, folder)
        finally:
            running.kill()
    result = topdown("sample", "-p", pid, "--duration", "0.1")
    check_failure(result, "a process that is no more", f"process {pid} does not exist")


def check_control(pid, folder):
    report, (status, text) = until_enough(
        lambda seconds: controlled(pid, folder, seconds), lambda found: found[0]["sampled"]["samples"]
    )
    check(status == 0 and report["sampled"]["samples"], "--control", text[:300])


def controlled(pid, folder, seconds):
    """Enabled until the process has had its CPU for so long: it may be that topdown had none meanwhile."""
    fifo = folder / "control"
    fifo.unlink(missing_ok=True)
    os.mkfifo(fifo)
    with subprocess.Popen(
        [TOPDOWN, "sample", "--format", "json", "-D", "-1", "--control", fifo, "-p", pid],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
        encoding="utf-8",
    ) as child:
        with open(fifo, "w", encoding="utf-8") as control:
            control.write("enable\n")
            control.flush()
            before = cpu_s(pid)
            check(wait_until(lambda: cpu_s(pid) > before + seconds), "--control: the process runs")
            control.write("stop\n")
        _, text = child.communicate(timeout=PATIENCE)
    return json.loads(text[text.index("{") :]), (child.returncode, text)


def check_soft_pmu(folder):
    """Events and nodes; and where the worst node is, after the counts."""
    program = compiled(folder, "touching", TOUCHING)
    machine, runs = soft_pmu(folder), folder / "runs"

    def words(*more):
        runs.unlink(missing_ok=True)
        return topdown(*more, program, cwd=folder)

    result = words("-l1", "--format", "json", "--lines", *machine)
    report = json.loads(result.stderr)
    check(
        report["profile"]["node"] == "minor" and report["profile"]["event"] == "MINOR",
        "the worst node's event",
        report["profile"]["event"],
    )
    check(
        report["profile"]["base"] is not None and functions(report)["touch"]["self"] > 80,
        "it is where the pages are touched",
        functions(report).get("touch"),
    )
    check(
        report["nodes"] and runs.read_text(encoding="utf-8") == "xxx",
        "two runs to count, one to sample",
        runs.read_text(encoding="utf-8"),
    )
    text = words("-l1", "--functions", *machine).stderr
    check(
        "runs 2 times to be counted, and then" in text and text.index("runs 2 times") < text.index("\nRun "),
        "the runs are announced",
        text,
    )
    check("touch" in text, "as text", text)
    report = json.loads(words("sample", "--format", "json", "--nodes", "Minor", *machine).stderr)
    events = [event["event"] for event in report["sampled_events"]]
    check(
        events == ["MINOR", "cycles"] and runs.read_text(encoding="utf-8") == "x",
        "--nodes: with cycles beside it",
        events,
    )
    check(report["sampled_events"][0]["period"] == 10, "the period is the vendor's", report["sampled_events"])
    report = json.loads(words("sample", "--format", "json", "-e", "FAULTS,MINOR,CYCLES", *machine).stderr)
    check(
        report["sampled"]["runs"] == 2 and runs.read_text(encoding="utf-8") == "xx",
        "three events on two counters: two runs",
        report["sampled"],
    )
    report = json.loads(words("sample", "--format", "json", *machine).stderr)
    check(
        [event["event"] for event in report["sampled_events"]] == ["cycles"],
        "time is cycles",
        report["sampled_events"],
    )
    check_failure(
        words("sample", "-e", "FUALTS", *machine),
        "a misspelt event",
        "unknown event 'FUALTS'; did you mean FAULTS",
    )
    check_failure(words("sample", "--nodes", "Mnior", *machine), "a misspelt node", "Minor")
    check_failure(
        words("-l1", "--per-function", "-I", "100", *machine), "--per-function with -I", "--functions works"
    )
    check_failure(
        words("-l1", "--lines", "--control", "nothing", *machine), "--lines with --control", "topdown sample"
    )
    lines = [
        json.loads(line)
        for line in words("-l1", "--lines", "-I", "20", "--format", "json", *machine).stderr.splitlines()
        if line[:1] == "{"
    ]
    check(
        len(lines) >= 2 and all(line["nodes"] for line in lines[:1] + lines[-1:])
        # A short interval of a busy host may have no sample; all of the time, which is the last, has some.
        and all(
            line["profile"]["event"] == "cpu-clock"
            for line in lines
            if "profile" in line or line is lines[-1]
        ),
        "--lines with -I: the groups have both counters, and the clock is sampled",
        [line.get("profile", {}).get("event") for line in lines],
    )
    check_failure(
        topdown("-l1", "--lines", *machine, "-p", str(os.getpid())), "--lines without an end", "--duration"
    )


def as_nobody(*words):
    return subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env=environment(),
        cwd="/",
    )


def check_rights(program, folder):
    """paranoid 2: user mode only, and the report says so; and what the kernel keeps from a user beyond
    that."""
    level = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text(encoding="ascii"))
    if os.geteuid() != 0 or level != 2 or not shutil.which("setpriv"):
        print(f"rights are left out: perf_event_paranoid is {level}, and this is user {os.geteuid()}")
        return
    report = json.loads(as_nobody(TOPDOWN, "sample", "--format", "json", program, "500000").stderr)
    check(
        report["sampled"]["scope"] == "user" and "work0" in functions(report),
        "user mode only",
        report["sampled"],
    )
    program.chmod(0o711)
    said = as_nobody(TOPDOWN, "sample", program, "500000").stderr
    check(
        "may not read the program" in re.sub(r"\s+", " ", said), "a program that its user may not read", said
    )
    program.chmod(0o755)
    hidden = compiled(
        folder,
        "hidden",
        (
            "#include <sys/prctl.h>\n#include <unistd.h>\n"
            'int main(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); write(1, "\\n", 1); pause(); return 0; }\n'
        ),
    )
    with subprocess.Popen(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", hidden], stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        refused = as_nobody(TOPDOWN, "sample", "-p", str(process.pid), "--duration", "0.1")
        process.kill()
    check_failure(
        refused, "a process of this user that keeps everybody from looking into it", "PR_SET_DUMPABLE"
    )


if not shutil.which("cc") or topdown("sample", "-g", "none", "true").returncode:
    skip("no compiler, or this user can't sample time")
with temporary() as scratch:
    scratch.chmod(0o755)
    PROGRAM = compiled(scratch, "prog", SOURCE)
    check_shares(PROGRAM)
    check_head(PROGRAM)
    check_session(PROGRAM, scratch)
    check_statuses(scratch)
    check_few()
    check_interrupt(PROGRAM)
    check_subjects(PROGRAM, scratch)
    check_container(PROGRAM)
    check_soft_pmu(scratch)
    check_rights(PROGRAM, scratch)
finish()
