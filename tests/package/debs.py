#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""debs.py - the Debian packages, built from what git has: their contents, what lintian says, and the same
bytes in another folder.

They are left in package/debs of the build folder, for chroot.py.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys


sys.path.append(f"{sys.path[0]}/..")
from elf import check_headers, check_imports, check_no_paths
from lib import BUILD, SOURCE, check, check_all, environment, finish, skip, temporary

DEBS = BUILD / "package/debs"
TOOLS = ("dpkg-buildpackage", "dh", "lintian", "dpkg-deb")
PAGES = re.compile(
    r"usr/share/(man/man\d/topdown[\w.-]*\.gz|bash-completion/completions/topdown|zsh/[\w/-]*/_topdown|"
    r"fish/vendor_completions\.d/topdown\.fish|doc/topdown/[\w.-]+)"
)
SHARED = re.compile(
    r"usr/share/(doc/topdown[\w-]*/(copyright|changelog(\.Debian)?\.gz)|lintian/overrides/topdown[\w-]*)"
)
CONTENTS = {
    "topdown": {"usr/bin/topdown"},
    "topdown-simulator": {"usr/libexec/topdown/launcher", "usr/libexec/topdown/topdown-{}-linux"},
    "topdown-dev": {"usr/include/topdown.h"},
}


def run(*words, **options):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, **options)


def need_tools():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        skip(f"{', '.join(missing)} not found (./bootstrap.sh packages)")
    if not (BUILD / "libexec/topdown/launcher").exists():
        skip("there is no simulator here")


def copy_source(tree):
    names = run("git", "-C", SOURCE, "ls-files", "-z").stdout.split("\0")
    for name in filter(None, names):
        if (SOURCE / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, tree / name)
    if not (tree / "debian/rules").exists():
        skip(f"{SOURCE} is no checkout of git")


def build(source, tree, **settings):
    """The packages of a copy of the sources, beside it."""
    shutil.copytree(source, tree)
    profiles = "" if shutil.which("pandoc") else "nodoc"
    env = environment(DEB_BUILD_OPTIONS="parallel=1", DEB_BUILD_PROFILES=profiles, **settings)
    if "CMAKE_C_COMPILER_LAUNCHER" in os.environ:
        env |= {
            name: os.environ[name]
            for name in os.environ
            if "CCACHE" in name or name == "CMAKE_C_COMPILER_LAUNCHER"
        }
    result = run("dpkg-buildpackage", "-b", "-us", "-uc", cwd=tree, env=env)
    if result.returncode:
        print(result.stdout[-4000:], result.stderr[-4000:])
        check(False, f"dpkg-buildpackage in {tree}")
        finish()
    return sorted(tree.parent.glob("*.deb"))


def field(deb, name):
    return run("dpkg-deb", "-f", deb, name).stdout.strip()


def check_contents(deb, machine, folder):
    package = field(deb, "Package")
    root = folder / package
    folder.mkdir(exist_ok=True)
    check(run("dpkg-deb", "-x", deb, root).returncode == 0, f"{deb.name} can be unpacked")
    listed = [line.split(maxsplit=5) for line in run("dpkg-deb", "-c", deb).stdout.splitlines()]
    check_all(
        listed,
        lambda line: line[1] == "root/root" and not re.search("[sStT]", line[0]),
        f"{package}: owner, and no set-user-ID",
    )
    files = {line[5].split(" -> ")[0].removeprefix("./") for line in listed if not line[0].startswith("d")}
    expected = {path.format(machine) for path in CONTENTS[package]}
    check(expected <= files, f"{package} has what it is for", expected - files)
    others = [
        path
        for path in files - expected
        if not SHARED.fullmatch(path) and not (package == "topdown" and PAGES.fullmatch(path))
    ]
    check(not others, f"{package} has nothing else", others)
    for path in sorted(expected):
        check_no_paths(root / path, SOURCE, deb.parent)
    return root


def check_dependencies(debs):
    """Of the simulator: Valgrind's version as it is here, without the distribution's revision, and no later
    one."""
    version = re.fullmatch(r"valgrind-(\d+)\.(\d+)\.(\d+)\S*\n", run("valgrind", "--version").stdout)
    first, following = ".".join(version.groups()), f"{version[1]}.{version[2]}.{int(version[3]) + 1}~"
    depends = field(debs["topdown-simulator"], "Depends")
    check(
        f"valgrind (>= 1:{first})" in depends and f"valgrind (<< 1:{following})" in depends,
        "the simulator's Valgrind",
        depends,
    )
    check("topdown-simulator" in field(debs["topdown"], "Recommends"), "topdown recommends its simulator")
    check(
        "valgrind" not in field(debs["topdown"], "Depends"),
        "topdown does without Valgrind",
        field(debs["topdown"], "Depends"),
    )


def check_lintian(changes, has_manual):
    """No error, no warning. Without pandoc there is no manual page, which lintian wants."""
    found = run("lintian", "--allow-root", "--tag-display-limit", "0", changes)
    lines = [line for line in found.stdout.splitlines() if line.startswith(("E:", "W:"))]
    allowed = [] if has_manual else ["W: topdown: no-manual-page [usr/bin/topdown]"]
    check(found.returncode in (0, 2) and not found.stderr.strip(), "lintian runs", found.stderr)
    check(not set(lines) - set(allowed), "lintian has nothing to say", lines)


def digests(debs):
    return {deb.name: hashlib.sha256(deb.read_bytes()).hexdigest() for deb in debs}


def keep(debs):
    shutil.rmtree(DEBS, ignore_errors=True)
    DEBS.mkdir(parents=True)
    for deb in debs:
        shutil.copy(deb, DEBS)


def check_packages(folder):
    copy_source(folder / "source")  # once: the checkout may change meanwhile
    found = build(folder / "source", folder / "first/topdown")
    debs = {field(deb, "Package"): deb for deb in found if "dbgsym" not in deb.name}
    check(set(debs) == set(CONTENTS), "the packages", list(debs))
    machine = field(debs["topdown"], "Architecture")
    roots = {package: check_contents(deb, machine, folder / "unpacked") for package, deb in debs.items()}
    check_headers(roots["topdown"] / "usr/bin/topdown")
    check_headers(roots["topdown-simulator"] / "usr/libexec/topdown/launcher")
    check_imports(roots["topdown"] / "usr/bin/topdown")
    check_dependencies(debs)
    check_lintian(
        *(folder / "first").glob("*.changes"), (roots["topdown"] / "usr/share/man/man1/topdown.1.gz").exists()
    )
    keep(debs.values())
    again = build(
        folder / "source", folder / "the second folder/another name", LC_ALL="C", TZ="Pacific/Auckland"
    )
    check(
        digests(again) == digests(found) and found,
        "the same bytes in another folder",
        (digests(found), digests(again)),
    )


need_tools()
with temporary() as scratch:
    check_packages(pathlib.Path(scratch))
finish()
