#!/usr/bin/env python3
"""perf_stat.py - topdown report reads what perf stat prints: by its manual page, and by the perf that is installed."""
import json
import shutil
import subprocess

from cli import COUNTS, SOURCE, check, check_failure, check_success, finish, temporary, topdown

FLAT = json.loads(COUNTS.read_text(encoding="utf-8"))
del FLAT["constants"]["#core_wide"]  # which perf stat does not tell
FLAT["counts"]["CPU_CLK_UNHALTED.REF_XCLK"] = 2 * FLAT["counts"]["CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE"]
MACHINES = SOURCE / "tests/machines"
PERF = shutil.which("perf")
EVENTS = "task-clock,page-faults,duration_time"
OLD_CPU = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\nmodel name\t: Pentium Pro\nstepping\t: 9\n"
SPLIT = (["-I", "1"], ["-A", "-a"], ["--per-socket", "-a"], ["--per-core", "-a"])


def as_csv():
    return "".join(f"{value:.17g},,{name},1000,100.00,,\n" for name, value in FLAT["counts"].items())


def as_json():
    return "".join(json.dumps({"counter-value": str(value), "unit": "", "event": name, "event-runtime": 1000,
                               "pcnt-running": 100.0}) + "\n" for name, value in FLAT["counts"].items())


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


def check_withheld():
    """An event that had hardly any time on a counter has no value, and takes what needs it with it; the others stay."""
    event = "IDQ_UOPS_NOT_DELIVERED.CORE"
    with temporary() as folder:
        file = folder / "stat.csv"
        for percent, is_withheld in (("1.90", True), ("2.10", False)):
            lines = [line.replace(",1000,100.00,", f",3000000,{percent},") if f",{event}," in line else line for line in as_csv().splitlines()]
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
        file.write_text("     1.000000000,7,,cycles,1000,100.00,,\n", encoding="utf-8")
        check_failure(topdown("report", file, "--cpu", "clx"), "intervals", f"{file}: line 1", "without -I")


def perf(*words):
    return subprocess.run([PERF, "stat", *words], capture_output=True, check=False, timeout=60).returncode == 0


def check_perf():
    """What the documentation does not say, the program does: columns, members, blanks."""
    with temporary() as folder:
        file = folder / "stat"
        for form in (["-x,"], ["-x;"], ["-x", "\t"], ["-j"]):
            if not perf("-o", file, *form, "-e", EVENTS, "sleep", "0.01"):
                print(f"this perf can't do {form}")
                continue
            summary = report(file, "--cpu", "clx")["summary"]
            check(0.005 <= summary["wall_s"] < 60, f"perf stat {form}: wall time", summary)
            check(summary["cpus_used"] is not None, f"perf stat {form}: CPUs used", summary)
            for split in SPLIT:
                if perf("-o", file, *form, *split, "-e", "page-faults", "sleep", "0.01"):
                    check_failure(topdown("report", file, "--cpu", "clx"), f"perf stat {form} {split}",
                                  f"run perf stat without {split[0]}")
        if perf("-o", file, "-e", EVENTS, "true"):
            check_failure(topdown("report", file, "--cpu", "clx"), "perf stat's text", "perf stat -x,")


check_forms()
check_withheld()
check_cpu()
if PERF:
    check_perf()
else:
    print("no perf here: what a real one prints was not tried")
finish()
