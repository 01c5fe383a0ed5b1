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
import statistics
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


def write_inputs(folder):
    """What the programs read: name, path."""
    text = b"".join(path.read_bytes() for path in sorted(SOURCE.glob("analyzer/**/*.c")))[:1500000]
    lines = text.splitlines(keepends=True)
    contents = {
        "text": text,
        "other": b"".join(line.upper() if i % 7 == 3 else line for i, line in enumerate(lines)),
        "big": text * 60 + b"the_end = no\n",  # grep reads up to there
        "numbers": "".join(f"{i * 7919 % 100003}\n" for i in range(60000)).encode(),
        "rows": json.dumps(
            [{"a": i, "b": str(i * 7919 % 1009), "c": [i % 7, i % 11]} for i in range(8000)]
        ).encode(),
        "pi": b"scale=900\n4*a(1)\nquit\n",
        "assembly": "".join(
            f"f{i}:\n\tmovq %rdi, %rax\n\taddq ${i * 7919}, 8(%rsp)\n\tjne f{i}\n\tcall f{i // 2}\n\tret\n"
            for i in range(36000)
        ).encode(),
        "rules": "all: t0\n".encode()
        + "".join(f"t{i}: t{i + 1} $(wildcard *.{i})\n\techo $@ $^\n" for i in range(3000)).encode()
        + b"t3000:\n",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: str(folder / name) for name in contents}


def find_compiler(folder):
    """The compiler behind gcc, and something for it to compile."""
    source = folder / "text.i"
    if not shutil.which("gcc"):
        return "", str(source)
    options = ["-E", "-D_GNU_SOURCE", "-I", SOURCE / "analyzer", "-o", source]
    subprocess.run(["gcc", *options, SOURCE / "analyzer/common/base/text.c"], check=False)
    named = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=False)
    return named.stdout.strip(), str(source)


def find_programs(folder):
    """name: words, as far as they are here."""
    inputs = write_inputs(folder)
    text, big, numbers = (inputs[name] for name in ("text", "big", "numbers"))
    cc1, source = find_compiler(folder)
    query = (
        "create table t(a,b); with recursive n(i) as (select 1 union all select i+1 from n where i<40000)"
        " insert into t select i*7919%40000,i from n;select count(*) from t join (select a from t where b%3=0"
        " group by a) using(a); select sum(b) from (select b from t order by a);"
    )
    count = "{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) t += n[w] * length(w); print t }"
    known = {
        "gzip": ["gzip", "-c", text],
        "xz -1": ["xz", "-1", "-T1", "-c", text],
        "bzip2": ["bzip2", "-c", numbers],
        "zstd -15": ["zstd", "--single-thread", "-q", "-15", "-c", text],
        "brotli -q 8": ["brotli", "-q", "8", "-c", text],
        "lz4 -12": ["lz4", "-q", "-12", "-c", text],
        "sort": ["sort", "--parallel=1", "-o", "/dev/null", numbers],
        "sort -n": ["sort", "--parallel=1", "-n", "-o", "/dev/null", numbers],
        "python3": [
            os.path.realpath(sys.executable),
            "-c",
            "import json, argparse; sum(hash(str(i)) & 1 for i in range(60000))",
        ],
        "perl": ["perl", "-e", "my %n; while (<>) { $n{$_}++ for split /\\W+/ } print scalar keys %n", text],
        "node": [
            "node",
            "--single-threaded",
            "-e",
            "let n = {}; for (let i = 0; i < 3e5; i++) n['k' + i * 7919 % 5003] = i; Object.keys(n).sort()",
        ],
        "lua": ["lua5.4", "-e", "t = {} for i = 1, 400000 do t[i * 7919 % 5003] = tostring(i) end"],
        "php": ["php", "-r", "for ($i = 0; $i < 600000; $i++) $t[$i * 7919 % 5003] = md5($i);"],
        "ruby": ["ruby", "-e", "t = {}; 200000.times { |i| t[(i * 7919 % 5003).to_s] = i }"],
        "sqlite3": ["sqlite3", ":memory:", query],
        "cc1 -O2": [cc1, "-quiet", "-O2", "-o", "/dev/null", source],
        "as": ["as", "-o", "/dev/null", inputs["assembly"]],
        "objdump": ["objdump", "-d", "--section=.text", "--stop-address=0x70000", TOPDOWN],
        "gawk": ["gawk", count, text],
        "mawk": ["mawk", count, text, text, text],
        "sed": ["sed", "-E", "s/([a-z]+)_([a-z]+)/\\2_\\1/g", text],
        "grep": ["grep", "-c", "-E", "[a-z]+_(end|begin) = no", big],
        "jq": ["jq", "map(select(.a % 3 == 0) | .b) | unique | length", inputs["rows"]],
        "openssl": ["openssl", "dgst", "-sha3-256", text],
        "git": ["git", "-C", str(SOURCE), "--no-pager", "log", "-p", "-n", "60"],
        "bc": ["bc", "-l", inputs["pi"]],
        "md5sum": ["md5sum", big],
        "sha1sum": ["sha1sum", big],
        "b2sum": ["b2sum", big],
        "base64": ["base64", big],
        "wc": ["wc", "-w", *[text] * 30],
        "diff": ["sh", "-c", 'diff -d "$0" "$1"; :', text, inputs["other"]],
        "make -n": ["make", "-n", "-r", "-f", inputs["rules"]],
    }
    found = {name: words for name, words in known.items() if words[0] and shutil.which(words[0])}
    if missing := [name for name in known if name not in found]:
        print(f"Not installed: {', '.join(missing)}", file=sys.stderr)
    return found


def main():
    words = sys.argv[1:]
    core = words[words.index("--core") + 1] if "--core" in words else None
    ratios, quiet = [], min(host.additions(PROBE) for _ in range(PROBES))
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
            ratios += [modelled / measured] if is_calm else []
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
    if ratios:
        near, median = sum(RATIO[0] <= ratio <= RATIO[1] for ratio in ratios), statistics.median(ratios)
        print(f"\n{near} of {len(ratios)} within {RATIO[0]} to {RATIO[1]}, median {median:.2f}")


if __name__ == "__main__":
    main()
