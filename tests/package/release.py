#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""release.py - the tarballs of packaging/release.sh: the sources, then the static programs built from them in
two folders, byte for byte the same. The programs run where there is no library, and from a folder that was
moved.

    release.py [native|arm64]    only that one; the sources always. GUEST is release.sh's.
"""
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys


sys.path.append(f"{sys.path[0]}/..")
from elf import check_headers, check_no_paths, readelf
from lib import BUILD, SKIPPED, SOURCE, check, environment, finish, skip, temporary

FOLDERS = ("first", "the second folder")
RELEASE = BUILD / "package/release"  # where the tarballs are left
BEYOND = {"bin", "libexec", "share", "include", "LICENSE", "NOTICE.md", "README.md", "NEWS.md"}
SESSION = SOURCE / "docs/sample-session.json"


def run(*words, **options):
    return subprocess.run(
        list(map(str, words)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )


def release(tree, what, out, **settings):
    """The tarball that release.sh makes of the sources in a folder, in another; None where prepare.sh says
    why it can't."""
    env = environment(
        OUT=str(out), GUEST=os.environ.get("GUEST", str((BUILD / "guest").resolve())), **settings
    )
    env |= {
        name: os.environ[name]
        for name in os.environ
        if "CCACHE" in name or name == "CMAKE_C_COMPILER_LAUNCHER"
    }
    result = run(tree / "packaging/release.sh", what, env=env)
    if result.returncode == SKIPPED:
        print(f"not tried: {result.stdout.splitlines()[-1]}")
        return None
    check(result.returncode == 0, f"release.sh {what} in {tree}", result.stdout[-3000:])
    if result.returncode:
        finish()
    found = pathlib.Path(result.stdout.splitlines()[-1])
    sums = run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=out)
    check(
        sums.returncode == 0 and f"{found.name}: OK" in sums.stdout,
        f"{found.name}: SHA256SUMS holds",
        sums.stdout,
    )
    return found


def unpack(tarball, folder):
    """Its one folder. All belongs to root, has the modes of a release, and is no link."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = run("tar", "-tvzf", tarball).stdout.splitlines()
    modes = {"d": "drwxr-xr-x", "-": "-rwxr-xr-x -rw-r--r--"}
    odd = [
        line
        for line in listed
        if line[:10] not in modes.get(line[0], "") or line.split()[1] not in ("0/0", "root/root")
    ]
    check(listed and not odd, f"{tarball.name}: owners and modes", odd)
    check(run("tar", "-xzf", tarball, "-C", folder).returncode == 0, f"{tarball.name} can be unpacked")
    return folder / tarball.name.removesuffix(".tar.gz")


def check_source(folder):
    """The sources twice, from this checkout: all that git has. Then a folder of each name that a build shall
    not depend on."""
    tarballs = [release(SOURCE, "source", folder / f"source {name}") for name in FOLDERS]
    check(len({tarball.read_bytes() for tarball in tarballs}) == 1, "source: the same bytes twice")
    trees = [unpack(tarballs[0], folder / name) for name in FOLDERS]
    names = set(filter(None, run("git", "-C", SOURCE, "ls-files", "-z").stdout.split("\0")))
    found = {str(path.relative_to(trees[0])) for path in trees[0].rglob("*") if path.is_file()}
    check(found == names and names, "source: the files that git has", found ^ names)
    keep(tarballs[0])
    return trees


def keep(tarball):
    RELEASE.mkdir(parents=True, exist_ok=True)
    shutil.copy(tarball, RELEASE)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build_twice(trees, what, folder):
    """Each from a folder of its own, in another locale, zone and umask. The first, unpacked; None where it
    can't be built."""
    first = release(trees[0], what, folder / "out/first")
    if not first:
        return None
    second = release(trees[1], what, folder / "out/second", TZ="Pacific/Auckland", LC_ALL="C", JOBS="1")
    check(
        digest(first) == digest(second),
        f"{what}: the same bytes from another folder",
        (digest(first), digest(second)),
    )
    keep(first)
    root = unpack(first, folder / "unpacked")
    check(
        {path.name for path in root.iterdir()} == BEYOND,
        f"{what}: what is in it",
        sorted(path.name for path in root.iterdir()),
    )
    programs = [root / "bin/topdown", *sorted((root / "libexec/topdown").iterdir())]
    check(len(programs) == 3, f"{what}: the simulator is beside it", programs)
    for program in programs:
        check_no_paths(program, SOURCE, folder, BUILD.resolve(), "/tmp/tmp.")
        check(
            "(NEEDED)" not in readelf("-d", program) or program.name == "launcher",
            f"{program.name} needs no library",
        )
    check_headers(programs[0])
    return root


def check_offline(start, name):
    """What needs neither a library nor a file nor a counter."""
    version = re.search(
        r"^project\(topdown VERSION (\S+) ", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M
    )[1]
    check(start("--version").stdout == f"topdown {version}\n", f"{name}: --version")
    plan = start("plan", "-l1", "--cpu", "neoverse-n1")
    check(
        plan.returncode == 0
        and plan.stdout.startswith("neoverse-n1, level 1: ")
        and "proven minimal" in plan.stdout,
        f"{name}: plan",
        plan.stdout,
    )
    report = start("report", "-l1", SESSION.name)
    check(
        report.returncode == 0 and re.search(r"^Backend_Bound +68\.2 % slots", report.stdout, re.M),
        f"{name}: report",
        report.stdout,
    )
    check(
        re.match(r"Node +Backend_Bound\n", start("explain", "Backend_Bound", "--cpu", "spr").stdout),
        f"{name}: explain",
    )


def check_alone(root, folder):
    """In a system that has nothing but this folder: no library, no Valgrind."""
    bare = folder / "bare"
    shutil.copytree(root, bare / "opt")
    (bare / "proc").mkdir()
    shutil.copy(SESSION, bare)
    rights = [] if os.geteuid() == 0 else ["--map-root-user"]
    enter = 'mount -t proc proc "$1/proc" && PATH=/usr/sbin:$PATH exec chroot "$@"'
    alone = [
        "unshare",
        *rights,
        "--mount",
        "--pid",
        "--fork",
        "sh",
        "-c",
        enter,
        "sh",
        bare,
        "/opt/bin/topdown",
    ]
    if run("unshare", *rights, "--mount", "--pid", "--fork", "true").returncode:
        print("not tried: the native program alone, because no mounts are allowed here")
        return
    check_offline(lambda *words: run(*alone, *words), "native, alone")
    result = run(*alone, "--pmu", "sim", "/opt/bin/topdown", "--version")
    check(
        result.returncode == 125 and "need Valgrind, which is not here" in result.stdout,
        "native: without Valgrind it says so",
        result.stdout,
    )


def check_native(trees, folder):
    root = build_twice(trees, "native", folder)
    check_alone(root, folder)
    moved = root.rename(folder / "moved here")
    if not shutil.which("valgrind"):
        print("not tried: to simulate, without Valgrind")
        return
    work = folder / "work"
    work.mkdir()
    shutil.copy(TOOL, work / "FILE")
    words = ("--pmu", "sim", "--no-anchor", "-l3", "gzip", "-9", "-k", "FILE")
    result = run(moved / "bin/topdown", *words, cwd=work, env={"PATH": "/usr/bin:/bin", "TOPDOWN_LAST": "0"})
    check(
        result.returncode == 0
        and re.search(r"^Retiring +\d+\.\d.*\n% of slots, simulated; ", result.stdout, re.M),
        "native: a moved folder simulates",
        result.stdout[-800:],
    )
    check((work / "FILE.gz").read_bytes()[:2] == b"\x1f\x8b", "native: gzip did its work")


def check_pages(root):
    """arm64's manual, made by a program of this machine, is that of this machine's program."""
    if not (BUILD / "man/man1").is_dir():
        print("not tried: arm64's manual pages, without pandoc")
        return
    found, expected = (
        {path.name: path.read_bytes() for path in folder.glob("man*/*")}
        for folder in (root / "share/man", BUILD / "man")
    )
    check(len(expected) > 15 and found == expected, "arm64: the manual pages", found.keys() ^ expected.keys())


def check_arm64(trees, folder):
    """arm64's program under QEMU's user mode, which has no counters and can't run the simulator."""
    if not shutil.which("aarch64-linux-gnu-gcc"):
        print("not tried: arm64, without aarch64-linux-gnu-gcc")
        return
    root = build_twice(trees, "arm64", folder)
    if not root:
        return
    check("AArch64" in readelf("-h", root / "bin/topdown"), "arm64: its machine")
    check_pages(root)
    emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if not emulator:
        print("not tried: arm64's program, without qemu-aarch64")
        return

    def start(*words):
        return run(emulator, root / "bin/topdown", *words, cwd=SESSION.parent, env={"TOPDOWN_LAST": "0"})

    check_offline(start, "arm64")
    compressed = folder / "session.json.gz"
    compressed.write_bytes(gzip.compress(SESSION.read_bytes()))
    found, expected = start("report", "-l1", compressed).stdout, start("report", "-l1", SESSION).stdout
    check(
        found.replace(str(compressed), str(SESSION)) == expected,
        "arm64: report of a compressed session",
        found,
    )


TOOL = shutil.which("gzip")
if not (SOURCE / ".git").exists() or not TOOL:
    skip(f"{SOURCE} is no checkout of git, or there is no gzip")
with temporary() as scratch:
    sources = check_source(scratch)
    for kind, attempt in (("native", check_native), ("arm64", check_arm64)):
        if len(sys.argv) < 2 or sys.argv[1] == kind:
            attempt(sources, scratch / kind)
finish()
