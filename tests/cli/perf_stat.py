#!/usr/bin/env python3
"""perf_stat.py - topdown report reads what perf stat prints: by its manual page, and by the perf that is
installed."""
import csv
import io
import json
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    COUNTS,
    PATIENCE,
    SOURCE,
    check,
    check_failure,
    check_success,
    finish,
    read_json,
    temporary,
    topdown,
)

FLAT = read_json(COUNTS)
del FLAT["constants"]["#core_wide"]  # which perf stat does not print
FLAT["counts"]["CPU_CLK_UNHALTED.REF_XCLK"] = 2 * FLAT["counts"]["CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE"]
MACHINES = SOURCE / "tests/machines"
PERF = shutil.which("perf")
EVENTS = "task-clock,page-faults,duration_time"
OLD_CPU = "vendor_id\t: CentaurHauls\ncpu family\t: 6\nmodel\t\t: 15\nmodel name\t: VIA Nano\nstepping\t: 9\n"
SPLIT = (
    (["-I", "20"], ""),
    (["-A", "-a"], "CPU0"),
    (["--per-socket", "-a"], "S0"),
    (["--per-core", "-a"], "S0-D0-C0"),
)


def as_csv():
    return "".join(f"{value:.17g},,{name},1000,100.00,,\n" for name, value in FLAT["counts"].items())


def as_json():
    return "".join(
        json.dumps(
            {
                "counter-value": str(value),
                "unit": "",
                "event": name,
                "event-runtime": 1000,
                "pcnt-running": 100.0,
            }
        )
        + "\n"
        for name, value in FLAT["counts"].items()
    )


def report(path, *words):
    result = topdown("report", "--format", "json", path, *words)
    check_success(result, f"{path}")
    return json.loads(result.stdout or "{}")


def slots(whole):
    """Level 1 is slots only, so it needs none of the constants of the flat counts."""
    return {node["name"]: node["value"] for node in whole["nodes"] if node["level"] == 1}


def check_forms():
    """The same counts in three files; with SMT, which is what is assumed of another machine."""
    with temporary() as folder:
        (folder / "flat").write_text(json.dumps(FLAT | {"smt": 1}), encoding="utf-8")
        (folder / "csv").write_text(as_csv(), encoding="utf-8")
        (folder / "json").write_text(as_json(), encoding="utf-8")
        expected = slots(report(folder / "flat"))
        check(len(expected) == 4 and None not in expected.values(), "level 1", expected)
        for form in ("csv", "json"):
            found = report(folder / form, "--cpu", "clx")
            check(found["cpu"] == "cascadelakex", f"{form}: cpu", found["cpu"])
            check(slots(found) == expected, f"{form}: level 1", slots(found))
        result = topdown("report", "-", "--cpu", "clx", input=as_csv())
        check_success(result, "standard input")


def check_left_out():
    """The program's own output among the lines: a note counts what was left out."""
    said = "{} not perf stat's, and left out."
    with temporary() as folder:
        file = folder / "stat"
        for form in (as_csv(), as_json()):
            for before, after, note in (
                ("", "", None),
                ("hello, world\n", "", "1 line of the file is"),
                ("hello, world\n", "Some events weren't counted.\n[1]\n", "3 lines of the file are"),
            ):
                file.write_text(before + form + after, encoding="utf-8")
                notes = [text for text in report(file, "--cpu", "clx")["notes"] if "left out" in text]
                check(notes == ([said.format(note)] if note else []), f"{note}", notes)
        lines = "".join(
            f"     {time}.000000000,{line}\nhello\n" for time in (1, 3) for line in as_csv().splitlines()[:2]
        )
        file.write_text(lines, encoding="utf-8")
        result = topdown("report", "--cpu", "clx", file)
        check_success(result, "intervals")
        check(result.stdout.count("left out") == 1, "once for all intervals", result.stdout)


def check_utf16():
    """With the mark of its byte order, and without."""
    with temporary() as folder:
        file = folder / "stat"
        for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
            file.write_text(as_csv(), encoding=encoding)
            check_failure(
                topdown("report", file, "--cpu", "clx"),
                encoding,
                "UTF-16; `iconv -f UTF-16 -t UTF-8 FILE` prints it as UTF-8",
            )


def check_withheld():
    """An event that had hardly any time on a counter has no value, and takes what needs it with it; the
    others stay."""
    event = "IDQ_UOPS_NOT_DELIVERED.CORE"
    with temporary() as folder:
        file = folder / "stat.csv"
        for percent, is_withheld in (("1.90", True), ("2.10", False)):
            lines = [
                line.replace(",1000,100.00,", f",3000000,{percent},") if f",{event}," in line else line
                for line in as_csv().splitlines()
            ]
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
            found = report(file, "--cpu", "clx")
            nodes = {node["name"]: node for node in found["nodes"]}
            front = nodes["tma_frontend_bound"]
            check((front["value"] is None) == is_withheld, f"{percent} %: Frontend_Bound", front)
            check(nodes["tma_retiring"]["value"] is not None, f"{percent} %: Retiring", nodes["tma_retiring"])
            said = f"{event} was withheld: it was on a counter for only 1.9 % of the time, 3 ms"
            check((said in found["notes"]) == is_withheld, f"{percent} %: {said}", found["notes"])
            check(is_withheld or front["quality"] == "scaled", f"{percent} %: it is marked", front["quality"])


def check_cpu():
    with temporary() as folder:
        file = folder / "stat.csv"
        file.write_text("7,,cycles,1000,100.00,,\n8,,STALL_BACKEND,1000,100.00,,\n", encoding="utf-8")
        machine = ("--sysroot", MACHINES / "graviton2")
        check(report(file, *machine)["cpu"] == "neoverse-n1", "this machine's CPU")
        check(report(file, *machine, "--cpu", "v1")["cpu"] == "neoverse-v1", "--cpu is stronger")
        (folder / "proc").mkdir()
        (folder / "proc/cpuinfo").write_text(OLD_CPU, encoding="utf-8")
        unknown = topdown("report", file, "--sysroot", folder)
        check_failure(unknown, "neither is known", str(file), "name it with --cpu")
        check_failure(topdown("report", file, "--cpu", "clxx"), "a misspelt CPU", "did you mean")


def check_which_cpu():
    """Where nothing names the CPU, the message names those that have the events; never another machine's
    tree."""
    icelake = (
        " Performance counter stats for 'true':\n\n 7 TOPDOWN.SLOTS\n 3 INT_MISC.CLEARS_COUNT\n 4 cycles\n"
    )
    named = ("2 of its 2 events are known on icelake", "tigerlake", "--cpu")
    with temporary() as folder:
        file = folder / "stat.txt"
        file.write_text(icelake, encoding="utf-8")
        check_failure(
            topdown("report", file, "--sysroot", MACHINES / "graviton2"),
            "another CPU's events",
            "none of its events is known on this machine's CPU (neoverse-n1)",
            *named,
        )
        (folder / "proc").mkdir()
        (folder / "proc/cpuinfo").write_text(OLD_CPU, encoding="utf-8")
        check_failure(
            topdown("report", file, "--sysroot", folder),
            "an unknown CPU",
            "it does not say which CPU",
            *named,
        )
        file.write_text(" 7 cycles\n 3 instructions\n", encoding="utf-8")
        check(
            report(file, "--sysroot", MACHINES / "graviton2")["summary"]["cycles"] == 7,
            "perf's own names fit any CPU",
        )


HYBRID = """ Performance counter stats for 'system wide':

       1,000,000      cpu_core/TOPDOWN.SLOTS/
         100,000      cpu_core/topdown-retiring/
         200,000      cpu_core/topdown-bad-spec/
         300,000      cpu_core/topdown-fe-bound/
         400,000      cpu_core/topdown-be-bound/
               0      cpu_core/INT_MISC.UOP_DROPPING/
         100,000      cpu_atom/CPU_CLK_UNHALTED.CORE/
         150,000      cpu_atom/TOPDOWN_RETIRING.ALL/
         200,000      cpu_atom/TOPDOWN_FE_BOUND.ALL/
         100,000      cpu_atom/TOPDOWN_BE_BOUND.ALL/
"""
CORE, ATOM = 10, 30  # Retiring: 100,000 of a million slots, 150,000 of 5 a cycle


def check_hybrid():
    """The PMU is in each event's name: a tree for each type of cores, or for the one that --cpu names."""
    with temporary() as folder:
        file = folder / "stat.txt"
        file.write_text(HYBRID, encoding="utf-8")

        def retiring(*words):
            whole = report(file, *words)
            return {
                part["cpu"]: round(node["value"], 9)
                for part in whole.get("parts", [whole])
                for node in part["nodes"]
                if node["name"] == "tma_retiring"
            }

        both = {"alderlake:core": CORE, "alderlake:atom": ATOM}
        check(retiring("--cpu", "adl") == both, "both", retiring("--cpu", "adl"))
        for cpu, value in both.items():
            check(retiring("--cpu", cpu) == {cpu: value}, cpu, retiring("--cpu", cpu))
        machine = ("--sysroot", MACHINES / "laptop-hybrid")
        check(retiring(*machine) == both, "this machine", retiring(*machine))
        check_failure(
            topdown("report", file, "--cpu", "spr"),
            "one type only",
            "several types of cores",
            "sapphirerapids has one type only",
        )
        atom = "".join(line + "\n" for line in HYBRID.splitlines() if "cpu_atom" in line)
        file.write_text(atom, encoding="utf-8")
        check(
            retiring("--cpu", "adl") == {"alderlake:atom": ATOM},
            "--cpu adl means the cores that counted",
            retiring("--cpu", "adl"),
        )
        check_failure(
            topdown("report", file, "--cpu", "adl:core"),
            "the other cores",
            "these counts are of cpu_atom, not of adl:core",
        )
        file.write_text(HYBRID.replace("cpu_atom", "cpu_none"), encoding="utf-8")
        result = topdown("report", "--format", "json", file, "--cpu", "adl")
        check(
            "counts of cpu_none are left out" in result.stderr
            and json.loads(result.stdout)["cpu"] == "alderlake:core",
            "cores that nobody knows",
            result.stderr,
        )


def check_series():
    """Intervals: a tree for each and one for all of the time, as -I prints them; places: a part for each."""
    lines = "".join(f"     {time}.000000000,{line}\n" for time in (1, 3) for line in as_csv().splitlines())
    with temporary() as folder:
        file = folder / "stat.csv"
        file.write_text(lines, encoding="utf-8")
        result = topdown("report", "--format", "json", "--cpu", "clx", file)
        check_success(result, "intervals")
        series = [json.loads(line) for line in result.stdout.splitlines()]
        check(
            [one["interval"] for one in series] == [{"from_s": 0, "to_s": 1}, {"from_s": 1, "to_s": 3}, None],
            "intervals",
            result.stdout[:300],
        )
        check(
            len({json.dumps(slots(one)) for one in series}) == 1 and None not in slots(series[0]).values(),
            "each interval has the tree of the sum",
            [slots(one) for one in series],
        )
        check(
            series[2]["summary"]["cycles"] == 2 * series[0]["summary"]["cycles"],
            "the sum",
            series[2]["summary"],
        )
        check(
            [one["summary"]["wall_s"] for one in series] == [1, 2, 3],
            "times",
            [one["summary"] for one in series],
        )
        text = topdown("report", "--cpu", "clx", file).stdout
        ends = [line.split()[0] for line in text.split("\n\n")[0].splitlines()]
        check(ends == ["Seconds", "0.00-3.00"] and "\n[all of the time]\n" in text, "as text", text)
        table = topdown("report", "--cpu", "clx", "--format", "csv", file).stdout
        nodes = [row["to_s"] for row in csv.DictReader(io.StringIO(table)) if row["kind"] == "node"]
        check(
            table.count("level,name,") == 1
            and {nodes.count(end) for end in ("1", "3", "")} == {len(nodes) // 3},
            "as CSV",
            table[:200],
        )
        file.write_text(
            "".join(f"S0-D0-C{core},2,{line}\n" for core in (0, 1) for line in as_csv().splitlines()),
            encoding="utf-8",
        )
        whole = report(file, "--cpu", "clx")
        check(
            whole["format"] == "topdown-reports"
            and [part["part"] for part in whole["parts"]] == ["S0-D0-C0", "S0-D0-C1"],
            "a part for each core",
            whole["format"],
        )


CORE_CYCLES, ONE_THREAD = "CPU_CLK_UNHALTED.THREAD_ANY", "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE"
WHOLE_SLOTS, SHARED_SLOTS = 4 * 2000 / 2, 4 * 1600 / 2 * (1 + 25 / 100)
WIDE = {
    "IDQ_UOPS_NOT_DELIVERED.CORE": 800,
    "UOPS_ISSUED.ANY": 1200,
    "UOPS_RETIRED.RETIRE_SLOTS": 1000,
    "INT_MISC.RECOVERY_CYCLES_ANY": 50,
    "CPU_CLK_UNHALTED.THREAD": 1600,
}
OF_CORES, OF_THREADS = {CORE_CYCLES: 2000}, {ONE_THREAD: 25, "CPU_CLK_UNHALTED.REF_XCLK": 100}
SYSTEM, PROGRAM = (
    " Performance counter stats for 'system wide':\n\n",
    " Performance counter stats for './prog':\n\n",
)
GUESS, DASH_A, HALF = (
    "Whole cores are assumed to be counted",
    "whole cores with -a",
    "these counts are not of whole cores",
)
PER_CORE = "with --per-core in place of -A"
# name, first line, place, cycles, slots, estimated, what notes say, what none says
CORES = (
    ("-a", SYSTEM, "", OF_CORES, WHOLE_SLOTS, False, (), (GUESS, DASH_A)),
    ("-a, the other formula's events", SYSTEM, "", OF_THREADS, SHARED_SLOTS, False, (), (GUESS, DASH_A)),
    ("-a, both", SYSTEM, "", OF_CORES | OF_THREADS, WHOLE_SLOTS, False, (), (GUESS, DASH_A)),
    ("--per-core", SYSTEM, "S0-D0-C0 2 ", OF_CORES, WHOLE_SLOTS, False, (), (GUESS, DASH_A)),
    ("--per-socket", SYSTEM, "S0 8 ", OF_THREADS, SHARED_SLOTS, False, (), (GUESS, DASH_A)),
    ("-A", SYSTEM, "CPU0 ", OF_CORES, WHOLE_SLOTS, True, (HALF, PER_CORE), (GUESS, DASH_A, "busy for")),
    (
        "-A, both",
        SYSTEM,
        "CPU0 ",
        OF_CORES | OF_THREADS,
        SHARED_SLOTS,
        True,
        ("busy for 75 %", PER_CORE),
        (GUESS, DASH_A, HALF),
    ),
    ("a program", PROGRAM, "", OF_THREADS, SHARED_SLOTS, True, (DASH_A,), (GUESS,)),
    (
        "a program, whole cores' events",
        PROGRAM,
        "",
        OF_CORES,
        4 * 1600,
        True,
        ("SMT is assumed to be off",),
        (GUESS,),
    ),
    (
        "some CPUs",
        " Performance counter stats for 'CPU(s) 0-3':\n\n",
        "",
        OF_CORES,
        WHOLE_SLOTS,
        True,
        (GUESS,),
        (DASH_A,),
    ),
    ("nobody says it", "", "", OF_CORES, WHOLE_SLOTS, True, (GUESS,), (DASH_A,)),
    ("nobody says it, both", "", "", OF_CORES | OF_THREADS, SHARED_SLOTS, True, (DASH_A,), (GUESS,)),
)


def check_cores():
    """Before Ice Lake both threads of a core share its slots: half of THREAD_ANY are the cycles of whole
    cores; of one thread's part they are THREAD / 2 * (1 + ONE_THREAD_ACTIVE / REF_XCLK), which is right for
    whole cores, too."""
    with temporary() as folder:
        file = folder / "stat.txt"
        for name, head, place, cycles, of, is_estimated, said, unsaid in CORES:
            file.write_text(
                head + "".join(f" {place}{value} {event}\n" for event, value in (WIDE | cycles).items()),
                encoding="utf-8",
            )
            for cpu in ("skx", "hsw", "snb"):
                whole = report(file, "--cpu", cpu)
                part = whole.get("parts", [whole])[0]
                row, notes = next(node for node in part["nodes"] if node["name"] == "tma_retiring"), " ".join(
                    part["notes"]
                )
                check(
                    row["value"] is not None and abs(row["value"] - 100 * 1000 / of) < 1e-9,
                    f"{cpu} {name}: Retiring",
                    row,
                )
                check(
                    row["quality"] == ("estimated" if is_estimated else "exact"),
                    f"{cpu} {name}: quality",
                    row,
                )
                check(
                    all(text in notes for text in said) and not any(text in notes for text in unsaid),
                    f"{cpu} {name}: notes",
                    notes,
                )


def check_cores_said():
    """Flat counts have a constant for it; intervals and the machine that report runs on don't change what
    perf said."""
    with temporary() as folder:
        file = folder / "flat.json"
        for said, expected, quality in ((1, 25, "exact"), (0, None, "none"), (None, 25, "estimated")):
            flat = {
                "format": "topdown-counts",
                "cpu": "skylakex",
                "smt": 1,
                "counts": WIDE | OF_CORES,
                "constants": {} if said is None else {"#core_wide": said},
            }
            file.write_text(json.dumps(flat), encoding="utf-8")
            row = next(node for node in report(file)["nodes"] if node["name"] == "tma_retiring")
            check(row["value"] == expected and row["quality"] == quality, f"#core_wide {said}", row)
        file.write_text(
            SYSTEM + "".join(f" {value} {event}\n" for event, value in (WIDE | OF_CORES).items()),
            encoding="utf-8",
        )
        here = report(file, "--sysroot", MACHINES / "xeon-skx")
        check(
            here["cpu"] == "skylakex"
            and here["nodes"][0]["quality"] == "exact"
            and not any("whole cores" in note.lower() for note in here["notes"]),
            "all CPUs of this machine",
            here["notes"],
        )
        file.write_text(
            "".join(
                f"{time}.000000000,S0,2,{value},,{event},1000,100.00,,\n"
                for time in (1, 2)
                for event, value in (WIDE | OF_CORES).items()
            ),
            encoding="utf-8",
        )
        for line in topdown("report", "--format", "json", "--cpu", "skx", file).stdout.splitlines():
            whole = json.loads(line)
            part = whole.get("parts", [whole])[0]
            check(
                part["nodes"][0]["quality"] == "exact" and not part["notes"],
                "intervals of a socket",
                part["notes"],
            )


def perf(*words):
    return (
        subprocess.run([PERF, "stat", *words], capture_output=True, check=False, timeout=PATIENCE).returncode
        == 0
    )


def check_outputs():
    """Several outputs are runs of one program: which did other work is said, as of topdown's own runs."""

    def output(events):
        return (
            " Performance counter stats for './prog':\n\n"
            + "".join(f" {value} {name}\n" for name, value in events.items())
            + "\n"
        )

    first = {"CPU_CLK_UNHALTED.THREAD": 1000, "INST_RETIRED.ANY": 2000, "IDQ_UOPS_NOT_DELIVERED.CORE": 400}
    second = {"CPU_CLK_UNHALTED.THREAD": 2000, "INST_RETIRED.ANY": 4000, "BR_MISP_RETIRED.ALL_BRANCHES": 100}
    with temporary() as folder:
        file = folder / "stat.txt"
        file.write_text(output(first) + output(second | {"INST_RETIRED.ANY": 2000}), encoding="utf-8")
        found = report(file, "--cpu", "clx")
        check([run["unlike"] for run in found["runs"]] == [False, False], "the same work", found["runs"])
        check(
            found["summary"]["command"] == "./prog" and found["summary"]["runs"] == 2,
            "its head",
            found["summary"],
        )
        check(
            {run["exit_status"] for run in found["runs"]} == {None},
            "nobody knows how they ended",
            found["runs"],
        )
        file.write_text(output(first) + output(second), encoding="utf-8")
        found = report(file, "--cpu", "clx")
        check([run["unlike"] for run in found["runs"]] == [False, True], "twice the work", found["runs"])
        check(
            any("100 % more instructions" in note for note in found["notes"]), "which is said", found["notes"]
        )
        file.write_text(output(first) * 3, encoding="utf-8")
        check(report(file, "--cpu", "clx")["summary"]["repeats"] == 3, "the same events again: repeats")


def check_split(file, part, what):
    result = topdown("report", "--format", "json", "--cpu", "clx", file)
    check_success(result, what)
    for line in result.stdout.splitlines() if not part else [result.stdout]:
        whole = json.loads(line)
        parts = whole.get("parts", [whole])
        check("interval" in whole if not part else parts[0]["part"].startswith(part), what, line[:300])


def check_plain():
    """A plain perf stat has no event of the tree; the report says how to get them. With one of them it says
    nothing."""
    with temporary() as folder:
        file = folder / "stat"
        plain, advice = (
            "10,,cycles,1000,100.00,,\n20,,instructions,1000,100.00,,\n",
            "`topdown plan --format perf --cpu amdzen4`",
        )
        file.write_text(plain, encoding="utf-8")
        notes = report(file, "--cpu", "zen4")["notes"]
        check(any(advice in note for note in notes), "plain perf stat", notes)
        deeper = report(file, "--cpu", "zen4", "-l2")["notes"]
        check(
            any(advice.replace("plan", "plan -l2") in note for note in deeper),
            "the level that was asked for",
            deeper,
        )
        file.write_text(plain + "30,,ex_ret_ops,1000,100.00,,\n", encoding="utf-8")
        notes = report(file, "--cpu", "zen4")["notes"]
        check(not any("lack some or all" in note for note in notes), "perf stat with retiring", notes)


# What perf counts by default on Arm. 15 % = 0.3 of 2 G cycles, 45 % = 0.9 of 2 G.
DEFAULT = "2000000000,,cycles,1000,100.00,,\n3000000000,,instructions,1000,100.00,,\n"
STALLS = "300000000,,stalled-cycles-frontend,1000,100.00,,\n900000000,,stalled-cycles-backend,1000,100.00,,\n"
STALLED = {"frontend_stalled_cycles": 15, "backend_stalled_cycles": 45}
# Of Neoverse V1's 8 slots: 16 G in 2 G cycles. Half of them stall, 3 G in the frontend and 5 G in the
# backend; 9 of 10 operations retire.
V1_SLOTS = {
    "stall_slot_frontend": 3e9,
    "stall_slot_backend": 5e9,
    "stall_slot": 8e9,
    "op_retired": 7.2e9,
    "op_spec": 8e9,
    "br_mis_pred": 0,
}
V1_ROOTS = {"frontend_bound": 18.75, "backend_bound": 31.25, "retiring": 45, "bad_speculation": 5}


def level_1_of(file, text, cpu):
    file.write_text(text, encoding="utf-8")
    found = report(file, "--cpu", cpu)
    return found, {
        node["name"]: node["value"]
        for node in found["nodes"]
        if node["level"] == 1 and node["value"] is not None
    }


def has_values(found, expected):
    return found.keys() == expected.keys() and all(
        abs(found[name] - value) < 1e-9 for name, value in expected.items()
    )


def check_stalls():
    """Without the events of slots an Arm core has the ratios of stalled cycles; with them it has its tree
    alone."""
    slots = "".join(f"{value:.0f},,{name},1000,100.00,,\n" for name, value in V1_SLOTS.items())
    unsupported = "".join(f"<not supported>,,{name},0,100.00,,\n" for name in V1_SLOTS)
    with temporary() as folder:
        file = folder / "stat"
        for cpu in ("neoverse-v1", "neoverse-v2", "neoverse-n2", "neoverse-v3", "cortex-a78"):
            found, values = level_1_of(file, DEFAULT + STALLS, cpu)
            check(has_values(values, STALLED), f"{cpu}: perf's default lines", values)
            worst = [node["name"] for node in found["nodes"] if node["worst_path"]]
            check(worst == ["backend_stalled_cycles"], f"{cpu}: the worst", worst)
            check(
                "stalled cycles are shown instead" in (found["no_tree"] or "").lower(),
                f"{cpu}: which is said",
                found["no_tree"],
            )
            check(
                any(f"`topdown plan --format perf --cpu {cpu}`" in note for note in found["notes"]),
                f"{cpu}: advice",
                found["notes"],
            )
            reasons = [node["reason"] for node in found["nodes"] if node["name"] == "retiring"]
            check(len(reasons) == 1 and "not counted" in reasons[0], f"{cpu}: Retiring says why not", reasons)
        _, values = level_1_of(file, DEFAULT + STALLS + unsupported, "neoverse-v1")
        check(has_values(values, STALLED), "slots that are not supported", values)
        for text in (DEFAULT + slots, DEFAULT + STALLS + slots):
            found, values = level_1_of(file, text, "neoverse-v1")
            check(has_values(values, V1_ROOTS), "with all events of slots", values)
            check(found["no_tree"] is None and len(found["nodes"]) == 4, "the tree as it was", found["nodes"])
        file.write_text(DEFAULT + STALLS, encoding="utf-8")
        found = report(file, "--cpu", "neoverse-v1", "--metrics", "Frontend_Stalled_Cycles")
        check(
            found["no_tree"] is None and not found["nodes"],
            "a metric that is asked for by name stays one",
            found,
        )
        check([metric["value"] for metric in found["metrics"]] == [15], "its value", found["metrics"])
        found, values = level_1_of(file, DEFAULT, "neoverse-v1")
        check(
            not values and found["no_tree"] is None and len(found["nodes"]) == 4,
            "neither slots nor stalls",
            values,
        )
        found, values = level_1_of(file, DEFAULT + STALLS, "cascadelakex")
        check(not values and found["no_tree"] is None, "x86 has no such nodes", values)


def check_perf():
    """What the documentation does not say, the program does: columns, members, blanks."""
    with temporary() as folder:
        file = folder / "stat"
        for form in ([], ["-x,"], ["-x;"], ["-x", "\t"], ["-j"]):
            if not perf("-o", file, *form, "-e", EVENTS, "sleep", "0.01"):
                print(f"this perf can't do {form}")
                continue
            summary = report(file, "--cpu", "clx")["summary"]
            check(summary["wall_s"] > 0, f"perf stat {form}: wall time", summary)
            check(summary["cpus_used"] is not None, f"perf stat {form}: CPUs used", summary)
            for split, part in SPLIT:
                if perf("-o", file, *form, *split, "-e", "page-faults", "sleep", "0.05"):
                    check_split(file, part, f"perf stat {form} {split}")


check_forms()
check_left_out()
check_utf16()
check_withheld()
check_cpu()
check_which_cpu()
check_hybrid()
check_series()
check_cores()
check_cores_said()
check_outputs()
check_plain()
check_stalls()
if PERF:
    check_perf()
else:
    print("no perf here: what a real one prints was not tried")
finish()
