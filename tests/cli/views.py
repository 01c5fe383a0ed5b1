#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""views.py - what is shown of a profile: random ones that the test writes, whose tables it works out for
itself; a node's event beside cycles; strange names; and simulations, whose functions and lines sum to the
node.
"""
import collections
import csv
import io
import json
import math
import random
import re
import shutil
import statistics
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, SOURCE, check, check_failure, check_success, finish, read_json, temporary, topdown
from lib.profiles import CLOCK, HEAD, Profile

PROGRAM, LIBRARY = "/bin/prog", "/lib/libx.so"
Z = statistics.NormalDist().inv_cdf(0.975)
DRAWS = 12


def wilson(part, whole):
    """The roots of (p - q)^2 = z^2 q (1 - q) / n, in percent."""
    p, n = part / whole, whole
    a, b, c = 1 + Z * Z / n, -(2 * p + Z * Z / n), p * p
    root = math.sqrt(max(b * b - 4 * a * c, 0))
    return 100 * (-b - root) / (2 * a), 100 * (-b + root) / (2 * a)


def frame(name):
    return (name, "/src/prog.c", 10 + sum(map(ord, name)) % 50)


def draw_place(draw):
    """Some places have inlined functions, some no name."""
    if draw.random() < 0.05:
        return (LIBRARY, ())
    names = [draw.choice("abcdefgh") for _ in range(draw.choice((1, 1, 1, 2, 3)))]
    return (PROGRAM, tuple(frame(name) for name in names))


def draw_rows(seed):
    draw = random.Random(seed)
    places = [draw_place(draw) for _ in range(25)]
    return [
        (
            [draw.choice(places) for _ in range(draw.randint(1, 9))],
            draw.randint(1, 50),
            (10, draw.choice((11, 12)), f"worker{draw.randint(1, 2)}", "prog"),
            draw.random() < 0.2,
        )
        for _ in range(60)
    ]


def chain(stack):
    """The functions from the root to the innermost one."""
    return [
        (module, name) for module, frames in stack for name in ([name for name, _, _ in frames] or [None])
    ]


def sums(rows, function):
    """{function: [self, total]}, {(function, line, inlined into, at): self}, callers and callees of one
    function: {who: samples}."""
    tables = collections.defaultdict(lambda: [0, 0])
    lines, callers, callees = collections.Counter(), collections.Counter(), collections.Counter()
    for stack, samples, _, truncated in rows:
        names = chain(stack)
        tables[names[-1]][0] += samples
        for name in set(names):
            tables[name][1] += samples
        innermost = stack[-1][1][-1] if stack[-1][1] else (None, None, None)
        outermost = stack[-1][1][0] if len(stack[-1][1]) > 1 else (None, None, None)
        lines[(innermost[0], innermost[2], *outermost)] += samples
        if function in names:
            first, last = names.index(function), len(names) - 1 - names[::-1].index(function)
            callers[
                names[first - 1][1] if first else "[truncated]" if truncated else "[no caller]"
            ] += samples
            callees[names[last + 1][1] if last + 1 < len(names) else "[itself]"] += samples
    return tables, lines, callers, callees


def near(found, wanted):
    return abs(found - wanted) < 1e-6


def check_drawn(folder, seed):
    rows, profile = draw_rows(seed), Profile()
    for stack, samples, task, truncated in rows:
        profile.add(stack, samples, task, truncated=truncated)
    (folder / "drawn").write_text(json.dumps(profile.session()), encoding="utf-8")
    whole = sum(row[1] for row in rows)
    tables, lines, callers, callees = sums(rows, (PROGRAM, "c"))
    result = topdown(
        "report", "--lines", "--callers", "c", "--by", "thread", "--format", "json", folder / "drawn"
    )
    check_success(result, f"draw {seed}")
    found = json.loads(result.stdout)["profile"]
    check(
        found["samples"] == whole and not found["exact"] and found["event"] == "cpu-clock",
        f"draw {seed}: head",
        found["samples"],
    )
    shown = {(row["module"], row["name"]): row for row in found["functions"]}
    check(set(shown) == set(tables), f"draw {seed}: functions", sorted(map(str, shown)))
    for name, (own, total) in tables.items():
        row = shown[name]
        low, high = wilson(own, whole)
        check(
            near(row["self"], 100 * own / whole) and near(row["total"], 100 * total / whole),
            f"draw {seed}: {name}",
            row,
        )
        check(
            near(row["self_low"], max(low, 0)) and near(row["self_high"], high),
            f"draw {seed}: {name}: interval",
            (row, low, high),
        )
        check(row["samples"] == own and row["rough"] == (own < 30), f"draw {seed}: {name}: samples", row)
    inlined = ("inlined_into", "inlined_at_file", "inlined_at_line")
    shown = {
        (row["function"], row["line"], *(row.get(key) for key in inlined)): row["samples"]
        for row in found["lines"]
    }
    check(shown == lines, f"draw {seed}: lines", (shown, lines))
    for key, wanted in (("callers", callers), ("callees", callees)):
        rows_of = {row["name"]: row["samples"] for row in found["calls"][key]}
        check(rows_of == wanted, f"draw {seed}: {key}", (rows_of, wanted))
    unknown = sum(samples for stack, samples, *_ in rows if not stack[-1][1])
    check(
        near(found["unknown_percent"], 100 * unknown / whole),
        f"draw {seed}: unknown",
        found["unknown_percent"],
    )
    truncated = sum(row[1] for row in rows if row[3])
    check(
        near(found["truncated_percent"], 100 * truncated / whole),
        f"draw {seed}: truncated",
        found["truncated_percent"],
    )
    threads = collections.Counter()
    for _, samples, task, _ in rows:
        threads[f"{task[2]} ({task[1]})"] += samples
    check(
        {row["name"]: row["samples"] for row in found["threads"]} == threads,
        f"draw {seed}: threads",
        found["threads"],
    )


def check_parts(folder):
    """Intervals in the order of time, and ten of many threads that are all small."""
    intervals, profile = [(0, 5), (2, 40), (3, 15), (2, 20), (13, 20)], Profile()
    for number, (_, samples) in enumerate(intervals):
        profile.add([(PROGRAM, (frame("abcde"[number]),))], samples)
    session = profile.session()
    session["profile"]["rows"]["interval"] = [interval for interval, _ in intervals]
    (folder / "intervals").write_text(json.dumps(session), encoding="utf-8")
    found = json.loads(
        topdown("report", "--by", "interval", "--format", "json", folder / "intervals").stdout
    )["profile"]["intervals"]
    check(
        [(row["name"], row["self"], row["samples"]) for row in found]
        == [("1", 5, 5), ("3", 60, 60), ("4", 15, 15), ("14", 20, 20)],
        "intervals",
        found,
    )
    text = topdown("report", "--by", "interval", folder / "intervals").stdout
    check(
        re.findall(r"^ +([\d.]+) .* (\d+)$", text, re.M)
        == [("5.0", "1"), ("60.0", "3"), ("15.0", "4"), ("20.0", "14")],
        "as text",
        text,
    )
    check_times(folder, session)
    many = Profile()
    for number in range(300):
        many.add(
            [(PROGRAM, (frame("a"),))],
            4 if number % 30 == 7 else 3,
            task=(10, 100 + number, "worker", "prog"),
        )
    (folder / "many").write_text(json.dumps(many.session()), encoding="utf-8")
    text = topdown("report", "--by", "thread", folder / "many").stdout
    check(
        [int(tid) for tid in re.findall(r"worker \((\d+)\)", text)] == list(range(107, 400, 30)),
        "the ten largest of 300 threads",
        text,
    )
    text = topdown("report", "--by", "thread", "--percent-limit", "0.4", folder / "many").stdout
    check(len(re.findall(r"worker \(", text)) == 10, "--percent-limit", text)
    check("and 290 more threads: 95.6 %" in text, "and what the others have", text)


def check_times(folder, session):
    """The session says when its intervals were: each has a row then, with its own functions, and nobody has
    to ask for them."""
    times = {
        "from_s": [0.5 * number for number in range(6)],
        "to_s": [0.5 * number + 0.5 for number in range(6)],
    }
    rows = session["profile"]["rows"]
    rows["interval"] = [0, 2, 3, 2, 5]
    (folder / "times").write_text(
        json.dumps({**session, "profile": {**session["profile"], "intervals": times}}), encoding="utf-8"
    )
    found = json.loads(topdown("report", "--format", "json", folder / "times").stdout)["profile"]["intervals"]
    check(
        [(row["from_s"], row["to_s"], row["self"]) for row in found]
        == list(zip(times["from_s"], times["to_s"], (5, 0, 60, 15, 0, 20))),
        "an interval without samples is there too",
        found,
    )
    shares = [
        [
            (row["name"], row["samples"], near(row["self"], 100 * row["samples"] / 60))
            for row in found[2]["functions"]
        ],
        found[1]["functions"],
    ]
    check(shares == [[("b", 40, True), ("d", 20, True)], []], "functions in percent of their interval", found)
    text = topdown("report", folder / "times").stdout
    check(
        re.search(r"1\.000 to 1\.500 s +66\.7 .* 40  \[prog\]  b\n +33\.3 .* 20  \[prog\]  d\n", text),
        "as text, unasked",
        text,
    )
    again = json.loads(topdown("report", "--lines", "--format", "json", folder / "times").stdout)["profile"]
    check(len(again["intervals"]) == 6 and again["lines"], "beside lines too", again)
    sheet = list(csv.DictReader(io.StringIO(topdown("report", "--format", "csv", folder / "times").stdout)))
    check(
        [
            (row["function"], row["from_s"], row["samples"])
            for row in sheet
            if row["kind"] == "interval_function"
        ][1:3]
        == [("b", "1", "40"), ("d", "1", "20")],
        "CSV",
        sheet[-3:],
    )


def check_order(folder):
    """Of samples alone the functions come first; with --lines the lines do."""
    (first, second), asked = ("Functions", "Lines"), topdown("report", "--lines", folder / "many").stdout
    text = topdown("report", folder / "many").stdout
    check(0 <= text.find(f"{first} of ") < text.find(f"{second}:"), "functions above lines", text)
    check(0 <= asked.find(f"{second} of ") < asked.find(f"{first}:"), "--lines: lines above functions", asked)


def check_node(folder):
    """A session that was counted, of which a node's event was sampled beside cycles."""
    cycles = {**CLOCK, "event": "CPU_CLK_UNHALTED.THREAD", "period": 2000003}
    misses = {
        **CLOCK,
        "event": "MEM_LOAD_RETIRED.L3_MISS",
        "node": "tma_dram_bound",
        "period": 50021,
        "precise": 1,
        "wanted": 2,
        "lost": 3,
        "run": 1,
    }
    profile = Profile((cycles, misses))
    slow, fast, main = (PROGRAM, (frame("slow"),)), (PROGRAM, (frame("fast"),)), (PROGRAM, (frame("main"),))
    for stack, samples, event in (
        ([main, slow], 40, 0),
        ([main, fast], 60, 0),
        ([main, slow], 90, 1),
        ([main, fast], 10, 1),
    ):
        profile.add(stack, samples, event=event)
    head = read_json(SOURCE / "docs/sample-session.json")
    (folder / "node").write_text(json.dumps(profile.session(head)), encoding="utf-8")
    report = json.loads(topdown("report", "--functions", "--format", "json", folder / "node").stdout)
    found = report["profile"]
    check(
        found["title"] == "L3_Miss_Bound" and found["node"] == "tma_dram_bound" and found["lost"] == 3,
        "the node's event",
        found,
    )
    check(
        [(row["name"], row["self"], row["base"]) for row in found["functions"][:2]]
        == [("slow", 90, 40), ("fast", 10, 60)],
        "beside cycles",
        found["functions"],
    )
    check(
        "more_profiles" not in report and report["nodes"],
        "cycles have no tables of their own",
        report.get("more_profiles"),
    )
    text = topdown("report", "--functions", folder / "node").stdout
    check(
        re.search(
            r"Functions of L3_Miss_Bound, in percent of it:\n  100 samples of MEM_LOAD_RETIRED.L3_MISS\n"
            r" +Self % +95 % +Total % +Samples +Cycles % +Object +Function\n +90\.0 +82\.6 to 94\.5 +90\.0"
            r" +90 +40\.0 +\[prog\] +slow",
            text,
        ),
        "as text",
        text,
    )
    check("less precisely" in text and "3 samples were lost" in text, "what was given up", text)
    rows = [
        row
        for row in csv.DictReader(
            io.StringIO(topdown("report", "--functions", "--format", "csv", folder / "node").stdout)
        )
        if row["kind"] == "function"
    ]
    check(
        [(row["name"], row["function"], row["value"], row["base"]) for row in rows[:1]]
        == [("tma_dram_bound", "slow", "90", "40")],
        "CSV",
        rows,
    )
    none = topdown("report", "--per-function", folder / "node")
    check(
        "exact counts of a simulation" in none.stdout, "no tree per function of samples", none.stdout[-300:]
    )
    own = topdown("report", "--functions", "--module", "libx", folder / "node")
    check_failure(own, "a module that is not there", "nothing was recorded in 'libx'")
    check_failure(
        topdown("report", "--callers", "slwo", folder / "node"), "a misspelt function", "did you mean slow"
    )
    kept = json.loads(
        topdown("report", "--functions", "--thread", "worker", "--format", "json", folder / "node").stdout
    )
    check(
        near(kept["profile"]["kept_percent"], 100), "a filter that all pass", kept["profile"]["kept_percent"]
    )


def check_typed(folder):
    """What is near to a name that was typed is the program's own; a function with next to nothing says so; no
    option is ignored."""
    profile = Profile()
    main, spin, little = ((PROGRAM, (frame(name),)) for name in ("main", "spin", "trickle"))
    for stack, samples in (
        ([main, spin], 4000),
        ([main, little], 1),
        ([main, (LIBRARY, (frame("wcschr"),))], 30),
        ([main, (LIBRARY, (frame("memcpy"),))], 9),
    ):
        profile.add(stack, samples)
    (folder / "typed").write_text(json.dumps(profile.session(HEAD)), encoding="utf-8")

    def said(option, name):
        result = topdown("report", option, name, folder / "typed")
        check_failure(result, f"{option} {name}", f"nothing was recorded in a function '{name}'")
        return result.stderr

    check(
        said("--annotate", "nosuch").endswith("mostly in spin, wcschr, memcpy\n"),
        "nothing is near: the heaviest",
        said("--annotate", "nosuch"),
    )
    for option, name, near_one in (
        ("--callers", "spni", "did you mean spin?"),
        ("--annotate", "memcyp", "did you mean memcpy?"),
        ("--callers", "trickel", "did you mean trickle?"),
    ):
        check(near_one in said(option, name), name, said(option, name))
    text = " ".join(topdown("report", "--callers", "trickle", folder / "typed").stdout.split())
    check(
        "trickle [prog] has 0.0 % of time (1 sample) including callees" in text
        and "Next to nothing of time is there" in text,
        "one sample",
        text,
    )
    text = " ".join(topdown("report", "--annotate", "trickle", folder / "typed").stdout.split())
    check(
        "has 0.0 % of time (1 sample); lines" in text and "Next to nothing of time is there" in text,
        "one sample, annotated",
        text,
    )
    text = topdown("report", "--callers", "spin", folder / "typed").stdout
    check("(4000 samples)" in text and "Next to nothing" not in text, "many samples", text)
    for words in (
        ("-l3",),
        ("-B",),
        ("--metrics", "IPC"),
        ("--nodes", "DRAM_Bound"),
        ("--groups", "Mem"),
        ("--only-bottleneck",),
        ("--per-function",),
    ):
        check_failure(
            topdown("report", *words, folder / "typed"),
            f"{words} of samples",
            "samples but no counts",
            "--lines --save FILE PROGRAM",
        )


def check_trees_of_samples(folder):
    """Groups that were read with samples: each function has the tree of its own counts, which the test has
    chosen."""
    profile = Profile(({**CLOCK, "event": "ls_not_halted_cyc", "period": 100000},))
    hot, cold = (PROGRAM, (frame("hot"),)), (PROGRAM, (frame("cold"),))
    profile.add([hot], 60)
    profile.add([cold], 20)
    # Zen 4 has six slots a cycle; op_disp are those that were used, ret_ops those that retired.
    profile.add_group(
        0,
        [
            "ls_not_halted_cyc",
            "de_no_dispatch_per_slot.no_ops_from_frontend",
            "de_src_op_disp.all",
            "ex_ret_ops",
            "de_no_dispatch_per_slot.backend_stalls",
            "de_no_dispatch_per_slot.smt_contention",
        ],
    )
    for batch in range(10):
        profile.add_delta(
            hot, batch, 6, [6000, 36000 * 0.10, 36000 * 0.25, 36000 * 0.20, 36000 * 0.60, 36000 * 0.05]
        )
        varying = 0.5 + 0.02 * (batch - 4.5)
        profile.add_delta(
            cold, batch, 1, [1000, 6000 * varying, 6000 * 0.3, 6000 * 0.3, 6000 * (0.7 - varying), 0]
        )
    profile.add_delta(None, 0, 10, [3000, 9000, 4500, 4500, 4500, 0])
    counted = [
        {
            "event": event,
            "group": 1,
            "run": 1,
            "value": value,
            "raw": value,
            "enabled_ns": 1000,
            "running_ns": 1000,
            "state": "ok",
            "reason": None,
        }
        for event, value in zip(profile.groups[0][1], (1000, 600, 1500, 1200, 3000, 900))
    ]
    head = {**HEAD, "groups": 1, "counts": counted}
    file = folder / "trees"
    file.write_text(json.dumps(profile.session(head)), encoding="utf-8")
    trees = json.loads(topdown("report", "-l1", "--per-function", "--format", "json", file).stdout)[
        "function_trees"
    ]
    check(
        [(tree["name"], tree["mixed"], tree["samples"], tree["rough"]) for tree in trees]
        == [("hot", False, 60, False), ("cold", False, 10, True), (None, True, 10, True)],
        "functions, and what is mixed",
        trees,
    )
    shares = {
        "tma_frontend_bound": "frontend_bound",
        "tma_bad_speculation": "bad_speculation",
        "tma_backend_bound": "backend_bound",
        "tma_retiring": "retiring",
    }
    nodes = trees[0]["nodes"]
    names = {name: next(key for key in (name, short) if key in nodes) for name, short in shares.items()}
    check(
        [near(nodes[names[name]], value) for name, value in zip(shares, (10, 5, 60, 20))] == [True] * 4,
        "the hot function's tree",
        nodes,
    )
    check(
        near(trees[0]["nodes_high"][names["tma_retiring"]] - trees[0]["nodes_low"][names["tma_retiring"]], 0),
        "equal parts have no spread",
        trees[0],
    )
    front = names["tma_frontend_bound"]
    # The mean of ten equal parts: Student's t with 9 degrees of freedom, 2.262, times their deviation by the
    # root of ten.
    half = 2.262 * statistics.stdev([2 * i for i in range(10)]) / math.sqrt(10)
    check(
        near(trees[1]["nodes"][front], 50)
        and abs((trees[1]["nodes_high"][front] - trees[1]["nodes_low"][front]) / 2 - half) < 0.01,
        "an interval from the spread of the parts",
        (trees[1], half),
    )
    check(
        sum(tree["cycles_percent"] for tree in trees) > 99.9
        and near(trees[0]["cycles_percent"], 100 * 60000 / 73000),
        "shares",
        trees,
    )
    text = topdown("report", "-l1", "--per-function", file).stdout
    check(
        re.search(
            r"Tree per function.*\n.*Samples.*\n.*60 .*\[prog\] +hot\n.*~ 50\.0.*cold\n.*\(mixed\)", text
        ),
        "as text",
        text,
    )
    check("~ fewer than 30 samples: a rough tree" in text, "rough", text)
    rows = [
        row
        for row in csv.DictReader(
            io.StringIO(topdown("report", "-l1", "--per-function", "--format", "csv", file).stdout)
        )
        if row["kind"] == "function_node" and row["name"] == front
    ]
    check(
        [(row["function"], row["value"][:4], row["samples"]) for row in rows[:2]]
        == [("hot", "10", "60"), ("cold", "50", "10")],
        "CSV",
        rows,
    )
    one = topdown("report", "-l1", "--per-function=1", file).stdout
    check(
        " cold" not in one.split("Tree per function")[1] and "in other functions" in one,
        "only the hottest",
        one,
    )
    for key, value, words in (
        ("batch", 10, "expected a number below 10"),
        ("group", 1, "profile.deltas"),
        ("place", 7, "profile.deltas"),
    ):
        broken = profile.session(head)
        broken["profile"]["deltas"][key][0] = value
        (folder / "broken").write_text(json.dumps(broken), encoding="utf-8")
        check_failure(topdown("report", folder / "broken"), f"a delta's {key}", words)
    broken = profile.session(head)
    broken["profile"]["delta_values"]["value"].pop()
    (folder / "broken").write_text(json.dumps(broken), encoding="utf-8")
    check_failure(
        topdown("report", folder / "broken"), "a value is missing", "a value for each event of each delta"
    )


def check_names(folder):
    """Names are data from strangers."""
    names = [
        "<script>alert(1)</script>",
        "\x1b[31mred\x1b]0;title\x07",
        "n" * 10000,
        "a|b`c*d",
        "=cmd()",
        "caf\u00e9\u202e",
    ]
    profile = Profile()
    profile.remarks[LIBRARY] = "it is <b>gone</b>\x1b[1m"
    for name in names:
        profile.add(
            [(PROGRAM, ((name, f"/src/{name[:200]}.c", 7),))], 100, task=(10, 11, name[:15], name[:15])
        )
    profile.add([(LIBRARY, ())], 100)
    (folder / "names").write_text(json.dumps(profile.session()), encoding="utf-8")
    for form in ("text", "markdown", "csv", "json"):
        result = topdown(
            "report",
            "--lines",
            "--by",
            "thread",
            "--callers",
            names[1],
            "--annotate",
            names[0],
            "--format",
            form,
            folder / "names",
        )
        check(result.returncode == 0, f"{form}: {result.stderr}")
        check(
            not re.search(r"[\x00-\x08\x0b-\x1f\x7f\x9b\u202e]", result.stdout)
            or form in ("csv", "json")
            and "\x1b" not in result.stdout,
            f"{form}: control characters",
            result.stdout[:200],
        )
        check(
            form != "markdown" or "<script" not in re.sub(r"`[^`\n]*`|\\<", "", result.stdout),
            "Markdown: no markup of strangers",
        )
        check(
            form != "text" or max(map(len, result.stdout.splitlines())) <= 100,
            "text: names are cut",
            max(map(len, result.stdout.splitlines())),
        )
    found = json.loads(topdown("report", "--functions", "--format", "json", folder / "names").stdout)[
        "profile"
    ]
    kept = {
        name if len(name) <= 4096 else f"{name[:4093]}\u2026" for name in names
    }  # the long one is of ASCII
    check(
        {row["name"] for row in found["functions"]} == {*kept, None}, "JSON has them as they are, up to 4 kB"
    )
    check("it is <b>gone</b>" in " ".join(found["remarks"]), "why code has no names", found["remarks"])


SLOW = """
static volatile unsigned long sink;
__attribute__((noipa)) unsigned long slow(unsigned long n) { unsigned long s = 1; while (n--) s += 1000 / (s | 1); return s; }
__attribute__((noipa)) unsigned long three(void) { return slow(30000); }
__attribute__((noipa)) unsigned long one(void) { return slow(10000) + 1; }
int main(void) { sink = three() + one(); return 0; }
"""  # noqa: E501


def check_simulated(folder):
    if (
        not any((BUILD / "libexec/topdown").glob("topdown-*-linux"))
        or not shutil.which("valgrind")
        or not shutil.which("cc")
    ):
        print("simulations are left out: there is no simulator, Valgrind or compiler")
        return
    (folder / "slow.c").write_text(SLOW, encoding="utf-8")
    subprocess.run(["cc", "-O1", "-g", "-o", folder / "slow", folder / "slow.c"], check=True)
    result = topdown(
        "--pmu",
        "sim",
        "--sim-core",
        "skylake",
        "--anchor",
        "never",
        "-l3",
        "--lines",
        "--save",
        folder / "sim",
        "-o",
        folder / "out",
        folder / "slow",
    )
    check_success(result, "a simulation")
    check("Lines of Divider, in percent of it:" in (folder / "out").read_text(encoding="utf-8"), "its lines")
    words = (
        "report",
        "--lines",
        "--per-function=100000",
        "--nodes",
        "Divider,Backend_Bound,Retiring",
        "--format",
        "json",
    )
    report = json.loads(topdown(*words, folder / "sim").stdout)
    values = {node["name"]: node["value"] for node in report["nodes"]}
    for found in (report["profile"], *report["more_profiles"]):
        for key, share in (("functions", "self"), ("lines", "share")):
            total = sum(row[share] for row in found[key]) + found["nowhere_percent"]
            check(abs(total - 100) < 0.05, f"{found['title']}: {key} sum to the node", total)
        check(
            found["exact"]
            and found["unit"] == "slots"
            and found["functions"][0]["self_low"] == found["functions"][0]["self"],
            "exact",
        )
    divider = next(
        found for found in (report["profile"], *report["more_profiles"]) if found["title"] == "Divider"
    )
    check(
        divider["functions"][0]["name"] == "slow" and divider["functions"][0]["self"] > 95,
        "who divides",
        divider["functions"][:2],
    )
    trees = report["function_trees"]
    for tree in trees:
        level_1 = [
            tree["nodes"][name]
            for name in ("tma_frontend_bound", "tma_bad_speculation", "tma_backend_bound", "tma_retiring")
        ]
        check(abs(sum(level_1) - 100) < 1e-6, f"{tree['name']}: level 1", level_1)
    for name in ("tma_divider", "tma_backend_bound", "tma_retiring"):
        total = sum(tree["nodes"][name] * tree["cycles_percent"] / 100 for tree in trees)
        check(
            abs(total - values[name]) < 0.05,
            f"{name}: the functions' trees sum to the node",
            (total, values[name]),
        )
    check(trees[0]["name"] == "slow" and trees[0]["worst"] == "tma_divider", "the hottest", trees[0])
    source = topdown("report", "--annotate", "slow", "--nodes", "Divider", folder / "sim").stdout
    check(re.search(r"^ +(9\d|100)\.\d > 3  __attribute__", source, re.M), "the source of a function", source)
    check(
        "--annotate 'slow'" in source and "this one counted lines" in source.replace("\n", " "),
        "no instructions, and what would count them",
        source,
    )
    check_instructions(folder)
    if any(row["total"] > row["self"] for row in divider["functions"]):  # the simulator followed the calls
        found = json.loads(
            topdown(
                "report", "--callers", "slow", "--nodes", "Divider", "--format", "json", folder / "sim"
            ).stdout
        )
        ratio = {row["name"]: row["self"] for row in found["profile"]["calls"]["callers"]}
        check(abs(ratio["three"] / ratio["one"] - 3) < 0.05, "two callers of one function", ratio)


def sums_by_line(session):
    """Of each line of a function, innermost frames first: every count, and the number of its places."""
    profile, sums, frames, first, lines = session["profile"], {}, session["profile"]["frames"], 0, []
    for number in profile["places"]["frames"]:
        lines.append(
            tuple(
                (profile["texts"][frames["function"][i]], frames["line"][i])
                for i in range(first, first + number)
            )
        )
        first += number
    places = [profile["stacks"]["place"][stack] for stack in profile["rows"]["stack"]]
    for row, item, value in zip(
        profile["counts"]["row"], profile["counts"]["item"], profile["counts"]["value"]
    ):
        key = lines[places[row]], session["counts"][item]["event"]
        sums[key] = sums.get(key, 0) + value
    return sums


def check_instructions(folder):
    """The same simulation with the slots of each instruction of a function: they sum to those of its
    lines."""
    result = topdown(
        "--pmu",
        "sim",
        "--sim-core",
        "skylake",
        "--anchor",
        "never",
        "-l3",
        "--annotate",
        "slow",
        "--format",
        "json",
        "-o",
        folder / "code.json",
        "--save",
        folder / "code",
        folder / "slow",
    )
    check_success(result, "a simulation by instruction")
    lines, code = (read_json(folder / name) for name in ("sim", "code"))
    check(
        lines["lines"] == code["lines"] and sums_by_line(lines) == sums_by_line(code),
        "instructions sum to their lines",
    )
    check(
        len(code["profile"]["places"]["frames"]) > len(lines["profile"]["places"]["frames"]),
        "there are more places",
    )
    found = read_json(folder / "code.json")["annotation"]
    if not shutil.which("objdump"):
        print("instructions are left out: there is no objdump")
        return
    check(
        abs(sum(row["share"] for row in found["instructions"]) - 100) < 0.01,
        "instructions sum to the function",
        found,
    )
    hottest = max(found["instructions"], key=lambda row: row["share"])
    check(
        "div" in hottest["text"] and hottest["share"] > 95 and hottest["line"] == 3, "the division", hottest
    )
    check(any(row.get("jump") for row in found["instructions"]), "jumps", found["instructions"])
    again = json.loads(
        topdown(
            "report", "--annotate", "slow", "--nodes", "Divider", "--format", "json", folder / "code"
        ).stdout
    )["annotation"]
    check(again["instructions"] == found["instructions"], "the session has them")
    other = topdown("report", "--annotate", "main", "--nodes", "Retiring", folder / "code").stdout
    check("--annotate 'main'" in other, "those of another function take another simulation", other)


def check_sampled(folder):
    """The page's program, sampled here by time: its instructions, by objdump, have the samples of its
    function."""
    if not shutil.which("cc") or not shutil.which("objdump"):
        print("instructions are left out: there is no compiler, or no objdump")
        return
    program = re.search(r"```c\n(.*?)```", (SOURCE / "docs/WHERE.md").read_text(encoding="utf-8"), re.S)[1]
    (folder / "work.c").write_text(program, encoding="utf-8")
    subprocess.run(
        ["cc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", folder / "work", folder / "work.c"], check=True
    )
    result = topdown("sample", "-u", "-o", folder / "out", "--save", folder / "work.json", folder / "work")
    if result.returncode or not read_json(folder / "work.json")["profile"]["rows"]["stack"]:
        print("instructions are left out: nothing can be sampled here:", result.stderr)
        return
    found = json.loads(
        topdown("report", "--annotate", "hot", "--format", "json", folder / "work.json").stdout
    )["annotation"]
    code = found["instructions"]
    check(
        abs(sum(row["share"] for row in code) - 100) < 1e-6,
        "instructions have all samples of the function",
        sum(row["share"] for row in code),
    )
    check(abs(sum(row["share"] for row in found["lines"]) - 100) < 1e-6, "and so have lines", found["lines"])
    addresses = [int(row["address"], 16) for row in code]
    check(
        addresses == sorted(addresses)
        and all(int(row["jump"], 16) in addresses for row in code if "jump" in row),
        "jumps lead to instructions",
        code,
    )
    check(any("jump" in row for row in code), "a loop has a jump", code)
    text = topdown("report", "--annotate", "hot", folder / "work.json").stdout
    check(re.search(r"^ +\d+\.\d > +\d+ +s = part\(s, i\);$", text, re.M), "the hot line is marked", text)
    check("timer interrupt" in " ".join(text.split()), "the skid is said", text)
    (folder / "work.c").unlink()
    bare = topdown("report", "--annotate", "hot", folder / "work.json").stdout
    check(
        "Instructions:" in bare
        and "s = part(s, i)" not in bare
        and "work.c" in bare.split("Instructions:")[1],
        "without its source",
        bare,
    )
    (folder / "work").unlink()
    gone = topdown("report", "--annotate", "hot", folder / "work.json")
    check(
        gone.returncode == 0 and "There are no instructions: " in " ".join(gone.stdout.split()),
        "without the program",
        gone.stdout,
    )


def main():
    with temporary() as folder:
        for seed in range(DRAWS):
            check_drawn(folder, seed)
        check_parts(folder)
        check_order(folder)
        check_node(folder)
        check_typed(folder)
        check_trees_of_samples(folder)
        check_names(folder)
        check_simulated(folder)
        check_sampled(folder)
    finish()


main()
