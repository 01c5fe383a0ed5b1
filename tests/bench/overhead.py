# SPDX-License-Identifier: GPL-2.0-or-later
"""overhead.py - what measuring costs: the start of topdown, the time that a measured program loses, and all
CPUs of a large machine.

There need be no PMU: topdown gets a machine's files in which the core PMU is the kernel's software PMU, with
formats that put every vendor's event where that PMU does not look. So all is as on that machine, with its
database, plan, groups and system calls, but each event is cpu-clock, and the values mean nothing.
"""
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile

MACHINE = "tests/machines/xeon-spr"
STARTS = 41
ROUNDS = 41
LOOPS = 300_000_000
GROUPS_ROUNDS, GROUPS_LOOPS = 9, 600_000_000
CPUS = 256
SHORT_S, LONG_S = 2, 12
GOALS = {"start": 0.5, "own": 1, "cpus": 2}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def software_machine(source, root, cpus=0):
    """A machine of two threads a core and two sockets, if cpus is their number; else the machine as it is."""
    shutil.copytree(source / MACHINE, root, dirs_exist_ok=True)
    pmu = root / "sys/bus/event_source/devices/cpu"
    write(pmu / "type", "1\n")  # PERF_TYPE_SOFTWARE, whose config 0 is cpu-clock
    for name in os.listdir(pmu / "format"):
        write(pmu / "format" / name, "config1:0-63\n")
    folder = root / "sys/devices/system/cpu"
    for number in range(cpus):
        core = number % (cpus // 2)
        socket = core // (cpus // 4)
        topology = folder / f"cpu{number}/topology"
        for name, text in {
            "core_id": core % (cpus // 4),
            "physical_package_id": socket,
            "die_id": 0,
            "core_cpus_list": f"{core},{core + cpus // 2}",
        }.items():
            write(topology / name, f"{text}\n")
    if cpus:
        write(folder / "online", f"0-{cpus - 1}\n")
    return root


def start(bench):
    """The whole process, interleaved with perf's with one event: a machine that gets slower does so for
    both."""
    perf = shutil.which("perf")
    with tempfile.TemporaryDirectory() as folder:
        root = software_machine(bench.SOURCE, pathlib.Path(folder))
        rows = (
            {"perf stat -e task-clock true": [perf, "stat", "-o", "/dev/null", "-e", "task-clock", "true"]}
            if perf
            else {}
        )
        rows["topdown -l1 true"] = [bench.TOPDOWN, "--sysroot", str(root), "-l1", "-o", "/dev/null", "true"]
        turns = {name: [] for name in rows}
        for _ in range(STARTS):
            for name, words in rows.items():
                turns[name].append(bench.c_bench("process", "2", *words)[1])
    print(
        f"\n| start, measure, report; median of {STARTS} turns | wall ms | least | CPU ms | least | peak MiB"
        " |\n|---|---:|---:|---:|---:|---:|"
    )
    for name, runs in turns.items():
        walls, cpus, sizes = zip(*runs)
        print(
            f"| `{name}` | {statistics.median(walls):.1f} | {min(walls):.1f} |"
            f" {statistics.median(cpus):.1f} | {min(cpus):.1f} | {statistics.median(sizes) / 1024:.1f} |"
        )
    if len(turns) > 1:
        theirs, ours = turns.values()
        ratio = statistics.median(one[0] / other[0] for one, other in zip(ours, theirs))
        print(
            "\nWall time of topdown's, in perf's of the same turn:"
            f" {ratio:.2f} ({bench.goal('start', ratio, GOALS['start'], 'of it')})"
        )


def own_time(bench):
    """CPU ms of a program by itself and while it is counted, interleaved; the least of each, as others
    disturb a busy machine."""
    spin = [str(bench.BENCH / "bench_spin"), str(LOOPS)]
    with tempfile.TemporaryDirectory() as folder:
        root = software_machine(bench.SOURCE, pathlib.Path(folder))
        measured = [bench.TOPDOWN, "--sysroot", str(root), "-l1", "-o", "/dev/null", *spin]
        times = {"alone": [], "counted": []}
        for _ in range(ROUNDS):
            for name, words in (("alone", spin), ("counted", measured)):
                output = subprocess.run(
                    words, cwd=bench.SOURCE, check=True, stdout=subprocess.PIPE, text=True
                ).stdout
                times[name].append(float(output))
    alone, counted = min(times["alone"]), min(times["counted"])
    grown = 100 * (counted / alone - 1)
    print(
        f"\n| own CPU time of a program, least of {ROUNDS} | alone, ms | counted, ms | grown by | goal"
        " |\n|---|---:|---:|---:|---|"
    )
    print(
        f"| `topdown -l1`, one run | {alone:.2f} | {counted:.2f} | {grown:+.2f} % |"
        f" {bench.goal('own time', grown, GOALS['own'], '%')} |"
    )


def sampled_once(bench, root, options):
    """CPU ms of topdown itself, and of the program in its last run, of a measurement."""
    spin = [str(bench.BENCH / "bench_spin"), str(GROUPS_LOOPS)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [bench.TOPDOWN, "--sysroot", str(root), "-l1", *options, "--all-output", "-o", "/dev/null", *spin]
    done = subprocess.run(
        words, cwd=bench.SOURCE, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    programs = [float(number) for number in done.stdout.split()]
    all_ms = 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return all_ms - sum(programs), programs[-1]


def reading_groups(bench):
    """A run that is sampled at 997 Hz, with the tree's groups read at each sample and without: beside one
    that is counted only."""
    rows = {
        "`-l1`: counted": [],
        "`--functions`: sampled": ["--functions", "-g", "none", "-F", "997"],
        "`--per-function`: groups read with each sample": ["--per-function", "-g", "none", "-F", "997"],
    }
    with tempfile.TemporaryDirectory() as folder:
        root = software_machine(bench.SOURCE, pathlib.Path(folder))
        turns = {name: [] for name in rows}
        for _ in range(GROUPS_ROUNDS):
            for name, options in rows.items():
                turns[name].append(sampled_once(bench, root, options))
    own, program = zip(*(map(min, zip(*turns[name])) for name in rows))
    print(
        f"\n| 997 samples a second, least of {GROUPS_ROUNDS} | topdown, % of a CPU | program, ms | grown by"
        " |\n|---|---:|---:|---:|"
    )
    for name, mine, theirs in zip(rows, own, program):
        percent = 100 * (mine - own[0]) / theirs  # the start, and the counted run, are in the first row
        print(f"| {name} | {percent:.2f} | {theirs:.1f} | {100 * (theirs / program[0] - 1):+.2f} % |")


def cpu_seconds(words, seconds, feed, bench):
    """User and system seconds of a measurement that long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = os.environ | {"LD_PRELOAD": str(bench.BENCH / "libbench_feed.so"), "FEED": feed}
    subprocess.run([*words, "--duration", str(seconds)], cwd=bench.SOURCE, env=env, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def all_cpus(bench):
    """What each second takes: the difference of a long and a short measurement, without the start of both."""
    print(
        f"\n| `-a -I 100` on {CPUS} CPUs, % of a core | user | system | both | goal"
        " |\n|---|---:|---:|---:|---|"
    )
    rows = [
        ("counts that are fed: topdown by itself", "counts", "-l1", GOALS["cpus"]),
        ("the same, level 3", "counts", "-l3", None),
        (f"cpu-clock of {os.cpu_count()} CPUs, each {CPUS // os.cpu_count()} times", "events", "-l1", None),
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = software_machine(bench.SOURCE, pathlib.Path(folder), CPUS)
        for title, feed, level, limit in rows:
            words = [bench.TOPDOWN, "--sysroot", str(root), level, "-a", "-I", "100", "-o", "/dev/null"]
            short, long = (cpu_seconds(words, seconds, feed, bench) for seconds in (SHORT_S, LONG_S))
            user, system = (100 * (b - a) / (LONG_S - SHORT_S) for a, b in zip(short, long))
            print(
                f"| {title} | {user:.2f} | {system:.2f} | {user + system:.2f} |"
                f" {bench.goal(f'{CPUS} CPUs', user + system, limit, '%')} |"
            )


def tables(bench):
    """bench: run.py's own names."""
    start(bench)
    own_time(bench)
    reading_groups(bench)
    all_cpus(bench)
