#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""wall.py - --wall beside programs that time their own waits: each kind, the lock's name, threads that are
idle, a user without rights, a process that runs already, what a session keeps, and the hint where nobody
asked."""
import collections
import json
import os
import re
import signal
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib.explored import View, block
from lib.soft_pmu import soft_pmu
from lib import TOPDOWN, check, check_success, environment, finish, read_json, skip, temporary, topdown

NOBODY = 65534
NEAR_S = 0.015
KNOWN_C = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
pthread_mutex_t big_lock = PTHREAD_MUTEX_INITIALIZER;
static double at;
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
static void begin(void) { at = now(); }
static void end(const char *kind) { printf("%s %.6f\n", kind, now() - at); }
static void *holder(void *unused)
{
	pthread_mutex_lock(&big_lock);
	usleep(330000);
	pthread_mutex_unlock(&big_lock);
	return unused;
}
int main(void)
{
	volatile long sum = 0;
	int ends[2];
	pthread_t thread;
	char byte;
	begin();
	usleep(300000);
	end("timer");
	pthread_create(&thread, NULL, holder, NULL);
	while (!pthread_mutex_trylock(&big_lock))
		pthread_mutex_unlock(&big_lock);
	begin();
	pthread_mutex_lock(&big_lock);
	end("lock");
	pthread_mutex_unlock(&big_lock);
	pthread_join(thread, NULL);
	if (pipe(ends) < 0)
		return 1;
	if (!fork()) {
		usleep(250000);
		return write(ends[1], "x", 1) < 1;
	}
	begin();
	if (read(ends[0], &byte, 1) < 1)
		return 1;
	end("pipe");
	wait(NULL);
	if (!fork()) {
		usleep(200000);
		return 0;
	}
	begin();
	wait(NULL);
	end("child");
	while (clock() < 0.2 * CLOCKS_PER_SEC)
		for (int i = 0; i < 10000; i++)
			sum += i;
	return 0;
}
"""
POOL_C = r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static void *idle(void *unused)
{
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	for (int i = 0; i < atoi(argv[1]); i++)
		pthread_create(&thread, NULL, idle, NULL);
	usleep(900000);
	return argc < 2;
}
"""


# Waits in functions of its own, and each one's clock.
PLACES_C = r"""
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
#define TIMED(name, waits)                              \
	__attribute__((noinline)) static void name(double *sum) \
	{                                               \
		double at = now();                      \
		waits;                                  \
		*sum += now() - at;                     \
	}
TIMED(take_nap, usleep(25000))
TIMED(take_lock, { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); })
TIMED(poll_pipe, poll(&(struct pollfd){ ends[0], POLLIN, 0 }, 1, 10000))
static void *holder(void *unused)
{
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&lock);
		usleep(60000);
		pthread_mutex_unlock(&lock);
		usleep(2000);
	}
	usleep(100000);
	if (write(ends[1], "x", 1) != 1)
		return NULL;
	usleep(50000);
	return unused;
}
int main(void)
{
	double nap = 0, locked = 0, polled = 0;
	pthread_t thread;
	if (pipe(ends) < 0)
		return 1;
	pthread_create(&thread, NULL, holder, NULL);
	for (int i = 0; i < 5; i++) {
		take_nap(&nap);
		take_lock(&locked);
	}
	poll_pipe(&polled);
	pthread_join(thread, NULL);
	printf("take_nap %.6f\ntake_lock %.6f\npoll_pipe %.6f\n", nap, locked, polled);
	return 0;
}
"""

HALVES_C = r"""
#include <time.h>
#include <unistd.h>
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
int main(void)
{
	volatile long sum = 0;
	usleep(500000);
	for (double end = now() + 0.5; now() < end;)
		for (int i = 0; i < 10000; i++)
			sum += i;
	return 0;
}
"""


def build(folder, name, text, *options):
    (folder / f"{name}.c").write_text(text, encoding="utf-8")
    words = ["gcc", "-O1", "-pthread", *options, "-o", folder / name, folder / f"{name}.c"]
    subprocess.run(words, check=True)
    return folder / name


def kinds_of(thread):
    sums = {}
    for cause in thread["causes"]:
        sums[cause["kind"]] = sums.get(cause["kind"], 0) + cause["time_s"]
    return sums


def check_sums(name, wall):
    """Whatever a thread did comes to its life, which is no longer than what was measured."""
    for thread in wall["threads"]:
        life = thread["to_s"] - thread["from_s"]
        parts = [thread[key] for key in ("running_s", "preempted_s", "queued_s")]
        parts += [cause["time_s"] for cause in thread["causes"]]
        check(abs(sum(parts) - life) < 0.001 * life + 1e-6, f"{name}: the sum of {thread['name']}", thread)
        check(min(parts, default=0) >= -1e-9, f"{name}: none is negative", thread)
        check(life <= wall["length_s"] + 1e-6, f"{name}: no life is longer", (life, wall["length_s"]))
    check(not wall["lost"], f"{name}: nothing was lost", wall["lost"])
    check_timeline(name, wall)


def check_timeline(name, wall):
    """Segments of a thread stand one behind the other, and come to its times."""
    check(0 < len(wall["timeline"]) <= 2000, f"{name}: the timeline's length", len(wall["timeline"]))
    numbers = [segment["thread"] for segment in wall["timeline"]]
    check(numbers == sorted(numbers), f"{name}: in the order of threads", numbers)
    for number in set(numbers):
        thread = wall["threads"][number]
        own = [segment for segment in wall["timeline"] if segment["thread"] == number]
        ends = [thread["from_s"]] + [segment["to_s"] for segment in own]
        begins = [segment["from_s"] for segment in own] + [thread["to_s"]]
        check(
            all(abs(a - b) < 1e-6 for a, b in zip(ends, begins)), f"{name}: no gaps in {thread['name']}", own
        )
        sums = [sum(segment[key] for segment in own) for key in ("running_s", "ready_s", "waiting_s")]
        wanted = [thread["running_s"], thread["preempted_s"] + thread["queued_s"], thread["waiting_s"]]
        check(
            all(abs(a - b) < 1e-6 for a, b in zip(sums, wanted)),
            f"{name}: segments of {thread['name']}",
            (sums, wanted),
        )
        for segment in own:
            parts = [segment[key] for key in ("running_s", "ready_s", "waiting_s")]
            length = segment["to_s"] - segment["from_s"]
            check(min(parts) >= 0 and abs(sum(parts) - length) < 1e-6, f"{name}: a segment's parts", segment)
            check((segment["kind"] is None) == (segment["waiting_s"] == 0), f"{name}: its kind", segment)


def check_known(name, text, wall):
    """Each kind is what the program's own clock says, less what it had to wait for a CPU."""
    own = {kind: float(value) for kind, value in re.findall(r"^(\w+) ([\d.]+)$", text, re.M)}
    main = wall["threads"][0]
    found = kinds_of(main)
    ready = main["preempted_s"] + main["queued_s"]
    check(len(own) == 4, f"{name}: the program's words", text)
    for kind, value in own.items():
        # pthread_join is a lock too: what is left of the holder's sleep
        check(
            value - ready - NEAR_S <= found.get(kind, 0) <= value + 2 * NEAR_S,
            f"{name}: {kind}",
            (value, found, ready),
        )
    locks = {cause["name"] for cause in main["causes"] if cause["kind"] == "lock"}
    check("big_lock" in locks, f"{name}: the lock's name", locks)
    check_sums(name, wall)


def measured(*words, program, name, **more):
    """What the program says, and what was recorded."""
    out = name.with_suffix(".json")
    done = subprocess.run(
        [TOPDOWN, *words, "--wall", "--format", "json", "-o", out, "--", *program],
        capture_output=True,
        text=True,
        check=False,
        **more,
    )
    check(done.returncode == 0, f"{name.name}: it is measured", done.stderr[-500:])
    return done.stdout, read_json(out)


def check_places(folder):
    """Where it waits: functions of the program, not of the C library, with as much time as they measured
    themselves; and the wall clock of all threads as one flame graph."""
    program, saved = build(folder, "places", PLACES_C), folder / "places.td"
    text, report = measured("sample", "--save", saved, program=[program], name=folder / "places")
    waiting = [one for one in report.get("more_profiles", []) if one["event"] == "offcpu-time"]
    if not waiting:
        check(
            any("offcpu-time was not sampled: the kernel reports where" in note for note in report["notes"]),
            "why not",
        )
        return
    rows = {row["name"]: row for row in waiting[0]["functions"] if row["self"] > 0}
    total = sum(thread["waiting_s"] for thread in report["wall"]["threads"])
    for line in text.splitlines():
        name, seconds = line.split()
        found = rows[name]["self"] / 100 * total if name in rows else 0
        # its own clock also has the time until it gets a CPU
        check(found < float(seconds) + NEAR_S, f"{name} waits", (found, seconds))
        ready = sum(thread["preempted_s"] + thread["queued_s"] for thread in report["wall"]["threads"])
        check(found > float(seconds) - NEAR_S - ready, f"{name} waits as long as it says", (found, seconds))
    ends = [one for one in report["wall"]["threads"][0]["causes"] if one["name"] == "a thread's end"]
    check(len(ends) == 1 and ends[0]["time_s"] > 0.05 - NEAR_S, "it joins a thread", ends)
    check(not any("libc" in row["module"] for row in rows.values()), "not in the C library", rows.keys())
    shares = sum(row["self"] for row in rows.values())
    check(abs(shares - 100) < 0.1, "the functions come to all of it", shares)
    check(
        all(row["self_low"] == row["self"] == row["self_high"] for row in rows.values()), "no interval", rows
    )
    sums = {}
    for event in ("cpu-clock", "offcpu-time", "wall-clock"):
        text = topdown("export", "--to", "folded", "--event", event, saved).stdout
        sums[event] = sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines())
    check(
        abs(sums["offcpu-time"] * 1e-9 - total) < NEAR_S + 0.02 * total,
        "as long as the switches say",
        (sums, total),
    )
    check(
        abs(sums["wall-clock"] - sums["offcpu-time"] - sums["cpu-clock"]) < 100,
        "the wall clock has both",
        sums,
    )
    picture = topdown("export", "--to", "svg", "--event", "wall-clock", saved).stdout
    view = View(block(topdown("report", "--format", "html", saved).stdout, "topdown-view"))
    check([node["title"] for node in view.nodes] == ["Running", "Waiting"], "the page's tree", view.nodes)
    check(abs(sum(node["value"] for node in view.nodes) - 100) < 1e-6, "comes to the wall clock", view.nodes)
    waited = {one.name: one.values[view.node("Waiting")] for one in view.functions if one.values}
    for name in ("take_nap", "take_lock", "poll_pipe"):
        wanted = rows[name]["self"] / 100 * view.nodes[1]["value"]
        check(abs(waited.get(name, 0) - wanted) < 0.1, f"{name}: on the page", (waited, wanted))
    check(">Waiting<" in picture and "take_nap" in picture, "a flame graph of both", picture[:300])


def check_session(folder, program):
    """A session keeps it: the report is that of the measurement, in every form."""
    saved, shown = folder / "saved.json", folder / "shown.json"
    words = ["sample", "--wall", "--save", saved, "--format", "json", "-o", shown]
    check_success(topdown(*words, "--", program), "saved")
    wall = read_json(shown)["wall"]
    again = json.loads(topdown("report", "--format", "json", saved).stdout)["wall"]
    check(again == wall, "the session has the same", (again, wall))
    text = topdown("report", saved).stdout
    main = wall["threads"][0]
    waited = 100 * main["waiting_s"] / (main["to_s"] - main["from_s"])
    check(f"waited {waited:.1f} % of its" in text, "the answer", text[:400])
    rows = dict(re.findall(r"^\W*(Running|Ready, not running|Waiting|Lock|Timer) +(\d+\.\d)", text, re.M))
    level1 = [float(rows[name]) for name in ("Running", "Ready, not running", "Waiting")]
    check(abs(sum(level1) - 100) < 0.16, "they come to 100 %", rows)
    check("big_lock" in text, "the lock's name", text)
    for form in ("html", "markdown"):
        text = topdown("report", "--format", form, saved).stdout
        check("Wall clock" in text and "big_lock" in text, f"{form}: it is there")
    page = topdown("report", "--format", "html", saved).stdout
    check(page.count('<li class="thread">') == len(wall["threads"]), "a row a thread", wall["threads"])
    links = set(re.findall(r'href="#(thread-\d+)"', page))
    check(links and all(f'id="{link}"' in page for link in links), "names lead to the table", links)
    for part in ("causes", "timeline"):
        damaged = read_json(saved)
        damaged["wall"][part][0]["thread"] = 99
        (folder / "damaged.json").write_text(json.dumps(damaged), encoding="utf-8")
        done = topdown("report", folder / "damaged.json")
        wanted = f"wall.{part}[0].thread"
        check(done.returncode == 125 and wanted in done.stderr, f"damaged {part}", done.stderr)
    old = read_json(saved)
    del old["wall"]["timeline"]
    (folder / "old.json").write_text(json.dumps(old), encoding="utf-8")
    page = topdown("report", "--format", "html", folder / "old.json").stdout
    check("Wall clock" in page and '"thread"' not in page, "a session without a timeline")


def check_halves(folder):
    """Half of the time it sleeps, then it runs: at these times, and these times are links of the page."""
    program, saved = build(folder, "halves", HALVES_C), folder / "halves.td"
    _, report = measured("sample", "--save", saved, program=[program], name=folder / "halves")
    wall = report["wall"]
    check_timeline("halves", wall)
    own = [segment for segment in wall["timeline"] if segment["thread"] == 0]
    sleep = max(own, key=lambda segment: segment["waiting_s"])
    ready = wall["threads"][0]["preempted_s"] + wall["threads"][0]["queued_s"]
    check(sleep["kind"] == "timer", "it sleeps", sleep)
    check(0.49 < sleep["waiting_s"] < 0.5 + ready + NEAR_S, "for half a second", (sleep, ready))
    after = [segment for segment in own if segment["from_s"] >= sleep["to_s"] - 1e-9]
    busy = sum(segment["running_s"] + segment["ready_s"] for segment in after)
    check(0.49 - NEAR_S < busy < 0.5 + ready + NEAR_S, "then it runs", (busy, after))
    check(sum(segment["waiting_s"] for segment in after) < NEAR_S, "and does not wait", after)
    page = topdown("report", "--format", "html", saved).stdout
    time = block(page, "topdown-view").get("time")
    links = re.findall(r'<a href="#span=(\d+)-(\d+)" tabindex="-1"><title>([^<]*)</title>', page)
    if not time:
        check(not links, "no moments, no links", links)
        return
    when = f"halves ({wall['threads'][0]['tid']}), {sleep['from_s']:.3f} to {sleep['to_s']:.3f} s: "
    found = [link for link in links if link[2].startswith(when) and "Timer" in link[2]]
    if not found:
        check(False, "the sleep is a link", (when, links))
        return
    first, last = (int(number) for number in found[0][:2])
    each = time["to"][0] - time["from"][0]
    check(abs(time["from"][first] - sleep["from_s"]) <= each, "from its begin", (found[0], sleep))
    check(abs(time["to"][last] - sleep["to_s"]) <= each, "to its end", (found[0], sleep))


def check_intervals(folder):
    """The same in intervals of 100 ms: it sleeps in the first ones, and then it runs."""
    program = folder / "halves"
    for name, words in (("sampled", ["sample"]), ("without a tree", [])):
        _, report = measured(*words, "-I", "100", program=[program], name=folder / "intervals")
        wall = report["wall"]
        main, sums = wall["threads"][0], collections.Counter()
        for number, interval in enumerate(wall["intervals"]):
            parts = {key: value for key, value in interval.items() if key not in ("from_s", "to_s")}
            length = interval["to_s"] - interval["from_s"]
            check(abs(interval["from_s"] - number * 0.1) < 1e-6, f"{name}: one each 100 ms", interval)
            check(abs(sum(parts.values()) - length) < 1e-6, f"{name}: an interval's parts", interval)
            sums.update(parts)
            if 0 < number < 4:
                check(parts["timer_s"] > 0.099, f"{name}: it sleeps", interval)
        last = wall["intervals"][-1]
        check(abs(last["to_s"] - main["to_s"]) < 1e-6, f"{name}: to its end", (last, main))
        check(last["running_s"] + last["ready_s"] > 0.99 * (last["to_s"] - last["from_s"]), "it runs", last)
        for kind in {cause["kind"] for cause in main["causes"]}:
            whole = sum(cause["time_s"] for cause in main["causes"] if cause["kind"] == kind)
            check(abs(sums[kind + "_s"] - whole) < 0.002, f"{name}: {kind} in all", (sums, whole))
        check(abs(sums["running_s"] - main["running_s"]) < 1e-6, f"{name}: running in all", (sums, main))


NAPS_C = r"""
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	volatile char *page = malloc(40960); /* faults, which are what the made-up PMU counts */
	for (int i = 0; i < 40960; i += 4096)
		page[i] = 1;
	for (int i = 0; i < 4; i++)
		usleep(1000 * atoi(getenv("NAP_MS")));
	return !page;
}
"""


def check_compared(folder):
    """Each repeat has its clock. A comparison says which parts of it differ, and they add up; a gate has
    limits on them."""
    program, machine = build(folder, "naps", NAPS_C), list(map(str, soft_pmu(folder)))
    saved = [folder / "before.json", folder / "after.json"]
    for path, naps_ms in zip(saved, (20, 60)):
        done = topdown(
            *machine,
            "-l1",
            "-r",
            5,
            "--wall",
            "--save",
            path,
            "--",
            program,
            env=environment(NAP_MS=str(naps_ms)),
        )
        check(done.returncode == 0, f"naps of {naps_ms} ms, five times", done.stderr)
    compared = json.loads(topdown("compare", *machine, "--format", "json", *saved).stdout)
    metrics = {one["name"]: one for one in compared["metrics"]}
    timer = metrics["wall.timer"]
    check(timer["after"] - timer["before"] >= 4 * 0.04 - NEAR_S, "they slept longer", timer)
    check(timer["p"] < 0.05 and timer["ratio_low"] > 1, "beyond chance: five of each", timer)
    for path in saved:
        for one in read_json(path)["repeats"]:
            whole = one["runs"][0]["wall_s"]
            check(0 < sum(one["wall_parts"].values()) < whole + 1e-3, "the clock is in the wall time", one)
    damaged = read_json(saved[0])
    damaged["repeats"][1]["wall_parts"]["wall.lock"] = -1
    (folder / "bad.json").write_text(json.dumps(damaged), encoding="utf-8")
    done = topdown("compare", *machine, folder / "bad.json", saved[1])
    check(done.returncode == 125 and "wall.lock" in done.stderr, "a damaged one", done.stderr)
    text = topdown("compare", *machine, "-v", *saved).stdout
    found = re.search(r"The main thread's\s+clock:\s+(\S+\s\w+)\s+=\s+Waiting:\s+timer\s+(\S+\s\w+)", text)
    check(found and found[1].startswith("+") and found[2].startswith("+"), "the difference in words", text)
    limits = folder / "limits.json"
    for metric, status in (("wall.timer", 3), ("wall.lock", 0)):
        limit = {"metric": metric, "max": "0.15"}
        limits.write_text(json.dumps({"format": "topdown-limits", "version": 1, "limits": [limit]}))
        words = ["gate", *machine, "-l1", "-r", 3, "--wall", "--baseline", saved[0], "--limits", limits]
        done = topdown(*words, "--", program, env=environment(NAP_MS="60"))
        check(done.returncode == status, f"a limit on {metric}", (done.returncode, done.stdout, done.stderr))


def check_pool(folder):
    """200 threads that do nothing take a line."""
    program = build(folder, "pool", POOL_C)
    done = topdown("sample", "--wall", "--", program, "200")
    check(done.returncode == 0, "a pool", done.stderr)
    text = done.stderr.split("Functions of time")[0]
    idle = re.search(r"(\d+) idle threads are not shown", text)
    # some may have had to wait for their first CPU for longer than idle ones do
    check(idle and 100 <= int(idle[1]) <= 200, "idle threads are folded", text[:2000])
    check(len(text.splitlines()) <= 40, "a screen is enough", len(text.splitlines()))
    saved = folder / "pool.td"
    done = topdown("sample", "--wall", "--save", saved, "--", program, "200")
    check(done.returncode == 0, "the pool, saved", done.stderr)
    page = topdown("report", "--format", "html", saved).stdout
    check(page.count('<li class="thread">') == 40, "40 of them have a row", page.count('<li class="thread">'))
    check("161 more threads did less, and are not drawn." in page, "the page says so")


def check_attached(folder):
    """A process that runs already, and waits for another one."""
    shell = subprocess.Popen(["sh", "-c", "sleep 1000; :"], start_new_session=True)
    out = folder / "attached.json"
    try:
        done = topdown(
            "sample", "--wall", "-p", shell.pid, "--duration", "0.5", "--format", "json", "-o", out
        )
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
    check(done.returncode == 0, "attached", done.stderr)
    wall = read_json(out)["wall"]
    check_sums("attached", wall)
    main = wall["threads"][0]
    check(main["name"] == "sh" and main["tid"] == shell.pid, "it is named", main)
    check(kinds_of(main).get("child", 0) > 0.9 * (main["to_s"] - main["from_s"]) > 0, "for its child", main)


def check_calls(folder, program):
    """Waits by the system call that they are in are all of those that are in one."""
    out = folder / "calls.json"
    text = topdown("sample", "-v", "--wall", "--save", out, "--", program).stderr
    wall = json.loads(topdown("report", out, "--format", "json").stdout)["wall"]
    sums = {}
    for thread in wall["threads"]:
        for cause in thread["causes"]:
            sums[cause["call"]] = sums.get(cause["call"], 0) + cause["time_s"]
    table = text.split("System call, of all threads")[1].split("\n\n")[0]
    shown = {row.split()[0]: float(row.split()[2]) for row in table.splitlines()[1:]}
    sums.pop(None, None)
    check(set(shown) == set(sums) and "futex" in shown, "system calls", (shown, sums))
    for call, seconds in shown.items():
        check(abs(seconds - sums[call]) < 0.00051, f"system calls: {call}", (seconds, sums[call]))


# As Go's runtime waits (runtime/lock_futex.go): 300 ms on a note, which is 0, 200 ms for a mutex, which is 2.
GO_C = r"""
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef OF_GO
__attribute__((section(".note.go.buildid"), used)) static const char id[] = "made up";
#endif
unsigned note, mutex = 2;
int main(void)
{
	struct timespec parked = { 0, 300000000 }, locked = { 0, 200000000 };
	syscall(SYS_futex, &note, FUTEX_WAIT_PRIVATE, 0, &parked, NULL, 0);
	syscall(SYS_futex, &mutex, FUTEX_WAIT_PRIVATE, 2, &locked, NULL, 0);
	return 0;
}
"""


def check_go(folder):
    """A thread of Go that has nothing to run waits for no lock; mutexes of the runtime are locks, and so is
    each futex of another language."""
    for name, options, wanted in (
        ("go", "-DOF_GO", {("pipe", "Go, nothing to run"): 0.3, ("lock", "mutex"): 0.2}),
        ("not-go", "-UOF_GO", {("lock", "note"): 0.3, ("lock", "mutex"): 0.2}),
    ):
        program = build(folder, name, GO_C, options)
        for how in ("on", "off"):
            _, report = measured("sample", "--by-bpf", how, program=[program], name=folder / name)
            if report["wall"]["refused"]:
                continue
            causes = {(c["kind"], c["name"]): c["time_s"] for c in report["wall"]["threads"][0]["causes"]}
            for what, seconds in wanted.items():
                found = causes.get(what, 0)
                check(seconds - 0.001 < found < seconds + NEAR_S, f"{name}, BPF {how}: {what}", causes)


def check_hint(folder, program):
    text = topdown("sample", "--", program)
    check(
        re.search(r"It waited \d\d % of its time: --wall shows for what", text.stderr), "a hint", text.stderr
    )
    busy = topdown("sample", "--", sys.executable, "-S", "-c", "sum(range(3000000))")
    check("--wall" not in busy.stderr, "none for who works", busy.stderr)


UNCOUNTED = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if not os.fork():
    while time.process_time() < 0.6:
        pass
    os._exit(0)
time.sleep(1)
"""


def check_uncounted():
    """What nobody waits for is in no account, and has run all the same: that program has not waited."""
    report = json.loads(topdown("sample", "--format", "json", "--", sys.executable, "-c", UNCOUNTED).stderr)
    sampled = report["sampled"]
    check(0.5 < sampled["cpus_used"] * sampled["wall_s"] < 0.9, "uncounted", sampled)


def check_refused(folder, program):
    """Whole CPUs have no threads of their own; the rest is measured all the same."""
    done = topdown("sample", "--wall", "-a", "--by-bpf", "off", "--duration", "0.2")
    if done.returncode == 0:
        check("is unknown: whole CPUs and a cgroup need BPF" in done.stderr, "-a", done.stderr[:500])


def quota_group():
    """A cgroup that may run for a fifth of the time, and the file that takes its processes."""
    for root, limit, value, tasks in (
        ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "20000", "tasks"),
        ("/sys/fs/cgroup", "cpu.max", "20000 100000", "cgroup.procs"),
    ):
        group = f"{root}/topdown-test-{os.getpid()}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            with open(f"{group}/{limit}", "w", encoding="utf-8") as file:
                file.write(value)
            return group, f"{group}/{tasks}"
        except OSError:
            os.rmdir(group)
    return None, None


def throttled_time(group):
    """For how long the kernel says that the group was held back, in seconds."""
    with open(f"{group}/cpu.stat", encoding="utf-8") as file:
        rows = dict(line.split() for line in file)
    return (
        int(rows["throttled_usec"]) * 1e-6 if "throttled_usec" in rows else int(rows["throttled_time"]) * 1e-9
    )


def check_quota(folder):
    """What a quota holds back is throttled, as the group's own account has it."""
    group, tasks = quota_group() if os.geteuid() == 0 else (None, None)
    if not group:
        return
    script = "import os, sys, time\nopen(sys.argv[1], 'w').write(str(os.getpid()))\n"
    script += "end = time.monotonic() + 1.2\nwhile time.monotonic() < end: pass\nprint(time.process_time())"
    out = folder / "quota.json"
    words = [
        "sample",
        "--wall",
        "--format",
        "json",
        "-o",
        out,
        "--",
        sys.executable,
        "-S",
        "-c",
        script,
        tasks,
    ]
    done = topdown(*words)
    held = throttled_time(group)
    os.rmdir(group)
    check(done.returncode == 0, "a quota", done.stderr)
    main = read_json(out)["wall"]["threads"][0]
    life, used = main["to_s"] - main["from_s"], float(done.stdout)
    check(main["throttled_s"] <= main["preempted_s"] + 1e-9, "of the preempted time", main)
    check(0 < main["throttled_s"] < life - used + 0.1, "throttled", (main, used))
    # on a busy machine it also has no CPU for others' sake, and the account is read ten times per second
    check(0.6 * held < main["throttled_s"] < held + 1e-6, "as long as the group says", (main, held))


CHAIN_C = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile long sum;
static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
static void run(double seconds)
{
	for (double end = cpu() + seconds; cpu() < end;)
		for (int i = 0; i < 10000; i++)
			sum += i;
}
static void *disk(void *unused)
{
	pthread_setname_np(pthread_self(), "disk");
	usleep(150000);
	run(0.1);
	return unused;
}
static void *worker(void *unused)
{
	pthread_t thread;
	pthread_setname_np(pthread_self(), "worker");
	run(0.25);
	pthread_create(&thread, NULL, disk, NULL);
	pthread_join(thread, NULL);
	run(0.15);
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	return 0;
}
"""


def traced(out, *words, measure=("sample", "--wall")):
    """The wall clock of a run that may read tracefs; None where nobody may."""
    script = 'mount -t tracefs nodev /sys/kernel/tracing; exec "$@"'
    words = [TOPDOWN, *measure, "--format", "json", "-o", out, *words]
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *words], capture_output=True, text=True, check=False
    )
    wall = None if done.returncode else read_json(out)["wall"]
    return wall if wall and wall["wakes"] else None


def check_chain(folder):
    """The main thread waits for a worker, which waits for another one: who did what, and where, is known to
    root, and so it is of another thread that somebody names."""
    program = build(folder, "chain", CHAIN_C)
    wall = traced(folder / "chain.json", "--", program)
    if not wall:
        return
    links = {(link["thread"], link["what"]): link for link in wall["links"]}
    main = wall["threads"][0]
    for key, wanted, depth in (
        (("worker", "runs"), 0.4, 1),
        (("disk", "runs"), 0.1, 2),
        (("disk", "waits"), 0.15, 2),
    ):
        found = links.get(key, {"time_s": 0, "depth": 0})
        check(abs(found["time_s"] - wanted) < 0.1 * wanted + 0.005, f"chain: {key}", wall["links"])
        check(found["depth"] == depth, f"chain: {key}: depth", found)
    check(links[("disk", "waits")]["cause"] == "clock_nanosleep", "chain: the cause", wall["links"])
    total = sum(link["time_s"] for link in wall["links"])
    check(abs(total - main["waiting_s"]) < 0.02, "chain: all of the waiting", (total, main))
    check_sums("chain", wall)
    ran, waited = links[("worker", "runs")], links[("disk", "waits")]
    check(ran["function"] in ("run", "cpu") and ran["function_share"] > 0.3, "chain: where it ran", ran)
    check(waited["function"] == "disk" and waited["function_share"] > 0.9, "chain: where it waited", waited)
    wall = traced(folder / "worker.json", "--thread", "worker", "--", program)
    found = {(link["thread"], link["depth"]) for link in wall["links"] if link["time_s"] > 0.02}
    check(wall["threads"][0]["name"] == "worker", "another thread: its clock", wall["threads"][0])
    check(found == {("disk", 1)}, "another thread: its links", wall["links"])


DIVISIONS_C = r"""
#include <pthread.h>
#include <stddef.h>
static volatile unsigned long by = 3;
static void *divide(void *left)
{
	for (unsigned long i = 0, at = ~0ul; i < 15000000; i++)
		*(volatile unsigned long *)left = at = (at | 1ul << 63) / by + i;
	return NULL;
}
int main(void)
{
	pthread_t thread;
	unsigned long left;
	pthread_create(&thread, NULL, divide, &left);
	pthread_join(thread, NULL);
	return 0;
}
"""


def check_tree(folder):
    """What loses most where another thread ran meanwhile: a chain of divisions is no matter of memory."""
    wall = traced(
        folder / "tree.json", "--", build(folder, "divisions", DIVISIONS_C), measure=["--wall", "--functions"]
    )
    if not wall:
        return
    ran = [link for link in wall["links"] if link["what"] == "runs" and link["time_s"] > 0.01]
    nodes = ("Core_Bound", "Divider", "Dependency_Chains", "Ports_Utilization")
    check(ran and ran[0]["function"] == "divide" and ran[0]["node"] in nodes, "tree: its node", wall["links"])
    check(50 < ran[0]["node_percent"] <= 100, "tree: its value", ran)


def check_nobody(folder, program):
    """No rights are needed but that to run the program."""
    if os.geteuid() != 0:
        return
    home = folder / "nobody"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    os.chmod(folder, 0o755)
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
        if int(file.read()) > 2:
            return
    program.chmod(0o755)
    text, report = measured(
        "sample",
        program=[program],
        name=home / "known",
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd=home,
        env={**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home), "TMPDIR": str(home)},
    )
    check_known("nobody", text, report["wall"])


def main():
    if topdown("sample", "--", "true").returncode:
        skip("nothing can be sampled here")
    with temporary() as folder:
        program = build(folder, "known", KNOWN_C)
        text, report = measured("sample", program=[program], name=folder / "known")
        check_known("sampled", text, report["wall"])
        check_places(folder)
        check_compared(folder)
        check_session(folder, program)
        check_halves(folder)
        check_intervals(folder)
        check_pool(folder)
        check_attached(folder)
        check_calls(folder, program)
        check_go(folder)
        check_hint(folder, program)
        check_uncounted()
        check_refused(folder, program)
        check_quota(folder)
        check_chain(folder)
        check_tree(folder)
        check_nobody(folder, program)
    finish()


main()
