# SPDX-License-Identifier: GPL-2.0-or-later
"""stacks.py - call stacks of programs that were compiled for this, sampled by time: the chains that their
sources have.

Names come from nm, and shares from the program's own clock, so that only the stacks themselves are
topdown's."""
import bisect
import math
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, environment, finish, read_json, skip, temporary, topdown, until_enough

FP, CFI = 1, 2  # docs/FORMATS.md: profile.rows.method
ENOUGH = 400  # samples: beside them those of the start are few
MOST_BROKEN = 0.02

PLAIN = ["-O2", "-fomit-frame-pointer"]
# Of a program: its source, the compiler, and its options.
PROGRAMS = {
    "c": ("tree.c", "gcc", PLAIN),
    "c_static": ("tree.c", "gcc", [*PLAIN, "-static"]),
    "c_fixed": ("tree.c", "gcc", [*PLAIN, "-no-pie"]),
    "c_fp": ("tree.c", "gcc", ["-O2", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"]),
    "c_debug": ("tree.c", "gcc", [*PLAIN, "-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]),
    "c++": ("objects.cc", "g++", PLAIN),
    "rust": ("owned.rs", "rustc", ["-Copt-level=2", "-Cforce-frame-pointers=no"]),
    "deep": ("deep.c", "gcc", PLAIN),
}


def compiled(folder, name):
    """The program's path; None where there is no such compiler."""
    source, compiler, options = PROGRAMS[name]
    out = pathlib.Path(folder) / name
    if not shutil.which(compiler):
        return None
    made = subprocess.run(
        [compiler, *options, "-o", out, SOURCE / "tests/stacks" / source],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if made.returncode:
        print(
            f"{name} is left out: {made.stdout.strip().splitlines()[-1] if made.stdout.strip() else compiler}"
        )
    return None if made.returncode else out


class Functions:
    """Of a program's functions, which one an address is in."""

    def __init__(self, program):
        lines = subprocess.run(
            ["nm", program], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.splitlines()
        found = sorted(
            (int(words[0], 16), words[2])
            for words in map(str.split, lines)
            if len(words) == 3 and words[1] in "tT"
        )
        self.begins, self.names = [begin for begin, _ in found], [name for _, name in found]

    def name(self, address):
        at = bisect.bisect_right(self.begins, address)
        return self.names[at - 1] if at else "?"


class Sampled:
    """A profile's stacks: (samples, method, is it truncated, [(module's path or None, address)], innermost
    first)."""

    def __init__(self, folder, stacks, *command):
        out = pathlib.Path(folder) / "session.json"
        self.run = topdown(
            "sample", "-e", "cpu-clock", "-g", stacks, "--no-last", "--save", out, "--", *command
        )
        self.stacks = []
        if self.run.returncode == 0:
            self.read(read_json(out)["profile"])

    def read(self, profile):
        rows, places, stacks = profile["rows"], profile["places"], profile["stacks"]
        for i, stack in enumerate(rows["stack"]):
            frames = []
            while stack >= 0:
                place = stacks["place"][stack]
                module = profile["modules"][places["module"][place]]
                frames.append(
                    (
                        module["path"] if module["kind"] not in ("unknown", "jit") else None,
                        places["address"][place],
                    )
                )
                stack = stacks["caller"][stack]
            self.stacks.append(
                (rows["samples"][i], rows.get("method", {i: 0})[i], rows.get("truncated", {i: 0})[i], frames)
            )

    def total(self):
        return sum(samples for samples, *_ in self.stacks)

    def share(self, holds):
        """Of the samples whose stack, as (method, is it truncated, frames), is so."""
        return sum(stack[0] for stack in self.stacks if holds(*stack[1:])) / max(1, self.total())


def is_broken(_method, is_truncated, frames):
    return is_truncated or any(path is None for path, _ in frames)


def sampled(folder, stacks, program, *words):
    """As long as it takes until there are enough samples."""
    result = until_enough(
        lambda seconds: Sampled(folder, stacks, program, seconds, *words),
        lambda found: found.run.returncode or found.total() >= ENOUGH,
        0.5,
    )
    check(result.run.returncode == 0, f"-g {stacks} {program.name}: status", result.run.stderr)
    check(result.total() >= ENOUGH, f"-g {stacks} {program.name}: samples", result.total())
    return result


def least_broken(broken_of, folder, program, *words):
    """Up to three tries: a page that the kernel moves at that moment cannot be copied, and ends a stack. What
    topdown breaks is broken each time."""
    for _ in range(3):
        result = sampled(folder, "auto", program, *words)
        broken = broken_of(result)
        print(f"{program.name}: {result.total()} samples, {broken:.2%} broken")
        if broken <= MOST_BROKEN:
            break
    return result, broken


def check_whole(folder, name):
    """Nearly no stack is broken, without frame pointers too."""
    program = compiled(folder, name)
    if not program:
        print(f"not checked: {name}")
        return
    result, broken = least_broken(lambda result: result.share(is_broken), folder, program)
    check(broken <= MOST_BROKEN, f"{name}: broken stacks", broken)
    if PROGRAMS[name][0] == "tree.c":
        check_chains(name, program, result)


def check_chains(name, program, result):
    """The chains of calls, and how the time is divided among them."""
    names, counted = Functions(program), {"few": 0, "many": 0}
    for samples, _, is_truncated, frames in result.stacks:
        chain = [names.name(address) if path == str(program) else "." for path, address in frames]
        caller = next((function for function in ("few", "many") if function in chain), None)
        if is_truncated or not caller:
            continue
        counted[caller] += samples
        check("main" in chain, f"{name}: main called", chain)
        if chain[0] == "heavy":
            depth = chain.index(caller if caller == "few" else "compare") - 1
            check(chain[1 : depth + 1] == ["deep"] * depth, f"{name}: only deep() between", chain)
            check(
                depth in (range(11, 16) if caller == "few" else range(1, 8)),
                f"{name}: frames below {caller}()",
                chain,
            )
    few, many = map(float, result.run.stdout.split())
    n, expected = sum(counted.values()), many / (few + many)
    error = math.sqrt(expected * (1 - expected) / max(n, 1))
    found = counted["many"] / max(n, 1)
    print(f"{name}: {found:.3f} below many(), {expected:.3f} by its own clock, standard error {error:.3f}")
    # The clock's ticks and the rounds of the program are no independent draws.
    check(abs(found - expected) < 6 * error + 0.05, f"{name}: share below many()", (found, expected, error))


def check_methods(folder):
    """Each stack says how it was found, and -g is obeyed."""
    program = compiled(folder, "c_fp")
    if not program:
        return
    for stacks, method in (("fp", FP), ("dwarf", CFI), ("auto", CFI)):
        result = sampled(folder, stacks, program)
        same = result.share(lambda found, _, __, wanted=method: found == wanted)
        check(same > 0.95, f"-g {stacks}: stacks by method {method}", same)
        if stacks != "fp":
            check_chains(f"-g {stacks}", program, result)
    result = sampled(folder, "none", program)
    alone = result.share(lambda method, _, frames: method == 0 and len(frames) == 1)
    check(alone == 1, "-g none: places alone", alone)


def check_depth(folder):
    """A thousand frames are whole; a stack that was not copied to its end says so."""
    program = compiled(folder, "deep")
    if not program:
        return
    names = Functions(program)

    def falls(frames):
        return sum(path == str(program) and names.name(address) == "fall" for path, address in frames)

    # Not of all samples: where the host is busy many of those that there are come from the program's start.
    def inside(result):
        return result.share(lambda _, __, frames: falls(frames) > 0)

    def broken_of(result):
        whole = result.share(lambda _, is_truncated, frames: not is_truncated and falls(frames) == 401)
        return 1 - whole / max(inside(result), 1e-9)

    result, broken = least_broken(broken_of, folder, program, "400", "1")
    odd = [(stack[:3], falls(stack[3])) for stack in result.stacks if falls(stack[3]) != 401]
    check(inside(result) > 0.5 and broken <= MOST_BROKEN, "401 frames", (broken, inside(result), odd))
    cut = sampled(folder, "auto", program, "1000", "500").share(lambda _, is_truncated, __: is_truncated)
    check(cut > 0.9, "half a megabyte of stack: truncated", cut)


def check_little(folder):
    """Without a sample it is a measurement all the same, and the last one; of an attached process no CPU time
    is known."""
    env = environment(XDG_STATE_HOME=str(folder), TOPDOWN_LAST=None)
    for words in (("-F", "1000", "sleep", "0.1"), ("-F", "1", "/bin/true")):
        check(
            topdown("sample", "-o", pathlib.Path(folder) / "text", *words, env=env).returncode == 0,
            f"sample {words}",
        )
    check(os.stat(pathlib.Path(folder) / "text").st_mode & 0o777 == 0o644, "the report's mode")
    result = topdown("report", env=env)
    check(
        "/bin/true, " in result.stderr and " 0 samples" in result.stdout,
        "the last measurement has no sample",
        result,
    )
    result = topdown("report", "--functions", env=env)
    check(result.returncode == 125 and "no sample was taken" in result.stderr, "no functions", result.stderr)
    with subprocess.Popen(["sleep", "9999"]) as process:
        result = topdown("sample", "--no-last", "-p", str(process.pid), "--duration", "0.1")
        process.kill()
    check(
        "CPUs used" not in result.stdout + result.stderr and " samples in " in result.stdout + result.stderr,
        "attached",
        result,
    )


with temporary() as where:
    if not shutil.which("gcc") or not shutil.which("nm"):
        skip("there is no gcc, or no nm")
    PROBE = Sampled(where, "auto", "true")
    if PROBE.run.returncode:
        skip(f"nothing can be sampled here: {PROBE.run.stderr.strip()}")
    for kind in ("c", "c_static", "c_fixed", "c_debug", "c++", "rust"):
        check_whole(where, kind)
    check_methods(where)
    check_depth(where)
    check_little(where)
finish()
