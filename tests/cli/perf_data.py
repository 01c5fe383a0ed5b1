#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perf_data.py - report and export of perf.data: written here by its document, and recorded by perf, beside
perf's own report."""
import collections
import gzip
import re
import shutil
import subprocess

import perf_file as pf
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_failure, check_success, finish, temporary, topdown

FACTS = {
    "host": "elsewhere",
    "version": "5.10.1",
    "command": ["perf", "record", "./my work"],
    "build_ids": {"/opt/work": "ab" * 20},
}
CALLERS = [pf.IN_USER, 0x401010, 0x401021]

# Samples at two places of a file, one of them with a caller, and one where nothing is mapped; out of order.
RECORDS = [
    pf.comm(7, 7, "work", 1, True),
    pf.mmap2(7, 0x400000, 0x10000, 0, "/opt/work", 2),
    pf.sample(0x401010, 7, 7, 50, chain=CALLERS),
    pf.sample(0x401010, 7, 7, 90, chain=CALLERS),
    pf.record(pf.ROUND, b""),
    pf.sample(0x401010, 7, 7, 70, chain=CALLERS),
    pf.sample(0x402000, 7, 7, 60, chain=[pf.IN_USER, 0x402000]),
    pf.lost(3, 95),
    pf.sample(0x900000, 7, 7, 95, chain=[pf.IN_USER, 0x900000]),
]
STACKS = {"/opt/work+0x1020;/opt/work+0x1010": 3, "/opt/work+0x2000": 1, "[unknown]+0x900000": 1}


def folded(path):
    """Weights of whole stacks, without regard to how nameless places are spelt."""
    result = topdown("export", "--to", "folded", path)
    check_success(result, f"export {path}")
    return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in result.stdout.splitlines()}


def check_written(folder):
    chained = pf.Events(has_chains=True)
    records = b"".join(RECORDS)
    forms = {
        "file of 5.10": pf.write_file(pf.Events(attr_bytes=120, has_chains=True), records, **FACTS),
        "file": pf.write_file(chained, records, **FACTS),
        "newer file": pf.write_file(pf.Events(attr_bytes=168, has_chains=True), records, **FACTS),
        "pipe": pf.write_pipe(chained, records, **FACTS),
        "file in gzip's form": gzip.compress(pf.write_file(chained, records, **FACTS)),
        "pipe in gzip's form": gzip.compress(pf.write_pipe(chained, records, **FACTS)),
        "mappings of Linux 3.12": pf.write_file(
            chained,
            b"".join(
                [RECORDS[0], pf.mmap2(7, 0x400000, 0x10000, 0, "/opt/work", 2, is_old=True), *RECORDS[2:]]
            ),
            **FACTS,
        ),
    }
    try:
        forms["compressed"] = pf.write_file(chained, pf.packed(records, 100), **FACTS)
        forms["compressed by a newer perf"] = pf.write_pipe(
            chained, pf.packed(records, 77, is_new=True), **FACTS
        )
    except OSError:
        print("no libzstd: nothing compressed is read")
    for what, content in forms.items():
        path = folder / "perf.data"
        path.write_bytes(content)
        text = topdown("report", "-v", path).stdout
        if "built without libzstd" in topdown("report", path).stderr:
            continue
        check(
            "perf record './my work'" in text and "by perf 5.10.1 on elsewhere" in text,
            f"{what}: the head",
            text,
        )
        check(re.search(r"cpu-clock +5 +3 ", text), f"{what}: samples and lost ones", text)
        check(
            sorted(folded(path).values()) == sorted(1000 * count for count in STACKS.values()),
            f"{what}: stacks",
            folded(path),
        )
        with open(path, "rb") as stdin:
            check(topdown("report", "-v", "-", stdin=stdin).stdout == text, f"{what}: standard input")
        with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
            check(topdown("report", "-v", "-", stdin=cat.stdout).stdout == text, f"{what}: a pipe")


def check_damaged(folder):
    whole = pf.write_file(pf.Events(has_chains=True), b"".join(RECORDS), **FACTS)
    path = folder / "perf.data"
    at = whole.index(RECORDS[3]) + 20  # within the second sample
    path.write_bytes(whole[:at])
    result = topdown("report", "-v", path)
    check_success(result, "a file that was cut")
    text = re.sub(r"\s+", " ", result.stdout)
    check(
        f"at byte {at}: the file ends, and its records do not" in text and re.search(r"cpu-clock +1 ", text),
        "a file that was cut: a remark",
        result.stdout,
    )
    path.write_bytes(whole[: whole.index(RECORDS[2])])
    check_failure(
        topdown("report", path),
        "nothing before it",
        f"at byte {whole.index(RECORDS[2])}",
        "there is no sample before that",
    )
    path.write_bytes(whole[:90])
    check_failure(topdown("report", path), "half of a header", "it ends within its header, at byte 90")
    path.write_bytes(b"2ELIFREP" + whole[8:])
    check_failure(topdown("export", "--to", "folded", path), "the other byte order", "the other byte order")
    threads = folder / "threads.data"
    threads.mkdir()
    (threads / "data").write_bytes(whole)
    check_failure(topdown("report", threads), "a folder", "`perf record --threads`", "one file")
    (threads / "data").write_bytes(b"something else")
    check_failure(topdown("report", threads), "another folder", "Is a directory")
    name = "<script>alert(1)</script>\x1b[31m"
    hostile = [
        pf.comm(7, 7, name[:15], 1),
        pf.mmap2(7, 0x400000, 0x10000, 0, "/" + name, 2),
        pf.sample(0x401010, 7, 7, 50),
    ]
    path.write_bytes(
        pf.write_file(pf.Events((name,)), b"".join(hostile), **{**FACTS, "host": name, "version": name})
    )
    text = topdown("report", "-v", path).stdout
    check("\x1b" not in text, "names from strangers are escaped", repr(text))


def check_two_events(folder):
    path = folder / "perf.data"
    records = b"".join(
        RECORDS[:2] + [pf.sample(0x401010, 7, 7, 10 + i, event=i % 2, chain=CALLERS) for i in range(7)]
    )
    path.write_bytes(pf.write_file(pf.Events(("cpu-clock", "dances:u"), has_chains=True), records, **FACTS))
    text = topdown("report", "-v", path).stdout
    check(re.search(r"cpu-clock +4 ", text) and re.search(r"dances:u +3 ", text), "two events", text)


def check_group(folder):
    """{cpu-clock,page-faults}:S: the first alone is sampled, and faults belong where their number grew."""
    path = folder / "perf.data"
    values = [(10, 0), (20, 0), (30, 5), (50, 6)]
    places = (0x401010, 0x401010, 0x402000, 0x403000)
    records = b"".join(
        RECORDS[:2] + [pf.sample(ip, 7, 7, 10 + i, values=values[i]) for i, ip in enumerate(places)]
    )
    path.write_bytes(pf.write_file(pf.Events(("cpu-clock", "page-faults"), is_group=True), records, **FACTS))
    text = topdown("report", "-v", path).stdout
    check(re.search(r"cpu-clock +4 ", text), "a group: its leader", text)
    check(re.search(r"page-faults +2 ", text) and "every 0" not in text, "a group: its member", text)
    text = topdown("export", "--to", "folded", "-e", "page-faults", path).stdout
    check(
        sorted(int(line.rpartition(" ")[2]) for line in text.splitlines()) == [6],
        "a group: as much as was counted since the last sample",
        text,
    )


def check_kernel(folder):
    """Samples in the kernel of another machine, which has no names here."""
    path = folder / "perf.data"
    kernel = 0xFFFFFFFF81000000
    records = b"".join(
        [
            pf.comm(7, 7, "work", 1),
            pf.mmap2(2**32 - 1, kernel, 0x1000000, kernel, "[kernel.kallsyms]_text", 2, misc=pf.KERNEL),
            pf.sample(kernel + 0x1000, 7, 7, 50, misc=pf.KERNEL),
        ]
    )
    path.write_bytes(pf.write_file(pf.Events(), records, **FACTS))
    text = re.sub(r"\s+", " ", topdown("report", "-v", path).stdout)
    check("without names ([kernel])" in text, "the kernel of another machine", text)


def perf_shares(path, event):
    """Samples of each function, as perf script prints them."""
    output = subprocess.run(
        ["perf", "script", "-i", path, "-F", "event,ip,sym", "-G"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    ).stdout
    found = collections.Counter()
    for line in output.splitlines():
        words = line.split(None, 2)
        if len(words) == 3 and words[0].rstrip(":") == event:
            found[words[2].split("+")[0]] += 1
    return found


def check_recorded(folder):
    """What perf of this machine records, by every way in which it writes."""
    program = folder / "work"
    source = (
        "static volatile long sum; __attribute__((noinline)) void inner(long n) { for (long i = 0; i < n;"
        " i++) sum += i * i; }\n__attribute__((noinline)) void light(void) { inner(100000); sum++;"
        " }\n__attribute__((noinline)) void heavy(void) { inner(300000); sum++; }\nint main(void) { for (int"
        " i = 0; i < 400; i++) { light(); heavy(); } return 0; }\n"
    )
    (folder / "work.c").write_text(source, encoding="utf-8")
    subprocess.run(["cc", "-g", "-O0", "-o", program, folder / "work.c"], check=True)
    for what, words in (
        ("plain", []),
        ("fp", ["-g"]),
        ("dwarf", ["--call-graph", "dwarf"]),
        ("compressed", ["-z", "-g"]),
        ("two events", ["-e", "task-clock", "-g"]),
    ):
        path = folder / f"{what}.data".replace(" ", "-")
        made = subprocess.run(
            ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "997", *words, "-o", path, program],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if (
            made.returncode
            or "cpu-clock:u"
            not in subprocess.run(
                ["perf", "evlist", "-i", path], stdout=subprocess.PIPE, text=True, check=False
            ).stdout
        ):
            print(f"perf can't record {what}: {made.stdout.decode()[-200:]}")
            continue
        compare(path, what)
    with open(folder / "pipe.data", "wb") as pipe:
        subprocess.run(
            ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "997", "-g", "-o", "-", program],
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    compare(folder / "pipe.data", "pipe")
    check(
        heavy_share(folder / "fp.data") > 0.55 and heavy_share(folder / "dwarf.data") > 0.55,
        "three of four samples are below heavy",
        (heavy_share(folder / "fp.data"), heavy_share(folder / "dwarf.data")),
    )


def compare(path, what):
    perf = perf_shares(path, "cpu-clock:u")
    own = topdown("report", "-v", path)
    check_success(own, f"recorded: {what}")
    check(
        re.search(rf"cpu-clock:u +{sum(perf.values())} ", own.stdout),
        f"recorded: {what}: as many samples as perf script has",
        (perf, own.stdout),
    )
    leaves = collections.Counter()
    result = topdown("export", "--to", "folded", path)
    for line in result.stdout.splitlines():
        stack, _, weight = line.rpartition(" ")
        leaves[stack.split(";")[-1]] += int(weight)
    share = leaves["inner"] / max(1, sum(leaves.values()))
    expected = perf["inner"] / max(1, sum(perf.values()))
    check(
        abs(share - expected) < 0.01,
        f"recorded: {what}: the share of inner",
        (share, expected, dict(leaves), dict(perf)),
    )


def heavy_share(path):
    stacks = folded(path)
    return sum(weight for stack, weight in stacks.items() if ";heavy;" in stack) / max(
        1, sum(stacks.values())
    )


with temporary() as place:
    check_written(place)
    check_damaged(place)
    check_two_events(place)
    check_group(place)
    check_kernel(place)
    if shutil.which("perf") and shutil.which("cc"):
        check_recorded(place)
    else:
        print("no perf or no compiler: only what was written here is read")
finish()
