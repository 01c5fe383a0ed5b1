# SPDX-License-Identifier: GPL-2.0-or-later
"""mapped.py - sampled by time: which file an address is in, and where in it. Expectations come from nm of the
files, from what the
program was asked to do, and from when it was interrupted, killed, attached to and left."""
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import PATIENCE, SOURCE, TOPDOWN, check, environment, finish, read_json, skip, temporary, topdown

MOST = 0.8  # of the samples are where the program runs; the rest is its start, and the kernel
SECONDS = "0.2"


def build(out, source, *options):
    subprocess.run(
        ["gcc", "-O1", "-o", out, SOURCE / "tests/mapped" / source, *options],
        check=True,
        stderr=subprocess.PIPE,
    )
    return str(out)


def extent(file, function):
    """The addresses of a function in its file."""
    for line in subprocess.run(
        ["nm", "-S", file], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines():
        words = line.split()
        if words[-1] == function and len(words) == 4:
            return range(int(words[0], 16), int(words[0], 16) + int(words[1], 16))
    return range(0)


class Profile:
    def __init__(self, session):
        data = read_json(session)
        self.data = data.get("profile", {})
        self.rows = []  # module, address, samples
        rows, stacks, places = (self.data.get(name, {}) for name in ("rows", "stacks", "places"))
        for stack, samples in zip(rows.get("stack", []), rows.get("samples", [])):
            place = stacks["place"][stack]
            self.rows.append(
                (self.data["modules"][places["module"][place]], places["address"][place], samples)
            )

    def samples(self, holds=lambda module, address: True):
        return sum(samples for module, address, samples in self.rows if holds(module, address))

    def share(self, holds):
        return self.samples(holds) / max(self.samples(), 1)

    def in_function(self, file, function):
        addresses = extent(file, function)
        return self.share(
            lambda module, address: module["path"] == os.path.realpath(file) and address in addresses
        )


def sample(folder, *words, options=()):
    session = folder / "session.json"
    session.unlink(missing_ok=True)
    result = topdown("sample", "--save", session, *options, "--", *words)
    check(result.returncode == 0, f"{words[1:]}: exit status", (result.returncode, result.stderr))
    return Profile(session)


def kinds_of_files(folder):
    """However it was linked, an address is the file's own; stripped too."""
    for name, options in {"pie": ["-pie", "-fPIE"], "fixed": ["-no-pie"], "static": ["-static"]}.items():
        program = build(folder / name, "places.c", *options, "-ldl")
        profile = sample(folder, program, "own", SECONDS)
        check(
            profile.in_function(program, "in_own_code") > MOST,
            f"{name}: the share of its function",
            profile.in_function(program, "in_own_code"),
        )
        stripped = folder / f"{name}-stripped"
        shutil.copy(program, stripped)
        subprocess.run(["strip", stripped], check=True)
        addresses = extent(program, "in_own_code")
        profile = sample(folder, str(stripped), "own", SECONDS)
        share = profile.share(
            lambda module, address, path=str(stripped), where=addresses: module["path"] == path
            and address in where
        )
        check(share > MOST, f"{name}: stripped, the same addresses", share)


def libraries(folder):
    """One is closed and another opened, which the system puts at the same place."""
    program = build(folder / "loads", "places.c", "-ldl")
    files = [
        build(folder / f"lib{size}.so", "library.c", "-shared", "-fPIC", f'-DPADDING="{size}"')
        for size in (16, 4000)
    ]
    check(
        extent(files[0], "in_library").start != extent(files[1], "in_library").start,
        "the two libraries differ",
    )
    profile = sample(folder, program, "libraries", "0.3", *files)
    for file in files:
        share = profile.in_function(file, "in_library")
        check(0.35 < share < 0.6, f"{os.path.basename(file)}: half of the samples", share)


def replaced(folder):
    """The file that ran is not the one at its path any more: its own addresses, and a remark."""
    other, program = folder / "other", build(folder / "program", "places.c", "-ldl")
    addresses = extent(program, "in_own_code")
    build(other, "library.c", '-DPADDING="64"', "-shared", "-fPIC")
    profile = sample(folder, program, "replaced", SECONDS, str(other))
    modules = [
        module for module, address, _ in profile.rows if address in addresses and module["kind"] == "file"
    ]
    check(
        profile.share(lambda module, address: address in addresses and module["kind"] == "file") > MOST,
        "replaced: its own addresses",
    )
    check(modules and all(module.get("remark") for module in modules), "replaced: a remark", modules[:1])


def memory(folder):
    program = build(folder / "writes", "places.c", "-ldl")
    profile = sample(folder, program, "memory", SECONDS)
    share = profile.share(lambda module, address: module["kind"] == "jit" and module["pid"] > 0)
    check(share > MOST, "memory: the share of code that the program wrote", share)


def vdso(folder):
    program = build(folder / "reads", "places.c", "-ldl")
    profile = sample(folder, program, "vdso", SECONDS)
    if not profile.samples(lambda module, address: module["kind"] == "vdso"):
        check(
            profile.share(lambda module, address: module["kind"] == "kernel") > 0.3,
            "vdso: there, or else the kernel reads the clock",
        )
        return
    check(
        all(address < 0x4000 for module, address, _ in profile.rows if module["kind"] == "vdso"),
        "vdso: addresses are those of its image",
    )


def ends(folder):
    """Ctrl-C, SIGKILL, and a process that goes on when it was sampled."""
    program, session = build(folder / "ends", "places.c", "-ldl"), folder / "end.json"
    with subprocess.Popen(
        [TOPDOWN, "sample", "--save", session, program, "own", "30"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        check(process.returncode == 128 + signal.SIGINT, "Ctrl-C: exit status", process.returncode)
    check(Profile(session).in_function(program, "in_own_code") > 0.5, "Ctrl-C: what was sampled until then")
    result = topdown(
        "sample", "--save", session, "--", "sh", "-c", f"{program} own 30 & sleep 0.3; kill -9 $!"
    )
    check(result.returncode == 0, "SIGKILL: exit status of the shell", result.stderr)
    check(Profile(session).in_function(program, "in_own_code") > 0.5, "SIGKILL: what was sampled until then")
    with subprocess.Popen([program, "own", "30"]) as process:
        result = topdown("sample", "--save", session, "-p", process.pid, "--duration", "0.3")
        check(result.returncode == 0, "attached: exit status", result.stderr)
        check(process.poll() is None, "attached: the process goes on")
        process.kill()
    profile = Profile(session)
    check(profile.in_function(program, "in_own_code") > 0.5, "attached: its function")
    check(
        [task["pid"] for task in profile.data["tasks"]] == [process.pid],
        "attached: nobody else",
        profile.data["tasks"],
    )


def main():
    if not shutil.which("gcc") or not shutil.which("nm"):
        skip("there is no gcc or no nm")
    if topdown("sample", "--", "true").returncode != 0:
        skip("this user may not sample here")
    with temporary() as folder:
        for part in (kinds_of_files, libraries, replaced, memory, vdso, ends):
            part(folder)
    finish()


main()
