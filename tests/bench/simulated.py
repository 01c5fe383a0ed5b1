#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""simulated.py [--check] [--cost] [NAME]... - modelled cycles beside measured ones, and how much slower
simulating is: kernels, then real programs.

What is measured is the least user time of some native runs times the clock rate that topdown measures. The
machine should do nothing else. Whether its host does, a probe measures (host.py): a kernel is judged by runs
during which the core was this machine's alone, and one that waits for L3 or memory where they are what the
core's description says. Otherwise it is not, but such a one is modelled once more with what the probe has
found of L3 and memory. With --cost only how long the programs take is measured, in turns with cachegrind.
With --check the exit status is 1 when a goal is missed. TOPDOWN and TOPDOWN_BUILD name the program and its
build folder. Exit status 77 without the simulator.
"""
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import host

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOPDOWN_BUILD", SOURCE / "build"))
TOPDOWN = os.environ.get("TOPDOWN", str(BUILD / "topdown"))
PROBE = str(pathlib.Path(os.environ.get("BENCH", BUILD / "tests/bench")) / "bench_memory")
NATIVE_RUNS = 5
MOST_RUNS = 12  # until there were so many while nobody else had the core

# Long enough to be timed, beside the system's time for their memory, from which ticks of 4 ms divide the
# user's; 256 MiB where memory is meant, several times what an L3 holds. What the kernels do is in their
# sources.
KERNELS = {
    "chase": ["262144", "2000000"],
    "chase L2": ["512", "20000000"],
    "chase L3": ["8192", "3000000"],
    "quicksort": ["1000000"],
    "multiply": ["60000000"],
    "adds": ["40000000"],
    "divide": ["10000000"],
    "code": ["2000000"],
    "stream": ["262144", "8"],
    "stores": ["262144", "15000000"],
    "interpreter": ["10000000"],
}
# What these take depends on the host, which leaves them more of L3 the faster they come back to what they
# have there (host.py).
IN_MEMORY = {"chase": "l3_kib", "chase L3": "l3_kib", "stream": "stores_l3_kib", "stores": "stores_l3_kib"}
KERNEL_RATIO = (0.8, 1.2)
PROGRAM_RATIO = (0.6, 1.6)
MOST_SLOWDOWN = 3  # times cachegrind's time, the median over programs
SAMPLE = "0.1"
UNASKED = "0.02"  # what is modelled of a long program behind its start (analyzer/collect/simulate/simulate.c)
LONGER = 4
MOST_SAMPLED_SLOWDOWN = 1.3
LEAST_COVERED = 0.95  # of the values whose interval has that of the whole
CACHEGRIND = [
    "valgrind",
    "--tool=cachegrind",
    "--cache-sim=yes",
    "--branch-sim=yes",
    "--cachegrind-out-file=/dev/null",
]

missed = []


def user_time(words):
    """Of the process and the children that it has waited for."""
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime


def simulate(words, *options):
    """The report, and the user time of the simulation and of the native run behind it."""
    with tempfile.NamedTemporaryFile() as out:
        anchor = [] if "--no-anchor" in options else ["--anchor", "always"]
        command = [
            TOPDOWN,
            "--pmu",
            "sim",
            "-l3",
            *anchor,
            "--format",
            "json",
            "-o",
            out.name,
            *options,
            *words,
        ]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            said = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == 125 and ("Valgrind" in said or "simulator" in said):
            print(said, end="")
            sys.exit(77)
        return json.loads(pathlib.Path(out.name).read_text(encoding="utf-8")), usage.ru_utime


def goal(what, value, bounds):
    if bounds[0] <= value <= bounds[1]:
        return "met"
    missed.append(what)
    return f"missed: {bounds[0]} to {bounds[1]}"


def worst(report):
    titles = [node["title"] for node in report["nodes"] if node["worst_path"]]
    return titles[-1] if titles else "-"


def native_time(words):
    return min(user_time(words) for _ in range(NATIVE_RUNS))


def measure(words):
    """Report, simulation's user time, native user time, clock rate."""
    report, simulated = simulate(words)
    return report, simulated, native_time(words), report["anchor"]["hz"]


def find_core(report):
    """The description of the core that was simulated, as topdown has taken it for this machine."""
    name = re.search(r"\((\S+)\)", report["summary"]["machine"]).group(1)
    doctor = json.loads(
        subprocess.run(
            [TOPDOWN, "doctor", "--format", "json"], capture_output=True, text=True, check=False
        ).stdout
    )
    is_virtual = any(check["check"] == "hypervisor" and check["state"] != "ok" for check in doctor["checks"])
    return host.read_core(SOURCE / f"events/sim/{name}.json", is_virtual=is_virtual)


def simulate_on(core, figures, words, folder):
    """The cycles that are modelled with what a probe has found."""
    host.write_core(core, figures, folder / "events/sim/probed.json")
    return simulate(words, "--no-anchor", "--db", str(folder), "--sim-core", "probed")[0]["summary"]["cycles"]


def calm_time(words, described):
    """The least user time of some native runs during which this machine had its core for itself, or of any
    where it never had; and the additions beside that run (host.py)."""
    runs, before = [], host.additions(PROBE)
    while len(runs) < MOST_RUNS and sum(host.is_near(run[1], described) for run in runs) < NATIVE_RUNS:
        time, after = user_time(words), host.additions(PROBE)
        runs.append((time, max(before, after)))
        before = after
    return min([run for run in runs if host.is_near(run[1], described)] or runs)


def in_core(words, rate, described):
    """A kernel that waits for its core only: measured cycles, and in what the host gives less than that."""
    time, additions = calm_time(words, described)
    return time * rate, host.find_load({"additions": additions}, described), ""


def in_memory(name, words, rate, core, folder):
    """A kernel that waits for L3 or memory: the same, and modelled by measured cycles with the probe's
    figures."""
    described = host.parameters(core)
    before = host.at_pace(host.find_figures(host.probe(PROBE), described), IN_MEMORY[name])
    time, additions = calm_time(words, described)
    after = host.at_pace(host.find_figures(host.probe(PROBE), described), IN_MEMORY[name])
    figures, changes = host.mean(before, after) | {"additions": additions}, host.find_changes(before, after)
    ratio = simulate_on(core, figures, words, folder) / (time * rate)
    return (
        time * rate,
        host.find_load(figures, described),
        f"{ratio:.2f}{' (meanwhile ' + '; '.join(changes) + ')' if changes else ''}",
    )


def tell_host(core):
    """What the probe finds before anything else is measured."""
    if not os.path.exists(PROBE):
        sys.exit(f"{PROBE} is missing: cmake --build {BUILD} --target bench_memory")
    described = host.parameters(core)
    found = host.probe(PROBE)
    figures = host.find_figures(found, described)
    print("\n".join(host.table(found, figures, described)))
    load = host.find_load(figures, described)
    print(f"So the host is {'busy: ' + '; '.join(load) if load else 'idle'}.\n", flush=True)


def kernels(names, core):
    print(
        "| kernel | worst node | M instructions | M cycles modelled | M cycles measured | ratio | goal |"
        " ratio with the probe's L3 and memory |\n|---|---|---:|---:|---:|---:|---|---|"
    )
    described = host.parameters(core)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            words = [str(BUILD / "kernels" / name.split()[0]), *KERNELS[name]]
            report, _ = simulate(words)
            modelled, rate = report["summary"]["cycles"], report["anchor"]["hz"]
            if name in IN_MEMORY:
                measured, load, probed = in_memory(name, words, rate, core, pathlib.Path(folder))
            else:
                measured, load, probed = in_core(words, rate, described)
            verdict = (
                f"host busy, not judged: {'; '.join(load)}"
                if load
                else goal(name, modelled / measured, KERNEL_RATIO)
            )
            print(
                (
                    f"| {name} | {worst(report)} | {report['summary']['instructions'] / 1e6:.0f} |"
                    f" {modelled / 1e6:.0f} | {measured / 1e6:.0f} | {modelled / measured:.2f} | {verdict} |"
                    f" {probed} |"
                ),
                flush=True,
            )


def programs(folder, times=1):
    """Real programs, as far as they are here, with so many times as much to do: all but cc1."""
    text, numbers = folder / "text", folder / "numbers"
    text.write_bytes(
        b"".join(path.read_bytes() for path in sorted(SOURCE.glob("analyzer/**/*.c")))[:1500000] * times
    )
    numbers.write_text("".join(f"{i * 7919 % 100003}\n" for i in range(100000 * times)), encoding="utf-8")
    query = (
        "create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where i<ROWS)"
        " insert into t select i*7919%ROWS,i from n;select count(*) from t join (select a from t where b%3=0"
        " group by a) using(a); select sum(b) from (select b from t order by a);"
    )
    source = folder / "text.i"  # cc1 by itself does not know where headers are
    subprocess.run(
        [
            "gcc",
            "-E",
            "-D_GNU_SOURCE",
            "-I",
            SOURCE / "analyzer",
            "-o",
            source,
            SOURCE / "analyzer/common/base/text.c",
        ],
        check=False,
    )
    cc1 = (
        subprocess.run(
            ["gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=False
        ).stdout.strip()
        if shutil.which("gcc")
        else ""
    )
    pairs = folder / "pairs.json"
    pairs.write_text(json.dumps([{"a": i, "b": f"x{i * 7}"} for i in range(8000 * times)]), encoding="utf-8")
    few = folder / "few"
    few.write_text("".join(f"{i * 7919 % 100003}\n" for i in range(30000 * times)), encoding="utf-8")
    return {
        "perl": [
            "perl",
            "-e",
            (
                f"my %h; for my $i (1..{60000 * times}) "
                "{ $h{$i % 997} .= chr(65 + $i % 26); } "
                "my $n = 0; for (sort keys %h) { $n++ while $h{$_} =~ /[AEIOU][^A]/g; } print $n"
            ),
        ],
        "bash": [
            "bash",
            "-c",
            f"for ((i=0;i<{6000 * times};i++)); do x=$((x+i*i%7)); s=${{s:0:50}}$i; done; echo $x",
        ],
        "awk": [
            "awk",
            (
                "{ a[$1 % 1000] += $1; s = s substr($1, 1, 1); } END { for (k in a) t += a[k]; print t,"
                " length(s) }"
            ),
            str(few),
        ],
        "xz": ["xz", "-1", "-c", str(few)],
        "jq": ["jq", "[.[] | select(.a % 3 == 0) | .b] | length", str(pairs)],
        "gzip": ["gzip", "-c", str(text)],
        "sort": ["sort", "-o", "/dev/null", str(numbers)],
        "python3": [
            os.path.realpath(sys.executable),
            "-c",
            f"import json, argparse; sum(hash(str(i)) & 1 for i in range({30000 * (times - 1)}))",
        ],
        "sqlite3": ["sqlite3", ":memory:", query.replace("ROWS", str(60000 * times))],
        "cc1 -O1": [cc1, "-quiet", "-O1", "-o", "/dev/null", str(source)],
    }


def real(names, commands):
    print(
        "\n| program | native s | simulated s | slowdown | cachegrind s | ratio of the two | with"
        f" --sim-sample {SAMPLE} | modelled / measured cycles | goals"
        " |\n|---|---:|---:|---:|---:|---:|---:|---:|---|"
    )
    slowdowns = {False: [], True: []}
    for name in names:
        words = commands[name]
        if not words[0] or not shutil.which(words[0]):
            print(f"| {name} | is not here | | | | | | | |")
            continue
        report, simulated, native, rate = measure(words)
        simulated = min(simulate(words, "--no-anchor", "--sim-sample", "1")[1] for _ in range(2))
        sampled = min(simulate(words, "--no-anchor", "--sim-sample", SAMPLE)[1] for _ in range(2))
        grind = min(user_time([*CACHEGRIND, *words]) for _ in range(2))
        ratio = report["summary"]["cycles"] / (native * rate) if native else float("nan")
        slowdowns[False].append(simulated / grind)
        slowdowns[True].append(sampled / grind)
        goals = f"cycles {goal(name, ratio, PROGRAM_RATIO)}"
        print(
            (
                f"| {name} | {native:.3f} | {simulated:.2f} | {simulated / max(native, 1e-3):.0f} |"
                f" {grind:.2f} | {simulated / grind:.1f} | {sampled / grind:.1f} | {ratio:.2f} | {goals} |"
            ),
            flush=True,
        )
    tell_slowdowns(slowdowns, SAMPLE)


def tell_slowdowns(slowdowns, sample):
    for is_sampled, most in ((False, MOST_SLOWDOWN), (True, MOST_SAMPLED_SLOWDOWN)):
        if slowdowns[is_sampled]:
            median = statistics.median(slowdowns[is_sampled])
            what = f"--sim-sample {sample}" if is_sampled else "whole"
            print(
                f"\n{what}: median of {len(slowdowns[is_sampled])} programs {median:.2f} times cachegrind's"
                f" time: {goal(what, median, (0, most))}."
            )


# Of the time of cachegrind, and how much there is to do: what is sampled unasked is long.
COSTS = {
    "whole": (1, ["--sim-sample", "1"]),
    "whole, model alone": (1, ["--sim-sample", "1", "--no-last"]),
    f"--sim-sample {UNASKED}": (LONGER, ["--sim-sample", UNASKED]),
    f"--sim-sample {UNASKED}, model alone": (LONGER, ["--sim-sample", UNASKED, "--no-last"]),
}


def ratios_of(commands, name):
    """User time by that of cachegrind, of each of COSTS; and cachegrind's by how much there was to do."""
    least = {}
    for _ in range(2):
        for times, words in commands.items():
            least["cachegrind", times] = min(
                least.get(("cachegrind", times), float("inf")), user_time([*CACHEGRIND, *words[name]])
            )
        for what, (times, options) in COSTS.items():
            least[what] = min(
                least.get(what, float("inf")), simulate(commands[times][name], "--no-anchor", *options)[1]
            )
    return {what: least[what] / least["cachegrind", times] for what, (times, _) in COSTS.items()}, [
        least["cachegrind", times] for times in commands
    ]


def cost(names, commands):
    """Whole, and as long programs are sampled unasked; and without places (--no-last), which are recorded for
    a closer look afterwards."""
    print(
        f"| program | cachegrind s | {LONGER} times as long |"
        f" {' | '.join(COSTS)} |\n|---|---:|---:|{'---:|' * len(COSTS)}"
    )
    rows = []
    for name in names:
        words = commands[1][name]
        if not words[0] or not shutil.which(words[0]):
            print(f"| {name} | is not here | |{' |' * len(COSTS)}")
            continue
        row, grinds = ratios_of(commands, name)
        rows.append(row)
        print(
            (
                f"| {name} | {' | '.join(f'{seconds:.2f}' for seconds in grinds)} |"
                f" {' | '.join(f'{row[what]:.2f}' for what in COSTS)} |"
            ),
            flush=True,
        )
    if rows:
        print(
            "| median | | |"
            f" {' | '.join(f'{statistics.median(row[what] for row in rows):.2f}' for what in COSTS)} |"
        )
    tell_slowdowns(
        {False: [row["whole"] for row in rows], True: [row[f"--sim-sample {UNASKED}"] for row in rows]},
        UNASKED,
    )


def away(sampled, whole):
    """How far cycles and shares of level 1 are from those of the whole, as a share of what the interval
    says."""
    shares = {node["title"]: node["value"] for node in whole["nodes"] if node["level"] == 1}
    found = {
        "cycles": (
            abs(sampled["summary"]["cycles"] - whole["summary"]["cycles"])
            / sampled["summary"]["sampling"]["cycles_ci95"]
        )
    }
    return found | {
        node["title"]: abs(node["value"] - shares[node["title"]]) / node["ci95"]
        for node in sampled["nodes"]
        if node["level"] == 1
    }


def coverage(commands):
    """Does the stated interval of a sample have the whole's value?"""
    print(
        f"\n| --sim-sample {SAMPLE} of | cycles away from the whole | stated | farthest, in intervals |"
        " |\n|---|---:|---:|---|---|"
    )
    inside = total = 0
    for name, words in commands.items():
        if not words[0] or not shutil.which(words[0]):
            continue
        whole, sampled = (
            simulate(words, "--no-anchor", "--sim-sample", "1")[0],
            simulate(words, "--no-anchor", "--sim-sample", SAMPLE)[0],
        )
        if not sampled["summary"]["sampling"]["cycles_ci95"]:
            print(f"| {name} | | | too few windows | |")
            continue
        found, cycles = away(sampled, whole), whole["summary"]["cycles"]
        title = max(found, key=found.get)
        inside, total = inside + sum(value <= 1 for value in found.values()), total + len(found)
        print(
            (
                f"| {name} | {100 * (sampled['summary']['cycles'] / cycles - 1):+.1f} % |"
                f" {100 * sampled['summary']['sampling']['cycles_ci95'] / cycles:.1f} % |"
                f" {title} {found[title]:.2f} | {'' if found[title] <= 1 else 'outside'} |"
            ),
            flush=True,
        )
    if total:
        print(
            f"\n{inside} of {total} values are inside:"
            f" {goal('coverage', inside / total, (LEAST_COVERED, 1))}."
        )


def main():
    wanted = [word for word in sys.argv[1:] if word not in ("--check", "--cost")]
    cpu = next(
        (
            line.split(":", 1)[1].strip()
            for line in open("/proc/cpuinfo", encoding="utf-8")
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    report, _ = simulate([str(BUILD / "kernels/adds"), "1000"])
    print(
        f"{cpu}, {os.cpu_count()} CPUs, {report['anchor']['hz'] / 1e9:.2f} GHz, load"
        f" {os.getloadavg()[0]:.1f}; {report['summary']['machine']}\n"
    )
    if "--cost" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            commands = {}
            for times in (1, LONGER):
                (pathlib.Path(folder) / str(times)).mkdir()
                commands[times] = programs(pathlib.Path(folder) / str(times), times)
            cost([name for name in commands[1] if not wanted or name in wanted], commands)
    else:
        measure_all(wanted, report)
    if missed:
        print(f"\nMissed goals: {', '.join(missed)}")
    sys.exit(1 if missed and "--check" in sys.argv else 0)


def measure_all(wanted, report):
    chosen, core = [name for name in KERNELS if not wanted or name in wanted], find_core(report)
    if chosen:
        tell_host(core)
        kernels(chosen, core)
    with tempfile.TemporaryDirectory() as folder:
        commands = programs(pathlib.Path(folder))
        chosen = [name for name in commands if not wanted or name in wanted]
        if chosen:
            real(chosen, commands)
        short = {
            name: [str(BUILD / "kernels" / name.split()[0]), str(max(1, int(words[0]) // 10)), *words[1:]]
            for name, words in KERNELS.items()
        }
        coverage({name: words for name, words in (short | commands).items() if not wanted or name in wanted})


main()
