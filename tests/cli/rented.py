#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rented.py - what topdown plans and says for rented machines (tests/machines/README.md), by their files
alone.

What is expected is read here from the snapshot's own files (the events that its kernel lists, the flags of
its CPU) and from the vendor's event codes; the words about instance types are those of docs/CLOUD.md.
"""
import json
import re
import shutil
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, finish, temporary, topdown

MACHINES = SOURCE / "tests/machines"
INTEL = {
    "ec2-m7i": "sapphirerapids",
    "kvm-icx": "icelakex",
    "gce-c4": "emeraldrapids",
    "kvm-gnr": "graniterapids",
}
LEVEL1 = {"tma_frontend_bound", "tma_bad_speculation", "tma_backend_bound", "tma_retiring"}
LEVEL2 = {
    "tma_fetch_latency",
    "tma_fetch_bandwidth",
    "tma_branch_mispredicts",
    "tma_machine_clears",
    "tma_memory_bound",
    "tma_core_bound",
    "tma_light_operations",
    "tma_heavy_operations",
}
# Arm's codes of what a small Graviton hides, by the architecture's manual.
HIDDEN = {
    "STALL_SLOT": 0x3F,
    "STALL_SLOT_FRONTEND": 0x3E,
    "STALL_SLOT_BACKEND": 0x3D,
    "OP_RETIRED": 0x3A,
    "OP_SPEC": 0x3B,
}
STALLED = {"frontend_stalled_cycles", "backend_stalled_cycles"}
ROOTS = {"frontend_bound", "backend_bound", "retiring", "bad_speculation"}


def plan(name, level, *words):
    result = topdown("plan", f"-l{level}", "--sysroot", MACHINES / name, "--format", "json", *words)
    check(result.returncode == 0, f"{name}: plan -l{level}: exit status", result.stderr)
    return json.loads(result.stdout), result.stderr


def groups_of(document):
    return [group for run in document["runs"] for group in run["groups"]]


def planned(document):
    """Metrics that the plan gives a value, in one group or in several."""
    return {name for group in groups_of(document) for name in group["metrics"]} | set(document["split_over"])


def checks_of(name, level=3):
    result = topdown("doctor", f"-l{level}", "--format", "json", "--sysroot", MACHINES / name)
    check(result.returncode == 1, f"{name}: doctor: exit status", result.returncode)
    return {item["check"]: item for item in json.loads(result.stdout)["checks"]}


def check_finding(name, key, state, *parts, level=3):
    item = checks_of(name, level)[key]
    text = " ".join(filter(None, (item["found"], item["means"], item["change"])))
    check(
        item["state"] == state and all(part in text for part in parts),
        f"{name}: doctor: {key} is {state}, {parts}",
        item,
    )


def listed(name):
    (folder,) = (MACHINES / name / "sys/bus/event_source/devices").glob("*/events")
    return {path.name: path.read_text().strip() for path in folder.iterdir()}


def check_intel(name, cpu):
    """No slots, no PERF_METRICS: all of levels 1 and 2 from events of general counters."""
    check(
        not {"slots", "topdown-retiring"} & set(listed(name)), f"{name}: the snapshot shows no PERF_METRICS"
    )
    for counters in (8, 6, 5, 4, 3, 2):
        document, warnings = plan(name, 2, "--counters", str(counters))
        check(document["cpu"] == cpu and document["form"] == "general", f"{name}: the form", document["form"])
        check(
            LEVEL1 | LEVEL2 <= planned(document),
            f"{name}: levels 1 and 2 with {counters} counters",
            sorted(planned(document)),
        )
        names = {event["name"] for group in groups_of(document) for event in group["events"]}
        check(
            not any(each.startswith("PERF_METRICS") or each == "TOPDOWN.SLOTS" for each in names),
            f"{name}: events",
            names,
        )
        general = [
            sum(event["counter"] == "gp" for event in group["events"]) for group in groups_of(document)
        ]
        check(max(general) <= counters, f"{name}: at most {counters} general counters", general)
        check(not warnings, f"{name}: nothing to warn of", warnings)
    check_finding(name, "slots", "limits", "none", "shows no PERF_METRICS", "exact")


def check_hidden_cache_events():
    """A PMU of Google's architectural type has no last-level cache events: those of CPUID leaf 0xa are not
    listed."""
    check(
        "cache-misses" not in listed("gce-c4") and "cache-misses" in listed("ec2-m7i"), "gce-c4: the snapshot"
    )
    for name, has in (("gce-c4", False), ("ec2-m7i", True)):
        result = topdown(
            "plan", "-e", "LONGEST_LAT_CACHE.MISS", "-l1", "--sysroot", MACHINES / name, "--format", "json"
        )
        events = {
            event["name"] for group in groups_of(json.loads(result.stdout)) for event in group["events"]
        }
        check(
            ("LONGEST_LAT_CACHE.MISS" in events) == has,
            f"{name}: LONGEST_LAT_CACHE.MISS is planned: {has}",
            sorted(events),
        )


def check_graviton(name, cpu):
    """What the kernel does not list is not planned, for it would count 0; what needs it is named, with the
    reason."""
    codes = {int(re.search(r"event=(0x[0-9a-f]+)", text)[1], 16) for text in listed(name).values()}
    absent = {event for event, code in HIDDEN.items() if code not in codes}
    check(absent == set(HIDDEN), f"{name}: the snapshot hides {sorted(absent)}")
    document, warnings = plan(name, 1)
    check(document["cpu"] == cpu, f"{name}: CPU", document["cpu"])
    wide, _ = plan(name, 6)
    for each in (document, wide):
        events = {
            int(re.search(r"event=(0x[0-9a-f]+)", event["perf"])[1], 16)
            for group in groups_of(each)
            for event in group["events"]
        }
        unlisted = {code for code in events if code < 0x40} - codes
        check(not unlisted, f"{name}: planned, and not listed", unlisted)
    check(STALLED <= planned(document), f"{name}: stalled cycles are planned", sorted(planned(document)))
    check(
        {"STALL_FRONTEND", "STALL_BACKEND"}
        <= {event["name"] for group in groups_of(document) for event in group["events"]},
        f"{name}: their events",
        document["runs"],
    )
    if cpu == "neoverse-n1":
        return  # its tree is of cycles
    check(ROOTS <= set(document["not_countable"]), f"{name}: not countable", document["not_countable"])
    check(
        "STALL_SLOT" in warnings and "this virtual machine does not have the event" in warnings,
        f"{name}: the reason",
        warnings,
    )
    check_finding(name, "events", "limits", "STALL_SLOT", "The other 2 nodes have one", level=1)
    check_finding(name, "model", "limits", "Stalled cycles are shown instead", level=1)
    text = topdown("plan", "-l1", "--sysroot", MACHINES / name).stdout
    check("Stalled cycles are shown instead" in text.replace("\n", " "), f"{name}: the plan says so", text)
    check_still_selected(name)


def check_still_selected(name):
    """What is asked for by name is the answer, without the stand-ins."""
    for option, words, expected in (
        ("--nodes", "Backend_Bound", set()),
        ("--metrics", "IPC", {"ipc"}),
        ("--metrics", "Backend_Stalled_Cycles", {"backend_stalled_cycles"}),
    ):
        result = topdown("plan", option, words, "--sysroot", MACHINES / name, "--format", "json")
        check(planned(json.loads(result.stdout)) == expected, f"{name}: {option} {words}", result.stdout)


def check_old_arm_kernel():
    """Before Linux 5.10 the kernel did not know these names, so that their absence says nothing."""
    with temporary() as folder:
        shutil.copytree(MACHINES / "ec2-c7g", folder / "machine")
        (folder / "machine/proc/sys/kernel/osrelease").write_text("5.4.0-1021-aws\n")
        result = topdown("plan", "-l1", "--sysroot", folder / "machine", "--format", "json")
        found = planned(json.loads(result.stdout))
        check(
            ROOTS <= found and not STALLED & found and not result.stderr,
            "an old kernel on Arm",
            result.stderr,
        )


def check_amd(name, cpu, counters):
    flags = re.search(r"flags\s*: (.*)", (MACHINES / name / "proc/cpuinfo").read_text())[1].split()
    check(("perfctr_core" in flags) == (counters == 6), f"{name}: the snapshot")
    document, _ = plan(name, 2)
    check(
        document["cpu"] == cpu and document["counters"]["general"] == counters,
        f"{name}: counters",
        document["counters"],
    )
    sizes = [len(group["events"]) for group in groups_of(document)]
    check(max(sizes) <= counters, f"{name}: groups of at most {counters}", sizes)
    if counters == 4:
        check_finding(name, "general_counters", "limits", "4 of 6, by cpuinfo")


def check_pairs():
    """AMD's events that count more than 15 in a cycle take two counters (code 0x03); a virtual machine's host
    pairs none."""
    event = "fp_ret_sse_avx_ops.all"
    for name, is_virtual in (
        ("ec2-m7a", True),
        ("ec2-m8a", True),
        ("kvm-zen3", True),
        ("epyc-zen4", False),
        ("epyc-zen5", False),
    ):
        flags = re.search(r"flags\s*: (.*)", (MACHINES / name / "proc/cpuinfo").read_text())[1].split()
        check(("hypervisor" in flags) == is_virtual, f"{name}: the snapshot")
        for spelling in (event, "cpu/event=0x3,umask=0xf/"):
            document, warnings = plan(name, 1, "-e", spelling)
            planned = any(
                "event=0x3," in each["perf"] for group in groups_of(document) for each in group["events"]
            )
            check(planned != is_virtual, f"{name}: {spelling} is planned: {not is_virtual}", document)
            check(
                ("takes two counters" in warnings) == is_virtual, f"{name}: {spelling}: the reason", warnings
            )
        found = checks_of(name)["events"]["found"]
        check(("code 0x03" in found) == is_virtual, f"{name}: doctor: events", found)
    result = topdown("plan", "-l1", "-e", event, "--cpu", "amdzen5", "--format", "json")
    check(event in result.stdout and not result.stderr, "no machine's plan has it", result.stderr)


def check_instances():
    """docs/CLOUD.md: from which size on all events are there, and whether smaller ones have some."""
    rows = {
        "m7i.xlarge": ("a part of the events for sizes below m7i.24xlarge", "rent m7i.24xlarge or larger"),
        "m7i-flex.large": ("a part of the events for sizes below m7i-flex.24xlarge",),
        "c7g.16xlarge": ("all events for this size",),
        "c7g.8xlarge": ("a part of the events for sizes below c7g.16xlarge",),
        "r6i.4xlarge": ("no events for sizes below r6i.16xlarge", "rent r6i.16xlarge or larger"),
        "m6a.xlarge": ("no events for sizes below m6a.24xlarge",),
        "c5.4xlarge": ("no events for sizes below c5.9xlarge",),
        "m5d.12xlarge": ("all events for this size",),
        "m8i.24xlarge": ("a part of the events for sizes below m8i.48xlarge",),
        "t3.micro": ("Sizes with a whole socket have all events", "rent a metal size"),
        "odd": ("Sizes with a whole socket have all events",),
    }
    with temporary() as folder:
        shutil.copytree(MACHINES / "ec2-m7i", folder / "machine")
        for product, parts in rows.items():
            (folder / "machine/sys/class/dmi/id/product_name").write_text(product + "\n")
            result = topdown("doctor", "--format", "json", "--sysroot", folder / "machine")
            item = next(item for item in json.loads(result.stdout)["checks"] if item["check"] == "hypervisor")
            text = f"{item['means']} {item['change']}"
            check(
                f"Amazon EC2 {product}" in item["found"] and all(part in text for part in parts),
                f"{product}: {parts}",
                item,
            )
    check_finding("gce-c4", "hypervisor", "limits", "C4 and C4A", "performanceMonitoringUnit")
    check_finding("azure-v6", "hypervisor", "limits", "gives no counters", "Set-VMProcessor")
    check_finding("kvm-icx", "hypervisor", "limits", "no PERF_METRICS", "pmu=on")


def check_words():
    """Text and Markdown have no more than 80 columns, and all machines are known ones."""
    for name in (*INTEL, "azure-v6", "ec2-m7a", "ec2-m8a", "kvm-zen3", "ec2-m6g", "ec2-c7g", "ec2-m8g"):
        text = topdown("doctor", "--sysroot", MACHINES / name).stdout
        check_all(text.splitlines(), lambda line: len(line) <= 80, f"{name}: 80 columns")
        what = "metrics" if name == "kvm-zen3" else "nodes"  # it has no tree
        result = topdown("list", what, "--sysroot", MACHINES / name)
        check(result.returncode == 0 and not result.stderr, f"{name}: list nodes", result.stderr)
        result = topdown("list", "events", "--sysroot", MACHINES / name)
        check(result.returncode == 0 and result.stdout, f"{name}: list events", result.stderr)


DOCTOR_TEXT = """\
limits   Virtual machine   Amazon EC2 m7i.xlarge
                           AWS documents a part of the events for sizes below
                           m7i.24xlarge.
                           Change: rent m7i.24xlarge or larger, or a metal size
"""
SLOTS_TEXT = """\
limits   Slots             none
                           This machine shows no PERF_METRICS: levels 1 and 2
                           come from general events, which are exact. They take
                           general counters, and deeper levels depend on them.
                           Change: its host decides; a bare-metal instance has
                           PERF_METRICS
"""


def check_text():
    text = topdown("doctor", "--sysroot", MACHINES / "ec2-m7i").stdout
    for part in (DOCTOR_TEXT, SLOTS_TEXT):
        check(part in text, "ec2-m7i: the text of doctor", text)


check_text()
for machine, model in INTEL.items():
    check_intel(machine, model)
check_hidden_cache_events()
check_graviton("ec2-m6g", "neoverse-n1")
check_graviton("ec2-c7g", "neoverse-v1")
check_graviton("ec2-m8g", "neoverse-v2")
check_old_arm_kernel()
check_amd("ec2-m7a", "amdzen4", 6)
check_amd("ec2-m8a", "amdzen5", 6)
check_amd("kvm-zen3", "amdzen3", 4)
check_pairs()
check_instances()
check_words()
finish()
