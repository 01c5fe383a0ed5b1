#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""programs.py [--core NAME] [NAME]... - real programs of the distribution: modelled beside measured cycles.

What is measured is the least CPU time of some runs, times the part of it that they together spent in user
mode, times the clock: that of a chain of additions (tests/kernels/published/). Runs count during which
independent additions were as fast as they were at all here (host.py): else somebody else had the core's other
thread. A program without such runs is not judged. TOPDOWN and TOPDOWN_BUILD name the program and its build
folder.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import host

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOPDOWN_BUILD", SOURCE / "build"))
TOPDOWN = os.environ.get("TOPDOWN", str(BUILD / "topdown"))
PROBE = str(BUILD / "tests/bench/bench_memory")
RUNS = 12
MOST_RUNS = 36  # until there were so many while nobody else had the core
PROBES = 40
RATIO = (0.75, 1.25)


def clock():
    """Hz."""
    said = subprocess.run(
        [BUILD / "kernels/published", "add_chain", "10"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return 1e9 * float(re.search(r"(\S+) GHz", said).group(1))


def times(words):
    """User and system time of one run."""
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{words}: exit status {process.returncode}")
    return usage.ru_utime, usage.ru_stime


def measure(words, quiet):
    """Cycles, and whether the core was this program's alone: with additions as fast as in quiet ones."""
    runs, before = [], host.additions(PROBE)
    while len(runs) < MOST_RUNS and sum(is_calm for _, is_calm in runs) < RUNS:
        run, after = times(words), host.additions(PROBE)
        runs.append((run, max(before, after) <= host.TOLERANCE * quiet))
        before = after
    calm = [run for run, is_calm in runs if is_calm]
    counted = calm or [run for run, _ in runs]
    return min(map(sum, counted)) * sum(user for user, _ in counted) / sum(map(sum, counted)) * clock(), bool(
        calm
    )


def simulate(words, core, *options):
    result = subprocess.run(
        [
            TOPDOWN,
            "--pmu",
            "sim",
            "-l3",
            "--no-anchor",
            "--no-last",
            "--format",
            "json",
            *options,
            *(["--sim-core", core] if core else []),
            *words,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{words}: exit status {result.returncode}: {result.stderr}")
    return json.loads(result.stderr[result.stderr.index("{") :])


def find_programs(folder):
    """name: words, as far as they are here."""
    text, numbers, rows = folder / "text", folder / "numbers", folder / "rows.json"
    text.write_bytes(b"".join(path.read_bytes() for path in sorted(SOURCE.glob("analyzer/**/*.c")))[:1500000])
    numbers.write_text("".join(f"{i * 7919 % 100003}\n" for i in range(60000)), encoding="utf-8")
    rows.write_text(
        json.dumps([{"a": i, "b": str(i * 7919 % 1009), "c": [i % 7, i % 11]} for i in range(8000)]),
        encoding="utf-8",
    )
    query = (
        "create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where i<40000)"
        " insert into t select i*7919%40000,i from n;select count(*) from t join (select a from t where b%3=0"
        " group by a) using(a); select sum(b) from (select b from t order by a);"
    )
    source = folder / "text.i"
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
    found = {
        "gzip": ["gzip", "-c", str(text)],
        "xz -1": ["xz", "-1", "-T1", "-c", str(text)],
        "sort": ["sort", "--parallel=1", "-o", "/dev/null", str(numbers)],
        "sort -n": ["sort", "--parallel=1", "-n", "-o", "/dev/null", str(numbers)],
        "python3": [
            os.path.realpath(sys.executable),
            "-c",
            "import json, argparse; sum(hash(str(i)) & 1 for i in range(60000))",
        ],
        "perl": [
            "perl",
            "-e",
            "my %n; while (<>) { $n{$_}++ for split /\\W+/ } print scalar keys %n",
            str(text),
        ],
        "sqlite3": ["sqlite3", ":memory:", query],
        "cc1 -O2": [cc1, "-quiet", "-O2", "-o", "/dev/null", str(source)],
        "awk": [
            "awk",
            "{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) t += n[w] * length(w); print t }",
            str(text),
        ],
        "sed": ["sed", "-E", "s/([a-z]+)_([a-z]+)/\\2_\\1/g", str(text)],
        "jq": ["jq", "map(select(.a % 3 == 0) | .b) | unique | length", str(rows)],
        "bzip2": ["bzip2", "-c", str(numbers)],
        "openssl": ["openssl", "dgst", "-sha3-256", str(text)],
    }
    return {name: words for name, words in found.items() if words[0] and shutil.which(words[0])}


def main():
    words = sys.argv[1:]
    core = words[words.index("--core") + 1] if "--core" in words else None
    near, quiet = [], min(host.additions(PROBE) for _ in range(PROBES))
    print(
        f"Eight independent additions take {quiet:.2f} cycles at best.\n\n| program | M instructions | M"
        " cycles modelled | M cycles measured | ratio | near | worst node"
        " |\n|---|---:|---:|---:|---:|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        programs = find_programs(pathlib.Path(folder))
        for name in [name for name in programs if name in words] or programs:
            (measured, is_calm), report = measure(programs[name], quiet), simulate(
                programs[name], core, "--sim-sample", "1"
            )
            modelled = report["summary"]["cycles"]
            is_near = RATIO[0] <= modelled / measured <= RATIO[1]
            near += [is_near] if is_calm else []
            verdict = ("" if is_near else "no") if is_calm else "not judged"
            worst = [node["title"] for node in report["nodes"] if node["worst_path"]]
            print(
                (
                    f"| {name} | {report['summary']['instructions'] / 1e6:.0f} | {modelled / 1e6:.0f} |"
                    f" {measured / 1e6:.0f} | {modelled / measured:.2f} | {verdict} |"
                    f" {worst[-1] if worst else '-'} |"
                ),
                flush=True,
            )
    print(f"\n{sum(near)} of {len(near)} within {RATIO[0]} to {RATIO[1]}")


if __name__ == "__main__":
    main()
