#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""glossary.py FILE - writes a page of all nodes of all trees: what each means, why it hurts, what to try, and
which CPUs have it.

usage: glossary.py FILE | --check      TOPDOWN names the program

The target `glossary` writes build/glossary.md. --check makes the page and compares it with models/ and
models/glossary.json: each node of each model has a row in its family, with the glossary's words.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPDOWN = os.environ.get("TOPDOWN", ROOT / "build/topdown")
NODE = re.compile(r"TopdownL(\d)")

# In the order of the page; the first whose pattern fits a CPU's name has it.
FAMILIES = (
    ("The simulated core", r"sim$"),
    ("AMD Zen 4 and later", r"amdzen|generic-amd"),
    ("AmpereOne", r"ampere"),
    ("Arm C1, NVIDIA Olympus, Neoverse N3 and V3", r"c1-|olympus|neoverse-[nv]3"),
    ("HiSilicon Kunpeng 920", r"kunpeng"),
    ("Arm Neoverse and Cortex, A64FX", r"neoverse|cortex|a64fx|emag|thunderx2|generic-arm"),
    (
        "Intel E-cores",
        r".*-atom$|.*-lowpower$|alderlaken|grandridge|sierraforest|clearwaterforest|goldmont|snowridge|elkhartlake|silvermont|bonnell"  # noqa: E501
        r"|knightslanding|generic-atom|generic-intel-atom",
    ),
    ("Intel Core and Xeon", r"."),
)


def family_of(cpu):
    return next(title for title, pattern in FAMILIES if re.match(pattern, cpu))


def models():
    """{cpu: {name: level}} of what models/ has as nodes; a tree of one level at least."""
    found = {}
    for path in sorted((ROOT / "models").glob("*.json")):
        rows = json.loads(path.read_text(encoding="utf-8")).get("Metrics", [])
        nodes = {
            row["MetricName"]: int(NODE.search(row["MetricGroup"])[1])
            for row in rows
            if NODE.search(row.get("MetricGroup", ""))
        }
        if nodes and path.stem != "common":
            found[path.stem] = nodes
    return found


def words():
    """{name: words}, and those of the simulated core."""
    both = [
        json.loads((ROOT / f"models/{name}.json").read_text(encoding="utf-8"))
        for name in ("glossary", "glossary-sim")
    ]
    return both[0], {**both[0], **both[1]}


def titles():
    """{name: title} as topdown prints them, of all CPUs."""
    found = {}
    for cpu in models():
        if cpu == "sim":
            continue
        result = subprocess.run(
            [TOPDOWN, "list", "nodes", "--cpu", cpu, "--format", "json"],
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode == 0:
            found.update({row["name"]: row["title"] for row in json.loads(result.stdout)["nodes"]})
    return found


def title_of(name, known):
    return known.get(name) or re.sub(
        r"(^|_)([a-z])", lambda match: match[1] + match[2].upper(), name.removeprefix("tma_")
    )


def cells(*texts):
    return "| " + " | ".join(str(text).replace("|", "\\|") for text in texts) + " |"


def family_rows(trees, glossary, known):
    """A row for each node, by level and then in the glossary's order; with the CPUs that have it where not
    all have."""
    order = {name: number for number, name in enumerate(glossary)}
    nodes = {}
    for cpu, tree in trees.items():
        for name, level in tree.items():
            nodes.setdefault(name, (level, []))[1].append(cpu)
    for name, (level, cpus) in sorted(
        nodes.items(), key=lambda item: (order.get(item[0], len(order)), item[1][0])
    ):
        text = glossary.get(name, {})
        where = "all" if len(cpus) == len(trees) else ", ".join(cpus)
        yield cells(
            f"**{title_of(name, known)}**<br>`{name}`",
            level,
            text.get("means", ""),
            text.get("hurts", ""),
            text.get("try", ""),
            where,
        )


def page():
    usual, simulated = words()
    known, every = titles(), models()
    lines = [
        "# All nodes",
        "",
        (
            "Made from `models/` by `cmake --build build --target glossary`. `topdown explain NODE` prints"
            " the same of one node,"
        ),
        "with its formula and events on a CPU.",
        "",
    ]
    for title, _ in reversed(FAMILIES):
        trees = {cpu: tree for cpu, tree in every.items() if family_of(cpu) == title}
        lines += [
            f"## {title}",
            "",
            "CPUs: " + ", ".join(trees) + ".",
            "",
            cells("node", "level", "means", "why it hurts", "try", "on"),
            "|---|---|---|---|---|---|",
        ]
        lines += family_rows(trees, simulated if trees.keys() == {"sim"} else usual, known)
        lines.append("")
    return "\n".join(lines)


def check(text):
    """Each node of each model, in its family's part, once, with the glossary's words. Returns sentences about
    what is wrong."""
    usual, simulated = words()
    parts = {part.splitlines()[0]: part for part in text.split("\n## ")[1:]}
    wanted = {}
    for cpu, tree in models().items():
        wanted.setdefault(family_of(cpu), {}).update(tree)
    wrong = [f"the family {family} has no part" for family in wanted if family not in parts]
    for family, nodes in wanted.items():
        glossary = simulated if family == "The simulated core" else usual
        rows = [line for line in parts.get(family, "").splitlines() if line.startswith("| **")]
        for name in nodes:
            own = [row for row in rows if f"<br>`{name}` |" in row]
            if len(own) != 1:
                wrong.append(f"{family}: {name} has {len(own)} rows")
            elif (
                not glossary.get(name, {}).get("means")
                or glossary[name]["means"].replace("|", "\\|") not in own[0]
            ):
                wrong.append(f"{family}: {name} has not the glossary's words")
        if len(rows) != len(nodes):
            wrong.append(f"{family}: {len(rows)} rows, {len(nodes)} nodes")
    return wrong + ([] if sum(map(len, wanted.values())) > 200 else ["hardly a node was found"])


def main(argument):
    text = page()
    if argument != "--check":
        pathlib.Path(argument).write_text(text, encoding="utf-8")
        return 0
    wrong = check(text)
    print("\n".join(wrong) or f"{text.count('| **')} rows, all with words")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
