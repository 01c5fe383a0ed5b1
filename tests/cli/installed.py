#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""installed.py - from a checkout in another folder to an installed tree that needs neither the checkout nor the build."""
import json
import shutil
import subprocess

from cli import COUNTS, SOURCE, check, check_success, finish, temporary, topdown

PARTS = ("CMakeLists.txt", "analyzer", "events", "models", "tests/sample")


def copy_checkout(tree):
    for part in PARTS:
        if (SOURCE / part).is_dir():
            shutil.copytree(SOURCE / part, tree / part)
        else:
            tree.mkdir(parents=True)
            shutil.copy(SOURCE / part, tree / part)


def cmake(*words):
    result = subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True, check=False)
    check(result.returncode == 0, f"cmake {words[0]}", result.stdout + result.stderr)


def check_runs(program, what):
    plan = topdown("plan", "-l3", "--cpu", "neoverse-v1", program=program, cwd="/")
    check_success(plan, f"{what}: plan")
    check(plan.stdout == topdown("plan", "-l3", "--cpu", "neoverse-v1").stdout, f"{what}: the same plan as always")
    report = topdown("report", "-l3", COUNTS, program=program, cwd="/")
    check_success(report, f"{what}: report")
    check(report.stdout == topdown("report", "-l3", COUNTS).stdout, f"{what}: the same report as always")


def check_place(program, place, *words):
    result = topdown("list", "cpus", "--format", "json", "neoverse-v1", *words, program=program, cwd="/")
    check_success(result, f"list cpus {words}")
    found = [row["directory"] for row in json.loads(result.stdout or '{"cpus": []}')["cpus"]]
    check(found == [str(place)], f"list cpus {words}: where the files are", found)


with temporary() as folder:
    checkout, moved, prefix = folder / "check out", folder / "moved", folder / "prefix"
    copy_checkout(checkout)
    cmake("-S", checkout, "-B", folder / "build", "-DTOPDOWN_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Debug",
          f"-DCMAKE_INSTALL_PREFIX={prefix}")
    cmake("--build", folder / "build", "-j2", "--target", "topdown")
    check_runs(folder / "build/topdown", "built in a folder with a blank in its name")

    checkout.rename(moved)
    check_runs(folder / "build/topdown", "the checkout has gone")
    check_place(folder / "build/topdown", "built in")
    check_place(folder / "build/topdown", moved, "--db", moved)
    moved.rename(checkout)

    cmake("--install", folder / "build")
    shutil.rmtree(checkout)
    shutil.rmtree(folder / "build")
    check_runs(prefix / "bin/topdown", "installed")
    check_place(prefix / "bin/topdown", prefix / "share/topdown")
    if list((prefix / "libexec/topdown").glob("topdown-*")):
        simulated = topdown("--pmu", "sim", "true", program=prefix / "bin/topdown", cwd="/")
        check(simulated.returncode == 0 and "SIMULATED" in simulated.stderr, "installed: simulates", simulated.stderr)
    data = sorted(path.relative_to(prefix / "share/topdown") for path in (prefix / "share/topdown").rglob("*") if path.is_file())
    names = sorted(path.relative_to(SOURCE) for folder in ("events", "models") for path in (SOURCE / folder).rglob("*")
                   if path.suffix in (".json", ".csv"))
    check(data == names, "what is installed is the data and nothing else", data)
finish()
