#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gate.py [--few] [--regressions [NUMBER...]] - is `topdown gate --pmu sim` red without a cause, and green
with one? A hundred changes that are none (environment, paths, unused functions, link order, another glibc
dispatch, comments, debug information, strip, ...) against the default limits, 1 % of the cycles and 0.3 % of
the instructions; and ten regressions, each measured to be 2 % of the cycles. --few: a dozen, in two layouts.
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOPDOWN = str(pathlib.Path(os.environ.get("TOPDOWN", ROOT / "build/topdown")).resolve())
FEW = "--few" in sys.argv
LAYOUTS = "2" if FEW else "5"
FLAGS = ["-O2", "-g", *(["-DWORDS=800"] if FEW else ["-DWORDS=3000"])]
JOBS = 1 if FEW else 2
WANTED = 0.02  # of the cycles


class Bench:
    def __init__(self, folder):
        self.folder = folder
        for name in ("gate_program.c", "gate_hash.c"):
            shutil.copy(HERE / name, folder)
        self.baseline = folder / "baseline.json.gz"
        self.failed = 0

    def build(self, name, *flags, objects=("gate_program", "gate_hash"), base=None, link=()):
        """A folder of its own with prog in it."""
        place = self.folder / name
        place.mkdir(parents=True, exist_ok=True)
        for source in ("gate_program", "gate_hash"):
            subprocess.run(
                [
                    "cc",
                    *(FLAGS if base is None else base),
                    *flags,
                    "-c",
                    "-o",
                    place / f"{source}.o",
                    f"{source}.c",
                ],
                cwd=self.folder,
                check=True,
            )
        subprocess.run(
            ["cc", *link, "-o", place / "prog", *(place / f"{source}.o" for source in objects)], check=True
        )
        return place

    def gate(self, place, *words, program="./prog", env=None):
        """(exit status, document)"""
        out = place / "gate.json"
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "TOPDOWN_LAST": "0",
            "LC_ALL": "C.UTF-8",
            **(env or {}),
        }
        done = subprocess.run(
            [
                TOPDOWN,
                "gate",
                "--pmu",
                "sim",
                "--layouts",
                LAYOUTS,
                "--baseline",
                str(self.baseline),
                "--format",
                "json",
                "-o",
                out,
                *words,
                "--",
                program,
            ],
            cwd=place,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, (
            json.loads(out.read_text(encoding="utf-8"))
            if done.returncode in (0, 3, 4) and out.exists()
            else done.stderr
        )

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return f'"{self.folder / name}"'


def unused(count, lines=1):
    """Functions that nobody calls, of different sizes."""
    return "".join(
        f"__attribute__((used, noinline)) static int unused_{i}(int a) {{ int b = a;"
        + "".join(f" b = b * {i + k + 3} + (b >> {k % 7 + 1});" for k in range(lines * (i % 5 + 1)))
        + " return b; }\n"
        for i in range(count)
    )


def environments(bench, count):
    place = bench.build("environment")
    for i in range(count):
        yield lambda i=i: bench.gate(
            place,
            env={
                "GITHUB_REF": "refs/pull/1/merge" * i,
                "X" * (i + 1): "y" * (37 * i * i),
                "LANG": "de_DE.UTF-8",
            },
        )


def paths(bench, count):
    for i in range(count):
        place = bench.build("p" * (i + 1) + "/" + "long" * (i % 4 + 1) * i)
        yield lambda place=place: bench.gate(place)
        if i % 3 == 2:
            os.rename(place / "prog", place / ("program" * (i + 1))[:200])
            (place / "prog").symlink_to(("program" * (i + 1))[:200])


def before(bench, count):
    for i in range(count):
        place = bench.build(
            f"before{i}", f"-DUNUSED_BEFORE={bench.write(f'b{i}.h', unused(3 * i + 1, i + 1))}"
        )
        yield lambda place=place: bench.gate(place)


def after(bench, count):
    for i in range(count):
        place = bench.build(f"after{i}", f"-DUNUSED_AFTER={bench.write(f'a{i}.h', unused(5 * i + 1, i + 1))}")
        yield lambda place=place: bench.gate(place)


def orders(bench, count):
    """The two objects, and others that nobody calls, in other orders."""
    for i in range(3):
        source = bench.folder / f"other{i}.c"
        source.write_text(unused(4 * i + 2, 2), encoding="utf-8")
        subprocess.run(["cc", "-O2", "-c", "-o", bench.folder / f"other{i}.o", source], check=True)
    every = itertools.permutations(["gate_program.o", "gate_hash.o", *(f"other{i}.o" for i in range(3))])
    for i, order in enumerate(itertools.islice(every, 1, None, 120 // count)):
        if i == count:
            return
        place = bench.build(f"order{i}")
        for k in range(3):
            shutil.copy(bench.folder / f"other{k}.o", place)
        subprocess.run(["cc", "-o", "prog", *order], cwd=place, check=True)
        yield lambda place=place: bench.gate(place)


def dispatches(bench, count):
    place = bench.build("dispatch")
    switches = (
        "-AVX2",
        "-ERMS",
        "-AVX2,-ERMS",
        "-AVX_Fast_Unaligned_Load",
        "-FSRM",
        "-SSE4_2",
        "-AVX",
        "-BMI2",
        "-Fast_Unaligned_Copy",
        "-SSSE3",
    )
    for switch in switches[:count]:
        yield lambda switch=switch: bench.gate(place, env={"GLIBC_TUNABLES": f"glibc.cpu.hwcaps={switch}"})


def comments(bench, count):
    source = (HERE / "gate_program.c").read_text(encoding="utf-8")
    for i in range(count):
        place = bench.folder / f"comment{i}"
        place.mkdir()
        (place / "gate_program.c").write_text(
            "/* one more */\n" * (7 * i + 1) + source.replace("\n\n", "\n/* two */\n\n", i + 1),
            encoding="utf-8",
        )
        subprocess.run(
            ["cc", *FLAGS, "-o", "prog", "gate_program.c", bench.folder / "gate_hash.c"],
            cwd=place,
            check=True,
        )
        yield lambda place=place: bench.gate(place)


def debugs(bench, count):
    base = [flag for flag in FLAGS if flag != "-g"]
    kinds = (
        ["-g0"],
        ["-g1"],
        ["-g3"],
        ["-g", "-gdwarf-4"],
        ["-g", "-gz"],
        ["-g", "-gstrict-dwarf"],
        ["-g", "-fdebug-prefix-map=/=/x"],
        ["-ggdb3"],
        ["-g", "-gno-column-info"],
        ["-g", "-fno-var-tracking"],
    )
    for i, kind in enumerate(kinds[:count]):
        place = bench.build(f"debug{i}", *kind, base=base)
        yield lambda place=place: bench.gate(place)


def strips(bench, count):
    kinds = (
        ["strip"],
        ["strip", "-g"],
        ["strip", "--strip-unneeded"],
        ["objcopy", "--only-section=*"],
        ["objcopy", "--remove-section=.comment"],
        ["objcopy", "--compress-debug-sections"],
        ["objcopy", "--add-section=.note.x=/etc/hostname"],
        ["strip", "-x"],
        ["strip", "-X"],
        ["objcopy", "--strip-symbol=main"],
    )
    for i, kind in enumerate(kinds[:count]):
        place = bench.build(f"strip{i}")
        subprocess.run([*kind, "prog"], cwd=place, check=True)
        yield lambda place=place: bench.gate(place)


def links(bench, count):
    """Other notes, other sections, other data that nobody uses."""
    kinds = (
        ["-Wl,--build-id=none"],
        ["-Wl,--build-id=0x1234"],
        ["-Wl,-z,now"],
        ["-Wl,-z,norelro"],
        ["-Wl,--hash-style=both"],
        ["-rdynamic"],
        ["-Wl,-z,noseparate-code"],
        ["-Wl,-O1"],
        ["-Wl,--no-eh-frame-hdr"],
        ["-Wl,-z,max-page-size=65536"],
    )
    for i, kind in enumerate(kinds[:count]):
        place = bench.build(f"link{i}", link=kind)
        yield lambda place=place: bench.gate(place)


NEUTRAL = (environments, paths, before, after, orders, dispatches, comments, debugs, strips, links)


def change_of(document, metric):
    row = next(row for row in document["limits"] if row["metric"] == metric)
    return f"{row['amount']:+.3f} % ({row['amount_low']:+.3f} to {row['amount_high']:+.3f})"


def report(bench, what, answer, wanted):
    status, document = answer
    is_right = status == wanted
    bench.failed += not is_right
    figures = (
        "; ".join(f"{metric} {change_of(document, metric)}" for metric in ("instructions", "cycles"))
        if isinstance(document, dict)
        else document.strip()[-200:]
    )
    print(f"{'ok  ' if is_right else 'FAIL'} {what}: status {status}; {figures}", flush=True)


def run_neutral(bench):
    count = 1 if FEW else 10
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        asked = [
            (f"{kind.__name__} {i}", pool.submit(job))
            for kind in NEUTRAL
            for i, job in enumerate(kind(bench, count))
        ]
        for what, future in asked:
            report(bench, what, future.result(), 0)
    return len(asked)


def cycles_of(bench, place):
    """Of one layout."""
    out = place / "run.json"
    subprocess.run(
        [TOPDOWN, "--pmu", "sim", "--pinned", "--no-anchor", "--format", "json", "-o", out, "./prog"],
        cwd=place,
        check=True,
        capture_output=True,
        env={**os.environ, "TOPDOWN_LAST": "0"},
    )
    return json.loads(out.read_text(encoding="utf-8"))["summary"]["cycles"]


def run_regression(bench, kind, cycles):
    """So much of it that it is 2 %: by one measurement of more."""
    trial = 300 if FEW else 2000
    each = (
        cycles_of(bench, bench.build(f"try{kind}", f"-DREGRESSION={kind}", f"-DEXTRA={trial}")) - cycles
    ) / trial
    times = max(round(WANTED * cycles / each), 1)
    return bench.gate(bench.build(f"regression{kind}", f"-DREGRESSION={kind}", f"-DEXTRA={times}"))


def run_regressions(bench, kinds):
    cycles = cycles_of(bench, bench.build("before"))
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        asked = [(kind, pool.submit(run_regression, bench, kind, cycles)) for kind in kinds]
        for kind, future in asked:
            report(bench, f"regression {kind}", future.result(), 3)


def main():
    if not shutil.which("valgrind"):
        print("skipped: there is no Valgrind")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(pathlib.Path(name))
        status, said = bench.gate(bench.build("base"), "--update")
        if status:
            sys.exit(f"no baseline: {said}")
        if "--regressions" not in sys.argv:
            print(f"{run_neutral(bench)} neutral changes", flush=True)
        run_regressions(
            bench, [int(word) for word in sys.argv[1:] if word.isdigit()] or ((4, 6) if FEW else range(1, 11))
        )
        print(f"{bench.failed} wrong")
        sys.exit(1 if bench.failed else 0)


main()
