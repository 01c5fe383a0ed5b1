#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hidden.py - code that a library has for instructions which Valgrind hides: named before the run, and after
it by the share of the work in that library. Exit status 77 without Valgrind, and on other machines than
x86-64."""
import platform
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, environment, finish, need_simulator, skip, temporary, topdown

FLAGS = ("avx512f", "sha_ni", "vaes")
ALL, MOST = (1000, 900000), (900000, 1000)  # rounds of the library's work: all of it, hardly any
# The library's name, its function's, its code; flags of the CPU, rounds in the program and in the library;
# what is said of that; OPENSSL_ia32cap.
ROWS = (
    ("libwide.so", "library_work", "AVX512", FLAGS, ALL, "libwide.so AVX-512"),
    ("libwide.so", "library_work", "AVX512", (), ALL, None),
    ("libwide.so", "library_work", "AVX512", ("sha_ni", "vaes"), ALL, None),
    ("libwide.so", "library_work", "AVX512", FLAGS, MOST, None),
    ("libwide.so", "library_work", "TABLES", FLAGS, ALL, None),
    ("libwide.so", "library_work", "FEW", FLAGS, ALL, None),
    ("libwide.so", "library_work", "VAES", FLAGS, ALL, "libwide.so VAES"),
    ("libwide.so", "library_work", "AVX512 VAES", FLAGS, ALL, "libwide.so AVX-512 and VAES"),
    ("libhash.so", "sha256_work", "SHA", FLAGS, ALL, "libhash.so SHA"),
    ("libhash.so", "library_work", "SHA", FLAGS, ALL, None),  # it does something else
    ("libcrypto.so.9", "sha256_work", "SHA", FLAGS, ALL, "libcrypto.so.9 SHA OpenSSL's SHA-256: 3.2 times"),
    ("libcrypto.so.9", "sha256_work", "SHA", FLAGS, ALL, None, ":~0x20000000"),
    ("libcrypto.so.9", "sha256_work", "SHA", FLAGS, ALL, None, "~0x0:0x10000"),
    ("libcrypto.so.9", "sha256_work", "SHA", FLAGS, ALL, "libcrypto.so.9 SHA", "~0x20000000"),
    ("libcrypto.so.9", "sha256_work", "SHA AVX512", FLAGS, ALL, "libcrypto.so.9 AVX-512", ":~0x20000000"),
    ("libc.so.9", "library_work", "AVX512", FLAGS, ALL, None),  # string functions are as fast
)


def build(folder, name, work, code):
    home = folder / name / work / code.replace(" ", "-")
    if not home.exists():
        home.mkdir(parents=True)
        library, program = home / name, home / "program"
        sources = SOURCE / "tests/simulated"
        defines = (f"-DWORK={work}", f"-DCODE={code}")
        gcc = ("gcc", "-O1", *defines, "-o")
        subprocess.run(
            [*gcc, library, "-shared", "-fPIC", f"-Wl,-soname,{name}", sources / "hidden_library.c"],
            check=True,
        )
        subprocess.run([*gcc, program, sources / "hidden.c", library, "-Wl,-rpath,$ORIGIN"], check=True)
    return home / "program"


def machine(folder, flags):
    """A Zen 4 that has these flags and no others."""
    root = folder / f"machine-{'-'.join(flags)}"
    if not root.exists():
        shutil.copytree(SOURCE / "tests/machines/epyc-zen4", root)
        text = (root / "proc/cpuinfo").read_text(encoding="utf-8")
        line = "flags\t\t: fpu " + " ".join(flags)
        (root / "proc/cpuinfo").write_text(re.sub(r"(?m)^flags\s*:.*$", line, text), encoding="utf-8")
    return root


def said(text):
    """What is said of hidden code before the run, in lines, and in the report, in sentences."""
    before = [line for line in text.splitlines() if line.startswith("topdown: ") and "this CPU's" in line]
    report = " ".join(line for line in text.splitlines() if line not in before)
    return before, [line for line in re.split(r"\.\s|\s{4}", report) if "this CPU's" in line]


def check_row(folder, row):
    name, work, code, flags, rounds, expected, *variable = row
    program = build(folder, name, work, code)
    env = environment(OPENSSL_ia32cap=variable[0] if variable else None)
    words = ("--pmu", "sim", "--sysroot", machine(folder, flags), "--anchor", "never", "--lines")
    result = topdown(*words, program, *rounds, env=env)
    check(result.returncode == 0, f"{row}: status", result.stderr)
    before, report = said(result.stderr)
    is_unused = rounds == MOST or (work, code) == ("library_work", "SHA")
    if not expected:
        check(not report, f"{row}: nothing is said", report)
        check(bool(before) == is_unused, f"{row}: before the run", before)
        return
    library, _, rest = expected.partition(" ")
    kinds, _, factor = rest.partition(" OpenSSL")
    known = f"{library} has code for this CPU's {kinds}, which Valgrind hides"
    check(len(before) == 1 and known in before[0], f"{row}: before the run", result.stderr)
    shares = [int(share) for share in re.findall(r"(\d+) % of its work", " ".join(report))]
    words = f"is in {library}, which has code for this CPU's {kinds};"
    check(len(report) == 1 and words in " ".join(report[0].split()), f"{row}: in the report", report)
    check(len(shares) == 1 and 90 <= shares[0] <= 100, f"{row}: the share of the work", shares)
    check(
        all(factor in " ".join(line.split()) for line in before + report), f"{row}: factor", (before, report)
    )


def check_others(folder):
    """A C library that is linked in has AVX-512 for its strings, always; another core is no matter of this
    CPU; and without lines the report has what was known before."""
    program = folder / "static"
    source = SOURCE / "tests/simulated"
    subprocess.run(
        ["gcc", "-O1", "-static", "-DWORK=library_work", "-DCODE=AVX512", "-o", program]
        + [source / "hidden.c", source / "hidden_library.c"],
        check=True,
    )
    words = ("--pmu", "sim", "--lines", "--anchor", "never")
    root = machine(folder, FLAGS)
    result = topdown(*words, "--sysroot", root, program, *ALL)
    check(result.returncode == 0 and said(result.stderr) == ([], []), "static", result.stderr)
    program = build(folder, "libwide.so", "library_work", "AVX512")
    for more in (("--sim-core", "skylake"), ("--pinned",)):
        result = topdown(*words, "--sysroot", root, *more, program, *ALL)
        check(result.returncode == 0 and said(result.stderr) == ([], []), f"{more}", result.stderr)
    words = ("--pmu", "sim", "--anchor", "never", "--sysroot", root)
    before, report = said(topdown(*words, program, *ALL).stderr)
    known = "libwide.so has code for this CPU's AVX-512, which Valgrind hides: natively it may run that"
    check(known in before[0] and known in " ".join(report[0].split()), "without lines", (before, report))


def main():
    need_simulator()
    if platform.machine() != "x86_64":
        skip("instructions of x86")
    with temporary() as folder:
        for row in ROWS:
            check_row(folder, row)
        check_others(folder)
    finish()


if __name__ == "__main__":
    main()
