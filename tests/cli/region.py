#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""region.py - a part of a simulated program is counted: calls of a function, what comes behind a delay, and
what the program marks. The number of instructions of each part follows from the program's own assembly. Exit
status 77 without Valgrind or a compiler."""
import platform
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    SOURCE,
    check,
    check_failure,
    check_success,
    finish,
    need_simulator,
    read_json,
    simulate,
    skip,
    temporary,
    topdown,
)

HERE = SOURCE / "tests/simulated"
SHORT, LONG = 2002, 6002  # instructions of a call of work and of other (part.c)


def simulate_part(folder, *words, program="part", status=0):
    return simulate(*words[:-1], folder / program, words[-1], status=status)


def check_toggle(folder):
    """Only calls of the function, with what it calls; returned from, or left by longjmp."""
    for function, instructions in (
        ("work", 100 * SHORT),
        ("other", 100 * LONG),
        ("both", 100 * (SHORT + LONG)),
    ):
        report = simulate_part(folder, "--toggle", function, "100")
        summary, more = report["summary"], 10 * 100 if function == "both" else 0
        check(
            instructions <= summary["instructions"] <= instructions + more,
            f"all of {function}",
            summary["instructions"],
        )
        # A round of the loop is a fused operation, which takes a cycle.
        check(
            instructions / 2 <= summary["cycles"] <= 1.1 * instructions / 2,
            f"its cycles: {function}",
            summary["cycles"],
        )
        check(f"Only calls of {function} are counted." in report["notes"], "it is said", report["notes"])
        check(
            "only a part" in (report["anchor"]["reason"] if report["anchor"] else "only a part"),
            "and not compared",
            report["anchor"],
        )
    sampled = simulate_part(folder, "--toggle", "work", "--sim-sample", "0.3", "100")
    check(
        sampled["summary"]["instructions"] == 100 * SHORT,
        "sampled: all of its instructions",
        sampled["summary"],
    )
    lines = simulate_part(folder, "--toggle", "work", "--functions", "100")["profile"]["functions"]
    check(lines[0]["name"] == "work" and lines[0]["self"] > 99.9, "nothing else has lost anything", lines)
    leap = simulate_part(folder, "--toggle", "leap", "5")
    check(leap["summary"]["instructions"] < 6 * SHORT, "left by longjmp", leap["summary"])
    words = ("--pmu", "sim", "--no-last", "--toggle")
    check_failure(
        topdown(*words, "nowhere", folder / "part", "1"),
        "a function that is not there",
        "'nowhere'",
        "never called",
    )
    check_failure(topdown("--toggle", "work", "--pmu", "cpu", folder / "part", "1"), "without a simulation")


def check_delay(folder):
    """Whatever comes before is not counted."""
    whole = simulate_part(folder, "100")["summary"]["instructions"]
    for text, number in (("100k", 100000), ("0.25M", 250000)):
        found = simulate_part(folder, "-D", text, "100")["summary"]["instructions"]
        check(abs(whole - number - found) < 100, f"all but {text}", (whole, found))
    both = simulate_part(folder, "-D", "400k", "--toggle", "work", "100")["summary"]["instructions"]
    check(both % SHORT == 0 and 0 < both < 100 * SHORT, "calls behind a delay", both)
    words = ("--pmu", "sim", "--no-last", "-D")
    check_failure(
        topdown(*words, "1G", folder / "part", "1"), "longer than the program", "--delay", "had ended before"
    )
    check_failure(topdown(*words, "100", folder / "part", "1"), "milliseconds", "instructions", "50M")
    check_failure(topdown(*words, "5X", folder / "part", "1"), "another unit", "k, M or G")


def check_regions(folder):
    """A tree for each region behind that of all; names are a stranger's. With a thread and a child there are
    three times as many calls."""
    for words, times in (("50",), 1), (("--sim-sample", "1", "50 more"), 3):
        words = (*words[:-1], *words[-1].split())
        result = topdown(
            "--pmu",
            "sim",
            "--sim-core",
            "skylake",
            "--no-last",
            "--no-anchor",
            "--save",
            folder / "saved",
            "--format",
            "json",
            "-o",
            folder / "report",
            *words[: -1 if times == 1 else -2],
            folder / "regions",
            *words[-1 if times == 1 else -2 :],
        )
        check_success(result, words)
        parts = read_json(folder / "report")["parts"]
        check(
            [(part["part"], part["part_kind"]) for part in parts]
            == [
                ("all", "all"),
                ("outside regions", "region"),
                ("region short", "region"),
                ("region long\twith a tab", "region"),
            ],
            "names and kinds",
            [part["part"] for part in parts],
        )
        check(
            any("topdown_end() was called where no region had begun" in note for note in parts[0]["notes"]),
            "an end too many",
            parts[0]["notes"],
        )
        check(not (parts[1]["advice"] or {}).get("try"), "nothing to try outside regions", parts[1]["advice"])
        instructions = [part["summary"]["instructions"] for part in parts]
        check(instructions[0] == sum(instructions[1:]), "the regions are all of the program", instructions)
        for found, call in zip(instructions[2:], (SHORT, LONG)):
            check(
                50 * times * call < found < 50 * times * (call + 50),
                "a region has its calls, and the marks around them",
                (found, call),
            )
        check(
            parts[0]["summary"]["wall_s"] > 0 and {part["summary"]["wall_s"] for part in parts[1:]} == {None},
            "the run's time is no region's",
            [part["summary"]["wall_s"] for part in parts],
        )
        cycles = [part["summary"]["cycles"] for part in parts]
        check(
            abs(cycles[0] - sum(cycles[1:])) <= 3 and cycles[3] < 1.1 * instructions[3] / 2,
            "and its cycles",
            cycles,
        )
    text = topdown("report", folder / "saved")
    check(
        text.returncode == 0 and "[region long\\twith a tab]" in text.stderr + text.stdout,
        "a saved report has them, with the name escaped",
        (text.stdout + text.stderr)[-300:],
    )
    native = subprocess.run([folder / "regions", "3", "more"], check=False)
    check(native.returncode == 0, "natively the marks do nothing", native.returncode)
    threads = topdown(
        "--pmu",
        "sim",
        "--no-last",
        "--no-anchor",
        "--per-thread",
        "--format",
        "json",
        "-o",
        folder / "report",
        folder / "regions",
        "2",
        "more",
    )
    check_success(threads, "--per-thread")
    parts = [part.get("part", "") for part in read_json(folder / "report")["parts"]]
    check(len(parts) == 3 and all("thread" in part for part in parts), "the parts are threads there", parts)


# long ns::total<long>(long), as a C++ compiler calls it, with three instructions.
TEMPLATE = """
long total(long) __asm__("_ZN2ns5totalIlEET_S1_");
__asm__(".globl _ZN2ns5totalIlEET_S1_\\n.type _ZN2ns5totalIlEET_S1_,@function\\n_ZN2ns5totalIlEET_S1_: mov %rdi,%rax\\n"
	"add %rdi,%rax\\nret\\n.size _ZN2ns5totalIlEET_S1_,.-_ZN2ns5totalIlEET_S1_");
int main(void) { long s = 0; for (long i = 0; i < 1000; i++) s += total(i); return s == 0; }
"""  # noqa: E501


def check_template(compiler, folder):
    """A template is named as reports name it, without the type that it returns; its types may be left out
    too."""
    subprocess.run(
        [compiler, "-O1", "-x", "c", "-o", folder / "template", "-"], input=TEMPLATE, text=True, check=True
    )
    for name in ("ns::total", "ns::total<long>", "ns::total<long>(long)"):
        result = topdown(
            "--pmu",
            "sim",
            "--no-last",
            "--no-anchor",
            "--format",
            "json",
            "-o",
            folder / "report",
            "--toggle",
            name,
            folder / "template",
        )
        check_success(result, name)
        found = read_json(folder / "report")["summary"]["instructions"]
        check(found == 3000, f"all calls of {name}", found)
    check_failure(
        topdown("--pmu", "sim", "--no-last", "--toggle", "ns::tot", folder / "template"),
        "a part of the name",
        "never called",
    )


def check_scopes(folder):
    """In C++ a region ends with its scope, whoever leaves that."""
    report = simulate_part(folder, "50", program="scopes")
    names = [part["part"] for part in report["parts"]]
    check(names == ["all", "outside regions", "region short", "region long"], "scopes: names", names)
    found = [part["summary"]["instructions"] for part in report["parts"]]
    check(50 * LONG < found[3] < 50 * (LONG + 50) + 50000, "scopes: the inner one", found)
    check(100 * SHORT < found[2] < 50 * (2 * SHORT + 100) + 50000, "scopes: the outer one", found)
    check(not any("topdown_end()" in note for note in report["parts"][0]["notes"]), "scopes: each has ended")


def main():
    need_simulator()
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler or platform.machine() != "x86_64":
        skip("no compiler, or another architecture")
    with temporary() as folder:
        subprocess.run(
            [compiler, "-O1", "-g", "-I", SOURCE / "include", "-o", folder / "part", HERE / "part.c"],
            check=True,
        )
        subprocess.run(
            [
                compiler,
                "-O1",
                "-g",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-I",
                SOURCE / "include",
                "-o",
                folder / "regions",
                HERE / "regions.c",
                "-pthread",
            ],
            check=True,
        )
        check_toggle(folder)
        check_template(compiler, folder)
        check_regions(folder)
        check_delay(folder)
        if shutil.which("g++"):
            words = ["g++", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I", SOURCE / "include"]
            subprocess.run([*words, "-o", folder / "scopes", HERE / "scopes.cpp"], check=True)
            check_scopes(folder)
    finish()


main()
