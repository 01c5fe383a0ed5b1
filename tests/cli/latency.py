#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""latency.py - topdown latency beside a program that times its own calls: counts are exact, and no time is
shorter than its own clock inside says. Recursion, longjmp, threads, children, a process that runs already;
system calls and tracepoints where tracefs can be mounted; and what each refusal says."""
import csv
import io
import json
import os
import re
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, TOPDOWN, check, check_failure, finish, read_json, skip, temporary, topdown, wait_until

NOBODY = 65534
SLACK = 1e-4  # of a call: what a clock read inside of it does not see is not less than nothing
KNOWN_C = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("" ::: "memory")
static jmp_buf back;
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
NOINLINE void nap(int us, double *inside)
{
	double began = now();
	usleep(us);
	*inside += now() - began;
	KEEP;
}
NOINLINE void first(double *inside, double *around)
{
	double began = now();
	nap(1000, inside);
	*around += now() - began;
}
NOINLINE void second(double *inside, double *around)
{
	double began = now();
	nap(9000, inside);
	*around += now() - began;
}
NOINLINE int deep(int depth)
{
	int below = depth ? deep(depth - 1) : 0;
	usleep(500);
	KEEP;
	return below + 1;
}
NOINLINE void leap(int leaves)
{
	usleep(100);
	if (leaves)
		longjmp(back, 1);
	KEEP;
}
NOINLINE void leap_far(int leaves)
{
	leap(leaves);
	KEEP;
}
NOINLINE int empty(int x)
{
	KEEP;
	return x + 1;
}
static inline __attribute__((always_inline)) int swallowed(int x)
{
	return x * 3;
}
static void *worker(void *unused)
{
	double inside = 0, around = 0;
	pthread_setname_np(pthread_self(), "worker");
	for (int i = 0; i < 5; i++)
		second(&inside, &around);
	printf("worker %.9f %.9f\n", inside, around);
	return unused;
}
int main(int argc, char **argv)
{
	double inside = 0, around = 0;
	pthread_t thread;
	int sum = swallowed(argc);
	for (int i = 0; argc > 1 && (argv[1][0] == 'r' || i < 20); i++)
		first(&inside, &around);
	printf("main %.9f %.9f\n", inside, around);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	fflush(stdout);
	deep(9);
	for (volatile int i = 0; i < 30; i++)
		if (!setjmp(back))
			leap_far(i % 3 == 0);
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			deep(1);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	for (int i = 0; argc > 2 && i < atoi(argv[2]); i++)
		sum = empty(sum);
	if (argc > 3)
		execl(argv[0], argv[0], NULL);
	return 7;
}
"""


def build(folder):
    (folder / "known.c").write_text(KNOWN_C, encoding="utf-8")
    words = ["gcc", "-g", "-O1", "-pthread", "-o", folder / "known", folder / "known.c"]
    subprocess.run(words, check=True)
    return folder / "known"


def measured(folder, what, *program, status=7):
    out = folder / "out.json"
    done = topdown("latency", what, "--format", "json", "-o", out, "--", *program)
    check(done.returncode == status, f"{what}: the program's exit status", (done.returncode, done.stderr))
    return done.stdout, read_json(out)


def check_sums(name, times):
    """Whatever was called: parts are the whole."""
    for key in ("histogram", "threads", "callers"):
        total = sum(row["calls"] for row in times[key])
        check(total == times["calls"], f"{name}: {key} are all calls", (total, times["calls"]))
    for key in ("threads", "callers"):
        total = sum(row["total_s"] for row in times[key])
        check(abs(total - times["total_s"]) < 1e-6, f"{name}: {key} have all time", (total, times))
    order = [times[key] for key in ("least_s", "median_s", "p90_s", "p99_s", "p999_s", "most_s")]
    check(order == sorted(order), f"{name}: percentiles rise", order)
    check(times["outer_s"] <= times["total_s"] + 1e-9, f"{name}: outer calls are some", times)


def check_known(folder, program):
    """A call's time is between that of the clock inside of it and that of the clock around it."""
    text, times = measured(folder, "nap", program, "x")
    own = {name: (float(a), float(b)) for name, a, b in re.findall(r"^(\w+) ([\d.]+) ([\d.]+)$", text, re.M)}
    check_sums("nap", times)
    check(times["calls"] == 25 and not times["lost"] and not times["unreturned"], "nap: all calls", times)
    threads = {row["name"]: row for row in times["threads"]}
    callers = {row["name"]: row for row in times["callers"]}
    for thread, caller, calls in (("known", "first", 20), ("worker", "second", 5)):
        inside, around = own["main" if thread == "known" else thread]
        for row in (threads.get(thread), callers.get(caller)):
            check(row and row["calls"] == calls, f"nap: calls of {thread} by {caller}", times)
            check(
                row and inside - calls * SLACK <= row["total_s"] <= around + calls * SLACK,
                f"nap: the time of {thread}",
                (inside, row, around),
            )
    check(0.001 <= times["least_s"] <= times["median_s"] * 1.02, "nap: the least", times)
    check(times["most_s"] >= 0.009 and times["length_s"] >= times["outer_s"] / 2, "nap: the most", times)
    check(times["cost"]["added_s"] > times["cost"]["inside_s"] / 2 > 0, "the probe's cost", times["cost"])
    check(times["kind"] == "function" and times["file"] == str(program), "what it was", times)


def check_odd(folder, program):
    """Recursion, longjmp, children, a new program in the same process."""
    _, times = measured(folder, "deep", program, "x")
    check_sums("deep", times)
    check(times["calls"] == 10 + 3 * 2 and not times["unreturned"], "deep: in children too", times)
    check(times["deepest"] == 10 and len(times["threads"]) == 4, "deep: by thread", times)
    main = next(row for row in times["threads"] if row["calls"] == 10)
    check(main["outer_s"] >= 10 * 0.0005 and main["total_s"] >= 55 * 0.0005, "deep: nested times", main)
    check(main["outer_s"] == main["most_s"], "deep: the outermost call is the longest", main)
    _, times = measured(folder, "leap_far", program, "x")
    check_sums("leap_far", times)
    check((times["calls"], times["unreturned"]) == (20, 10), "leap_far: longjmp leaves 10", times)
    check(times["begun_before"] == 0 and times["deepest"] == 1, "leap_far: none is in another", times)
    _, times = measured(folder, "deep", program, "x", "0", "x")
    check(times["calls"] == 32 and not times["unreturned"], "deep: the program that it becomes", times)
    _, times = measured(folder, "libc:usleep", program, "x")
    check(times["calls"] == 20 + 5 + 10 + 30 + 6, "libc:usleep", times)
    check({row["name"] for row in times["callers"]} == {"nap", "deep", "leap"}, "its callers", times)
    _, times = measured(folder, "empty", program)
    check(times["calls"] == 0 and times["median_s"] is None and not times["threads"], "no call", times)


def check_fast(folder, program):
    """Each of many short calls has a time, or is counted as lost."""
    _, times = measured(folder, "empty", program, "x", "100000")
    known = times["calls"] + times["doubtful"]
    check_sums("empty", times)
    check(100000 - times["lost"] <= known <= 100000, "each call has a fate", times)
    check(times["lost"] or times["calls"] == 100000, "none is missing unsaid", times)
    text = topdown("latency", "empty", "--", program, "x", "100").stderr
    check("the probe's own" in text and "Each call cost about" in text, "its cost is said", text)


def check_forms(program):
    text = topdown("latency", "nap", "--", program, "x").stderr
    check(
        re.search(r"^nap took [\d.]+ [mun]?s in the\s+median and [\d.]+ m?s at 99 %: 25 calls", text),
        "the answer",
        text,
    )
    check("Called by" in text and re.search(r"^worker \(\d+\) +5 ", text, re.M), "tables", text)
    for form, part in (("markdown", "| worker"), ("html", "<h1>"), ("csv", "from_s,to_s,calls")):
        text = topdown("latency", "nap", "--format", form, "--", program, "x").stderr
        check(part in text, f"as {form}", text[:500])
    rows = list(csv.DictReader(io.StringIO(text)))
    check(sum(int(row["calls"]) for row in rows) == 25, "csv: all calls", text)
    ends = [(float(row["from_s"]), float(row["to_s"])) for row in rows]
    check(all(abs(2 * low - high) < 1e-9 for low, high in ends), "csv: powers of two", text)
    text = topdown("latency", "nap", "--format", "csv", "--", program).stderr
    check(text.startswith("from_s,to_s,calls"), "no call, as csv", text)


def check_attached(folder, program):
    """A process that runs already: what has begun before has no time."""
    out = folder / "attached.json"
    process = subprocess.Popen([program, "r"], stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: os.readlink(f"/proc/{process.pid}/exe") == str(program))
        words = ["-p", process.pid, "--duration", "0.5", "--format", "json", "-o", out]
        done = topdown("latency", "nap", *words)
        check(done.returncode == 0, "attached", done.stderr)
        times = read_json(out)
        check_sums("attached", times)
        check(times["calls"] > 0 and times["begun_before"] <= 1 and times["unreturned"] <= 1, "calls", times)
        check(times["threads"][0]["pid"] == process.pid, "whose", times["threads"])
        check(times["total_s"] <= times["length_s"] + SLACK, "one thread", times)
        check(times["file"] == str(program), "its file", times["file"])
        done = topdown("latency", "libc:usleep", *words)
        check(read_json(out)["callers"][0]["name"] == "nap", "a library that is mapped", done.stderr)
        done = topdown("latency", "libnone:f", *words)
        check_failure(done, "no such library", f"process {process.pid} has no library libnone mapped")
    finally:
        process.kill()
        process.wait()


def check_traced(folder, program):
    """In a namespace of its own, where tracefs can be mounted."""
    out = folder / "traced.json"

    def run(*words):
        script = 'mount -t tracefs nodev /sys/kernel/tracing && exec "$@"'
        line = ["unshare", "-m", "sh", "-c", script, "sh", TOPDOWN, "latency", *map(str, words)]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    done = run("syscall:clock_nanosleep", "--format", "json", "-o", out, "--", program, "x")
    if done.returncode != 7:
        print("system calls are left out:", done.stderr[-200:])
        return
    times = read_json(out)
    check_sums("syscall", times)
    check(times["calls"] == 71 and times["kind"] == "syscall", "syscall:clock_nanosleep", times)
    check(times["total_s"] >= 0.02 + 0.045 + 16 * 0.0005 + 0.003, "as long as was asked", times)
    check({row["name"] for row in times["threads"]} >= {"known", "worker"}, "by thread", times)
    done = run("irq:softirq", "-a", "--duration", "0.3", "--format", "json", "-o", out)
    times = read_json(out)
    check_sums("softirq", times)
    check(done.returncode == 0 and times["name"] == "irq:softirq", "irq:softirq", done.stderr)
    check(times["total_s"] <= times["length_s"] * os.cpu_count(), "a CPU has one at a time", times)
    check_failure(run("irq:softirq_raise", "-a"), "no pair", "has no partner")
    check_failure(run("irq:softirk", "-a"), "no tracepoint", "did you mean softirq")
    check_failure(run("nogroup:x", "--", program), "neither", "nor a group of tracepoints")


def check_refused(program):
    line = ("--", program, "x")
    for words, parts in (
        ((), "latency of what?"),
        (("nap",), "of which program?"),
        (("nap", "deep", *line), "one at a time"),
        (("napp", *line), "did you mean nap"),
        (("swallowed", *line), "it was inlined"),
        (("usleep", *line), "name that too, as in libc:usleep"),
        (("libc:memcpy", *line), "IFUNC"),
        (("libc:mallok", *line), "did you mean malloc"),
        (("libnone:f", *line), "is no library that the loader finds"),
        (("./none.so:f", *line), "no such file"),
        (("syscall:nanoslep", *line), "did you mean nanosleep"),
        (("f:", *line), "names no function"),
        (("f", "--", "/bin/ldd", "x"), "no program or library of 64 bits"),
        (("f", "-p", "4194305"), "there is no such process"),
    ):
        check_failure(topdown("latency", *words), " ".join(map(str, words)), parts)
    if not os.path.isdir("/sys/kernel/tracing/events") and not os.path.isdir(
        "/sys/kernel/debug/tracing/events"
    ):
        done = topdown("latency", "syscall:read", *line)
        check_failure(done, "no tracefs", "`sudo mount -t tracefs nodev /sys/kernel/tracing`")
    if not os.path.isdir("/sys/bus/event_source/devices/kprobe"):
        check_failure(
            topdown("latency", "kernel:vfs_read", *line), "no kprobes", "this kernel has no kprobes"
        )


def check_nobody(folder, program):
    if os.geteuid() != 0:
        return
    folder.chmod(0o755)
    program.chmod(0o755)
    done = subprocess.run(
        [TOPDOWN, "latency", "nap", "--", program, "x"],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    check(done.returncode == 125 and "CAP_PERFMON" in done.stderr, "nobody", (done.returncode, done.stderr))
    check(not done.stdout, "nothing was run", done.stdout)


def check_schema(times):
    """FORMATS.md has each key."""
    page = (SOURCE / "docs/FORMATS.md").read_text(encoding="utf-8")
    for name, part in (("topdown-latency", times), ("timed-calls", times["threads"][0])):
        rows = re.findall(r"^\| `([^`.\[]+)` ", page.split(f"## {name}\n")[1].split("\n## ")[0], re.M)
        check(sorted(rows) == sorted(part), f"{name}: its keys", (rows, json.dumps(part)))


def main():
    probe = topdown("latency", "libc:getenv", "--", "sh", "-c", ":")
    with temporary() as folder:
        program = build(folder)
        check_refused(program)
        if probe.returncode:
            skip(f"no probe can be set here: {probe.stderr}")
        check_known(folder, program)
        check_schema(read_json(folder / "out.json"))
        check_odd(folder, program)
        check_fast(folder, program)
        check_forms(program)
        check_attached(folder, program)
        check_traced(folder, program)
        check_nobody(folder, program)
    finish()


main()
