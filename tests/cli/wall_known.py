#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""wall_known.py - --wall beside 30 programs whose waits are known, since they time each one themselves
(wall_known.c): by registers as root, and by looks as a user without rights."""
import concurrent.futures
import json
import os
import platform
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, finish, read_json, skip, some, temporary, topdown
from lib.known_waits import NEAR_S, build, check_sum, check_thread, check_waits, own_times

NOBODY = 65534
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


def measured(program, words, out, more, by="off"):
    done = subprocess.run(
        [
            TOPDOWN,
            *f"sample --wall --by-bpf {by} --format json -o".split(),
            out,
            "--",
            program,
            *words.split(),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=out.parent,
        **more,
    )
    check(done.returncode == 0, f"{words}: it is measured", done.stderr[-500:])
    return done.stdout, read_json(out)["wall"]


def check_program(program, words, out, more, by="off"):
    text, wall = measured(program, words, out, more, by)
    how = "summed in the kernel" if by == "on" else "as nobody" if more else "as this user"
    name, own = f"{words}, {how}", own_times(text)
    check(wall["summed"] == (by == "on"), f"{name}: that is so", wall["refused"])
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


def is_summed_here():
    """May this user load BPF programs, and has the kernel what they need?"""
    result = topdown("sample", "--wall", "--by-bpf", "on", "--format", "json", "--", "true")
    return result.returncode == 0 and json.loads(result.stderr)["wall"]["summed"]


def check_same_place(folder, by):
    """What was found in a process' memory is no longer there once it runs another program."""
    (folder / "same.S").write_text(SAME_PLACE_S, encoding="utf-8")
    for name, call, then in (("first", 35, 59), ("second", 7, 60)):
        words = ["gcc", "-nostdlib", "-static", "-no-pie", f"-DCALL={call}", f"-DNEXT={then}", "-o", name]
        subprocess.run([*words, "same.S"], check=True, cwd=folder)
    _, wall = measured(folder / "first", "", folder / "same.json", {}, by)
    causes = {cause["name"]: cause["time_s"] for cause in wall["threads"][0]["causes"]}
    missing = wall["threads"][0]["preempted_s"] + wall["threads"][0]["queued_s"]
    for name in ("nanosleep", "poll"):
        check(0.1 - missing - NEAR_S < causes.get(name, 0) < 0.1 + NEAR_S, f"another program: {name}", causes)


def users(folder):
    """A folder for each, and how it is run there."""
    home = folder / "own"
    home.mkdir()
    yield home, {}, "off"
    if is_summed_here():
        home = folder / "summed"
        home.mkdir()
        yield home, {}, "on"
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
        paranoid = int(file.read())
    if os.geteuid() != 0 or paranoid > 2:
        return
    home = folder / "nobody"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    names = ("HOME", "XDG_STATE_HOME", "TMPDIR")
    env = {**os.environ, **{name: str(home) for name in names}}
    yield home, {"user": NOBODY, "group": NOBODY, "extra_groups": [], "env": env}, "off"


def main():
    if topdown("sample", "--", "true").returncode:
        skip("nothing can be sampled here")
    if not shutil.which("gcc"):
        skip("there is no gcc")
    with temporary() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder.chmod(0o755)
        program = build(folder)
        runs = []
        for home, more, by in users(folder):
            for i, words in some(enumerate(PROGRAMS)):
                runs.append(pool.submit(check_program, program, words, home / f"{i}.json", more, by))
        calls = [done.result() for done in runs]
        if os.geteuid() == 0:
            check(calls[0], "root sees registers", calls)
        if platform.machine() == "x86_64":
            check_same_place(folder, "off")
            if is_summed_here():
                check_same_place(folder, "on")
    finish()


main()
