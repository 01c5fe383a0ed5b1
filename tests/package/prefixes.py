#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""prefixes.py - `cmake --install` of the build folder: below DESTDIR, by component, in a prefix that is
moved; and its removal."""
import shutil
import subprocess
import sys


sys.path.append(f"{sys.path[0]}/..")
from elf import check_no_paths
from lib import BUILD, SOURCE, check, check_all, check_failure, environment, finish, temporary, topdown

SIMULATOR = any((BUILD / "libexec/topdown").glob("topdown-*-linux")) and shutil.which("valgrind")
PAGES = (
    "share/man/",
    "share/bash-completion/",
    "share/zsh/",
    "share/fish/",
    "share/doc/topdown/",
    "share/topdown/schema/",
)  # where the build makes them


def cmake(*words, destination=None):
    env = environment(DESTDIR=str(destination) if destination else None)
    result = subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True, env=env, check=False)
    check(result.returncode == 0, f"cmake {words}", result.stdout + result.stderr)


def install(destination, *words):
    cmake("--install", BUILD, *words, destination=destination)
    return files(destination)


def files(folder):
    """Paths below a folder, with what they are."""
    found = sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    check(not any(path.is_symlink() for path in found), "no links", found)
    check(not any(path.stat().st_mode & 0o7000 for path in found), "no set-user-ID", found)
    return [str(path.relative_to(folder)) for path in found]


def check_components(folder):
    """The components divide what is installed among themselves."""
    whole = install(folder / "whole", "--prefix", "/opt/tools")
    parts = {
        name: install(folder / name, "--prefix", "/opt/tools", "--component", name)
        for name in ("topdown", "simulator", "dev", "data")
    }
    divided = sum(parts.values(), [])
    check(sorted(divided) == sorted(whole) and whole, "the components are all", set(divided) ^ set(whole))
    check("opt/tools/bin/topdown" in parts["topdown"], "the program", parts["topdown"])
    others = [
        path
        for path in parts["topdown"]
        if path != "opt/tools/bin/topdown" and not path.removeprefix("opt/tools/").startswith(PAGES)
    ]
    check(not others, "beside the program only its manual and completion", others)
    check(parts["dev"] == ["opt/tools/include/topdown.h"], "the header", parts["dev"])
    check(
        len(parts["simulator"]) == (2 if SIMULATOR else 0)
        and all(path.startswith("opt/tools/libexec/topdown/") for path in parts["simulator"]),
        "the simulator",
        parts["simulator"],
    )
    check_all(parts["data"], lambda path: path.startswith("opt/tools/share/topdown/"), "the data")
    for path in whole:
        check_no_paths(folder / "whole" / path, SOURCE, BUILD.resolve())


def simulated(program):
    return topdown(
        "--pmu", "sim", "--sim-core", "skylake", "--no-anchor", "-l1", "true", program=program, cwd="/"
    )


def check_moved(folder):
    """Only what program and simulator are, elsewhere than they were installed for; then the program without
    its simulator."""
    moved = folder / "moved here"
    (folder / "whole/opt/tools").rename(moved)
    shutil.rmtree(moved / "share", ignore_errors=True)
    if SIMULATOR:
        result = simulated(moved / "bin/topdown")
        check(
            result.returncode == 0 and "Frontend_Bound" in result.stderr,
            "a moved prefix simulates",
            result.stderr,
        )
    shutil.rmtree(moved / "libexec", ignore_errors=True)
    if SIMULATOR:
        check_failure(
            simulated(moved / "bin/topdown"),
            "without its simulator",
            "the simulator is a separate program",
            moved / "libexec/topdown",
        )


def check_uninstalled(folder):
    """What was there before stays, what was installed goes, and so do the folders of topdown's own."""
    place = folder / "uninstalled"
    other = place / "opt/tools/bin/other"
    other.parent.mkdir(parents=True)
    other.write_text("not topdown's\n", encoding="utf-8")
    install(place, "--prefix", "/opt/tools")
    cmake("--build", BUILD, "--target", "uninstall", destination=place)
    check(files(place) == ["opt/tools/bin/other"], "uninstalled", files(place))
    check(not list(place.rglob("topdown")), "topdown's own folders are gone", list(place.rglob("topdown")))
    result = subprocess.run(
        ["cmake", f"-DBUILD={folder}", "-P", SOURCE / "packaging/uninstall.cmake"],
        capture_output=True,
        text=True,
        check=False,
    )
    check(
        result.returncode and "nothing was installed from" in result.stderr,
        "where nothing was installed",
        result.stderr,
    )


with temporary() as scratch:
    manifests = {
        path: path.read_bytes() for path in BUILD.glob("install_manifest*.txt")
    }  # of who installed from here
    try:
        check_components(scratch)
        check_moved(scratch)
        check_uninstalled(scratch)
    finally:
        for manifest, lines in manifests.items():
            manifest.write_bytes(lines)
finish()
