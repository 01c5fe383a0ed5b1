#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""wall_summed.py - the wall clock that the kernel adds up (BPF): of a program, of all CPUs, and of a cgroup,
beside programs that time their own waits; who ended waits for a lock; short processes; what is refused; and
that nothing is left in the kernel. Exit status 77 where this user may not load such programs."""
import json
import os
import shutil
import signal
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, environment, finish, read_json, skip, temporary, topdown, wait_until
from lib.known_waits import build, check_sum, check_thread, check_waits, own_times

WALL = ("sample", "--wall", "--format", "json")
STEPS = "[ usleep:150 pipe:60 ] [ mutex:100 run:50 ] [ tcp:80 ] epoll:60"
NOBODY = 65534
CHILDREN = 500
HOLDER_C = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t big_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static volatile long sum;
static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 1000000; i++)
		sum += i;
}
static void *holder(void *unused)
{
	pthread_setname_np(pthread_self(), "holder");
	pthread_mutex_lock(&big_lock);
	pthread_barrier_wait(&both);
	for (double end = cpu() + 0.3; cpu() < end;)
		work();
	pthread_mutex_unlock(&big_lock);
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, holder, NULL);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&big_lock);
	pthread_join(thread, NULL);
	return 0;
}
"""


def wall_of(*words, **given):
    result = topdown(*WALL, *words, **given)
    check(result.returncode == 0, f"{words}: it is measured", result.stderr[-500:])
    return json.loads(result.stderr)["wall"], result.stdout


def check_own(name, wall, text):
    """The program's threads are among those of the wall clock, with the waits that they have timed."""
    own = own_times(text)
    threads = {thread["tid"]: thread for thread in wall["threads"]}
    check(
        wall["summed"] and wall["wakes"] and not wall["lost"],
        f"{name}: the kernel added it up",
        wall["refused"],
    )
    check(len(own) == 4 and set(own) <= set(threads), f"{name}: its threads", (text, list(threads)))
    for tid in set(own) & set(threads):
        check_sum(name, threads[tid])
        check_thread(name, own[tid], threads[tid], True)
        check_waits(name, own[tid], threads[tid])
    return set(own)


def check_all(name, wall, tids):
    """The first thread is the sum of those that were not idle."""
    first, *others = wall["threads"]
    check(wall["of_many"] and first["tid"] == 0, f"{name}: there is no main thread", first)
    busy = [thread for thread in others if not thread["idle"]]
    check(tids <= {thread["tid"] for thread in busy} | {thread["tid"] for thread in others}, name, tids)
    for key in ("running_s", "preempted_s", "queued_s", "waiting_s", "waits", "preemptions"):
        total = sum(thread[key] for thread in busy)
        check(abs(first[key] - total) < 1e-6 + 1e-9 * total, f"{name}: {key} of all", (first[key], total))
    demands = [thread["running_s"] + thread["preempted_s"] + thread["queued_s"] for thread in others]
    check(demands == sorted(demands, reverse=True), f"{name}: who wanted a CPU most comes first", demands)


def check_program(program):
    wall, text = wall_of("--by-bpf", "on", "--", program, *STEPS.split())
    own = check_own("a program", wall, text)
    check(
        {thread["tid"] for thread in wall["threads"]} >= own, "a program: whoever it starts", wall["threads"]
    )
    check(not wall["of_many"] and wall["threads"][0]["tid"] in own, "its first thread", wall["threads"][0])
    locks = [cause for thread in wall["threads"] for cause in thread["causes"] if cause["kind"] == "lock"]
    ended = [cause for cause in locks if cause["time_s"] > 0.05]
    tids = {thread["tid"] for thread in wall["threads"]}
    check(ended and all(cause["by"] in tids for cause in ended), "who ended the waits for a lock", locks)
    calls = {cause["kind"]: cause["call"] for thread in wall["threads"] for cause in thread["causes"]}
    check((calls["lock"], calls["timer"]) == ("futex", "clock_nanosleep"), "system calls", calls)
    count = sum(row["count"] for row in wall["ready"]["histogram"])
    check(count == wall["ready"]["count"] > 0, "times without a CPU", wall["ready"])
    longest = max(thread["ready_longest_s"] for thread in wall["threads"])
    check(abs(wall["ready"]["longest_s"] - longest) < 1e-9, "the longest of them", (longest, wall["ready"]))
    return len(wall["threads"])


def check_machine(program):
    wall, text = wall_of("-a", "--", program, *STEPS.split())
    check_all("all CPUs", wall, check_own("all CPUs", wall, text))
    text = topdown("sample", "--wall", "-a", "--", program, *STEPS.split()).stderr
    check(" ran for " in text and "ready without a CPU for " in text, "all CPUs: a sentence", text[:800])


def cgroup():
    """A new one of version 2, or None."""
    for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if not os.path.exists(f"{root}/cgroup.procs") or not os.path.exists(f"{root}/cgroup.controllers"):
            continue
        try:
            os.mkdir(f"{root}/topdown-summed-{os.getpid()}")
            return f"{root}/topdown-summed-{os.getpid()}"
        except OSError:
            continue
    return None


def check_cgroup(program, count):
    """Only what is in it; the same program outside is not."""
    group = cgroup()
    if not group:
        return
    steps = STEPS.split()
    try:
        with subprocess.Popen([program, *steps], stdout=subprocess.DEVNULL) as outside:
            script = f'echo $$ > {group}/cgroup.procs && exec "$@"'
            wall, text = wall_of("--cgroup", group, "--", "sh", "-c", script, "sh", program, *steps)
            outside.wait()
        tids = check_own("a cgroup", wall, text)
        check_all("a cgroup", wall, tids)
        pids = [thread["pid"] for thread in wall["threads"][1:]]
        check(outside.pid not in pids and len(pids) == count, "a cgroup: nobody else", (outside.pid, pids))
    finally:
        wait_until(lambda: not open(f"{group}/cgroup.procs", encoding="utf-8").read())
        os.rmdir(group)


def check_holder(folder):
    """A lock is called by its variable, and whoever had it by its thread and its function."""
    source = folder / "holder.c"
    source.write_text(HOLDER_C, encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-g", "-pthread", "-o", folder / "locking", source], check=True)
    wall, _ = wall_of("--by-bpf", "on", "--", folder / "locking")
    causes = {cause["name"]: cause for cause in wall["threads"][0]["causes"]}
    found = causes.get("big_lock", {"by_name": None, "by_function": None, "time_s": 0})
    check(
        (found["by_name"], found["by_function"]) == ("holder", "work") and found["time_s"] > 0.29,
        "a lock's holder",
        wall["threads"][0],
    )
    wall, _ = wall_of("--by-bpf", "on", "--thread", "holder", "--", folder / "locking")
    check(
        [thread["name"] for thread in wall["threads"]] == ["holder", "locking"], "a thread", wall["threads"]
    )
    check(wall["threads"][0]["running_s"] > 0.29, "its clock is the first", wall["threads"][0])


def check_many():
    """Processes that hardly live are there, each with its time."""
    script = f"for i in $(seq {CHILDREN}); do /bin/true; done"
    wall, _ = wall_of("--by-bpf", "on", "--", "sh", "-c", script)
    found = [thread for thread in wall["threads"] if thread["name"] == "true"]
    check(len(found) == CHILDREN and not wall["lost"], "many processes", (len(found), wall["lost"]))
    check(all(thread["running_s"] > 0 for thread in found), "each ran", found[:3])


def check_refused(folder):
    for words, why in ((("-a", "--by-bpf", "off"), "need BPF"), (("-C", "0"), "not on some CPUs alone")):
        wall, _ = wall_of(*words, "--duration", "0.1")
        check(why in (wall["refused"] or ""), f"{words}: that is said", wall["refused"])
    home = folder / "nobody"
    home.mkdir()
    home.chmod(0o777)
    done = subprocess.run(
        [TOPDOWN, *WALL, "--by-bpf", "on", "-o", home / "out", "--", "true"],
        env=environment(HOME=str(home)),
        capture_output=True,
        text=True,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        check=False,
    )
    if done.returncode == 0:
        refused = read_json(home / "out")["wall"]["refused"]
        check("needs root, or CAP_BPF" in refused, "without rights", refused)


def our_programs():
    tool = shutil.which("bpftool", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if not tool:
        return None
    done = subprocess.run([tool, "-j", "prog"], capture_output=True, text=True, check=False)
    return [one for one in json.loads(done.stdout or "[]") if one.get("name") == "on_switch"]


def check_killed():
    """Nothing stays in the kernel, whatever ends topdown."""
    if our_programs() is None:
        return
    with subprocess.Popen(
        [TOPDOWN, *WALL, "--by-bpf", "on", "--", "sleep", "60"],
        stderr=subprocess.DEVNULL,
        env=environment(),
        start_new_session=True,
    ) as running:
        check(wait_until(our_programs), "it is in the kernel")
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        subprocess.run(["pkill", "-KILL", "-s", str(running.pid)], check=False)
    check(wait_until(lambda: not our_programs()), "and no longer is", our_programs())


def main():
    result = topdown(*WALL, "--by-bpf", "on", "--", "true")
    if result.returncode or not json.loads(result.stderr)["wall"]["summed"]:
        skip("the kernel adds nothing up here")
    if not shutil.which("gcc"):
        skip("there is no gcc")
    with temporary() as folder:
        folder.chmod(0o755)
        program = build(folder)
        count = check_program(program)
        check_machine(program)
        check_cgroup(program, count)
        check_holder(folder)
        check_many()
        check_refused(folder)
        check_killed()
    finish()


main()
