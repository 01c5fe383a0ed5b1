#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""wall_known.py - --wall beside 30 programs whose waits are known, since they time each one themselves
(wall_known.c): by registers as root, and by looks as a user without rights."""
import collections
import concurrent.futures
import os
import platform
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, TOPDOWN, check, finish, read_json, skip, some, temporary, topdown

NOBODY = 65534
NEAR_S = 0.015
NEAR = 0.02
SWITCH_S = 0.00005  # of a switch: the thread's CPU time has it, and so has the wait
# What nobody waited for by himself: pages, files of the start.
ASIDE = ("disk", "fault", "unknown")
# Steps of wall_known.c. Where a user without rights measures, short waits are divided by chance: "naps" and
# "bytes" are alone in their programs, and "sync" is beside nothing but long ones.
PROGRAMS = (
    "mutex:120",
    "rwlock:120",
    "sem:120",
    "join:120",
    "barrier:120",
    "flock:120",
    "fcntl:120",
    "pipe:120",
    "poll:120",
    "select:120",
    "epoll:120",
    "local:120",
    "eventfd:120 timerfd:80",
    "tcp:120",
    "accept:120",
    "udp:120",
    "nanosleep:60 usleep:40 nanosleep:40",
    "naps:200",
    "bytes:100",
    "sync:100 direct:80",
    "wait4:120",
    "waitid:120",
    "sigwait:80 pause:80",
    "stop:200",
    "run:40 mutex:60 pipe:60 run:40 udp:60 wait4:60 usleep:60",
    "[ usleep:150 pipe:60 ] [ mutex:100 run:50 ] [ tcp:80 ] epoll:60",
    "{ usleep:60 cond:60 { pipe:80 } } { poll:100 } rwlock:60",
    "usleep:60 pipe:60 exec mutex:60 exec tcp:60",
    "[ usleep:60 ] [ poll:60 run:20 ] run:10 usleep:150 exec usleep:60",
    "usleep:50 leave pipe:60 [ wait4:80 ] usleep:60",
)

# Two programs with another call at the same place: the first one becomes the second.
SAME_PLACE_S = """
.globl _start
_start:
	mov $100, %edx
	xor %esi, %esi
	lea length(%rip), %rdi
	mov $CALL, %eax
	syscall
	lea path(%rip), %rdi
	xor %edx, %edx
	mov $NEXT, %eax
	syscall
.section .rodata
length: .quad 0, 100000000
.balign 256 /* the status of exit is its last byte */
path: .asciz "second"
"""

Own = collections.namedtuple("Own", "seconds waits")


def build(folder):
    program = folder / "known"
    source = SOURCE / "tests/cli/wall_known.c"
    subprocess.run(["gcc", "-O1", "-pthread", "-o", program, source], check=True)
    program.chmod(0o755)
    return program


def own_times(text):
    """What the programs' threads say: kinds of each, over its execs."""
    own = {}
    for tid, kind, seconds, waits in re.findall(r"^(\d+) (\w+) (-?[\d.]+) (\d+)$", text, re.M):
        kinds = own.setdefault(int(tid), {})
        before = kinds.get(kind, Own(0, 0))
        kinds[kind] = Own(before.seconds + float(seconds), before.waits + int(waits))
    return own


def check_sum(name, thread):
    """All that a thread did comes to its life."""
    life = thread["to_s"] - thread["from_s"]
    causes = [cause["time_s"] for cause in thread["causes"]]
    parts = [thread["running_s"], thread["preempted_s"], thread["queued_s"], *causes]
    check(abs(sum(parts) - life) <= 0.001 * life + 1e-6, f"{name}: the sum", thread)
    check(min(parts) >= 0, f"{name}: none is negative", thread)
    check(abs(sum(causes) - thread["waiting_s"]) < 1e-6, f"{name}: causes come to the waiting", thread)


def check_thread(name, own, thread, is_exact):
    """Each kind is as long as the thread says. Its clock also has the time until it gets a CPU. By looks, a
    wait that none came in time for is unknown."""
    found = collections.Counter()
    for cause in thread["causes"]:
        found[cause["kind"]] += cause["time_s"]
    missing = thread["preempted_s"] + thread["queued_s"] + (0 if is_exact else found["unknown"])
    for kind in sorted((set(own) | set(found)) - set(ASIDE)) + ["disk"] * ("disk" in own):
        said, waits = own.get(kind, Own(0, 0))
        near = max(NEAR_S, NEAR * said)
        most = said + near + SWITCH_S * waits
        check(said - near - missing <= found[kind] <= most, f"{name}: {kind}", (own, thread))
    names = [cause["name"] or "" for cause in thread["causes"]]
    check(not any("0.0.0.0" in one for one in names), f"{name}: a socket without a peer has a port", names)


def check_waits(name, own, thread):
    """Each long sleep is a wait, and no wait is counted twice. A short one may be over before it begins."""
    counted = sum(cause["waits"] or 0 for cause in thread["causes"] if cause["kind"] == "timer")
    said = own.get("timer", Own(0, 0)).waits
    check(counted == said if said < 10 else 0 < counted <= said, f"{name}: sleeps", (own, thread))


def measured(program, words, out, more):
    done = subprocess.run(
        [TOPDOWN, "sample", "--wall", "--format", "json", "-o", out, "--", program, *words.split()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=out.parent,
        **more,
    )
    check(done.returncode == 0, f"{words}: it is measured", done.stderr[-500:])
    return done.stdout, read_json(out)["wall"]


def check_program(program, words, out, more):
    text, wall = measured(program, words, out, more)
    name, own = f"{words}{' as nobody' if more else ''}", own_times(text)
    threads = {thread["tid"]: thread for thread in wall["threads"]}
    check(own and set(own) <= set(threads), f"{name}: its threads", (text, list(threads)))
    check(not wall["lost"], f"{name}: nothing is lost", wall["lost"])
    for thread in wall["threads"]:
        check_sum(name, thread)
    for tid in set(own) & set(threads):
        check_thread(name, own[tid], threads[tid], wall["calls"])
        if wall["calls"]:
            check_waits(name, own[tid], threads[tid])
    return wall["calls"]


def check_same_place(folder):
    """What was found in a process' memory is no longer there once it runs another program."""
    (folder / "same.S").write_text(SAME_PLACE_S, encoding="utf-8")
    for name, call, then in (("first", 35, 59), ("second", 7, 60)):
        words = ["gcc", "-nostdlib", "-static", "-no-pie", f"-DCALL={call}", f"-DNEXT={then}", "-o", name]
        subprocess.run([*words, "same.S"], check=True, cwd=folder)
    _, wall = measured(folder / "first", "", folder / "same.json", {})
    causes = {cause["name"]: cause["time_s"] for cause in wall["threads"][0]["causes"]}
    missing = wall["threads"][0]["preempted_s"] + wall["threads"][0]["queued_s"]
    for name in ("nanosleep", "poll"):
        check(0.1 - missing - NEAR_S < causes.get(name, 0) < 0.1 + NEAR_S, f"another program: {name}", causes)


def users(folder):
    """A folder for each, and how it is run there."""
    home = folder / "own"
    home.mkdir()
    yield home, {}
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
        paranoid = int(file.read())
    if os.geteuid() != 0 or paranoid > 2:
        return
    home = folder / "nobody"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    names = ("HOME", "XDG_STATE_HOME", "TMPDIR")
    env = {**os.environ, **{name: str(home) for name in names}}
    yield home, {"user": NOBODY, "group": NOBODY, "extra_groups": [], "env": env}


def main():
    if topdown("sample", "--", "true").returncode:
        skip("nothing can be sampled here")
    if not shutil.which("gcc"):
        skip("there is no gcc")
    with temporary() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder.chmod(0o755)
        program = build(folder)
        runs = []
        for home, more in users(folder):
            for i, words in some(enumerate(PROGRAMS)):
                runs.append(pool.submit(check_program, program, words, home / f"{i}.json", more))
        calls = [done.result() for done in runs]
        if os.geteuid() == 0:
            check(calls[0], "root sees registers", calls)
        if platform.machine() == "x86_64":
            check_same_place(folder)
    finish()


main()
