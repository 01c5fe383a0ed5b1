#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""installed.py - from a checkout in another folder to an installed tree that needs neither the checkout nor
the build."""
import json
import os
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import COUNTS, SOURCE, check, check_failure, check_success, environment, finish, temporary, topdown

PARTS = (
    "CMakeLists.txt",
    "analyzer",
    "docs",
    "events",
    "include",
    "models",
    "packaging",
    "schema",
    "tests/sample",
)
LIBEXEC = "lib/private"  # of what is installed: where distributions have no libexec


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
    check(
        plan.stdout == topdown("plan", "-l3", "--cpu", "neoverse-v1").stdout,
        f"{what}: the same plan as always",
    )
    report = topdown("report", "-l3", COUNTS, program=program, cwd="/")
    check_success(report, f"{what}: report")
    check(report.stdout == topdown("report", "-l3", COUNTS).stdout, f"{what}: the same report as always")


def check_place(program, place, *words):
    result = topdown("list", "cpus", "--format", "json", "neoverse-v1", *words, program=program, cwd="/")
    check_success(result, f"list cpus {words}")
    found = [row["directory"] for row in json.loads(result.stdout or '{"cpus": []}')["cpus"]]
    check(found == [str(place)], f"list cpus {words} of {program}: where the files are, {place}", found)


def edited(folder):
    return folder / "events/neoverse-v1.json"


def check_edited(prefix, checkout, built):
    """A file that differs from the one inside is used where it belongs to the program: beside it, or in its
    source tree."""
    moved = prefix.with_name("elsewhere")
    check_place(built, "built in")
    with edited(checkout).open("a") as file:
        file.write("\n")
    check_place(built, checkout)
    check_place(prefix / "bin/topdown", "built in")
    prefix.rename(moved)
    check_place(moved / "bin/topdown", "built in")
    with edited(moved / "share/topdown").open("a") as file:
        file.write("\n")
    check_place(moved / "bin/topdown", moved / "share/topdown")
    moved.rename(prefix)


def check_simulates(prefix, what):
    """Its own simulator, for a program and one that this starts."""
    if not list((prefix / LIBEXEC / "topdown").glob("topdown-*")):
        return
    links = [path for path in prefix.rglob("*") if path.is_symlink()]
    check(not links, f"{what}: no links", links)
    words = (
        "--pmu",
        "sim",
        "--sim-core",
        "skylake",
        "--no-anchor",
        "--format",
        "json",
        "sh",
        "-c",
        "true; exec true",
    )
    result = topdown(*words, program=prefix / "bin/topdown", cwd="/")
    check(result.returncode == 0, f"{what}: simulates", result.stderr[-300:])
    check(
        result.returncode
        or not [note for note in json.loads(result.stderr)["notes"] if "left no counts" in note],
        f"{what}: programs that are exec'ed have counts",
        result.stderr[-300:],
    )


def check_moved(folder, prefix):
    """A prefix that was moved; then a Valgrind of another version, and one that says nothing."""
    other = folder / "another prefix"
    prefix.rename(other)
    check_simulates(other, "moved")
    if not list((other / LIBEXEC / "topdown").glob("topdown-*")):
        return
    fake = folder / "fake"
    fake.mkdir()
    for text, parts in (
        (
            "--7:1:launcher launching /x/memcheck-y\nvalgrind-3.0.9",
            ("was built with Valgrind 3.", "is 3.0.9", "build topdown again"),
        ),
        ("", ("does not work", "install")),
    ):
        (fake / "valgrind").write_text(f"#!/bin/sh\necho '{text}'\n", encoding="utf-8")
        (fake / "valgrind").chmod(0o755)
        env = environment(PATH=f"{fake}:{os.environ['PATH']}")
        check_failure(
            topdown("--pmu", "sim", "true", program=other / "bin/topdown", cwd="/", env=env),
            f"a Valgrind that says {text!r}",
            *parts,
        )


with temporary() as folder:
    checkout, moved, prefix = folder / "check out", folder / "moved", folder / "prefix"
    copy_checkout(checkout)
    cmake(
        "-S",
        checkout,
        "-B",
        folder / "build",
        "-DTOPDOWN_TESTS=OFF",
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_C_FLAGS_DEBUG=-O0",
        f"-DCMAKE_INSTALL_PREFIX={prefix}",
        f"-DCMAKE_INSTALL_LIBEXECDIR={LIBEXEC}",
    )
    cmake("--build", folder / "build", "-j2")
    check_runs(folder / "build/topdown", "built in a folder with a blank in its name")

    checkout.rename(moved)
    check_runs(folder / "build/topdown", "the checkout has gone")
    check_place(folder / "build/topdown", "built in")
    check_place(folder / "build/topdown", moved, "--db", moved)
    moved.rename(checkout)

    cmake("--install", folder / "build")
    check_edited(prefix, checkout, folder / "build/topdown")
    shutil.rmtree(checkout)
    shutil.rmtree(folder / "build")
    check_runs(prefix / "bin/topdown", "installed")
    check_place(prefix / "bin/topdown", prefix / "share/topdown")
    edited(prefix / "share/topdown").write_bytes(edited(SOURCE).read_bytes())
    check_place(prefix / "bin/topdown", "built in")
    data = sorted(
        path.relative_to(prefix / "share/topdown")
        for path in (prefix / "share/topdown").rglob("*")
        if path.is_file()
    )
    names = sorted(
        path.relative_to(SOURCE)
        for folder in ("events", "models", "schema")
        for path in (SOURCE / folder).rglob("*")
        if path.suffix in (".json", ".csv")
    )
    check(data == names, "what is installed is the data and nothing else", data)
    check_simulates(prefix, "installed")
    check_moved(folder, prefix)
finish()
