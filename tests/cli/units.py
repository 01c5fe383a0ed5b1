#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""PMUs beside the cores on made-up machines: plans, topdown doctor, explain, and what is missing or
offline."""
import json
import shutil
import sys
from pathlib import Path

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, finish, temporary, topdown

DEVICES = "sys/bus/event_source/devices"
IMC = {"format/event": "config:0-7", "format/umask": "config:8-15"}
CHA = {**IMC, "format/umask": "config:8-15,32-55", "format/thresh": "config:24-31"}
AMD = {"format/event": "config:0-7,32-37", "format/umask": "config:8-15,24-27"}


def add_pmu(machine, name, number, mask, files):
    folder = machine / DEVICES / name
    for path, text in {"type": str(number), "cpumask": mask, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text + "\n", encoding="utf-8")


def two_sockets(machine):
    """Four memory controllers, two caches, energy and sleep states, counted on CPUs 0 and 1."""
    for i in range(4):
        add_pmu(machine, f"uncore_imc_{i}", 20 + i, "0-1", IMC)
    for i in range(2):
        add_pmu(machine, f"uncore_cha_{i}", 30 + i, "0-1", CHA)
    add_pmu(
        machine,
        "power",
        40,
        "0-1",
        {
            "format/event": "config:0-7",
            "events/energy-pkg": "event=0x02",
            "events/energy-pkg.scale": "2.3283064365386962890625e-10",
            "events/energy-pkg.unit": "Joules",
        },
    )
    add_pmu(
        machine, "cstate_pkg", 41, "0-1", {"format/event": "config:0-63", "events/c6-residency": "event=0x02"}
    )


def units_of(machine, *words):
    result = topdown("plan", "--sysroot", machine, *words, "--format", "json")
    check(result.returncode == 0, f"plan {words}", result.stderr)
    plan = json.loads(result.stdout)
    return plan, {unit["pmu"]: [event["name"] for event in unit["events"]] for unit in plan["units"]}


def check_units(machine, *words):
    item = {
        item["check"]: item
        for item in json.loads(topdown("doctor", "--sysroot", machine, "--format", "json").stdout)["checks"]
    }["units"]
    return item["state"], item["found"], item["means"] or "", item["change"] or ""


def check_intel(folder):
    machine = folder / "intel"
    shutil.copytree(SOURCE / "tests/machines/xeon-clx", machine)
    for name in ("uncore_imc_0", "uncore_cha_0"):  # the snapshot has one of each
        shutil.rmtree(machine / DEVICES / name)
    plan, units = units_of(machine, "--metrics", "memory_bandwidth_read")
    check(
        plan["not_countable"] == ["memory_bandwidth_read"] and not units,
        "without the PMU: not countable",
        plan["not_countable"],
    )
    two_sockets(machine)
    plan, units = units_of(
        machine, "--metrics", "memory_bandwidth_read,uncore_frequency,tma_info_system_power,C6_Pkg_Residency"
    )
    check(
        units
        == {
            "uncore_imc": ["UNC_M_CAS_COUNT.RD"],
            "uncore_cha": ["UNC_CHA_CLOCKTICKS"],
            "cstate_pkg": ["cstate_pkg/c6-residency/"],
        },
        "each PMU has its events",
        units,
    )
    check(
        plan["not_countable"] == ["tma_info_system_power"],
        "energy of DRAM, which this PMU does not list",
        plan["not_countable"],
    )
    state, found, means, change = check_units(machine)
    check(
        "uncore_imc (4)" in found and "uncore_cha (2)" in found and "power" in found,
        "doctor names the PMUs",
        found,
    )
    (machine / "proc/sys/kernel").mkdir(parents=True, exist_ok=True)
    for paranoid, expected in (("2", "limits"), ("0", "limits")):
        (machine / "proc/sys/kernel/perf_event_paranoid").write_text(paranoid + "\n", encoding="utf-8")
        state, found, means, change = check_units(machine)
        check(state == expected, f"doctor: paranoid {paranoid}", (state, means))
        check(
            ("perf_event_paranoid=0" in change) == (paranoid == "2"),
            f"doctor: paranoid {paranoid}: what changes it",
            change,
        )
    check("need" in means and "uncore_iio" in means, "doctor: what the metrics lack", means)
    add_pmu(machine, "uncore_upi_0", 50, "0,4095", IMC)
    check(
        "CPU 4095, on which PMU uncore_upi_0 counts, is offline" in check_units(machine)[2],
        "doctor: an offline CPU",
        check_units(machine),
    )


def check_rows(folder):
    """A formula's events of one PMU are counted at the same time; what its counters can't hold goes to
    another run."""
    machine = folder / "intel"
    plan, _ = units_of(
        machine,
        "--metrics",
        "numa_reads_addressed_to_local_dram,*llc_data_read*,llc_code_read*,*mem_parallel_reads",
        "-a",
    )
    groups = [
        (unit["run"], [event["name"] for event in unit["events"]])
        for unit in plan["units"]
        if unit["pmu"] == "uncore_cha"
    ]
    check_all(groups, lambda _, events: len(events) <= 4, "four counters in a unit")
    local = {"UNC_CHA_TOR_INSERTS.IA_MISS:config1=0x40432", "UNC_CHA_TOR_INSERTS.IA_MISS:config1=0x40431"}
    _, alone = units_of(machine, "--metrics", "numa_reads_addressed_to_local_dram")
    check(set(alone["uncore_cha"]) == local, "local and remote reads together", alone)
    check(len(groups) > 1, "more events than counters", groups)
    occupied = [sum("OCCUPANCY" in event for event in events) for _, events in groups]
    check(max(occupied) == 1, "occupancy is counted by the first counter only", groups)


def check_runs(folder):
    """Groups of a PMU beyond the cores' runs have further runs, unless a limit forbids them; there they share
    its counters."""
    machine = folder / "intel"
    words = (
        "-l1",
        "--metrics",
        "numa_reads_addressed_to_local_dram,*llc_data_read*,llc_code_read*,*mem_parallel_reads",
    )
    plan, _ = units_of(machine, *words)
    groups = [(unit["pmu"], unit["run"]) for unit in plan["units"]]
    need = max(sum(pmu == other for other, _ in groups) for pmu, _ in groups)
    check(
        need > 2 and len(plan["runs"]) == need,
        f"{need} runs for the units",
        [run["run"] for run in plan["runs"]],
    )
    check(len(set(groups)) == len(groups), "each group of a PMU has its counters for itself", groups)
    events = [[event["name"] for group in run["groups"] for event in group["events"]] for run in plan["runs"]]
    check_all(
        events,
        lambda names: {"CPU_CLK_UNHALTED.THREAD", "INST_RETIRED.ANY"} <= set(names),
        "each run can be compared with the others",
    )
    check(
        f"{need} groups in {need} runs" in topdown("plan", "--sysroot", machine, *words).stdout,
        "the number of runs in text",
        need,
    )
    check(
        plan["one_run_fewer"]["max_runs"] == need - 1 and plan["one_run_fewer"]["first_shared_group"] is None,
        "one run fewer",
        plan["one_run_fewer"],
    )
    for limit, runs in (("--multiplex",), 1), (("--max-runs", "2"), 2), (("--max-runs", str(need + 5)), need):
        few, _ = units_of(machine, *words, *limit)
        check(
            len(few["runs"]) == runs and {unit["run"] for unit in few["units"]} == set(range(1, runs + 1)),
            f"{limit}: {runs} runs",
            few["units"],
        )
    # What one run fewer scales is what reads a group that then shares a PMU.
    fewer, _ = units_of(machine, *words, "--max-runs", str(need - 1))
    places = [(unit["pmu"], unit["run"]) for unit in fewer["units"]]
    shared = {
        event["name"]
        for unit in fewer["units"]
        if places.count((unit["pmu"], unit["run"])) > 1
        for event in unit["events"]
    }
    check(shared, "one run fewer: some share", places)
    for name in plan["one_run_fewer"]["scaled"]:
        text = topdown("explain", "--sysroot", machine, name, "--format", "json").stdout
        check(
            any(event.split(":")[0] in text for event in shared),
            f"one run fewer: {name} reads one of them",
            shared,
        )


def check_complete(folder):
    """A metric of the whole machine is complete in the first run by which all that it reads of the units was
    counted."""
    machine = folder / "intel"
    plan, _ = units_of(
        machine,
        "-l1",
        "--metrics",
        "numa_reads_addressed_to_local_dram,*llc_data_read*,llc_code_read*,*mem_parallel_reads,IPC",
    )
    runs = {event["name"]: unit["run"] for unit in plan["units"] for event in unit["events"]}
    homes = {name: run["run"] for run in plan["runs"] for group in run["groups"] for name in group["metrics"]}
    explained = json.loads(topdown("explain", "--sysroot", machine, *homes, "--format", "json").stdout)[
        "explained"
    ]
    check(len(explained) == len(homes), "each metric is explained", homes)
    expected = {
        row["name"]: max([runs[event] for event in row["events"] if event in runs], default=1)
        for row in explained
    }
    check(
        homes == expected and max(homes.values()) > 2, "the run that completes each metric", (homes, expected)
    )


def check_amd(folder):
    machine = folder / "amd"
    shutil.copytree(SOURCE / "tests/machines/epyc-zen5", machine)
    for name, number, files in (
        ("amd_df", 10, AMD),
        ("amd_l3", 11, {**AMD, "format/sliceid": "config:48-50"}),
        ("amd_umc_0", 12, {"format/event": "config:0-7", "format/rdwrmask": "config:8-9"}),
        ("amd_umc_1", 13, {"format/event": "config:0-7", "format/rdwrmask": "config:8-9"}),
    ):
        add_pmu(machine, name, number, "0", files)
    _, units = units_of(
        machine, "--metrics", "umc_mem_read_bandwidth,l3_misses,upstream_dma_read_bandwidth_for_local_socket"
    )
    check(
        units["amd_umc"] == ["umc_cas_cmd.rd"] and units["amd_l3"] == ["l3_lookup_state.l3_miss"],
        "AMD's PMUs",
        units,
    )
    check(len(units["amd_df"]) >= 4, "the data fabric", units)


def check_words():
    text = topdown("explain", "--cpu", "spr", "memory_bandwidth_total").stdout
    check("UNC_M_CAS_COUNT" in text and "uncore_imc" in text, "explain names the PMU", text)
    listed = topdown("list", "events", "--cpu", "spr", "UNC_M_CAS_COUNT.RD").stdout
    check("uncore_imc" in listed, "list events names the PMU", listed)


with temporary() as directory:
    check_intel(Path(directory))
    check_rows(Path(directory))
    check_runs(Path(directory))
    check_complete(Path(directory))
    check_amd(Path(directory))
check_words()
finish()
