#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""wall.py - what --wall costs: microseconds a switch of a program that does nothing but switch, beside a run
without it and beside `perf sched record`, with and without wakers; and a report of 1,000 threads."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import time

import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, temporary

ROUNDS = 100000
PING_C = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static int there[2], back[2];
static void *pong(void *unused)
{
	char byte;
	while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
		continue;
	return unused;
}
int main(int argc, char **argv)
{
	struct timespec begin, end;
	pthread_t thread;
	char byte = 'x';
	if (pipe(there) || pipe(back))
		return 1;
	pthread_create(&thread, NULL, pong, NULL);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < atoi(argv[argc - 1]); i++)
		if (write(there[1], &byte, 1) < 1 || read(back[0], &byte, 1) < 1)
			return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%f\n", end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9);
	return 0;
}
"""
POOL_C = r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
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
	for (int i = 0; i < atoi(argv[argc - 1]); i++)
		pthread_create(&thread, NULL, idle, NULL);
	usleep(900000);
	return 0;
}
"""


def build(folder, name, text):
    (folder / f"{name}.c").write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-O2", "-pthread", "-o", folder / name, folder / f"{name}.c"], check=True)
    return str(folder / name)


def seconds(words, traced=False):
    """What the program says of its rounds, on one CPU."""
    words = ["taskset", "-c", "0", *words]
    if traced:
        words = [
            "unshare",
            "-m",
            "sh",
            "-c",
            'mount -t tracefs nodev /sys/kernel/tracing; exec "$@"',
            "sh",
            *words,
        ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return next((float(line) for line in done.stdout.splitlines() if line.replace(".", "").isdigit()), None)


def cost_of_switches(folder):
    ping, out = build(folder, "ping", PING_C), folder / "wall.json"
    rounds = str(ROUNDS)
    measured = [TOPDOWN, "sample", "-g", "none", "--format", "json", "-o", str(out)]
    summed = [*measured[:-1], str(folder / "summed.json"), "--wall", "--by-bpf", "on"]
    stacked = [TOPDOWN, "sample", "--format", "json", "-o", str(folder / "stacks.json")]
    ways = {
        "alone": ([ping, rounds], False),
        "sample": ([*measured, "--", ping, rounds], False),
        "sample --wall": ([*measured, "--wall", "--", ping, rounds], False),
        "sample --wall, with stacks": ([*stacked, "--wall", "--", ping, rounds], False),
        "sample --wall --by-bpf on": ([*summed, "--", ping, rounds], False),
        "sample --wall, with wakers": ([*measured, "--wall", "--", ping, rounds], True),
    }
    if shutil.which("perf") and os.geteuid() == 0:
        ways["perf sched record"] = (
            ["perf", "sched", "record", "-o", str(folder / "data"), ping, rounds],
            True,
        )
    took = {name: [] for name in ways}
    for _ in range(5):
        for name, (words, traced) in ways.items():
            took[name].append(seconds(words, traced))
    print("| a program that only switches | us a switch | more than alone |\n|---|---:|---:|")
    alone = None
    for name, values in took.items():
        if None in values:
            continue
        each = sorted(values)[len(values) // 2] / (2 * ROUNDS) * 1e6
        alone = alone or each
        print(f"| {name} | {each:.2f} | {each - alone:.2f} |")
    wall = json.loads(out.read_text(encoding="utf-8"))["wall"]
    own = wall["cpu_s"] / (2 * ROUNDS) * 1e6
    print(f"\nlost records: {wall['lost']}; CPU time of topdown: {own:.2f} us a switch")
    wall = json.loads((folder / "summed.json").read_text(encoding="utf-8"))["wall"]
    if wall["summed"]:
        own = wall["cpu_s"] / (2 * ROUNDS) * 1e6
        print(f"the kernel's program, by its own account: {own:.2f} us a switch")


def many_threads(folder):
    pool = build(folder, "pool", POOL_C)
    begun = time.monotonic()
    done = subprocess.run(
        [TOPDOWN, "sample", "--wall", "--", pool, "1000"], capture_output=True, check=True, text=True
    )
    took = time.monotonic() - begun
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    lines = done.stderr.split("Functions of")[0].count("\n")
    print(f"\n1,000 threads that wait for 0.9 s: {took:.2f} s, {most:.0f} MiB at most, {lines} lines")


def main():
    with temporary() as folder:
        many_threads(pathlib.Path(folder))
        cost_of_switches(pathlib.Path(folder))


main()
