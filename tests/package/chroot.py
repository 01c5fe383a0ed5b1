#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""chroot.py - the packages of debs.py in a fresh system of this distribution, which mmdebstrap makes from
apt's own mirror: installed without and with the simulator, used by root and by a user, upgraded, removed,
purged."""
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, PATIENCE, check, check_all, finish, skip, temporary

DEBS = BUILD / "package/debs"
SUITE = os.environ.get("SUITE")  # another suite of the mirror, such as testing, than that of this system
TREE = ("Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring")
APT = "apt-get install -qq -y --no-install-recommends"


def run(*words, **options):
    return subprocess.run(
        list(map(str, words)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )


def sources():
    """Lines of sources.list: those of the distribution's own archive, from apt's configuration."""
    fields = "$(ORIGIN)|deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    found = run("apt-get", "indextargets", "--format", fields, "Created-By: Packages").stdout.splitlines()
    lines = [line.removeprefix("Debian|") for line in found if line.startswith("Debian|")]
    if SUITE:
        lines = list(
            dict.fromkeys(
                " ".join([*line.split()[:2], SUITE, line.split()[3]])
                for line in lines
                if "security" not in line
            )
        )
    return lines


def need_everything():
    if os.geteuid() != 0:
        skip("a chroot takes root")
    missing = [
        tool
        for tool in ("mmdebstrap", "dpkg-scanpackages", "unshare", "chroot", "apt-get")
        if not shutil.which(tool)
    ]
    if missing:
        skip(f"{', '.join(missing)} not found (./bootstrap.sh packages)")
    if run("unshare", "--mount", "--pid", "--fork", "true").returncode:
        skip("no mounts are allowed here")
    if len(list(DEBS.glob("*.deb"))) != 3:
        skip(f"debs.py has left no packages in {DEBS}")
    if not sources():
        skip("apt has no source of Debian (apt-get update)")


def is_mirror_there():
    """Whether a file of apt's own sources can be fetched."""
    found = run(
        "apt-get", "indextargets", "--format", "$(REPO_URI)dists/$(RELEASE)/InRelease", "Created-By: Packages"
    ).stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        return (
            bool(found)
            and run("/usr/lib/apt/apt-helper", "download-file", found[0], f"{folder}/InRelease").returncode
            == 0
        )


def make_root(root):
    """The smallest system with apt. Speed over safety: it lives for a minute."""
    proxies = [
        f"--aptopt={line}"
        for line in run("apt-config", "dump", "Acquire").stdout.splitlines()
        if "::Proxy " in line
    ]
    result = run(
        "mmdebstrap",
        "--mode=root",
        "--variant=apt",
        "--dpkgopt=force-unsafe-io",
        "--dpkgopt=path-exclude=/usr/share/locale/*",
        "--aptopt=Acquire::Languages none",
        "--skip=cleanup/apt",
        *proxies,
        SUITE or platform.freedesktop_os_release()["VERSION_CODENAME"],
        root,
        "-",
        input="\n".join(sources()) + "\n",
    )
    if result.returncode and not is_mirror_there():
        skip("apt's mirror can't be reached, from which the system is made")
    check(result.returncode == 0, "mmdebstrap makes a system", result.stdout[-2000:])
    if result.returncode:
        finish()
    if os.path.exists("/etc/resolv.conf"):
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")


class System:
    """A root directory in which commands run, with mounts and processes of their own."""

    limit_s = PATIENCE

    def __init__(self, root):
        self.root = root

    def run(self, command):
        mounts = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" sh -c "$2"'
        env = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive",
            "HOME": "/root",
            "LC_ALL": "C.UTF-8",
        }
        return run(
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "sh",
            "-c",
            mounts,
            "sh",
            self.root,
            command,
            env=env,
            timeout=self.limit_s,
        )

    def must(self, command):
        result = self.run(command)
        check(result.returncode == 0, command, result.stdout[-1500:])
        return result.stdout

    def files(self):
        """All but logs, caches and the state of apt and dpkg."""
        return set(
            self.must(
                "find / -xdev \\( -path /proc -o -path /dev -o -path /debs -o -path /var -o -path /tmp -o"
                " -path /root \\) -prune -o -print"
            ).split()
        )

    def state(self, package):
        return self.run(f"dpkg-query -W -f '${{Status}} ${{Version}}' {package}").stdout


def add_packages(root):
    """The packages as they are, and an older version of the first two, in a repository of the new system."""
    folder = root / "debs"
    folder.mkdir()
    for deb in DEBS.glob("*.deb"):
        shutil.copy(deb, folder)
        if "-dev" not in deb.name:
            older = folder / "older"
            run("dpkg-deb", "-R", deb, older)
            control = older / "DEBIAN/control"
            version = run("dpkg-deb", "-f", deb, "Version").stdout.strip()
            control.write_text(
                control.read_text(encoding="utf-8").replace(version, "0.1.9"), encoding="utf-8"
            )
            run("dpkg-deb", "-b", older, folder / f"{deb.name.split('_')[0]}_0.1.9.deb")
            shutil.rmtree(older)
    index = subprocess.run(
        ["dpkg-scanpackages", "--multiversion", "."], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    (folder / "Packages").write_text(index, encoding="utf-8")
    (root / "etc/apt/sources.list.d/debs.list").write_text(
        "deb [trusted=yes] file:/debs ./\n", encoding="utf-8"
    )
    return version


def check_measures(system, who, prefix=""):
    """The job of the README: compress a file. Measured or simulated, as the machine allows; then simulated in
    any case."""
    system.must(
        "rm -rf /tmp/job && mkdir -m 777 /tmp/job && cp /bin/dash /tmp/job/FILE && chmod 666 /tmp/job/FILE"
    )
    words = "cd /tmp/job && HOME=/tmp/job topdown {} -l3 -o /tmp/job/report.txt gzip -9 {} FILE"
    for options in ("", "--pmu sim"):
        result = system.run(
            prefix + shlex.quote(words.format(options, "-kf")) if prefix else words.format(options, "-kf")
        )
        check(result.returncode == 0, f"{who}: topdown {options} -l3 gzip -9 FILE", result.stdout[-800:])
        report = system.must("cat /tmp/job/report.txt; rm -f /tmp/job/report.txt")
        check_all(TREE, lambda node: node in report, f"{who}: {options} the tree")
    check("simulated" in report, f"{who}: it is simulated", report[-800:])
    check("1f8b" in system.must("od -An -tx1 -N2 /tmp/job/FILE.gz | tr -d ' '"), f"{who}: gzip did its work")


def check_alone(system, version):
    """topdown without its simulator: a sentence that names the package."""
    system.must(f"{APT} ./debs/topdown_{version}_*.deb")
    result = system.run("topdown --pmu sim true")
    check(
        result.returncode == 125 and "`apt install topdown-simulator`" in result.stdout,
        "without the simulator",
        result.stdout,
    )
    check(system.must("topdown --version") == f"topdown {version}\n", "--version")
    plan = json.loads(system.must("topdown plan -l1 --cpu spr --format json"))
    check(plan["cpu"] == "sapphirerapids", "what needs no simulator works", plan["cpu"])


def check_life(system):
    version = add_packages(system.root)
    system.must("apt-get update -qq")
    before = system.files()
    system.must(f"{APT} topdown=0.1.9")
    check(
        system.state("topdown") == "install ok installed 0.1.9", "an older version", system.state("topdown")
    )
    check_alone(system, version)
    system.must(f"{APT} topdown-simulator=0.1.9 topdown-dev")
    system.must(f"{APT} topdown-simulator")
    for package in ("topdown", "topdown-simulator", "topdown-dev"):
        check(
            system.state(package) == f"install ok installed {version}",
            f"{package}: upgraded",
            system.state(package),
        )
    check_measures(system, "root")
    check_measures(system, "a user", "setpriv --reuid=65534 --regid=65534 --clear-groups sh -c ")
    system.must("apt-get remove -qq -y topdown topdown-simulator topdown-dev")
    check(
        not system.run("ls /usr/bin/topdown /usr/libexec/topdown /usr/include/topdown.h 2>/dev/null").stdout,
        "removed",
    )
    system.must(
        "apt-get purge -qq -y topdown topdown-simulator topdown-dev && apt-get autoremove --purge -qq -y"
    )
    left = sorted(
        path for path in system.files() - before if not path.startswith(("/etc/ld.so.cache", "/run/"))
    )
    check(not [path for path in left if "topdown" in path], "purged: nothing of topdown's is left", left)
    check("topdown" not in system.must("dpkg-query -W -f '${Package}\\n'"), "purged: dpkg knows none")


if __name__ == "__main__":
    need_everything()
    with temporary() as scratch:
        make_root(scratch / "root")
        check_life(System(scratch / "root"))
    finish()
