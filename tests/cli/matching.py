#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""matching.py - topdown report finds the counts that a formula needs: under other names, among several copies
of one event, without a correction, and of a machine whose SMT state nobody said. The counts are chosen, and
expected values computed from them here.
"""
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_failure, check_success, finish, temporary, topdown


def line(value, event, running=1000000000, percent=100):
    return f"{value},,{event},{running},{percent:.2f},,\n"


def report(text, cpu, *words):
    result = topdown("report", "--format", "json", "--cpu", cpu, *words, "-", input=text)
    check_success(result, f"{cpu} {words}")
    whole = json.loads(result.stdout or '{"nodes": [], "metrics": [], "notes": []}')
    whole["by_name"] = {row["name"]: row for row in whole["nodes"] + whole["metrics"]}
    return whole


def value(whole, name):
    return whole["by_name"][name]["value"]


def near(found, expected):
    return found is not None and abs(found - expected) < 1e-6 * max(1, abs(expected))


# ---- spellings ----

# What the CPU's model calls otherwise: a metric that is this event by one other, and how people and perf
# write it.
SPELLINGS = (
    (
        "tigerlake",
        "tma_ports_utilized_0",
        "CPU_CLK_UNHALTED.THREAD",
        100,
        (
            "EXE_ACTIVITY.EXE_BOUND_0_PORTS",
            "cpu/EXE_ACTIVITY.3_PORTS_UTIL,umask=0x80/",
            "EXE_ACTIVITY.3_PORTS_UTIL:u0x80",
            "cpu/event=0xa6,umask=0x80/",
            "cpu/umask=0x80,event=0xa6,name=foo/",
            "r80a6",
            "cpu/config=0x80a6/",
        ),
    ),
    (
        "tigerlake",
        "tma_info_bad_spec_spec_clears_ratio",
        ("BR_MISP_RETIRED.ALL_BRANCHES", "MACHINE_CLEARS.COUNT"),
        1,
        (
            "INT_MISC.CLEARS_COUNT",
            "cpu/INT_MISC.RECOVERY_CYCLES,cmask=1,edge/",
            "INT_MISC.RECOVERY_CYCLES:c1:e1",
            "cpu/event=0x0d,umask=0x1,cmask=1,edge/",
        ),
    ),
    (
        "skylake",
        "tma_info_thread_ipc",
        "CPU_CLK_UNHALTED.THREAD",
        1,
        ("INST_RETIRED.ANY", "instructions", "cpu/instructions/", "r00c0"),
    ),
    (
        "neoverse-n1",
        "backend_stalled_cycles",
        "CPU_CYCLES",
        100,
        (
            "STALL_BACKEND",
            "stalled-cycles-backend",
            "idle-cycles-backend",
            "r24",
            "armv8_pmuv3_0/event=0x24/",
        ),
    ),
    (
        "neoverse-n1",
        "frontend_stalled_cycles",
        "cycles",
        100,
        ("STALL_FRONTEND", "stalled-cycles-frontend", "r0023"),
    ),
    ("neoverse-n1", "branch_misprediction_ratio", "BR_RETIRED", 1, ("BR_MIS_PRED_RETIRED",)),
    ("amdzen4", "branch_misprediction_ratio", "branches", 100, ("ex_ret_brn_misp", "branch-misses")),
    (
        "alderlake:atom",
        "tma_retiring",
        "cpu_atom/CPU_CLK_UNHALTED.CORE/",
        20,
        ("cpu_atom/TOPDOWN_RETIRING.ALL/", "cpu_atom/topdown-retiring/", "topdown-retiring"),
    ),
)


def check_spellings():
    for cpu, metric, beside, scale, spellings in SPELLINGS:
        others = (beside,) if isinstance(beside, str) else beside
        for spelling in spellings:
            whole = report("".join(line(1000, event) for event in others) + line(300, spelling), cpu)
            check(
                near(value(whole, metric), scale * 0.3 / len(others)),
                f"{cpu}: {metric} from {spelling}",
                value(whole, metric),
            )


def check_user_only():
    """:u is a scope, :u0x80 is not, and an event of another scope is another event."""
    cycles = line(1000, "CPU_CLK_UNHALTED.THREAD")
    whole = report(cycles + line(300, "EXE_ACTIVITY.EXE_BOUND_0_PORTS:u"), "tigerlake")
    check(
        value(whole, "tma_ports_utilized_0") is None,
        "counts of two scopes",
        value(whole, "tma_ports_utilized_0"),
    )
    both = line(1000, "CPU_CLK_UNHALTED.THREAD:u") + line(300, "EXE_ACTIVITY.3_PORTS_UTIL:u0x80:u")
    check(near(value(report(both, "tigerlake"), "tma_ports_utilized_0"), 30), "an umask and a scope")


def check_two_names():
    """tma_info_system_mux divides an event by itself under another name: one count of it is not enough."""
    found = value(report(line(1000, "CPU_CLK_UNHALTED.THREAD"), "skylake"), "tma_info_system_mux")
    check(found is None, "one count for two names of a formula", found)
    # all other metrics take the count of either name
    for cpu, name, other, node in (
        ("lunarlake:atom", "CPU_CLK_UNHALTED.CORE_P", "TOPDOWN_FE_BOUND.ALL", "tma_frontend_bound"),
        ("sierraforest", "CPU_CLK_UNHALTED.CORE_P", "TOPDOWN_FE_BOUND.ALL", "tma_frontend_bound"),
        ("skylake", "CPU_CLK_UNHALTED.THREAD_P", "INST_RETIRED.ANY", "tma_info_thread_ipc"),
    ):
        whole = report(
            line(1000, name) + line(2000, other), cpu, *(("--smt", "off") if cpu == "skylake" else ())
        )
        width = {"lunarlake:atom": 8, "sierraforest": 6}.get(cpu)  # slots in a cycle, as the model divides
        check(near(value(whole, node), 200 / width if width else 2), f"{cpu}: {name}", whole["by_name"][node])
        mux = whole["by_name"].get("tma_info_system_mux")
        check(
            mux is None or mux["value"] is None and mux["reason"].startswith("not counted: "),
            f"{cpu}: one count for both",
            mux,
        )
    both = line(1000, "CPU_CLK_UNHALTED.THREAD") + line(1200, "CPU_CLK_UNHALTED.THREAD_P")
    check(near(value(report(both, "skylake"), "tma_info_system_mux"), 1.2), "each name has its own")


# ---- copies ----

N2_SLOTS = 5


def n2_backend(stalls, cycles, mispredicted):
    return 100 * (stalls / (N2_SLOTS * cycles) - 3 * mispredicted / cycles)


def n2_retiring(retired, spec, stalls, cycles):
    return 100 * (retired / spec) * (1 - (stalls - cycles) / (N2_SLOTS * cycles))


def check_copies(order, times):
    """Two groups that both count cycles, but not the same: each node is computed from its own group's."""
    retiring = [(2000, "cpu_cycles"), (6000, "stall_slot"), (500, "op_spec"), (400, "op_retired")]
    backend = [(1000, "cpu_cycles"), (2500, "stall_slot_backend"), (10, "br_mis_pred")]
    groups = [(retiring, times[0]), (backend, times[1])]
    text = "".join(
        line(count, event, *time) for group, time in (groups[i] for i in order) for count, event in group
    )
    whole = report(text, "neoverse-n2")
    check(
        near(value(whole, "backend_bound"), n2_backend(2500, 1000, 10)),
        f"{order} {times}: backend",
        value(whole, "backend_bound"),
    )
    check(
        near(value(whole, "retiring"), n2_retiring(400, 500, 6000, 2000)),
        f"{order} {times}: retiring",
        value(whole, "retiring"),
    )
    notes = report(text, "neoverse-n2", "--nodes", "backend_bound,retiring")[
        "notes"
    ]  # Bad_Speculation needs counts of both groups
    check(not any("more than once" in note for note in notes), f"{order} {times}: no note", notes)


def check_all_copies():
    for order in ((0, 1), (1, 0)):
        check_copies(order, ((667900000, 66.79), (664300000, 66.43)))  # multiplexed: time and order agree
        check_copies(order, ((250000000, 25), (250000000, 25)))  # only the order says it
        check_copies(order, ((1000000000, 100), (999000000, 100)))


def check_pairs():
    """perf on AMD prints cycles last, on Arm first, in groups that were on the counters for the same
    share."""
    stalls = {"no_ops_from_frontend": (60, 1000), "backend_stalls": (90, 1500), "smt_contention": (120, 2000)}
    for order in (sorted(stalls), sorted(stalls, reverse=True)):
        pairs = [
            (
                line(stalls[name][0], f"de_no_dispatch_per_slot.{name}", 250000000, 25),
                line(stalls[name][1], "ls_not_halted_cyc", 250000000, 25),
            )
            for name in order
        ]
        for text in (
            "".join(first + last for first, last in pairs),
            "".join(last + first for first, last in pairs),
        ):
            whole = report(text, "amdzen4")
            for node, name in (
                ("frontend_bound", "no_ops_from_frontend"),
                ("backend_bound", "backend_stalls"),
                ("smt_contention", "smt_contention"),
            ):
                count, cycles = stalls[name]
                check(
                    near(value(whole, node), 100 * count / (6 * cycles)),
                    f"{node} of {order}",
                    (value(whole, node), text),
                )


def check_scattered():
    """The time says it where the order does not: the lines of two groups mixed."""
    first, second = (300000000, 30), (500000000, 50)
    text = (
        line(2000, "cpu_cycles", *first)
        + line(1000, "cpu_cycles", *second)
        + line(2500, "stall_slot_backend", *first)
        + line(40, "br_mis_pred", *second)
        + line(10, "br_mis_pred", *first)
    )
    found = value(report(text, "neoverse-n2"), "backend_bound")
    check(near(found, n2_backend(2500, 2000, 10)), "by time", found)


def check_undecided():
    """Neither: a sentence says so, and the nearest lines are taken."""
    text = (
        line(1000, "cpu_cycles", 400000000, 40)
        + line(2500, "stall_slot_backend", 500000000, 50)
        + line(2000, "cpu_cycles", 600000000, 60)
        + line(10, "br_mis_pred", 700000000, 70)
    )
    whole = report(text, "neoverse-n2")
    check(
        near(value(whole, "backend_bound"), n2_backend(2500, 2000, 10)),
        "the nearest",
        value(whole, "backend_bound"),
    )
    check(
        any(
            note.startswith("1 event is listed more than once, and nothing says which counts belong together")
            for note in whole["notes"]
        ),
        "the note",
        whole["notes"],
    )
    same = text.replace(line(2000, "cpu_cycles", 600000000, 60), line(1001, "cpu_cycles", 600000000, 60))
    check(
        not any("more than once" in note for note in report(same, "neoverse-n2")["notes"]),
        "copies that say the same",
    )


def check_bad_copies():
    """A copy that was not counted, or was counted as 0, is not taken for one that was."""
    text = (
        "<not counted>,,cpu_cycles,0,0.00,,\n"
        + line(1000, "cpu_cycles")
        + line(2500, "stall_slot_backend")
        + line(10, "br_mis_pred")
        + "<not supported>,,stall_slot_backend,0,100.00,,\n"
    )
    found = value(report(text, "neoverse-n2"), "backend_bound")
    check(near(found, n2_backend(2500, 1000, 10)), "the copy that was counted", found)
    zero = line(0, "cpu_cycles") + line(2500, "stall_slot_backend") + line(10, "br_mis_pred")
    row = report(zero, "neoverse-n2")["by_name"]["backend_bound"]
    check(
        row["value"] is None and row["reason"] == "its formula divides by zero with these counts",
        "cycles of 0",
        row["reason"],
    )


def check_part_of_nothing():
    """AMD divides with d_ratio: a part of cycles that are not there is not 0 % of them. Zen 4 has 6 slots a
    cycle."""

    def zen4(loads, all_cycles):
        events = {
            "de_no_dispatch_per_slot.backend_stalls": 3300,
            "ls_not_halted_cyc": 1000,
            "ex_no_retire.load_not_complete": loads,
            "ex_no_retire.not_complete": all_cycles,
        }
        whole = report("".join(line(count, event) for event, count in events.items()), "amdzen4")
        return [
            whole["by_name"][name] for name in ("backend_bound", "backend_bound_memory", "backend_bound_cpu")
        ]

    backend, memory, cpu = zen4(60, 100)
    check(
        near(backend["value"], 55) and near(memory["value"], 33) and near(cpu["value"], 22),
        "60 of 100 cycles",
        (backend["value"], memory["value"], cpu["value"]),
    )
    backend, memory, cpu = zen4(1170000, 0)
    check(near(backend["value"], 55), "what does not read them", backend["value"])
    for row in memory, cpu:
        check(
            row["value"] is None and row["reason"] == "its formula divides by zero with these counts",
            row["name"],
            row,
        )
    backend, memory, cpu = zen4(0, 0)
    check(
        near(memory["value"], 0) and near(cpu["value"], 55),
        "nothing of nothing",
        (memory["value"], cpu["value"]),
    )


def check_contradiction():
    """Two outputs in one file, without a word between them."""
    text = line(1000, "cycles") + line(2000, "instructions") + line(3000, "cycles")
    notes = report(text, "skylake")["notes"]
    check(
        "cycles appears as 1000 and as 3000, each counted all the time: these counts are not from one"
        " measurement." in notes,
        "a contradiction",
        notes,
    )
    for other in (line(1001, "cycles"), line(3000, "cycles", 500000000, 50)):
        notes = report(line(1000, "cycles") + line(2000, "instructions") + other, "skylake")["notes"]
        check(not any("not from one" in note for note in notes), "no contradiction", notes)


def check_head():
    """Cycles and instructions of the head are of one group, too."""
    text = (
        line(1000, "cycles", 300000000, 30)
        + line(2000, "instructions", 300000000, 30)
        + line(7, "branches", 400000000, 40)
        + line(3000, "instructions", 500000000, 50)
    )
    found = report(text, "skylake")["summary"]["ipc"]
    check(near(found, 2), "IPC", found)


# ---- corrections ----

ICELAKE = (
    ("slots", 10000),
    ("topdown-retiring", 2000),
    ("topdown-bad-spec", 1000),
    ("topdown-fe-bound", 3000),
    ("topdown-be-bound", 4000),
)


# Half of the backend's 20 % wait for memory: 500 of 1000 cycles, those with one or two ports in use and one
# in five uops retired with them.
GENERAL = (
    ("TOPDOWN.SLOTS_P", 10000),
    ("IDQ_UOPS_NOT_DELIVERED.CORE", 3000),
    ("TOPDOWN.BACKEND_BOUND_SLOTS", 2000),
    ("UOPS_RETIRED.SLOTS", 3000),
    ("CYCLE_ACTIVITY.STALLS_MEM_ANY", 400),
    ("EXE_ACTIVITY.BOUND_ON_STORES", 100),
    ("CYCLE_ACTIVITY.STALLS_TOTAL", 700),
    ("EXE_ACTIVITY.1_PORTS_UTIL", 170),
    ("EXE_ACTIVITY.2_PORTS_UTIL", 100),
    ("BR_MISP_RETIRED.ALL_BRANCHES", 800),
    ("MACHINE_CLEARS.COUNT", 200),
)


def icelake(**more):
    return "".join(line(count, event) for event, count in ICELAKE) + "".join(
        line(count, f"INT_MISC.{event}") for event, count in more.items()
    )


def check_corrections():
    names = ("tma_frontend_bound", "tma_bad_speculation", "tma_backend_bound", "tma_retiring")
    whole = report(icelake(), "icelake")
    for name, expected, without in zip(
        names,
        (30, 10, 40, 20),
        (
            ["INT_MISC.UOP_DROPPING"],
            ["INT_MISC.UOP_DROPPING", "INT_MISC.CLEARS_COUNT"],
            ["INT_MISC.CLEARS_COUNT"],
            None,
        ),
    ):
        row = whole["by_name"][name]
        check(near(row["value"], expected), f"{name} without its correction", row["value"])
        check(
            sorted(row.get("without") or []) == sorted(without or []),
            f"{name}: what is missing",
            row.get("without"),
        )
        check(row["quality"] == ("estimated" if without else "exact"), f"{name}: quality", row["quality"])
    check(
        "Estimated without INT_MISC.UOP_DROPPING and INT_MISC.CLEARS_COUNT: they were not counted, and"
        " correct Frontend_Bound, Bad_Speculation, Backend_Bound."
        in report(icelake(), "icelake", "-l1")["notes"],
        "a note names them",
        whole["notes"],
    )
    whole = report(icelake(UOP_DROPPING=100), "icelake")
    check(
        near(value(whole, "tma_frontend_bound"), 29)
        and whole["by_name"]["tma_frontend_bound"]["quality"] == "exact",
        "with it: exact",
    )
    check(
        whole["by_name"]["tma_backend_bound"]["without"] == ["INT_MISC.CLEARS_COUNT"],
        "the other is still missing",
    )
    whole = report(icelake(UOP_DROPPING=100, CLEARS_COUNT=10), "icelake")
    check(
        near(value(whole, "tma_backend_bound"), 40.5) and near(value(whole, "tma_bad_speculation"), 10.5),
        "all of them",
        value(whole, "tma_backend_bound"),
    )
    check(
        "without" not in whole["by_name"]["tma_backend_bound"]
        and not any("without" in note for note in whole["notes"]),
        "nothing to say",
    )
    general = "".join(line(count, event) for event, count in GENERAL)
    for name, expected in (
        ("tma_bad_speculation", 20),
        ("tma_memory_bound", 10),
        ("tma_core_bound", 10),
        ("tma_branch_mispredicts", 16),
    ):
        row = report(general, "icelake", "--form", "general")["by_name"][name]
        check(
            near(row["value"], expected)
            and row["quality"] == "estimated"
            and "INT_MISC.CLEARS_COUNT" in row["without"],
            f"{name} of general events, without its correction",
            row,
        )
    row = report(
        general + line(100, "INT_MISC.CLEARS_COUNT") + line(0, "INT_MISC.UOP_DROPPING"),
        "icelake",
        "--form",
        "general",
    )["by_name"]
    check(
        near(row["tma_bad_speculation"]["value"], 15) and row["tma_bad_speculation"]["quality"] == "exact",
        "with it",
        row["tma_bad_speculation"],
    )
    idle = "".join(
        line(0 if event == "topdown-fe-bound" else count * 1000, event)
        for event, count in (*ICELAKE, ("cycles", 2000))
    )
    for more in ("", line(0, "INT_MISC.UOP_DROPPING")):
        notes = report(idle + more, "icelake")["notes"]
        check(
            not any("impossible" in note for note in notes), "a correction may be 0, or be taken as 0", notes
        )


def check_carriers():
    """Where the same event carries the value, its absence leaves none; an event that is no correction leaves
    none either."""
    misses = line(1000, "BR_MISP_RETIRED.ALL_BRANCHES") + line(100, "MACHINE_CLEARS.COUNT")
    whole = report(icelake() + misses, "icelake")
    for name in ("tma_info_bad_spec_spec_clears_ratio", "tma_other_mispredicts"):
        check(
            whole["by_name"][name]["value"] is None,
            f"{name} needs INT_MISC.CLEARS_COUNT",
            whole["by_name"][name]["value"],
        )
    n2 = line(1000, "cpu_cycles") + line(2500, "stall_slot_backend")
    row = report(n2, "neoverse-n2")["by_name"]["backend_bound"]
    check(
        near(row["value"], n2_backend(2500, 1000, 0)) and row["without"] == ["BR_MIS_PRED"],
        "Neoverse N2",
        row,
    )
    row = report(line(1000, "BR_RETIRED") + n2, "neoverse-n2")["by_name"]["branch_misprediction_ratio"]
    check(row["value"] is None, "a ratio of the same event", row["value"])
    whole = report("".join(line(count, event) for event, count in ICELAKE[:-1]), "icelake")
    check(
        value(whole, "tma_frontend_bound") is None,
        "one of the four is missing",
        value(whole, "tma_frontend_bound"),
    )
    row = report(
        line(4000, "UOPS_ISSUED.ANY") + line(3000, "UOPS_RETIRED.RETIRE_SLOTS") + line(2000, "cycles"),
        "skylake",
        "--smt",
        "off",
    )["by_name"]["tma_bad_speculation"]
    check(row["value"] is None, "recovery cycles carry Bad_Speculation", row["value"])


# ---- what is not the CPU's ----

OTHERS = (
    line(7, "context-switches")
    + line(7, "duration_time")
    + line(7, "user_time")
    + line(7, "power/energy-pkg/")
    + line(7, "uncore_imc_0/cas_count_read/")
    + line(7, "UNC_M_CAS_COUNT.RD")
    + line(7, "sched:sched_switch")
)


def check_unknown():
    """A misspelt event is named; the kernel's own events and those of other PMUs are not."""

    def said(text):
        return [note for note in report(text, "amdzen4")["notes"] if " known on " in note]

    known = line(1000, "ex_ret_ops") + line(1000, "cycles")
    check(said(known + OTHERS) == [], "other PMUs", said(known + OTHERS))
    one = said(known + line(1, "ex_ret_opps") + line(1, "cpu/ex_ret_opps/u"))
    check(one == ["1 event is not known on amdzen4: ex_ret_opps."], "one", one)
    four = said(known + "".join(line(1, f"foo.{name}") for name in "abcd"))
    check(four == ["4 events are not known on amdzen4: foo.a, foo.b, foo.c and 1 more."], "four", four)
    intel = said(line(1000, "cycles") + line(1, "IDQ_UOPS_NOT_DELIVERED.CORE") + line(1, "UOPS_ISSUED.ANY"))
    check(
        intel
        == [
            "None of the vendor's events among these counts is known on amdzen4: IDQ_UOPS_NOT_DELIVERED.CORE,"
            " UOPS_ISSUED.ANY. Is --cpu right?"
        ],
        "none",
        intel,
    )


def check_modes():
    def said(*events):
        return [
            note
            for note in report("".join(line(1000, event) for event in events), "amdzen4")["notes"]
            if "modes" in note
        ]

    two = said("cycles:u", "ex_ret_ops:k")
    check(
        two
        == [
            "Counted in different modes, so no value is computed from them: cycles:u, ex_ret_ops:k. "
            "Count all events with the same :u or :k, or all without."
        ],
        "two modes",
        two,
    )
    for events in (
        ("cycles:u", "ex_ret_ops:u"),
        ("cycles", "ex_ret_ops"),
        ("cycles:u", "ex_ret_ops:u", "context-switches"),
    ):
        check(said(*events) == [], f"one mode: {events}", said(*events))


# ---- SMT ----


def skylake(recovery="INT_MISC.RECOVERY_CYCLES", more=""):
    return (
        line(1000, "cycles")
        + line(1200, "uops_issued.any")
        + line(1000, "uops_retired.retire_slots")
        + line(800, "idq_uops_not_delivered.core")
        + line(50, recovery)
        + more
    )


def check_smt():
    expected = {
        "tma_frontend_bound": 20,
        "tma_bad_speculation": 10,
        "tma_retiring": 25,
        "tma_backend_bound": 45,
    }
    stated, guessed = report(skylake(), "skylake", "--smt", "off"), report(skylake(), "skylake")
    for name, number in expected.items():
        check(
            near(value(stated, name), number) and stated["by_name"][name]["quality"] == "exact",
            f"--smt off: {name}",
            stated["by_name"][name],
        )
        check(
            near(value(guessed, name), number) and guessed["by_name"][name]["quality"] == "estimated",
            f"guessed: {name}",
            guessed["by_name"][name],
        )
    check(
        any("SMT is assumed to be off" in note for note in guessed["notes"]),
        "the guess is told",
        guessed["notes"],
    )
    check(not any("SMT" in note for note in stated["notes"]), "nothing was guessed", stated["notes"])
    on = report(skylake(), "skylake", "--smt", "on")
    check(
        value(on, "tma_bad_speculation") is None and not any("assumed to be" in note for note in on["notes"]),
        "--smt on: no guess",
        on["notes"],
    )
    # core cycles: 1000 / 2 * (1 + 5 / 10) = 750
    both = skylake(
        "INT_MISC.RECOVERY_CYCLES_ANY",
        line(5, "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE") + line(10, "CPU_CLK_UNHALTED.REF_XCLK"),
    )
    whole = report(both, "skylake")
    check(
        near(value(whole, "tma_retiring"), 100 * 1000 / 3000)
        and near(value(whole, "tma_bad_speculation"), 10),
        "with SMT's own events: SMT is on",
        value(whole, "tma_bad_speculation"),
    )


def check_flat_smt():
    """Flat counts say it themselves, or not; the option is what somebody says now. A session always does."""
    counts = {"CPU_CLK_UNHALTED.THREAD": 1000, "UOPS_RETIRED.RETIRE_SLOTS": 1000}
    with temporary() as folder:
        file = folder / "flat.json"
        for smt, words, expected in (
            (None, (), 25),
            (0, (), 25),
            (1, (), None),
            (1, ("--smt", "off"), 25),
            (0, ("--smt", "on"), None),
        ):
            flat = {"format": "topdown-counts", "cpu": "skylake", "counts": counts} | (
                {} if smt is None else {"smt": smt}
            )
            file.write_text(json.dumps(flat), encoding="utf-8")
            result = topdown("report", "--format", "json", *words, file)
            check_success(result, f"flat counts, smt {smt} {words}")
            found = {row["name"]: row["value"] for row in json.loads(result.stdout)["nodes"]}["tma_retiring"]
            check(
                found is None if expected is None else near(found, expected),
                f"flat counts, smt {smt} {words}",
                found,
            )
    result = topdown("report", "--smt", "off", "docs/sample-session.json")
    check_failure(result, "--smt with a session", "a session records whether SMT was on")


def check_constants():
    """A constant that nothing reads is named, and so is the literal that was meant."""
    with temporary() as folder:
        file = folder / "flat.json"
        for constants, expected in (
            ({"SYSTEM_TSC_FREQ": 2e9, "#slots": 8, "CHAS_PER_SOCKET": 28, "foo": None}, None),
            (
                {"slots": 8, "foo": 1},
                "Constants that no formula uses, which were ignored: slots (is it #slots?), foo.",
            ),
            (
                dict.fromkeys("abcde", 1),
                "Constants that no formula uses, which were ignored: a, b, c and 2 more.",
            ),
        ):
            file.write_text(
                json.dumps(
                    {
                        "format": "topdown-counts",
                        "cpu": "neoverse-n1",
                        "constants": constants,
                        "counts": {"CPU_CYCLES": 1000},
                    }
                ),
                encoding="utf-8",
            )
            result = topdown("report", "--format", "json", file)
            check_success(result, f"{constants}")
            notes = [note for note in json.loads(result.stdout)["notes"] if note.startswith("Constants")]
            check(notes == ([expected] if expected else []), f"{constants}", notes)


check_spellings()
check_user_only()
check_two_names()
check_all_copies()
check_pairs()
check_scattered()
check_undecided()
check_bad_copies()
check_part_of_nothing()
check_contradiction()
check_head()
check_corrections()
check_carriers()
check_unknown()
check_modes()
check_smt()
check_flat_smt()
check_constants()
finish()
