#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""static.py - one file to copy: the program of -DTOPDOWN_STATIC=ON, alone, prints what the usual one prints
from the files."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import NO_PMU, SOURCE, check, check_failure, check_success, finish, temporary, topdown

SKIPPED = 77
BUILT_IN = "built in"
EVENTS = SOURCE / "events/sapphirerapids.json"


def build():
    result = subprocess.run(
        [SOURCE / "tests/static.sh", os.environ.get("TOPDOWN_BUILD", SOURCE / "build")],
        text=True,
        stdout=subprocess.PIPE,
        check=False,
    )
    if result.returncode:
        sys.exit(result.returncode)
    return result.stdout.strip()


def check_file(program):
    """It wants no loader and no library, and knows no path to the checkout."""
    found = subprocess.run(["readelf", "-ld", program], text=True, capture_output=True, check=True).stdout
    check("LOAD" in found and "INTERP" not in found and "NEEDED" not in found, "statically linked", found)
    check(str(SOURCE).encode() not in program.read_bytes(), "the checkout's path is not in it")


def alone(program, *words, **env):
    return topdown(*words, program=program, cwd=program.parent, env={"XDG_DATA_HOME": "/nonexistent", **env})


def directories(program, *words, **env):
    result = alone(program, "list", "cpus", "--format", "json", *words, **env)
    check_success(result, f"list cpus {words}")
    return {row["name"]: row["directory"] for row in json.loads(result.stdout or '{"cpus": []}')["cpus"]}


def check_equal(program):
    """To the letter, for every CPU: the events as they are read, the tree, and the plan for all levels."""
    places = directories(program)
    cpus = json.loads(topdown("list", "cpus", "--format", "json").stdout)["cpus"]
    check(list(places) == [cpu["name"] for cpu in cpus] and cpus, "the same CPUs", list(places))
    check(set(places.values()) == {BUILT_IN}, "where they come from", places)
    for cpu in places:
        for words in (["plan", "-l6"], ["list", "events"], ["list", "nodes"], ["list", "metrics"]):
            words += ["--cpu", cpu, "--format", "json"]
            found, expected = alone(program, *words), topdown(*words)
            check(
                (found.returncode, found.stdout, found.stderr)
                == (expected.returncode, expected.stdout, expected.stderr),
                f"{words}: as from the files",
                found.stderr,
            )
    for words in (["explain", "dram_bound", "--cpu", "clx"], ["--sysroot", NO_PMU, "true"]):
        found, expected = alone(program, *words), topdown(*words)
        check(
            (found.stdout, found.stderr) == (expected.stdout, expected.stderr),
            f"{words}: the same",
            found.stderr,
        )


def check_files_win(program, folder):
    """A directory with one CPU: that one comes from there, wherever the directory is named."""
    for kind in ("events", "models"):
        (folder / "topdown" / kind).mkdir(parents=True)
        shutil.copy(SOURCE / kind / "amdzen4.json", folder / "topdown" / kind)
    path = folder / "topdown"
    for words, env in (
        (["--db", path], {}),
        ([], {"TOPDOWN_DB": str(path)}),
        ([], {"XDG_DATA_HOME": str(folder)}),
    ):
        places = directories(program, *words, **env)
        check(
            places["amdzen4"] == str(path) and places["amdzen5"] == BUILT_IN,
            f"files win: {words} {env}",
            places,
        )
    text = EVENTS.read_text(encoding="utf-8").splitlines()
    text[9] = text[9].replace(":", "", 1)
    (path / "events/sapphirerapids.json").write_text("\n".join(text), encoding="utf-8")
    check_failure(
        alone(program, "plan", "--cpu", "spr", "--db", path),
        "a broken file",
        "events/sapphirerapids.json: line 10, column ",
    )


def check_damaged(program, folder):
    """One byte in the middle of a CPU's rows, which lie in the program as the build has left them beside
    it."""
    packed = pathlib.Path(built).with_name("embedded_files.bin").read_bytes()
    row = re.search(
        r'"events/sapphirerapids.json", \d+, \w+, (\d+), (\d+)',
        pathlib.Path(built).with_name("embedded_files.c").read_text(),
    )
    content = bytearray(program.read_bytes())
    start = content.find(packed)
    check(
        start > 0 and content.find(packed, start + 1) < 0,
        "the compiled files are in the program, once",
        start,
    )
    content[start + int(row[1]) + int(row[2]) // 2] ^= 0x55
    damaged = folder / "damaged"
    damaged.write_bytes(content)
    damaged.chmod(0o755)
    check_failure(
        alone(damaged, "plan", "--cpu", "spr"), "damaged", "built-in:events/sapphirerapids.json", "damaged"
    )
    check_success(alone(damaged, "plan", "--cpu", "clx"), "what is not damaged")


def check_nothing_else(program):
    """Where there is nothing but the file, no /proc, no /dev; as far as this machine lets users change the
    root."""
    change = [
        "unshare",
        "--map-root-user",
        "chroot",
        program.parent,
        "/topdown",
        "plan",
        "-l3",
        "--cpu",
        "spr",
    ]
    if (
        not shutil.which("unshare")
        or subprocess.run([*change[:2], "true"], capture_output=True, check=False).returncode
    ):
        print("static.py: not tried in a root directory of its own: unshare is not allowed here")
        return
    result = subprocess.run(change, capture_output=True, text=True, check=False)
    check_success(result, "alone in a root directory")
    check(
        result.stdout == topdown("plan", "-l3", "--cpu", "spr").stdout, "alone in a root directory: the plan"
    )


built = build()
with temporary() as place, temporary() as scratch:
    copied = place / "topdown"
    shutil.copy(built, copied)
    check_file(copied)
    check_equal(copied)
    check_nothing_else(copied)
    check_files_win(copied, scratch)
    check_damaged(copied, scratch)
finish()
