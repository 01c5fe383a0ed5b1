#!/usr/bin/env python3
"""same_plan.py - the same input gives the same plan, byte by byte: whatever the addresses, the environment,
and the order of the files' rows."""
import json
import os
import random
import shutil
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, TOPDOWN, check, check_success, environment, finish, read_json, temporary, topdown

CASES = [
    ("cascadelakex", "-l6"),
    ("sapphirerapids", "-l6"),
    ("sapphirerapids", "-l3", "--per-node"),
    ("amdzen4", "-l2", "--watchdog", "on"),
    ("neoverse-v1", "-l2", "--counters", "3", "--watchdog", "on"),
    ("cascadelakex", "-l3", "--max-runs", "5"),
]
# Stack and heap elsewhere, freed memory overwritten, small blocks by mmap, and the encodings that there
# always are.
ENVIRONMENTS = {
    "a large environment": {f"PADDING_{i}": "x" * 1013 for i in range(40)},
    "other blocks": {"MALLOC_PERTURB_": "165", "MALLOC_MMAP_THRESHOLD_": "2048", "MALLOC_TOP_PAD_": "1"},
    "the C locale": {"LC_ALL": "C"},
    "no locale": {"LC_ALL": None},
}


def plan(case, what, env=None, **options):
    cpu, *words = case
    words = ["plan", "--cpu", cpu, *words, "--format", "json"]
    if options.get("program"):
        words.insert(0, TOPDOWN)
        words.insert(0, "-R")  # of setarch: the same addresses each time
    result = topdown(*words, env=env, **options)
    check_success(result, f"{case} with {what}")
    return result.stdout


def shuffled(folder, cpu):
    """A database whose events stand in another order."""
    for kind in ("events", "models"):
        (folder / kind).mkdir()
        for name in (f"{cpu}.json", "mapfile.csv", "cpus.json", "glossary.json"):
            if (SOURCE / kind / name).exists():
                shutil.copy(SOURCE / kind / name, folder / kind)
    path = folder / "events" / f"{cpu}.json"
    database = read_json(path)
    random.Random(7).shuffle(database["Events"])
    path.write_text(json.dumps(database), encoding="utf-8")


def check_case(case):
    expected = plan(case, "nothing else")
    check(json.loads(expected or "{}").get("runs"), f"{case}: there is a plan")
    for what, changes in ENVIRONMENTS.items():
        check(plan(case, what, env=environment(**changes)) == expected, f"{case}: the same plan with {what}")
    check(plan(case, "another folder", cwd="/") == expected, f"{case}: the same plan in another folder")
    if shutil.which("setarch") and os.system("setarch -R true 2>/dev/null") == 0:
        check(
            plan(case, "fixed addresses", program="setarch") == expected,
            f"{case}: the same plan with fixed addresses",
        )
    with temporary() as folder:
        shuffled(folder, case[0])
        check(
            plan((*case, "--db", folder), "events in another order") == expected,
            f"{case}: the same plan of events in another order",
        )


for each in CASES:
    check_case(each)
finish()
