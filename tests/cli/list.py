#!/usr/bin/env python3
"""list.py - topdown list prints what the data files have (read here without it), and finds it by pattern."""
import csv
import fnmatch
import io
import json
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    NO_PMU,
    SOURCE,
    check,
    check_success,
    common_metrics,
    environment,
    finish,
    read_json,
    temporary,
    topdown,
)

TREE = ("│  └─ L2_Bound ", "│  ├─ L2_Bound ")
CPUS = ("skylakex", "cascadelakex", "sapphirerapids", "amdzen4", "amdzen5", "neoverse-n1", "neoverse-v1")
WORDS = ("cpus", "cores", "events", "metrics", "nodes", "groups")
MACHINES = {
    "xeon-clx": "skylake",
    "kvm-icx": "icelake",
    "xeon-spr": "golden-cove",
    "laptop-hybrid": "golden-cove",
    "kvm-zen3": "zen3",
    "epyc-zen4": "zen4",
    "epyc-zen5": "zen5",
    "graviton2": "neoverse-n1",
    "graviton3": "neoverse-v1",
    "ec2-m8g": "neoverse-v2",
}  # those of tests/machines/
FORMATS = ("text", "json", "csv", "markdown")
STEM = r"(?:[│ ]  )*[├└]─ "  # before a node's title; further lines of a row have none, or the bars alone


def heads(text, word):
    """The lines that begin a row: words about nodes and metrics go on below."""
    below = r"(?![│ ]|$)" if word == "nodes" else r"(?! )"
    return [line for line in text.splitlines() if re.match(rf"(?:{STEM}|{below})[^ ]", line)]


SIZES = {  # rows
    "text": lambda text, word: len(heads(text, word)) - 1,
    "json": lambda text, word: len(json.loads(text)[word]),
    "csv": lambda text, word: len(list(csv.DictReader(io.StringIO(text)))),
    "markdown": lambda text, word: text.count("\n") - 2,
}


def read(kind, cpu):
    return read_json(SOURCE / kind / f"{cpu}.json")


def listed(word, *words):
    result = topdown("list", word, *words, "--format", "json")
    check_success(result, f"list {word} {words}")
    return json.loads(result.stdout or "{}").get(word, [])


def parts(metric, key):
    return [part for part in metric.get(key, "").split(";") if part]


def level(metric):
    found = re.search(r"(?:^|;)TopdownL(\d)(?:;|$)", metric.get("MetricGroup", ""))
    return int(found[1]) if found else 0


def counter(name):
    return {"M": "metric", "F": "fixed" + name[-1]}.get(name[0], name)


def counters(text):
    """'0-2,fixed1' as a set of counters."""
    found = set()
    for part in text.split(","):
        first, *last = part.split("-")
        found |= set(map(str, range(int(first), int(last[0]) + 1))) if last else {first}
    return found


def with_system(folder, cpu, key):
    """The CPU's rows, and behind them those of the PMUs of the system around it."""
    systems = read("events", cpu)["Header"].get("System", "")
    return read(folder, cpu)[key] + [
        row for name in filter(None, systems.split(",")) for row in read(folder, f"system/{name}")[key]
    ]


def check_events(cpu):
    rows = with_system("events", cpu, "Events")
    found = listed("events", "--cpu", cpu)
    check([row["name"] for row in found] == [row["EventName"] for row in rows], f"{cpu}: names of the events")
    for row, expected in zip(found, rows):
        name = f"{cpu}: {row['name']}"
        allowed = (
            {counter(part.strip()) for part in expected["Counter"].split(",")}
            if "Counter" in expected
            else None
        )
        if allowed is not None:
            check(counters(row["counters"]) == allowed, f"{name}: counters", row["counters"])
        check(
            "Unit" not in expected or row["perf"].startswith(f"{expected['Unit']}/"),
            f"{name}: its PMU",
            row["perf"],
        )
        if "Unit" in expected and "KernelEvent" in expected:
            check(
                row["perf"].endswith(f"/{expected['KernelEvent']}/"),
                f"{name}: the kernel's name",
                row["perf"],
            )
            continue
        check(
            ("deprecated" in row["flags"]) == ("Deprecated" in expected), f"{name}: deprecated", row["flags"]
        )
        check(
            any("precise" in flag for flag in row["flags"]) == (expected.get("PEBS", "0") != "0"),
            f"{name}: precise",
        )
        code = int(expected.get("EventCode", "0").split(",")[0], 16)
        text = rf"/event=0x{code:x}[,/]" if "EventCode" in expected else rf"/{expected['Terms']}/"
        check(re.search(text, row["perf"]), f"{name}: perf", row["perf"])


def check_model(cpu):
    metrics = {metric["MetricName"]: metric for metric in with_system("models", cpu, "Metrics")}
    nodes = {node["name"]: node for node in listed("nodes", "--cpu", cpu)}
    others = {metric["name"]: metric for metric in listed("metrics", "--cpu", cpu)}
    check(
        set(nodes) == {name for name, metric in metrics.items() if level(metric)},
        f"{cpu}: names of the nodes",
    )
    common = common_metrics(metrics)
    ours = {name for name, vendors in common.items() if not vendors}
    check(set(others) == set(metrics) - set(nodes) | ours, f"{cpu}: names of the metrics")
    for name, vendors in common.items():
        check(
            others[vendors or name]["source"] == ("vendor" if vendors else "topdown"),
            f"{cpu}: {name}: whose it is",
        )
        check(
            vendors in (None, name) or name in others[vendors]["also_called"],
            f"{cpu}: {vendors} is found as {name}",
        )
    for name, row in {**nodes, **others}.items():
        if name in ours:
            continue
        metric = metrics[name]
        check(row["groups"] == parts(metric, "MetricGroup"), f"{cpu}: {name}: groups")
        check((row["domain"] or "") == metric.get("CountDomain", ""), f"{cpu}: {name}: domain", row["domain"])
        unit = re.sub(r"^[\d.eE+-]+", "", metric.get("ScaleUnit", ""))
        check((row["unit"] or "") == unit, f"{cpu}: {name}: unit", row["unit"])
    for name, row in {**nodes, **others}.items():
        check(row["means"], f"{cpu}: {name}: words", row["means"])
    for name, row in nodes.items():
        metric = metrics[name]
        check(row["level"] == level(metric), f"{cpu}: {name}: level", row["level"])
        check(
            row["threshold"] == metric.get("MetricThreshold"), f"{cpu}: {name}: threshold", row["threshold"]
        )
        check(row["sample"] == parts(metric, "LocateWith"), f"{cpu}: {name}: sample")
        check(
            row["level"] == 1 or row["path"].startswith(nodes[row["parent"]]["path"] + "."),
            f"{cpu}: {name}: path",
        )
    check_groups(cpu, metrics, nodes)


def check_groups(cpu, metrics, nodes):
    expected = {}
    for name, metric in metrics.items():
        for group in parts(metric, "MetricGroup"):
            count = expected.setdefault(group, [0, 0])
            count[0 if name in nodes else 1] += 1
    expected["Common"] = [0, len(common_metrics(metrics))]
    found = {row["group"]: [row["nodes"], row["metrics"]] for row in listed("groups", "--cpu", cpu)}
    check(found == expected, f"{cpu}: groups")


def check_cpus():
    found = {row["name"]: row for row in listed("cpus")}
    for cpu in CPUS:
        events, model = read("events", cpu)["Header"], read("models", cpu)["Header"]
        expected = dict(
            name=cpu,
            short_name=events["ShortName"],
            title=events["Title"],
            vendor=events["Vendor"],
            model_version=model["Version"],
            tma_version=model.get("TmaVersion"),
            metrics="published",
            directory="built in",
        )
        check(found.get(cpu) == expected, f"list cpus: {cpu}", found.get(cpu))
    with temporary() as folder:
        for kind in ("events", "models"):
            (folder / kind).mkdir()
            (folder / kind / "amdzen4.json").write_bytes((SOURCE / kind / "amdzen4.json").read_bytes())
        rows = {row["name"]: row["directory"] for row in listed("cpus", "--db", folder)}
        check(
            rows["amdzen4"] == str(folder) and rows["amdzen5"] == "built in", "where a CPU's files are", rows
        )


def check_cores():
    """Each core has a row; its figures have a source that its header explains; of snapshots the right one is
    the machine's."""
    files = {path.stem: read_json(path) for path in (SOURCE / "events/sim").glob("*.json")}
    found = listed("cores")
    check([row["name"] for row in found] == sorted(files), "list cores: names", found)
    for row in found:
        header, figures = files[row["name"]]["Header"], files[row["name"]]["Parameters"]
        check(
            header["Core"] == row["name"] and header["Title"] == row["title"],
            f"{row['name']}: its names",
            header,
        )
        check(
            {figure["Source"] for figure in figures} == set(header["Sources"]),
            f"{row['name']}: each source has figures, each figure a source",
        )
    for machine, core in MACHINES.items():
        own = [
            row["name"]
            for row in listed("cores", "--sysroot", SOURCE / "tests/machines" / machine)
            if row["this_machine"]
        ]
        check(own == [core], f"{machine}: its core", own)
    with temporary() as folder:
        (folder / "events/sim").mkdir(parents=True)
        (folder / "events/mapfile.csv").write_bytes((SOURCE / "events/mapfile.csv").read_bytes())
        (folder / "events/sim/a, b.json").write_text(json.dumps(files["zen4"]), encoding="utf-8")
        names = {row["name"] for row in listed("cores", "--db", folder)}
        check(names == {"a, b", *files}, "a core of one's own", names)
        check([row["name"] for row in listed("cores", "ice")] == ["icelake"], "a core by pattern")


def check_patterns():
    names = [row["name"] for row in listed("events", "--cpu", "clx")]
    for pattern in ("inst_retired*", "*MISS", "L1D.REPLACEMEN?", "[IU]*.any"):
        expected = [name for name in names if fnmatch.fnmatchcase(name.lower(), pattern.lower())]
        found = [row["name"] for row in listed("events", "--cpu", "clx", pattern)]
        check(found == expected and expected, f"pattern {pattern}", found)
    expected = [name for name in names if "miss" in name.lower()]
    check([row["name"] for row in listed("events", "--cpu", "clx", "Miss")] == expected, "a part of a name")
    for pattern in ("dram_bound", "tma_dram_bound", "DRAM_B*", "*.Memory_Bound.DRAM_Bound", "L3_Miss_Bound"):
        found = [row["name"] for row in listed("nodes", "--cpu", "clx", pattern)]
        check(
            "tma_dram_bound" in found and len(found) < 9, f"the node {pattern}, and what is below it", found
        )
    check("sapphirerapids" in [row["name"] for row in listed("cpus", "spr")], "a CPU by its short name")
    groups = [row["group"] for row in listed("groups", "topdownl?", "--cpu", "zen4")]
    check(groups == ["TopdownL1", "TopdownL2"], "groups by pattern", groups)


def check_formats():
    """The same rows in all formats; a tree in the text; this machine's CPU without --cpu."""
    machine = SOURCE / "tests/machines/graviton3"
    for word in WORDS:
        sizes = set()
        for form in FORMATS:
            result = topdown("list", word, "--sysroot", machine, "--format", form)
            check_success(result, f"list {word} --format {form}")
            sizes.add(SIZES[form](result.stdout, word))
        check(len(sizes) == 1, f"list {word}: as many rows in all formats", sizes)
    for word in ("metrics", "nodes"):
        for cpu in CPUS:
            wide = [
                line for line in topdown("list", word, "--cpu", cpu).stdout.splitlines() if len(line) > 100
            ]
            check(not wide, f"{cpu}: list {word} in 100 columns", wide[:3])
    tree = topdown("list", "nodes", "--cpu", "clx").stdout.splitlines()
    check(any(line.startswith(TREE) for line in tree), "a tree", tree[:5])
    ascii_tree = topdown("list", "nodes", "--cpu", "clx", env=environment(LC_ALL="C")).stdout
    check(ascii_tree.isascii() and "|  +- L2_Bound " in ascii_tree, "a tree in ASCII")
    check(topdown("list", "cpus", "--sysroot", NO_PMU).returncode == 0, "CPUs, wherever")
    with temporary() as folder:
        check_success(topdown("list", "events", "--cpu", "clx", "-o", folder / "out"), "list -o")
        expected = topdown("list", "events", "--cpu", "clx").stdout
        check((folder / "out").read_text(encoding="utf-8") == expected, "-o FILE")


for name in CPUS:
    check_events(name)
    check_model(name)
check_cpus()
check_cores()
check_patterns()
check_formats()
finish()
