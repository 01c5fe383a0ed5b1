#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""suite.py - the packages built and tried in another suite of Debian than this system's: SUITE, else testing.
Its compiler, C library and Valgrind are others. The simulator's package depends on that Valgrind, and this
system's is refused there."""
import os
import re
import subprocess
import sys

os.environ.setdefault("SUITE", "testing")
from chroot import APT, DEBS, SUITE, System, check_measures, run, skip, sources

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, finish, temporary

# A mirror that is a snapshot, or a clock that is ahead, makes apt call its lists expired.
OPTIONS = ('Acquire::Check-Valid-Until "false"', "Acquire::Languages none")
BUILD = "DEB_BUILD_PROFILES=nodoc DEB_BUILD_OPTIONS='parallel=2 nodoc' dpkg-buildpackage -b -us -uc"


def make_root(root):
    words = [f"--aptopt={option}" for option in OPTIONS]
    words += [
        f"--aptopt={line}"
        for line in run("apt-config", "dump", "Acquire").stdout.splitlines()
        if "::Proxy " in line
    ]
    result = run(
        "mmdebstrap",
        "--mode=root",
        "--variant=apt",
        "--dpkgopt=force-unsafe-io",
        "--skip=cleanup/apt",
        *words,
        SUITE,
        root,
        "-",
        input="\n".join(line for line in sources() if f" {SUITE} " in line) + "\n",
    )
    if result.returncode:
        skip(f"mmdebstrap can't make {SUITE} here: {result.stdout[-400:]}")
    if os.path.exists("/etc/resolv.conf"):
        run("cp", "/etc/resolv.conf", root / "etc/resolv.conf")


def copy_source(root):
    names = [
        name for name in run("git", "-C", SOURCE, "ls-files").stdout.splitlines() if (SOURCE / name).is_file()
    ]
    check(len(names) > 100, "the files that git has", len(names))
    tree = root / "src/topdown"
    tree.mkdir(parents=True)
    subprocess.run(["cp", "--parents", "-t", tree, *names], cwd=SOURCE, check=True)


def check_refused(system):
    """This system's simulator is for this system's Valgrind."""
    (system.root / "debs").mkdir()
    for deb in DEBS.glob("*.deb"):
        run("cp", deb, system.root / "debs")
    result = system.run(
        "apt-get install -s -qq -y --no-install-recommends /debs/topdown_*.deb /debs/topdown-simulator_*.deb"
    )
    check(
        result.returncode and re.search(r"topdown-simulator\S* Depends:? valgrind", result.stdout),
        "another Valgrind: apt refuses",
        result.stdout,
    )


def check_suite(system):
    if len(list(DEBS.glob("*.deb"))) == 3:
        check_refused(system)
    else:
        print(f"not tried: this system's packages there, because debs.py has left none in {DEBS}")
    system.must(
        "cd /src/topdown && apt-get build-dep -qq -y --no-install-recommends -P nodoc ./ >/dev/null && "
        f"{APT} dpkg-dev >/dev/null"
    )
    built = system.must(f"cd /src/topdown && {BUILD}")
    own = [line for line in built.splitlines() if re.search(r"^/src/\S+: warning: ", line)]
    check(not own, "its compiler has no warning", own)
    system.must("apt-get purge -qq -y valgrind && apt-get autoremove -qq -y --purge")
    system.must(f"cd /src && {APT} ./topdown_*.deb ./topdown-simulator_*.deb")
    valgrind = re.search(r"\d+\.\d+\.\d+", system.must("valgrind --version"))[0]
    depends = system.must("dpkg-query -W -f '${Depends}' topdown-simulator")
    check(
        f"valgrind (>= 1:{valgrind})" in depends,
        "the simulator depends on that Valgrind",
        (valgrind, depends),
    )
    check_measures(system, "root")
    check_measures(system, "a user", "setpriv --reuid=65534 --regid=65534 --clear-groups sh -c ")
    print(f"{SUITE}: Valgrind {valgrind}, " + system.must("gcc --version | head -1").strip())


if (
    os.geteuid() != 0
    or run("sh", "-c", "command -v mmdebstrap && unshare --mount --pid --fork true").returncode
):
    skip("it takes root, mmdebstrap and mounts")
with temporary() as scratch:
    make_root(scratch / "root")
    copy_source(scratch / "root")
    other = System(scratch / "root")
    other.limit_s = 3600  # it builds
    check_suite(other)
finish()
