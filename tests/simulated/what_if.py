#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""what_if.py - what --what-if promises of a kernel with one cause is what the mended kernel takes; --sim-core
with several names compares cores.
Exit status 77 without a simulator.

Nothing here is timed: both sides are simulations, which repeat.
"""
import csv
import json
import subprocess
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_failure,
    environment,
    finish,
    need_simulator,
    read_json,
    temporary,
    topdown,
)

KERNELS = BUILD / "kernels"
SIM = ("--pmu", "sim", "--sim-core", "skylake", "--no-anchor")
NEAR = 0.1  # the goal: promised by taken, less 1
SAME = ("--pinned", "--all-output")  # further runs write to what the first one does, which stdio asks about
WORST = ("branches", "divider", "l1")

# cause: the kernel that has it, and the same without it
PAIRS = {
    "branches": (
        ["mended", "branches", 1000000],
        ["mended", "branches", 1000000, 1],
    ),  # random data, sorted data
    "dependencies": (
        ["mended", "dependencies", 200000],
        ["mended", "dependencies", 200000, 1],
    ),  # one chain, eight
    "divider": (["mended", "divider", 200000], ["mended", "divider", 200000, 1]),  # division, multiplication
    "ports": (["mended", "ports", 300000], ["mended", "ports", 300000, 1]),  # products, sums
    "fences": (["mended", "fences", 300000], ["mended", "fences", 300000, 1]),  # atomic additions, plain ones
    "dtlb": (["mended", "pages", 300000], ["mended", "pages", 300000, 1]),  # 256 pages, four
    "l1": (["chase", 128, 600000], ["chase", 16, 600000]),  # a table in L2, one in L1
    "sharing": (["falseshare", 500000, 8], ["falseshare", 500000, 128]),  # a line of four threads, padded
    "stores": (["stores", 16384, 300000], ["stores", 16, 300000]),  # stores to memory, to L1
}


def simulate(*words, sim=SIM):
    result = topdown(*sim, "--format", "json", *words)
    check(result.returncode == 0, f"{words}: exit status", result.stderr[-500:])
    return json.loads(result.stderr[result.stderr.index("{") :])


def kernel(words):
    return [KERNELS / words[0], *words[1:]]


def tried(report):
    return {row["name"]: row for row in report.get("what_if", [])}


def check_pair(cause):
    """Promised by a simulation without the cause, and taken by the kernel that does not have it."""
    broken, mended = PAIRS[cause]
    report = simulate("--what-if", "worst" if cause in WORST else cause, *kernel(broken))
    if cause not in tried(report):
        check(False, f"{cause}: worst finds it", tried(report))
        return
    before, after = (part["summary"]["cycles"] for part in (report, simulate(*kernel(mended))))
    row = tried(report)[cause]
    nodes = [node for node in report["nodes"] if node.get("if_fixed")]
    check(before / after > 1.1, f"{cause}: the kernel has the cause", (before, after))
    check(
        abs(row["speedup"] / (before / after) - 1) < NEAR,
        f"{cause}: promised and taken",
        (row["speedup"], before / after),
    )
    check(abs(before / row["cycles"] / row["speedup"] - 1) < 1e-9, f"{cause}: cycles and speed-up", row)
    check(
        {node["name"] for node in nodes} >= set(row["nodes"]) and row["nodes"],
        f"{cause}: its nodes have it",
        nodes,
    )


def check_gone(folder):
    """Of what a core is without nothing is lost: each parameter that no core has."""
    core = read_json(SOURCE / "events/sim/skylake.json")
    rows = (
        ("ideal_code", "ICache_Misses", ["code", 20000]),
        ("ideal_itlb", "ITLB_Misses", ["code", 20000]),
        ("ideal_l3", "DRAM_Bound", ["chase", 32768, 20000]),
        ("ideal_l2", "L3_Bound", ["chase", 2048, 50000]),
        ("ideal_branches", "Bad_Speculation", ["quicksort", 10000]),
        ("ideal_dtlb", "DTLB_Load", ["mended", "pages", 50000]),
    )
    for parameter, title, words in rows:
        path = folder / "ideal.json"
        path.write_text(
            json.dumps({**core, "Parameters": core["Parameters"] + [{"Name": parameter, "Value": 1}]}),
            encoding="utf-8",
        )
        reports = [
            simulate(*kernel(words), sim=("--pmu", "sim", "--no-anchor", "--sim-core", name))
            for name in ("skylake", path)
        ]
        shares = [node["value"] for report in reports for node in report["nodes"] if node["title"] == title]
        check(shares[0] > 1 and shares[1] <= 1e-9, f"{parameter}: {title} is gone", shares)


def check_same_core(folder):
    """A changed part is that of a core whose file has it."""
    core = read_json(SOURCE / "events/sim/skylake.json")
    changes = {
        "l2=128K": {"l2_kib": 128},
        "dram=300": {"dram_latency": 300},
        "l2=half+dram=half": {"l2_kib": 512, "dram_latency": None, "dram_line_cycles": None},
    }
    words = kernel(["chase", 1024, 200000])
    rows = tried(simulate(*SAME, "--what-if", "l2=128K,dram=300", "--what-if", "l2=half+dram=half", *words))
    for name, values in changes.items():
        own = json.loads(json.dumps(core))
        for parameter in own["Parameters"]:
            if parameter["Name"] in values:
                parameter["Value"] = values[parameter["Name"]] or parameter["Value"] // 2
        path = folder / "own.json"
        path.write_text(json.dumps(own), encoding="utf-8")
        cycles = simulate(*SAME, *words, sim=("--pmu", "sim", "--sim-core", path))["summary"]["cycles"]
        check(
            rows[name]["cycles"] == cycles and rows[name]["nodes"] == [],
            f"{name}: as a core of its own",
            (rows[name], cycles),
        )


def check_forms(folder):
    """All forms have it, and a session keeps it."""
    saved, words = folder / "saved.json", kernel(["divide", 30000])
    text = topdown(*SIM, "--what-if", "divider", "--what-if", "l2=2M", "--save", saved, *words)
    check("2 more times (--what-if): divider, l2=2M" in text.stderr, "it is announced", text.stderr)
    check(
        "If fixed" in text.stderr and "overstates" in text.stderr, "a column, and what it means", text.stderr
    )
    again = topdown("report", saved)
    check("If fixed" in again.stdout and "L2 has 2M" in again.stdout, "a report of the session", again.stdout)
    check("| If fixed |" in topdown("report", "--format", "markdown", saved).stdout, "Markdown")
    report = json.loads(topdown("report", "--format", "json", saved).stdout)
    speedup = tried(report)["divider"]["speedup"]
    rows = list(csv.DictReader(topdown("report", "--format", "csv", saved).stdout.splitlines()))
    check(
        [row["name"] for row in rows if row["kind"] == "what_if"] == ["divider", "l2=2M"],
        "CSV: lines",
        rows[-1],
    )
    fixed = [row["if_fixed"] for row in rows if row["kind"] == "node" and row["name"] == "tma_divider"]
    check(len(fixed) == 1 and abs(float(fixed[0]) / speedup - 1) < 1e-9, "CSV: the node", (fixed, speedup))


def check_sampled(folder):
    """A sample says what the whole run says, within its interval: a cache without misses has none between
    windows either."""
    words, saved = kernel(["chase", 128, 1600000]), folder / "sampled.json"
    whole, sample = (
        tried(simulate("--sim-sample", part, "--save", saved, "--what-if", "l1,l2", *words))
        for part in ("1", "0.1")
    )
    for name in ("l1", "l2"):
        check(whole[name]["ci95"] is None, f"{name}: all was modelled", whole[name])
        check(
            abs(sample[name]["speedup"] - whole[name]["speedup"]) <= sample[name]["ci95"] < NEAR,
            f"{name}: a sample says the same",
            (sample[name], whole[name]),
        )
    row = sample["l1"]
    shown = f"{row['speedup']:.2f}x ±{row['ci95']:.2f}"
    for form in ("text", "markdown"):
        check(shown in topdown("report", "--format", form, saved).stdout, f"the interval: {form}", shown)
    session = read_json(saved)
    for row in session["what_if"]:
        row["cycles"] *= 10
    session["what_if"].append({**session["what_if"][0], "name": "l1=half"})
    saved.write_text(json.dumps(session), encoding="utf-8")
    notes = json.loads(topdown("report", "--format", "json", saved).stdout)["notes"]
    slower = [note.split()[1] for note in notes if "came out slower" in note]
    check(slower == ["l1", "l2"], "what can't be is said; a smaller part may be slower", notes)


def check_interval(folder):
    """Half of a speed-up's interval is that of both runs' cycles, each as a part of them; the second run is
    that of a core whose file has the change."""
    core = read_json(SOURCE / "events/sim/skylake.json")
    for parameter in core["Parameters"]:
        if parameter["Name"] == "l2_kib":
            parameter["Value"] = 64
    path = folder / "small.json"
    path.write_text(json.dumps(core), encoding="utf-8")
    words = ("--pinned", "--all-output", "--sim-sample", "0.1", *kernel(["chase", 128, 1600000]))
    report = simulate("--what-if", "l2=64K", *words)
    second = simulate(*words, sim=("--pmu", "sim", "--no-anchor", "--sim-core", path))
    row = tried(report)["l2=64K"]
    parts = [
        part["summary"]["sampling"]["cycles_ci95"] / part["summary"]["cycles"] for part in (report, second)
    ]
    check(min(parts) > 0, "both runs are samples", parts)
    check(row["cycles"] == second["summary"]["cycles"], "the same core", (row, second["summary"]))
    check(abs(row["ci95"] / (row["speedup"] * sum(parts)) - 1) < 1e-6, "the interval", (row, parts))


def all_words():
    """As a refusal lists them."""
    said = topdown(*SIM, "--what-if", "quux", "true").stderr
    return said[said.index("there are ") + len("there are ") : said.index(" and worst")].split(", ")


BETTER = (
    ("0.1", ["quicksort", 20000]),
    ("1", ["chase", 128, 100000]),
    ("0.1", ["interpreter", 300000]),
    ("1", ["mended", "branches", 60000]),
)
ALLOWED = 0.03  # as in tests/simulator/monotone_test.c


def check_better():
    """No word makes a program slower, nor does a larger or quicker part: beyond the interval of a sample."""
    words = [*all_words(), "l2=double", "dram=half"]
    check(len(words) > 25, "words", words)
    for part, program in BETTER:
        allowed = ALLOWED if part == "1" else 0
        rows = tried(simulate(*SAME, "--sim-sample", part, "--what-if", ",".join(words), *kernel(program)))
        check(set(rows) == set(words), f"{program}: all were tried", set(words) - set(rows))
        check(
            all((row["ci95"] is None) == (part == "1") for row in rows.values()),
            f"{program}: intervals",
            rows,
        )
        slow = {
            name: row
            for name, row in rows.items()
            if row["speedup"] + (row["ci95"] or 0) < 1 - allowed - 1e-9
        }
        check(not slow, f"{program}: none is slower", slow)


def worst_title(report):
    return [node["title"] for node in report["nodes"] if node["worst_path"]][-1]


def check_close(folder):
    """Two causes that lost as much. By the core's latencies divisions hide behind products that take nearly
    as long, so removing them brings little. Removing the chain of products brings much."""
    core = {row["Name"]: row["Value"] for row in read_json(SOURCE / "events/sim/skylake.json")["Parameters"]}
    product, division = core["fp_multiply_latency"], core["fp_divide_64_latency"]
    chain, divisions, hidden = 8 * 2 / 5 * product, division, 3 * product
    expected = {
        "dependencies": (chain + divisions) / (8 * 2 / 5 / core["fp_units"] + divisions),
        "divider": (chain + divisions) / (chain + hidden),
    }
    check(hidden < divisions and chain < divisions, "the kernel's design", (chain, divisions, hidden))
    words, saved = kernel(["mended", "close", 400000]), folder / "close.json"
    plain = simulate(*words)
    lost = {node["title"]: node["value"] for node in plain["nodes"]}
    check(
        0 < lost["Divider"] - lost["Dependency_Chains"] < 5 and worst_title(plain) == "Divider",
        "close: by shares it is the divider",
        lost,
    )
    for part in ("1", "0.1"):
        report = simulate("--sim-sample", part, "--what-if", "worst", "--save", saved, *words)
        rows = report["what_if"]
        check(
            [row["name"] for row in rows[:2]] == ["dependencies", "divider"],
            f"close, {part}: the first",
            rows,
        )
        for row in rows[:2]:
            near = abs(row["speedup"] / expected[row["name"]] - 1) < NEAR
            check(near, f"close, {part}: {row['name']}", (row, expected))
        again = json.loads(topdown("report", "--format", "json", saved).stdout)
        for which in (report, again):
            said = [note for note in which["notes"] if "--what-if decides" in note]
            check(
                worst_title(which) == "Dependency_Chains"
                and len(said) == 1
                and said[0].endswith("so Dependency_Chains is the worst."),
                f"close, {part}: what-if decides",
                (worst_title(which), which["notes"]),
            )
    far = simulate("--what-if", "divider,dependencies", *kernel(PAIRS["divider"][0]))
    check(
        worst_title(far) == "Divider" and not any("decides" in note for note in far["notes"]),
        "one cause: nothing is decided",
        far["notes"],
    )


def check_runs(folder):
    """The program runs as often as is said, shows its output once, and each run has the same standard
    input."""
    script = f"cat >>{folder}/runs; echo shown"
    result = topdown(
        *SIM, "--trace-children", "no", "--what-if", "l1,l2", "--no-last", "sh", "-c", script, input="x\n"
    )
    check(
        (folder / "runs").read_text(encoding="utf-8") == "x\n" * 3 and result.stdout == "shown\n",
        "what-if: runs",
        result.stdout,
    )
    result = topdown(
        "--pmu", "sim", "--sim-core", "zen4,zen3", "--trace-children", "no", "sh", "-c", script, input="x\n"
    )
    check(
        (folder / "runs").read_text(encoding="utf-8") == "x\n" * 5 and result.stdout == "shown\n",
        "cores: runs",
        result.stdout,
    )


def check_interrupt(folder):
    """Ctrl-C during a further run loses nothing of those before."""
    script = f"echo x >>{folder}/begun; [ $(wc -l <{folder}/begun) -lt 3 ] || exec sleep 60"
    with subprocess.Popen(
        [TOPDOWN, *SIM, "--format", "json", "--what-if", "l1,l2,l3", "sh", "-c", script],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    ) as process:
        begun = folder / "begun"
        while process.poll() is None and (not begun.exists() or len(begun.read_text(encoding="utf-8")) < 6):
            time.sleep(0.05)
        process.send_signal(2)
        output = process.communicate(timeout=PATIENCE)[1]
    report = json.loads(output[output.index("{") :])
    check(
        list(tried(report)) == ["l1"] and any("interrupted" in note for note in report["notes"]),
        "interrupted",
        (tried(report), report["notes"]),
    )


def check_words():
    check_failure(topdown(*SIM, "--what-if", "brances", "true"), "a misspelt word", "'brances'", "branches")
    check_failure(
        topdown(*SIM, "--what-if", "l1,quux", "true"), "an unknown word", "'quux'", "dependencies", "worst"
    )
    check_failure(topdown(*SIM, "--what-if", "l2=3", "true"), "a size without a unit", "l2=3", "l2=2M")
    check_failure(topdown(*SIM, "--what-if", "l2=9999G", "true"), "a size beyond all", "l2=9999G", "1024M")
    check_failure(topdown(*SIM, "--what-if", "dram=0", "true"), "no cycles", "dram=0", "2000")
    check_failure(
        topdown(*SIM, "--what-if", "ports=2", "true"),
        "a value for a word without one",
        "ports=2",
        "takes no value",
    )
    check_failure(topdown(*SIM, "--what-if", ",", "true"), "an empty list", "--what-if", "branches")
    check_failure(topdown(*SIM, "--what-if", "l1,+", "true"), "nothing between +", "--what-if", "branches")
    check_failure(
        topdown(*SIM, "--what-if", "l1", "--per-thread", "true"), "threads", "--what-if", "--per-thread"
    )
    check_failure(
        topdown("--pmu", "cpu", "--what-if", "l1", "--cpu", "clx", "true"),
        "counted",
        "--what-if",
        "--pmu sim",
    )


def check_cores(folder):
    """A part for each core, as it is by itself."""
    words, saved = kernel(["mended", "branches", 200000]), folder / "cores.json"
    result = topdown(
        "--pmu", "sim", *SAME, "--sim-core", "zen4,neoverse-v2,skylake,zen4", "--save", saved, *words
    )
    table = [line.split() for line in result.stderr.splitlines()]
    names = ["zen4", "neoverse-v2", "skylake"]
    check([row[0] for row in table if row and row[0] in names] == names, "a row for each core", result.stderr)
    check(min(row[3] for row in table if row and row[0] in names) == "1.00", "the quickest", result.stderr)
    reports = json.loads(topdown("report", "--format", "json", saved).stdout)["parts"]
    check(
        [part["part"] for part in reports] == names
        and {part["part_kind"] for part in reports} == {"core model"},
        "parts",
        [part["part"] for part in reports],
    )
    for name, part in zip(names, reports):
        alone = simulate(*SAME, *words, sim=("--pmu", "sim", "--sim-core", name))
        check(
            alone["summary"]["cycles"] == part["summary"]["cycles"],
            f"{name}: as by itself",
            part["summary"]["cycles"],
        )
    check(f"[{names[1]}]" in topdown("report", "-v", saved).stdout, "-v has the trees")
    sheet = csv.DictReader(topdown("report", "--format", "csv", saved).stdout.splitlines())
    check({row["part"] for row in sheet} == set(names), "CSV has them")
    check("| Core |" in topdown("report", "--format", "markdown", saved).stdout, "Markdown has them")
    for option in (["--what-if", "l1"], ["--layouts", "2"], ["--lines"], ["--per-thread"]):
        check_failure(
            topdown("--pmu", "sim", "--sim-core", "zen4,zen3", *option, "true"),
            "with several cores",
            option[0],
            "--sim-core",
        )
    check_failure(
        topdown("--pmu", "sim", "--sim-core", "zen4,skylak", "true"),
        "one that is not there",
        "'skylak'",
        "skylake",
        "list cores",
    )


def check_bad_core(folder):
    """A file that is no core costs nobody the others."""
    core = read_json(SOURCE / "events/sim/zen3.json")
    for parameter in core["Parameters"]:
        parameter["Value"] = 0 if parameter["Name"] == "width" else parameter["Value"]
    (folder / "none.json").write_text(json.dumps(core), encoding="utf-8")
    report = simulate("true", sim=("--pmu", "sim", "--sim-core", f"zen4,{folder}/none.json,zen5"))
    check(
        [part["part"] for part in report["parts"]] == ["zen4", "zen5"],
        "the others",
        [part["part"] for part in report["parts"]],
    )
    check(
        any("none" in note and "width" in note for note in report["parts"][0]["notes"]),
        "a note",
        report["parts"][0]["notes"],
    )


def main():
    need_simulator()
    check_words()
    for cause in PAIRS:
        check_pair(cause)
    with temporary() as folder:
        check_gone(folder)
        check_same_core(folder)
        check_forms(folder)
        check_sampled(folder)
        check_interval(folder)
        check_better()
        check_close(folder)
        check_runs(folder)
        check_cores(folder)
        check_bad_core(folder)
        check_interrupt(folder)
    finish()


main()
