# SPDX-License-Identifier: GPL-2.0-or-later
"""mapped.py - sampled by time: which file an address is in, and where in it. Expectations come from nm of the
files, from what the program was asked to do, and from when it was interrupted, killed, attached to and
left."""
import os
import shutil
import signal
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_all,
    children_of,
    cpu_s,
    environment,
    finish,
    read_json,
    skip,
    temporary,
    topdown,
    until_enough,
    wait_until,
)

MOST = 0.8  # of the samples are where the program runs; the rest is its start
ENOUGH = 50  # samples beside those of the kernel
ENDLESS = "9999"


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

    def outside_kernel(self):
        return self.samples(lambda module, _: module["kind"] != "kernel")

    def share(self, holds):
        """Of those outside the kernel, which has more to do on a busy host."""
        return self.samples(holds) / max(self.outside_kernel(), 1)

    def in_function(self, file, function):
        addresses = extent(file, function)
        return self.share(
            lambda module, address: module["path"] == os.path.realpath(file) and address in addresses
        )


def sample(folder, program, what, *files):
    """As long as it takes until there are enough samples."""
    session = folder / "session.json"

    def measure(seconds):
        session.unlink(missing_ok=True)
        result = topdown("sample", "--save", session, "--", program, what, seconds, *files)
        check(result.returncode == 0, f"{what}: exit status", (result.returncode, result.stderr))
        return Profile(session)

    return until_enough(measure, lambda profile: profile.outside_kernel() >= ENOUGH)


def sample_once(folder, program, what, *files):
    """A program that can run only once."""
    session = folder / "session.json"
    result = topdown("sample", "--save", session, "--", program, what, "0.5", *files)
    check(result.returncode == 0, f"{what}: exit status", (result.returncode, result.stderr))
    return Profile(session)


def kinds_of_files(folder):
    """However it was linked, an address is the file's own; stripped too."""
    for name, options in {"pie": ["-pie", "-fPIE"], "fixed": ["-no-pie"], "static": ["-static"]}.items():
        program = build(folder / name, "places.c", *options, "-ldl")
        profile = sample(folder, program, "own")
        check(
            profile.in_function(program, "in_own_code") > MOST,
            f"{name}: the share of its function",
            profile.in_function(program, "in_own_code"),
        )
        stripped = folder / f"{name}-stripped"
        shutil.copy(program, stripped)
        subprocess.run(["strip", stripped], check=True)
        addresses = extent(program, "in_own_code")
        profile = sample(folder, str(stripped), "own")
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
    profile = sample(folder, program, "libraries", *files)
    shares = [profile.in_function(file, "in_library") for file in files]
    # Which of them has more is the scheduler's affair, where samples are lost.
    check(sum(shares) > MOST and min(shares) > 0.1, "the two libraries", shares)


def replaced(folder):
    """The file that ran is not the one at its path any more: its own addresses, and a remark."""
    other, program = folder / "other", build(folder / "program", "places.c", "-ldl")
    addresses = extent(program, "in_own_code")
    build(other, "library.c", '-DPADDING="64"', "-shared", "-fPIC")
    profile = sample_once(folder, program, "replaced", str(other))
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
    profile = sample(folder, program, "memory")
    share = profile.share(lambda module, address: module["kind"] == "jit" and module["pid"] > 0)
    check(share > MOST, "memory: the share of code that the program wrote", share)


def vdso(folder):
    program = build(folder / "reads", "places.c", "-ldl")
    session = folder / "session.json"

    def measure(seconds):
        topdown("sample", "--save", session, "--", program, "vdso", seconds)
        return Profile(session)

    profile = until_enough(measure, lambda profile: profile.samples() >= ENOUGH)
    if not profile.samples(lambda module, address: module["kind"] == "vdso"):
        inside = profile.samples(lambda module, address: module["kind"] == "kernel")
        check(inside > 0.3 * profile.samples(), "vdso: there, or else the kernel reads the clock")
        return
    check_all(
        [(module, address, _) for module, address, _ in profile.rows if module["kind"] == "vdso"],
        lambda module, address, _: address < 0x4000,
        "vdso: addresses are those of its image",
    )


def has_worked(pid):
    return lambda: any(cpu_s(child) >= 0.2 for child in children_of(pid))


# It is killed when it has worked for 20 ticks; awk looks less often than the program works.
KILLED = """
{} own 9999 & p=$!
while [ "$(awk '{{ print $14 }}' /proc/$p/stat)" -lt 20 ]; do sleep 0.1; done
kill -9 $p
"""


def check_until_then(what, session, program):
    """Of the program's own samples."""
    profile, addresses = Profile(session), extent(program, "in_own_code")
    own = profile.samples(lambda module, address: module["path"] == os.path.realpath(program))
    inside = profile.samples(
        lambda module, address: module["path"] == os.path.realpath(program) and address in addresses
    )
    check(inside > MOST * own > 0, f"{what}: what was sampled until then", (inside, own))
    return profile


def ends(folder):
    """Ctrl-C, SIGKILL, and a process that goes on when it was sampled."""
    program, session = build(folder / "ends", "places.c", "-ldl"), folder / "end.json"
    with subprocess.Popen(
        [TOPDOWN, "sample", "--save", session, program, "own", ENDLESS],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        check(wait_until(has_worked(process.pid)), "Ctrl-C: the program has worked")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        check(process.returncode == 128 + signal.SIGINT, "Ctrl-C: exit status", process.returncode)
    check_until_then("Ctrl-C", session, program)
    result = topdown("sample", "--save", session, "--", "sh", "-c", KILLED.format(program))
    check(result.returncode == 0, "SIGKILL: exit status of the shell", result.stderr)
    check_until_then("SIGKILL", session, program)

    def attached(seconds):
        result = topdown("sample", "--save", session, "-p", process.pid, "--duration", seconds)
        check(result.returncode == 0, "attached: exit status", result.stderr)
        return Profile(session)

    with subprocess.Popen([program, "own", ENDLESS]) as process:
        until_enough(attached, lambda profile: profile.outside_kernel() >= ENOUGH)
        check(process.poll() is None, "attached: the process goes on")
        process.kill()
    profile = check_until_then("attached", session, program)
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
