#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""skipped.py [NAME]... - long programs of the distribution, of which bursts are followed, beside the same
program followed from its begin to its end (--sim-sample 0.02): time, cycles and level 1, and whether the
stated intervals hold. Also Valgrind's own time (--tool=none). The goal is 1.5 times that, and 10 s.

TOPDOWN names the program. What is not installed is left out.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOPDOWN = os.environ.get("TOPDOWN", "topdown")
FOLLOWED = ("--sim-sample", "0.02")
SQL = """create table t(a,b,c); with recursive n(i) as (select 1 union all select i+1 from n where i<500000)
insert into t select i, (i*7919)%100003, 'x'||(i%977) from n;
create index i1 on t(b); create index i2 on t(c);
select count(*),sum(t.a) from t join t u on t.b=u.a where u.c like 'x1%';
select c,count(*),avg(b) from t group by c order by 3 limit 5;"""
AWK = """{ n[$1%1000]++; if ($1 ~ /99/) c++; t=t substr($0,1,1); if (length(t)>999) t="" }
END { for (i in n) x+=n[i]; print x,c }"""
PERL = "$h{$_%9973}+=length; $c++ if /7.*3/; END{print $c}"
PYTHON = "print(sum(i*i%7 for i in range(9000000)), len({str(i%70001): i for i in range(2000000)}))"
NODE = """let m=new Map();for(let i=0;i<3000000;i++){let k='k'+(i*7919%50021);m.set(k,(m.get(k)||0)+i);}
console.log([...m.values()].sort((x,y)=>x-y)[10]);"""


def programs(folder):
    """Numbers as text, and compiled code, which is the same data on one machine."""
    text, code, c = folder / "text", folder / "code", folder / "many.c"
    text.write_text("".join(f"{i}\n" for i in range(1, 2500001)))
    libraries = sorted(pathlib.Path("/usr/lib").glob("*-linux-gnu/*.so*"))
    code.write_bytes(b"".join(path.read_bytes() for path in libraries if path.is_file())[:9000000])
    c.write_text(
        "".join(
            f"int f{i}(int*a,int n){{int s={i};while(n-->0)s=s*a[n]+(s>>{i%13});return s;}}\n"
            for i in range(600)
        )
    )
    return {
        "xz": ["xz", "-6", "-kc", code],
        "gzip": ["gzip", "-kc", text],
        "bzip2": ["bzip2", "-kc", text],
        "zstd": ["zstd", "-9", "-c", "-q", text, code],
        "brotli": ["brotli", "-q", "5", "-c", text],
        "sort": ["sort", "--parallel=1", "-r", text],
        "sha512sum": ["sha512sum", text, code, text, code, text, code],
        "gawk": ["gawk", AWK, text],
        "mawk": ["mawk", AWK, text],
        "perl": ["perl", "-ne", PERL, text],
        "python": ["/usr/bin/python3", "-c", PYTHON],
        "sqlite": ["sqlite3", ":memory:", SQL],
        "node": ["node", "--single-threaded", "-e", NODE],
        "gcc": ["gcc", "-O2", "-c", "-o", "/dev/null", c],
    }


def timed(words):
    begin = time.monotonic()
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - begin


def simulate(words, folder, *options):
    saved = folder / "saved.json"
    took = timed(
        [TOPDOWN, "--pmu", "sim", "--no-last", "--anchor", "never", "--save", saved, *options, *words]
    )
    report = subprocess.run(
        [TOPDOWN, "report", "--format", "json", saved], capture_output=True, text=True, check=True
    )
    return took, json.loads(report.stdout)


def level_1(report):
    return {node["title"]: node for node in report["nodes"] if node["level"] == 1}


def row(name, words, folder):
    natively, alone = timed(words), timed(["valgrind", "--tool=none", "--trace-children=yes", *words])
    whole_s, whole = simulate(words, folder, *FOLLOWED)
    took, found = simulate(words, folder)
    cycles, stated = found["summary"]["cycles"], found["summary"]["sampling"]["cycles_ci95"]
    difference = cycles - whole["summary"]["cycles"]
    inside = [abs(difference) <= stated]
    points = []
    for title, node in level_1(found).items():
        points.append(abs(node["value"] - level_1(whole)[title]["value"]))
        inside.append(points[-1] <= node["ci95"])
    print(
        f"| {name} | {found['summary']['instructions'] / 1e9:.1f} | {natively:.2f} | {alone:.1f} |"
        f" {whole_s:.1f} | {took:.1f} | {took / natively:.1f} | {took / (1.5 * alone + 10):.2f} |"
        f" {100 * difference / whole['summary']['cycles']:+.1f} | {100 * stated / cycles:.1f} |"
        f" {max(points):.1f} | {'' if all(inside) else 'outside'} |",
        flush=True,
    )
    return took / (1.5 * alone + 10), took / natively, 100 * stated / cycles, max(points), inside


def main():
    print(
        "| program | G instr | native s | none s | followed s | default s | x native | of goal | cycles % |"
        " stated % | points | |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    )
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for name, words in programs(folder).items():
            if shutil.which(words[0]) and (not sys.argv[1:] or name in sys.argv[1:]):
                rows.append(row(name, words, folder))
    goal, native, stated, points, inside = (list(column) for column in zip(*rows))
    values = [value for each in inside for value in each]
    print(
        f"median: {statistics.median(goal):.2f} of the goal, {statistics.median(native):.1f} x native,"
        f" stated ± {statistics.median(stated):.1f} %, {statistics.median(points):.1f} points;"
        f" {sum(values)} of {len(values)} values inside"
    )


if __name__ == "__main__":
    main()
