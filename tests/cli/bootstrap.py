#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bootstrap.py - bootstrap.sh sees what is there: who has built topdown lacks none of the packages that
building takes. And what `bootstrap.sh install` puts below a prefix is there, works, and can be removed."""
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, PATIENCE, SOURCE, check, environment, finish, temporary, topdown

SCRIPT = (SOURCE / "bootstrap.sh").read_text(encoding="utf-8").replace('cd "$(dirname "$0")"', ":")
FUNCTIONS, COMMANDS = SCRIPT[: SCRIPT.index("\ncase $#")], SCRIPT[SCRIPT.index("\ncase $#") :]

# Of cmake only what installs is done, from the build folder that there is; the other calls are listed.
CMAKE = r"""
cmake() {
	echo "$*" >>"$CALLS"
	[ "$1" != --install ] || command cmake --install "$BUILD" --prefix "$prefix"
}
"""


def shell(script, *words, **options):
    return subprocess.run(
        ["sh", "-c", script, "bootstrap.sh", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **options,
    )


def missing(distribution, functions=FUNCTIONS):
    run = shell(f'{functions}\nmissing "$build_needs" {distribution}', env=environment())
    check(run.returncode == 0 and not run.stderr, f"{distribution}: it runs", run)
    return run.stdout.split()


def check_needs():
    for name in ("debian", "fedora"):
        lacking = missing(name)
        if not any((BUILD / "libexec/topdown").glob("topdown-*-linux")):  # built without the simulator
            lacking = [package for package in lacking if "valgrind" not in package]
        check(not lacking, f"{name}: nothing is missing where it was built", lacking)
    for there, elsewhere, package in (
        ("command:gcc ", "command:no-gcc", "gcc"),
        ("header:stdio.h", "header:no/stdio.h", "libc6-dev"),
        ("archive:coregrind", "archive:none", "valgrind"),
    ):
        check(
            package in missing("debian", FUNCTIONS.replace(there, elsewhere)),
            f"{package} is missing without {there}",
        )


def files(prefix):
    return sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir())


def check_install(folder):
    """Below an absolute and a relative prefix; with the tests left out where nothing was built before."""
    for word, is_built in ((folder / "tools", False), ("my tools", True)):
        prefix = folder / word
        if is_built:
            (folder / "build").mkdir()
            (folder / "build/CMakeCache.txt").write_text(
                f"CMAKE_HOME_DIRECTORY:INTERNAL={folder.resolve()}\n", encoding="utf-8"
            )
        run = shell(
            FUNCTIONS + CMAKE + COMMANDS,
            "install",
            word,
            cwd=folder,
            env=environment(CALLS=str(folder / "calls"), BUILD=str(BUILD.resolve()), DESTDIR=None),
        )
        check(
            run.returncode == 0 and f"installed: {prefix}/bin/topdown" in run.stdout,
            f"install {word}",
            run.stdout[-600:] + run.stderr,
        )
        configured, built, installed = (folder / "calls").read_text(encoding="utf-8").splitlines()
        (folder / "calls").unlink()
        check(
            f" -DCMAKE_INSTALL_PREFIX={prefix}" in configured, f"install {word}: for that prefix", configured
        )
        check(("-DTOPDOWN_TESTS=OFF" in configured) != is_built, f"install {word}: the tests", configured)
        check(
            built.startswith("--build build ") and installed == "--install build",
            f"install {word}: built, and installed",
            (built, installed),
        )
        version = topdown("version", program=str(prefix / "bin/topdown"), cwd="/")
        check(
            version.returncode == 0 and version.stdout == topdown("version").stdout,
            f"install {word}: the program",
            version.stderr,
        )
        there = files(prefix)
        check(
            len(there) > 50 and "include/topdown.h" in there, f"install {word}: what belongs to it", there[:5]
        )
        removed = subprocess.run(
            ["cmake", "--build", BUILD, "--target", "uninstall"],
            capture_output=True,
            text=True,
            env=environment(DESTDIR=None),
            check=False,
        )
        check(
            removed.returncode == 0 and not files(prefix),
            f"install {word}: the target that it names removes it",
            (removed.stderr, files(prefix)[:5]),
        )
        check(
            not list(prefix.rglob("topdown")),
            f"install {word}: no folder of topdown's is left",
            list(prefix.rglob("topdown")),
        )


def check_installs():
    manifests = {
        path: path.read_bytes() for path in BUILD.glob("install_manifest*.txt")
    }  # of who installed from here
    for manifest in manifests:
        manifest.unlink()
    try:
        with temporary() as folder:
            check_install(folder)
    finally:
        for manifest, lines in manifests.items():
            manifest.write_bytes(lines)


check_needs()
check_installs()
finish()
