# SPDX-License-Identifier: GPL-2.0-or-later
"""What Linux' text says of arm64 cores that Arm's telemetry does not have, and of CPUs that no file knows.

Used by expect.py. Ampere's and NVIDIA's values come from the texts of linux-7.3/arm64. Generic ones: level 1
of Arm from sbsa.json, the ratios from Arm's text for Neoverse N1 under the same names; Intel's levels 1 and 2
from the text of a core whose formulas are PERF_METRICS alone (Lion Cove), an efficient core's from the same
shares of what its four events count.
"""
import json
import math
import re

ARM64 = "linux-7.3/arm64"
LINUX_ARM = {
    "ampereone": "ampere/ampereone",
    "ampereonex": "ampere/ampereonex",
    "kunpeng920": "hisilicon/hip08",
    "olympus": "nvidia/t410",
}
# Cores whose files have events and no metrics, and their folders below arm64/.
WITHOUT_METRICS = {
    "cortex-a57": "arm/cortex-a57-a72",
    "cortex-a72": "arm/cortex-a57-a72",
    "cortex-a65": "arm/cortex-a65-e1",
    "neoverse-e1": "arm/cortex-a65-e1",
    "emag": "ampere/emag",
    "thunderx2": "cavium/thunderx2",
    "a64fx": "fujitsu/a64fx",
}
WITHOUT_METRICS.update(
    {
        f"cortex-{name}": f"arm/cortex-{name}"
        for name in "a34 a35 a53 a55 a73 a75 a76 a77 a78 a510 a710 x1 x2".split()
    }
)
REQUIRED = "CPU_CYCLES INST_RETIRED BR_PRED BR_MIS_PRED L1D_CACHE L1D_CACHE_REFILL".split()  # of every PMUv3
SLOTS_EVENTS = "STALL_SLOT STALL_SLOT_FRONTEND STALL_SLOT_BACKEND OP_RETIRED OP_SPEC".split()

# Our own thresholds once more: percent of what the node is a share of.
LEVEL_1 = dict(
    frontend_bound=15,
    bad_speculation=15,
    slots_lost_misspeculation_fraction=15,
    backend_bound=20,
    retiring=70,
    retired_fraction=70,
    frontend_stalled_cycles=15,
    backend_stalled_cycles=20,
)
AMPERE_PARENTS = dict(
    backend_core="backend_bound",
    backend_memory="backend_bound",
    frontend_latency="frontend_bound",
    frontend_bandwidth="frontend_bound",
    branch_mispredict="slots_lost_misspeculation_fraction",
    other_miss_pred="slots_lost_misspeculation_fraction",
    d_cache_miss_rate="backend_memory",
    d_cache_l2_miss_rate="backend_memory",
    d_tlb_miss_rate="backend_memory",
    i_cache_miss_rate="frontend_latency",
    i_tlb_miss_rate="frontend_latency",
)
# Fractions without a unit, of four slots in a cycle.
KUNPENG_PARENTS = dict(
    fetch_latency_bound="frontend_bound",
    fetch_bandwidth_bound="frontend_bound",
    branch_mispredicts="bad_speculation",
    machine_clears="bad_speculation",
    core_bound="backend_bound",
    memory_bound="backend_bound",
)

# Formulas that nobody publishes under these names.
OWN_ARM = {
    "backend_memory_stalled_cycles": "STALL_BACKEND_MEM / CPU_CYCLES * 100",
    "l3_cache_mpki": "L3D_CACHE_REFILL / INST_RETIRED * 1000",
    "l3_cache_miss_ratio": "L3D_CACHE_REFILL / L3D_CACHE",
}
N1_NAMES = """frontend_stalled_cycles backend_stalled_cycles ipc branch_mpki branch_misprediction_ratio itlb_mpki dtlb_mpki
l1i_tlb_mpki l1d_tlb_mpki l2_tlb_mpki l1i_cache_mpki l1d_cache_mpki l2_cache_mpki ll_cache_read_mpki itlb_walk_ratio
dtlb_walk_ratio l1i_tlb_miss_ratio l1d_tlb_miss_ratio l2_tlb_miss_ratio l1i_cache_miss_ratio l1d_cache_miss_ratio
l2_cache_miss_ratio ll_cache_read_miss_ratio""".split()  # noqa: E501

INTEL_EVENTS = dict(
    instructions="INST_RETIRED.ANY",
    references="LONGEST_LAT_CACHE.REFERENCE",
    misses="LONGEST_LAT_CACHE.MISS",
    branches="BR_INST_RETIRED.ALL_BRANCHES",
    mispredicted="BR_MISP_RETIRED.ALL_BRANCHES",
    reference="CPU_CLK_UNHALTED.REF_TSC",
)
AMD_EVENTS = dict(
    cycles="ls_not_halted_cyc",
    instructions="ex_ret_instr",
    references="l2_request_g1.all",
    misses="l2_cache_req_stat.ic_dc_miss_in_l2",
    branches="ex_ret_brn",
    mispredicted="ex_ret_brn_misp",
)
RATIOS = dict(
    ipc="instructions / cycles",
    cpi="cycles / instructions",
    branch_mpki="mispredicted / instructions * 1000",
    branch_misprediction_ratio="mispredicted / branches * 100",
    CACHE_mpki="misses / instructions * 1000",
    CACHE_miss_ratio="misses / references * 100",
)
CLOCK = "cycles / reference * TSC / duration_time / 1e9"
ATOM_NODES = dict(
    tma_frontend_bound="TOPDOWN_FE_BOUND.ALL",
    tma_bad_speculation="TOPDOWN_BAD_SPECULATION.ALL",
    tma_backend_bound="TOPDOWN_BE_BOUND.ALL",
    tma_retiring="TOPDOWN_RETIRING.ALL",
)

# The events that Linux' driver names for Goldmont (glm_events_attrs): slots are cycles by their scale of 3.
# What is issued and does not retire, with the slots of the recovery, is lost to speculation; the backend has
# the rest.
GOLDMONT = dict(
    tma_frontend_bound="UOPS_NOT_DELIVERED.ANY / (3 * CPU_CLK_UNHALTED.CORE)",
    tma_bad_speculation=(
        "max(0, (UOPS_ISSUED.ANY - UOPS_RETIRED.ANY + ISSUE_SLOTS_NOT_CONSUMED.RECOVERY)"
        " / (3 * CPU_CLK_UNHALTED.CORE))"
    ),
    tma_retiring="UOPS_RETIRED.ANY / (3 * CPU_CLK_UNHALTED.CORE)",
    tma_backend_bound="max(0, 1 - tma_frontend_bound - tma_bad_speculation - tma_retiring)",
)


def read_json(path):
    """Older files of Linux may have a comma behind their last item."""
    return json.loads(re.sub(r",\s*]\s*$", "]", path.read_text(encoding="utf-8")))


def scale_of(row):
    found = re.match(r"[0-9.]+(?:[eE]-?[0-9]+)?", row.get("ScaleUnit", "1"))
    return float(found.group(0)) if found else 1


class Formulas:
    """Texts that name each other and events; a value in the unit that is printed."""

    def __init__(self, expect, case, texts, scales=None):
        self.expect, self.case, self.texts, self.scales = expect, case, texts, scales or {}

    def look_up(self, name):
        if name.startswith("#"):
            return self.case.constant(name)
        return self.raw(name) if name in self.texts else self.case.count(name)

    def raw(self, name):
        text, names = self.expect.plain_names(self.texts[name])
        self.case.may_read(
            full for full in names.values() if full not in self.texts and not full.startswith("#")
        )
        return self.expect.walk(self.expect.parse(text), lambda short: self.look_up(names[short]))

    def value(self, name):
        try:
            return self.raw(name) * self.scales.get(name, 1)
        except self.expect.Missing:
            return None

    def values(self):
        return {name: self.value(name) for name in self.texts}


def over(name, values, parents, limit):
    while name:
        value = values[name]
        if value is None or not value > limit(name):
            return False
        name = parents.get(name)
    return True


def split(expect, values, parents, roots, limit):
    """Nodes with their thresholds, and the other metrics."""
    nodes = {
        name: expect.entry(value, over(name, values, parents, limit))
        for name, value in values.items()
        if name in roots or name in parents
    }
    return nodes, {name: expect.entry(value, None) for name, value in values.items() if name not in nodes}


# Ampere and NVIDIA


def arm64_metrics(reference, folder):
    standard = {row["MetricName"]: row for row in read_json(reference / ARM64 / "sbsa.json")}
    rows = [row for path in sorted((reference / ARM64 / folder).glob("*.json")) for row in read_json(path)]
    rows = [{**standard.get(row.get("ArchStdEvent"), {}), **row} for row in rows]
    return {row["MetricName"].split(";")[-1]: row for row in rows if "MetricName" in row}


def linux_arm_expected(expect, case, reference):
    folder = LINUX_ARM[case.cpu]
    rows = arm64_metrics(reference, folder)
    roots = [name for name, row in rows.items() if "TOPDOWNL1" in row.get("MetricGroup", "").upper()]
    if case.cpu == "olympus":  # Arm's own tree of the same names
        data = read_json(reference / "arm/neoverse-v3.json")
        tree = data["methodologies"]["topdown_methodology"]["decision_tree"]
        parents = {
            name: parent for name, parent in expect.arm_parents(tree, data["metrics"]).items() if name in rows
        }
        limit = lambda name: LEVEL_1.get(name, 20)  # noqa: E731
    else:
        parents = KUNPENG_PARENTS if case.cpu == "kunpeng920" else AMPERE_PARENTS
        limit = lambda name: LEVEL_1.get(name) or (10 if parents[name] in LEVEL_1 else 5)  # noqa: E731
    formulas = Formulas(
        expect,
        case,
        {name: row["MetricExpr"] for name, row in rows.items()},
        {name: 100 if case.cpu == "kunpeng920" else scale_of(row) for name, row in rows.items()},
    )
    return f"Linux 7.3 pmu-events arm64/{folder}", *split(expect, formulas.values(), parents, roots, limit)


# The architecture's


def events_of(reference, cpu):
    if cpu == "generic-arm":
        return None
    if cpu in WITHOUT_METRICS:
        rows = [
            row
            for path in (reference / ARM64 / WITHOUT_METRICS[cpu]).glob("*.json")
            for row in read_json(path)
        ]
        return {row.get("ArchStdEvent") or row.get("EventName") for row in rows} | set(REQUIRED)
    return {row["EventName"] for row in read_json(reference / ARM64 / "common-and-microarch.json")} - set(
        SLOTS_EVENTS
    )


def generic_arm_expected(expect, case, reference):
    published = read_json(reference / "arm/neoverse-n1.json")["metrics"]
    texts = {row["MetricName"]: row["MetricExpr"] for row in read_json(reference / ARM64 / "sbsa.json")}
    texts.update({name: published[name]["formula"] for name in N1_NAMES}, **OWN_ARM)
    has = events_of(reference, case.cpu)
    for name, text in list(texts.items()):
        used = {word.upper() for word in re.findall(r"(?<!#)\b[A-Za-z]\w*", text)}
        if has is not None and not used <= has:
            del texts[name]
    level_1 = [row["MetricName"] for row in read_json(reference / ARM64 / "sbsa.json")]
    roots = [name for name in level_1 if name in texts] or [
        "frontend_stalled_cycles",
        "backend_stalled_cycles",
    ]
    values = Formulas(expect, case, texts).values()
    return "Linux 7.3 pmu-events arm64/sbsa.json", *split(expect, values, {}, roots, LEVEL_1.get)


def ratios(events, cache, has_clock):
    texts = {name.replace("CACHE", cache): text for name, text in RATIOS.items()}
    if has_clock:
        texts["core_frequency"] = CLOCK
    return {
        name: re.sub(r"[a-z_]+", lambda word: events.get(word.group(0), word.group(0)), text)
        for name, text in texts.items()
    }


def plain_topdown(text):
    return re.sub(r"cpu_\w+@([^@]*)@", lambda found: found.group(1).replace("\\-", "_"), text)


class TopdownCase:
    """topdown_fe_bound is the kernel's event topdown-fe-bound."""

    def __init__(self, case):
        self.case = case
        self.constant = case.constant

    @staticmethod
    def kernel_name(name):
        return name.replace("_", "-") if name.startswith("topdown_") else name

    def count(self, name):
        return self.case.count(self.kernel_name(name))

    def may_read(self, names):
        self.case.may_read([self.kernel_name(name) for name in names])


def thresholds(expect, rows, values):
    """Linux' thresholds compare fractions; values are percentages here."""
    found = {}
    for name, row in rows.items():
        text = re.sub("&", " and ", row["MetricThreshold"].replace("|", " or "))
        found[name] = expect.entry(
            values[name],
            expect.walk(
                expect.parse(text), lambda short: math.nan if values[short] is None else values[short] / 100
            ),
        )
    return found


def lion_cove(reference, unit):
    rows = [
        row
        for path in (reference / "linux-7.3/x86/lunarlake").glob("*-metrics.json")
        for row in read_json(path)
    ]
    return {
        row["MetricName"]: row
        for row in rows
        if row.get("Unit") == unit and re.search("TopdownL[12]", row.get("MetricGroup", ""))
    }


# What kind of core a name without one is
KINDS = {"generic-intel": "core", "clearwaterforest": "atom", "goldmont": "goldmont"}
OF_INTEL = ("generic-intel", "generic-atom", "pantherlake:atom", "novalake:", "goldmont")


def generic_intel_expected(expect, case, reference):
    kind = KINDS.get(case.cpu, re.split("[:-]", case.cpu)[-1])
    cycles = "CPU_CLK_UNHALTED.CORE" if kind in ("atom", "goldmont") else "CPU_CLK_UNHALTED.THREAD"
    texts, rows = ratios({**INTEL_EVENTS, "cycles": cycles}, "llc", True), {}
    if case.cpu == "novalake:core":  # has no event LONGEST_LAT_CACHE.REFERENCE
        del texts["llc_miss_ratio"]
    scales = {}
    if kind == "core":
        rows = {
            name: row
            for name, row in lion_cove(reference, "cpu_core").items()
            if "topdown" in plain_topdown(row["MetricExpr"]) or "max(" in row["MetricExpr"]
        }
        texts.update({name: plain_topdown(row["MetricExpr"]) for name, row in rows.items()})
    elif kind == "atom":
        rows = {name: lion_cove(reference, "cpu_atom")[name] for name in ATOM_NODES}
        texts.update(
            {name: f"{event} / ({' + '.join(ATOM_NODES.values())})" for name, event in ATOM_NODES.items()}
        )
    elif kind == "goldmont":
        rows = {name: lion_cove(reference, "cpu_atom")[name] for name in ATOM_NODES}
        texts.update(GOLDMONT)
    scales = {name: 100 for name in rows}
    values = Formulas(expect, TopdownCase(case), texts, scales).values()
    nodes = thresholds(expect, rows, values)
    return (
        "Linux 7.3 pmu-events x86/lunarlake",
        nodes,
        {name: expect.entry(value, None) for name, value in values.items() if name not in nodes},
    )


def generic_amd_expected(expect, case, _reference):
    values = Formulas(expect, case, ratios(AMD_EVENTS, "l2", False)).values()
    return "the kernel", {}, {name: expect.entry(value, None) for name, value in values.items()}


# PMUs of the system around the cores


def system_expected(expect, case, reference):
    """Linux' sys folders of arm64: any core may be in such a system."""
    rows = {
        row["MetricName"]: row
        for path in sorted((reference / ARM64).glob("*/*/sys/*.json"))
        for row in read_json(path)
        if "MetricName" in row
    }
    values = Formulas(
        expect,
        case,
        {name: row["MetricExpr"] for name, row in rows.items()},
        {name: scale_of(row) for name, row in rows.items()},
    ).values()
    return {name: expect.entry(value, None) for name, value in values.items()}


def reader(cpu):
    """The function that knows this CPU; None: another file does."""
    if cpu in LINUX_ARM:
        return linux_arm_expected
    if cpu in WITHOUT_METRICS or cpu.startswith("generic-arm"):
        return generic_arm_expected
    return (
        generic_intel_expected
        if cpu.startswith(OF_INTEL)
        else generic_amd_expected
        if cpu == "generic-amd"
        else None
    )
