#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""generic.py - CPUs that no data file knows: what of them is measured, what is said about it, and what their
kernel decides."""
import json
import shutil
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_failure, finish, temporary, topdown

MACHINES = SOURCE / "tests/machines"
DEVICES = "sys/bus/event_source/devices"
WHY = "No data file knows this CPU"
LEVEL_1 = ["tma_frontend_bound", "tma_bad_speculation", "tma_backend_bound", "tma_retiring"]
LEVEL_2 = [
    "tma_fetch_latency",
    "tma_fetch_bandwidth",
    "tma_branch_mispredicts",
    "tma_machine_clears",
    "tma_memory_bound",
    "tma_core_bound",
    "tma_light_operations",
    "tma_heavy_operations",
]
ARM_LEVEL_1 = ["frontend_bound", "bad_speculation", "backend_bound", "retiring"]
STALLS = ["frontend_stalled_cycles", "backend_stalled_cycles"]
UNKNOWN = {
    "intel-unknown": "generic-intel",
    "hybrid-unknown": "generic-intel:core",
    "amd-unknown": "generic-amd",
    "arm-unknown": "generic-arm",
    "arm-unknown-no-slots": "generic-arm-stalls",
}


def answer(*words):
    result = topdown(*words, "--format", "json")
    check(result.returncode in (0, 1) and not result.stderr, f"{words}: {result.returncode}", result.stderr)
    return json.loads(result.stdout)


def plans(machine, *words):
    found = answer("plan", "-l9", "--sysroot", machine, *words)
    return found.get("parts", [found])


def metrics_of(plan):
    return {name for run in plan["runs"] for group in run["groups"] for name in group["metrics"]} | set(
        plan["split_over"]
    )


def encodings(plan):
    return {
        event["name"]: event["perf"]
        for run in plan["runs"]
        for group in run["groups"]
        for event in group["events"]
    }


def nodes_here(machine, *words):
    """The nodes, and those that this machine has not, with the reason."""
    rows = answer("list", "nodes", "--sysroot", machine, *words)["nodes"]
    return [row["name"] for row in rows], {row["name"]: row["failure"] for row in rows if row["failure"]}


class Copy:
    """A machine with other files."""

    def __init__(self, folder, name, pmu="cpu"):
        self.path = folder / f"{name}{len(list(folder.iterdir()))}"
        shutil.copytree(MACHINES / name, self.path)
        self.events = self.path / DEVICES / pmu / "events"

    def without(self, *patterns):
        for pattern in patterns:
            for file in list(self.events.glob(pattern)):
                file.unlink()
        return self

    def set(self, name, text):
        (self.events / name).write_text(text + "\n", encoding="utf-8")
        return self

    def cpuinfo(self, old, new):
        file = self.path / "proc/cpuinfo"
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        return self


def check_said():
    """The plan, doctor and the list say that it is generic; a CPU that is known is not called so."""
    listed = {row["name"]: row for row in answer("list", "cpus")["cpus"]}
    for machine, cpu in UNKNOWN.items():
        first = plans(MACHINES / machine)[0]
        check(
            first["cpu"] == cpu and first["generic"].startswith(WHY),
            f"{machine}: the plan",
            (first["cpu"], first["generic"]),
        )
        text = topdown("plan", "--sysroot", MACHINES / machine).stdout
        check(WHY in text, f"{machine}: the plan's text", text)
        items = {item["check"]: item for item in answer("doctor", "--sysroot", MACHINES / machine)["checks"]}
        check(
            items["cpu"]["state"] == "limits" and items["cpu"]["found"].startswith(cpu + ": "),
            f"{machine}: doctor",
            items["cpu"],
        )
        check("topdown import" in items["cpu"]["change"], f"{machine}: doctor's remedy", items["cpu"])
        check(listed[cpu]["metrics"] == "generic", f"{cpu}: list cpus", listed[cpu])
    for name, words in (("xeon-spr", "published"), ("graviton3", "published")):
        first = plans(MACHINES / name)[0]
        check(
            first["generic"] is None and listed[first["cpu"]]["metrics"] == words,
            f"{name} is known",
            first["cpu"],
        )
    a78 = listed["cortex-a78"]
    check(a78["metrics"] == "generic", "a core with events and no metrics", a78)


def check_intel(folder):
    whole = MACHINES / "intel-unknown"
    names, missing = nodes_here(whole)
    check(sorted(names) == sorted(LEVEL_1 + LEVEL_2) and not missing, "Intel: two levels", (names, missing))
    check(
        metrics_of(plans(whole)[0]) == set(LEVEL_1 + LEVEL_2),
        "Intel: all of them are planned",
        plans(whole)[0],
    )
    no_level_2 = Copy(folder, "intel-unknown").without(
        "topdown-heavy-ops", "topdown-br-*", "topdown-fetch-*", "topdown-mem-*"
    )
    missing = nodes_here(no_level_2.path)[1]
    check(sorted(missing) == sorted(LEVEL_2), "Intel: level 2 is where the kernel shows it", missing)
    check(
        "'topdown-mem-bound', which PMU cpu does not have" in missing["tma_memory_bound"],
        "Intel: the reason",
        missing,
    )
    check(
        metrics_of(plans(no_level_2.path)[0]) == set(LEVEL_1),
        "Intel: level 1 alone",
        plans(no_level_2.path)[0],
    )
    nothing = Copy(folder, "intel-unknown").without("topdown-*", "slots")
    plan = plans(nothing.path)[0]
    check(
        plan["cpu"] == "generic-intel-ratios" and {"ipc", "llc_mpki", "branch_mpki"} <= metrics_of(plan),
        "Intel: ratios",
        plan,
    )
    report = answer("doctor", "--sysroot", nothing.path)["checks"]
    model = next(item for item in report if item["check"] == "model")
    check("shows no topdown events" in model["means"], "Intel: why there is no tree", model)


def check_efficient(folder):
    """Plain events, with the codes that this kernel shows; as the other type of a hybrid, and alone."""
    codes = {
        "retiring": "event=0xd2,umask=0x5",
        "bad-spec": "event=0xd3",
        "fe-bound": "event=0xd1",
        "be-bound": "event=0xd4",
    }
    hybrid = Copy(folder, "hybrid-unknown", "cpu_atom")
    alone = Copy(folder, "intel-unknown").without("topdown-*", "slots")
    for machine in (hybrid, alone):
        for name, terms in codes.items():
            machine.set(f"topdown-{name}", terms)
    first, second = plans(hybrid.path)
    check(
        (first["cpu"], second["cpu"]) == ("generic-intel:core", "generic-intel:atom"),
        "hybrid: both types",
        (first, second),
    )
    only = plans(alone.path)[0]
    for plan, pmu, cpu in ((second, "cpu_atom", "generic-intel:atom"), (only, "cpu", "generic-atom")):
        check(plan["cpu"] == cpu and metrics_of(plan) >= set(LEVEL_1), f"{pmu}: level 1", plan["cpu"])
        perf = encodings(plan)
        check(
            perf["TOPDOWN_RETIRING.ALL"] == f"{pmu}/event=0xd2,umask=0x5/", f"{pmu}: the kernel's code", perf
        )
        check(perf["TOPDOWN_FE_BOUND.ALL"] == f"{pmu}/event=0xd1/", f"{pmu}: without the row's mask", perf)
    names, missing = nodes_here(alone.path)
    check(sorted(names) == sorted(LEVEL_1) and not missing, "efficient core: level 1 alone", (names, missing))


def check_arm(folder):
    names, missing = nodes_here(MACHINES / "arm-unknown")
    check(sorted(names) == sorted(ARM_LEVEL_1) and not missing, "Arm: level 1", (names, missing))
    names, missing = nodes_here(MACHINES / "arm-unknown-no-slots")
    check(sorted(names) == sorted(STALLS) and not missing, "Arm: stalled cycles", (names, missing))
    some = Copy(folder, "arm-unknown", "armv8_pmuv3_0").without("stall_slot_frontend")
    missing = nodes_here(some.path)[1]
    check(
        list(missing) == ["frontend_bound"] and "'stall_slot_frontend'" in missing["frontend_bound"],
        "Arm: one event less",
        missing,
    )
    metrics = {
        row["name"]: row["failure"] for row in answer("list", "metrics", "--sysroot", some.path)["metrics"]
    }
    check(
        "'l3d_cache_refill'" in metrics["l3_cache_mpki"] and not metrics["ipc"],
        "Arm: a cache that it has not",
        metrics,
    )


def check_two_kinds(folder):
    """Big and little cores that differ in their MIDR, one of which no file knows."""
    machine = Copy(folder, "arm-unknown-no-slots", "armv8_pmuv3_0").path
    little, big = (machine / DEVICES / f"armv8_{name}" for name in ("cortex_a55", "cortex_x99"))
    shutil.copytree(machine / DEVICES / "armv8_pmuv3_0", big)
    (machine / DEVICES / "armv8_pmuv3_0").rename(little)
    for pmu, cpus, kind in ((little, "0-1", "8"), (big, "2-3", "9")):
        (pmu / "cpus").write_text(cpus + "\n", encoding="utf-8")
        (pmu / "type").write_text(kind + "\n", encoding="utf-8")
    for cpu in range(4):
        midr = "0x00000000412fd050" if cpu < 2 else "0x00000000410fdfe0"
        (machine / f"sys/devices/system/cpu/cpu{cpu}/regs/identification/midr_el1").write_text(
            midr + "\n", encoding="utf-8"
        )
    found = plans(machine)
    check(
        [plan["cpu"] for plan in found] == ["cortex-a55", "generic-arm-stalls"],
        "two kinds of cores",
        [p["cpu"] for p in found],
    )
    check(
        encodings(found[1])["CPU_CYCLES"] == "armv8_cortex_x99/event=0x11/",
        "the other kind's PMU",
        encodings(found[1]),
    )


def check_amd(folder):
    machine = Copy(folder, "amd-unknown").without("cache-misses").cpuinfo("AuthenticAMD", "HygonGenuine")
    plan = plans(machine.path)[0]
    wanted = {"ipc", "cpi", "branch_mpki", "branch_misprediction_ratio"}
    check(
        plan["cpu"] == "generic-amd" and metrics_of(plan) == wanted,
        "AMD's family, without an event",
        (plan["cpu"], metrics_of(plan)),
    )
    check(encodings(plan)["ls_not_halted_cyc"] == "cpu/event=0x76/", "AMD: cycles", encodings(plan))
    stranger = Copy(folder, "amd-unknown").cpuinfo("AuthenticAMD", "CentaurHauls")
    result = topdown("plan", "--sysroot", stranger.path)
    check_failure(result, "neither Intel nor AMD", "no events are known for this CPU (CentaurHauls-29-2")


def check_counts(folder):
    """Counts from elsewhere, under the kernel's names."""
    counts = {
        "slots": 6000,
        "topdown-retiring": 2400,
        "topdown-bad-spec": 600,
        "topdown-fe-bound": 1200,
        "topdown-be-bound": 1800,
        "topdown-mem-bound": 1500,
        "instructions": 2400,
        "cycles": 1000,
        "cache-misses": 12,
    }
    shares = {
        "tma_frontend_bound": 20,
        "tma_bad_speculation": 10,
        "tma_backend_bound": 30,
        "tma_retiring": 40,
    }
    for cpu in ("generic-intel", "generic-atom", "generic-intel:core", "generic-intel:atom"):
        file = folder / "counts.json"
        file.write_text(
            json.dumps({"format": "topdown-counts", "cpu": cpu, "counts": counts}), encoding="utf-8"
        )
        report = answer("report", "-l2", "--metrics", "*", file)
        values = {row["name"]: row["value"] for row in report["nodes"] + report["metrics"]}
        check({name: values[name] for name in shares} == shares, f"{cpu}: level 1", values)
        check(values["ipc"] == 2.4 and values["llc_mpki"] == 5, f"{cpu}: ratios", values)
        check(report["generic"].startswith(WHY), f"{cpu}: the report says so", report["generic"])
        text = " ".join(topdown("report", "-v", file).stdout.split())
        check(f"Model generic: {report['cpu']}" in text and WHY in text, f"{cpu}: the head", text)
    file.write_text(
        json.dumps(
            {
                "format": "topdown-counts",
                "cpu": "a78",
                "counts": {"CPU_CYCLES": 1000, "STALL_SLOT_BACKEND": 1500},
            }
        ),
        encoding="utf-8",
    )
    reasons = {row["name"]: row["reason"] for row in answer("report", "-l1", file)["nodes"]}
    check("#slots" in reasons["backend_bound"], "a core whose width no file says", reasons)


def main():
    check_said()
    with temporary() as folder:
        for check_part in (check_intel, check_efficient, check_arm, check_two_kinds, check_amd, check_counts):
            part = folder / check_part.__name__
            part.mkdir()
            check_part(part)
    finish()


main()
