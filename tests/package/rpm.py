#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rpm.py - the packages of packaging/topdown.spec, built by rpmbuild from the tarball of the sources: what is
in them, what they need, installed in a database of their own, verified, tried, removed.

Debian's rpmbuild does it too. But rpm knows none of Debian's libraries, so what a build or an installation
needs isn't checked.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys


sys.path.append(f"{sys.path[0]}/..")
from elf import check_headers, check_imports, check_no_paths
from lib import BUILD, SKIPPED, SOURCE, check, check_all, environment, finish, temporary

TOOLS = ("rpmbuild", "rpm", "rpm2cpio", "cpio")
BUILD_ID = r"/usr/lib/\.build-id/\w\w/\w+"
DOCUMENTS = (  # Debian's rpm has the version in the folder's name
    r"/usr/share/(doc|licenses)/topdown[\w.-]*/.*"
)
PAGES = (
    r"/usr/share/(man/man[15]/topdown[\w.-]*|bash-completion/completions/topdown|zsh/site-functions/_topdown|"
    r"fish/vendor_completions\.d/topdown\.fish)"
)
PACKAGES = {
    "topdown": f"/usr/bin/topdown|{PAGES}|{DOCUMENTS}|{BUILD_ID}",
    "topdown-simulator": f"/usr/libexec/topdown/(launcher|topdown-\\w+-linux)|{DOCUMENTS}|{BUILD_ID}",
    "topdown-devel": "/usr/include/topdown\\.h",
}


def run(*words, **options):
    return subprocess.run(
        list(map(str, words)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )


def build(folder):
    """{name: file} of the packages, beside the one of the sources."""
    env = environment(OUT=str(folder / "tarball"))
    env |= {
        name: os.environ[name]
        for name in os.environ
        if "CCACHE" in name or name == "CMAKE_C_COMPILER_LAUNCHER"
    }
    made = run(SOURCE / "packaging/release.sh", "source", env=env)
    check(made.returncode == 0, "release.sh source", made.stdout)
    result = run(
        "rpmbuild",
        "-ba",
        "--nodeps",
        "--define",
        f"_topdir {folder / 'top'}",
        "--define",
        f"_sourcedir {folder / 'tarball'}",
        SOURCE / "packaging/topdown.spec",
        env=env,
    )
    check(result.returncode == 0, "rpmbuild -ba", result.stdout[-3000:])
    if result.returncode:
        finish()
    check(len(list((folder / "top/SRPMS").glob("topdown-*.src.rpm"))) == 1, "the package of the sources")
    return {query(file, "%{NAME}"): file for file in (folder / "top/RPMS").rglob("*.rpm")}


def query(file, form):
    return run("rpm", "-qp", "--qf", form, file).stdout.strip()


def check_contents(name, file):
    """Its files; no script; root's, without set-user-ID; the version of CMakeLists.txt."""
    version = re.search(
        r"^project\(topdown VERSION (\S+) ", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M
    )[1]
    check(query(file, "%{VERSION}") == version, f"{name}: its version", query(file, "%{VERSION}"))
    rows = [
        line.split("|")
        for line in run(
            "rpm", "-qp", "--qf", "[%{FILEMODES:perms}|%{FILEUSERNAME}|%{FILENAMES}\n]", file
        ).stdout.splitlines()
    ]
    paths = [path for mode, _, path in rows if not mode.startswith("d")]
    odd = [path for path in paths if not re.fullmatch(PACKAGES[name], path)]
    check(paths and not odd, f"{name}: its files and no others", odd)
    check_all(
        rows,
        lambda mode, user, _: user == "root" and not re.search("[sStT]", mode),
        f"{name}: root's, no set-user-ID",
    )
    check(not run("rpm", "-qp", "--scripts", file).stdout.strip(), f"{name}: no scripts")
    return paths


def check_needs(packages):
    requires = {name: run("rpm", "-qp", "--requires", file).stdout for name, file in packages.items()}
    valgrind = re.match(r"valgrind-(\d+\.\d+\.\d+)", run("valgrind", "--version").stdout)[1]
    check(
        re.search(rf"^valgrind = 1:{re.escape(valgrind)}$", requires["topdown-simulator"], re.M),
        "the simulator's Valgrind",
        requires["topdown-simulator"],
    )
    check(
        "valgrind" not in requires["topdown"] and "libjansson.so.4" in requires["topdown"],
        "topdown's libraries",
        requires["topdown"],
    )
    check(
        "topdown-simulator" in run("rpm", "-qp", "--recommends", packages["topdown"]).stdout,
        "topdown recommends its simulator",
    )
    check(query(packages["topdown-devel"], "%{ARCH}") == "noarch", "the header is for every architecture")


def check_unpacked(packages, folder):
    """What rpm2cpio unpacks runs from there; no path of the building folder is in it."""
    for file in packages.values():
        data = subprocess.run(["rpm2cpio", file], capture_output=True, check=True).stdout
        subprocess.run(["cpio", "-idm", "--quiet"], input=data, cwd=folder, check=True)
    program = folder / "usr/bin/topdown"
    check_headers(program)
    check_imports(program)
    for path in (program, *(folder / "usr/libexec/topdown").iterdir()):
        check_no_paths(path, folder.parent, SOURCE, BUILD.resolve())
    env = environment(PATH="/usr/bin:/bin")
    check(
        run(program, "plan", "-l1", "--cpu", "spr", env=env).stdout.startswith("sapphirerapids, level 1: "),
        "unpacked: plan",
    )
    shown = run(program, "report", "-l1", SOURCE / "docs/sample-session.json", env=env).stdout
    check(re.search(r"^Backend_Bound +68\.2 % slots", shown, re.M), "unpacked: report", shown)
    result = run(program, "--pmu", "sim", "--no-anchor", "-l1", "/bin/true", env=env)
    check(
        result.returncode == 0 and re.search(r"^Retiring .* simulated", result.stdout, re.M),
        "unpacked: it simulates",
        result.stdout,
    )
    if shutil.which("man") and shutil.which("pandoc"):
        page = run(
            "man",
            "-l",
            *(folder / "usr/share/man/man1").glob("topdown-plan.1*"),
            env=environment(MANPAGER="cat", MANWIDTH="80"),
        )
        check("topdown plan" in page.stdout, "unpacked: a manual page", page.stdout[:300])


def check_life(packages, paths, root):
    """Installed below a folder that has a database of its own, verified, removed: nothing is left. As root:
    rpm enters the folder."""
    rpm = ["rpm", "--root", root]
    root.mkdir()
    check(run(*rpm, "--initdb").returncode == 0, "a database")
    result = run(*rpm, "-i", "--nodeps", *packages.values())
    check(result.returncode == 0, "rpm -i", result.stdout)
    check_all(paths, lambda path: (root / path.lstrip("/")).exists(), "installed: all files are there")
    verified = run(*rpm, "-V", "--nodeps", *packages)
    check(verified.returncode == 0, "rpm -V", verified.stdout)
    check(run(*rpm, "-qf", "/usr/bin/topdown").stdout.startswith("topdown-"), "rpm -qf")
    result = run(*rpm, "-e", "--nodeps", *packages)
    left = [path for path in paths if (root / path.lstrip("/")).exists()]
    check(result.returncode == 0 and not left, "rpm -e", (result.stdout, left))
    check(
        not list((root / "usr").rglob("topdown*")) if (root / "usr").exists() else True,
        "removed: no folder is left",
    )


def skip_without():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or not (SOURCE / ".git").exists() or not (BUILD / "libexec/topdown/launcher").exists():
        print(
            f"skipped: {', '.join(missing)} not found (./bootstrap.sh packages)"
            if missing
            else "skipped: no checkout of git, or no simulator"
        )
        sys.exit(SKIPPED)


def check_packages(folder):
    packages = build(folder)
    check(set(packages) == set(PACKAGES), "the packages", sorted(packages))
    paths = sum((check_contents(name, file) for name, file in packages.items()), [])
    check(
        any("man5/topdown-session" in path for path in paths) == bool(shutil.which("pandoc")),
        "the manual is in it",
    )
    check_needs(packages)
    (folder / "unpacked").mkdir()
    check_unpacked(packages, folder / "unpacked")
    if os.geteuid() == 0:
        check_life(packages, paths, folder / "root")
    else:
        print("not tried: to install, without root")
    shutil.rmtree(BUILD / "package/rpms", ignore_errors=True)
    (BUILD / "package/rpms").mkdir(parents=True)
    for file in packages.values():
        shutil.copy(file, BUILD / "package/rpms")


if __name__ == "__main__":
    skip_without()
    with temporary() as scratch:
        check_packages(pathlib.Path(scratch))
    finish()
